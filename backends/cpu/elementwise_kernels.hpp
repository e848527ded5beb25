// The rows of ops.def as kernels for one dtype of operands.
#pragma once

#include "kernel_types.hpp"

namespace tandem::cpu::TD_ISA {
namespace {

constexpr bool in_name(char x) {
  return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || (x >= '0' && x <= '9') || x == '_';
}

/// Whether an expression uses a name of one letter: p makes the first operand a bool, T is the dtype.
constexpr bool uses(const char* expression, char name) {
  for (char before = ' '; *expression != 0; before = *expression++)
    if (*expression == name && !in_name(before) && !in_name(expression[1])) return true;
  return false;
}

#define TD_OP(name, operands, dtypes, outcome, expression, ...)                                                  \
  struct name##_row {                                                                                            \
    static constexpr int arity = operands, result = outcome;                                                     \
    static constexpr unsigned types = dtypes;                                                                    \
    static constexpr bool has_condition = uses(#expression, 'p'), needs_dtype = uses(#expression, 'T');          \
    template <class T, class First, class C>                                                                     \
    TD_FN auto apply([[maybe_unused]] First a, [[maybe_unused]] C b, [[maybe_unused]] C c, [[maybe_unused]] C d) { \
      [[maybe_unused]] const First p = a;                                                                        \
      return expression;                                                                                         \
    }                                                                                                            \
  };
#include <tandem/ops.def>

template <class Row, class T>
void map(void* out, const void* a, [[maybe_unused]] const void* b, [[maybe_unused]] const void* c,
         [[maybe_unused]] const void* d, int64_t n) {
  using C = compute_t<T>;
  using First = std::conditional_t<Row::has_condition, bool, T>;
  using Result = typename ResultOf<T, Row::result>::type;
  n &= -block_unit;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    C second{}, third{}, fourth{};
    if constexpr (Row::arity > 1) second = cast<C>(load<T>(b, i));
    if constexpr (Row::arity > 2) third = cast<C>(load<T>(c, i));
    if constexpr (Row::arity > 3) fourth = cast<C>(load<T>(d, i));
    const auto first = cast<compute_t<First>>(load<First>(a, i));
    store(out, i, cast<Result>(Row::template apply<T>(first, second, third, fourth)));
  }
}

/// The kernel of a row, or null. float16 and bfloat16 have one only where the expression depends on the dtype: the
/// others run as a widening cast, the float32 kernel and a narrowing cast.
template <class Row, class T>
constexpr Map choose() {
  if constexpr ((Row::types & kind_of<T>) != 0 && (!is_half<T> || Row::needs_dtype))
    return map<Row, T>;
  else
    return nullptr;
}

template <class T>
struct Maps {
  static constexpr Map table[TD_OP_COUNT] = {
#define TD_OP(name, ...) choose<name##_row, T>(),
#include <tandem/ops.def>
  };
};

}  // namespace
}  // namespace tandem::cpu::TD_ISA
