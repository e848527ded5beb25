// The different elements of arrays, and membership.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;
using tandem::Shape;
using td::none;
using td::slice;

namespace {

constexpr double nan = td::nan;

TEST(Unique, HasNumPysRuleForNaN) {
  const Array x = td::array({{3.0, 1.0, nan}, {nan, 1.0, -0.0}});
  const td::UniqueAll every = td::unique_all(x);
  EXPECT_TRUE(same(every.values, td::array({-0.0, 1.0, 3.0, nan, nan})));
  EXPECT_TRUE(same(every.indices, td::array({5, 1, 0, 2, 3})));
  EXPECT_TRUE(same(every.inverse_indices, td::array({{2, 1, 3}, {4, 1, 0}})));
  EXPECT_TRUE(same(every.counts, td::array({1, 2, 1, 1, 1})));
  EXPECT_TRUE(same(td::unique_values(x), td::array({-0.0, 1.0, 3.0, nan, nan})));
  const td::UniqueCounts counted = td::unique_counts(x);
  EXPECT_TRUE(same(counted.values, td::array({-0.0, 1.0, 3.0, nan, nan})));
  EXPECT_TRUE(same(counted.counts, td::array({1, 2, 1, 1, 1})));
  const td::UniqueInverse inverse = td::unique_inverse(x);
  EXPECT_TRUE(same(inverse.values, td::array({-0.0, 1.0, 3.0, nan, nan})));
  EXPECT_TRUE(same(inverse.inverse_indices, td::array({{2, 1, 3}, {4, 1, 0}})));
  EXPECT_TRUE(same(td::unique(x), td::array({-0.0, 1.0, 3.0, nan})));
  const td::UniqueAll together = td::unique_all(x, {.equal_nan = true});
  EXPECT_TRUE(same(together.values, td::array({-0.0, 1.0, 3.0, nan})));
  EXPECT_TRUE(same(together.indices, td::array({5, 1, 0, 2})));
  EXPECT_TRUE(same(together.inverse_indices, td::array({{2, 1, 3}, {3, 1, 0}})));
  EXPECT_TRUE(same(together.counts, td::array({1, 2, 1, 2})));
}

TEST(Unique, OfComplexAndBool) {
  using C = std::complex<double>;
  const Array z = td::array({C(1.0, 2.0), C(1.0, 0.0), C(1.0, 2.0), C(nan, 1.0), C(nan, 1.0), C(0.0, 0.0)});
  EXPECT_TRUE(same(td::unique_values(z), td::array({C(0.0, 0.0), C(1.0, 0.0), C(1.0, 2.0), C(nan, 1.0), C(nan, 1.0)})));
  EXPECT_TRUE(same(td::unique_all(td::array({true, false, true})).values, td::array({false, true})));
  EXPECT_TRUE(same(td::unique_counts(td::array({true, false, true})).counts, td::array({1, 2})));
}

TEST(Unique, OfEveryDTypeAndLayout) {
  for (DType dtype : all_dtypes) {
    const Array x = td::random::integers({6, 50}, 0, is_bool(dtype) ? 2 : 40, {.seed = 3}).astype(dtype);
    for (Layout layout : all_layouts) {
      const Array y = lay_out(x, layout), flat = y.ravel();
      const td::UniqueAll u = td::unique_all(y);
      EXPECT_EQ(u.values.dtype(), dtype);
      EXPECT_TRUE(same(td::take(flat, u.indices), u.values)) << dtype << name(layout);
      EXPECT_TRUE(same(td::take(u.values, u.inverse_indices), y.copy())) << dtype << name(layout);
      EXPECT_TRUE(same(td::sum(u.counts), td::array(300))) << dtype << name(layout);
      EXPECT_TRUE(same(td::unique_values(y), u.values)) << dtype << name(layout);
      EXPECT_TRUE(same(td::unique_counts(y).counts, u.counts)) << dtype << name(layout);
      EXPECT_TRUE(same(td::unique_inverse(y).inverse_indices, u.inverse_indices)) << dtype << name(layout);
      EXPECT_TRUE(td::all(td::isin(y, u.values)).item<bool>()) << dtype << name(layout);
      // The first of equal elements: no earlier one has its value.
      EXPECT_TRUE(same(td::argmax(flat == u.values(-1)), u.indices(-1))) << dtype << name(layout);
    }
  }
}

TEST(Unique, OfFewElements) {
  const td::UniqueAll none_at_all = td::unique_all(td::zeros({2, 0}, {.dtype = td::int8}));
  EXPECT_TRUE(same(none_at_all.values, td::zeros({0}, {.dtype = td::int8})));
  EXPECT_TRUE(same(none_at_all.indices, td::zeros({0}, {.dtype = td::int64})));
  EXPECT_TRUE(same(none_at_all.inverse_indices, td::zeros({2, 0}, {.dtype = td::int64})));
  EXPECT_TRUE(same(none_at_all.counts, td::zeros({0}, {.dtype = td::int64})));
  EXPECT_EQ(td::unique_values(td::zeros({0})).shape(), Shape{0});
  EXPECT_EQ(td::unique_counts(td::zeros({0})).counts.shape(), Shape{0});
  const td::UniqueAll one = td::unique_all(td::array(7));
  EXPECT_TRUE(same(one.values, td::array({7})));
  EXPECT_TRUE(same(one.indices, td::array({0})));
  EXPECT_TRUE(same(one.inverse_indices, td::array(0)));
  EXPECT_TRUE(same(one.counts, td::array({1})));
}

TEST(Isin, ByNumPysRules) {
  const Array x = td::array({{1.0, 2.0, nan}, {0.0, -0.0, 5.0}});
  EXPECT_TRUE(same(td::isin(x, td::array({0.0, 2.0, nan})), td::array({{false, true, false}, {true, true, false}})));
  EXPECT_TRUE(same(td::isin(x, td::array({0.0, 2.0, nan}), {.invert = true}),
                   td::array({{true, false, true}, {false, false, true}})));
  EXPECT_TRUE(same(td::isin(x, 5), td::array({{false, false, false}, {false, false, true}})));
  EXPECT_TRUE(same(td::isin(2, td::array({1, 2})), td::array(true)));
  EXPECT_TRUE(same(td::isin(x, td::zeros({0})), td::array({{false, false, false}, {false, false, false}})));
  EXPECT_TRUE(same(td::isin(x, td::zeros({0}), {.invert = true}), td::array({{true, true, true}, {true, true, true}})));
  EXPECT_TRUE(same(td::isin(td::zeros({0, 2}), td::array({1.0})), td::zeros({0, 2}, {.dtype = td::bool_})));
  EXPECT_TRUE(same(td::isin(td::array({1, 2}, {.dtype = td::int8}), td::array({2.0, 300.0})),
                   td::array({false, true})));
  EXPECT_TRUE(same(td::isin(td::array({1, 2}, {.dtype = td::uint8}), 258), td::array({false, false})));
  // int64 and uint64 meet as integers, not as float64, which holds neither.
  const Array large = td::array({(1ll << 53) + 1, -1ll});
  const Array unsigned_large = td::array({1ull << 53, ~0ull}, {.dtype = td::uint64});
  EXPECT_TRUE(same(td::isin(large, unsigned_large), td::array({false, false})));
  EXPECT_TRUE(same(td::isin(unsigned_large, large), td::array({false, false})));
  EXPECT_TRUE(same(td::isin(large, unsigned_large + 1), td::array({true, false})));
  EXPECT_TRUE(same(td::isin(unsigned_large, large, {.invert = true}), td::array({true, true})));
  EXPECT_TRUE(same(td::isin(unsigned_large + 1, large), td::array({true, false})));
}

TEST(Isin, OfLargeSets) {
  for (DType dtype : {td::int8, td::uint16, td::int64, td::float16, td::float32, td::complex128}) {
    const Array x = td::arange(100).astype(dtype), set = td::flip(td::arange(0, 100, 7)).astype(dtype);
    EXPECT_TRUE(same(td::isin(x, set), td::arange(100) % 7 == 0)) << dtype;
    EXPECT_TRUE(same(td::isin(x(td::slice(0, 8)), set), td::arange(8) % 7 == 0)) << dtype;
  }
  const Array large = td::arange(20) + (1ll << 53), none = td::full({20}, 1ull << 53, {.dtype = td::uint64}) + 20;
  EXPECT_FALSE(td::any(td::isin(large, none)).item<bool>());
  EXPECT_TRUE(td::all(td::isin(none - 1, large)).item<bool>());
  EXPECT_FALSE(td::any(td::isin(td::full({3}, nan), td::full({20}, nan))).item<bool>());
}

TEST(Isin, OfIntegersCloseTogether) {
  for (DType dtype : {td::int8, td::uint8, td::int16, td::int32, td::uint32, td::int64, td::uint64}) {
    for (std::int64_t span : {30, 100}) {
      for (bool at_end : {false, true}) {  // at the smallest or the largest integer of the dtype
        const auto limits = td::iinfo(dtype);
        const Array first = td::full({}, limits.min, {.dtype = dtype}), last = td::full({}, limits.max, {.dtype = dtype});
        const auto integers = [&](const Shape& shape, std::uint64_t seed) {
          const Array x = td::random::integers(shape, 0, span, {.seed = seed}).astype(dtype);
          return at_end ? last - x : first + x;
        };
        const Array x = integers({20, 5}, 1), set = integers({17}, 2);
        const Array expected = td::any(td::equal(x.expand_dims(2), set), {.axis = 2});
        EXPECT_TRUE(same(td::isin(x, set), expected)) << dtype << span;
        EXPECT_TRUE(same(td::isin(x.T(), set), expected.T())) << dtype << span;
        const Array zeros = td::zeros({3}, {.dtype = dtype});
        const bool has_zero = td::any(td::equal(set, 0)).item<bool>();
        EXPECT_TRUE(same(td::isin(zeros, set), td::full({3}, has_zero))) << dtype << span;
      }
    }
  }
}

TEST(Sets, OfTwoArrays) {
  const Array a = td::array({1.0, nan, nan, 2.0, 1.0}), b = td::array({2.0, nan, 3.0});
  EXPECT_TRUE(same(td::intersect1d(a, b), td::array({2.0})));
  EXPECT_TRUE(same(td::union1d(a, b), td::array({1.0, 2.0, 3.0, nan})));
  EXPECT_TRUE(same(td::setdiff1d(a, b), td::array({1.0, nan})));
  EXPECT_TRUE(same(td::setxor1d(a, b), td::array({1.0, 3.0, nan, nan})));
  EXPECT_TRUE(same(td::intersect1d(td::array({{3, 1}, {1, 2}}), td::array({2.5, 2.0})), td::array({2.0})));
  EXPECT_TRUE(same(td::union1d(td::array({{3, 1}, {1, 2}}), td::array({2.5, 2.0})), td::array({1.0, 2.0, 2.5, 3.0})));
  EXPECT_TRUE(same(td::setdiff1d(td::array({{3, 1}, {1, 2}}), td::array({2.5, 2.0})), td::array({1, 3})));
  EXPECT_TRUE(same(td::setxor1d(td::array({{3, 1}, {1, 2}}), td::array({2.5, 2.0})), td::array({1.0, 2.5, 3.0})));
  EXPECT_EQ(td::intersect1d(td::zeros({0}), td::zeros({0})).size(), 0);
  EXPECT_TRUE(same(td::setxor1d(td::zeros({0}), td::array({1.0})), td::array({1.0})));
  EXPECT_TRUE(same(td::setdiff1d(td::array({2, 1}), td::zeros({0}, {.dtype = td::int64})), td::array({1, 2})));
}

}  // namespace
