#include "programs.hpp"

#include <cstring>

#include "../program/ops.hpp"

namespace tandem::detail {
namespace {

/// A program that a layer puts together.
struct OwnProgram {
  std::vector<std::uint8_t> input_dtypes, constant_dtypes;
  std::vector<td_constant> constants;
  std::vector<td_instruction> instructions;
  std::uint8_t output = 0;
  std::vector<td_operand> inputs;

  /// Runs it over the space of `program` and reads its one output.
  ProgramValue run(const Target& target, const td_program& program, DType dtype, bool row) const {
    std::vector<std::int64_t> strides(static_cast<std::size_t>(program.ndim), 0);
    std::int64_t n = 1;
    for (int axis = program.ndim - 1; axis >= 0; --axis) {
      if (row && axis >= program.ndim - program.n_reduced) continue;
      strides[static_cast<std::size_t>(axis)] = n;
      n *= program.shape[axis];
    }
    const DeviceBuffer memory(target, n * itemsize(dtype));
    const td_operand out{memory.data(), strides.data()};
    const td_program whole{int(input_dtypes.size()), int(constants.size()),   int(instructions.size()), 1,
                           input_dtypes.data(),      constant_dtypes.data(), constants.data(),         instructions.data(),
                           &output,                  program.ndim,           program.n_reduced,        program.shape};
    target.call(&td_backend::run_program, &whole, inputs.data(), &out);
    return {dtype, row ? row_length(program) : 1, memory.to_host()};
  }
};

const td_instruction& instruction_of(const td_program& program, int value) {
  return program.instructions[value - program.n_inputs - program.n_constants];
}

bool is_input(const td_program& program, int value) { return value < program.n_inputs; }
bool is_constant(const td_program& program, int value) {
  return !is_input(program, value) && value < program.n_inputs + program.n_constants;
}

/// Adds a value to a program of one's own, what it needs first; `numbers` are those that values have there, inputs before
/// constants before instructions being counted apart.
struct Extraction {
  const td_program& program;
  const td_operand* inputs;
  OwnProgram own;
  std::vector<int> numbers;

  Extraction(const td_program& p, const td_operand* in, int value)
      : program(p), inputs(in), numbers(std::size_t(value_count(p)), -1) {
    std::vector<bool> needed(std::size_t(value_count(program)), false);
    needed[std::size_t(value)] = true;
    for (int v = value; v >= program.n_inputs + program.n_constants; --v)
      if (needed[std::size_t(v)])
        for (int k = 0; k < source_count(instruction_of(program, v)); ++k)
          needed[instruction_of(program, v).sources[k]] = true;
    int next = 0;
    for (int v = 0; v <= value; ++v) {
      if (!needed[std::size_t(v)]) continue;
      numbers[std::size_t(v)] = next++;
      if (is_input(program, v)) {
        own.input_dtypes.push_back(program.input_dtypes[v]);
        own.inputs.push_back(inputs[v]);
      } else if (is_constant(program, v)) {
        own.constant_dtypes.push_back(program.constant_dtypes[v - program.n_inputs]);
        own.constants.push_back(program.constants[v - program.n_inputs]);
      } else {
        td_instruction instruction = instruction_of(program, v);
        for (int k = 0; k < source_count(instruction); ++k)
          instruction.sources[k] = std::uint8_t(numbers[instruction.sources[k]]);
        own.instructions.push_back(instruction);
      }
    }
    if (is_input(program, value)) {  // a copy of it
      const std::uint8_t dtype = program.input_dtypes[value];
      own.instructions.push_back({TD_MAP, TD_OP_positive, dtype, dtype, {0}});
      ++next;
    }
    own.output = std::uint8_t(next - 1);
  }
};

}  // namespace

int source_count(const td_instruction& instruction) {
  return instruction.kind == TD_MAP ? op_rows[instruction.op].arity : 1;
}

std::string operation_name(const td_instruction& instruction) {
  switch (instruction.kind) {
    case TD_MAP: return op_rows[instruction.op].name;
    case TD_REDUCE: return reduction_rows[instruction.op].name;
    default: return "cast to " + std::string(name(DType(instruction.result)));
  }
}

std::string program_name(const td_program& program) {
  std::string text;
  for (int i = 0; i < program.n_instructions;) {
    const std::string one = operation_name(program.instructions[i]);
    int n = 0;
    while (i < program.n_instructions && operation_name(program.instructions[i]) == one) ++i, ++n;
    text += (text.empty() ? "" : " ") + one + (n > 1 ? " x" + std::to_string(n) : "");
  }
  return text + " (" + std::string(name(value_dtype(program, program.outputs[0]))) + ")";
}

DType value_dtype(const td_program& program, int value) {
  if (is_input(program, value)) return DType(program.input_dtypes[value]);
  if (is_constant(program, value)) return DType(program.constant_dtypes[value - program.n_inputs]);
  return DType(instruction_of(program, value).result);
}

std::vector<bool> row_values(const td_program& program, const td_operand* inputs) {
  std::vector<bool> row(std::size_t(value_count(program)), false);
  if (program.n_reduced == 0) return row;
  for (int value = 0; value < value_count(program); ++value) {
    bool is_row = true;
    if (is_input(program, value)) {
      for (int axis = program.ndim - program.n_reduced; axis < program.ndim; ++axis)
        is_row = is_row && inputs[value].strides[axis] == 0;
    } else if (!is_constant(program, value)) {
      const td_instruction& instruction = instruction_of(program, value);
      for (int k = 0; k < source_count(instruction) && instruction.kind != TD_REDUCE; ++k)
        is_row = is_row && row[instruction.sources[k]];
    }
    row[std::size_t(value)] = is_row;
  }
  return row;
}

std::int64_t row_length(const td_program& program) {
  std::int64_t n = 1;
  for (int axis = program.ndim - program.n_reduced; axis < program.ndim; ++axis) n *= program.shape[axis];
  return n;
}

td_view operand_view(const td_program& program, const td_operand& operand, DType dtype, bool row,
                     std::vector<std::int64_t>& shape) {
  shape.assign(program.shape, program.shape + program.ndim);
  if (row)
    for (int axis = program.ndim - program.n_reduced; axis < program.ndim; ++axis) shape[std::size_t(axis)] = 1;
  return {operand.data, td_dtype(dtype), program.ndim, shape.data(), operand.strides};
}

ProgramValue compute_value(const Target& target, const td_program& program, const td_operand* inputs, int value) {
  const DType dtype = value_dtype(program, value);
  if (is_constant(program, value)) {
    ProgramValue constant{dtype, INT64_MAX, std::vector<std::byte>(std::size_t(itemsize(dtype)))};
    std::memcpy(constant.bytes.data(), program.constants[value - program.n_inputs].bytes, constant.bytes.size());
    return constant;
  }
  const bool row = row_values(program, inputs)[std::size_t(value)];
  return Extraction(program, inputs, value).own.run(target, program, dtype, row);
}

}  // namespace tandem::detail
