// arange, linspace and rounding, as NumPy computes them.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;

namespace {

TEST(Arange, CountsAndDtypes) {
  EXPECT_TRUE(same(td::arange(3), td::array({0, 1, 2})));
  EXPECT_TRUE(same(td::arange(3.0), td::array({0.0, 1.0, 2.0})));
  EXPECT_TRUE(same(td::arange(1, 4), td::array({1, 2, 3})));
  EXPECT_TRUE(same(td::arange(5, 0, -2), td::array({5, 3, 1})));
  EXPECT_EQ(td::arange(0).shape(), td::Shape{0});
  EXPECT_EQ(td::arange(5, 0).shape(), td::Shape{0});
  EXPECT_EQ(td::arange(0, 5, -1).shape(), td::Shape{0});
  EXPECT_EQ(td::arange(0, 10, 3).size(), 4);
  EXPECT_EQ(td::arange(3, {.dtype = td::uint8}).dtype(), td::uint8);
  EXPECT_EQ(td::arange(0, 2, 0.5).dtype(), td::float64);
  EXPECT_EQ(td::arange(-3, -10, -3).to_vector<int>(), (std::vector<int>{-3, -6, -9}));
}

TEST(Arange, StepIsTheDifferenceInTheDtype) {
  EXPECT_TRUE(same(td::arange(1, 1.3, 0.1), td::array({1.0, 1.1, 1.2000000000000002, 1.3000000000000003})));
  EXPECT_TRUE(same(td::arange(0, 5, 0.5, {.dtype = td::int64}), td::zeros({10}, {.dtype = td::int64})));
  const Array x = td::arange(0, 1, 0.1);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(x(i).item<double>(), i * 0.1);
}

TEST(Arange, LargeIntegersAreExact) {
  EXPECT_TRUE(same(td::arange(9007199254740993, 9007199254740996),
                   td::array({9007199254740993, 9007199254740994, 9007199254740995})));
}

TEST(Arange, BadStepsAreErrors) {
  EXPECT_TRUE(throws([] { td::arange(0, 5, 0); }, "arange: ", {"step"}));
  EXPECT_TRUE(throws([] { td::arange(0, 5, std::nan("")); }, "arange: "));
  EXPECT_TRUE(throws([] { td::arange(0, std::numeric_limits<double>::infinity()); }, "arange: "));
}

TEST(Linspace, HitsBothEnds) {
  EXPECT_TRUE(same(td::linspace(0, 1, 5), td::array({0.0, 0.25, 0.5, 0.75, 1.0})));
  EXPECT_TRUE(same(td::linspace(0, 1, 5, {.endpoint = false}), td::array({0.0, 0.2, 0.4, 0.6000000000000001, 0.8})));
  EXPECT_TRUE(same(td::linspace(1, -1, 3), td::array({1.0, 0.0, -1.0})));
  EXPECT_TRUE(same(td::linspace(2, 7, 1), td::array({2.0})));
  EXPECT_EQ(td::linspace(0, 1, 0).shape(), td::Shape{0});
  EXPECT_TRUE(same(td::linspace(3, 3, 3), td::array({3.0, 3.0, 3.0})));
  for (int num : {2, 3, 7, 50, 1001}) {
    const Array x = td::linspace(0.1, 0.7, num);
    EXPECT_EQ(x(0).item<double>(), 0.1);
    EXPECT_EQ(x(-1).item<double>(), 0.7);
    const double step = (0.7 - 0.1) / (num - 1);
    for (int i = 0; i + 1 < num; ++i) EXPECT_EQ(x(i).item<double>(), i * step + 0.1) << num << " " << i;
  }
}

TEST(Linspace, StepsThatUnderflow) {
  const double unit = 5e-324;
  EXPECT_TRUE(same(td::linspace(0.0, 2 * unit, 5), td::array({0.0, 0.0, unit, 2 * unit, 2 * unit})));
}

TEST(Linspace, DtypesAndErrors) {
  EXPECT_TRUE(same(td::linspace(-1, 1, 4, {.dtype = td::int64}), td::array({-1, -1, 0, 1})));
  EXPECT_EQ(td::linspace(0, 1, 3, {.dtype = td::float32}).dtype(), td::float32);
  EXPECT_EQ(td::linspace(0, std::complex<double>(0, 1), 3).dtype(), td::complex128);
  EXPECT_TRUE(same(td::linspace(0, std::complex<double>(2, 4), 3),
                   td::array({std::complex<double>(0), std::complex<double>(1, 2), std::complex<double>(2, 4)})));
  EXPECT_TRUE(throws([] { td::linspace(0, 1, -1); }, "linspace: ", {"-1"}));
}

TEST(Rounding, HalvesToEven) {
  const Array x = td::array({0.5, 1.5, 2.5, -0.5, -1.5, 0.49999999999999994, -0.0, 4503599627370495.5});
  EXPECT_TRUE(same(td::rint(x), td::array({0.0, 2.0, 2.0, -0.0, -2.0, 0.0, -0.0, 4503599627370496.0})));
  EXPECT_TRUE(same(td::round(x), td::rint(x)));
  EXPECT_TRUE(same(td::floor(x), td::array({0.0, 1.0, 2.0, -1.0, -2.0, 0.0, -0.0, 4503599627370495.0})));
  EXPECT_TRUE(same(td::ceil(x), td::array({1.0, 2.0, 3.0, -0.0, -1.0, 1.0, -0.0, 4503599627370496.0})));
  EXPECT_TRUE(same(td::trunc(x), td::array({0.0, 1.0, 2.0, -0.0, -1.0, 0.0, -0.0, 4503599627370495.0})));
}

TEST(Rounding, ToDecimals) {
  EXPECT_TRUE(same(td::round(td::array({1.234, 5.675, -2.5, 1e300}), 2), td::array({1.23, 5.68, -2.5, 1e300})));
  EXPECT_TRUE(same(td::round(td::array({15, 25, -15, 34}), -1), td::array({20, 20, -20, 30})));
  EXPECT_TRUE(same(td::round(td::array({15, 25}), 3), td::array({15, 25})));
  EXPECT_TRUE(same(td::round(td::array({1234.0}), -2), td::array({1200.0})));
  EXPECT_EQ(td::round(td::array({1.5}, {.dtype = td::float32}), 1).dtype(), td::float32);
  // The parts of complex numbers are rounded by themselves.
  using C = std::complex<double>;
  EXPECT_TRUE(same(td::round(td::array({C(44.44, -0.04), C(264.88, INFINITY)}), 1),
                   td::array({C(44.4, -0.0), C(264.9, INFINITY)})));
}

TEST(Rounding, IntegersStayThemselves) {
  for (td::DType dtype : {td::int8, td::uint32, td::int64}) {
    const Array x = td::array({1, 2, 3}, {.dtype = dtype});
    EXPECT_TRUE(same(td::floor(x), x));
    EXPECT_TRUE(same(td::ceil(x), x));
    EXPECT_TRUE(same(td::trunc(x), x));
    EXPECT_TRUE(same(td::rint(x), x));
  }
}

TEST(Sign, OfNaNAndZero) {
  EXPECT_TRUE(same(td::sign(td::array({std::nan(""), -0.0, 3.0, -2.0})), td::array({std::nan(""), 0.0, 1.0, -1.0})));
  EXPECT_TRUE(near(td::sign(td::array({std::complex<double>(3, 4), std::complex<double>(0, 0)})),
                   td::array({std::complex<double>(0.6, 0.8), std::complex<double>(0, 0)}), 1e-15));
}

TEST(Clip, BoundsAndNaN) {
  const Array x = td::array({-5.0, 0.5, 9.0, std::nan("")});
  EXPECT_TRUE(same(td::clip(x, {.min = 0, .max = 1}), td::array({0.0, 0.5, 1.0, std::nan("")})));
  EXPECT_TRUE(same(td::clip(x, {.min = 0}), td::array({0.0, 0.5, 9.0, std::nan("")})));
  EXPECT_TRUE(same(td::clip(x, {.min = 3, .max = 1}), td::array({1.0, 1.0, 1.0, std::nan("")})));  // min above max: max
  EXPECT_TRUE(same(td::clip(td::arange(5), td::array({1, 1, 1, 1, 1}), td::array({3, 3, 3, 3, 3})),
                   td::array({1, 1, 2, 3, 3})));
  EXPECT_EQ(td::clip(td::arange(5, {.dtype = td::int8}), {.min = 1, .max = 3}).dtype(), td::int8);
  const Array bytes = td::array({0, 200, 255}, {.dtype = td::uint8});
  EXPECT_TRUE(same(td::clip(bytes, {.min = -1, .max = 300}), bytes));
  EXPECT_TRUE(same(td::clip(bytes, {.min = 9, .max = UINT64_MAX}), td::array({9, 200, 255}, {.dtype = td::uint8})));
  EXPECT_TRUE(throws([&] { td::clip(bytes, {.min = 300}); }, "clip: integer 300 is out of bounds"));
  EXPECT_TRUE(throws([&] { td::clip(bytes, {.max = -1}); }, "clip: integer -1 is out of bounds"));
}

TEST(Hypot, AndFriendsAtInfinity) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  EXPECT_TRUE(same(td::hypot(td::array({inf, nan, 3.0}), td::array({nan, -inf, 4.0})), td::array({inf, inf, 5.0})));
  EXPECT_TRUE(
      same(td::logaddexp(td::array({-inf, inf, inf}), td::array({-inf, inf, -inf})), td::array({-inf, inf, inf})));
  EXPECT_TRUE(
      near(td::logaddexp(td::array({1000.0}), td::array({1000.0})), td::array({1000.0 + std::log(2.0)}), 1e-15));
  EXPECT_TRUE(near(td::logaddexp2(td::array({2000.0}), td::array({2000.0})), td::array({2001.0}), 0));
}

TEST(IsClose, FollowsNumPy) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  const Array a = td::array({1.0, 1.0, inf, inf, 1.0, inf, nan}),
              b = td::array({1.0 + 9e-6, 1.1, inf, -inf, inf, 1.0, nan});
  EXPECT_TRUE(same(td::isclose(a, b), td::array({true, false, true, false, false, false, false})));
  EXPECT_TRUE(same(td::isclose(a, b, {.equal_nan = true}), td::array({true, false, true, false, false, false, true})));
  EXPECT_TRUE(same(td::isclose(td::array({1, 2}), td::array({1, 3}), {.rtol = 0, .atol = 1}), td::array({true, true})));
}

TEST(NanToNum, ReplacesEachKind) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Array x = td::array({std::nan(""), inf, -inf, 1.5});
  EXPECT_TRUE(same(td::nan_to_num(x),
                   td::array({0.0, std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest(), 1.5})));
  EXPECT_TRUE(same(td::nan_to_num(x, {.nan = 7, .posinf = 8, .neginf = 9}), td::array({7.0, 8.0, 9.0, 1.5})));
  for (td::DType dtype : {td::float16, td::bfloat16, td::float32})
    EXPECT_TRUE(td::all(td::isfinite(td::nan_to_num(x.astype(dtype)))).item<bool>()) << dtype;
  EXPECT_TRUE(same(td::nan_to_num(td::array({std::complex<double>(std::nan(""), inf)}), {.posinf = 2.0}),
                   td::array({std::complex<double>(0, 2)})));
  EXPECT_TRUE(same(td::nan_to_num(td::arange(3)), td::arange(3)));
}

}  // namespace
