// How exact the operations of ops.def are, beyond the budget for float32 and float64 that their rows state: what the
// accuracy tests hold backends to, and the layer parity.
#pragma once

#include "ops.hpp"

namespace tandem::detail {

/// Whether an operation's result has the same bits on every backend.
constexpr bool is_exact(td_op op, DType operand) noexcept {
  return op_rows[op].ulp == 0 || !is_inexact(operand);
}

/// The largest distance between a result that is not correctly rounded and the truth, in ULP of the truth. float16 and
/// bfloat16: one ULP of the rounded truth. Complex numbers: of a power, what exp(b log a) loses; of the modulus, which
/// is the only `abs` that is not correctly rounded, 4.
constexpr double error_budget(td_op op, DType result) noexcept {
  if (is_complex(result)) return op == TD_OP_pow ? 64 : 8;
  if (result == float16 || result == bfloat16) return 1.5;
  return op == TD_OP_abs ? 4 : op_rows[op].ulp;
}

/// Whether the budget holds for a real operand: it does not between the poles of the gamma function.
template <class Number>
bool budget_holds(td_op op, Number operand) {
  const bool gamma = op == TD_OP_lgamma || op == TD_OP_tgamma;
  return !gamma || operand > 0 || __builtin_floorl(operand) == operand;
}

}  // namespace tandem::detail
