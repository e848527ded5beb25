// Elementwise functions and operators. All of them broadcast, promote as NumPy 2 does, and only record what to compute.
//
// The functions come from ops.def, where each row says what it computes, for which dtypes and how exactly; docs/ops.md
// lists them. Shapes that do not broadcast and dtypes that a function does not take throw Error at once.
#pragma once

#include <tandem/array.hpp>

namespace tandem {

#define TD_DETAIL_ARGUMENTS_1 const Operand& a
#define TD_DETAIL_ARGUMENTS_2 const Operand &a, const Operand &b
#define TD_DETAIL_ARGUMENTS_3 const Operand &a, const Operand &b, const Operand &c
#define TD_DETAIL_ARGUMENTS_4 const Operand &a, const Operand &b, const Operand &c, const Operand &d
#define TD_OP(name, arity, ...) TANDEM_API Array name(TD_DETAIL_ARGUMENTS_##arity);
#include <tandem/ops.def>
#undef TD_DETAIL_ARGUMENTS_1
#undef TD_DETAIL_ARGUMENTS_2
#undef TD_DETAIL_ARGUMENTS_3
#undef TD_DETAIL_ARGUMENTS_4

/// Rounds to `decimals` places, halves to even: rint(x * 10^decimals) / 10^decimals. Integers stay integers, also for
/// negative decimals.
TANDEM_API Array round(const Operand& x, int decimals = 0);

/// Tolerances of isclose and allclose.
struct CloseOptions {
  double rtol = 1e-5;
  double atol = 1e-8;
  bool equal_nan = false;
};
/// Whether |a - b| <= atol + rtol * |b|, per element; infinities are close to themselves.
TANDEM_API Array isclose(const Operand& a, const Operand& b, const CloseOptions& options = {});

/// What nan_to_num puts in; unset: 0, the largest and the lowest finite value of the dtype.
struct NanToNumOptions {
  double nan = 0.0;
  std::optional<double> posinf = {};
  std::optional<double> neginf = {};
};
/// Replaces NaN and infinities; complex parts one by one, integers stay.
TANDEM_API Array nan_to_num(const Operand& x, const NanToNumOptions& options = {});

/// Bounds of clip; an unset one does not bound.
struct ClipOptions {
  std::optional<Scalar> min = {};
  std::optional<Scalar> max = {};
};
/// Values below min become min, values above max become max. The dtype is x's, promoted with the bounds as weak scalars;
/// an integer min below it, or max above it, bounds nothing.
TANDEM_API Array clip(const Operand& x, const ClipOptions& options);

#define TD_DETAIL_BINARY(symbol, function)                                              \
  inline Array operator symbol(const Array& a, const Operand& b) { return function(a, b); }                    \
  inline Array operator symbol(Array&& a, const Operand& b) { return function(std::move(a), b); }              \
  inline Array operator symbol(const Scalar& a, const Array& b) { return function(a, b); }                     \
  inline Array operator symbol(const Scalar& a, Array&& b) { return function(a, std::move(b)); }
TD_DETAIL_BINARY(+, add)
TD_DETAIL_BINARY(-, subtract)
TD_DETAIL_BINARY(*, multiply)
TD_DETAIL_BINARY(/, divide)
TD_DETAIL_BINARY(%, remainder)
TD_DETAIL_BINARY(&, bitwise_and)
TD_DETAIL_BINARY(|, bitwise_or)
TD_DETAIL_BINARY(^, bitwise_xor)
TD_DETAIL_BINARY(<<, bitwise_left_shift)
TD_DETAIL_BINARY(>>, bitwise_right_shift)
TD_DETAIL_BINARY(<, less)
TD_DETAIL_BINARY(<=, less_equal)
TD_DETAIL_BINARY(>, greater)
TD_DETAIL_BINARY(>=, greater_equal)
#undef TD_DETAIL_BINARY

// C++ reverses == by itself, so that two forms with exact types keep array == array unambiguous.
inline Array operator==(const Array& a, const Array& b) { return equal(a, b); }
inline Array operator!=(const Array& a, const Array& b) { return not_equal(a, b); }
inline Array operator==(const Array& a, const Scalar& b) { return equal(a, b); }
inline Array operator!=(const Array& a, const Scalar& b) { return not_equal(a, b); }
inline Array operator==(const Scalar& a, const Array& b) { return equal(a, b); }
inline Array operator!=(const Scalar& a, const Array& b) { return not_equal(a, b); }

inline Array operator-(const Array& a) { return negative(a); }
inline Array operator-(Array&& a) { return negative(std::move(a)); }
inline Array operator+(const Array& a) { return positive(a); }
inline Array operator~(const Array& a) { return bitwise_invert(a); }
/// Logical not per element.
inline Array operator!(const Array& a) { return logical_not(a); }

}  // namespace tandem
