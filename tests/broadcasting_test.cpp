// Shapes: broadcasting, reshape and the views that change axes.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::Shape;

namespace {

Shape sum_shape(const Shape& a, const Shape& b) { return (td::zeros(a) + td::zeros(b)).shape(); }

TEST(Broadcasting, AlignsAtTheRight) {
  EXPECT_EQ(sum_shape({2, 3}, {3}), (Shape{2, 3}));
  EXPECT_EQ(sum_shape({2, 1}, {1, 3}), (Shape{2, 3}));
  EXPECT_EQ(sum_shape({5, 1, 4}, {3, 1}), (Shape{5, 3, 4}));
  EXPECT_EQ(sum_shape({}, {2, 2}), (Shape{2, 2}));
  EXPECT_EQ(sum_shape({0}, {1}), Shape{0});
  EXPECT_EQ(sum_shape({2, 0}, {1, 1}), (Shape{2, 0}));
  EXPECT_EQ(sum_shape({1, 0, 3}, {4, 1, 1}), (Shape{4, 0, 3}));
  EXPECT_EQ(td::broadcast_shapes({{2, 1}, {3}, {4, 1, 1}}), (Shape{4, 2, 3}));
}

TEST(Broadcasting, MismatchNamesTheShapes) {
  EXPECT_TRUE(throws([] { td::zeros({2, 3}) + td::zeros({4}); }, "add: ", {"(2, 3)", "(4,)"}));
  EXPECT_TRUE(throws([] { td::zeros({0}) * td::zeros({3}); }, "multiply: ", {"(0,)", "(3,)"}));
  EXPECT_TRUE(
      throws([] { td::where(td::zeros({2}), td::zeros({3}), td::zeros({1})); }, "where: ", {"(2,)", "(3,)", "(1,)"}));
  EXPECT_TRUE(throws([] { td::broadcast_shapes({{2}, {3}}); }, "broadcast_shapes: ", {"(2,)", "(3,)"}));
}

TEST(Broadcasting, ValuesRepeat) {
  const Array row = td::arange(3), column = td::arange(2).reshape({2, 1}) * 10;
  EXPECT_TRUE(same(row + column, td::array({{0, 1, 2}, {10, 11, 12}})));
  EXPECT_TRUE(same(column * td::array(2), td::array({{0}, {20}})));
  const Array cube = td::arange(24).reshape({2, 3, 4});
  const Array expected = td::stack({cube(0) + td::arange(4), cube(1) + td::arange(4)});
  EXPECT_TRUE(same(cube + td::arange(4), expected));
}

TEST(Broadcasting, PendingSmallerExpressionIsBroadcast) {
  const Array row = td::arange(3) * 2 + 1;
  EXPECT_TRUE(same(row + td::zeros({2, 3}, {.dtype = td::int64}), td::array({{1, 3, 5}, {1, 3, 5}})));
  EXPECT_TRUE(same((row + 1) * td::array({{1}, {2}}), td::array({{2, 4, 6}, {4, 8, 12}})));
}

TEST(BroadcastTo, IsAViewWithStrideZero) {
  const Array x = td::arange(3);
  const Array y = x.broadcast_to({2, 4, 3});
  EXPECT_EQ(y.shape(), (Shape{2, 4, 3}));
  EXPECT_EQ(y.strides()[0], 0);
  EXPECT_EQ(y.strides()[1], 0);
  EXPECT_TRUE(same(y(1, 2), x));
  EXPECT_TRUE(throws([&] { x.broadcast_to({2}); }, "broadcast_to: ", {"(3,)", "(2,)"}));
  EXPECT_TRUE(throws([&] { x.broadcast_to({}); }, "broadcast_to: ", {"(3,)", "()"}));
}

TEST(InPlace, MayNotChangeTheShape) {
  Array x = td::zeros({2, 3});
  EXPECT_TRUE(throws([&] { Array y = td::zeros({3}); y += x; }, "add: ", {"(3,)", "(2, 3)"}));
  x += td::arange(3);
  EXPECT_TRUE(same(x, td::array({{0.0, 1.0, 2.0}, {0.0, 1.0, 2.0}})));
}

TEST(Assignment, MayDropLeadingOnes) {
  Array x = td::zeros({2, 3});
  x(0) = td::ones({1, 1, 3});
  EXPECT_TRUE(same(x, td::array({{1.0, 1.0, 1.0}, {0.0, 0.0, 0.0}})));
  EXPECT_TRUE(throws([&] { x(0) = td::ones({2, 3}); }, "assign: ", {"(2, 3)", "(3,)"}));
  EXPECT_TRUE(throws([&] { x(td::all) = td::ones({2}); }, "assign: ", {"(2,)", "(2, 3)"}));
}

TEST(Reshape, TakesOneUnknownLength) {
  const Array x = td::arange(12);
  EXPECT_EQ(x.reshape({3, -1}).shape(), (Shape{3, 4}));
  EXPECT_EQ(x.reshape({-1}).shape(), Shape{12});
  EXPECT_EQ(td::zeros({0, 3}).reshape({-1}).shape(), Shape{0});
  EXPECT_EQ(td::zeros({1}).reshape({}).shape(), Shape{});
  EXPECT_TRUE(throws([&] { x.reshape({5}); }, "reshape: ", {"(12,)", "(5,)"}));
  EXPECT_TRUE(throws([&] { x.reshape({-1, -1}); }, "reshape: "));
  EXPECT_TRUE(throws([&] { x.reshape({-1, 5}); }, "reshape: ", {"(12,)"}));
  EXPECT_TRUE(throws([] { td::zeros({0, 3}).reshape({0, -1}); }, "reshape: "));
}

TEST(Reshape, KeepsRowMajorOrderOfAnyView) {
  const Array x = td::arange(6).reshape({2, 3});
  EXPECT_TRUE(same(x.transpose().reshape({-1}), td::array({0, 3, 1, 4, 2, 5})));
  EXPECT_TRUE(same(x.flip().ravel(), td::array({5, 4, 3, 2, 1, 0})));
  EXPECT_TRUE(same(td::arange(2).broadcast_to({2, 2}).reshape({4}), td::array({0, 1, 0, 1})));
  EXPECT_TRUE(same(Array(x(td::all, td::slice(0, 2))).reshape({4}), td::array({0, 1, 3, 4})));
  EXPECT_TRUE(same((x + 1).reshape({3, 2}), td::array({{1, 2}, {3, 4}, {5, 6}})));
}

TEST(Axes, TransposePermuteMoveFlip) {
  const Array x = td::arange(24).reshape({2, 3, 4});
  EXPECT_EQ(x.T().shape(), (Shape{4, 3, 2}));
  EXPECT_EQ(x.permute({1, 0, 2}).shape(), (Shape{3, 2, 4}));
  EXPECT_EQ(x.permute({-1, 0, 1}).shape(), (Shape{4, 2, 3}));
  EXPECT_EQ(x.permute({2, 0, 1})(3, 1, 2).item<int>(), 23);
  EXPECT_EQ(x.moveaxis(0, -1).shape(), (Shape{3, 4, 2}));
  EXPECT_EQ(x.moveaxis(2, 0).shape(), (Shape{4, 2, 3}));
  EXPECT_TRUE(same(x.flip(1)(0, 0), x(0, 2)));
  EXPECT_TRUE(same(x.flip()(0, 0, 0), x(1, 2, 3)));
  EXPECT_TRUE(same(td::matrix_transpose(x), x.permute({0, 2, 1})));
  EXPECT_TRUE(throws([&] { x.permute({0, 1}); }, "permute: "));
  EXPECT_TRUE(throws([&] { x.permute({0, 0, 1}); }, "permute: "));
  EXPECT_TRUE(throws<td::IndexError>([&] { x.permute({0, 1, 3}); }, "permute: ", {"3"}));
  EXPECT_TRUE(throws<td::IndexError>([&] { x.flip(3); }, "flip: ", {"3"}));
  EXPECT_TRUE(throws<td::IndexError>([&] { x.moveaxis(0, 5); }, "moveaxis: ", {"5"}));
}

TEST(Axes, OfArraysWithoutAxes) {
  EXPECT_TRUE(throws<td::IndexError>([] { td::zeros({}).flip(0); }, "flip: axis 0"));
  EXPECT_TRUE(throws<td::IndexError>([] { td::zeros({}).squeeze(-1); }, "squeeze: axis -1"));
  EXPECT_EQ(td::zeros({}).flip().shape(), Shape{});
}

TEST(Axes, SqueezeAndExpand) {
  const Array x = td::zeros({1, 3, 1});
  EXPECT_EQ(x.squeeze().shape(), Shape{3});
  EXPECT_EQ(x.squeeze(0).shape(), (Shape{3, 1}));
  EXPECT_EQ(x.squeeze({0, -1}).shape(), Shape{3});
  EXPECT_TRUE(throws([&] { x.squeeze(1); }, "squeeze: ", {"(1, 3, 1)"}));
  EXPECT_EQ(td::zeros({3}).expand_dims(0).shape(), (Shape{1, 3}));
  EXPECT_EQ(td::zeros({3}).expand_dims({0, 2}).shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(td::zeros({3}).expand_dims(-1).shape(), (Shape{3, 1}));
  EXPECT_TRUE(throws([] { td::zeros({3}).expand_dims({0, 0}); }, "expand_dims: "));
}

TEST(Contiguity, IgnoresAxesOfLengthOne) {
  EXPECT_TRUE(td::zeros({5, 1}).is_contiguous());
  EXPECT_TRUE(td::zeros({5, 1}).transpose().is_contiguous());
  EXPECT_FALSE(td::zeros({5, 2}).transpose().is_contiguous());
  EXPECT_TRUE(td::zeros({0, 3}).is_contiguous());
  EXPECT_FALSE(td::zeros({4})(td::slice(td::none, td::none, 2)).is_contiguous());
}

TEST(Dimensions, AtMostThirtyTwo) {
  const Array x = td::ones(Shape::filled(32, 1));
  EXPECT_EQ((x + x).ndim(), 32);
  EXPECT_TRUE(throws([&] { x.expand_dims(0); }, "", {"32"}));
  EXPECT_TRUE(throws([] { Shape::filled(33, 1); }, "", {"32"}));
}

TEST(Shapes, PrintAsTuples) {
  EXPECT_EQ(td::to_string(Shape{}), "()");
  EXPECT_EQ(td::to_string(Shape{3}), "(3,)");
  EXPECT_EQ(td::to_string(Shape{2, 3}), "(2, 3)");
}

TEST(Shapes, NegativeAndAbsurdLengthsAreErrors) {
  EXPECT_TRUE(throws([] { td::zeros({-1}); }, "zeros: ", {"(-1,)"}));
  EXPECT_TRUE(throws([] { td::zeros({1LL << 40, 1LL << 40}); }, "zeros: ", {"1099511627776"}));
  EXPECT_TRUE(throws([] { td::zeros({3}).broadcast_to({-1, 3}); }, "broadcast_to: "));
}

}  // namespace
