// Complex functions: branch cuts chosen by signed zeros, special values, parts.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;

namespace {

using C = std::complex<double>;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = 3.141592653589793;

/// Numbers near in both parts, zeros equal in sign.
::testing::AssertionResult is(const Array& actual, C expected, double tolerance = 4e-15) {
  const C got = actual.item<C>();
  const auto part = [&](double g, double e) {
    if (std::isnan(e)) return std::isnan(g);
    if (e == 0 || std::isinf(e)) return g == e && std::signbit(g) == std::signbit(e);
    return std::fabs(g - e) <= tolerance * std::fabs(e);
  };
  if (part(got.real(), expected.real()) && part(got.imag(), expected.imag())) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << text<C>(got) << ", expected " << text<C>(expected);
}

/// In either precision.
template <class Function>
void check(Function&& function, C z, C expected) {
  EXPECT_TRUE(is(function(td::array(z)), expected)) << text<C>(z);
  EXPECT_TRUE(is(function(td::array(z, {.dtype = td::complex64})), expected, 4e-7)) << "complex64 " << text<C>(z);
}
#define CHECK(function, z, expected) check([](const Array& x) { return td::function(x); }, z, expected)

TEST(BranchCuts, SqrtAndLogOnTheNegativeAxis) {
  CHECK(sqrt, C(-1, 0.0), C(0, 1));
  CHECK(sqrt, C(-1, -0.0), C(0, -1));
  CHECK(sqrt, C(-4, 0.0), C(0, 2));
  CHECK(log, C(-1, 0.0), C(0, pi));
  CHECK(log, C(-1, -0.0), C(0, -pi));
  CHECK(log2, C(-2, 0.0), C(1, pi / std::log(2.0)));
  CHECK(log10, C(-10, -0.0), C(1, -pi / std::log(10.0)));
  CHECK(log1p, C(-2, 0.0), C(0, pi));
  CHECK(log1p, C(-2, -0.0), C(0, -pi));
}

TEST(BranchCuts, InverseTrigonometric) {
  const double a = 1.3169578969248166;   // acosh(2)
  const double b = 0.5493061443340549;   // atanh(1/2)
  CHECK(asin, C(2, 0.0), C(pi / 2, a));
  CHECK(asin, C(2, -0.0), C(pi / 2, -a));
  CHECK(asin, C(-2, 0.0), C(-pi / 2, a));
  CHECK(acos, C(2, 0.0), C(0, -a));
  CHECK(acos, C(2, -0.0), C(0, a));
  CHECK(acos, C(-2, 0.0), C(pi, -a));
  CHECK(atan, C(0.0, -2), C(pi / 2, -b));
  CHECK(atan, C(-0.0, -2), C(-pi / 2, -b));
  CHECK(atan, C(0.0, 2), C(pi / 2, b));
  CHECK(asinh, C(0.0, -2), C(a, -pi / 2));
  CHECK(asinh, C(-0.0, -2), C(-a, -pi / 2));
  CHECK(acosh, C(-2, 0.0), C(a, pi));
  CHECK(acosh, C(-2, -0.0), C(a, -pi));
  CHECK(acosh, C(0.5, 0.0), C(0, pi / 3));
  CHECK(atanh, C(2, 0.0), C(b, pi / 2));
  CHECK(atanh, C(2, -0.0), C(b, -pi / 2));
}

TEST(SpecialValues, RootsAndLogarithms) {
  CHECK(sqrt, C(0.0, 0.0), C(0, 0));
  CHECK(sqrt, C(-0.0, -0.0), C(0, -0.0));
  CHECK(sqrt, C(1, inf), C(inf, inf));
  CHECK(sqrt, C(nan, -inf), C(inf, -inf));
  CHECK(sqrt, C(-inf, 1), C(0, inf));
  CHECK(sqrt, C(inf, -1), C(inf, -0.0));
  CHECK(log, C(0.0, 0.0), C(-inf, 0));
  CHECK(log, C(-0.0, 0.0), C(-inf, pi));
  CHECK(log, C(inf, inf), C(inf, pi / 4));
  CHECK(log, C(-inf, -inf), C(inf, -3 * pi / 4));
  CHECK(log1p, C(-1, 0.0), C(-inf, 0));
  CHECK(atanh, C(1, 0.0), C(inf, 0));
  CHECK(atanh, C(-1, 0.0), C(-inf, 0));
}

TEST(SpecialValues, Exponentials) {
  CHECK(exp, C(0.0, 0.0), C(1, 0));
  CHECK(exp, C(0, -0.0), C(1, -0.0));
  CHECK(exp, C(-inf, 1), C(0, 0));
  CHECK(exp, C(inf, 0.0), C(inf, 0));
  CHECK(exp, C(nan, 0.0), C(nan, 0));
  CHECK(exp, C(1, inf), C(nan, nan));
  CHECK(expm1, C(0.0, 0.0), C(0, 0));
  CHECK(sinh, C(0.0, 0.0), C(0, 0));
  CHECK(cosh, C(0.0, 0.0), C(1, 0));
  CHECK(tanh, C(inf, 1), C(1, 0.0));
  CHECK(tanh, C(0.0, -0.0), C(0, -0.0));
}

TEST(SpecialValues, HugeArgumentsDoNotOverflowOnTheWay) {
  EXPECT_TRUE(is(td::abs(td::array(C(3e300, 4e300))).astype(td::complex128), C(5e300, 0)));
  EXPECT_TRUE(is(td::sqrt(td::array(C(1e308, 1e308))), std::sqrt(C(1e308, 1e308))));
  EXPECT_TRUE(is(td::log(td::array(C(1e308, 1e308))), C(std::log(1e308) + std::log(2.0) / 2, pi / 4)));
  EXPECT_TRUE(is(td::tanh(td::array(C(1000, 1))), C(1, 0.0)));
  EXPECT_TRUE(is(td::asinh(td::array(C(1e200, 1e200))), std::asinh(C(1e200, 1e200))));
  EXPECT_TRUE(is(td::acos(td::array(C(1e-200, 1e200))), std::acos(C(1e-200, 1e200))));
}

TEST(SpecialValues, SmallArgumentsKeepTheirDigits) {
  EXPECT_TRUE(is(td::log1p(td::array(C(1e-20, 1e-20))), C(1e-20, 1e-20)));
  EXPECT_TRUE(is(td::expm1(td::array(C(1e-20, 1e-20))), C(1e-20, 1e-20)));
  EXPECT_TRUE(is(td::atan(td::array(C(1e-20, 1e-10))), C(1e-20, 1e-10)));
  EXPECT_TRUE(is(td::asin(td::array(C(1e-20, 1e-10))), C(1e-20, 1e-10)));
  EXPECT_TRUE(is(td::tanh(td::array(C(1e-20, 1e-10))), C(1e-20, 1e-10)));
}

TEST(SpecialValues, NoNaNWhereC99HasNone) {
  // Every function of the C library on a lattice of special parts: NaN and infinity in the same parts.
  const double parts[] = {0.0, -0.0, 1.0, -1.0, 0.5, inf, -inf, nan};
  const auto compare = [&](Array (*function)(const td::Operand&), C (*truth)(const C&), const char* name) {
    for (double re : parts)
      for (double im : parts) {
        const C z(re, im), got = function(td::array(z)).item<C>(), expected = truth(z);
        const auto kind = [](double x) { return std::isnan(x) ? 2 : std::isinf(x) ? 1 : 0; };
        EXPECT_EQ(kind(got.real()), kind(expected.real())) << name << text<C>(z) << " gave " << text<C>(got);
        EXPECT_EQ(kind(got.imag()), kind(expected.imag())) << name << text<C>(z) << " gave " << text<C>(got);
        const auto close = [&](double g, double e) { return kind(e) != 0 || std::fabs(g - e) <= 1e-14; };
        EXPECT_TRUE(close(got.real(), expected.real())) << name << text<C>(z) << " gave " << text<C>(got);
        EXPECT_TRUE(close(got.imag(), expected.imag())) << name << text<C>(z) << " gave " << text<C>(got);
      }
  };
  compare(td::sqrt, [](const C& z) { return std::sqrt(z); }, "sqrt");
  compare(td::exp, [](const C& z) { return std::exp(z); }, "exp");
  compare(td::log, [](const C& z) { return std::log(z); }, "log");
  compare(td::sinh, [](const C& z) { return std::sinh(z); }, "sinh");
  compare(td::cosh, [](const C& z) { return std::cosh(z); }, "cosh");
  compare(td::tanh, [](const C& z) { return std::tanh(z); }, "tanh");
  compare(td::asinh, [](const C& z) { return std::asinh(z); }, "asinh");
  compare(td::acosh, [](const C& z) { return std::acosh(z); }, "acosh");
  compare(td::atanh, [](const C& z) { return std::atanh(z); }, "atanh");
  compare(td::acos, [](const C& z) { return std::acos(z); }, "acos");
}

TEST(Powers, OfZero) {
  const auto pow = [](C a, C b) { return td::pow(td::array(a), td::array(b)); };
  EXPECT_TRUE(is(pow(0, 0), C(1, 0)));
  EXPECT_TRUE(is(pow(0, 1), C(0, 0)));
  EXPECT_TRUE(is(pow(0, C(2, 1)), C(0, 0)));
  EXPECT_TRUE(is(pow(0, -1), C(nan, nan)));
  EXPECT_TRUE(is(pow(C(1, 2), 0), C(1, 0)));
  EXPECT_TRUE(near(pow(C(0, 1), 2), td::array(C(-1, 0)), 1e-15));
}

TEST(Parts, RealImagConjAngleAbs) {
  const Array z = td::array({C(3, -4), C(-1, -0.0), C(inf, nan)});
  EXPECT_TRUE(same(td::real(z), td::array({3.0, -1.0, inf})));
  EXPECT_TRUE(same(td::imag(z), td::array({-4.0, -0.0, nan})));
  EXPECT_TRUE(same(td::conj(z), td::array({C(3, 4), C(-1, 0), C(inf, nan)})));
  EXPECT_TRUE(same(td::abs(z), td::array({5.0, 1.0, inf})));
  EXPECT_TRUE(near(td::angle(z(td::slice(0, 2))), td::array({std::atan2(-4.0, 3.0), -pi}), 1e-15));
  EXPECT_TRUE(same(td::imag(td::arange(3)), td::zeros({3}, {.dtype = td::int64})));
  EXPECT_TRUE(near(td::angle(td::array({-1.0, 1.0})), td::array({pi, 0.0}), 1e-15));
}

TEST(Parts, MakeComplexPromotes) {
  EXPECT_TRUE(
      same(td::make_complex(td::array({1.0, -0.0}), td::array({2.0, -0.0})), td::array({C(1, 2), C(-0.0, -0.0)})));
  EXPECT_EQ(td::make_complex(td::ones({1}, {.dtype = td::float16}), 1).dtype(), td::complex64);
  EXPECT_EQ(td::make_complex(td::ones({1}, {.dtype = td::float32}), 1).dtype(), td::complex64);
  EXPECT_EQ(td::make_complex(td::ones({1}, {.dtype = td::int64}), 1).dtype(), td::complex128);
}

TEST(Arithmetic, OfInfinitiesIsNotRecovered) {
  // The plain formula, as NumPy multiplies: inf * 0 in the parts gives NaN.
  EXPECT_TRUE(is(td::array(C(inf, 0)) * td::array(C(0, 1)), C(nan, inf)));
  EXPECT_TRUE(is(td::array(C(1, 2)) * td::array(C(3, -4)), C(11, 2)));
}

TEST(Comparison, IsLexicographic) {
  const Array a = td::array({C(1, 2), C(1, 2), C(1, 3), C(nan, 0), C(1, nan)});
  const Array b = td::array({C(1, 3), C(1, 2), C(0, 9), C(nan, 0), C(2, 0)});
  EXPECT_TRUE(same(a < b, td::array({true, false, false, false, false})));
  EXPECT_TRUE(same(a <= b, td::array({true, true, false, false, false})));
  EXPECT_TRUE(same(a > b, td::array({false, false, true, false, false})));
  EXPECT_TRUE(same(a == b, td::array({false, true, false, false, false})));
  EXPECT_TRUE(same(a != b, td::array({true, false, true, true, true})));
}

}  // namespace
