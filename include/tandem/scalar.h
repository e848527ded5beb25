/* The formulas behind ops.def: what every operation does to one element, in the common subset of C++ and CUDA C++.
 *
 * Backends compile this text with the host compiler, once per instruction set, and with NVRTC. It includes nothing: on
 * the host the C math functions (expf, exp, ...) must have been declared before, by math.h or, with vector variants, by
 * backends/cpu/libm.hpp; under CUDA they are built in. Everything has internal linkage, so that one library may hold
 * several builds.
 *
 * Conventions
 *  - float16 and bfloat16 are stored as bits and computed in float: compute_t<T> is float for them, else T itself.
 *  - Nothing here is undefined or traps, and values are selected instead of branched upon, so that loops over these
 *    functions vectorize: given -fno-trapping-math -fno-math-errno, and bools that are loaded as bytes and compared
 *    with 0. Selections choose arguments of calls rather than results where a call could move into a branch.
 *  - Where the budget of ops.def is 0, only + - * / sqrt fma, integers and conversions are used: such results have the
 *    same bits everywhere, given that a * b + c is never contracted.
 *  - Complex functions have the branch cuts, signed zeros and special values of C99's annex G.
 */
#ifndef TANDEM_SCALAR_H
#define TANDEM_SCALAR_H

#ifndef TD_FN
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define TD_FN static __device__ __forceinline__
#else
#define TD_FN static inline __attribute__((always_inline))
#endif
#endif

/* g++ 12 and 13 turn vectors of pairs like (a*b - c*d, a*b + c*d) into vfmaddsub even under -ffp-contract=off; the
 * barrier keeps the products rounded. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#define TD_ROUNDED(product) __builtin_assoc_barrier(product)
#else
#define TD_ROUNDED(product) (product)
#endif

namespace tandem {
namespace scalar {

typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef float f32;
typedef double f64;

struct f16 {
  u16 bits;
};
struct bf16 {
  u16 bits;
};

template <class F>
struct complex {
  F re, im;
};
typedef complex<f32> c64;
typedef complex<f64> c128;

// ---- types ------------------------------------------------------------------------------------------------------

enum Kind { boolean_kind, integer_kind, half_kind, float_kind, complex_kind };

// compute: what T is computed in; real: T without its imaginary part; wide: unsigned, at least as wide as int, so that
// arithmetic in it wraps.
template <Kind kind_, bool is_signed_, int bits_, class Compute, class Real, class Wide>
struct TraitsOf {
  static constexpr Kind kind = kind_;
  static constexpr bool is_signed = is_signed_;
  static constexpr int bits = bits_;
  typedef Compute compute;
  typedef Real real;
  typedef Wide wide;
};
template <class T>
struct Traits;
template <> struct Traits<bool> : TraitsOf<boolean_kind, false, 1, bool, bool, u32> {};
template <> struct Traits<i8> : TraitsOf<integer_kind, true, 8, i8, i8, u32> {};
template <> struct Traits<i16> : TraitsOf<integer_kind, true, 16, i16, i16, u32> {};
template <> struct Traits<i32> : TraitsOf<integer_kind, true, 32, i32, i32, u32> {};
template <> struct Traits<i64> : TraitsOf<integer_kind, true, 64, i64, i64, u64> {};
template <> struct Traits<u8> : TraitsOf<integer_kind, false, 8, u8, u8, u32> {};
template <> struct Traits<u16> : TraitsOf<integer_kind, false, 16, u16, u16, u32> {};
template <> struct Traits<u32> : TraitsOf<integer_kind, false, 32, u32, u32, u32> {};
template <> struct Traits<u64> : TraitsOf<integer_kind, false, 64, u64, u64, u64> {};
template <> struct Traits<f16> : TraitsOf<half_kind, true, 16, f32, f16, u32> {};
template <> struct Traits<bf16> : TraitsOf<half_kind, true, 16, f32, bf16, u32> {};
template <> struct Traits<f32> : TraitsOf<float_kind, true, 32, f32, f32, u32> {};
template <> struct Traits<f64> : TraitsOf<float_kind, true, 64, f64, f64, u64> {};
template <> struct Traits<c64> : TraitsOf<complex_kind, true, 64, c64, f32, u64> {};
template <> struct Traits<c128> : TraitsOf<complex_kind, true, 128, c128, f64, u64> {};

template <class T>
using compute_t = typename Traits<T>::compute;
template <class T>
using real_t = typename Traits<T>::real;
template <class T>
using wide_t = typename Traits<T>::wide;

template <class T, class U>
struct Same {
  static constexpr bool value = false;
};
template <class T>
struct Same<T, T> {
  static constexpr bool value = true;
};
template <class T, class U>
constexpr bool is_same = Same<T, U>::value;
template <class T>
constexpr bool is_boolean = Traits<T>::kind == boolean_kind;
template <class T>
constexpr bool is_integer = Traits<T>::kind == integer_kind;
template <class T>
constexpr bool is_float = Traits<T>::kind == float_kind;
template <class T>
constexpr bool is_complex = Traits<T>::kind == complex_kind;
template <class T>
constexpr bool is_signed_integer = is_integer<T> && Traits<T>::is_signed;

// ---- bits -------------------------------------------------------------------------------------------------------

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
TD_FN u32 bits_of(f32 x) { return __float_as_uint(x); }
TD_FN u64 bits_of(f64 x) { return (u64)__double_as_longlong(x); }
TD_FN f32 from_bits(u32 x) { return __uint_as_float(x); }
TD_FN f64 from_bits(u64 x) { return __longlong_as_double((long long)x); }
#else
TD_FN u32 bits_of(f32 x) { return __builtin_bit_cast(u32, x); }
TD_FN u64 bits_of(f64 x) { return __builtin_bit_cast(u64, x); }
TD_FN f32 from_bits(u32 x) { return __builtin_bit_cast(f32, x); }
TD_FN f64 from_bits(u64 x) { return __builtin_bit_cast(f64, x); }
#endif

template <class F>
TD_FN F infinity() {
  if constexpr (is_same<F, f32>) return from_bits(0x7f800000u);
  else return from_bits(0x7ff0000000000000ul);
}
template <class F>
TD_FN F not_a_number() {
  if constexpr (is_same<F, f32>) return from_bits(0x7fc00000u);
  else return from_bits(0x7ff8000000000000ul);
}

// ---- casts ------------------------------------------------------------------------------------------------------

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
// Instructions of the processor; the one that widens loses the sign of a NaN.
TD_FN f32 widen(f16 x) {
  f32 wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
  return from_bits((bits_of(wide) & 0x7fffffffu) | (u32)(x.bits & 0x8000u) << 16);
}
TD_FN f16 narrow_f16(f32 x) {
  f16 narrow;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(x));
  return narrow;
}
TD_FN bf16 narrow_bf16(f32 x) {
  bf16 narrow;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(x));
  return narrow;
}
#else
// Bits of a half and float: a subnormal half is an integer number of units, so it is put under an exponent whose last
// place is that unit, and the exponent subtracted again; and the other way round, which rounds to nearest even.
TD_FN f32 widen(f16 x) {
  const u32 magnitude = x.bits & 0x7fffu, sign = (u32)(x.bits & 0x8000u) << 16;
  const u32 subnormal = bits_of(from_bits(0x3f000000u + magnitude) - 0.5f);
  const u32 normal = (magnitude << 13) + (magnitude < 0x7c00u ? 112u << 23 : 224u << 23);
  return from_bits((magnitude < 0x0400u ? subnormal : normal) | sign);
}

TD_FN f16 narrow_f16(f32 x) {
  const u32 bits = bits_of(x), magnitude = bits & 0x7fffffffu;
  const u32 subnormal = bits_of(from_bits(magnitude) + 0.5f) - 0x3f000000u;
  const u32 normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const u32 finite = magnitude < 0x38800000u ? subnormal : normal;
  const u32 large = magnitude > 0x7f800000u ? 0x7e00u | (magnitude >> 13 & 0x3ffu) : 0x7c00u;
  return f16{(u16)((magnitude < 0x47800000u ? finite : large) | (bits >> 16 & 0x8000u))};
}
TD_FN bf16 narrow_bf16(f32 x) {
  const u32 bits = bits_of(x);
  const u32 rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return bf16{(u16)((bits & 0x7fffffffu) > 0x7f800000u ? bits >> 16 | 0x40u : rounded)};
}
#endif
TD_FN f32 widen(bf16 x) { return from_bits((u32)x.bits << 16); }

// x cut to float, with an odd last bit if anything was cut off: rounding that once more to at most 22 bits equals
// rounding x itself (Boldo and Melquiond, Emulation of a FMA and correctly rounded sums, 2008).
TD_FN f32 round_to_odd(f64 x) {
  const f64 size = from_bits(bits_of(x) & 0x7ffffffffffffffful);
  const f32 nearest = (f32)size;
  const u32 cut = bits_of(nearest) - ((f64)nearest > size ? 1u : 0u);
  const u32 odd = (f64)nearest == size ? cut : cut | 1u;
  return from_bits(odd | (u32)(bits_of(x) >> 32 & 0x80000000u));
}

// 64-bit integers and f64. Vectors have no instructions for them before AVX-512, so integers come in two halves: put on
// top of 2^84 and 2^52, of which only the last addition rounds, and the other way round for whole numbers in range.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__) || defined(__AVX512DQ__)
TD_FN f64 to_f64(u64 x) { return (f64)x; }
TD_FN f64 to_f64(i64 x) { return (f64)x; }
template <class T>
TD_FN T whole_to_integer(f64 x) {
  return (T)x;
}
#else
TD_FN f64 to_f64(u64 x) {
  const f64 high = from_bits((x >> 32) | 0x4530000000000000ul) - 0x1.00000001p84;
  return high + from_bits((x & 0xfffffffful) | 0x4330000000000000ul);
}
TD_FN f64 to_f64(i64 x) {
  const u64 shifted = (u64)x ^ 0x8000000000000000ul;
  const f64 high = from_bits((shifted >> 32) | 0x4530000000000000ul) - 0x1.00000801p84;
  return high + from_bits((shifted & 0xfffffffful) | 0x4330000000000000ul);
}
template <class T>
TD_FN T whole_to_integer(f64 x) {
  const f64 high = ::floor(x * 0x1p-32), low = x - high * 0x1p32;
  return (T)((bits_of(high + 0x1.8p52) << 32) | (bits_of(low + 0x1p52) & 0xfffffffful));
}
#endif

// x as f64 that rounds to fewer digits as x does: of 64-bit integers that f64 cannot hold, the bits that decide nothing
// but the direction are merged into one.
template <class T>
TD_FN f64 sticky_f64(T x) {
  if constexpr (sizeof(T) == 8) {
    const T kept = (T)(((u64)x & ~0xffful) | (((u64)x & 0xffful) != 0ul ? 0x800ul : 0ul));
    const bool large = (x >= (T)(1ul << 53)) | (Traits<T>::is_signed & (x <= (T)-(1ul << 53)));
    return to_f64(large ? kept : x);
  } else {
    return (f64)x;
  }
}

template <class T>
TD_FN T highest_integer() {
  return (T)(~(wide_t<T>)0 >> (8 * sizeof(wide_t<T>) - Traits<T>::bits + (Traits<T>::is_signed ? 1 : 0)));
}
template <class T>
TD_FN T lowest_integer() {
  return Traits<T>::is_signed ? (T)~highest_integer<T>() : (T)0;
}

// Float to integer: truncated, saturated, NaN to 0.
template <class To, class F>
TD_FN To saturate(F x) {
  if constexpr (sizeof(To) < 4) {
    const F low = (F)lowest_integer<To>(), high = (F)highest_integer<To>();
    const F above = x < low ? low : x;
    const F inside = above > high ? high : above;
    return (To)(i32)(x == x ? inside : (F)0);
  } else {
    const F limit = (F)(1ul << (Traits<To>::bits - 1)) * (Traits<To>::is_signed ? (F)1 : (F)2);
    const F low = Traits<To>::is_signed ? -limit : (F)0;
    const F inside = (x >= low) & (x < limit) ? x : (F)0;
    To whole;
    if constexpr (sizeof(To) == 8) whole = whole_to_integer<To>(::trunc((f64)inside));
    else whole = (To)inside;
    const To capped = x >= limit ? highest_integer<To>() : whole;
    return x < low ? lowest_integer<To>() : capped;
  }
}

// Any dtype to any other. To bool: whether x is not zero. Floats to integers truncate and saturate, NaN gives 0;
// integers wrap; to a float: rounded once, to nearest even. Complex to real takes the real part.
template <class To, class From>
TD_FN To cast(From x) {
  if constexpr (is_same<To, From>) {
    return x;
  } else if constexpr (is_complex<To>) {
    if constexpr (is_complex<From>) return To{(real_t<To>)x.re, (real_t<To>)x.im};
    else return To{cast<real_t<To>>(x), 0};
  } else if constexpr (is_complex<From>) {
    if constexpr (is_boolean<To>) return (x.re != 0) | (x.im != 0);
    else return cast<To>(x.re);
  } else if constexpr (Traits<From>::kind == half_kind) {
    if constexpr (is_boolean<To>) return (x.bits & 0x7fffu) != 0u;
    else return cast<To>(widen(x));
  } else if constexpr (is_boolean<To>) {
    return x != 0;
  } else if constexpr (is_same<To, f16>) {
    if constexpr (is_same<From, f64>) return narrow_f16(round_to_odd(x));
    else if constexpr (is_integer<From> && sizeof(From) == 8) return narrow_f16((f32)sticky_f64(x));
    else return narrow_f16((f32)x);
  } else if constexpr (is_same<To, bf16>) {
    if constexpr (is_same<From, f64>) return narrow_bf16(round_to_odd(x));
    else if constexpr (is_integer<From> && sizeof(From) >= 4) return narrow_bf16(round_to_odd(sticky_f64(x)));
    else return narrow_bf16((f32)x);
  } else if constexpr (is_integer<To> && is_float<From>) {
    return saturate<To>(x);
  } else if constexpr (is_boolean<From>) {
    return x ? (To)1 : (To)0;
  } else if constexpr (is_same<To, f64> && is_integer<From> && sizeof(From) == 8) {
    return to_f64(x);
  } else {
    return (To)x;
  }
}

// ---- constants --------------------------------------------------------------------------------------------------

// `value` in the type of the first argument.
template <class T>
TD_FN T constant(T, f64 value) {
  return cast<T>(value);
}
template <class T>
TD_FN T one() {
  return cast<T>(true);
}
// What leaves every x as it is in x + negative_zero: -0.0, or 0.
template <class T>
TD_FN T negative_zero() {
  if constexpr (is_complex<T>) return T{-(real_t<T>)0, -(real_t<T>)0};
  else return cast<T>(-0.0);
}
// The identities of maximum and minimum.
template <class T>
TD_FN T lowest() {
  if constexpr (is_complex<T>) return T{-infinity<real_t<T>>(), -infinity<real_t<T>>()};
  else if constexpr (is_boolean<T>) return false;
  else if constexpr (is_integer<T>) return lowest_integer<T>();
  else return cast<T>(-infinity<compute_t<T>>());
}
template <class T>
TD_FN T highest() {
  if constexpr (is_complex<T>) return T{infinity<real_t<T>>(), infinity<real_t<T>>()};
  else if constexpr (is_boolean<T>) return true;
  else if constexpr (is_integer<T>) return highest_integer<T>();
  else return cast<T>(infinity<compute_t<T>>());
}

// ---- functions of the C library ---------------------------------------------------------------------------------

#define TD_UNARY(name)                          \
  TD_FN f32 name(f32 x) { return ::name##f(x); } \
  TD_FN f64 name(f64 x) { return ::name(x); }
#define TD_BINARY(name)                                   \
  TD_FN f32 name(f32 x, f32 y) { return ::name##f(x, y); } \
  TD_FN f64 name(f64 x, f64 y) { return ::name(x, y); }
TD_UNARY(sqrt)
TD_UNARY(cbrt)
TD_UNARY(exp)
TD_UNARY(exp2)
TD_UNARY(expm1)
TD_UNARY(log)
TD_UNARY(log2)
TD_UNARY(log10)
TD_UNARY(log1p)
TD_UNARY(sin)
TD_UNARY(cos)
TD_UNARY(tan)
TD_UNARY(asin)
TD_UNARY(acos)
TD_UNARY(atan)
TD_UNARY(sinh)
TD_UNARY(cosh)
TD_UNARY(tanh)
TD_UNARY(asinh)
TD_UNARY(acosh)
TD_UNARY(atanh)
TD_UNARY(erf)
TD_UNARY(erfc)
TD_UNARY(tgamma)
TD_BINARY(pow)
TD_BINARY(atan2)
TD_BINARY(copysign)
TD_BINARY(fmod)
#undef TD_UNARY
#undef TD_BINARY

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
TD_FN f32 lgamma(f32 x) { return ::lgammaf(x); }
TD_FN f64 lgamma(f64 x) { return ::lgamma(x); }
#else
// lgamma itself writes the sign to a global variable.
TD_FN f32 lgamma(f32 x) {
  int sign;
  return ::lgammaf_r(x, &sign);
}
TD_FN f64 lgamma(f64 x) {
  int sign;
  return ::lgamma_r(x, &sign);
}
#endif

TD_FN f32 fma(f32 a, f32 b, f32 c) { return ::fmaf(a, b, c); }
TD_FN f64 fma(f64 a, f64 b, f64 c) { return ::fma(a, b, c); }

TD_FN f32 floor(f32 x) { return ::floorf(x); }
TD_FN f64 floor(f64 x) { return ::floor(x); }
TD_FN f32 ceil(f32 x) { return ::ceilf(x); }
TD_FN f64 ceil(f64 x) { return ::ceil(x); }
TD_FN f32 trunc(f32 x) { return ::truncf(x); }
TD_FN f64 trunc(f64 x) { return ::trunc(x); }
TD_FN f32 rint(f32 x) { return ::rintf(x); }
TD_FN f64 rint(f64 x) { return ::rint(x); }
// Integers and bool are whole.
template <class T>
TD_FN T floor(T x) {
  return x;
}
template <class T>
TD_FN T ceil(T x) {
  return x;
}
template <class T>
TD_FN T trunc(T x) {
  return x;
}
template <class T>
TD_FN T rint(T x) {
  return x;
}

// ---- arithmetic -------------------------------------------------------------------------------------------------

template <class T>
TD_FN T add(T a, T b) {
  if constexpr (is_boolean<T>) return a | b;
  else if constexpr (is_integer<T>) return (T)((wide_t<T>)a + (wide_t<T>)b);
  else if constexpr (is_complex<T>) return T{a.re + b.re, a.im + b.im};
  else return a + b;
}
template <class T>
TD_FN T subtract(T a, T b) {
  if constexpr (is_integer<T>) return (T)((wide_t<T>)a - (wide_t<T>)b);
  else if constexpr (is_complex<T>) return T{a.re - b.re, a.im - b.im};
  else return a - b;
}
template <class T>
TD_FN T multiply(T a, T b) {
  if constexpr (is_boolean<T>) return a & b;
  else if constexpr (is_integer<T>) return (T)((wide_t<T>)a * (wide_t<T>)b);
  else if constexpr (is_complex<T>)
    return T{TD_ROUNDED(a.re * b.re) - TD_ROUNDED(a.im * b.im), TD_ROUNDED(a.re * b.im) + TD_ROUNDED(a.im * b.re)};
  else return a * b;
}
template <class T>
TD_FN T negative(T a) {
  if constexpr (is_integer<T>) return (T)(0 - (wide_t<T>)a);
  else if constexpr (is_complex<T>) return T{-a.re, -a.im};
  else return -a;
}

// Powers of two that keep what is done to numbers of a certain size away from overflow and underflow: multiply by
// `down` before, by `up` after. Large numbers are multiplied by `little`, small ones by `big`.
template <class F>
struct Scale {
  F down, up;
};
template <class F>
TD_FN Scale<F> scale_for(F size, F little, F big) {
  constexpr bool narrow = is_same<F, f32>;
  const bool large = size > (narrow ? (F)0x1p60 : (F)0x1p500), small = size < (narrow ? (F)0x1p-45 : (F)0x1p-400);
  return Scale<F>{large ? little : small ? big : (F)1, large ? 1 / little : small ? 1 / big : (F)1};
}
// For products and quotients, and for sums of squares.
template <class F>
TD_FN Scale<F> scale_quotient(F size) {
  if constexpr (is_same<F, f32>) return scale_for(size, 0x1p-60f, 0x1p60f);
  else return scale_for(size, 0x1p-500, 0x1p500);
}
template <class F>
TD_FN Scale<F> scale_squares(F size) {
  if constexpr (is_same<F, f32>) return scale_for(size, 0x1p-80f, 0x1p100f);
  else return scale_for(size, 0x1p-600, 0x1p600);
}
// The larger of |x| and |y|.
template <class F>
TD_FN F size_of(F x, F y) {
  const F a = copysign(x, (F)1), b = copysign(y, (F)1);
  return a > b ? a : b;
}

// Complex: Smith's method (Algorithm 116, CACM 1962) in the arrangement of NumPy's loops, whose bits it gives for
// numbers of moderate size; others are scaled.
template <class T>
TD_FN T divide(T a, T b) {
  if constexpr (is_complex<T>) {
    typedef real_t<T> F;
    const Scale<F> above = scale_quotient(size_of(a.re, a.im)), below = scale_quotient(size_of(b.re, b.im));
    const F p = a.re * above.down, q = a.im * above.down, x = b.re * below.down, y = b.im * below.down;
    const bool upright = copysign(x, (F)1) >= copysign(y, (F)1);
    const F ratio = upright ? y / x : x / y;
    const F inverse = 1 / (upright ? x + y * ratio : y + x * ratio), factor = above.up * below.down;
    const F re = ((upright ? p : q) + TD_ROUNDED((upright ? q : p) * ratio)) * inverse * factor;
    const F im = (upright ? q - TD_ROUNDED(p * ratio) : TD_ROUNDED(q * ratio) - p) * inverse * factor;
    const bool zero = (b.re == 0) & (b.im == 0);
    return T{zero ? a.re / copysign(b.re, (F)1) : re, zero ? a.im / copysign(b.re, (F)1) : im};
  } else {
    return a / b;
  }
}
template <class T>
TD_FN T reciprocal(T a) {
  return divide(one<T>(), a);
}

// What integer division by b really divides by: never 0, nor -1, which overflows.
template <class T>
TD_FN T safe_divisor(T b) {
  return (b == 0) | (Traits<T>::is_signed & (b == (T)-1)) ? (T)1 : b;
}
// a / b of integers, truncated, for a safe b. Processors have vector divisions for floats only, and these are exact
// here: a quotient that is not whole differs from a whole number by more than its rounding.
template <class T>
TD_FN T quotient(T a, T b) {
#if !(defined(__CUDACC__) || defined(__CUDACC_RTC__))
  if constexpr (sizeof(T) < 4) return (T)(i32)((f32)a / (f32)b);
  else if constexpr (sizeof(T) == 4) return (T)((f64)a / (f64)b);
  else
#endif
    return (T)(a / b);
}

template <class T>
TD_FN bool differ_in_sign(T a, T b) {
  if constexpr (Traits<T>::is_signed) return (a < 0) != (b < 0);
  else return false;
}

// Integers: C's remainder, with the sign of a; 0 for b = 0.
template <class T>
TD_FN T fmod(T a, T b) {
  const T divisor = safe_divisor(b);
  return divisor == b ? subtract(a, multiply(quotient(a, divisor), divisor)) : (T)0;
}
template <class T>
TD_FN T remainder(T a, T b) {
  if constexpr (is_integer<T>) {
    const T r = fmod(a, b);
    return (r != 0) & differ_in_sign(r, b) ? (T)(r + b) : r;
  } else {  // as npy_divmod in NumPy's npymath
    const T r = fmod(a, b);
    const T shifted = differ_in_sign(r, b) ? r + b : r;
    return r == 0 ? copysign((T)0, b) : shifted;
  }
}
template <class T>
TD_FN T floor_divide(T a, T b) {
  if constexpr (is_integer<T>) {
    const T divisor = safe_divisor(b);
    const T q = quotient(a, divisor);
    const T r = subtract(a, multiply(q, divisor));
    const T floored = (r != 0) & differ_in_sign(r, divisor) ? (T)(q - 1) : q;
    return divisor == b ? floored : b == 0 ? (T)0 : negative(a);
  } else {  // as npy_divmod in NumPy's npymath
    const T r = fmod(a, b);
    const T q = (a - r) / b - ((r != 0) & differ_in_sign(r, b) ? (T)1 : (T)0);
    const T whole = floor(q);
    const T nearest = q - whole > (T)0.5 ? whole + (T)1 : whole;
    return b == 0 ? a / b : q == 0 ? copysign((T)0, a / b) : nearest;
  }
}

// Integers: by squaring, wrapping; the core refuses negative powers.
template <class T>
TD_FN T pow(T a, T b) {
  wide_t<T> result = 1, base = (wide_t<T>)a;
  for (wide_t<T> power = (wide_t<T>)b; power != 0; power >>= 1) {
    result *= power & 1 ? base : 1;
    base *= base;
  }
  return (T)result;
}

template <class T>
TD_FN T abs(T a) {
  if constexpr (is_float<T>) return copysign(a, (T)1);
  else if constexpr (is_signed_integer<T>) return a < 0 ? negative(a) : a;
  else return a;
}
template <class T>
TD_FN T sign(T a) {
  if constexpr (is_float<T>) return a != a ? a : (T)(a > 0) - (T)(a < 0);
  else if constexpr (Traits<T>::is_signed) return (T)((a > 0) - (a < 0));
  else return (T)(a != 0);
}

// ---- order ------------------------------------------------------------------------------------------------------

template <class T>
TD_FN bool isnan(T a) {
  if constexpr (is_complex<T>) return (a.re != a.re) | (a.im != a.im);
  else if constexpr (is_float<T>) return a != a;
  else return false;
}
template <class T>
TD_FN bool isinf(T a) {
  if constexpr (is_complex<T>) return isinf(a.re) | isinf(a.im);
  else if constexpr (is_float<T>) return abs(a) == infinity<T>();
  else return false;
}
template <class T>
TD_FN bool isfinite(T a) {
  if constexpr (is_complex<T>) return isfinite(a.re) & isfinite(a.im);
  else if constexpr (is_float<T>) return abs(a) < infinity<T>();
  else return true;
}
TD_FN bool signbit(f32 a) { return bits_of(a) >> 31 != 0; }
TD_FN bool signbit(f64 a) { return bits_of(a) >> 63 != 0; }

template <class T>
TD_FN bool nonzero(T a) {
  return cast<bool>(a);
}

// Complex numbers compare by real part, then imaginary part; any NaN makes a comparison false.
template <class T>
TD_FN bool equal(T a, T b) {
  if constexpr (is_complex<T>) return (a.re == b.re) & (a.im == b.im);
  else return a == b;
}
template <class T>
TD_FN bool less(T a, T b) {
  if constexpr (is_complex<T>)
    return ((a.re < b.re) & (a.im == a.im) & (b.im == b.im)) | ((a.re == b.re) & (a.im < b.im));
  else return a < b;
}
template <class T>
TD_FN bool less_equal(T a, T b) {
  if constexpr (is_complex<T>)
    return ((a.re < b.re) & (a.im == a.im) & (b.im == b.im)) | ((a.re == b.re) & (a.im <= b.im));
  else return a <= b;
}

// condition ? a : b in a form that vectorizes for complex numbers too.
template <class T>
TD_FN T select(bool condition, T a, T b) {
  if constexpr (is_complex<T>) return T{condition ? a.re : b.re, condition ? a.im : b.im};
  else return condition ? a : b;
}

// The same, done on the bits. The compiler cannot move the computation of an operand into a branch here, as it does
// with selections, and loops do not vectorize if it does that to a call.
TD_FN f32 blend(bool condition, f32 a, f32 b) {
  const u32 mask = condition ? ~0u : 0u;
  return from_bits((bits_of(a) & mask) | (bits_of(b) & ~mask));
}
TD_FN f64 blend(bool condition, f64 a, f64 b) {
  const u64 mask = condition ? ~0ul : 0ul;
  return from_bits((bits_of(a) & mask) | (bits_of(b) & ~mask));
}

// NaN if either is, the first if both are. Equal floats can differ in the sign of zero only, and their bits combine.
template <class T>
TD_FN T maximum(T a, T b) {
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
  if constexpr (is_same<T, f32>) {
    T result;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  } else
#endif
  if constexpr (is_float<T>) {
    const T other = a == b ? from_bits(bits_of(a) & bits_of(b)) : b;
    const T larger = a > b ? a : other;
    return a != a ? a : larger;
  } else {
    return select(less(a, b) | (isnan(b) & !isnan(a)), b, a);
  }
}
template <class T>
TD_FN T minimum(T a, T b) {
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
  if constexpr (is_same<T, f32>) {
    T result;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  } else
#endif
  if constexpr (is_float<T>) {
    const T other = a == b ? from_bits(bits_of(a) | bits_of(b)) : b;
    const T smaller = a < b ? a : other;
    return a != a ? a : smaller;
  } else {
    return select(less(b, a) | (isnan(b) & !isnan(a)), b, a);
  }
}
// The other one if one is NaN, the first if both are.
template <class T>
TD_FN T fmax(T a, T b) {
  return select(isnan(b), a, select(isnan(a), b, maximum(a, b)));
}
template <class T>
TD_FN T fmin(T a, T b) {
  return select(isnan(b), a, select(isnan(a), b, minimum(a, b)));
}

// ---- floats -----------------------------------------------------------------------------------------------------

// The number after the bits `a` (of magnitude `size`) in the direction of b.
template <class Bits>
TD_FN Bits next_bits(Bits a, Bits size, Bits sign_bit, bool upwards) {
  const bool grows = upwards == ((a & sign_bit) == 0);
  const Bits next = (Bits)(grows ? a + 1 : a - 1);
  return size == 0 ? (Bits)(upwards ? 1 : sign_bit | 1) : next;
}
// The next number of dtype T after a towards b; both come as T is computed in.
template <class T>
TD_FN compute_t<T> nextafter(compute_t<T> a, compute_t<T> b) {
  compute_t<T> next;
  if constexpr (is_same<T, f32>) {
    next = from_bits(next_bits(bits_of(a), bits_of(a) & 0x7fffffffu, 0x80000000u, b > a));
  } else if constexpr (is_same<T, f64>) {
    next = from_bits(next_bits(bits_of(a), bits_of(a) & 0x7ffffffffffffffful, 0x8000000000000000ul, b > a));
  } else {
    const u16 bits = cast<T>(a).bits;
    next = widen(T{next_bits<u16>(bits, (u16)(bits & 0x7fffu), 0x8000u, b > a)});
  }
  return a == b ? b : (a != a) | (b != b) ? a + b : next;
}

// sqrt(x*x + y*y) within 1.3 ULP, infinite if either is. Needs nothing but exact operations.
template <class F>
TD_FN F hypot(F x, F y) {
  const Scale<F> scale = scale_squares(size_of(x, y));
  const F p = x * scale.down, q = y * scale.down;
  const F length = sqrt(p * p + q * q) * scale.up;
  return isinf(x) | isinf(y) ? infinity<F>() : length;
}

// A value in two parts that is more precise than its type.
template <class F>
struct Pair {
  F high, low;
};
template <class F>
TD_FN Pair<F> exact_sum(F a, F b) {  // Knuth, The Art of Computer Programming 2, 4.2.2
  const F sum = a + b, part = sum - a;
  return Pair<F>{sum, (a - (sum - part)) + (b - part)};
}
// T. J. Dekker, A floating-point technique for extending the available precision, 1971.
template <class F>
TD_FN Pair<F> exact_product(F a, F b) {
  constexpr F splitter = is_same<F, f32> ? (F)4097 : (F)134217729;
  const F a_shifted = a * splitter, b_shifted = b * splitter;
  const F a_high = a_shifted - (a_shifted - a), b_high = b_shifted - (b_shifted - b);
  const F a_low = a - a_high, b_low = b - b_high, product = a * b;
  return Pair<F>{product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

// The product, and value + a * b, to about twice the digits of F.
template <class F>
TD_FN Pair<F> product(Pair<F> a, Pair<F> b) {
  const Pair<F> p = exact_product(a.high, b.high);
  return Pair<F>{p.high, p.low + (a.high * b.low + a.low * b.high)};
}
template <class F>
TD_FN Pair<F> multiply_add(Pair<F> a, Pair<F> b, Pair<F> value) {
  const Pair<F> p = product(a, b), sum = exact_sum(value.high, p.high);
  return Pair<F>{sum.high, sum.low + (p.low + value.low)};
}

// 2**x (base2) or exp(x) for x in [-1100, 1] is 2**k * (1 + rest). The rest, to about 85 bits, is the Taylor series of
// exp(r) - 1 for |r| < 0.35, with all but the last terms in pairs.
struct Power {
  f64 k;
  Pair<f64> rest;
};
template <bool base2>
TD_FN Power power_of(f64 x) {
  const f64 k = rint(base2 ? x : x * 1.4426950408889634);
  Pair<f64> r;
  if constexpr (base2) {
    r = exact_product(x - k, 0.6931471805599453);
    r.low += (x - k) * 2.3190468138462996e-17;
  } else {  // the first part of log(2) has 42 bits, so that its product with k is exact
    r = exact_sum(x - k * 0.6931471805598903, k * -5.497923018708371e-14);
  }
  const f64 h = r.high;
  f64 t = 8.22063524662433e-18;  // 1/19!, and so on
  t = t * h + 1.5619206968586225e-16;
  t = t * h + 2.8114572543455206e-15;
  t = t * h + 4.779477332387385e-14;
  t = t * h + 7.647163731819816e-13;
  t = t * h + 1.1470745597729725e-11;
  t = t * h + 1.6059043836821613e-10;
  t = t * h + 2.08767569878681e-09;
  t = t * h + 2.505210838544172e-08;
  t = t * h + 2.755731922398589e-07;
  t = t * h + 2.7557319223985893e-06;
  Pair<f64> sum = multiply_add(r, Pair<f64>{t, 0.0}, Pair<f64>{2.48015873015873e-05, 2.1511947866775882e-23});
  sum = multiply_add(r, sum, Pair<f64>{0.0001984126984126984, 1.7209558293420705e-22});
  sum = multiply_add(r, sum, Pair<f64>{0.001388888888888889, -5.300543954373577e-20});
  sum = multiply_add(r, sum, Pair<f64>{0.008333333333333333, 1.1564823173178714e-19});
  sum = multiply_add(r, sum, Pair<f64>{0.041666666666666664, 2.3129646346357427e-18});
  sum = multiply_add(r, sum, Pair<f64>{0.16666666666666666, 9.25185853854297e-18});
  sum = multiply_add(r, sum, Pair<f64>{0.5, 0.0});
  sum = multiply_add(r, sum, Pair<f64>{1.0, 0.0});
  return Power{k, product(r, sum)};
}
// 2**k for whole k in [-1022, 1023].
TD_FN f64 power_of_two(f64 k) { return from_bits(bits_of(k + (0x1.8p52 + 1023)) << 52); }

// The logarithm of exp(a) + exp(b), or of 2**a + 2**b to base 2. Where it is near 0 it is log1p of
// exp(a) + exp(b) - 1, whose cancellation is the reason for pairs.
template <bool base2>
TD_FN f64 log_of_sum(f64 a, f64 b) {
  const f64 larger = a > b ? a : b, smaller = a > b ? b : a;
  const f64 distance = a == b ? 0.0 : smaller - larger;
  const bool near = (larger > -1.5) & (larger < 0.5);
  const Power p = power_of<base2>(near ? larger : 0.0);
  const Power q = power_of<base2>(near & (smaller > -1100) ? smaller : -1100.0);
  const f64 scale = power_of_two(p.k), half = rint(q.k * 0.5);
  const f64 down = power_of_two(half), further = power_of_two(q.k - half);  // 2**q.k itself may be too small
  const Pair<f64> first = exact_sum(scale - 1, p.rest.high * scale), whole = exact_sum(1.0, q.rest.high);
  const f64 first_low = first.low + p.rest.low * scale, second_low = (whole.low + q.rest.low) * down * further;
  const Pair<f64> sum = exact_sum(first.high, whole.high * down * further);
  const f64 excess = sum.high + (sum.low + (first_low + second_low));
  const f64 part = log1p(near ? excess : base2 ? exp2(distance) : exp(distance)) * (base2 ? 1.4426950408889634 : 1.0);
  return (a != a) | (b != b) ? a + b : near ? part : larger + part;
}
TD_FN f64 logaddexp(f64 a, f64 b) { return log_of_sum<false>(a, b); }
TD_FN f64 logaddexp2(f64 a, f64 b) { return log_of_sum<true>(a, b); }

// f64 itself has the digits that floats lose.
template <bool base2>
TD_FN f32 log_of_sum(f32 a, f32 b) {
  const f64 larger = a > b ? a : b, smaller = a > b ? b : a;
  const f64 distance = a == b ? 0.0 : smaller - larger;
  const f64 part = log1p(base2 ? exp2(distance) : exp(distance)) * (base2 ? 1.4426950408889634 : 1.0);
  return (a != a) | (b != b) ? a + b : (f32)(larger + part);
}
TD_FN f32 logaddexp(f32 a, f32 b) { return log_of_sum<false>(a, b); }
TD_FN f32 logaddexp2(f32 a, f32 b) { return log_of_sum<true>(a, b); }

// ---- integers and bits ------------------------------------------------------------------------------------------

template <class T>
TD_FN T invert(T a) {
  if constexpr (is_boolean<T>) return !a;
  else return (T)~a;
}
// Shifts by a count outside [0, bits) give 0, or the sign.
template <class T>
TD_FN T left_shift(T a, T b) {
  const wide_t<T> count = (wide_t<T>)b, bits = Traits<T>::bits;
  return (T)(count < bits ? (wide_t<T>)a << (count & (bits - 1)) : (wide_t<T>)0);
}
template <class T>
TD_FN T right_shift(T a, T b) {
  const wide_t<T> count = (wide_t<T>)b, bits = Traits<T>::bits;
  const T shifted = (T)(a >> (int)(count < bits ? count : bits - 1));
  return Traits<T>::is_signed || count < bits ? shifted : (T)0;
}

// ---- parts ------------------------------------------------------------------------------------------------------

template <class T>
TD_FN real_t<T> real(T a) {
  if constexpr (is_complex<T>) return a.re;
  else return a;
}
template <class T>
TD_FN real_t<T> imag(T a) {
  if constexpr (is_complex<T>) return a.im;
  else return (T)0;
}
template <class T>
TD_FN T conj(T a) {
  if constexpr (is_complex<T>) return T{a.re, -a.im};
  else return a;
}
template <class F>
TD_FN complex<F> make_complex(F re, F im) {
  return complex<F>{re, im};
}
template <class T>
TD_FN real_t<T> angle(T a) {
  if constexpr (is_complex<T>) return atan2(a.im, a.re);
  else return a != a ? a : signbit(a) ? (T)3.141592653589793 : (T)0;
}
template <class F>
TD_FN F nan_to_num(F a, F nan, F positive, F negative) {
  return a != a ? nan : a == infinity<F>() ? positive : a == -infinity<F>() ? negative : a;
}

// |a - b| <= absolute + relative * |b| for finite b, or a == b.
template <class T>
TD_FN bool isclose(T a, T b, T relative, T absolute) {
  return (isfinite(b) & (abs(subtract(a, b)) <= real(absolute) + real(relative) * abs(b))) | equal(a, b);
}

// ---- complex functions ------------------------------------------------------------------------------------------
// Methods: W. Kahan, Branch cuts for complex elementary functions, 1987 (tanh, atanh); Hull, Fairgrieve and Tang,
// Implementing the complex arcsine and arccosine functions using exception handling, ACM TOMS 23, 1997 (asin, acos).
// Special values are put in by selections at the end, so that there are no branches.

// The cosine of an angle whose sine is needed too: g++ would make one call of sincos of the two, which has no vector
// variant that it knows, if it saw that the angles are the same.
TD_FN f32 cos_beside_sin(f32 x) { return cos(from_bits(bits_of(x) & 0x7fffffffu)); }
TD_FN f64 cos_beside_sin(f64 x) { return cos(from_bits(bits_of(x) & 0x7ffffffffffffffful)); }

template <class F>
TD_FN complex<F> swap_parts(complex<F> z) {
  return complex<F>{z.im, z.re};
}
template <class F>
TD_FN complex<F> scaled(complex<F> z, F factor) {
  return complex<F>{z.re * factor, z.im * factor};
}

template <class F>
TD_FN F abs(complex<F> z) {
  return hypot(z.re, z.im);
}

// z / |z|, 0 for 0; one infinite part counts as the direction of an axis, as in NumPy 2. NaN if either part is, as the
// Array API has it.
template <class F>
TD_FN complex<F> sign(complex<F> z) {
  const Scale<F> scale = scale_squares(size_of(z.re, z.im));
  const F x = z.re * scale.down, y = z.im * scale.down;
  const F length = sqrt(x * x + y * y);
  const bool re_inf = isinf(z.re), im_inf = isinf(z.im), both = re_inf & im_inf, one = re_inf != im_inf;
  const F re = one ? copysign(re_inf ? (F)1 : (F)0, z.re) : x / length;
  const F im = one ? copysign(im_inf ? (F)1 : (F)0, z.im) : y / length;
  const F nothing = isnan(z) | both ? not_a_number<F>() : (F)0;
  return select(nonzero(z), complex<F>{re + nothing, im + nothing}, complex<F>{0, 0});
}

template <class F>
TD_FN complex<F> rint(complex<F> z) {
  return complex<F>{rint(z.re), rint(z.im)};
}

template <class F>
TD_FN complex<F> sqrt(complex<F> z) {
  const F a = abs(z.re), b = abs(z.im);
  constexpr bool narrow = is_same<F, f32>;
  const Scale<F> scale = scale_squares(size_of(a, b));
  const F back = scale.up > 1    ? (narrow ? (F)0x1p40 : (F)0x1p300)
                 : scale.up < 1 ? (narrow ? (F)0x1p-50 : (F)0x1p-300)
                                 : (F)1;
  const F x = a * scale.down, y = b * scale.down;
  const F root = sqrt((x + sqrt(x * x + y * y)) * (F)0.5);
  const F large = root * back;
  const F small = y / (root * 2) * back;
  const bool zero = (a == 0) & (b == 0), im_inf = b == infinity<F>(), re_inf = a == infinity<F>();
  const F other = zero | (re_inf & (b == b)) ? (F)0 : small;
  const F main = re_inf ? infinity<F>() : large;
  const bool left = signbit(z.re);
  const F re = im_inf ? infinity<F>() : left ? other : main;
  const F im = im_inf ? infinity<F>() : left ? main : other;
  return complex<F>{re, copysign(im, z.im)};
}

// Where exp would overflow although its product with a sine does not, it is computed as exp(x - large) and multiplied
// by exp(large) last.
template <class F>
struct Exponential {
  static constexpr F large = is_same<F, f32> ? (F)80 : (F)700;
  static constexpr F exp_large = is_same<F, f32> ? (F)5.54062238e34 : (F)1.0142320547350045e304;
};

template <class F>
TD_FN complex<F> exp(complex<F> z) {
  const bool big = z.re > Exponential<F>::large;
  const F size = exp(big ? z.re - Exponential<F>::large : z.re);
  const F factor = big ? Exponential<F>::exp_large : (F)1;
  const bool edge = (abs(z.re) == infinity<F>()) & (abs(z.im - z.im) != 0);
  const F cosine = cos(edge ? (F)0 : z.im), sine = sin(edge & (z.re < 0) ? (F)0 : z.im);
  return complex<F>{size * cosine * factor, (z.im == 0 ? (F)1 : size) * sine * factor};
}

// z.im * log(2) is rounded, and what is lost turns the result by a small angle.
template <class F>
TD_FN complex<F> exp2(complex<F> z) {
  constexpr bool narrow = is_same<F, f32>;
  constexpr F ln2 = (F)0.6931471805599453, ln2_rest = narrow ? (F)-1.9046542e-9 : (F)2.3190468138462996e-17;
  constexpr F large = narrow ? (F)120 : (F)1000, exp2_large = narrow ? (F)0x1p120 : (F)0x1p1000;
  constexpr F straight = narrow ? (F)0x1p10 : (F)0x1p24;  // beyond, the angle is as good as its product is
  const bool big = z.re > large;
  const F size = exp2(big ? z.re - large : z.re);
  const F factor = big ? exp2_large : (F)1;
  const bool edge = (abs(z.re) == infinity<F>()) & (abs(z.im - z.im) != 0);
  const Pair<F> angle = exact_product(z.im, ln2);
  const F turn = abs(z.im) < straight ? angle.low + z.im * ln2_rest : (F)0;
  const F y = edge ? (F)0 : angle.high;
  const F cosine = cos_beside_sin(y), sine = sin(y);
  const F im = size * (sine + cosine * turn) * (edge & (z.re > 0) ? not_a_number<F>() : factor);
  return complex<F>{size * (cosine - sine * turn) * factor, z.im == 0 ? z.im : im};
}

template <class F>
TD_FN complex<F> expm1(complex<F> z) {
  const complex<F> w = exp(z);
  const F half_sine = sin(z.im * (F)0.5);
  const F re = expm1(z.re) * cos_beside_sin(z.im) - 2 * half_sine * half_sine;
  const bool far = (z.re < (F)-1) | (z.re > (F)4);  // where subtracting 1 adds little to the error
  return complex<F>{z.im == 0 ? expm1(z.re) : far ? w.re - 1 : re, w.im};
}

// log of sqrt(m*m + n*n) for m >= n >= 0, where d = m - 1 to full precision if m is near 1. The low part is what
// rounding the high part loses, if both are finite.
template <class F>
TD_FN Pair<F> log_length(F m, F n, F d) {
  const bool near = (m > (F)0.5) & (m < (F)2);
  const Pair<F> dd = exact_product(d, d), nn = exact_product(n, n);
  const Pair<F> first = exact_sum(d * 2, dd.high), second = exact_sum(first.high, nn.high);
  const F excess = second.high + (second.low + first.low + dd.low + nn.low);  // m*m + n*n - 1
  const F ratio = n / m;
  const Pair<F> whole = exact_sum(log(near ? (F)1 : m), log1p(near ? excess : ratio * ratio) * (F)0.5);
  const bool infinite = (m == infinity<F>()) | (n == infinity<F>()), zero = (m == 0) & (n == 0);
  return Pair<F>{infinite ? infinity<F>() : zero ? -infinity<F>() : whole.high, whole.low};
}
template <class F>
TD_FN Pair<F> log_modulus(complex<F> z) {
  const F a = abs(z.re), b = abs(z.im);
  const F m = a > b ? a : b, n = a > b ? b : a;
  return log_length(m, n, m - 1);
}

template <class F>
TD_FN complex<F> log(complex<F> z) {
  return complex<F>{log_modulus(z).high, atan2(z.im, z.re)};
}
template <class F>
TD_FN complex<F> log2(complex<F> z) {
  return scaled(log(z), (F)1.4426950408889634);
}
template <class F>
TD_FN complex<F> log10(complex<F> z) {
  return scaled(log(z), (F)0.4342944819032518);
}
template <class F>
TD_FN complex<F> log1p(complex<F> z) {
  const F x = z.re + 1;
  const F a = abs(x), b = abs(z.im);
  const F d = a > b ? (x > 0 ? z.re : -2 - z.re) : b - 1;
  return complex<F>{log_length(a > b ? a : b, a > b ? b : a, d).high, atan2(z.im, x)};
}

// exp(b log(a)); whole powers up to 32 by squaring, which is exact for small whole numbers; powers of 0 as in NumPy 2.
// An error of b log(a) becomes a relative one of the power, so what roundings on the way lose is put back: exp(z + d) is
// exp(z) + exp(z) d for small d. complex64 is computed in complex128.
TD_FN c128 general_pow(c128 a, c128 b) {
  const Pair<f64> modulus = log_modulus(a);
  const f64 direction = atan2(a.im, a.re);
  const Pair<f64> rr = exact_product(b.re, modulus.high), ii = exact_product(b.im, direction);
  const Pair<f64> ri = exact_product(b.re, direction), ir = exact_product(b.im, modulus.high);
  const Pair<f64> re = exact_sum(rr.high, -ii.high), im = exact_sum(ri.high, ir.high);
  const c128 power = exp(c128{re.high, im.high});
  const c128 lost = {re.low + (rr.low - ii.low) + b.re * modulus.low,
                     im.low + (ri.low + ir.low) + b.im * modulus.low};
  const c128 rest = multiply(power, lost);
  const bool small = (abs(lost.re) < 0x1p-20) & (abs(lost.im) < 0x1p-20);
  return c128{power.re + (small & isfinite(rest.re) ? rest.re : 0.0),
              power.im + (small & isfinite(rest.im) ? rest.im : 0.0)};
}
TD_FN c64 general_pow(c64 a, c64 b) { return cast<c64>(general_pow(cast<c128>(a), cast<c128>(b))); }

template <class F>
TD_FN complex<F> pow(complex<F> a, complex<F> b) {
  const F size = abs(b.re);
  const bool whole = (b.im == 0) & (size <= 32) & (rint(size) == size);
  const i32 count = (i32)(whole ? size : (F)0);
  const complex<F> a2 = multiply(a, a), a4 = multiply(a2, a2), a8 = multiply(a4, a4), a16 = multiply(a8, a8);
  complex<F> product = select((count & 1) != 0, a, one<complex<F>>());
  product = select((count & 2) != 0, multiply(product, a2), product);
  product = select((count & 4) != 0, multiply(product, a4), product);
  product = select((count & 8) != 0, multiply(product, a8), product);
  product = select((count & 16) != 0, multiply(product, a16), product);
  product = select((count & 32) != 0, multiply(a16, a16), product);
  const complex<F> of_whole = select(b.re < 0, reciprocal(product), product);
  const F none = b.re > 0 ? (F)0 : not_a_number<F>();
  const complex<F> of_zero = complex<F>{none, none};
  const complex<F> known = select(nonzero(a) | !nonzero(b), of_whole, of_zero);
  const complex<F> general = general_pow(a, b);
  const bool take = whole | !nonzero(a);
  return complex<F>{blend(take, known.re, general.re), blend(take, known.im, general.im)};
}

// sinh and cosh of |x|, up to the factor.
template <class F>
struct Hyperbolic {
  F sinh, cosh, factor;
};
template <class F>
TD_FN Hyperbolic<F> hyperbolic(F x) {
  const F size = abs(x);
  const bool big = size > Exponential<F>::large;
  const F e = expm1(big ? size - Exponential<F>::large : size), whole = e + 1;
  const F sine = (e + e / whole) * (F)0.5, cosine = (whole + 1 / whole) * (F)0.5;
  return Hyperbolic<F>{big ? whole : sine, big ? whole : cosine, big ? Exponential<F>::exp_large / 2 : (F)1};
}

template <class F>
TD_FN complex<F> sinh(complex<F> z) {
  const Hyperbolic<F> h = hyperbolic(z.re);
  const F re = copysign(h.sinh, z.re) * cos_beside_sin(z.im) * h.factor, im = h.cosh * sin(z.im) * h.factor;
  const bool own = (!isfinite(z.im)) & ((z.re == 0) | (abs(z.re) == infinity<F>()));
  return complex<F>{own ? z.re : re, z.im == 0 ? z.im : im};
}
template <class F>
TD_FN complex<F> cosh(complex<F> z) {
  const Hyperbolic<F> h = hyperbolic(z.re);
  const F re = h.cosh * cos_beside_sin(z.im) * h.factor, im = copysign(h.sinh, z.re) * sin(z.im) * h.factor;
  const bool vague = (!isfinite(z.im)) & (abs(z.re) == infinity<F>());
  const F zero = copysign((F)0, z.re) * copysign((F)1, z.im);
  return complex<F>{vague ? infinity<F>() : re, (z.re == 0) | (z.im == 0) ? zero : im};
}
template <class F>
TD_FN complex<F> tanh(complex<F> z) {
  const F size = abs(z.re);
  const bool far = size > (is_same<F, f32> ? (F)11 : (F)22);
  const bool edge = (size == infinity<F>()) & (abs(z.im - z.im) != 0);
  const F s = sinh(size), t = tan(edge ? (F)0 : z.im);
  const F beta = 1 + t * t, divisor = 1 + beta * s * s;
  const F near_re = beta * sqrt(1 + s * s) * s / divisor, near_im = t / divisor;
  const F far_re = 1 + (t - t), far_im = t / beta / s / s;
  const F re = copysign(far ? far_re : near_re, z.re), im = far ? far_im : near_im;
  return complex<F>{z.re == 0 ? z.re : re, z.im == 0 ? z.im : im};
}

template <class F>
TD_FN complex<F> sin(complex<F> z) {
  return swap_parts(sinh(swap_parts(z)));
}
template <class F>
TD_FN complex<F> cos(complex<F> z) {
  return conj(cosh(swap_parts(z)));
}
template <class F>
TD_FN complex<F> tan(complex<F> z) {
  return swap_parts(tanh(swap_parts(z)));
}

// What asin and acos share, for z in the first quadrant: sine and cosine are those of the real part up to a common
// factor, im the imaginary part.
template <class F>
struct ArcSine {
  F sine, cosine, im;
};
template <class F>
TD_FN ArcSine<F> arc_sine(F x, F y) {
  constexpr bool narrow = is_same<F, f32>;
  const F size = x > y ? x : y;
  const bool large = size > (narrow ? (F)0x1p90 : (F)0x1p600);
  const F down = large ? (narrow ? (F)0x1p-60 : (F)0x1p-500) : (F)1;
  const F offset = large ? (narrow ? (F)41.58883083359672 : (F)346.5735902799727) : (F)0;  // -log(down)
  x *= down;
  y *= down;
  const F r = hypot(x + 1, y), s = hypot(x - 1, y), a = (r + s) * (F)0.5;
  const F p = y / (r + (x + 1)), gap = s + abs(1 - x), q = gap == 0 ? (F)0 : y / gap;
  const bool inner = x < 1;
  const F g = (p + q) * (F)0.5, h = y * p + gap;
  const F u = sqrt(h) * sqrt((a + (inner ? x : (F)1)) * (F)0.5);  // inner: sqrt(a*a - x*x), else sqrt(a*a - 1)
  const F v = sqrt(y) * sqrt(g * (a + (inner ? (F)1 : x)));        // the other one
  const F im = log1p((inner ? y * g : h * (F)0.5) + (inner ? v : u)) + offset;
  const bool infinite = (x == infinity<F>()) | (y == infinity<F>());
  const bool tiny = (size < (narrow ? (F)0x1p-13 : (F)0x1p-27)) & (x == x);
  return ArcSine<F>{x, infinite ? y : inner ? u : v, infinite ? infinity<F>() : tiny ? y : im};
}

template <class F>
TD_FN complex<F> asin(complex<F> z) {
  const ArcSine<F> w = arc_sine(abs(z.re), abs(z.im));
  const F re = z.re == 0 ? z.re : atan2(copysign(w.sine, z.re), w.cosine);
  return complex<F>{re, copysign(w.im, z.im)};
}
template <class F>
TD_FN complex<F> acos(complex<F> z) {
  const ArcSine<F> w = arc_sine(abs(z.re), abs(z.im));
  const F re = z.re == 0 ? (F)1.5707963267948966 : atan2(w.cosine, copysign(w.sine, z.re));
  return complex<F>{re, copysign(w.im, signbit(z.im) ? (F)1 : (F)-1)};
}
template <class F>
TD_FN complex<F> asinh(complex<F> z) {
  return swap_parts(asin(swap_parts(z)));
}
template <class F>
TD_FN complex<F> acosh(complex<F> z) {
  const complex<F> w = acos(z);
  return complex<F>{abs(w.im), copysign(w.re, z.im)};
}

template <class F>
TD_FN complex<F> atanh(complex<F> z) {
  constexpr bool narrow = is_same<F, f32>;
  const F x = abs(z.re), y = abs(z.im), d = 1 - x;
  const F distance = hypot(d, y);
  // At 1 the quotient of the logarithm would overflow, so its square root is taken.
  const bool at_one = distance < (narrow ? (F)0x1p-60 : (F)0x1p-500);
  const F lift = narrow ? (F)0x1p40 : (F)0x1p200;
  const F offset = narrow ? (F)27.725887222397812 : (F)138.62943611198907;  // log(lift)
  const F w = at_one ? 2 / (distance * lift) - 1 : 4 * (x / distance) / distance;
  const F re = at_one ? (log1p(w) + offset) * (F)0.5 : log1p(w) * (F)0.25;
  const F im = atan2(y, (d * (1 + x) - y * y) * (F)0.5) * (F)0.5;
  const bool infinite = (x == infinity<F>()) | (y == infinity<F>());
  const F quarter = y != y ? y : (F)1.5707963267948966;
  return complex<F>{(z.re == 0) | infinite ? copysign((F)0, z.re) : copysign(re, z.re),
                    copysign(infinite ? quarter : im, z.im)};
}
template <class F>
TD_FN complex<F> atan(complex<F> z) {
  return swap_parts(atanh(swap_parts(z)));
}

}  // namespace scalar
}  // namespace tandem
#endif
