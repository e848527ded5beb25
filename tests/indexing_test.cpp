// Basic indexing for reading and writing: integers, slices, ellipsis, newaxis.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::Shape;
using tandem::none;
using tandem::slice;

namespace {

/// Python's range(length)[start:stop:step].
std::vector<std::int64_t> python_slice(std::int64_t length, std::optional<std::int64_t> start,
                                       std::optional<std::int64_t> stop, std::int64_t step) {
  const auto bound = [&](std::optional<std::int64_t> b, std::int64_t open) {
    if (!b) return open;
    const std::int64_t low = step < 0 ? -1 : 0, high = step < 0 ? length - 1 : length;
    return std::clamp(*b < 0 ? *b + length : *b, low, high);
  };
  const std::int64_t first = bound(start, step < 0 ? length - 1 : 0), last = bound(stop, step < 0 ? -1 : length);
  std::vector<std::int64_t> picked;
  for (std::int64_t i = first; step < 0 ? i > last : i < last; i += step) picked.push_back(i);
  return picked;
}

TEST(Slices, ClipAsPython) {
  const std::optional<std::int64_t> bounds[] = {none, -100, -11, -10, -3, -1, 0, 1, 4, 9, 10, 11, 100};
  for (std::int64_t length : {0, 1, 10}) {
    const Array x = td::arange(length);
    for (auto start : bounds)
      for (auto stop : bounds)
        for (std::int64_t step : {1, 2, 3, 100, -1, -3, -100})
          EXPECT_EQ(x(slice(start, stop, step)).to_vector<std::int64_t>(), python_slice(length, start, stop, step))
              << length << " [" << (start ? std::to_string(*start) : "") << ":" << (stop ? std::to_string(*stop) : "")
              << ":" << step << "]";
  }
}

TEST(Slices, OfTheChecklist) {
  const Array x = td::arange(10);
  EXPECT_EQ(x(slice(20, none)).size(), 0);
  EXPECT_TRUE(same(x(slice(-100, 3)), td::array({0, 1, 2})));
  EXPECT_TRUE(same(x(slice(100, none, -3)), td::array({9, 6, 3, 0})));
  EXPECT_TRUE(same(x(slice(none, none, -100)), td::array({9})));
  EXPECT_TRUE(same(x(slice(none, -20, -1)), x.flip()));
  EXPECT_EQ(x(slice(none, none, INT64_MAX)).size(), 1);
  EXPECT_EQ(x(slice(INT64_MAX, none)).size(), 0);
  EXPECT_TRUE(throws([&] { x(slice(0, 5, 0)); }, "index: ", {"slice step"}));
}

TEST(Integers, RemoveTheirAxis) {
  const Array x = td::arange(24).reshape({2, 3, 4});
  EXPECT_EQ(x(1).shape(), (Shape{3, 4}));
  EXPECT_EQ(x(-1, -1, -1).shape(), Shape{});
  EXPECT_EQ(x(-1, -1, -1).item<int>(), 23);
  EXPECT_EQ(x(1, 2, 3).item<int>(), 23);
  EXPECT_TRUE(same(x(0, td::all, 1), td::array({1, 5, 9})));
  EXPECT_TRUE(same(x(1u, short{2}), x(1, 2)));
}

TEST(Integers, OutOfRangeNameIndexAxisAndSize) {
  const Array x = td::arange(10), y = td::zeros({2, 3});
  EXPECT_TRUE(throws<td::IndexError>([&] { x(10); }, "", {"10", "axis 0", "size 10"}));
  EXPECT_TRUE(throws<td::IndexError>([&] { x(-11); }, "", {"-11", "axis 0"}));
  EXPECT_TRUE(throws<td::IndexError>([&] { y(0, 3); }, "", {"3", "axis 1", "size 3"}));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::zeros({0})(0); }, "", {"axis 0", "size 0"}));
  EXPECT_TRUE(throws<td::IndexError>([&] { y(0, 0, 0); }, "", {"2", "3"}));
  EXPECT_TRUE(throws<td::IndexError>([&] { y(td::ellipsis, td::ellipsis); }, "", {"ellipsis"}));
}

TEST(Ellipsis, FillsTheRest) {
  const Array x = td::arange(24).reshape({2, 3, 4});
  EXPECT_TRUE(same(x(td::ellipsis, 0), x(td::all, td::all, 0)));
  EXPECT_TRUE(same(x(0, td::ellipsis), x(0)));
  EXPECT_TRUE(same(x(0, td::ellipsis, 1), x(0, td::all, 1)));
  EXPECT_TRUE(same(x(0, 1, 2, td::ellipsis), x(0, 1, 2)));
  EXPECT_TRUE(same(x(td::ellipsis), x));
  EXPECT_EQ(td::array(5)(td::ellipsis).shape(), Shape{});
  EXPECT_EQ(td::array(5)().item<int>(), 5);
}

TEST(NewAxis, InsertsALengthOfOne) {
  const Array x = td::arange(6).reshape({2, 3});
  EXPECT_EQ(x(td::newaxis).shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(x(td::all, td::newaxis).shape(), (Shape{2, 1, 3}));
  EXPECT_EQ(x(td::ellipsis, td::newaxis).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(x(0, td::newaxis, td::all, td::newaxis).shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(td::array(1)(td::newaxis).shape(), Shape{1});
  EXPECT_TRUE(same(x(td::all, td::newaxis, 1), td::array({{1}, {4}})));
}

TEST(Views, ShareMemory) {
  const Array x = td::arange(24).reshape({2, 3, 4}).copy();
  const char* base = static_cast<const char*>(x.data());
  EXPECT_EQ(x(1).data(), base + 12 * 8);
  EXPECT_EQ(x(td::all, 2, slice(none, none, -1)).data(), base + 11 * 8);
  EXPECT_EQ(x.transpose().data(), base);
  EXPECT_EQ(x.reshape({24}).data(), base);
  EXPECT_EQ(x(td::newaxis, 0).data(), base);
}

TEST(Assignment, WritesEachKindOfIndex) {
  Array x = td::zeros({3, 4}, {.dtype = td::int64});
  x(0) = 1;
  x(td::all, -1) = 2;
  x(1, slice(0, 2)) = td::array({5, 6});
  x(slice(none, none, -2), 0) = td::array({7, 8});
  x(2, 1) = td::array(9);
  EXPECT_TRUE(same(x, td::array({{8, 1, 1, 2}, {5, 6, 0, 2}, {7, 9, 0, 2}})));
  x(td::ellipsis) = 3;
  EXPECT_TRUE(same(x, td::full({3, 4}, 3)));
  x() = td::arange(4);
  EXPECT_TRUE(same(x(2), td::arange(4)));
  x(slice(5, none)) = 1;  // nothing is written
  EXPECT_TRUE(same(x(2), td::arange(4)));
  x(td::newaxis, 0, td::ellipsis) = td::array({{4, 4, 4, 4}});
  EXPECT_TRUE(same(x(0), td::full({4}, 4)));
}

TEST(Assignment, CastsAsAstype) {
  Array x = td::zeros({3}, {.dtype = td::int8});
  x(td::all) = td::array({1.9, -1.9, 300.0});
  EXPECT_TRUE(same(x, td::array({1, -1, 127}, {.dtype = td::int8})));
  x(0) = 2.7;
  EXPECT_EQ(x(0).item<int>(), 2);
  x(1) = true;
  EXPECT_EQ(x(1).item<int>(), 1);
  EXPECT_TRUE(throws([&] { x(0) = 300; }, "assign: ", {"300", "int8"}));
  EXPECT_TRUE(throws([&] { x(0) = td::array(std::complex<double>(1, 2)); }, "assign: ", {"complex128", "int8"}));
}

TEST(Assignment, BadIndexWritesNothing) {
  Array x = td::arange(3);
  EXPECT_TRUE(throws<td::IndexError>([&] { x(3) = 1; }, "", {"axis 0", "size 3"}));
  EXPECT_TRUE(same(x, td::arange(3)));
}

TEST(Assignment, OverlapIsSafe) {
  Array x = td::arange(6);
  x(slice(1, none)) = x(slice(0, -1));
  EXPECT_TRUE(same(x, td::array({0, 0, 1, 2, 3, 4})));
  Array y = td::arange(6);
  y(slice(0, -1)) = y(slice(1, none));
  EXPECT_TRUE(same(y, td::array({1, 2, 3, 4, 5, 5})));
  Array z = td::arange(6);
  z(slice(1, none)) += z(slice(0, -1));
  EXPECT_TRUE(same(z, td::array({0, 1, 3, 5, 7, 9})));
  Array w = td::arange(6);
  w(td::all) = w(slice(none, none, -1));
  EXPECT_TRUE(same(w, td::arange(6).flip()));
  Array m = td::arange(9).reshape({3, 3});
  m(td::all) = m.transpose();
  EXPECT_TRUE(same(m, td::arange(9).reshape({3, 3}).transpose()));
}

TEST(CompoundAssignment, OfSlices) {
  Array x = td::arange(6).reshape({2, 3});
  x(0) += 10;
  x(td::all, 1) *= td::array({2, 3});
  x(1, slice(none, none, 2)) -= 1;
  EXPECT_TRUE(same(x, td::array({{10, 22, 12}, {2, 12, 4}})));
  x(0) %= 7;
  x(0) <<= 2;
  x(0) |= 1;
  x(0) ^= 3;
  x(0) &= 14;
  x(0) >>= 1;
  EXPECT_TRUE(same(x(0), td::array({7, 3, 3})));
}

TEST(Reads, ChecksItsSizes) {
  const Array x = td::arange(6).reshape({2, 3});
  std::vector<double> target(6);
  x.transpose().copy_to(std::span<double>(target));
  EXPECT_EQ(target, (std::vector<double>{0, 3, 1, 4, 2, 5}));
  std::vector<double> small(5);
  EXPECT_TRUE(throws([&] { x.copy_to(std::span<double>(small)); }, "copy_to", {"(2, 3)", "5"}));
  EXPECT_TRUE(throws([&] { x.item<int>(); }, "item: ", {"(2, 3)"}));
  Array y = x;
  const std::vector<int> source = {6, 5, 4, 3, 2, 1};
  y.copy_from(std::span<const int>(source));
  EXPECT_TRUE(same(y, td::array({{6, 5, 4}, {3, 2, 1}})));
  EXPECT_TRUE(same(x, td::arange(6).reshape({2, 3})));
  EXPECT_TRUE(throws([&] { y.copy_from(std::span<const int>(source).first(5)); }, "copy_from: ", {"5", "(2, 3)"}));
}

TEST(Axis, LengthsFromEitherEnd) {
  const Array x = td::zeros({2, 3});
  EXPECT_EQ(x.shape(0), 2);
  EXPECT_EQ(x.shape(-1), 3);
  EXPECT_TRUE(throws<td::IndexError>([&] { x.shape(2); }, "shape: ", {"2"}));
}

}  // namespace
