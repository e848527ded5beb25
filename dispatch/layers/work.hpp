// What a call moves, for profile and trace.
#pragma once

#include "programs.hpp"
#include "wrap.hpp"

namespace tandem::detail {

/// Whether a verb keeps the device busy.
template <Verb verb>
constexpr bool is_work() {
  return verb == Verb::copy || writes_arrays<verb>();
}

/// Bytes of the arrays that it reads and writes, each element once.
template <Verb verb, class... Arguments>
double bytes_of(Tag<verb>, Arguments... arguments) {
  double bytes = 0;
  for_each_view<verb>([&](const td_view& view, const Parameter&) { bytes += double(memory_bytes(view)); }, arguments...);
  return bytes;
}
inline double bytes_of(Tag<Verb::copy>, td_copy_kind, void*, const void*, std::int64_t bytes, td_error*) {
  return double(bytes);
}
inline double bytes_of(Tag<Verb::allocate>, std::int64_t bytes, void**, td_error*) { return double(bytes); }
inline double bytes_of(Tag<Verb::run_program>, const td_program* program, const td_operand* inputs,
                       const td_operand* outputs, td_error*) {
  double bytes = 0;
  const auto add = [&](const td_operand& operand, int value, bool row) {
    td_view view{operand.data, td_dtype(value_dtype(*program, value)), program->ndim - (row ? program->n_reduced : 0),
                 program->shape, operand.strides};
    bytes += double(memory_bytes(view));
  };
  for (int i = 0; i < program->n_inputs; ++i) add(inputs[i], i, false);
  const std::vector<bool> rows = row_values(*program, inputs);
  for (int i = 0; i < program->n_outputs; ++i)
    add(outputs[i], program->outputs[i], rows[program->outputs[i]]);
  return bytes;
}

/// What the call is called in reports.
template <Verb verb, class... Arguments>
const char* work_name(Tag<verb>, Arguments...) {
  return name(verb);
}
inline const char* work_name(Tag<Verb::copy>, td_copy_kind kind, void*, const void*, std::int64_t, td_error*) {
  constexpr const char* names[] = {"copy host to device", "copy device to host", "copy on the device"};
  return names[kind];
}
/// Of a program its operations; the text is made once for each program that differs.
const char* work_name(Tag<Verb::run_program>, const td_program* program, const td_operand*, const td_operand*,
                      td_error*);

}  // namespace tandem::detail
