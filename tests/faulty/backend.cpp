// The reference backend with a fault, for the layer parity to find. The environment variable FAULT says which:
//   VERB.ARRAY        an element of what the verb writes there is wrong by 1/128 or more, an integer by 1
//   VERB.ARRAY:ulp    wrong by one unit in the last place
//   VERB.ARRAY:swap   it has changed places with the next one
//   VERB.ARRAY:singular  the verb says that the matrix is singular
//   OPERATION         of a program: the result of ops.def's operation, or of "cast", is one unit wrong at one position
//   OPERATION:far     it has the wrong sign there
// It is the element at position 5 in row-major order.
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#define tandem_backend reference_table  // a plugin has one tandem_backend, and here it is another
#include "backends/reference/backend.cpp"
#undef tandem_backend
#include "dispatch/layers/wrap.hpp"
#include "dispatch/program/ops.hpp"

namespace tandem {
namespace {

using detail::Parameter;
using detail::Verb;

constexpr std::int64_t position = 5;

struct Fault {
  std::string where, how;
};
const Fault& fault() {
  static const Fault& planted = *new Fault([] {
    const char* text = std::getenv("FAULT");
    const std::string name = text ? text : "";
    const std::size_t colon = name.find(':');
    return colon == name.npos ? Fault{name, ""} : Fault{name.substr(0, colon), name.substr(colon + 1)};
  }());
  return planted;
}

constexpr int itemsizes[] = {
#define X(NAME, type, text, bytes) bytes,
    TD_DTYPES(X)
#undef X
};

/// Where the element at a row-major position lies.
unsigned char* element(const td_view& view, std::int64_t at) {
  std::int64_t offset = 0;
  for (int axis = view.ndim - 1; axis >= 0; at /= view.shape[axis--])
    offset += at % view.shape[axis] * view.strides[axis];
  return static_cast<unsigned char*>(view.data) + offset * itemsizes[view.dtype];
}

void spoil(const td_view& view) {
  const std::string& how = fault().how;
  unsigned char* x = element(view, position);
  const int size = itemsizes[view.dtype], part = view.dtype >= TD_COMPLEX64 ? size / 2 : size;
  if (how == "swap") {
    unsigned char *y = element(view, position + 1), copy[16];
    std::memcpy(copy, x, std::size_t(size));
    std::memcpy(x, y, std::size_t(size));
    std::memcpy(y, copy, std::size_t(size));
  } else {
    const bool last_place = how == "ulp" || view.dtype < TD_FLOAT16;
    x[last_place ? 0 : part - 2] ^= 1;
  }
}

/// A program with one more step behind an instruction.
struct Rewritten {
  std::vector<std::uint8_t> input_dtypes, constant_dtypes, outputs;
  std::vector<td_constant> constants;
  std::vector<td_instruction> instructions;
  std::vector<td_operand> inputs;
  std::vector<std::int64_t> strides;
  td_program program;

  Rewritten(const td_program& p, const td_operand* in, int target)
      : input_dtypes(p.input_dtypes, p.input_dtypes + p.n_inputs),
        constant_dtypes(p.constant_dtypes, p.constant_dtypes + p.n_constants),
        constants(p.constants, p.constants + p.n_constants),
        inputs(in, in + p.n_inputs),
        strides(std::size_t(p.ndim), 0),
        program(p) {
    const td_instruction& spoilt = p.instructions[target];
    std::int64_t step = 1;
    for (int axis = p.ndim - 1 - (spoilt.kind == TD_REDUCE ? p.n_reduced : 0); axis >= 0; step *= p.shape[axis--])
      strides[std::size_t(axis)] = step;
    const int index = p.n_inputs;
    input_dtypes.push_back(TD_INT64);
    inputs.push_back({nullptr, strides.data()});
    const int place = index + 1 + p.n_constants, infinity = place + 1, first = infinity + 1;
    add_constant(TD_INT64, position);
    if (spoilt.result == TD_FLOAT32) add_constant(TD_FLOAT32, std::numeric_limits<float>::infinity());
    else add_constant(TD_FLOAT64, std::numeric_limits<double>::infinity());
    const auto number = [&](int value) {
      if (value < p.n_inputs) return std::uint8_t(value);
      if (value < p.n_inputs + p.n_constants) return std::uint8_t(value + 1);
      const int instruction = value - p.n_inputs - p.n_constants;
      return std::uint8_t(first + instruction + (instruction < target ? 0 : 3));
    };
    for (int i = 0; i < p.n_instructions; ++i) {
      td_instruction instruction = p.instructions[i];
      for (std::uint8_t& source : instruction.sources) source = number(source);
      instructions.push_back(instruction);
      if (i != target) continue;
      const auto value = std::uint8_t(first + i);
      const std::uint8_t dtype = spoilt.result, next = std::uint8_t(value + 1);
      const bool next_number = (dtype == TD_FLOAT32 || dtype == TD_FLOAT64) && fault().how.empty();
      const td_op op = next_number ? TD_OP_nextafter : dtype == TD_BOOL ? TD_OP_logical_not : TD_OP_negative;
      instructions.push_back({TD_MAP, std::uint8_t(op), dtype, dtype, {value, std::uint8_t(infinity)}});
      instructions.push_back({TD_MAP, TD_OP_equal, TD_INT64, TD_BOOL, {std::uint8_t(index), std::uint8_t(place)}});
      instructions.push_back({TD_MAP, TD_OP_where, dtype, dtype, {std::uint8_t(next + 1), next, value}});
    }
    for (int i = 0; i < p.n_outputs; ++i) outputs.push_back(number(p.outputs[i]));
    program.n_inputs = int(input_dtypes.size());
    program.n_constants = int(constants.size());
    program.n_instructions = int(instructions.size());
    program.input_dtypes = input_dtypes.data();
    program.constant_dtypes = constant_dtypes.data();
    program.constants = constants.data();
    program.instructions = instructions.data();
    program.outputs = outputs.data();
  }

  template <class T>
  void add_constant(td_dtype dtype, T value) {
    td_constant constant{};
    std::memcpy(constant.bytes, &value, sizeof value);
    constants.push_back(constant);
    constant_dtypes.push_back(dtype);
  }
};

const char* operation_name(const td_instruction& instruction) {
  return instruction.kind == TD_MAP      ? detail::op_rows[instruction.op].name
         : instruction.kind == TD_REDUCE ? detail::reduction_rows[instruction.op].name
                                         : "cast";
}

struct Faulty {
  td_device* device;
  static Faulty of(td_device* device) { return {device}; }

  template <Verb verb, class... Arguments>
  auto call(detail::Tag<verb>, Arguments... arguments) const {
    const auto function = reference_table(nullptr)->*detail::verb_member<verb>;
    if constexpr (std::is_void_v<decltype(function(device, arguments...))>) {
      function(device, arguments...);
    } else {
      td_status status = function(device, arguments...);
      detail::for_each_view<verb>([&](const td_view& view, const Parameter& parameter) {
        const std::string array = std::string(detail::name(verb)) + "." + std::string(parameter.name);
        if (status != TD_OK || parameter.role == detail::Role::in || fault().where != array) return;
        if (fault().how == "singular")
          status = detail::refuse(detail::error_of(arguments...), TD_SINGULAR, "the matrix is singular");
        else
          spoil(view);
      }, arguments...);
      return status;
    }
  }

  td_status call(detail::Tag<Verb::run_program>, const td_program* program, const td_operand* inputs,
                 const td_operand* outputs, td_error* error) const {
    for (int i = 0; i < program->n_instructions; ++i) {
      if (fault().where != operation_name(program->instructions[i])) continue;
      const Rewritten rewritten(*program, inputs, i);
      return reference::run_program(device, &rewritten.program, rewritten.inputs.data(), outputs, error);
    }
    return reference::run_program(device, program, inputs, outputs, error);
  }
};

}  // namespace
}  // namespace tandem

extern "C" __attribute__((visibility("default"))) const td_backend* tandem_backend(const td_host* host) {
  static const td_backend table = [&] {
    td_backend faulty = *reference_table(host);
    faulty.name = "faulty";
    tandem::detail::wrap_all<tandem::Faulty>(faulty);
    return faulty;
  }();
  return &table;
}
