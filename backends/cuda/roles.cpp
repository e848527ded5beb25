// The values of a program: what they are, and what operations there are on them.
#include <algorithm>
#include <cstring>

#include "plan.hpp"

namespace tandem::cuda {

namespace {

constexpr unsigned TD_B = 1, TD_I = 2, TD_F = 4, TD_C = 8;

constexpr unsigned kind_of(int dtype) {
  if (dtype == TD_BOOL) return TD_B;
  if (dtype <= TD_UINT64) return TD_I;
  return dtype <= TD_FLOAT64 ? TD_F : TD_C;
}

}  // namespace

int arity_of(const td_instruction& instruction) {
  if (instruction.kind == load_kind) return 0;
  if (instruction.kind != TD_MAP) return 1;
  static constexpr std::uint8_t arities[] = {
#define TD_OP(name, arity, ...) arity,
#include <tandem/ops.def>
  };
  return arities[instruction.op];
}

int size_of(int dtype) {
  static constexpr std::uint8_t sizes[] = {
#define X(name, type, text, bytes) bytes,
      TD_DTYPES(X)
#undef X
  };
  return sizes[dtype];
}

std::int64_t state_bytes(const td_instruction& reduction, bool wide) {
  const std::int64_t value = std::max(size_of(reduction.dtype), 4);
  const auto with = [&](std::int64_t bytes) { return (value + 2 * bytes - 1) / bytes * bytes; };
  if (reduction.op == TD_REDUCE_argmax || reduction.op == TD_REDUCE_argmin) return with(wide || value > 4 ? 8 : 4);
  return reduction.op == TD_REDUCE_prod ? with(8) : value;
}

bool has_kernel(const td_instruction& instruction) {
  static constexpr std::uint8_t operations[] = {
#define TD_OP(name, arity, types, ...) types,
#include <tandem/ops.def>
  };
  static constexpr std::uint8_t reductions[] = {
#define TD_REDUCTION(name, types, ...) types,
#include <tandem/ops.def>
  };
  if (instruction.dtype >= TD_DTYPE_COUNT || instruction.result >= TD_DTYPE_COUNT) return false;
  const unsigned kind = kind_of(instruction.dtype);
  switch (instruction.kind) {
    case TD_MAP: return instruction.op < TD_OP_COUNT && (operations[instruction.op] & kind) != 0;
    case TD_REDUCE: return instruction.op < TD_REDUCTION_COUNT && (reductions[instruction.op] & kind) != 0;
    default: return true;
  }
}

Roles::Roles(const Work& work) {
  const bool rows = work.n_reduced > 0;
  const int first_row_axis = work.ndim - work.n_reduced;
  const auto constant_along_row = [&](const td_operand& operand) {
    for (int axis = first_row_axis; axis < work.ndim; ++axis)
      if (operand.strides[axis] != 0) return false;
    return true;
  };
  const int n = work.n_values(), first = work.first_instruction();
  std::memset(needed, 0, static_cast<std::size_t>(n));
  std::memset(stage, 0, static_cast<std::size_t>(n));
  for (int i = 0; i < work.n_inputs; ++i) {
    dtype[i] = work.input_dtypes[i];
    row[i] = rows && constant_along_row(work.input_operands[i]);
  }
  for (int i = 0; i < work.n_constants; ++i) {
    dtype[work.n_inputs + i] = work.constant_dtypes[i];
    row[work.n_inputs + i] = rows;
  }
  for (int i = 0; i < work.n_instructions; ++i) {
    const td_instruction& instruction = work.instructions[i];
    const int v = first + i;
    dtype[v] = instruction.result;
    row[v] = rows;
    for (int k = 0, arity = arity_of(instruction); k < arity; ++k) {
      const int source = instruction.sources[k];
      stage[v] = std::max(stage[v], stage[source]);
      row[v] = row[v] && row[source];
    }
    if (instruction.kind == TD_REDUCE) {
      row[v] = true;
      ++stage[v];
    }
  }
  for (int i = 0; i < work.n_outputs; ++i) {
    const int v = work.outputs[i];
    needed[v] = true;
    row_output[i] = row[v];  // whatever its strides along the row
    (row_output[i] ? any_row_output : any_full_output) = true;
  }
  for (int i = work.n_instructions - 1; i >= 0; --i) {
    const int v = first + i;
    if (!needed[v]) continue;
    const td_instruction& instruction = work.instructions[i];
    for (int k = 0, arity = arity_of(instruction); k < arity; ++k) needed[instruction.sources[k]] = true;
    n_reductions += instruction.kind == TD_REDUCE;
    last_stage = std::max<int>(last_stage, stage[v]);
  }
}

}  // namespace tandem::cuda
