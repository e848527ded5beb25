// sort, argsort and quantile.
#include <algorithm>
#include <numeric>

#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;
using tandem::Shape;

namespace {

using C = std::complex<double>;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Class of a number in NumPy's order of NaNs: complete numbers, then NaN in the imaginary, real, both parts.
template <class T>
int nan_class(const Stored<T>& x) {
  if constexpr (is_complex_v<T>) return (std::isnan(x.real()) ? 2 : 0) + (std::isnan(x.imag()) ? 1 : 0);
  else if constexpr (is_real_v<T>) return std::isnan(real_value(x));
  else return 0;
}

/// Whether a comes before b, not counting NaN last for descending order.
template <class T>
bool before(const Stored<T>& a, const Stored<T>& b, bool descending) {
  const int ca = nan_class<T>(a), cb = nan_class<T>(b);
  if (ca != cb) return ca < cb;
  const auto less = [&](auto p, auto q) { return descending ? q < p : p < q; };
  if constexpr (is_complex_v<T>) {
    if (ca == 3) return false;
    if (ca == 2) return less(a.imag(), b.imag());
    if (ca == 1) return less(a.real(), b.real());
    return a.real() != b.real() ? less(a.real(), b.real()) : less(a.imag(), b.imag());
  } else if constexpr (is_real_v<T>) {
    return ca == 0 && less(real_value(a), real_value(b));
  } else {
    return less(a, b);
  }
}

/// Values and positions that a stable sort gives, for one row.
template <class T>
std::vector<std::int64_t> order_of(const Values<T>& row, bool descending) {
  std::vector<std::int64_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
    return before<T>(row[std::size_t(i)], row[std::size_t(j)], descending);
  });
  return order;
}

template <class T>
void check_row(const Array& x, const Values<T>& row, bool descending) {
  const std::vector<std::int64_t> order = order_of<T>(row, descending);
  Values<T> sorted;
  for (std::int64_t i : order) sorted.push_back(row[std::size_t(i)]);
  EXPECT_TRUE(same(td::sort(x, {.descending = descending}), make<T>(sorted))) << row.size();
  EXPECT_EQ(td::argsort(x, {.descending = descending}).to_vector<std::int64_t>(), order)
      << td::dtype_of_v<T> << " " << row.size();
}

TEST(Sort, EveryDtypeAndLengthStably) {
  for (DType dtype : all_dtypes)
    with_type(dtype, []<class T>(Type<T>) {
      for (std::size_t n : {1, 2, 3, 10, 33, 100, 257, 1000, 5000, 70000}) {
        if (n > 5000 && on_backend("reference")) continue;
        for (double range : {3.0, 1e4}) {  // many ties, and few
          Values<T> row = random_values<T>(n, -range, range, n);
          const Values<T> special = special_values<T>();
          for (std::size_t i = 0; i < n / 4; ++i) row[(i * 7) % n] = special[i % special.size()];
          for (bool descending : {false, true}) check_row<T>(make<T>(row), row, descending);
        }
      }
    });
}

TEST(Sort, AxesAndLayouts) {
  for (DType dtype : {td::float32, td::int64, td::complex64, td::uint8}) {
    const Array x = td::random::integers({6, 7, 8}, 0, 50, {.seed = 3}).astype(dtype);
    for (Layout layout : all_layouts) {
      const Array y = lay_out(x, layout);
      for (int axis : {0, 1, 2, -1}) {
        const Array sorted = td::sort(y, {.axis = axis}), positions = td::argsort(y, {.axis = axis});
        EXPECT_TRUE(same(sorted, td::sort(y.copy(), {.axis = axis}))) << dtype << " " << name(layout) << " " << axis;
        EXPECT_TRUE(same(positions, td::argsort(y.copy(), {.axis = axis})));
        const Array rows = y.moveaxis(axis, -1).copy(), sorted_rows = sorted.moveaxis(axis, -1);
        EXPECT_TRUE(same(sorted_rows(2, 3), td::sort(rows(2, 3))));
      }
    }
  }
}

TEST(Sort, NaNAndZeros) {
  EXPECT_TRUE(same(td::sort(td::array({nan, 1.0, -inf, nan, inf, -0.0, 0.0})),
                   td::array({-inf, -0.0, 0.0, 1.0, inf, nan, nan})));
  EXPECT_TRUE(same(td::sort(td::array({nan, 1.0, -inf, inf}), {.descending = true}), td::array({inf, 1.0, -inf, nan})));
  EXPECT_TRUE(same(td::argsort(td::array({0.0, -0.0, nan, 0.0})), td::array({0, 1, 3, 2})));
  EXPECT_TRUE(same(td::sort(td::array({C(1, 2), C(1, nan), C(nan, 1), C(nan, nan), C(0, 5), C(1, -1)})),
                   td::array({C(0, 5), C(1, -1), C(1, 2), C(1, nan), C(nan, 1), C(nan, nan)})));
  EXPECT_TRUE(same(td::sort(td::array({true, false, true})), td::array({false, true, true})));
}

TEST(Sort, AxesOutside) {
  EXPECT_TRUE(throws<td::IndexError>([] { td::sort(td::array(1)); }, "sort: "));
  EXPECT_TRUE(throws<td::IndexError>([] { td::sort(td::ones({2}), {.axis = 1}); }, "sort: ", {"1"}));
  EXPECT_TRUE(throws<td::IndexError>([] { td::argsort(td::ones({2}), {.axis = -2}); }, "argsort: ", {"-2"}));
}

TEST(Sort, LeavesItsArgument) {
  const Array x = td::array({3, 1, 2});
  td::sort(x).eval();
  EXPECT_TRUE(same(x, td::array({3, 1, 2})));
  EXPECT_TRUE(same(td::sort(x * -1), td::array({-3, -2, -1})));
}

// Literal results of NumPy 2.4.
TEST(Quantile, FollowsNumPy) {
  const Array x = td::array({7.5, -1.25, 3.0, 9.75, 0.5, 2.0, -4.0, 6.25, 1.0, 8.0, 3.0});
  EXPECT_TRUE(same(td::quantile(x, {0, 0.01, 0.1, 0.25, 1.0 / 3, 0.5, 0.75, 0.9, 0.999, 1}),
                   td::array({-4.0, -3.725, -1.25, 0.75, 1.333333333333333, 3.0, 6.875, 8.0, 9.7325, 9.75})));
  EXPECT_TRUE(same(td::quantile(td::arange(10), 0.01), td::array(0.09)));
  EXPECT_TRUE(same(td::quantile(x, 0.5), td::array(3.0)));
  EXPECT_EQ(td::quantile(x.astype(td::float32), 0.3).dtype(), td::float32);
  EXPECT_TRUE(
      same(td::quantile(x.astype(td::float32), {0.1, 0.3, 0.77}).astype(td::float64), td::array({-1.25, 1.0, 7.125})));
}

TEST(Quantile, AlongAnAxis) {
  const Array x = td::array({{0.0, 1.0, 4.0, 9.0}, {16.0, 8.0, 2.0, 15.0}, {13.0, 13.0, 15.0, 2.0}});
  EXPECT_TRUE(same(td::quantile(x, {0.2, 0.5}, {.axis = 0}),
                   td::array({{5.2, 3.8000000000000003, 2.8, 4.800000000000001}, {13.0, 8.0, 4.0, 9.0}})));
  EXPECT_TRUE(same(td::quantile(x, {0.2, 0.5}, {.axis = -1}),
                   td::array({{0.6000000000000001, 5.6000000000000005, 8.600000000000001}, {2.5, 11.5, 13.0}})));
  EXPECT_TRUE(same(td::quantile(x, 0.3), td::array(2.5999999999999996)));
  EXPECT_EQ(td::quantile(x, 0.3, {.axis = 1, .keepdims = true}).shape(), (Shape{3, 1}));
  EXPECT_EQ(td::quantile(x, {0.1, 0.3}, {.axis = 1, .keepdims = true}).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(td::quantile(x, {0.1, 0.3}, {.keepdims = true}).shape(), (Shape{2, 1, 1}));
  EXPECT_EQ(td::quantile(x, std::vector<double>{}).shape(), Shape{0});
  EXPECT_EQ(td::quantile(td::arange(9), std::vector<double>{}).shape(), Shape{0});
  EXPECT_TRUE(same(td::quantile(x.T(), {0.2, 0.5}, {.axis = 1}), td::quantile(x, {0.2, 0.5}, {.axis = 0})));
}

TEST(Quantile, NaNSpreadsAndErrors) {
  EXPECT_TRUE(std::isnan(td::quantile(td::array({1.0, nan, 2.0}), 0.0).item<double>()));
  EXPECT_TRUE(same(td::quantile(td::array({{1.0, nan}, {1.0, 2.0}}), 0.5, {.axis = 1}), td::array({nan, 1.5})));
  EXPECT_TRUE(throws([] { td::quantile(td::ones({2}), 1.5); }, "quantile: ", {"1.5"}));
  EXPECT_TRUE(throws([] { td::quantile(td::ones({2}), nan); }, "quantile: "));
  EXPECT_TRUE(throws([] { td::quantile(td::ones({2}, {.dtype = td::complex64}), 0.5); }, "quantile: ", {"complex64"}));
}

TEST(SearchSorted, ANumber) {
  const Array x = td::array({1, 3, 3, 100}, {.dtype = td::int8});
  EXPECT_TRUE(same(td::searchsorted(x, 3), td::array(1)));
  EXPECT_TRUE(same(td::searchsorted(x, 3, {.side = td::Side::right}), td::array(3)));
  EXPECT_TRUE(same(td::searchsorted(x, 2.5), td::array(1)));
  EXPECT_TRUE(same(td::searchsorted(x, 300), td::array(4)));
}

TEST(Partition, PutsTheKthInPlace) {
  const Array x = td::array({{3, 1, 2}, {9, 7, 8}});
  EXPECT_TRUE(same(td::partition(x, 1)(td::all, 1), td::array({2, 8})));
  EXPECT_TRUE(same(td::take_along_axis(x, td::argpartition(x, -1), -1)(td::all, -1), td::array({3, 9})));
  EXPECT_TRUE(same(td::partition(x, 0, {.axis = 0})(0), td::array({3, 1, 2})));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::partition(x, 3); }, "partition: kth 3", {"size 3"}));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::argpartition(x, 0, {.axis = 2}); }, "argpartition: axis 2"));
}

/// Positions in sort's order with those between places back in their own order.
std::vector<std::int64_t> arranged(std::vector<std::int64_t> order, const std::vector<std::int64_t>& places) {
  auto begin = order.begin();
  for (const std::int64_t place : places) {
    std::sort(begin, order.begin() + place);
    begin = order.begin() + place + 1;
  }
  std::sort(begin, order.end());
  return order;
}

TEST(Partition, EveryDtypeAndLengthInOneOrder) {
  for (DType dtype : all_dtypes)
    with_type(dtype, []<class T>(Type<T>) {
      for (std::size_t n : {2, 10, 100, 1023, 1024, 5000, 150000}) {
        if (n > 5000 && on_backend("reference")) continue;
        for (double range : {0.0, 3.0, 1e4}) {  // one value, many ties, and few
          Values<T> row = random_values<T>(n, -range, range, n);
          const Values<T> special = special_values<T>();
          for (std::size_t i = 0; i < n / 8; ++i) row[(i * 7) % n] = special[i % special.size()];
          const Array x = make<T>(row);
          const std::vector<std::int64_t> order = order_of<T>(row, false);
          const auto last = std::int64_t(n) - 1;
          for (const std::vector<std::int64_t>& places :
               {std::vector<std::int64_t>{0}, {last / 2}, {last}, {0, last}, {last / 3, last / 2 + 1}}) {
            const std::vector<std::int64_t> expected = arranged(order, places);
            Values<T> values;
            for (std::int64_t i : expected) values.push_back(row[std::size_t(i)]);
            EXPECT_EQ(td::argpartition(x, places).template to_vector<std::int64_t>(), expected)
                << x.dtype() << " " << n;
            EXPECT_TRUE(same(td::partition(x, places), make<T>(values))) << x.dtype() << " " << n;
          }
          for (bool largest : {false, true}) {
            const std::vector<std::int64_t> all = order_of<T>(row, largest);
            const std::int64_t k = std::min<std::int64_t>(last, 20);
            const td::Topk found = td::topk(x, k, {.largest = largest});
            EXPECT_EQ(found.indices.template to_vector<std::int64_t>(),
                      std::vector<std::int64_t>(all.begin(), all.begin() + k)) << x.dtype() << " " << n;
            EXPECT_TRUE(same(found.values, td::take(x, found.indices))) << x.dtype() << " " << n;
          }
        }
      }
    });
}

TEST(Partition, AxesAndLayouts) {
  for (const Shape& shape : {Shape{6, 7, 8}, Shape{3, 1500, 2}}) {
    const Array x = td::random::integers(shape, 0, 50, {.seed = 3}).astype(td::float32);
    for (Layout layout : all_layouts) {
      const Array y = lay_out(x, layout);
      for (int axis : {0, 1, 2}) {
        const std::int64_t kth = shape[axis] / 2;
        const Array expected = td::partition(y.moveaxis(axis, -1).copy(), kth).moveaxis(-1, axis);
        EXPECT_TRUE(same(td::partition(y, kth, {.axis = axis}), expected)) << shape << name(layout) << axis;
        EXPECT_TRUE(same(td::take_along_axis(y, td::argpartition(y, kth, {.axis = axis}), axis), expected));
        EXPECT_TRUE(same(td::take(expected, td::array({kth}), {.axis = axis}),
                         td::take(td::sort(y, {.axis = axis}), td::array({kth}), {.axis = axis})));
      }
    }
  }
}

TEST(Partition, PlacesOutsideAndNone) {
  const Array x = td::array({3, 1, 2});
  EXPECT_TRUE(same(td::partition(x, {-1, 2, 0}), td::array({1, 2, 3})));
  EXPECT_TRUE(same(td::partition(x, std::vector<std::int64_t>{}), x));
  EXPECT_EQ(td::partition(td::zeros({0, 3}), 1).shape(), (Shape{0, 3}));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::partition(x, {0, -4}); }, "partition: kth -4", {"size 3"}));
  EXPECT_TRUE(throws<td::IndexError>([] { td::partition(td::zeros({0}), 0); }, "partition: kth 0", {"size 0"}));
  EXPECT_TRUE(throws<td::IndexError>([] { td::partition(td::array(1), 0); }, "partition: axis -1"));
}

/// Backends that select leave it to sort as well if there are very many ranks, or all of a row.
TEST(Partition, BySortingInTheSameOrder) {
  std::vector<float> row = random_values<float>(3000, -40, 40, 5);
  row[7] = row[1999] = std::nanf("");
  const Array x = td::array(row);
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < 300; ++i) places.push_back(10 * i + 3);
  const std::vector<std::int64_t> order = order_of<float>(row, false), expected = arranged(order, places);
  EXPECT_EQ(td::argpartition(x, places).to_vector<std::int64_t>(), expected);
  EXPECT_TRUE(same(td::partition(x, places), td::take(x, td::array(expected))));
  const td::Topk all = td::topk(x, 3000, {.largest = false});
  EXPECT_EQ(all.indices.to_vector<std::int64_t>(), order);
  EXPECT_TRUE(same(all.values, td::take(x, all.indices)));
}

TEST(Quantile, OfLongRowsIsThatOfSortedOnes) {
  const Array x = td::random::normal({20'000}, {.seed = 8});
  const Array sorted = td::sort(x);
  EXPECT_TRUE(same(td::median(x), td::divide(td::add(sorted(9'999), sorted(10'000)), 2)));
  EXPECT_TRUE(same(td::quantile(x, {0, 0.3, 1}, {.method = td::QuantileMethod::lower}),
                   td::take(sorted, td::array({0, 5'999, 19'999}))));
  // Rows with different numbers of NaN.
  const Array holes = td::where(td::arange(20'000) < td::array({{0}, {3}, {20'000}}), nan, x);
  EXPECT_TRUE(same(td::nanmedian(holes, {.axis = 1}),
                   td::stack({td::median(x), td::median(x(td::slice(3, td::none))), td::array(nan)})));
}

TEST(Topk, InOrder) {
  const Array x = td::array({{3.0, nan, 5.0, 4.0}, {1.0, 2.0, 0.0, 2.0}});
  const td::Topk largest = td::topk(x, 2), smallest = td::topk(x, 1, {.axis = 0, .largest = false});
  EXPECT_TRUE(same(largest.values, td::array({{5.0, 4.0}, {2.0, 2.0}})));
  EXPECT_TRUE(same(largest.indices, td::array({{2, 3}, {1, 3}})));
  EXPECT_TRUE(same(smallest.values, td::array({{1.0, 2.0, 0.0, 2.0}})));
  EXPECT_EQ(td::topk(x, 0).values.shape(), (Shape{2, 0}));
  EXPECT_TRUE(throws([&] { td::topk(x, 5); }, "topk: 5 elements of axis 1", {"(2, 4)"}));
}

TEST(Lexsort, TheLastKeyFirst) {
  const Array a = td::array({1, 5, 1, 4, 3, 4, 4}), b = td::array({9, 4, 0, 4, 0, 2, 1});
  EXPECT_TRUE(same(td::lexsort({b, a}), td::array({2, 0, 4, 6, 5, 3, 1})));
  EXPECT_TRUE(same(td::lexsort({a}), td::argsort(a)));
  const Array pairs = td::array({{1, 1}, {1, 0}});
  EXPECT_TRUE(same(td::lexsort({td::array({{1, 0}, {0, 0}}), pairs}), td::array({{1, 0}, {1, 0}})));
  EXPECT_TRUE(throws([] { td::lexsort(std::vector<Array>{}); }, "lexsort: no keys"));
  EXPECT_TRUE(throws([&] { td::lexsort({a, td::zeros({2})}); }, "lexsort: shapes (7,) and (2,)"));
}

}  // namespace
