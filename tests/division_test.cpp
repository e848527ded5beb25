// Division: NumPy's floor division, remainder and fmod for integers and floats.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(IntegerDivision, RoundsDown) {
  for (DType dtype : {td::int8, td::int16, td::int32, td::int64}) {
    const td::ArrayOptions o{.dtype = dtype};
    const Array a = td::array({7, -7, 7, -7}, o), b = td::array({3, 3, -3, -3}, o);
    EXPECT_TRUE(same(td::floor_divide(a, b), td::array({2, -3, -3, 2}, o)));
    EXPECT_TRUE(same(a % b, td::array({1, 2, -2, -1}, o)));
    EXPECT_TRUE(same(td::fmod(a, b), td::array({1, -1, 1, -1}, o)));
  }
}

TEST(IntegerDivision, ByZeroIsZero) {
  for (DType dtype : {td::int8, td::int64, td::uint8, td::uint64}) {
    const td::ArrayOptions o{.dtype = dtype};
    const Array a = td::array({5, 0, 127}, o), zero = td::zeros({3}, o);
    EXPECT_TRUE(same(td::floor_divide(a, zero), zero));
    EXPECT_TRUE(same(a % zero, zero));
    EXPECT_TRUE(same(td::fmod(a, zero), zero));
    EXPECT_TRUE(same(td::floor_divide(a, 0), zero));
  }
  EXPECT_TRUE(same(td::array({1, -1, 0}) / td::array({0, 0, 0}), td::array({inf, -inf, nan})));
}

TEST(IntegerDivision, LowestByMinusOneWraps) {
  const Array lowest = td::array({INT64_MIN});
  EXPECT_TRUE(same(td::floor_divide(lowest, -1), lowest));
  EXPECT_TRUE(same(lowest % -1, td::array({0})));
  EXPECT_TRUE(same(td::fmod(lowest, -1), td::array({0})));
  const Array i1 = td::array({-128}, {.dtype = td::int8});
  EXPECT_TRUE(same(td::floor_divide(i1, -1), i1));
  const Array i4 = td::array({INT32_MIN}, {.dtype = td::int32});
  EXPECT_TRUE(same(td::floor_divide(i4, -1), i4));
}

TEST(IntegerDivision, LargeNumbersAreExact) {
  const Array a = td::array({INT64_MAX, INT64_MIN, 9007199254740993}), b = td::array({10, 10, 2});
  EXPECT_TRUE(same(td::floor_divide(a, b), td::array({922337203685477580, -922337203685477581, 4503599627370496})));
  EXPECT_TRUE(same(a % b, td::array({7, 2, 1})));
  const Array u = td::array({18446744073709551615u}, {.dtype = td::uint64});
  EXPECT_TRUE(same(td::floor_divide(u, td::full({1}, 10, {.dtype = td::uint64})),
                   td::array({1844674407370955161}, {.dtype = td::uint64})));
}

TEST(FloatDivision, FloorDivideAndRemainderOfTheChecklist) {
  const Array a = td::array({1.0, -1.0, -1.0, 1.0, 1.0, inf, 1.0, -0.0, 0.0, 7.5, -7.5, 0.0});
  const Array b = td::array({0.1, inf, -inf, inf, -inf, 1.0, 0.0, 3.0, -3.0, 2.0, 2.0, 0.0});
  EXPECT_TRUE(
      same(td::floor_divide(a, b), td::array({9.0, -1.0, 0.0, 0.0, -1.0, nan, inf, -0.0, -0.0, 3.0, -4.0, nan})));
  EXPECT_TRUE(same(a % b, td::array({0.09999999999999995, inf, -1.0, 1.0, -inf, nan, nan, 0.0, -0.0, 1.5, 0.5, nan})));
}

TEST(FloatDivision, FmodKeepsTheSignOfTheFirst) {
  const Array a = td::array({7.5, -7.5, 7.5, -0.0, 1.0, inf, 1.0}), b = td::array({2.0, 2.0, -2.0, 3.0, inf, 1.0, 0.0});
  EXPECT_TRUE(same(td::fmod(a, b), td::array({1.5, -1.5, 1.5, -0.0, 1.0, nan, nan})));
}

TEST(FloatDivision, TrueDivisionOfSpecialValues) {
  const Array a = td::array({1.0, -1.0, 0.0, inf, inf, 1.0}), b = td::array({0.0, 0.0, 0.0, inf, -2.0, -inf});
  EXPECT_TRUE(same(a / b, td::array({inf, -inf, nan, nan, -inf, -0.0})));
  EXPECT_TRUE(same(td::reciprocal(td::array({0.0, -0.0, inf})), td::array({inf, -inf, 0.0})));
}

TEST(FloatDivision, QuotientAndRemainderBelongTogether) {
  const std::size_t n = cases(20000);
  const Array a = make<double>(random_values<double>(n, -100, 100, 1)),
              b = make<double>(random_values<double>(n, -9, 9, 2));
  const Array q = td::floor_divide(a, b), r = a % b;
  EXPECT_TRUE(td::all(q == td::floor(q)).item<bool>());
  EXPECT_TRUE(near(q * b + r, a, 1e-13, 1e-13));
  EXPECT_TRUE(td::all((r == 0) | (td::signbit(r) == td::signbit(b))).item<bool>());
  EXPECT_TRUE(td::all(td::abs(r) <= td::abs(b)).item<bool>());
}

TEST(ComplexDivision, SpecialValues) {
  using C = std::complex<double>;
  const auto z = (td::array({C(1, 1), C(0, 0)}) / td::array({C(0, 0), C(0, 0)})).to_vector<C>();
  EXPECT_EQ(z[0], C(inf, inf));
  EXPECT_TRUE(std::isnan(z[1].real()) && std::isnan(z[1].imag()));
  EXPECT_TRUE(near(td::array({C(1e300, 1e300), C(1e-300, 0)}) / td::array({C(1e300, 1e300), C(1e-300, 1e-300)}),
                   td::array({C(1, 0), C(0.5, -0.5)}), 1e-15));
  EXPECT_TRUE(near(td::array({C(3, 4)}) / td::array({C(1, -2)}), td::array({C(-1, 2)}), 1e-15));
}

}  // namespace
