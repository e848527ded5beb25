// Order: maxima, their positions, NaN, signed zeros, complex numbers.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;

namespace {

using C = std::complex<double>;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::int64_t position(const Array& x) { return x.item<std::int64_t>(); }

TEST(Argmax, TakesTheFirst) {
  EXPECT_EQ(position(td::argmax(td::array({1, 3, 3, 2}))), 1);
  EXPECT_EQ(position(td::argmin(td::array({2, 1, 1, 3}))), 1);
  EXPECT_EQ(position(td::argmax(td::array({-0.0, 0.0}))), 0);
  EXPECT_EQ(position(td::argmin(td::array({0.0, -0.0}))), 0);
  EXPECT_EQ(position(td::argmax(td::full({5}, -inf))), 0);
  EXPECT_EQ(position(td::argmin(td::full({5}, inf))), 0);
  EXPECT_EQ(position(td::argmax(td::array({false, true, true}))), 1);
}

TEST(Argmax, TakesTheFirstNaN) {
  EXPECT_EQ(position(td::argmax(td::array({1.0, nan, inf, nan}))), 1);
  EXPECT_EQ(position(td::argmin(td::array({1.0, nan, -inf, nan}))), 1);
  for (DType dtype : {td::float16, td::bfloat16, td::float32, td::float64}) {
    Array x = td::random::normal({20000}, {.seed = 4, .dtype = dtype});
    x(12345) = nan;
    x(19999) = nan;
    EXPECT_EQ(position(td::argmax(x)), 12345) << dtype;
    EXPECT_EQ(position(td::argmin(x)), 12345) << dtype;
  }
}

TEST(Argmax, FindsEveryPosition) {
  for (std::int64_t n : {1, 2, 127, 128, 129, 1000, 4096, 4097, 9000})
    for (std::int64_t at : {std::int64_t{0}, n / 3, n / 2, n - 1}) {
      Array x = td::zeros({n}, {.dtype = td::int16});
      x(at) = 1;
      EXPECT_EQ(position(td::argmax(x)), at) << n;
      x(at) = -1;
      EXPECT_EQ(position(td::argmin(x)), at) << n;
    }
}

TEST(Argmax, AlongAnAxis) {
  const Array x = td::array({{1, 9, 3}, {7, 2, 3}});
  EXPECT_TRUE(same(td::argmax(x, {.axis = 0}), td::array({1, 0, 0})));
  EXPECT_TRUE(same(td::argmax(x, {.axis = -1}), td::array({1, 0})));
  EXPECT_TRUE(same(td::argmin(x, {.axis = 1, .keepdims = true}), td::array({{0}, {1}})));
  EXPECT_EQ(position(td::argmax(x)), 1);
  EXPECT_EQ(position(td::argmax(x.transpose())), 2);  // in the order of the view
  EXPECT_TRUE(throws([&] { td::argmax(x, {.axis = {0, 1}}); }, "argmax: "));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::argmax(x, {.axis = 2}); }, "argmax: ", {"2"}));
}

TEST(Argmax, OfComplexNumbers) {
  EXPECT_EQ(position(td::argmax(td::array({C(1, 2), C(1, 3), C(0, 9)}))), 1);
  EXPECT_EQ(position(td::argmin(td::array({C(1, 2), C(1, 1), C(2, 0)}))), 1);
  EXPECT_EQ(position(td::argmax(td::array({C(1, 2), C(0, nan), C(nan, 0)}))), 1);
}

TEST(Max, PropagatesNaN) {
  EXPECT_TRUE(std::isnan(td::max(td::array({1.0, nan, 3.0})).item<double>()));
  EXPECT_TRUE(std::isnan(td::min(td::array({1.0, nan, 3.0})).item<double>()));
  Array x = td::zeros({3, 5000}, {.dtype = td::float32});
  x(1, 4321) = nan;
  const auto rows = td::max(x, {.axis = 1}).to_vector<float>();
  EXPECT_EQ(rows[0], 0);
  EXPECT_TRUE(std::isnan(rows[1]));
  EXPECT_EQ(rows[2], 0);
  const Array z = td::array({C(0.5, 3.7), C(0.7, nan), C(9, 9)});  // NaN in either part
  EXPECT_TRUE(same(td::max(z), td::array(C(0.7, nan))));
  EXPECT_TRUE(same(td::min(z), td::array(C(0.7, nan))));
}

TEST(Max, OrdersZerosBySign) {
  for (std::int64_t n : {2, 300, 10000}) {
    Array x = td::full({n}, -0.0);
    EXPECT_TRUE(std::signbit(td::max(x).item<double>()));
    x(n - 1) = 0.0;
    EXPECT_FALSE(std::signbit(td::max(x).item<double>())) << n;
    EXPECT_TRUE(std::signbit(td::min(x).item<double>())) << n;
  }
}

TEST(Max, OfTheLowestValues) {
  for (DType dtype : all_dtypes) {
    if (td::is_complex(dtype)) continue;
    with_type(dtype, [&]<class T>(Type<T>) {
      const Values<T> special = special_values<T>();
      for (const Stored<T>& v : special) {
        const Array x = make<T>(Values<T>(300, v));
        EXPECT_TRUE(same(td::max(x), make<T>({v}, {}))) << dtype << " " << text<T>(v);
        EXPECT_TRUE(same(td::min(x), make<T>({v}, {}))) << dtype << " " << text<T>(v);
      }
    });
  }
  EXPECT_TRUE(same(td::max(td::array({C(-inf, -inf)})), td::array(C(-inf, -inf))));
}

TEST(Maximum, ElementwiseNaNAndZeros) {
  const Array a = td::array({nan, 1.0, nan, -0.0, 0.0}), b = td::array({1.0, nan, nan, 0.0, -0.0});
  EXPECT_TRUE(same(td::maximum(a, b), td::array({nan, nan, nan, 0.0, 0.0})));
  EXPECT_TRUE(same(td::minimum(a, b), td::array({nan, nan, nan, -0.0, -0.0})));
  EXPECT_TRUE(same(td::fmax(a, b)(td::slice(0, 3)), td::array({1.0, 1.0, nan})));
  EXPECT_TRUE(same(td::fmin(a, b)(td::slice(0, 3)), td::array({1.0, 1.0, nan})));
}

TEST(Maximum, OfTwoComplexNaNsIsTheFirst) {
  using C = std::complex<double>;
  const double nan = std::nan("");
  const Array a = td::array({C(nan, 8), C(1, nan)}), b = td::array({C(nan, nan), C(nan, 2)});
  for (const auto function : {td::maximum, td::minimum, td::fmax, td::fmin}) EXPECT_TRUE(same(function(a, b), a));
}

TEST(AnyAll, CountNaNAsTrue) {
  EXPECT_TRUE(td::any(td::array({0.0, nan})).item<bool>());
  EXPECT_FALSE(td::any(td::array({0.0, -0.0})).item<bool>());
  EXPECT_TRUE(td::all(td::array({nan, 1.0})).item<bool>());
  EXPECT_EQ(td::count_nonzero(td::array({0.0, -0.0, nan, 2.0})).item<int>(), 2);
  EXPECT_TRUE(same(td::all(td::array({{1, 0}, {1, 1}}), {.axis = 1}), td::array({false, true})));
  EXPECT_TRUE(same(td::any(td::array({{0, 0}, {0, 2}}), {.axis = 0, .keepdims = true}), td::array({{false, true}})));
  EXPECT_TRUE(same(td::count_nonzero(td::array({{0, 3}, {0, 2}}), {.axis = 0}), td::array({0, 2})));
}

}  // namespace
