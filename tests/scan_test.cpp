// Cumulative functions against the tree of docs/reductions.md, written here once more and independently; differences,
// repetitions and shifts against their definitions.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;
using tandem::Shape;
using tandem::none;
using tandem::slice;

namespace {

/// The scan rule by recursion from above: children of a block, 16 at a time, with what comes before the block.
template <class T>
class Tree {
 public:
  Tree(const std::vector<T>& x, T (*combine)(T, T)) : x_(x), combine_(combine), result_(x.size()) {
    std::size_t size = 16;
    while (size < x.size()) size *= 16;
    if (!x.empty()) descend(0, size, nullptr);
  }
  const std::vector<T>& result() const { return result_; }

 private:
  /// Fills in the results of x[begin, begin + size) and returns their total.
  T descend(std::size_t begin, std::size_t size, const T* before) {
    const std::size_t step = size / 16;
    std::vector<T> totals;
    for (std::size_t at = begin; at < begin + size && at < x_.size(); at += step) totals.push_back(total(at, step));
    std::vector<T> local;
    for (std::size_t j = 0; j < totals.size(); ++j) local.push_back(prefix(totals, j));
    for (std::size_t j = 0; j < totals.size(); ++j) {
      if (step == 1) {
        result_[begin + j] = before ? combine_(*before, local[j]) : local[j];
        continue;
      }
      T value{};
      const T* child_before = nullptr;
      if (j > 0) value = before ? combine_(*before, local[j - 1]) : local[j - 1];
      if (j > 0 || before) child_before = j > 0 ? &value : before;
      descend(begin + j * step, step, child_before);
    }
    return local.back();
  }

  T total(std::size_t begin, std::size_t size) const {
    if (size == 1) return x_[begin];
    std::vector<T> totals;
    for (std::size_t at = begin; at < begin + size && at < x_.size(); at += size / 16) totals.push_back(total(at, size / 16));
    return prefix(totals, totals.size() - 1);
  }

  /// Doubling, for one child: the totals of the groups that the bits of its number name, the smallest innermost.
  T prefix(const std::vector<T>& totals, std::size_t child) const {
    T value = totals[child];
    std::size_t begin = child;
    for (std::size_t half = 1; half < 16; half *= 2) {
      if ((child & half) == 0) continue;
      value = combine_(group(totals, begin - half, half), value);
      begin -= half;
    }
    return value;
  }
  T group(const std::vector<T>& totals, std::size_t begin, std::size_t size) const {
    if (size == 1) return totals[begin];
    return combine_(group(totals, begin, size / 2), group(totals, begin + size / 2, size / 2));
  }

  const std::vector<T>& x_;
  T (*combine_)(T, T);
  std::vector<T> result_;
};

template <class T> T plus(T a, T b) { return a + b; }
template <class T> T times(T a, T b) { return a * b; }

/// The tree along an axis of a row-major array.
template <class T>
Array along(const Array& x, int axis, T (*combine)(T, T)) {
  Values<T> values = read<T>(x);
  std::int64_t inner = 1;
  for (int i = axis + 1; i < x.ndim(); ++i) inner *= x.shape(i);
  const std::int64_t length = x.shape(axis);
  for (std::int64_t row = 0; length > 0 && row < x.size() / length; ++row) {
    const std::int64_t first = row / inner * inner * length + row % inner;
    std::vector<T> line;
    for (std::int64_t k = 0; k < length; ++k) line.push_back(values[std::size_t(first + k * inner)]);
    const Tree<T> tree(line, combine);
    for (std::int64_t k = 0; k < length; ++k) values[std::size_t(first + k * inner)] = tree.result()[std::size_t(k)];
  }
  return make<T>(values, x.shape());
}

TEST(CumulativeSum, FollowsTheTreeAtEveryLength) {
  std::vector<std::int64_t> lengths = {1, 2, 3, 15, 16, 17, 31, 255, 256, 257, 300, 4095, 4096, 4097, 9000, 65'536, 65'537, 70'001};
  if (!on_backend("reference")) lengths.push_back(16 * 65'536 + 4097);
  for (std::int64_t n : lengths) {
    const Array x = td::random::normal({n}, {.seed = std::uint64_t(n), .dtype = td::float32});
    EXPECT_TRUE(same(td::cumulative_sum(x), along<float>(x, 0, plus))) << n;
    // Also zeros of either sign: they show what stands for nothing.
    const Array y = td::where(td::random::integers({n}, 0, 2, {.seed = 1}) == 0, -0.0, td::random::normal({n}, {.seed = std::uint64_t(n)}));
    EXPECT_TRUE(same(td::cumulative_sum(y), along<double>(y, 0, plus))) << n;
    EXPECT_TRUE(same(td::cumulative_sum(x, {.include_initial = true})(slice(1, none)), td::cumulative_sum(x))) << n;
  }
}

TEST(CumulativeSum, FollowsTheTreeAlongEveryAxis) {
  const Shape shapes[] = {{3, 5}, {40, 3, 7}, {1, 300}, {300, 1}, {5000, 2}, {2, 5000}, {17, 300, 3}, {4100, 70}, {3, 4100, 5}, {70, 300}};
  for (const Shape& shape : shapes) {
    const Array x = td::random::normal(shape, {.seed = 9, .dtype = td::float32});
    for (int axis = 0; axis < shape.size(); ++axis) {
      const Array expected = along<float>(x, axis, plus);
      EXPECT_TRUE(same(td::cumulative_sum(x, {.axis = axis}), expected)) << shape << " axis " << axis;
      EXPECT_TRUE(same(td::cumulative_sum(x, {.axis = axis - shape.size()}), expected)) << shape << " axis " << axis;
      Array with_initial = td::cumulative_sum(x, {.axis = axis, .include_initial = true}).moveaxis(axis, 0);
      EXPECT_TRUE(same(with_initial(slice(1, none)), expected.moveaxis(axis, 0))) << shape << " axis " << axis;
      EXPECT_TRUE(same(with_initial(0), td::zeros_like(with_initial(0))));
    }
  }
}

TEST(CumulativeSum, DoesNotDependOnTheLayout) {
  const Array x = td::random::normal({60, 90}, {.seed = 5, .dtype = td::float32});
  for (Layout layout : all_layouts) {
    const Array laid_out = lay_out(x, layout);
    for (int axis : {0, 1})
      EXPECT_TRUE(same(td::cumulative_sum(laid_out, {.axis = axis}), along<float>(laid_out.copy(), axis, plus))) << name(layout);
  }
}

TEST(CumulativeProd, FollowsTheTree) {
  const Array x = td::random::uniform({5000}, {.low = 0.9, .high = 1.1, .seed = 2});
  EXPECT_TRUE(same(td::cumulative_prod(x), along<double>(x, 0, times)));
  EXPECT_TRUE(same(td::cumulative_prod(td::array({2, 3, 4}), {.include_initial = true}), td::array({1, 2, 6, 24})));
}

TEST(CumulativeSum, OfEveryDType) {
  for (DType dtype : all_dtypes) {
    const Array x = td::ones({300}, {.dtype = dtype});
    const DType result = td::sum(x).dtype();
    const Array sums = (td::arange(300) + 1).astype(result);
    if (dtype == td::float16 || dtype == td::bfloat16) {
      EXPECT_TRUE(same(td::cumulative_sum(x), sums.astype(td::float32).astype(dtype))) << dtype;
    } else {
      EXPECT_TRUE(same(td::cumulative_sum(x), sums)) << dtype;
    }
    EXPECT_TRUE(same(td::cumulative_prod(x), td::ones({300}, {.dtype = result}))) << dtype;
  }
  EXPECT_TRUE(same(td::cumulative_sum(td::array({100, 100}, {.dtype = td::int8})), td::array({100, 200})));
  EXPECT_TRUE(same(td::cumulative_sum(td::array({100, 100}, {.dtype = td::int8}), {.dtype = td::int8}),
                   td::array({100, -56}, {.dtype = td::int8})));
  EXPECT_TRUE(same(td::cumulative_sum(td::array({1, 2}), {.dtype = td::float32}), td::array({1, 3}, {.dtype = td::float32})));
  const std::complex<double> i(0, 1);
  EXPECT_TRUE(same(td::cumulative_prod(td::array({i, i, i})), td::array({i, -1.0 + 0.0 * i, -i})));
}

TEST(CumulativeSum, OfFewElements) {
  EXPECT_TRUE(same(td::cumulative_sum(td::array(5)), td::array({5})));
  EXPECT_TRUE(same(td::cumulative_sum(td::array(5), {.include_initial = true}), td::array({0, 5})));
  EXPECT_TRUE(same(td::cumulative_sum(td::zeros({0})), td::zeros({0})));
  EXPECT_TRUE(same(td::cumulative_sum(td::zeros({0}), {.include_initial = true}), td::zeros({1})));
  EXPECT_TRUE(same(td::cumulative_prod(td::zeros({2, 0}), {.axis = 1, .include_initial = true}), td::ones({2, 1})));
  EXPECT_TRUE(same(td::cumulative_sum(td::zeros({0, 3}), {.axis = 1}), td::zeros({0, 3})));
  EXPECT_TRUE(same(td::cumulative_sum(td::full({40}, -0.0)), td::full({40}, -0.0)));
  EXPECT_TRUE(throws([] { td::cumulative_sum(td::zeros({2, 2})); }, "cumulative_sum: an axis must be given", {"(2, 2)"}));
  EXPECT_TRUE(throws<td::IndexError>([] { td::cumulative_sum(td::zeros({2}), {.axis = 1}); }, "cumulative_sum: axis 1"));
}

TEST(CumulativeSum, IsMoreAccurateThanFromLeftToRight) {
  const std::int64_t n = on_backend("reference") ? 100'000 : 10'000'000;
  const Array sums = td::cumulative_sum(td::full({n}, 0.1, {.dtype = td::float32}));
  EXPECT_NEAR(sums(-1).item<double>(), 0.1f * double(n), 1e-6 * double(n));
}

TEST(CumulativeMax, OfEveryDType) {
  for (DType dtype : all_dtypes) {
    const Array x = td::random::integers({7, 333}, 0, 100, {.seed = 7}).astype(dtype);
    const Array largest = td::cumulative_max(x, {.axis = 1}), smallest = td::cumulative_min(x, {.axis = 0});
    for (std::int64_t k : {0, 1, 15, 16, 100, 332})
      EXPECT_TRUE(same(largest(td::all, k), td::max(x(td::all, slice(0, k + 1)), {.axis = 1}))) << dtype << " " << k;
    for (std::int64_t k : {0, 3, 6}) EXPECT_TRUE(same(smallest(k), td::min(x(slice(0, k + 1)), {.axis = 0}))) << dtype << " " << k;
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(same(td::cumulative_max(td::array({1.0, nan, 3.0})), td::array({1.0, nan, nan})));
  EXPECT_TRUE(same(td::cumulative_min(td::array({0.0, -0.0, 5.0})), td::array({0.0, -0.0, -0.0})));
  EXPECT_TRUE(same(td::cumulative_max(td::array(3)), td::array({3})));
}

TEST(Diff, OfNumPysExamples) {
  EXPECT_TRUE(same(td::diff(td::array({1, 2, 4, 7, 0})), td::array({1, 2, 3, -7})));
  EXPECT_TRUE(same(td::diff(td::array({1, 2, 4, 7, 0}), {.n = 2}), td::array({1, 1, -10})));
  const Array x = td::array({{1, 3, 6, 10}, {0, 5, 6, 8}});
  EXPECT_TRUE(same(td::diff(x), td::array({{2, 3, 4}, {5, 1, 2}})));
  EXPECT_TRUE(same(td::diff(x, {.axis = 0}), td::array({{-1, 2, 0, -2}})));
  EXPECT_TRUE(same(td::diff(td::array({true, true, false})), td::array({false, true})));
  EXPECT_TRUE(same(td::diff(td::array({1, 0}, {.dtype = td::uint8})), td::array({255}, {.dtype = td::uint8})));
  EXPECT_TRUE(same(td::diff(x, {.n = 0}), x));
  EXPECT_EQ(td::diff(x, {.n = 9}).shape(), (Shape{2, 0}));
  EXPECT_TRUE(same(td::diff(td::array({3, 5}), {.prepend = td::array(0), .append = td::array({9, 9})}), td::array({3, 2, 4, 0})));
  EXPECT_TRUE(throws([&] { td::diff(x, {.n = -1}); }, "diff: order must be non-negative but got -1"));
  EXPECT_TRUE(throws([&] { td::diff(td::array(1)); }, "diff: "));
}

TEST(Repeat, ByNumbersAndArrays) {
  const Array x = td::array({{1, 2}, {3, 4}});
  EXPECT_TRUE(same(td::repeat(td::array({1, 2}), 2), td::array({1, 1, 2, 2})));
  EXPECT_TRUE(same(td::repeat(x, 2), td::array({1, 1, 2, 2, 3, 3, 4, 4})));
  EXPECT_TRUE(same(td::repeat(x, 3, {.axis = 1}), td::array({{1, 1, 1, 2, 2, 2}, {3, 3, 3, 4, 4, 4}})));
  EXPECT_TRUE(same(td::repeat(x, td::array({1, 2}), {.axis = 0}), td::array({{1, 2}, {3, 4}, {3, 4}})));
  EXPECT_TRUE(same(td::repeat(td::array({1, 2}), td::array({0, 3})), td::array({2, 2, 2})));
  EXPECT_TRUE(same(td::repeat(td::array({1, 2, 3}), td::array({2})), td::array({1, 1, 2, 2, 3, 3})));
  EXPECT_EQ(td::repeat(td::array({1, 2}), 0).size(), 0);
  EXPECT_EQ(td::repeat(td::array({1, 2}), td::array({0, 0})).size(), 0);
  EXPECT_TRUE(same(td::repeat(td::array(7), 2), td::array({7, 7})));
  EXPECT_TRUE(same(td::repeat(td::array(7), 2, {.axis = -1}), td::array({7, 7})));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::repeat(td::array(7), 2, {.axis = 1}); }, "repeat: axis 1"));
  EXPECT_TRUE(throws([&] { td::repeat(x, td::array({1, 2, 3}), {.axis = 0}); }, "repeat: ", {"(3,)", "axis 0", "(2, 2)"}));
  EXPECT_TRUE(throws([&] { td::repeat(x, -1); }, "repeat: repeats may not contain negative values"));
  EXPECT_TRUE(throws([&] { td::repeat(td::array({1, 2}), td::array({-1, 2})); }, "repeat: repeats may not contain negative"));
  EXPECT_TRUE(throws([&] { td::repeat(x, td::array({1.0, 2.0}), {.axis = 0}); }, "repeat: ", {"float64"}));
}

TEST(Tile, ByNumPysRules) {
  EXPECT_TRUE(same(td::tile(td::array({1, 2}), {2}), td::array({1, 2, 1, 2})));
  EXPECT_TRUE(same(td::tile(td::array({1, 2}), {2, 2}), td::array({{1, 2, 1, 2}, {1, 2, 1, 2}})));
  EXPECT_TRUE(same(td::tile(td::array({{1, 2}, {3, 4}}), {2}), td::array({{1, 2, 1, 2}, {3, 4, 3, 4}})));
  EXPECT_EQ(td::tile(td::zeros({2, 3}), {2, 1, 2}).shape(), (Shape{2, 2, 6}));
  EXPECT_EQ(td::tile(td::array({1, 2}), {0}).shape(), Shape{0});
  EXPECT_TRUE(same(td::tile(td::array(3), {}), td::array(3)));
  EXPECT_TRUE(throws([&] { td::tile(td::array({1}), {-1}); }, "tile: ", {"(-1,)"}));
}

TEST(Roll, ShiftsAround) {
  EXPECT_TRUE(same(td::roll(td::arange(5), 2), td::array({3, 4, 0, 1, 2})));
  EXPECT_TRUE(same(td::roll(td::arange(5), -7), td::array({2, 3, 4, 0, 1})));
  const Array x = td::arange(6).reshape({2, 3});
  EXPECT_TRUE(same(td::roll(x, 1), td::array({{5, 0, 1}, {2, 3, 4}})));
  EXPECT_TRUE(same(td::roll(x, 1, 1), td::array({{2, 0, 1}, {5, 3, 4}})));
  EXPECT_TRUE(same(td::roll(x, {1, 1}, {0, 1}), td::array({{5, 3, 4}, {2, 0, 1}})));
  EXPECT_TRUE(same(td::roll(td::arange(5), {1, 2}, {0, 0}), td::array({2, 3, 4, 0, 1})));
  EXPECT_TRUE(same(td::roll(td::arange(5), INT64_MIN, 0), td::roll(td::arange(5), INT64_MIN % 5, 0)));
  EXPECT_EQ(td::roll(td::zeros({0, 3}), 1).shape(), (Shape{0, 3}));
  EXPECT_TRUE(throws([&] { td::roll(x, {1, 2}, {0}); }, "roll: ", {"(1, 2)", "(0,)"}));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::roll(x, 1, 2); }, "roll: axis 2"));
}

TEST(Unstack, IsTheInverseOfStack) {
  const Array x = td::arange(24).reshape({2, 3, 4});
  for (int axis : {0, 1, 2, -1}) {
    const std::vector<Array> parts = td::unstack(x, axis);
    EXPECT_EQ(std::int64_t(parts.size()), x.shape(axis));
    EXPECT_TRUE(same(td::stack(parts, axis), x)) << axis;
  }
  EXPECT_TRUE(throws<td::IndexError>([] { td::unstack(td::array(1)); }, "unstack: "));
}

}  // namespace
