// 0-d arrays, single values and truth.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::Shape;

namespace {

TEST(ZeroDim, StaysZeroDim) {
  const Array x = td::arange(6).reshape({2, 3});
  EXPECT_EQ(x(0, 0).shape(), Shape{});
  EXPECT_EQ(td::sum(x).shape(), Shape{});
  EXPECT_EQ((td::array(1) + td::array(2)).shape(), Shape{});
  EXPECT_EQ(td::array(1).ndim(), 0);
  EXPECT_EQ(td::array(1).size(), 1);
  EXPECT_EQ(td::array(1).nbytes(), 8);
  EXPECT_EQ(td::array(1).T().shape(), Shape{});
  EXPECT_EQ(td::array(1).ravel().shape(), Shape{1});
  EXPECT_EQ(td::array(1).flip().shape(), Shape{});
}

TEST(ZeroDim, DefaultArrayIsAFloatZero) {
  const Array x;
  EXPECT_TRUE(same(x, td::zeros({})));
  EXPECT_TRUE(same(Array(3), td::array(3)));
  EXPECT_TRUE(same(Array(true), td::array(true)));
  EXPECT_TRUE(same(Array(2.5f), td::array(2.5)));
}

TEST(ZeroDim, ReductionsAcceptItsAxes) {
  const Array x = td::array(7);
  EXPECT_TRUE(same(td::sum(x), td::array(7)));
  EXPECT_TRUE(same(td::max(x), td::array(7)));
  EXPECT_TRUE(same(td::argmax(x), td::array(0)));
  EXPECT_TRUE(same(td::mean(x), td::array(7.0)));
  EXPECT_TRUE(same(td::var(x), td::array(0.0)));
  EXPECT_TRUE(same(td::sum(x, {.keepdims = true}), td::array(7)));
}

TEST(ZeroDim, WritesThroughTheEmptyIndex) {
  Array x = td::array(1.0);
  x() = 5;
  EXPECT_EQ(x.item<double>(), 5);
  x(td::ellipsis) += 2;
  EXPECT_EQ(x.item<double>(), 7);
  EXPECT_TRUE(throws<td::IndexError>([&] { x(0); }, "", {"0"}));
}

TEST(Truth, NeedsExactlyOneElement) {
  EXPECT_TRUE(bool(td::array({3})));
  EXPECT_FALSE(bool(td::array({{0.0}})));
  EXPECT_TRUE(bool(td::array(std::nan(""))));
  EXPECT_TRUE(throws([] { (void)bool(td::arange(3)); }, "bool: ", {"(3,)"}));
  EXPECT_TRUE(throws([] { (void)bool(td::zeros({0})); }, "bool: ", {"(0,)"}));
  bool taken = false;
  if (td::all(td::arange(3) < 3)) taken = true;
  EXPECT_TRUE(taken);
}

TEST(Item, OfEveryDtype) {
  for (td::DType dtype : all_dtypes) {
    const Array x = td::ones({1, 1}, {.dtype = dtype});
    EXPECT_EQ(x.item<std::complex<double>>(), 1.0) << dtype;
    EXPECT_TRUE(x.item<bool>());
    if (td::is_complex(dtype)) continue;
    EXPECT_EQ(x.item<int>(), 1);
  }
  EXPECT_EQ(td::arange(1, 3)(1).item<float>(), 2.0f);
  EXPECT_EQ((td::arange(3)(2) * 2 + 1).item<long>(), 5);
  EXPECT_EQ(td::arange(5, 6).item<int>(), 5);
  EXPECT_TRUE(throws([] { td::arange(2).item<int>(); }, "item: ", {"(2,)"}));
  EXPECT_TRUE(throws([] { td::zeros({0}).item<int>(); }, "item: ", {"(0,)"}));
}

}  // namespace
