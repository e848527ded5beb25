// Arrays without elements, and reductions of nothing.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::Shape;

namespace {

TEST(EmptyReductions, HaveIdentitiesOrThrow) {
  const Array x = td::zeros({0});
  EXPECT_TRUE(same(td::sum(x), td::array(0.0)));
  EXPECT_TRUE(same(td::prod(x), td::array(1.0)));
  EXPECT_TRUE(same(td::any(x), td::array(false)));
  EXPECT_TRUE(same(td::all(x), td::array(true)));
  EXPECT_TRUE(same(td::count_nonzero(x), td::array(0)));
  EXPECT_TRUE(throws([&] { td::max(x); }, "max: ", {"(0,)"}));
  EXPECT_TRUE(throws([&] { td::min(x); }, "min: ", {"(0,)"}));
  EXPECT_TRUE(throws([&] { td::argmax(x); }, "argmax: ", {"(0,)"}));
  EXPECT_TRUE(throws([&] { td::argmin(x); }, "argmin: ", {"(0,)"}));
  EXPECT_TRUE(std::isnan(td::mean(x).item<double>()));
  EXPECT_TRUE(std::isnan(td::var(x).item<double>()));
  EXPECT_TRUE(std::isnan(td::std(x).item<double>()));
  EXPECT_TRUE(same(td::linalg::norm(x), td::array(0.0)));
  EXPECT_TRUE(same(td::sum(td::zeros({0}, {.dtype = td::uint8})), td::zeros({}, {.dtype = td::uint64})));
  EXPECT_TRUE(same(td::prod(td::zeros({0}, {.dtype = td::bool_})), td::array(1)));
}

TEST(EmptyReductions, AlongEitherAxis) {
  const Array x = td::zeros({0, 3});
  EXPECT_TRUE(same(td::sum(x, {.axis = 0}), td::zeros({3})));
  EXPECT_TRUE(same(td::prod(x, {.axis = 0, .keepdims = true}), td::ones({1, 3})));
  EXPECT_EQ(td::sum(x, {.axis = 1}).shape(), Shape{0});
  EXPECT_EQ(td::max(x, {.axis = 1}).shape(), Shape{0});
  EXPECT_EQ(td::argmax(x, {.axis = 1}).shape(), Shape{0});
  EXPECT_EQ(td::mean(x, {.axis = 1}).shape(), Shape{0});
  EXPECT_TRUE(throws([&] { td::max(x, {.axis = 0}); }, "max: ", {"(0, 3)"}));
  // Rows without elements, even if there are none of them.
  const Array none = td::zeros({0, 0, 3});
  EXPECT_TRUE(throws([&] { td::min(none, {.axis = {0, 2}}); }, "min: ", {"(0, 0, 3)"}));
  EXPECT_TRUE(throws([&] { td::argmax(none, {.axis = 1}); }, "argmax: ", {"(0, 0, 3)"}));
  EXPECT_EQ(td::min(none, {.axis = 2}).shape(), (Shape{0, 0}));
  EXPECT_EQ(td::sum(none, {.axis = 1}).shape(), (Shape{0, 3}));
  EXPECT_TRUE(throws([&] { td::argmin(x, {.axis = 0}); }, "argmin: ", {"(0, 3)"}));
  EXPECT_TRUE(td::all(td::isnan(td::mean(x, {.axis = 0}))).item<bool>());
}

TEST(EmptyArrays, GoThroughEverything) {
  for (const Shape& shape : {Shape{0}, Shape{2, 0}, Shape{0, 3}, Shape{2, 0, 3}}) {
    Array x = td::zeros(shape);
    EXPECT_EQ((td::exp(x) * 2 + x).eval().shape(), shape);
    EXPECT_EQ(x.copy().shape(), shape);
    EXPECT_EQ(x.astype(td::int8).shape(), shape);
    EXPECT_EQ(x.flip().transpose().transpose().shape(), shape);
    EXPECT_EQ(td::sort(x).shape(), shape);
    EXPECT_EQ(td::argsort(x).shape(), shape);
    EXPECT_EQ(td::random::normal(shape, {.seed = 1}).shape(), shape);
    EXPECT_TRUE(x.to_vector<double>().empty());
    x += 1;
    x(td::ellipsis) = 3;
    EXPECT_EQ(x.shape(), shape);
    EXPECT_EQ(x.to(td::Device()).shape(), shape);
  }
}

TEST(EmptyProducts, AreZeros) {
  EXPECT_TRUE(same(td::matmul(td::zeros({2, 0}), td::zeros({0, 3})), td::zeros({2, 3})));
  EXPECT_EQ(td::matmul(td::zeros({0, 2}), td::zeros({2, 3})).shape(), (Shape{0, 3}));
  EXPECT_EQ(td::matmul(td::zeros({1, 2, 3}), td::zeros({0, 3, 2})).shape(), (Shape{0, 2, 2}));
  EXPECT_TRUE(same(td::dot(td::zeros({0}), td::zeros({0})), td::array(0.0)));
  EXPECT_EQ(td::outer(td::zeros({0}), td::zeros({3})).shape(), (Shape{0, 3}));
  EXPECT_EQ(td::linalg::cholesky(td::zeros({0, 0})).shape(), (Shape{0, 0}));
  EXPECT_EQ(td::linalg::cholesky(td::zeros({0, 3, 3})).shape(), (Shape{0, 3, 3}));
}

TEST(EmptyLists, OfArraysAreErrors) {
  EXPECT_TRUE(throws([] { td::concat(std::span<const Array>{}); }, "concat: "));
  EXPECT_TRUE(throws([] { td::stack(std::span<const Array>{}); }, "stack: "));
  EXPECT_TRUE(same(td::concat({td::zeros({0}), td::ones({2}), td::zeros({0})}), td::ones({2})));
  EXPECT_TRUE(throws([] { td::quantile(td::zeros({0}), 0.5); }, "quantile: ", {"(0,)"}));
}

TEST(Axes, RepeatedOrOutside) {
  const Array x = td::zeros({2, 3});
  EXPECT_TRUE(throws([&] { td::sum(x, {.axis = {0, 0}}); }, "sum: "));
  EXPECT_TRUE(throws([&] { td::sum(x, {.axis = {0, -2}}); }, "sum: "));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::sum(x, {.axis = 2}); }, "sum: ", {"2"}));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::var(x, {.axis = -3}); }, "var: ", {"-3"}));
  EXPECT_TRUE(
      same(td::sum(td::ones({2, 3}), {.axis = td::Axes(Shape{})}), td::ones({2, 3})));  // no axis: nothing to add
}

}  // namespace
