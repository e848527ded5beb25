// Integers at the edge: wrapping, shifts, powers.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;

namespace {

constexpr DType integers[] = {td::int8, td::int16, td::int32, td::int64, td::uint8, td::uint16, td::uint32, td::uint64};

template <class Function>
void for_each_integer(Function&& function) {
  for (DType dtype : integers)
    with_type(dtype, [&]<class T>(Type<T>) {
      if constexpr (std::integral<T> && !std::same_as<T, bool>) function(Type<T>{});
    });
}

template <class T> Array one(T value) { return make<T>({value}); }

TEST(Wrapping, AtTheEnds) {
  for_each_integer([]<class T>(Type<T>) {
    using L = std::numeric_limits<T>;
    EXPECT_TRUE(same(one<T>(L::max()) + 1, one<T>(L::min()))) << td::dtype_of_v<T>;
    EXPECT_TRUE(same(one<T>(L::min()) - 1, one<T>(L::max())));
    EXPECT_TRUE(same(one<T>(L::max()) * 2, one<T>(T(-2))));
    EXPECT_TRUE(same(one<T>(L::max()) * one<T>(L::max()), one<T>(1)));
    EXPECT_TRUE(same(-one<T>(L::min()), one<T>(L::min())));
    EXPECT_TRUE(same(-one<T>(1), one<T>(T(-1))));
    EXPECT_TRUE(same(td::abs(one<T>(L::min())), one<T>(L::min())));
    EXPECT_TRUE(same(td::square(one<T>(L::max())), one<T>(1)));
    EXPECT_TRUE(same(~one<T>(L::max()), one<T>(L::min())));
  });
}

TEST(Wrapping, OfTheChecklist) {
  EXPECT_TRUE(same(td::array({127}, {.dtype = td::int8}) + 1, td::array({-128}, {.dtype = td::int8})));
  EXPECT_TRUE(same(td::array({0}, {.dtype = td::uint8}) - 1, td::array({255}, {.dtype = td::uint8})));
  EXPECT_TRUE(same(td::abs(td::array({-128}, {.dtype = td::int8})), td::array({-128}, {.dtype = td::int8})));
  EXPECT_TRUE(same(-td::array({1}, {.dtype = td::uint32}), td::array({4294967295u}, {.dtype = td::uint32})));
}

TEST(Wrapping, InReductions) {
  EXPECT_TRUE(same(td::sum(td::array({INT64_MAX, 1})), td::array(INT64_MIN)));
  EXPECT_TRUE(same(td::prod(td::full({65}, 2)), td::array(0)));
  EXPECT_TRUE(same(td::prod(td::full({40}, 3)), td::array(-6289078614652622815)));
  EXPECT_TRUE(same(td::sum(td::full({3}, 127, {.dtype = td::int8})), td::array(381)));
  EXPECT_TRUE(same(td::sum(td::full({2}, 18446744073709551615u, {.dtype = td::uint64})),
                   td::full({}, 18446744073709551614u, {.dtype = td::uint64})));
}

TEST(Shifts, OutsideTheWidthGiveZeroOrTheSign) {
  for_each_integer([]<class T>(Type<T>) {
    constexpr int bits = sizeof(T) * 8;
    for (int count : {bits, bits + 1, 127}) {
      EXPECT_TRUE(same(one<T>(5) << count, one<T>(0))) << td::dtype_of_v<T> << " << " << count;
      EXPECT_TRUE(same(one<T>(5) >> count, one<T>(0)));
      if constexpr (std::signed_integral<T>) {
        EXPECT_TRUE(same(one<T>(-5) >> count, one<T>(-1)));
        EXPECT_TRUE(same(one<T>(-5) >> -1, one<T>(-1)));
        EXPECT_TRUE(same(one<T>(5) << -1, one<T>(0)));
        EXPECT_TRUE(same(one<T>(5) >> -1, one<T>(0)));
      }
    }
    EXPECT_TRUE(same(one<T>(1) << (bits - 1), one<T>(T(T(1) << (bits - 1)))));
    EXPECT_TRUE(same(one<T>(std::numeric_limits<T>::max()) << 1, one<T>(T(-2))));
  });
  EXPECT_TRUE(same(td::array({-7}) >> 1, td::array({-4})));
}

TEST(Powers, WrapAndStartAtOne) {
  for_each_integer([]<class T>(Type<T>) {
    EXPECT_TRUE(same(td::pow(one<T>(0), 0), one<T>(1)));
    EXPECT_TRUE(same(td::pow(one<T>(2), one<T>(7)), one<T>(T(128))));
    EXPECT_TRUE(same(td::pow(one<T>(2), one<T>(64)), one<T>(0)));
    EXPECT_TRUE(same(td::pow(one<T>(3), one<T>(5)), one<T>(T(243))));
  });
  EXPECT_TRUE(same(td::pow(td::array({-3, 7}), td::array({3, 22})), td::array({-27, 3909821048582988049})));
  EXPECT_TRUE(same(td::pow(td::array({3}), 41), td::array({-420491770248316829})));
}

TEST(Powers, OfNothingMayBeNegative) {
  const Array none = td::zeros({0, 2}, {.dtype = td::int64});
  EXPECT_EQ(td::pow(none, td::array({-1, -2})).shape(), none.shape());
  EXPECT_TRUE(throws([] { td::pow(td::arange(3), td::array({1, 2, -1})); }, "pow: integers to negative"));
  EXPECT_TRUE(throws([] { td::pow(td::arange(3), -1); }, "pow: integers to negative"));
}

TEST(Powers, OfFloats) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(same(td::pow(td::array({0.0, -0.0, nan, 1.0, -8.0, 0.0, 2.0, -0.0}),
                           td::array({-1.0, -1.0, 0.0, nan, 1.0 / 3, 0.0, -inf, 2.0})),
                   td::array({inf, -inf, 1.0, 1.0, nan, 1.0, 0.0, 0.0})));
}

}  // namespace
