// The formulas of scalar.h against another precision, other code or literal values, without any backend.
#include <backends/cpu/libm.hpp>

#include <gtest/gtest.h>
#include <quadmath.h>

#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <tandem/scalar.h>

namespace tandem::test {
namespace {

using namespace tandem::scalar;
using Quad = __float128;
using Wide = __int128;

constexpr unsigned TD_B = 1, TD_I = 2, TD_F = 4, TD_C = 8;
constexpr int TD_SAME = -1, TD_REAL = -2, TD_COMPLEX = -3, TD_BOOL = -4;

template <class F>
using Limits = std::numeric_limits<F>;
template <class T>
using Word = std::conditional_t<sizeof(T) == 1, u8,
                                std::conditional_t<sizeof(T) == 2, u16, std::conditional_t<sizeof(T) == 4, u32, u64>>>;

template <class T>
Word<T> bits(T x) {
  return std::bit_cast<Word<T>>(x);
}
template <class T>
bool same(T a, T b) {
  if constexpr (is_complex<T>) return same(a.re, b.re) && same(a.im, b.im);
  else if constexpr (is_float<T>) return (a != a && b != b) || bits(a) == bits(b);
  else return bits(a) == bits(b);
}
template <class T>
std::string text(T x) {
  if constexpr (is_complex<T>) return "(" + text(x.re) + ", " + text(x.im) + ")";
  else if constexpr (is_float<T>) return std::to_string(bits(x)) + "=" + ::testing::PrintToString(x);
  else return std::to_string(Wide(x) < 0 ? static_cast<long long>(x) : static_cast<long long>(static_cast<u64>(x)));
}
#define EXPECT_SAME(got, expected, ...)                                                                 \
  do {                                                                                                  \
    const auto got_ = (got);                                                                            \
    const decltype(got_) expected_ = expected;                                                          \
    if (!same(got_, expected_)) ADD_FAILURE() << #got " = " << text(got_) << ", expected " << text(expected_) \
                                              << " of " << __VA_ARGS__;                                 \
  } while (false)

template <class T>
struct Type {
  using type = T;
};
template <class... T, class Function>
void for_types(Function&& function) {
  (function(Type<T>{}), ...);
}
#define INTEGERS i8, i16, i32, i64, u8, u16, u32, u64

/// Zero, one, the borders of the type and its powers of two, with their neighbours.
template <class T>
std::vector<T> integer_borders() {
  std::vector<T> values;
  for (int bit = 0; bit < Traits<T>::bits; ++bit)
    for (int d = -1; d <= 1; ++d)
      for (int sign : {1, -1}) values.push_back(static_cast<T>(sign * (((Wide)1 << bit) + d)));
  return values;
}

/// Floats whose treatment is special anywhere: zeros, subnormals, extremes, infinities, NaN, borders of integers.
template <class F>
std::vector<F> special_floats() {
  std::vector<F> values;
  for (F x : {F(0), F(1), F(2), F(3), F(0.5), F(1.5), F(2.5), F(4), F(10), F(0.1), F(1e5), F(1e10), F(1e30), F(0x1p31),
              F(0x1p32), F(0x1p63), F(0x1p64), F(255.5), F(127.5), F(65535.5), F(88.7), F(89.5), F(104), F(709.7),
              F(745.1), F(1.5707963267948966), F(3.141592653589793), F(35), F(171.5), Limits<F>::min(),
              Limits<F>::denorm_min(),
              Limits<F>::min() / 3, Limits<F>::max(), Limits<F>::max() / 2, Limits<F>::epsilon(), Limits<F>::infinity(),
              Limits<F>::quiet_NaN()})
    for (F y : {x, std::nextafter(x, Limits<F>::infinity()), std::nextafter(x, F(0))}) {
      values.push_back(y);
      values.push_back(-y);
    }
  return values;
}

template <class F>
F any_float(std::mt19937_64& random) {
  return std::bit_cast<F>(static_cast<Word<F>>(random()));
}
template <class F>
F float_in(std::mt19937_64& random, double low, double high) {
  return static_cast<F>(std::uniform_real_distribution<double>(low, high)(random));
}
/// Random sign, exponent uniform in [low, high].
template <class F>
F float_of_size(std::mt19937_64& random, double low, double high) {
  const double x = std::exp2(std::uniform_real_distribution<double>(low, high)(random));
  return static_cast<F>(random() & 1 ? x : -x);
}

// ---- casts ------------------------------------------------------------------------------------------------------

/// The value of a binary float of 16 bits with the given fields.
Quad decode(unsigned word, int exponent_bits) {
  const int digits = 15 - exponent_bits;
  const int exponent = static_cast<int>(word >> digits) & ((1 << exponent_bits) - 1);
  const int fraction = static_cast<int>(word) & ((1 << digits) - 1), bias = (1 << (exponent_bits - 1)) - 1;
  Quad value;
  if (exponent == (1 << exponent_bits) - 1) value = fraction != 0 ? Quad(Limits<double>::quiet_NaN()) : Quad(HUGE_VAL);
  else if (exponent == 0) value = ldexpq(fraction, 1 - bias - digits);
  else value = ldexpq(fraction + (1 << digits), exponent - bias - digits);
  return word >> 15 ? -value : value;
}

template <class H>
constexpr int exponent_bits = std::is_same_v<H, f16> ? 5 : 8;

template <class H>
void check_half() {
  for (unsigned word = 0; word < 65536; ++word) {
    const H half{static_cast<u16>(word)};
    const Quad value = decode(word, exponent_bits<H>);
    const f32 widened = cast<f32>(half);
    if (isnanq(value)) {
      EXPECT_TRUE(std::isnan(widened)) << word;
      EXPECT_TRUE(std::isnan(cast<f32>(cast<H>(widened)))) << word;
      EXPECT_TRUE(std::isnan(cast<f64>(cast<H>(cast<f64>(half))))) << word;
      EXPECT_EQ(cast<i32>(half), 0);
      EXPECT_TRUE(cast<bool>(half));
      continue;
    }
    EXPECT_SAME(widened, static_cast<f32>(value), word);
    EXPECT_SAME(cast<H>(widened).bits, half.bits, word);
    EXPECT_SAME(cast<H>(cast<f64>(half)).bits, half.bits, word);
    EXPECT_EQ(cast<bool>(half), value != 0) << word;
    const unsigned magnitude = word & 0x7fff, infinite = ((1u << exponent_bits<H>) - 1) << (15 - exponent_bits<H>);
    if (magnitude == infinite) continue;
    // The middle between this number and the next goes to the even one, its neighbours to the nearer one. Above the
    // largest number the next one is what would follow it if the exponent went on.
    const Quad step = magnitude + 1 == infinite ? fabsq(value) - decode(magnitude - 1, exponent_bits<H>)
                                                : decode(magnitude + 1, exponent_bits<H>) - fabsq(value);
    const f64 middle = static_cast<f64>(copysignq(fabsq(value) + step / 2, word >> 15 ? -1 : 1));
    const u16 up = static_cast<u16>(word + 1), even = word & 1 ? up : static_cast<u16>(word);
    EXPECT_EQ(cast<H>(middle).bits, even) << word;
    EXPECT_EQ(cast<H>(std::nextafter(middle, copysign(1e300, middle))).bits, up) << word;
    EXPECT_EQ(cast<H>(std::nextafter(middle, 0.0)).bits, word) << word;
    const f32 narrow_middle = static_cast<f32>(middle);
    if (static_cast<f64>(narrow_middle) == middle) {
      EXPECT_EQ(cast<H>(narrow_middle).bits, even) << word;
      EXPECT_EQ(cast<H>(std::nextafter(narrow_middle, copysign(HUGE_VALF, narrow_middle))).bits, up) << word;
      EXPECT_EQ(cast<H>(std::nextafter(narrow_middle, 0.0f)).bits, word) << word;
    }
  }
}
TEST(ScalarCast, Float16OnAllBits) { check_half<f16>(); }
TEST(ScalarCast, Bfloat16OnAllBits) { check_half<bf16>(); }

TEST(ScalarCast, HalvesFromExtremes) {
  for_types<f16, bf16>([]<class H>(Type<H>) {
    const u16 infinite = cast<H>(HUGE_VALF).bits;
    EXPECT_EQ(infinite, (std::is_same_v<H, f16>) ? 0x7c00 : 0x7f80);
    EXPECT_EQ(cast<H>(Limits<f64>::max()).bits, infinite);
    EXPECT_EQ(cast<H>(-HUGE_VAL).bits, infinite | 0x8000);
    EXPECT_EQ(cast<H>(Limits<f64>::denorm_min()).bits, 0);
    EXPECT_EQ(cast<H>(-Limits<f64>::denorm_min()).bits, 0x8000);
  });
  EXPECT_EQ(cast<f16>(65519.99f).bits, 0x7bff);
  EXPECT_EQ(cast<f16>(65520.0f).bits, 0x7c00);
  EXPECT_EQ(cast<f16>(i64{65519}).bits, 0x7bff);
  EXPECT_EQ(cast<f16>(i64{65520}).bits, 0x7c00);
  EXPECT_EQ(cast<bf16>(Limits<f32>::max()).bits, 0x7f80);
}

/// x rounded to nearest even in the format of H.
template <class H>
u16 rounded_bits(Wide x) {
  u16 best = 0;
  Quad error = HUGE_VALQ;
  const Quad size = x < 0 ? -Quad(x) : Quad(x);
  const H guess = cast<H>(static_cast<f32>(size));
  for (int d = -1; d <= 1; ++d) {
    const u16 word = static_cast<u16>(guess.bits + d);
    const Quad e = fabsq(decode(word, exponent_bits<H>) - size);
    if (e < error || (e == error && word % 2 == 0)) best = word, error = e;
  }
  return best | (x < 0 ? 0x8000 : 0);
}

TEST(ScalarCast, IntegersToBfloat16RoundOnce) {
  for_types<INTEGERS>([]<class T>(Type<T>) {
    std::mt19937_64 random(3);
    std::vector<T> values = integer_borders<T>();
    for (int i = 0; i < 20000; ++i) {
      const u64 x = random() >> random() % 64;
      values.push_back(static_cast<T>(x));
      // Just beside the middle of two bfloat16 numbers.
      const int shift = static_cast<int>(random() % 55);
      values.push_back(static_cast<T>(((random() % 128 + 128) * 2 + 1) * (u64{1} << shift) + random() % 3 - 1));
    }
    for (T x : values) EXPECT_EQ(cast<bf16>(x).bits, rounded_bits<bf16>(x)) << text(x);
  });
}

TEST(ScalarCast, FloatsToIntegersTruncateAndSaturate) {
  for_types<f32, f64>([]<class F>(Type<F>) {
    std::mt19937_64 random(5);
    std::vector<F> values = special_floats<F>();
    for (int bit = 0; bit < 66; ++bit)
      for (double d : {-1.5, -1.0, -0.5, 0.0, 0.5, 1.0})
        for (int sign : {1, -1}) values.push_back(static_cast<F>(sign * (std::ldexp(1.0, bit) + d)));
    for (int i = 0; i < 20000; ++i) values.push_back(any_float<F>(random));
    for (int i = 0; i < 20000; ++i) values.push_back(float_of_size<F>(random, -2, 70));
    for_types<INTEGERS>([&]<class T>(Type<T>) {
      for (F x : values) {
        const Quad whole = truncq(x);
        T expected;
        if (std::isnan(x)) expected = 0;
        else if (whole >= Quad(Limits<T>::max())) expected = Limits<T>::max();
        else if (whole <= Quad(Limits<T>::min())) expected = Limits<T>::min();
        else expected = static_cast<T>(static_cast<Wide>(whole));
        EXPECT_SAME(cast<T>(x), expected, text(x) << " of " << sizeof(F) << " bytes");
      }
    });
    for (F x : values) EXPECT_EQ(cast<bool>(x), !(x == 0));
  });
  EXPECT_EQ(cast<i8>(cast<f16>(300.0f)), 127);
  EXPECT_EQ(cast<u8>(cast<bf16>(-1.0f)), 0);
  EXPECT_EQ(cast<u64>(cast<bf16>(3e38f)), ~u64{0});
  EXPECT_EQ(cast<i64>(c128{-7.9, 3}), -7);
  EXPECT_TRUE(cast<bool>(c64{0, 1e-45f}));
  EXPECT_FALSE(cast<bool>(c64{0, -0.0f}));
}

TEST(ScalarCast, IntegersToIntegersAndFloats) {
  for_types<INTEGERS>([]<class From>(Type<From>) {
    std::vector<From> values = integer_borders<From>();
    std::mt19937_64 random(7);
    for (int i = 0; i < 1000; ++i) values.push_back(static_cast<From>(random()));
    for (From x : values) {
      for_types<INTEGERS>([&]<class To>(Type<To>) {
        EXPECT_EQ(bits(cast<To>(x)), static_cast<Word<To>>(static_cast<Wide>(x))) << text(x);
      });
      EXPECT_SAME(cast<f32>(x), static_cast<f32>(Quad(x)), text(x));
      EXPECT_SAME(cast<f64>(x), static_cast<f64>(Quad(x)), text(x));
      EXPECT_SAME(cast<c64>(x).re, static_cast<f32>(Quad(x)), text(x));
      EXPECT_EQ(cast<c128>(x).im, 0);
      EXPECT_EQ(cast<bool>(x), x != 0);
    }
    EXPECT_EQ(cast<From>(true), 1);
    EXPECT_EQ(cast<From>(false), 0);
  });
  EXPECT_SAME(cast<c64>(c128{1e300, 1e-300}), (c64{HUGE_VALF, 0}), "narrowing");
  EXPECT_EQ(cast<f16>(true).bits, 0x3c00);
  EXPECT_EQ(cast<bf16>(true).bits, 0x3f80);
}

// ---- integers ---------------------------------------------------------------------------------------------------

/// Negative powers, which the core refuses, count modulo 2**bits.
template <class T>
T power(T a, T b) {
  T result = 1;
  for (u64 e = static_cast<std::make_unsigned_t<T>>(b), base = static_cast<u64>(a); e != 0; e >>= 1, base *= base)
    if (e & 1) result = static_cast<T>(static_cast<u64>(result) * base);
  return result;
}

template <class T>
void check_integers(T a, T b) {
  const Wide x = a, y = b;
  const Wide product = static_cast<Wide>(static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(y));
  const std::string of = text(a) + ", " + text(b);
  const auto wrap = [](Wide value) { return static_cast<T>(value); };
  EXPECT_SAME(add(a, b), wrap(x + y), of);
  EXPECT_SAME(subtract(a, b), wrap(x - y), of);
  EXPECT_SAME(multiply(a, b), wrap(product), of);
  const Wide quotient = y == 0 ? 0 : x / y, rest = y == 0 ? 0 : x % y;
  const bool below = rest != 0 && (rest < 0) != (y < 0);
  EXPECT_SAME(floor_divide(a, b), wrap(quotient - below), of);
  EXPECT_SAME(remainder(a, b), wrap(below ? rest + y : rest), of);
  EXPECT_SAME(fmod(a, b), wrap(rest), of);
  EXPECT_SAME(negative(a), wrap(-x), of);
  EXPECT_SAME(abs(a), wrap(x < 0 ? -x : x), of);
  EXPECT_SAME(sign(a), wrap((x > 0) - (x < 0)), of);
  EXPECT_SAME(maximum(a, b), wrap(x > y ? x : y), of);
  EXPECT_SAME(minimum(a, b), wrap(x < y ? x : y), of);
  EXPECT_SAME(fmax(a, b), wrap(x > y ? x : y), of);
  EXPECT_SAME(fmin(a, b), wrap(x < y ? x : y), of);
  EXPECT_SAME(invert(a), wrap(~x), of);
  const bool inside = y >= 0 && y < Traits<T>::bits;
  EXPECT_SAME(left_shift(a, b), inside ? wrap(x * (static_cast<Wide>(1) << y)) : T(0), of);
  EXPECT_SAME(right_shift(a, b), wrap(inside ? x >> y : x < 0 ? -1 : 0), of);
  EXPECT_SAME(pow(a, b), power(a, b), of);
  EXPECT_EQ(less(a, b), x < y) << of;
  EXPECT_EQ(less_equal(a, b), x <= y) << of;
  EXPECT_EQ(equal(a, b), x == y) << of;
  EXPECT_EQ(nonzero(a), x != 0) << of;
}

TEST(ScalarInteger, AllPairsOfBytes) {
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; ++b) {
      check_integers<u8>(static_cast<u8>(a), static_cast<u8>(b));
      check_integers<i8>(static_cast<i8>(a - 128), static_cast<i8>(b - 128));
    }
}

TEST(ScalarInteger, BordersAndRandomPairs) {
  for_types<i16, i32, i64, u16, u32, u64>([]<class T>(Type<T>) {
    std::vector<T> values = integer_borders<T>();
    for (T a : values)
      for (T b : values) check_integers(a, b);
    std::mt19937_64 random(11);
    for (int i = 0; i < 50000; ++i) {
      const T a = static_cast<T>(random() >> random() % 64), b = static_cast<T>(random() >> random() % 64);
      check_integers(a, b);
      check_integers(multiply(a, b), b);  // often exact quotients
      check_integers(subtract(multiply(a, b), T(1)), b);
    }
  });
}

TEST(ScalarInteger, BoolIsLogic) {
  for (bool a : {false, true}) {
    for (bool b : {false, true}) {
      EXPECT_EQ(add(a, b), a || b);
      EXPECT_EQ(multiply(a, b), a && b);
      EXPECT_EQ(maximum(a, b), a || b);
      EXPECT_EQ(minimum(a, b), a && b);
      EXPECT_EQ(less(a, b), !a && b);
    }
    EXPECT_EQ(invert(a), !a);
    EXPECT_EQ(abs(a), a);
    EXPECT_EQ(floor(a), a);
    EXPECT_FALSE(isnan(a));
    EXPECT_TRUE(isfinite(a));
  }
}

TEST(ScalarInteger, IdentitiesOfReductions) {
  for_types<INTEGERS>([]<class T>(Type<T>) {
    EXPECT_EQ(lowest<T>(), Limits<T>::min());
    EXPECT_EQ(highest<T>(), Limits<T>::max());
    EXPECT_EQ(negative_zero<T>(), 0);
    EXPECT_EQ(one<T>(), 1);
  });
  EXPECT_FALSE(lowest<bool>());
  EXPECT_TRUE(highest<bool>());
  EXPECT_EQ(lowest<f16>().bits, 0xfc00);
  EXPECT_EQ(highest<bf16>().bits, 0x7f80);
  EXPECT_SAME(lowest<f32>(), -HUGE_VALF, "f32");
  EXPECT_SAME(highest<c128>(), (c128{HUGE_VAL, HUGE_VAL}), "c128");
  EXPECT_SAME(negative_zero<c64>(), (c64{-0.0f, -0.0f}), "c64");
  EXPECT_SAME(one<c64>(), (c64{1, 0}), "c64");
}

// ---- exact floats -----------------------------------------------------------------------------------------------

template <class F>
void check_exact(F a, F b) {
  const std::string of = text(a) + ", " + text(b);
  EXPECT_SAME(add(a, b), a + b, of);
  EXPECT_SAME(divide(a, b), a / b, of);
  EXPECT_SAME(fmod(a, b), std::fmod(a, b), of);
  EXPECT_SAME(copysign(a, b), std::copysign(a, b), of);
  EXPECT_SAME(nextafter<F>(a, b), std::nextafter(a, b), of);
  EXPECT_SAME(fma(a, b, a), std::fma(a, b, a), of);
  EXPECT_SAME(abs(a), std::fabs(a), of);
  EXPECT_SAME(sign(a), std::isnan(a) ? a : F((a > 0) - (a < 0)), of);
  EXPECT_SAME(floor(a), std::floor(a), of);
  EXPECT_SAME(ceil(a), std::ceil(a), of);
  EXPECT_SAME(trunc(a), std::trunc(a), of);
  EXPECT_SAME(rint(a), std::nearbyint(a), of);
  EXPECT_SAME(sqrt(a), std::sqrt(a), of);
  EXPECT_EQ(isnan(a), std::isnan(a)) << of;
  EXPECT_EQ(isinf(a), std::isinf(a)) << of;
  EXPECT_EQ(isfinite(a), std::isfinite(a)) << of;
  EXPECT_EQ(signbit(a), std::signbit(a)) << of;
  EXPECT_EQ(nonzero(a), a != 0) << of;
  EXPECT_EQ(less(a, b), a < b) << of;
  EXPECT_EQ(isclose(a, b, F(1e-3), F(1e-5)),
            a == b || (std::isfinite(b) && std::fabs(a - b) <= F(1e-5) + F(1e-3) * std::fabs(b))) << of;
  const auto pick = [](F p, F q, bool larger) {
    if (std::isnan(p) || std::isnan(q)) return std::isnan(p) ? p : q;
    if (p == q) return std::signbit(p) == larger ? q : p;
    return (p > q) == larger ? p : q;
  };
  EXPECT_SAME(maximum(a, b), pick(a, b, true), of);
  EXPECT_SAME(minimum(a, b), pick(a, b, false), of);
  EXPECT_SAME(fmax(a, b), std::isnan(a) ? b : std::isnan(b) ? a : pick(a, b, true), of);
  EXPECT_SAME(fmin(a, b), std::isnan(a) ? b : std::isnan(b) ? a : pick(a, b, false), of);
  EXPECT_SAME(nan_to_num(a, F(1), F(2), F(3)), std::isnan(a) ? F(1) : !std::isinf(a) ? a : a > 0 ? F(2) : F(3), of);
}

TEST(ScalarFloat, ExactOperations) {
  for_types<f32, f64>([]<class F>(Type<F>) {
    const std::vector<F> special = special_floats<F>();
    for (F a : special)
      for (F b : special) check_exact(a, b);
    std::mt19937_64 random(13);
    for (int i = 0; i < 20000; ++i) {
      check_exact(any_float<F>(random), any_float<F>(random));
      check_exact(float_of_size<F>(random, -3, 12), float_of_size<F>(random, -3, 3));
    }
  });
}

// Values that NumPy gives.
TEST(ScalarFloat, FloorDivisionAndRemainder) {
  for_types<f32, f64>([]<class F>(Type<F>) {
    const F inf = Limits<F>::infinity(), nan = Limits<F>::quiet_NaN();
    const std::vector<std::array<F, 4>> rows = {
        {7, 3, 2, 1},        {-7, 3, -3, 2},      {7, -3, -3, -2},       {-7, -3, 2, -1}, {-1, inf, -1, inf},
        {1, inf, 0, 1},      {inf, 1, nan, nan},  {1, 0, inf, nan},      {-1, 0, -inf, nan}, {0, 0, nan, nan},
        {-0.0, 3, -0.0, 0},  {0, -3, -0.0, -0.0}, {nan, 1, nan, nan},    {1, nan, nan, nan}, {1, -inf, -1, -inf},
        {-6, 3, -2, 0},      {6, -3, -2, -0.0}};
    for (const auto& [a, b, quotient, rest] : rows) {
      EXPECT_SAME(floor_divide(a, b), quotient, text(a) << ", " << text(b));
      EXPECT_SAME(remainder(a, b), rest, text(a) << ", " << text(b));
    }
  });
  EXPECT_EQ(floor_divide(1.0, 0.1), 9);
  EXPECT_EQ(remainder(1.0, 0.1), 0.09999999999999995);
}

TEST(ScalarFloat, NextafterStepsInTheDtype) {
  for_types<f16, bf16>([]<class H>(Type<H>) {
    for (unsigned word = 0; word < 65536; ++word) {
      const f32 a = cast<f32>(H{static_cast<u16>(word)});
      if (std::isnan(a)) continue;
      const f32 up = nextafter<H>(a, HUGE_VALF), down = nextafter<H>(a, -HUGE_VALF);
      EXPECT_SAME(cast<f32>(cast<H>(up)), up, word);
      const int step = std::abs(cast<H>(down).bits - static_cast<int>(word)) % 0x8000;
      EXPECT_TRUE(std::isinf(a) || (up > a && down < a && step == 1)) << word;
    }
    EXPECT_TRUE(std::isnan(nextafter<H>(1.0f, Limits<f32>::quiet_NaN())));
    EXPECT_SAME(nextafter<H>(-0.0f, 0.0f), 0.0f, "equal operands");
  });
}

// ---- floats with a budget ---------------------------------------------------------------------------------------

/// |got - truth| in units of the last place of the truth in F; infinite if NaN, infinity or the sign of zero differ.
template <class F>
double ulp_error(F got, Quad truth) {
  const double infinite = HUGE_VAL;
  const F rounded = static_cast<F>(truth);
  if (std::isnan(rounded) || std::isnan(got)) return std::isnan(rounded) && std::isnan(got) ? 0 : infinite;
  if (truth == 0 && got == 0) return std::signbit(got) == (signbitq(truth) != 0) ? 0 : infinite;
  if (isinfq(truth) || (std::isinf(rounded) && std::isinf(got))) return got == rounded ? 0 : infinite;
  const int exponent = std::min(std::max(truth == 0 ? -100000 : ilogbq(truth), Limits<F>::min_exponent - 1),
                                Limits<F>::max_exponent - 1);
  const Quad value = std::isinf(got) ? copysignq(ldexpq(1, Limits<F>::max_exponent), got) : Quad(got);
  return static_cast<double>(fabsq(value - truth) / ldexpq(1, exponent - Limits<F>::digits + 1));
}

const Quad ln2 = logq(2), ln10 = logq(10), pi = acosq(-1);

Quad log_of_sum(Quad a, Quad b, Quad base_log) {
  if (a == b) return a + ln2 / base_log;
  if (isnanq(a) || isnanq(b)) return a + b;
  return fmaxq(a, b) + log1pq(expq(-fabsq(a - b) * base_log)) / base_log;
}

const std::map<std::string, std::function<Quad(Quad, Quad)>>& real_truth() {
  static const std::map<std::string, std::function<Quad(Quad, Quad)>> truth = {
#define UNARY(name) {#name, [](Quad a, Quad) -> Quad { return name##q(a); }},
      UNARY(cbrt) UNARY(exp) UNARY(exp2) UNARY(expm1) UNARY(log) UNARY(log2) UNARY(log10) UNARY(log1p) UNARY(sin)
      UNARY(cos) UNARY(tan) UNARY(asin) UNARY(acos) UNARY(atan) UNARY(sinh) UNARY(cosh) UNARY(tanh) UNARY(asinh)
      UNARY(acosh) UNARY(atanh) UNARY(erf) UNARY(erfc) UNARY(lgamma)
#undef UNARY
      {"tgamma", [](Quad a, Quad) { return a == -HUGE_VALQ ? nanq("") : tgammaq(a); }},
      {"pow", [](Quad a, Quad b) { return powq(a, b); }},
      {"hypot", [](Quad a, Quad b) { return hypotq(a, b); }},
      {"atan2", [](Quad a, Quad b) { return atan2q(a, b); }},
      {"angle", [](Quad a, Quad) { return isnanq(a) ? a : atan2q(0, a); }},
      {"degrees", [](Quad a, Quad) { return a * (180 / pi); }},
      {"radians", [](Quad a, Quad) { return a * (pi / 180); }},
      {"logaddexp", [](Quad a, Quad b) { return log_of_sum(a, b, 1); }},
      {"logaddexp2", [](Quad a, Quad b) { return log_of_sum(a, b, ln2); }},
  };
  return truth;
}

template <class T>
using Column = std::vector<T>;

/// A row of ops.def as a loop over columns of operands.
template <class T, class R>
struct Loop {
  std::string name;
  int arity;
  double low, high;
  int budget;
  std::function<void(const Column<T>&, const Column<T>&, Column<R>&)> run;
};

template <class T>
constexpr unsigned kind_of = is_complex<T> ? TD_C : is_float<T> ? TD_F : is_boolean<T> ? TD_B : TD_I;

/// The rows that have dtype T, give R and are a function of at most two operands.
template <class T, class R>
std::vector<Loop<T, R>> loops() {
  std::vector<Loop<T, R>> rows;
#define TD_OP(name, arity, types, result, expression, low, high, ulp, doc)                                           \
  if constexpr (((types)&kind_of<T>) != 0 && (arity) <= 2 && (result) != TD_BOOL && (result) != TD_COMPLEX) {        \
    if constexpr (std::is_same_v<R, std::conditional_t<(result) == TD_REAL, real_t<T>, T>>) {                        \
      const auto run = [](const Column<T>& first, const Column<T>& second, Column<R>& out) {                         \
        const T *__restrict x = first.data(), *__restrict y = second.data();                                         \
        R* __restrict to = out.data();                                                                               \
        for (std::size_t i = 0; i < out.size(); ++i) {                                                               \
          [[maybe_unused]] constexpr bool p = true;                                                                  \
          [[maybe_unused]] const T a = x[i], b = y[i], c = b, d = b;                                                 \
          to[i] = (expression);                                                                                      \
        }                                                                                                            \
      };                                                                                                             \
      rows.push_back({#name, arity, low, high, ulp, run});                                                           \
    }                                                                                                                \
  }
#include <tandem/ops.def>
  return rows;
}

template <class F>
void check_budget(const Loop<F, F>& row, const Column<F>& a, const Column<F>& b) {
  const auto truth = real_truth().find(row.name);
  ASSERT_TRUE(truth != real_truth().end()) << "no truth for " << row.name;
  const bool positive = row.name == "lgamma" || row.name == "tgamma";  // what their budget is for
  Column<F> got(a.size());
  row.run(a, b, got);
  double worst = -1;
  std::size_t at = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (positive && a[i] < 0) continue;
    const double error = ulp_error(got[i], truth->second(a[i], b[i]));
    if (error > worst) worst = error, at = i;
  }
  EXPECT_LE(worst, row.budget) << row.name << "(" << text(a[at]) << ", " << text(b[at]) << ") = " << text(got[at])
                               << ", expected " << static_cast<double>(truth->second(a[at], b[at]));
}

TEST(ScalarFloat, BudgetsOnTheRangeOfTheRow) {
  for_types<f32, f64>([]<class F>(Type<F>) {
    std::mt19937_64 random(17);
    for (const auto& row : loops<F, F>()) {
      if (row.budget == 0) continue;
      Column<F> a, b;
      for (int i = 0; i < 4096; ++i) {
        a.push_back(float_in<F>(random, row.low, row.high));
        b.push_back(float_in<F>(random, row.low, row.high));
      }
      check_budget(row, a, b);
    }
  });
}

TEST(ScalarFloat, BudgetsOnRandomBitsAndAllSizes) {
  for_types<f32, f64>([]<class F>(Type<F>) {
    std::mt19937_64 random(19);
    for (const auto& row : loops<F, F>()) {
      if (row.budget == 0 || row.name.starts_with("logaddexp")) continue;
      Column<F> a, b;
      for (int i = 0; i < 2048; ++i) {
        a.push_back(any_float<F>(random));
        b.push_back(any_float<F>(random));
        a.push_back(float_of_size<F>(random, -40, 10));
        b.push_back(float_of_size<F>(random, -20, 7));
        a.push_back(1 + float_of_size<F>(random, -30, -3));
        b.push_back(float_of_size<F>(random, -3, 10));
      }
      check_budget(row, a, b);
    }
  });
}

TEST(ScalarFloat, BudgetsOnSpecialValues) {
  for_types<f32, f64>([]<class F>(Type<F>) {
    const std::vector<F> special = special_floats<F>();
    for (const auto& row : loops<F, F>()) {
      if (row.budget == 0) continue;
      Column<F> a, b;
      for (F x : special)
        for (F y : special)
          if (row.arity == 2 || y == special[0]) a.push_back(x), b.push_back(y);
      check_budget(row, a, b);
    }
  });
}

// Near a result of 0 the two terms cancel; the sum is kept to 80 bits.
TEST(ScalarFloat, LogaddexpNearZero) {
  std::mt19937_64 random(23);
  for (int i = 0; i < 20000; ++i) {
    const f64 a = float_in<f64>(random, -2, -0.01), b = std::log(-std::expm1(a)) + float_of_size<f64>(random, -50, -3);
    EXPECT_LE(static_cast<double>(fabsq(logaddexp(a, b) - log_of_sum(a, b, 1))),
              0x1p-80 + 0x1p-50 * std::fabs(logaddexp(a, b))) << a << ", " << b;
    const f64 c = a / M_LN2, d = b / M_LN2;
    EXPECT_LE(static_cast<double>(fabsq(logaddexp2(c, d) - log_of_sum(c, d, ln2))),
              0x1p-80 + 0x1p-50 * std::fabs(logaddexp2(c, d))) << c << ", " << d;
  }
}

// ---- complex ----------------------------------------------------------------------------------------------------

struct QuadComplex {
  Quad re, im;
};
__complex128 pack(QuadComplex z) {
  __complex128 w;
  __real__ w = z.re;
  __imag__ w = z.im;
  return w;
}
QuadComplex unpack(__complex128 w) { return {__real__ w, __imag__ w}; }
QuadComplex times(QuadComplex a, QuadComplex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
QuadComplex scale(QuadComplex z, Quad s) { return {z.re * s, z.im * s}; }
QuadComplex log_truth(QuadComplex z) {
  const Quad m = fmaxq(fabsq(z.re), fabsq(z.im)), n = fminq(fabsq(z.re), fabsq(z.im));
  const Quad excess = (m - 1) * (m + 1) + n * n;
  return {fabsq(excess) < 0.5 ? log1pq(excess) / 2 : logq(hypotq(m, n)), atan2q(z.im, z.re)};
}
QuadComplex quotient_truth(QuadComplex a, QuadComplex b) {
  const Quad square = b.re * b.re + b.im * b.im;
  return scale(times(a, {b.re, -b.im}), 1 / square);
}

using ComplexTruth = std::function<QuadComplex(QuadComplex, QuadComplex)>;
const std::map<std::string, ComplexTruth>& complex_truth() {
  static const std::map<std::string, ComplexTruth> truth = {
#define UNARY(name) {#name, [](QuadComplex z, QuadComplex) { return unpack(c##name##q(pack(z))); }},
      UNARY(sqrt) UNARY(exp) UNARY(sin) UNARY(cos) UNARY(tan) UNARY(asin) UNARY(acos) UNARY(atan) UNARY(sinh)
      UNARY(cosh) UNARY(tanh) UNARY(asinh) UNARY(acosh) UNARY(atanh)
#undef UNARY
      {"exp2", [](QuadComplex z, QuadComplex) { return unpack(cexpq(pack(scale(z, ln2)))); }},
      {"expm1",
       [](QuadComplex z, QuadComplex) {
         const Quad s = sinq(z.im / 2);
         return QuadComplex{expm1q(z.re) * cosq(z.im) - 2 * s * s, expq(z.re) * sinq(z.im)};
       }},
      {"log", [](QuadComplex z, QuadComplex) { return log_truth(z); }},
      {"log2", [](QuadComplex z, QuadComplex) { return scale(log_truth(z), 1 / ln2); }},
      {"log10", [](QuadComplex z, QuadComplex) { return scale(log_truth(z), 1 / ln10); }},
      {"log1p",
       [](QuadComplex z, QuadComplex) {
         const Quad excess = z.re * (2 + z.re) + z.im * z.im;
         const QuadComplex far = log_truth({1 + z.re, z.im});
         return QuadComplex{fabsq(excess) < 0.5 ? log1pq(excess) / 2 : far.re, far.im};
       }},
      {"sign", [](QuadComplex z, QuadComplex) { return scale(z, 1 / hypotq(z.re, z.im)); }},
      {"divide", quotient_truth},
      {"reciprocal", [](QuadComplex z, QuadComplex) { return quotient_truth({1, 0}, z); }},
      {"pow", [](QuadComplex a, QuadComplex b) { return unpack(cexpq(pack(times(b, log_truth(a))))); }},
  };
  return truth;
}

/// |got - truth| of complex results in units of epsilon times |truth|; what falls below the smallest normal counts as
/// a unit of the subnormals.
template <class F>
double complex_error(complex<F> got, QuadComplex truth) {
  const Quad distance = hypotq(got.re - truth.re, got.im - truth.im) - 2 * Quad(Limits<F>::denorm_min());
  return distance <= 0 ? 0 : static_cast<double>(distance / (hypotq(truth.re, truth.im) * Limits<F>::epsilon()));
}

template <class F>
void check_complex(const std::string& name, const Column<complex<F>>& a, const Column<complex<F>>& b, double budget) {
  const ComplexTruth& truth = complex_truth().at(name);
  for (const auto& row : loops<complex<F>, complex<F>>()) {
    if (row.name != name) continue;
    Column<complex<F>> got(a.size());
    row.run(a, b, got);
    double worst = -1;
    std::size_t at = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const QuadComplex expected = truth({a[i].re, a[i].im}, {b[i].re, b[i].im});
      if (!std::isfinite(static_cast<F>(expected.re)) || !std::isfinite(static_cast<F>(expected.im))) continue;
      const double error = complex_error(got[i], expected);
      if (!(error <= worst)) worst = error, at = i;
    }
    EXPECT_LE(worst, budget) << name << "(" << text(a[at]) << ", " << text(b[at]) << ") = " << text(got[at]);
  }
}

/// Errors of the modulus in epsilon that are allowed.
constexpr double complex_budget = 5;

TEST(ScalarComplex, ErrorsOfTheModulus) {
  for_types<f32, f64>([]<class F>(Type<F>) {
    for (const auto& [name, truth] : complex_truth()) {
      if (name == "pow") continue;
      std::mt19937_64 random(29);
      Column<complex<F>> a, b;
      const auto push = [&](complex<F> z) {
        a.push_back(z);
        b.push_back({float_in<F>(random, -10, 10), float_in<F>(random, -10, 10)});
      };
      const auto one_or_zero = [&] { return static_cast<F>(static_cast<int>(random() % 3) - 1); };
      for (int i = 0; i < 1500; ++i) {
        push({float_in<F>(random, -10, 10), float_in<F>(random, -10, 10)});
        push({float_of_size<F>(random, -30, 6), float_of_size<F>(random, -30, 6)});
        push({one_or_zero() + float_of_size<F>(random, -40, -2), one_or_zero() + float_of_size<F>(random, -40, -2)});
        const F angle = float_in<F>(random, 0, 6.3);
        push({std::cos(angle), std::sin(angle)});
      }
      check_complex(name, a, b, complex_budget);
    }
  });
}

TEST(ScalarComplex, ErrorsAtAllSizes) {
  for_types<f32, f64>([]<class F>(Type<F>) {
    const std::vector<F> sizes = {F(0), F(1), F(0.5), F(3), F(1e10), F(1e20), F(30), F(88.5), F(700), Limits<F>::max(),
                                  Limits<F>::max() / 2, Limits<F>::min(), Limits<F>::denorm_min(), Limits<F>::min() / 4,
                                  1 + Limits<F>::epsilon(), 1 - Limits<F>::epsilon() / 2, Limits<F>::epsilon()};
    for (const auto& [name, truth] : complex_truth()) {
      if (name == "pow" || name == "exp2") continue;  // as good as the rounded product in the exponent
      std::mt19937_64 random(31);
      Column<complex<F>> a, b;
      for (F x : sizes)
        for (F y : sizes)
          for (F s : {F(1), F(-1)}) {
            a.push_back({x, s * y});
            b.push_back({F(0.5), F(0.25)});
          }
      for (int i = 0; i < 1500; ++i) {
        a.push_back({any_float<F>(random), any_float<F>(random)});
        b.push_back({any_float<F>(random), any_float<F>(random)});
      }
      check_complex(name, a, b, complex_budget);
    }
  });
}

// The error of b log(a) becomes a relative one. complex64 is computed with more precision.
TEST(ScalarComplex, PowersOnTheRangeOfTheRow) {
  for_types<f32, f64>([]<class F>(Type<F>) {
    std::mt19937_64 random(41);
    Column<complex<F>> a, b, whole;
    for (int i = 0; i < 4000; ++i) {
      a.push_back({float_in<F>(random, 0, 10), float_in<F>(random, 0, 10)});
      b.push_back({float_in<F>(random, 0, 10), float_in<F>(random, 0, 10)});
      whole.push_back({static_cast<F>(static_cast<int>(random() % 65) - 32), 0});
    }
    check_complex("pow", a, b, sizeof(F) == 8 ? 64 : 2);
    check_complex("pow", a, whole, 64);
  });
}

TEST(ScalarComplex, AbsOfAllSizes) {
  for_types<f32, f64>([]<class F>(Type<F>) {
    std::mt19937_64 random(37);
    for (int i = 0; i < 20000; ++i) {
      const complex<F> z = {any_float<F>(random), any_float<F>(random)};
      EXPECT_LE(ulp_error(abs(z), hypotq(z.re, z.im)), 2) << text(z);
      EXPECT_LE(ulp_error(angle(z), atan2q(z.im, z.re)), 4) << text(z);
    }
    EXPECT_SAME(abs(complex<F>{Limits<F>::infinity(), Limits<F>::quiet_NaN()}), Limits<F>::infinity(), "inf, nan");
  });
}

// glibc's functions follow annex G. Signs that it leaves open are not compared: with NaN, and where an infinite angle
// makes a sine or cosine of no sign.
TEST(ScalarComplex, SpecialValuesOfAnnexG) {
  using C = std::complex<double>;
  struct Function {
    const char* name;
    C (*expected)(const C&);
    enum { angle_re, angle_im, no_angle } angle;
  };
  const std::vector<Function> functions = {
      {"sqrt", std::sqrt, Function::no_angle},   {"exp", std::exp, Function::angle_im},
      {"log", std::log, Function::no_angle},     {"sin", std::sin, Function::angle_re},
      {"cos", std::cos, Function::angle_re},     {"tan", std::tan, Function::angle_re},
      {"asin", std::asin, Function::no_angle},   {"acos", std::acos, Function::no_angle},
      {"atan", std::atan, Function::no_angle},   {"sinh", std::sinh, Function::angle_im},
      {"cosh", std::cosh, Function::angle_im},   {"tanh", std::tanh, Function::angle_im},
      {"asinh", std::asinh, Function::no_angle}, {"acosh", std::acosh, Function::no_angle},
      {"atanh", std::atanh, Function::no_angle}};
  const double inf = HUGE_VAL, nan = Limits<double>::quiet_NaN();
  const auto rows = loops<c128, c128>();
  for (const Function& function : functions) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.name == function.name; });
    ASSERT_TRUE(row != rows.end());
    for (double x : {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, inf, -inf, nan})
      for (double y : {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, inf, -inf, nan}) {
        const Column<c128> z(8, c128{x, y});
        Column<c128> got(8);
        row->run(z, z, got);
        const C expected = function.expected(C(x, y));
        const bool open = std::isnan(x) || std::isnan(y) || (function.angle == Function::angle_re && std::isinf(x)) ||
                          (function.angle == Function::angle_im && std::isinf(y));
        const auto agrees = [&](double g, double e) {
          if (open) g = std::fabs(g), e = std::fabs(e);
          if (std::isfinite(e) && e != 0) return std::fabs(g - e) <= 1e-15 * std::fabs(e);
          return same(g, e);
        };
        EXPECT_TRUE(agrees(got[5].re, expected.real()) && agrees(got[5].im, expected.imag()))
            << function.name << "(" << x << ", " << y << ") = " << text(got[5]) << ", expected (" << expected.real()
            << ", " << expected.imag() << ")";
      }
  }
}

// Values that NumPy gives.
TEST(ScalarComplex, PowersQuotientsAndOrder) {
  const double inf = HUGE_VAL, nan = Limits<double>::quiet_NaN();
  EXPECT_SAME(pow(c128{1, 2}, c128{2, 0}), (c128{-3, 4}), "whole power");
  EXPECT_SAME(pow(c64{3, 4}, c64{3, 0}), (c64{-117, 44}), "whole power");
  EXPECT_SAME(pow(c128{2, 0}, c128{-2, 0}), (c128{0.25, 0}), "whole negative power");
  EXPECT_SAME(pow(c128{0, 0}, c128{0, 0}), (c128{1, 0}), "0**0");
  EXPECT_SAME(pow(c128{0, 0}, c128{1, 0}), (c128{0, 0}), "0**1");
  EXPECT_SAME(pow(c128{0, 0}, c128{0.5, 0.25}), (c128{0, 0}), "0**(0.5+0.25j)");
  EXPECT_SAME(pow(c128{0, 0}, c128{-1, 0}), (c128{nan, nan}), "0**-1");
  EXPECT_SAME(pow(c128{0, 0}, c128{0, 1}), (c128{nan, nan}), "0**1j");
  EXPECT_SAME(divide(c128{1, 1}, c128{0, 0}), (c128{inf, inf}), "x/0");
  EXPECT_SAME(divide(c128{0, 0}, c128{0, 0}), (c128{nan, nan}), "0/0");
  EXPECT_SAME(divide(c64{1, 2}, c64{3, -4}), (c64{-0.19999999f, 0.39999998f}), "quotient");
  EXPECT_SAME(sign(c128{inf, 1}), (c128{1, 0}), "sign");
  EXPECT_SAME(sign(c128{1, -inf}), (c128{0, -1}), "sign");
  EXPECT_SAME(sign(c128{inf, inf}), (c128{nan, nan}), "sign");
  EXPECT_SAME(sign(c128{0, -0.0}), (c128{0, 0}), "sign");
  EXPECT_SAME(rint(c128{1.5, -2.5}), (c128{2, -2}), "rint");
  EXPECT_SAME(conj(c128{1, 0}), (c128{1, -0.0}), "conj");
  EXPECT_SAME(make_complex(1.0f, 2.0f), (c64{1, 2}), "make_complex");

  EXPECT_TRUE(less(c128{1, 2}, c128{1, 3}) && less(c128{1, 9}, c128{2, 0}) && less_equal(c128{1, 2}, c128{1, 2}));
  EXPECT_FALSE(less(c128{nan, 0}, c128{1, 0}) || less(c128{0, nan}, c128{1, 0}) || less(c128{0, 0}, c128{1, nan}));
  EXPECT_FALSE(less_equal(c128{1, nan}, c128{1, nan}) || equal(c128{nan, 0}, c128{nan, 0}));
  EXPECT_SAME(maximum(c128{1, 2}, c128{1, 3}), (c128{1, 3}), "maximum");
  EXPECT_SAME(maximum(c128{nan, 1}, c128{2, nan}), (c128{nan, 1}), "maximum");
  EXPECT_SAME(minimum(c128{5, 1}, c128{2, nan}), (c128{2, nan}), "minimum");
  EXPECT_SAME(fmax(c128{nan, 1}, c128{2, 0}), (c128{2, 0}), "fmax");
  EXPECT_SAME(fmin(c128{1, 0}, c128{2, nan}), (c128{1, 0}), "fmin");
  EXPECT_TRUE(isclose(c128{1, 1}, c128{1, 1.0001}, c128{1e-3, 0}, c128{0, 0}));
  EXPECT_FALSE(isclose(c128{1, 1}, c128{inf, 1}, c128{1e-3, 0}, c128{0, 0}));
  EXPECT_TRUE(isnan(c64{0, Limits<f32>::quiet_NaN()}) && isinf(c64{-HUGE_VALF, 0}) && !isfinite(c64{0, HUGE_VALF}));
}

// Every complex row that is not exact has its truth above.
TEST(ScalarComplex, EveryRowHasATruth) {
  int found = 0;
  for (const auto& row : loops<c128, c128>()) {
    const bool inexact = row.budget != 0 || row.name == "sqrt" || row.name == "divide";
    EXPECT_TRUE(!inexact || complex_truth().contains(row.name)) << row.name;
    found += complex_truth().contains(row.name);
  }
  EXPECT_EQ(found, static_cast<int>(complex_truth().size()));
}

}  // namespace
}  // namespace tandem::test
