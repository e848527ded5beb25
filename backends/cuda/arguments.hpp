// The arguments of a kernel, one after the other: the text of their structure and the bytes of a launch agree because
// both come from each_argument.
#pragma once

#include "plan.hpp"

namespace tandem::cuda {

enum class Field {
  constant,      // number
  rows,          // product of the outer lengths
  length,        // product of the inner lengths
  outer_length,  // axis
  outer_magic,   // axis: what divide() needs
  inner_length,  // axis
  inner_magic,   // axis
  extra,         // number
  partials,      // number of the reduction among the needed ones
  pointer,       // operand
  outer_stride,  // operand, axis
  inner_stride   // operand, axis
};

inline bool has_partials(const Facts& facts) { return facts.partial || facts.kernel == Kernel::finish; }

/// Calls visit(field, number, axis) for every argument in order. Constants take 16 bytes, all others 8.
template <class Visitor>
void each_argument(const Work& work, const Roles& roles, const Facts& facts, Visitor&& visit) {
  for (int i = 0; i < work.n_constants; ++i) visit(Field::constant, i, 0);
  visit(Field::rows, 0, 0);
  visit(Field::length, 0, 0);
  for (int axis = 1; axis < facts.outer; ++axis) {
    visit(Field::outer_length, axis, 0);
    visit(Field::outer_magic, axis, 0);
  }
  for (int axis = 1; axis < facts.inner; ++axis) {
    visit(Field::inner_length, axis, 0);
    visit(Field::inner_magic, axis, 0);
  }
  for (int i = 0; i < extra_names(facts.kernel).count; ++i) visit(Field::extra, i, 0);
  if (has_partials(facts))
    for (int i = 0; i < roles.n_reductions; ++i) visit(Field::partials, i, 0);
  for (int k = 0; k < work.n_operands(); ++k) {
    const OperandFacts& operand = facts.operands[k];
    if (operand.mode == Mode::unused) continue;
    visit(Field::pointer, k, 0);
    for (int axis = 0; axis < facts.outer; ++axis) visit(Field::outer_stride, k, axis);
    for (int axis = 0; axis < facts.inner; ++axis) visit(Field::inner_stride, k, axis);
  }
}

}  // namespace tandem::cuda
