// What the plans are made of: the operands of a program seen along the axes of a kernel, and a little arithmetic.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "plan.hpp"

namespace tandem::cuda {

/// From here on 32 bits do not hold an index (divide() wants one bit to spare).
constexpr std::int64_t index_limit = std::int64_t{1} << 31;

inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
inline std::int64_t power_above(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

/// The second argument of the kernels' divide(): n / length = (high half of n * multiplier + n) >> shift for n < 2^31.
inline std::int64_t magic_of(std::int64_t length) {
  if (length >= index_limit) return 0;
  const int shift = std::bit_width(static_cast<std::uint64_t>(length - 1));
  const std::uint64_t excess = (std::uint64_t{1} << shift) - static_cast<std::uint64_t>(length);
  const std::uint64_t multiplier = (excess << 32) / static_cast<std::uint64_t>(length) + 1;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(shift) << 32 | multiplier);
}

/// The program's operands seen along the plan's axes.
class Layout {
 public:
  Layout(const Work& work, const Roles& roles, Plan& plan) : work_(work), roles_(roles), plan_(plan) {
    for (int axis = 0; axis < work.ndim; ++axis) plan.axes[axis] = static_cast<std::uint8_t>(axis);
  }

  std::int64_t length(int axis) const { return work_.shape[plan_.axes[axis]]; }
  std::int64_t stride(int k, int axis) const { return work_.operand(k).strides[plan_.axes[axis]]; }
  bool is_output(int k) const { return k >= work_.first_output(); }
  int dtype(int k) const {
    if (k < work_.n_inputs) return work_.input_dtypes[k];
    if (is_output(k)) return roles_.dtype[work_.outputs[k - work_.first_output()]];
    for (int i = 0; i < work_.n_instructions; ++i) {
      const td_instruction& instruction = work_.instructions[i];
      if (instruction.kind == load_kind && instruction.op == k - work_.n_inputs) return instruction.result;
    }
    return TD_BOOL;
  }
  bool used(int k) const {
    if (k < work_.n_inputs) return roles_.needed[k];
    if (is_output(k)) return true;
    for (int i = 0; i < work_.n_instructions; ++i) {
      const td_instruction& instruction = work_.instructions[i];
      if (instruction.kind == load_kind && instruction.op == k - work_.n_inputs)
        return roles_.needed[work_.first_instruction() + i];
    }
    return false;
  }
  bool row(int k) const {
    if (k < work_.n_inputs) return roles_.row[k];
    return is_output(k) ? roles_.row_output[k - work_.first_output()] : work_.n_reduced > 0;
  }
  bool index(int k) const { return k < work_.n_inputs && work_.operand(k).data == nullptr; }

  /// Whether the elements along axes [first, ndim) follow one another.
  bool contiguous(int k, int first) const {
    std::int64_t expected = 1;
    for (int axis = work_.ndim - 1; axis >= first; --axis) {
      if (stride(k, axis) != expected) return false;
      expected *= length(axis);
    }
    return true;
  }
  bool constant(int k, int first) const {
    for (int axis = first; axis < work_.ndim; ++axis)
      if (stride(k, axis) != 0) return false;
    return true;
  }
  /// Whether vectors of `width` elements are aligned, given that they start at multiples of it along the `skip`-th axis
  /// and after it.
  bool aligned(int k, int width, int skip) const {
    if (index(k)) return true;
    const auto bytes = static_cast<std::uintptr_t>(width * size_of(dtype(k)));
    if (reinterpret_cast<std::uintptr_t>(work_.operand(k).data) % bytes != 0) return false;
    for (int axis = 0; axis < skip; ++axis)
      if (stride(k, axis) % width != 0 && length(axis) != 1) return false;
    return true;
  }

  /// Sets the outer and inner axes, and the operands' modes along the latter.
  void split_axes(int inner) {
    Facts& facts = plan_.facts;
    facts.inner = static_cast<std::uint8_t>(inner);
    facts.outer = static_cast<std::uint8_t>(work_.ndim - inner);
    for (int axis = 0; axis < work_.ndim; ++axis) (axis < facts.outer ? plan_.rows : plan_.length) *= length(axis);
    for (int k = 0; k < work_.n_operands(); ++k) {
      if (!used(k)) continue;
      OperandFacts& operand = facts.operands[k];
      operand.index = index(k);
      operand.row = row(k);
      if (operand.row || (constant(k, facts.outer) && !is_output(k)))
        operand.mode = Mode::zero;
      else if (contiguous(k, facts.outer))
        operand.mode = Mode::linear;
      else
        operand.mode = inner == 1 ? Mode::strided : Mode::split;
    }
  }

  Mode mode(int k) const { return plan_.facts.operands[k].mode; }

  /// The largest element among operands that `choose` picks, 0 for none.
  template <class Choose>
  int largest(Choose choose) const {
    int bytes = 0;
    for (int k = 0; k < work_.n_operands(); ++k)
      if (used(k) && choose(k)) bytes = std::max(bytes, size_of(dtype(k)));
    return bytes;
  }

  void set_streaming(const Limits& limits) {
    if (total_bytes() <= limits.l2_bytes / 2) return;
    for (int k = 0; k < work_.n_operands(); ++k) plan_.facts.operands[k].streaming = used(k) && !repeats(k);
  }

 private:
  /// Whether elements are met several times.
  bool repeats(int k) const {
    for (int axis = 0; axis < work_.ndim; ++axis)
      if (stride(k, axis) == 0 && length(axis) > 1) return true;
    return false;
  }

  std::int64_t total_bytes() const {
    std::int64_t bytes = 0;
    for (int k = 0; k < work_.n_operands(); ++k) {
      if (!used(k) || index(k)) continue;
      std::int64_t elements = size_of(dtype(k));
      for (int axis = 0; axis < work_.ndim; ++axis)
        if (stride(k, axis) != 0) elements *= length(axis);
      bytes += elements;
    }
    return bytes;
  }

  const Work& work_;
  const Roles& roles_;
  Plan& plan_;
};

inline int count_needed(const Work& work, const Roles& roles) {
  int count = 0;
  for (int i = 0; i < work.n_instructions; ++i) count += roles.needed[work.first_instruction() + i];
  return count;
}

}  // namespace tandem::cuda
