// Programs on two backends. The second one executes one instruction after the other. Where a result may differ, it goes
// on with the first backend's, so that the distance of every instruction is its own and does not add up.
#include <cmath>
#include <memory>

#include "../program/accuracy.hpp"
#include "agreement.hpp"

namespace tandem::detail {
namespace {

/// Up to a distance of 2^-30 from 0 the logarithms of sums have no budget (ops.def).
constexpr long double log_sum_cancels = 0x1p-30L;

class Steps {
 public:
  Steps(const RecordedCall& call, const Outcome& outcome, const Target& first, const Target& second)
      : call_(call), outcome_(outcome), first_(first), second_(second), program_(call.program.view()) {
    for (const RecordedArray& array : call.arguments[1].arrays) operands_.push_back({nullptr, array.strides.data()});
    rows_ = row_values(program_, operands_.data());
    last_use_.assign(std::size_t(value_count(program_)), 0);
    for (int i = 0; i < program_.n_instructions; ++i)
      for (int k = 0; k < source_count(program_.instructions[i]); ++k)
        last_use_[program_.instructions[i].sources[k]] = i;
  }

  /// The first difference. `all`: every instruction gets the first backend's operands, not only those behind a result
  /// that may differ; it costs the first backend a program for each.
  std::optional<Difference> walk(bool all) {
    values_.clear();
    values_.resize(std::size_t(value_count(program_)));
    for (int i = 0; i < program_.n_inputs; ++i) put_input(i);
    for (int i = 0; i < program_.n_constants; ++i) put_constant(i);
    for (int i = 0; i < program_.n_instructions; ++i) {
      const int value = first_instruction() + i;
      Value& result = values_[std::size_t(value)];
      result = execute(i);
      const int output = output_of(value);
      if (output >= 0 || all || !exact(program_.instructions[i])) {
        const std::vector<std::byte> own = result.memory->to_host();
        const std::vector<std::byte> other =
            output >= 0 ? outcome_.outputs[std::size_t(output)].elements
                        : compute_value(first_, program_, first_operands(), value).bytes;
        if (auto found = first_difference(i, other, own)) return found;
        result.memory->fill_from_host(other.data());
      }
      for (int k = 0; k < source_count(program_.instructions[i]); ++k) {
        const std::uint8_t source = program_.instructions[i].sources[k];
        if (last_use_[source] == i) values_[source].memory.reset(), values_[source].placed.reset();
      }
    }
    return std::nullopt;
  }

 private:
  /// A value in the second backend's memory.
  struct Value {
    std::vector<std::int64_t> strides;
    std::shared_ptr<Placed> placed;        // an input
    std::shared_ptr<DeviceBuffer> memory;  // any other value
    void* data() const { return placed ? placed->data() : memory->data(); }
  };

  int first_instruction() const { return program_.n_inputs + program_.n_constants; }

  static bool exact(const td_instruction& instruction) {
    return instruction.kind != TD_MAP || is_exact(td_op(instruction.op), DType(instruction.dtype));
  }

  int output_of(int value) const {
    for (int i = 0; i < program_.n_outputs; ++i)
      if (program_.outputs[i] == value) return i;
    return -1;
  }

  void put_input(int i) {
    const RecordedArray& array = call_.arguments[1].arrays[std::size_t(i)];
    values_[std::size_t(i)] = {array.strides, std::make_shared<Placed>(array, second_), nullptr};
  }

  void put_constant(int i) {
    const int value = program_.n_inputs + i;
    auto memory = std::make_shared<DeviceBuffer>(second_, itemsize(value_dtype(program_, value)));
    memory->fill_from_host(program_.constants[i].bytes);
    values_[std::size_t(value)] = {std::vector<std::int64_t>(std::size_t(program_.ndim), 0), nullptr, memory};
  }

  /// The inputs in the first backend's memory.
  const td_operand* first_operands() {
    if (first_memory_.empty())
      for (std::size_t i = 0; i < operands_.size(); ++i) {
        const RecordedArray& array = call_.arguments[1].arrays[i];
        operands_[i].data = first_memory_.emplace_back(array, first_).data();
      }
    return operands_.data();
  }

  /// A program of one instruction. Maps of row values are maps over the rows alone.
  Value execute(int number) const {
    td_instruction instruction = program_.instructions[number];
    const int value = first_instruction() + number, n_rows = program_.ndim - program_.n_reduced;
    const bool row = rows_[std::size_t(value)], reduces = instruction.kind == TD_REDUCE;
    std::vector<std::int64_t> shape(program_.shape, program_.shape + (row && !reduces ? n_rows : program_.ndim));
    if (shape.empty()) shape.push_back(1);
    std::vector<std::uint8_t> dtypes;
    std::vector<td_operand> sources;
    for (int k = 0; k < source_count(instruction); ++k) {
      const Value& source = values_[instruction.sources[k]];
      dtypes.push_back(std::uint8_t(value_dtype(program_, instruction.sources[k])));
      sources.push_back({source.data(), source.strides.data()});
      instruction.sources[k] = std::uint8_t(k);
    }
    Value result{std::vector<std::int64_t>(std::size_t(program_.ndim), 0), nullptr, nullptr};
    std::int64_t n = 1;
    for (int axis = row ? n_rows - 1 : program_.ndim - 1; axis >= 0; --axis) {
      result.strides[std::size_t(axis)] = n;
      n *= program_.shape[axis];
    }
    result.memory = std::make_shared<DeviceBuffer>(second_, n * itemsize(DType(instruction.result)));
    const td_operand out{result.data(), result.strides.data()};
    const std::uint8_t output = std::uint8_t(sources.size());
    const td_program single{int(sources.size()), 0, 1, 1, dtypes.data(), nullptr, nullptr, &instruction,
                            &output, int(shape.size()), reduces ? program_.n_reduced : 0, shape.data()};
    second_.call(&td_backend::run_program, &single, static_cast<const td_operand*>(sources.data()), &out);
    return result;
  }

  /// The positions of a value that has elements of its own.
  Shape shape_of(int value) const {
    Shape shape(program_.shape, program_.ndim);
    if (rows_[std::size_t(value)])
      for (int axis = program_.ndim - program_.n_reduced; axis < program_.ndim; ++axis) shape[axis] = 1;
    return shape;
  }

  /// The elements of a value at the positions of a shape, on the host.
  std::vector<std::byte> source_elements(int value, const Shape& shape) const {
    const Value& source = values_[std::size_t(value)];
    if (source.placed && !source.placed->data()) {  // the index array
      std::vector<std::int64_t> offsets;
      std::vector<std::int64_t> index(std::size_t(shape.size()), 0);
      const td_view positions{nullptr, TD_INT64, shape.size(), shape.data(), source.strides.data()};
      for (std::int64_t n = element_count(positions); n > 0; --n) {
        std::int64_t offset = 0;
        for (int axis = 0; axis < shape.size(); ++axis)
          offset += index[std::size_t(axis)] * source.strides[std::size_t(axis)];
        offsets.push_back(offset);
        for (int axis = shape.size() - 1; axis >= 0 && ++index[std::size_t(axis)] == shape[axis]; --axis)
          index[std::size_t(axis)] = 0;
      }
      return bytes_of_values(offsets.data(), std::int64_t(offsets.size()));
    }
    const td_view view{source.data(), td_dtype(value_dtype(program_, value)), shape.size(), shape.data(),
                       source.strides.data()};
    return packed("", view, HostElements(second_, view)).elements;
  }

  /// Whether an instruction's results are as near as they must be; `operand` is its first one, where that counts.
  static bool near(const td_instruction& instruction, const std::byte* a, const std::byte* b,
                   const std::byte* operand) {
    const DType dtype = DType(instruction.result);
    if (same_element(dtype, a, b)) return true;
    if (exact(instruction)) return false;
    const td_op op = td_op(instruction.op);
    if (distance_in_ulp(dtype, a, b) <= 2 * error_budget(op, dtype)) return true;
    if (is_complex(dtype)) return false;
    if (op == TD_OP_logaddexp || op == TD_OP_logaddexp2)
      return std::abs(number_of(dtype, a)) < log_sum_cancels && std::abs(number_of(dtype, b)) < log_sum_cancels;
    return !budget_holds(op, number_of(DType(instruction.dtype), operand).real());
  }

  std::optional<Difference> first_difference(int number, const std::vector<std::byte>& first,
                                             const std::vector<std::byte>& second) const {
    if (first == second) return std::nullopt;
    const td_instruction& instruction = program_.instructions[number];
    const int value = first_instruction() + number;
    const DType dtype = DType(instruction.result);
    const Shape shape = shape_of(value);
    const std::int64_t size = itemsize(dtype), n = std::int64_t(first.size()) / size;
    // Of a reduction the operands are a row.
    const int n_sources = instruction.kind == TD_REDUCE ? 0 : source_count(instruction);
    std::vector<std::vector<std::byte>> sources;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::byte *a = first.data() + i * size, *b = second.data() + i * size;
      if (same_element(dtype, a, b)) continue;
      if (sources.empty())
        for (int k = 0; k < n_sources; ++k) sources.push_back(source_elements(instruction.sources[k], shape));
      const auto operand = [&](int k) {
        return sources[std::size_t(k)].data() + i * itemsize(value_dtype(program_, instruction.sources[k]));
      };
      if (near(instruction, a, b, n_sources > 0 ? operand(0) : nullptr)) continue;
      std::string what = operation_name(instruction) + " of " + std::string(tandem::name(DType(instruction.dtype)));
      for (int k = 0; k < n_sources; ++k)
        what += (k ? ", " : " (") + element_text(value_dtype(program_, instruction.sources[k]), operand(k));
      if (n_sources > 0) what += ")";
      if (n_sources == 0) what += " over a row of " + std::to_string(row_length(program_));
      what += " at " + index_text(i, shape) + " of " + to_string(shape);
      std::string distance = "must be the same";
      if (is_inexact(dtype))
        distance = distance_text(distance_in_ulp(dtype, a, b),
                                 exact(instruction) ? 0 : 2 * error_budget(td_op(instruction.op), dtype), "ULP");
      return Difference{what, element_text(dtype, a), element_text(dtype, b),
                        distance + "; in the program " + program_name(program_)};
    }
    return std::nullopt;
  }

  const RecordedCall& call_;
  const Outcome& outcome_;
  const Target &first_, &second_;
  td_program program_;
  std::vector<td_operand> operands_;
  std::vector<Placed> first_memory_;
  std::vector<bool> rows_;
  std::vector<int> last_use_;
  std::vector<Value> values_;
};

}  // namespace

std::optional<Difference> compare_program(const RecordedCall& call, const Outcome& outcome, const Side& first,
                                          const Side& second) {
  Steps steps(call, outcome, first.target, second.target);
  if (!steps.walk(false)) return std::nullopt;
  // Which instruction it is. If it is none, what differs is something that nobody promises: the sign of a NaN, say.
  return steps.walk(true);
}

}  // namespace tandem::detail
