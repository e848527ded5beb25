#include "recorded_call.hpp"

#include <tuple>
#include <utility>

namespace tandem::detail {

td_view RecordedArray::host_view() const {
  if (!has_memory || bytes.empty()) return view(nullptr);
  return view(const_cast<std::byte*>(bytes.data()) - extent_of(view(nullptr)).begin);
}

RecordedProgram::RecordedProgram(const td_program& p)
    : input_dtypes(p.input_dtypes, p.input_dtypes + p.n_inputs),
      constant_dtypes(p.constant_dtypes, p.constant_dtypes + p.n_constants),
      outputs(p.outputs, p.outputs + p.n_outputs),
      constants(p.constants, p.constants + p.n_constants),
      instructions(p.instructions, p.instructions + p.n_instructions),
      n_reduced(p.n_reduced),
      shape(p.shape, p.shape + p.ndim) {}

td_program RecordedProgram::view() const {
  return {int(input_dtypes.size()), int(constants.size()),  int(instructions.size()), int(outputs.size()),
          input_dtypes.data(),      constant_dtypes.data(), constants.data(),         instructions.data(),
          outputs.data(),           int(shape.size()),      n_reduced,                shape.data()};
}

const RecordedArgument& RecordedCall::argument(std::string_view name) const {
  std::size_t at = 0;
  while (at + 1 < arguments.size() && signatures[int(verb)].parameters[at + 1].name != name) ++at;
  return arguments[at];
}

const Written* Outcome::find(std::string_view name) const {
  for (const Written& output : outputs)
    if (output.name == name) return &output;
  return nullptr;
}

Written packed(std::string_view name, const td_view& view, const HostElements& elements) {
  Written output{name, DType(view.dtype), Shape(view.shape, view.ndim), {}};
  const std::int64_t size = itemsize(output.dtype);
  output.elements.resize(std::size_t(element_count(view) * size));
  elements.for_each([&](const std::byte* element, std::int64_t position) {
    std::memcpy(output.elements.data() + position * size, element, std::size_t(size));
    return true;
  });
  return output;
}

Placed::Placed(const RecordedArray& array, const Target& target)
    : memory_(target, [&] {
        const Extent extent = extent_of(array.view(nullptr));
        return array.has_memory ? array.misalignment + extent.end - extent.begin : 0;
      }()) {
  if (!memory_.data()) return;
  std::byte* first = memory_.data() + array.misalignment;
  if (!array.bytes.empty())
    target.call(&td_backend::copy, TD_HOST_TO_DEVICE, static_cast<void*>(first),
                static_cast<const void*>(array.bytes.data()), std::int64_t(array.bytes.size()));
  data_ = first - extent_of(array.view(nullptr)).begin;
}

// ---- recording ----

RecordedArray record_array(const Target& target, const td_view& view, Role role) {
  RecordedArray array{role, view.data != nullptr, DType(view.dtype), {}, {}, 0, {}};
  array.shape.assign(view.shape, view.shape + view.ndim);
  array.strides.assign(view.strides, view.strides + view.ndim);
  if (!view.data) return array;
  const Extent extent = extent_of(view);
  const auto* first = static_cast<const std::byte*>(view.data) + extent.begin;
  array.misalignment = std::int64_t(reinterpret_cast<std::uintptr_t>(first) % TD_ALIGNMENT);
  if (role == Role::out) return array;
  array.bytes.resize(std::size_t(extent.end - extent.begin));
  if (!array.bytes.empty())
    target.call(&td_backend::copy, TD_DEVICE_TO_HOST, static_cast<void*>(array.bytes.data()),
                static_cast<const void*>(first), std::int64_t(array.bytes.size()));
  return array;
}

RecordedCall record(Tag<Verb::random>, const Target& target, const td_random* random, const td_view* out, td_error*) {
  td_random values = *random;
  values.lows = values.highs = nullptr;
  RecordedCall call;
  call.verb = Verb::random;
  call.arguments.resize(2);
  call.arguments[0].value = bytes_of_values(&values, 1);
  for (const double* parameters : {random->lows, random->highs}) {
    td_view view = *out;  // as long as the output, and contiguous like it
    view.dtype = TD_FLOAT64;
    view.data = const_cast<double*>(parameters);
    if (parameters) call.arguments[0].arrays.push_back(record_array(target, view, Role::in));
  }
  call.arguments[1].arrays.push_back(record_array(target, *out, Role::out));
  return call;
}

/// Calls body(view) for the outputs of a program, each over the space that it has elements for.
template <class Body>
static void for_each_output(const td_program& program, const td_operand* inputs, const td_operand* outputs, Body body) {
  const std::vector<bool> rows = row_values(program, inputs);
  for (int i = 0; i < program.n_outputs; ++i) {
    std::vector<std::int64_t> shape;
    const int value = program.outputs[i];
    body(operand_view(program, outputs[i], value_dtype(program, value), rows[std::size_t(value)], shape));
  }
}

RecordedCall record(Tag<Verb::run_program>, const Target& target, const td_program* program, const td_operand* inputs,
                    const td_operand* outputs, td_error*) {
  RecordedCall call;
  call.verb = Verb::run_program;
  call.program = RecordedProgram(*program);
  call.arguments.resize(3);
  for (int i = 0; i < program->n_inputs; ++i) {
    std::vector<std::int64_t> shape;
    const td_view view = operand_view(*program, inputs[i], DType(program->input_dtypes[i]), false, shape);
    call.arguments[1].arrays.push_back(record_array(target, view, Role::in));
  }
  for_each_output(*program, inputs, outputs, [&](const td_view& view) {
    call.arguments[2].arrays.push_back(record_array(target, view, Role::out));
  });
  return call;
}

std::vector<Written> read_outputs(Tag<Verb::run_program>, const Target& target, const td_program* program,
                                 const td_operand* inputs, const td_operand* outputs, td_error*) {
  std::vector<Written> list;
  for_each_output(*program, inputs, outputs, [&](const td_view& view) {
    list.push_back(packed("outputs", view, HostElements(target, view)));
  });
  return list;
}

// ---- making the call again ----

namespace {

/// An argument for a call, made of a recorded one.
template <class T>
struct Slot {
  T value{};
  Slot(const RecordedArgument& argument, const Target&) {
    std::memcpy(&value, argument.value.data(), std::min(sizeof value, argument.value.size()));
  }
  T get(td_error&) { return value; }
};

template <>
struct Slot<const td_view*> {
  std::vector<Placed> memory;
  std::vector<td_view> views;
  Slot(const RecordedArgument& argument, const Target& target) {
    for (const RecordedArray& array : argument.arrays)
      views.push_back(array.view(memory.emplace_back(array, target).data()));
  }
  const td_view* get(td_error&) { return views.empty() ? nullptr : views.data(); }
};

template <>
struct Slot<const td_random*> {
  Slot<td_random> random;
  Slot<const td_view*> parameters;
  Slot(const RecordedArgument& argument, const Target& target)
      : random(argument, target), parameters(argument, target) {
    const double** places[] = {&random.value.lows, &random.value.highs};
    for (std::size_t i = 0; i < parameters.views.size() && i < std::size(places); ++i)
      *places[i] = static_cast<const double*>(parameters.views[i].data);
  }
  const td_random* get(td_error&) { return &random.value; }
};

template <>
struct Slot<const std::int32_t*> {
  std::vector<std::int32_t> values;
  Slot(const RecordedArgument& argument, const Target&) : values(argument.value.size() / sizeof(std::int32_t)) {
    std::memcpy(values.data(), argument.value.data(), values.size() * sizeof(std::int32_t));
  }
  const std::int32_t* get(td_error&) { return values.data(); }
};

template <>
struct Slot<std::int32_t*> {
  std::int32_t value = 0;
  Slot(const RecordedArgument&, const Target&) {}
  std::int32_t* get(td_error&) { return &value; }
};

template <>
struct Slot<td_error*> {
  Slot(const RecordedArgument&, const Target&) {}
  td_error* get(td_error& error) { return &error; }
};

/// Calls a verb, waits, and reads what it wrote.
template <Verb verb, class... Arguments>
Outcome call_verb(const Target& target, td_error& error, Arguments... arguments) {
  error.message[0] = 0;
  Outcome outcome;
  outcome.status = (target.table->*verb_member<verb>)(target.device, arguments...);
  if (outcome.status == TD_OK) outcome.status = target.table->synchronize(target.device, &error);
  if (outcome.status == TD_OK)
    outcome.outputs = read_outputs(Tag<verb>{}, target, arguments...);
  else
    outcome.message = error.message;
  return outcome;
}

template <Verb verb, class Function, bool recorded = writes_arrays<verb>()>
struct Runner {
  static Outcome run(const RecordedCall&, const Target&) { throw std::logic_error("a call that cannot be recorded"); }
};

template <Verb verb, class Result, class... Arguments>
struct Runner<verb, Result (*)(td_device*, Arguments...), true> {
  static Outcome run(const RecordedCall& call, const Target& target) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      const RecordedArgument none;  // the error's, which comes last
      std::tuple<Slot<Arguments>...> slots(
          Slot<Arguments>(i < call.arguments.size() ? call.arguments[i] : none, target)...);
      td_error error;
      return call_verb<verb>(target, error, std::get<i>(slots).get(error)...);
    }(std::index_sequence_for<Arguments...>());
  }
};

template <class Result, class... Arguments>
struct Runner<Verb::run_program, Result (*)(td_device*, Arguments...), true> {
  static Outcome run(const RecordedCall& call, const Target& target) {
    const td_program program = call.program.view();
    std::vector<Placed> memory;
    std::vector<td_operand> operands[2];  // inputs, outputs
    for (std::size_t k = 0; k < 2; ++k)
      for (const RecordedArray& array : call.arguments[k + 1].arrays)
        operands[k].push_back({memory.emplace_back(array, target).data(), array.strides.data()});
    td_error error;
    return call_verb<Verb::run_program>(target, error, &program, static_cast<const td_operand*>(operands[0].data()),
                                        static_cast<const td_operand*>(operands[1].data()), &error);
  }
};

}  // namespace

Outcome run(const RecordedCall& call, const Target& target) {
  using Run = Outcome (*)(const RecordedCall&, const Target&);
  static constexpr Run runs[] = {
#define X(result, verb, arguments) Runner<Verb::verb, decltype(td_backend::verb)>::run,
      TD_ALL_VERBS(X, X)
#undef X
  };
  return runs[int(call.verb)](call, target);
}

}  // namespace tandem::detail
