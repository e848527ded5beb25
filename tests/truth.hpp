// What every row of ops.def must give, computed another way than the library does: exact operations in the compute type
// by IEEE arithmetic and the C library, the others in long double, integers in 128 bits.
#pragma once

#include <quadmath.h>
#include <tandem/backend.h>

#include "../dispatch/program/accuracy.hpp"
#include "support.hpp"

namespace tandem::test {

/// An expected element. `exact`: every bit; otherwise within a budget of ULP, for complex of the modulus.
struct Expected {
  bool exact = true;
  __int128 whole = 0;  // bools and integers, to be wrapped to the dtype
  std::complex<long double> number = 0;
};
inline Expected whole(__int128 value) { return {true, value, 0}; }
inline Expected exactly(long double value) { return {true, 0, value}; }
inline Expected about(long double value) { return {false, 0, value}; }
inline Expected exactly(std::complex<long double> value) { return {true, 0, value}; }
inline Expected about(std::complex<long double> value) { return {false, 0, value}; }

/// Thrown for a row of ops.def that this file does not know.
[[noreturn]] inline void no_truth(td_op op) {
  throw std::logic_error("truth.hpp says nothing about operation " + std::to_string(op));
}

// ---- integers and bool ----

/// `x` holds the operands; `where` takes its condition from x[0].
template <class T>
Expected integer_truth(td_op op, const Stored<T>* x) {
  constexpr bool boolean = std::same_as<T, bool>;
  constexpr int bits = std::numeric_limits<T>::digits + std::numeric_limits<T>::is_signed;
  using Wide = __int128;
  const Wide a = x[0], b = x[1], c = x[2];
  const auto product = [](Wide p, Wide q) { return Wide((unsigned __int128)p * (unsigned __int128)q); };
  const bool outside = b < 0 || b >= bits;
  switch (op) {
    case TD_OP_add: return whole(boolean ? a | b : a + b);
    case TD_OP_subtract: return whole(a - b);
    case TD_OP_multiply: return whole(boolean ? a & b : product(a, b));
    case TD_OP_square: return whole(product(a, a));
    case TD_OP_floor_divide: return whole(b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0)));
    case TD_OP_remainder: return whole(b == 0 ? 0 : a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0));
    case TD_OP_fmod: return whole(b == 0 ? 0 : a % b);
    case TD_OP_pow: {
      Wide result = 1;
      T base = static_cast<T>(a);
      for (std::uint64_t e = static_cast<std::uint64_t>(b); e; e >>= 1) {
        if (e & 1) result = Wide(static_cast<T>(product(result, base)));
        base = static_cast<T>(product(base, base));
      }
      return whole(result);
    }
    case TD_OP_negative: return whole(-a);
    case TD_OP_abs: return whole(a < 0 ? -a : a);
    case TD_OP_sign: return whole((a > 0) - (a < 0));
    case TD_OP_clip: return whole(std::min(std::max(a, b), c));
    case TD_OP_maximum:
    case TD_OP_fmax: return whole(std::max(a, b));
    case TD_OP_minimum:
    case TD_OP_fmin: return whole(std::min(a, b));
    case TD_OP_positive:
    case TD_OP_floor:
    case TD_OP_ceil:
    case TD_OP_trunc:
    case TD_OP_rint:
    case TD_OP_real:
    case TD_OP_conj: return whole(a);
    case TD_OP_imag:
    case TD_OP_isnan:
    case TD_OP_isinf: return whole(0);
    case TD_OP_isfinite: return whole(1);
    case TD_OP_equal: return whole(a == b);
    case TD_OP_not_equal: return whole(a != b);
    case TD_OP_less: return whole(a < b);
    case TD_OP_less_equal: return whole(a <= b);
    case TD_OP_greater: return whole(a > b);
    case TD_OP_greater_equal: return whole(a >= b);
    case TD_OP_logical_and: return whole(a != 0 && b != 0);
    case TD_OP_logical_or: return whole(a != 0 || b != 0);
    case TD_OP_logical_xor: return whole((a != 0) != (b != 0));
    case TD_OP_logical_not: return whole(a == 0);
    case TD_OP_bitwise_and: return whole(a & b);
    case TD_OP_bitwise_or: return whole(a | b);
    case TD_OP_bitwise_xor: return whole(a ^ b);
    case TD_OP_bitwise_invert: return whole(boolean ? a == 0 : ~a);
    case TD_OP_bitwise_left_shift: return whole(outside ? 0 : Wide((unsigned __int128)a << int(b)));
    case TD_OP_bitwise_right_shift: return whole(outside ? (a < 0 ? -1 : 0) : a >> int(b));
    case TD_OP_where: return whole(a != 0 ? b : c);
    default: no_truth(op);
  }
}

// ---- real numbers ----

/// NumPy's floor division and remainder (npy_divmod in its npymath).
template <class F>
F floor_quotient(F a, F b) {
  if (b == 0) return a / b;
  const F modulus = std::fmod(a, b);
  F quotient = (a - modulus) / b;
  if (modulus != 0 && (b < 0) != (modulus < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(F(0), a / b);
  const F floored = std::floor(quotient);
  return quotient - floored > F(0.5) ? floored + 1 : floored;
}
template <class F>
F floor_remainder(F a, F b) {
  if (b == 0) return std::numeric_limits<F>::quiet_NaN();
  const F modulus = std::fmod(a, b);
  if (modulus == 0) return std::copysign(F(0), b);
  return (b < 0) != (modulus < 0) ? modulus + b : modulus;
}

/// The larger or smaller of two numbers: NaN if either is, +0 above -0.
template <class F>
F ordered(F a, F b, bool larger) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) == larger ? b : a;
  return (a > b) == larger ? a : b;
}

/// The neighbour of a towards b in the format of T.
template <class T>
long double neighbour(long double a, long double b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (a == b) return b;
  if constexpr (std::floating_point<T>) {
    return std::nextafter(static_cast<T>(a), static_cast<T>(b));
  } else {
    if (a == 0) return std::copysign(format_of<T>.smallest(), b);
    T next = element<T>(a);
    next.bits = static_cast<std::uint16_t>((a > 0) == (b > a) ? next.bits + 1 : next.bits - 1);
    return real_value(next);
  }
}

/// Where the terms cancel, which is where the result is near 0, in 113 bits.
inline long double log_sum(long double a, long double b, bool base2) {
  if (a == b && std::isinf(a)) return a;
  const long double larger = std::fmax(a, b), d = -std::fabs(a - b);
  if (std::isnan(a) || std::isnan(b)) return a + b;
  constexpr long double log2_e = 1.44269504088896340735992468100189214L;
  const long double sum = larger + (base2 ? std::log1p(std::exp2(d)) * log2_e : std::log1p(std::exp(d)));
  if (std::fabs(sum) > 0x1p-4L) return sum;
  const __float128 precise = -fabsq(__float128(a) - b);
  return static_cast<long double>(larger + (base2 ? log1pq(exp2q(precise)) / logq(2) : log1pq(expq(precise))));
}

/// The exact ones, in the compute type F of T.
template <class T, class F>
Expected exact_truth(td_op op, F a, F b, F c, F d) {
  switch (op) {
    case TD_OP_add: return exactly(a + b);
    case TD_OP_subtract: return exactly(a - b);
    case TD_OP_multiply: return exactly(a * b);
    case TD_OP_divide: return exactly(a / b);
    case TD_OP_floor_divide: return exactly(floor_quotient(a, b));
    case TD_OP_remainder: return exactly(floor_remainder(a, b));
    case TD_OP_fmod: return exactly(std::fmod(a, b));
    case TD_OP_negative: return exactly(-a);
    case TD_OP_abs: return exactly(std::fabs(a));
    case TD_OP_sign: return exactly(std::isnan(a) ? a : F((a > 0) - (a < 0)));
    case TD_OP_square: return exactly(a * a);
    case TD_OP_reciprocal: return exactly(F(1) / a);
    case TD_OP_fma: return exactly(std::fma(a, b, c));
    case TD_OP_clip: return exactly(ordered(ordered(a, b, true), c, false));
    case TD_OP_maximum: return exactly(ordered(a, b, true));
    case TD_OP_minimum: return exactly(ordered(a, b, false));
    case TD_OP_fmax: return exactly(std::isnan(a) ? b : std::isnan(b) ? a : ordered(a, b, true));
    case TD_OP_fmin: return exactly(std::isnan(a) ? b : std::isnan(b) ? a : ordered(a, b, false));
    case TD_OP_copysign: return exactly(std::copysign(a, b));
    case TD_OP_nextafter: return exactly(neighbour<T>(a, b));
    case TD_OP_floor: return exactly(std::floor(a));
    case TD_OP_ceil: return exactly(std::ceil(a));
    case TD_OP_trunc: return exactly(std::trunc(a));
    case TD_OP_rint: return exactly(std::nearbyint(a));
    case TD_OP_sqrt: return exactly(std::sqrt(a));
    case TD_OP_equal: return whole(a == b);
    case TD_OP_not_equal: return whole(a != b);
    case TD_OP_less: return whole(a < b);
    case TD_OP_less_equal: return whole(a <= b);
    case TD_OP_greater: return whole(a > b);
    case TD_OP_greater_equal: return whole(a >= b);
    case TD_OP_isclose: return whole((std::isfinite(b) && std::fabs(a - b) <= d + c * std::fabs(b)) || a == b);
    case TD_OP_isnan: return whole(std::isnan(a));
    case TD_OP_isinf: return whole(std::isinf(a));
    case TD_OP_isfinite: return whole(std::isfinite(a));
    case TD_OP_signbit: return whole(std::signbit(a));
    case TD_OP_logical_and: return whole(a != 0 && b != 0);
    case TD_OP_logical_or: return whole(a != 0 || b != 0);
    case TD_OP_logical_xor: return whole((a != 0) != (b != 0));
    case TD_OP_logical_not: return whole(a == 0);
    case TD_OP_where: return exactly(a != 0 ? b : c);
    case TD_OP_nan_to_num: return exactly(std::isnan(a) ? b : !std::isinf(a) ? a : a > 0 ? c : d);
    case TD_OP_positive:
    case TD_OP_real:
    case TD_OP_conj: return exactly(a);
    case TD_OP_imag: return exactly(0.0L);
    case TD_OP_make_complex: return exactly(std::complex<long double>(a, b));
    default: no_truth(op);
  }
}

/// Operations with a budget.
inline Expected budget_truth(td_op op, long double a, long double b) {
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  switch (op) {
    case TD_OP_pow: return about(std::pow(a, b));
    case TD_OP_hypot: return about(std::hypot(a, b));
    case TD_OP_cbrt: return about(std::cbrt(a));
    case TD_OP_exp: return about(std::exp(a));
    case TD_OP_exp2: return about(std::exp2(a));
    case TD_OP_expm1: return about(std::expm1(a));
    case TD_OP_log: return about(std::log(a));
    case TD_OP_log2: return about(std::log2(a));
    case TD_OP_log10: return about(std::log10(a));
    case TD_OP_log1p: return about(std::log1p(a));
    case TD_OP_logaddexp: return about(log_sum(a, b, false));
    case TD_OP_logaddexp2: return about(log_sum(a, b, true));
    case TD_OP_sin: return about(std::sin(a));
    case TD_OP_cos: return about(std::cos(a));
    case TD_OP_tan: return about(std::tan(a));
    case TD_OP_asin: return about(std::asin(a));
    case TD_OP_acos: return about(std::acos(a));
    case TD_OP_atan: return about(std::atan(a));
    case TD_OP_atan2: return about(std::atan2(a, b));
    case TD_OP_sinh: return about(std::sinh(a));
    case TD_OP_cosh: return about(std::cosh(a));
    case TD_OP_tanh: return about(std::tanh(a));
    case TD_OP_asinh: return about(std::asinh(a));
    case TD_OP_acosh: return about(std::acosh(a));
    case TD_OP_atanh: return about(std::atanh(a));
    case TD_OP_degrees: return about(a * (180 / pi));
    case TD_OP_radians: return about(a * (pi / 180));
    case TD_OP_erf: return about(std::erf(a));
    case TD_OP_erfc: return about(std::erfc(a));
    case TD_OP_lgamma: return about(std::lgamma(a));
    case TD_OP_tgamma:
      return about(a == -std::numeric_limits<long double>::infinity() ? std::nanl("") : std::tgamma(a));
    case TD_OP_angle: return about(std::atan2(0.0L, a));
    default: no_truth(op);
  }
}

template <class T>
Expected real_truth(td_op op, int budget, const T* x) {
  using F = std::conditional_t<std::same_as<T, double>, double, float>;
  const long double a = real_value(x[0]), b = real_value(x[1]), c = real_value(x[2]), d = real_value(x[3]);
  return budget == 0 ? exact_truth<T>(op, F(a), F(b), F(c), F(d)) : budget_truth(op, a, b);
}

// ---- complex numbers ----

template <class F>
Expected complex_truth(td_op op, const std::complex<F>* x) {
  using C = std::complex<F>;
  using W = std::complex<long double>;
  const C a = x[0], b = x[1], c = x[2], d = x[3];
  const W u(a), v(b);
  const auto product = [](C p, C q) {  // not p * q: that one recovers infinities
    return W(p.real() * q.real() - p.imag() * q.imag(), p.real() * q.imag() + p.imag() * q.real());
  };
  const auto has_nan = [](C z) { return std::isnan(z.real()) || std::isnan(z.imag()); };
  const auto below = [&](C p, C q) {
    if (has_nan(p) || has_nan(q)) return false;
    return p.real() != q.real() ? p.real() < q.real() : p.imag() < q.imag();
  };
  constexpr long double log_2 = 0.693147180559945309417232121458176568L;
  switch (op) {
    case TD_OP_add: return exactly(W(a.real() + b.real(), a.imag() + b.imag()));
    case TD_OP_subtract: return exactly(W(a.real() - b.real(), a.imag() - b.imag()));
    case TD_OP_multiply: return exactly(product(a, b));
    case TD_OP_square: return exactly(product(a, a));
    case TD_OP_divide: return about(u / v);
    case TD_OP_reciprocal: return about(1.0L / u);
    case TD_OP_pow: return about(std::pow(u, v));
    case TD_OP_negative: return exactly(-u);
    case TD_OP_positive: return exactly(u);
    case TD_OP_abs: return about(std::hypot(u.real(), u.imag()));
    case TD_OP_sign: return about(u == W(0) ? W(0) : u / std::abs(u));
    case TD_OP_maximum: return exactly(W(has_nan(a) ? a : has_nan(b) || below(a, b) ? b : a));
    case TD_OP_minimum: return exactly(W(has_nan(a) ? a : has_nan(b) || below(b, a) ? b : a));
    case TD_OP_fmax: return exactly(W(has_nan(a) || (!has_nan(b) && below(a, b)) ? b : a));
    case TD_OP_fmin: return exactly(W(has_nan(a) || (!has_nan(b) && below(b, a)) ? b : a));
    case TD_OP_rint: return exactly(W(std::nearbyint(a.real()), std::nearbyint(a.imag())));
    case TD_OP_sqrt: return about(std::sqrt(u));
    case TD_OP_exp: return about(std::exp(u));
    case TD_OP_exp2: return about(std::exp(u * log_2));
    case TD_OP_expm1: {
      const long double s = std::sin(u.imag() / 2);
      return about(W(std::expm1(u.real()) * std::cos(u.imag()) - 2 * s * s, std::exp(u.real()) * std::sin(u.imag())));
    }
    case TD_OP_log: return about(std::log(u));
    case TD_OP_log2: return about(std::log(u) / log_2);
    case TD_OP_log10: return about(std::log(u) / std::log(10.0L));
    case TD_OP_log1p: {
      const long double re = u.real(), im = u.imag();
      const long double modulus = std::abs(u) < 0.5L ? std::log1p(re * (2 + re) + im * im) / 2
                                                     : std::log(std::hypot(1 + re, im));
      return about(W(modulus, std::atan2(im, 1 + re)));
    }
    case TD_OP_sin: return about(std::sin(u));
    case TD_OP_cos: return about(std::cos(u));
    case TD_OP_tan: return about(std::tan(u));
    case TD_OP_asin: return about(std::asin(u));
    case TD_OP_acos: return about(std::acos(u));
    case TD_OP_atan: return about(std::atan(u));
    case TD_OP_sinh: return about(std::sinh(u));
    case TD_OP_cosh: return about(std::cosh(u));
    case TD_OP_tanh: return about(std::tanh(u));
    case TD_OP_asinh: return about(std::asinh(u));
    case TD_OP_acosh: return about(std::acosh(u));
    case TD_OP_atanh: return about(std::atanh(u));
    case TD_OP_equal: return whole(a == b);
    case TD_OP_not_equal: return whole(!(a == b));
    case TD_OP_less: return whole(below(a, b));
    case TD_OP_less_equal: return whole(below(a, b) || a == b);
    case TD_OP_greater: return whole(below(b, a));
    case TD_OP_greater_equal: return whole(below(b, a) || a == b);
    case TD_OP_isclose: return whole(std::abs(u - v) <= d.real() + c.real() * std::abs(v) || a == b);
    case TD_OP_isnan: return whole(has_nan(a));
    case TD_OP_isinf: return whole(std::isinf(a.real()) || std::isinf(a.imag()));
    case TD_OP_isfinite: return whole(std::isfinite(a.real()) && std::isfinite(a.imag()));
    case TD_OP_logical_and: return whole(a != C(0) && b != C(0));
    case TD_OP_logical_or: return whole(a != C(0) || b != C(0));
    case TD_OP_logical_xor: return whole((a != C(0)) != (b != C(0)));
    case TD_OP_logical_not: return whole(a == C(0));
    case TD_OP_where: return exactly(W(a != C(0) ? b : c));
    case TD_OP_real: return exactly(static_cast<long double>(a.real()));
    case TD_OP_imag: return exactly(static_cast<long double>(a.imag()));
    case TD_OP_conj: return exactly(std::conj(u));
    case TD_OP_angle: return about(std::atan2(u.imag(), u.real()));
    default: no_truth(op);
  }
}

template <class T>
Expected truth(td_op op, int budget, const Stored<T>* x) {
  if constexpr (is_complex_v<T>) return complex_truth(op, x);
  else if constexpr (is_real_v<T>) return real_truth(op, budget, x);
  else return integer_truth<T>(op, x);
}

// ---- comparison ----

/// How far `got` of dtype R is from what is expected, in ULP: for a complex number of its modulus, infinite where every
/// bit is expected and one differs.
template <class R>
double error_in_ulp(const Stored<R>& got, const Expected& expected) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const std::complex<long double> w = expected.number;
  if constexpr (is_complex_v<R>) {
    using F = typename R::value_type;
    if (expected.exact)
      return same_bits<R>(got, R(static_cast<F>(w.real()), static_cast<F>(w.imag()))) ? 0 : infinite;
    const long double distance = std::abs(std::complex<long double>(got) - w) / unit(format_of<R>, std::abs(w));
    return std::isnan(distance) ? infinite : static_cast<double>(distance);
  } else if constexpr (is_real_v<R>) {
    const long double truth = w.real(), g = real_value(got);
    if (expected.exact) return same_bits<R>(got, element<R>(truth)) ? 0 : infinite;
    if (g == 0 && truth == 0 && std::signbit(g) != std::signbit(truth)) return infinite;
    return ulp_error(format_of<R>, g, truth);
  } else if constexpr (std::same_as<R, bool>) {
    return got == (expected.whole != 0) ? 0 : infinite;
  } else {
    return got == static_cast<R>(expected.whole) ? 0 : infinite;
  }
}

/// The largest error_in_ulp that an operation may have.
template <class R>
double allowed_error(const Expected& expected, td_op op) {
  return expected.exact ? 0 : tandem::detail::error_budget(op, dtype_of_v<R>);
}

template <class R>
bool agrees(const Stored<R>& got, const Expected& expected, td_op op) {
  return error_in_ulp<R>(got, expected) <= allowed_error<R>(expected, op);
}

}  // namespace tandem::test
