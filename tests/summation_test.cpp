// Accuracy of sums: the fixed tree on every axis, against exact and long double sums.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;

namespace {

/// The documented bound: |error| <= (32 + 7 + log2 of the leaves) * eps * sum |x|.
double tree_bound(double n, double eps, double absolute_sum) {
  return (39 + std::max(0.0, std::ceil(std::log2(n / 4096)))) * eps * absolute_sum;
}

TEST(Summation, OnesCountExactlyOnEveryAxis) {
  const std::int64_t n = std::int64_t{1} << (on_backend("reference") ? 21 : 25);
  const Array ones = td::ones({n, 2}, {.dtype = td::float32});
  EXPECT_TRUE(same(td::sum(ones, {.axis = 0}), td::full({2}, double(n), {.dtype = td::float32})));
  EXPECT_TRUE(same(td::sum(ones), td::full({}, 2.0 * double(n), {.dtype = td::float32})));
  EXPECT_TRUE(same(td::sum(ones.transpose(), {.axis = 1}), td::full({2}, double(n), {.dtype = td::float32})));
}

TEST(Summation, TenthsStayWithinTheBound) {
  const std::int64_t n = on_backend("reference") ? 1'000'000 : 10'000'000;
  const Array x = td::full({n}, 0.1, {.dtype = td::float32});
  const double exact = double(0.1f) * double(n);
  EXPECT_NEAR(td::sum(x).item<double>(), exact, tree_bound(double(n), 0x1p-24, exact));
  EXPECT_NEAR(td::sum(x.reshape({n / 2, 2}), {.axis = 0})(1).item<double>(), exact / 2,
              tree_bound(double(n), 0x1p-24, exact));
}

TEST(Summation, RandomNumbersOfEveryFloat) {
  for (td::DType dtype : {td::float32, td::float64})
    for (std::int64_t n : {1, 7, 128, 1000, 4096, 4097, 100003}) {
      const Array x = td::random::normal({n}, {.seed = 5, .dtype = dtype});
      long double truth = 0, magnitude = 0;
      for (double v : x.to_vector<double>()) {
        truth += v;
        magnitude += std::fabs(v);
      }
      const double eps = dtype == td::float32 ? 0x1p-24 : 0x1p-53;
      EXPECT_NEAR(td::sum(x).item<double>(), double(truth), tree_bound(double(n), eps, double(magnitude)))
          << dtype << " " << n;
    }
}

TEST(Summation, HalvesAccumulateInFloat32) {
  const Array x = td::ones({100000}, {.dtype = td::float16});
  EXPECT_TRUE(std::isinf(td::sum(x).item<float>()));  // 100000 is beyond float16
  EXPECT_EQ(td::mean(x).item<float>(), 1.0f);
  EXPECT_EQ(td::sum(x, {.dtype = td::float32}).item<float>(), 100000.0f);
  EXPECT_EQ(td::sum(td::ones({4096}, {.dtype = td::float16})).item<float>(), 4096.0f);
  EXPECT_EQ(td::sum(td::ones({65536}, {.dtype = td::bfloat16})).item<float>(), 65536.0f);
}

TEST(Summation, KeepsNegativeZero) {
  EXPECT_TRUE(std::signbit(td::sum(td::full({5}, -0.0)).item<double>()));
  EXPECT_TRUE(std::signbit(td::sum(td::full({5000, 2}, -0.0), {.axis = 0})(0).item<double>()));
  EXPECT_FALSE(std::signbit(td::sum(td::array({-0.0, 0.0})).item<double>()));
}

TEST(Summation, SpecialValuesSurvive) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Array x = td::ones({10000});
  x(7777) = inf;
  EXPECT_EQ(td::sum(x).item<double>(), inf);
  x(3) = -inf;
  EXPECT_TRUE(std::isnan(td::sum(x).item<double>()));
  EXPECT_TRUE(std::isnan(td::sum(td::array({1.0, std::nan("")})).item<double>()));
  EXPECT_EQ(td::sum(td::full({3}, 1e308)).item<double>(), inf);
}

TEST(Mean, DividesTheSumOnce) {
  const Array x = td::random::uniform({1000, 37}, {.seed = 2, .dtype = td::float32});
  EXPECT_TRUE(same(td::mean(x, {.axis = 0}), td::sum(x, {.axis = 0}) / 1000));
  EXPECT_TRUE(same(td::mean(td::array({1, 2, 4})), td::array(7.0 / 3)));
  EXPECT_TRUE(same(td::mean(td::array({true, false, true, true})), td::array(0.75)));
  EXPECT_EQ(td::mean(td::full({3}, 60000.0, {.dtype = td::float16})).item<float>(), 60000.0f);
}

TEST(Variance, IsTwoPass) {
  // One pass with squares would lose every digit here.
  const Array x = td::array({1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4});
  EXPECT_TRUE(same(td::var(x), td::array(1.25)));
  EXPECT_TRUE(same(td::var(x, {.correction = 1}), td::array(5.0 / 3)));
  EXPECT_TRUE(same(td::std(td::array({1, 2, 3, 4})), td::array(std::sqrt(1.25))));
  EXPECT_TRUE(same(td::var(td::array({std::complex<double>(1, 1), std::complex<double>(-1, -1)})), td::array(2.0)));
  EXPECT_TRUE(near(td::var(td::arange(12).reshape({3, 4}), {.axis = 0}), td::full({4}, 32.0 / 3), 1e-15));
  EXPECT_TRUE(std::isnan(td::var(td::array({1.0}), {.correction = 1}).item<double>()));
  EXPECT_EQ(td::var(td::zeros({2, 3}), {.axis = 1, .keepdims = true}).shape(), (td::Shape{2, 1}));
}

}  // namespace
