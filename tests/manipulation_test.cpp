// Views as functions, joining, splitting and padding.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;
using tandem::Shape;
using td::none;
using td::slice;

namespace {

TEST(Views, AsFunctions) {
  const Array x = td::arange(1, 7).reshape({2, 3});
  EXPECT_TRUE(same(td::reshape(x, {3, -1}), td::array({{1, 2}, {3, 4}, {5, 6}})));
  EXPECT_TRUE(same(td::flip(x), td::array({{6, 5, 4}, {3, 2, 1}})));
  EXPECT_TRUE(same(td::flip(x, {.axis = 1}), td::array({{3, 2, 1}, {6, 5, 4}})));
  EXPECT_TRUE(same(td::flipud(x), td::array({{4, 5, 6}, {1, 2, 3}})));
  EXPECT_TRUE(same(td::fliplr(x), td::array({{3, 2, 1}, {6, 5, 4}})));
  EXPECT_TRUE(same(td::permute_dims(x, {1, 0}), td::array({{1, 4}, {2, 5}, {3, 6}})));
  EXPECT_TRUE(same(td::transpose(x), td::array({{1, 4}, {2, 5}, {3, 6}})));
  EXPECT_TRUE(same(td::swapaxes(x, 0, -1), td::array({{1, 4}, {2, 5}, {3, 6}})));
  EXPECT_TRUE(same(td::ravel(td::transpose(x)), td::array({1, 4, 2, 5, 3, 6})));
  EXPECT_TRUE(same(td::squeeze(td::expand_dims(x, {0, -1})), td::array({{1, 2, 3}, {4, 5, 6}})));
  EXPECT_TRUE(same(td::squeeze(td::reshape(x, {1, 6, 1}), 0), td::array({{1}, {2}, {3}, {4}, {5}, {6}})));
  EXPECT_TRUE(same(td::broadcast_to(td::array({1, 2}), {2, 2}), td::array({{1, 2}, {1, 2}})));
  EXPECT_EQ(td::moveaxis(td::zeros({2, 3, 4}), {0, 1}, {-1, 0}).shape(), (Shape{3, 4, 2}));
  EXPECT_EQ(td::moveaxis(td::zeros({2, 3, 4}), 0, 2).shape(), (Shape{3, 4, 2}));
  EXPECT_EQ(td::atleast_1d(td::array(3)).shape(), Shape{1});
  EXPECT_EQ(td::atleast_2d(td::zeros({3})).shape(), (Shape{1, 3}));
  EXPECT_EQ(td::atleast_3d(td::array(3)).shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(td::atleast_3d(td::zeros({3})).shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(td::atleast_3d(td::zeros({3, 4})).shape(), (Shape{3, 4, 1}));
}

TEST(Views, RefuseWhatDoesNotFit) {
  const Array x = td::arange(1, 7).reshape({2, 3});
  EXPECT_TRUE(throws([&] { td::moveaxis(x, {0, 1}, {0}); }, "moveaxis: ", {"(0, 1)", "(0,)"}));
  EXPECT_TRUE(throws([&] { td::moveaxis(x, {0, 0}, {0, 1}); }, "moveaxis: axis 0 is given twice"));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::moveaxis(x, {2}, {0}); }, "moveaxis: axis 2"));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::swapaxes(x, 0, 2); }, "swapaxes: axis 2"));
  EXPECT_TRUE(throws<td::IndexError>([] { td::fliplr(td::zeros({2})); }, "fliplr: axis 1"));
  EXPECT_TRUE(throws([&] { td::reshape(td::transpose(x), {6}, {.copy = false}); }, "reshape: ", {"(3, 2)", "(6,)"}));
  EXPECT_TRUE(throws([&] { td::broadcast_arrays({td::zeros({2}), td::zeros({3})}); },
                     "broadcast_arrays: shapes (2,) (3,)"));
}

TEST(Reshape, CopiesIfAskedTo) {
  const Array x = td::arange(6).eval();
  EXPECT_EQ(td::reshape(x, {2, 3}).data(), x.data());
  EXPECT_EQ(td::reshape(x, {2, 3}, {.copy = false}).data(), x.data());
  const Array copied = td::reshape(x, {2, 3}, {.copy = true});
  EXPECT_NE(copied.data(), x.data());
  EXPECT_TRUE(same(copied, td::array({{0, 1, 2}, {3, 4, 5}})));
  EXPECT_EQ(td::reshape(td::zeros({0, 3}), {0}, {.copy = false}).shape(), Shape{0});
}

TEST(BroadcastArrays, ToTheCommonShape) {
  const std::vector<Array> both = td::broadcast_arrays({td::array({1, 2, 3}), td::array({{4}, {5}})});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_TRUE(same(both[0], td::array({{1, 2, 3}, {1, 2, 3}})));
  EXPECT_TRUE(same(both[1], td::array({{4, 4, 4}, {5, 5, 5}})));
  EXPECT_TRUE(td::broadcast_arrays(std::vector<Array>{}).empty());
}

TEST(Rot90, TurnsPlanes) {
  const Array x = td::arange(1, 7).reshape({2, 3});
  const Array y = td::arange(24).reshape({2, 3, 4});
  EXPECT_TRUE(same(td::rot90(x), td::array({{3, 6}, {2, 5}, {1, 4}})));
  EXPECT_TRUE(same(td::rot90(x, 2), td::array({{6, 5, 4}, {3, 2, 1}})));
  EXPECT_TRUE(same(td::rot90(x, 3), td::array({{4, 1}, {5, 2}, {6, 3}})));
  EXPECT_TRUE(same(td::rot90(x, -1), td::array({{4, 1}, {5, 2}, {6, 3}})));
  EXPECT_TRUE(same(td::rot90(x, 4), td::array({{1, 2, 3}, {4, 5, 6}})));
  EXPECT_TRUE(same(td::rot90(x, 1, {.axes = {1, 0}}), td::array({{4, 1}, {5, 2}, {6, 3}})));
  EXPECT_TRUE(same(td::rot90(y, 1, {.axes = {-1, 0}})(td::all, 1), td::array({{16, 4}, {17, 5}, {18, 6}, {19, 7}})));
  EXPECT_TRUE(throws([&] { td::rot90(x, 1, {.axes = {0, -2}}); }, "rot90: axis -2 is given twice"));
  EXPECT_TRUE(throws([&] { td::rot90(x, 1, {.axes = {0}}); }, "rot90: ", {"(0,)"}));
}

TEST(Diagonal, OfEveryOffset) {
  const Array x = td::arange(1, 7).reshape({2, 3});
  const Array y = td::arange(24).reshape({2, 3, 4});
  EXPECT_TRUE(same(td::diagonal(x, {.offset = 0}), td::array({1, 5})));
  EXPECT_TRUE(same(td::diagonal(x, {.offset = 1}), td::array({2, 6})));
  EXPECT_TRUE(same(td::diagonal(x, {.offset = 2}), td::array({3})));
  EXPECT_TRUE(same(td::diagonal(x, {.offset = -1}), td::array({4})));
  EXPECT_EQ(td::diagonal(x, {.offset = 3}).size(), 0);
  EXPECT_EQ(td::diagonal(x, {.offset = INT64_MIN}).size(), 0);
  EXPECT_TRUE(same(td::diagonal(y, {.offset = 1, .axis1 = 1, .axis2 = 2}), td::array({{1, 6, 11}, {13, 18, 23}})));
  EXPECT_TRUE(same(td::diagonal(y, {.axis1 = -1, .axis2 = 0}), td::array({{0, 13}, {4, 17}, {8, 21}})));
  EXPECT_TRUE(same(td::diagonal(td::flip(x)), td::array({6, 2})));
  EXPECT_TRUE(throws([] { td::diagonal(td::zeros({2})); }, "diagonal: ", {"(2,)"}));
  EXPECT_TRUE(throws([&] { td::diagonal(x, {.axis1 = 1, .axis2 = -1}); }, "diagonal: axis 1 is given twice"));
}

TEST(Stack, SideBySideAndBelow) {
  const Array x = td::arange(1, 7).reshape({2, 3});
  EXPECT_TRUE(same(td::hstack({td::array({1, 2}), td::array({3.5})}), td::array({1.0, 2.0, 3.5})));
  EXPECT_TRUE(same(td::hstack({x, x}), td::array({{1, 2, 3, 1, 2, 3}, {4, 5, 6, 4, 5, 6}})));
  EXPECT_TRUE(same(td::hstack({td::array(1), td::array(2)}), td::array({1, 2})));
  EXPECT_TRUE(same(td::vstack({td::array({1, 2}), td::array({{3, 4}, {5, 6}})}), td::array({{1, 2}, {3, 4}, {5, 6}})));
  EXPECT_TRUE(same(td::dstack({td::array({1, 2}), td::array({3, 4})}), td::array({{{1, 3}, {2, 4}}})));
  EXPECT_TRUE(same(td::column_stack({td::array({1, 2}), td::array({{3, 4}, {5, 6}})}),
                   td::array({{1, 3, 4}, {2, 5, 6}})));
  EXPECT_TRUE(same(td::concat({x, td::array({7})}, none), td::array({1, 2, 3, 4, 5, 6, 7})));
  EXPECT_TRUE(same(td::block({{x, td::zeros({2, 1}, {.dtype = td::int64})}, {td::array({7, 8, 9, 10})}}),
                   td::array({{1, 2, 3, 0}, {4, 5, 6, 0}, {7, 8, 9, 10}})));
  EXPECT_TRUE(throws([&] { td::vstack({x, td::zeros({2})}); }, "vstack: shapes (2, 3) and (1, 2) differ"));
  EXPECT_TRUE(throws([] { td::hstack(std::vector<Array>{}); }, "hstack: no arrays"));
  EXPECT_TRUE(throws([&] { td::block({{x, td::zeros({3, 1})}}); }, "block: shapes"));
}

TEST(Edits, AppendInsertDelete) {
  const Array x = td::arange(1, 7).reshape({2, 3});
  EXPECT_TRUE(same(td::append(x, td::array({7.5})), td::array({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.5})));
  EXPECT_TRUE(same(td::append(x, td::array({{7, 8, 9}}), {.axis = 0}), td::array({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}})));
  EXPECT_TRUE(same(td::insert(x, 1, 9), td::array({1, 9, 2, 3, 4, 5, 6})));
  EXPECT_TRUE(same(td::insert(x, 1, 9, {.axis = 1}), td::array({{1, 9, 2, 3}, {4, 9, 5, 6}})));
  EXPECT_TRUE(same(td::insert(x, -1, td::array({7, 8}), {.axis = 1}), td::array({{1, 2, 7, 3}, {4, 5, 8, 6}})));
  EXPECT_TRUE(same(td::insert(x, 2, td::array({7, 8, 9}), {.axis = 0}), td::array({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}})));
  EXPECT_TRUE(same(td::delete_(x, 1), td::array({1, 3, 4, 5, 6})));
  EXPECT_TRUE(same(td::delete_(x, -1, {.axis = 1}), td::array({{1, 2}, {4, 5}})));
  EXPECT_TRUE(same(td::delete_(x, td::array({0, 2, 0}), {.axis = 1}), td::array({{2}, {5}})));
  EXPECT_TRUE(same(td::delete_(x, td::array({true, false, true}), {.axis = 1}), td::array({{2}, {5}})));
  EXPECT_TRUE(same(td::delete_(x, td::zeros({0}, {.dtype = td::int64})), td::array({1, 2, 3, 4, 5, 6})));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::insert(x, 3, 0, {.axis = 0}); }, "insert: index 3", {"size 2"}));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::delete_(x, -3, {.axis = 0}); }, "delete_: index -3", {"size 2"}));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::delete_(x, td::array({6})); }, "delete_: index 6", {"size 6"}));
}

void expect_parts(const std::vector<Array>& parts, std::initializer_list<Array> expected) {
  ASSERT_EQ(parts.size(), expected.size());
  for (std::size_t i = 0; i < parts.size(); ++i) EXPECT_TRUE(same(parts[i], expected.begin()[i])) << i;
}

TEST(Split, IntoEqualAndUnequalParts) {
  const Array x = td::arange(7);
  expect_parts(td::split(x(slice(0, 6)), 3), {td::array({0, 1}), td::array({2, 3}), td::array({4, 5})});
  expect_parts(td::array_split(x, 3), {td::array({0, 1, 2}), td::array({3, 4}), td::array({5, 6})});
  expect_parts(td::split(x, {2, 5}), {td::array({0, 1}), td::array({2, 3, 4}), td::array({5, 6})});
  expect_parts(td::array_split(x, {5, 9}), {td::array({0, 1, 2, 3, 4}), td::array({5, 6}), x(slice(0, 0))});
  expect_parts(td::array_split(td::array({1}), 2), {td::array({1}), x(slice(0, 0))});
  const Array m = td::arange(8).reshape({2, 4});
  expect_parts(td::split(m, 2, {.axis = 1}), {td::array({{0, 1}, {4, 5}}), td::array({{2, 3}, {6, 7}})});
  EXPECT_TRUE(throws([&] { td::split(x, 3); }, "split: axis 0 of shape (7,) has no 3 equal parts"));
  EXPECT_TRUE(throws([&] { td::split(x, 0); }, "split: "));
  EXPECT_TRUE(throws([&] { td::array_split(x, 0); }, "array_split: number of parts 0"));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::split(x, 1, {.axis = 1}); }, "split: axis 1"));
}

TEST(Pad, ByNumPysModes) {
  const Array x = td::arange(1, 7).reshape({2, 3});
  const Array v = td::array({1, 2, 3});
  EXPECT_TRUE(same(td::pad(v, {{2, 2}}, {.mode = td::PadMode::edge}), td::array({1, 1, 1, 2, 3, 3, 3})));
  EXPECT_TRUE(same(td::pad(v, {{0, 4}}, {.mode = td::PadMode::edge}), td::array({1, 2, 3, 3, 3, 3, 3})));
  EXPECT_TRUE(same(td::pad(v, {{7, 8}}, {.mode = td::PadMode::edge}),
                   td::array({1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3})));
  EXPECT_TRUE(same(td::pad(v, {{2, 2}}, {.mode = td::PadMode::reflect}), td::array({3, 2, 1, 2, 3, 2, 1})));
  EXPECT_TRUE(same(td::pad(v, {{0, 4}}, {.mode = td::PadMode::reflect}), td::array({1, 2, 3, 2, 1, 2, 3})));
  EXPECT_TRUE(same(td::pad(v, {{7, 8}}, {.mode = td::PadMode::reflect}),
                   td::array({2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3})));
  EXPECT_TRUE(same(td::pad(v, {{2, 2}}, {.mode = td::PadMode::symmetric}), td::array({2, 1, 1, 2, 3, 3, 2})));
  EXPECT_TRUE(same(td::pad(v, {{0, 4}}, {.mode = td::PadMode::symmetric}), td::array({1, 2, 3, 3, 2, 1, 1})));
  EXPECT_TRUE(same(td::pad(v, {{7, 8}}, {.mode = td::PadMode::symmetric}),
                   td::array({1, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3, 2})));
  EXPECT_TRUE(same(td::pad(v, {{2, 2}}, {.mode = td::PadMode::wrap}), td::array({2, 3, 1, 2, 3, 1, 2})));
  EXPECT_TRUE(same(td::pad(v, {{0, 4}}, {.mode = td::PadMode::wrap}), td::array({1, 2, 3, 1, 2, 3, 1})));
  EXPECT_TRUE(same(td::pad(v, {{7, 8}}, {.mode = td::PadMode::wrap}),
                   td::array({3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2})));
  EXPECT_TRUE(same(td::pad(v, 1), td::array({0, 1, 2, 3, 0})));
  EXPECT_TRUE(same(td::pad(v, {{0, 2}}, {.constant_values = 9}), td::array({1, 2, 3, 9, 9})));
  EXPECT_TRUE(same(td::pad(x, {{0, 1}, {2, 0}}, {.constant_values = -1}),
                   td::array({{-1, -1, 1, 2, 3}, {-1, -1, 4, 5, 6}, {-1, -1, -1, -1, -1}})));
  EXPECT_TRUE(same(td::pad(x, {{1, 0}, {1, 2}}, {.mode = td::PadMode::reflect}),
                   td::array({{5, 4, 5, 6, 5, 4}, {2, 1, 2, 3, 2, 1}, {5, 4, 5, 6, 5, 4}})));
  EXPECT_TRUE(same(td::pad(td::transpose(x), 1, {.mode = td::PadMode::wrap}),
                   td::array({{6, 3, 6, 3}, {4, 1, 4, 1}, {5, 2, 5, 2}, {6, 3, 6, 3}, {4, 1, 4, 1}})));
  EXPECT_TRUE(same(td::pad(td::array({5}), 2, {.mode = td::PadMode::reflect}), td::array({5, 5, 5, 5, 5})));
  EXPECT_TRUE(same(td::pad(td::array(5), 2), td::array(5)));
  EXPECT_TRUE(same(td::pad(td::zeros({0}), 2, {.constant_values = 1}), td::array({1.0, 1.0, 1.0, 1.0})));
  EXPECT_EQ(td::pad(td::zeros({0, 2}), {{0, 0}, {1, 1}}, {.mode = td::PadMode::edge}).shape(), (Shape{0, 4}));
  EXPECT_TRUE(throws([&] { td::pad(v, INT64_MAX); }, "pad: the result has more elements"));
  EXPECT_TRUE(throws([&] { td::pad(v, -1); }, "pad: widths (-1, -1) are negative"));
  EXPECT_TRUE(throws([&] { td::pad(v, {{1, 1}, {1, 1}}); }, "pad: 2 pairs", {"(3,)"}));
  EXPECT_TRUE(throws([&] { td::pad(td::zeros({0}), 1, {.mode = td::PadMode::wrap}); }, "pad: axis 0 of shape (0,)"));
}

TEST(Manipulation, OfEveryDTypeAndLayout) {
  for (DType dtype : all_dtypes) {
    const Array x = td::arange(12).reshape({3, 4}).astype(dtype);
    for (Layout layout : all_layouts) {
      const Array y = lay_out(x, layout), plain = y.copy();
      EXPECT_TRUE(same(td::pad(y, {{1, 2}, {0, 3}}, {.mode = td::PadMode::symmetric}),
                       td::pad(plain, {{1, 2}, {0, 3}}, {.mode = td::PadMode::symmetric}))) << dtype << name(layout);
      EXPECT_TRUE(same(td::pad(y, 1)(slice(1, -1), slice(1, -1)), plain)) << dtype << name(layout);
      EXPECT_TRUE(same(td::rot90(y, 3), td::rot90(plain, 3))) << dtype << name(layout);
      EXPECT_TRUE(same(td::diagonal(y, {.offset = -1}), td::diagonal(plain, {.offset = -1}))) << dtype << name(layout);
      EXPECT_TRUE(same(td::insert(y, 1, plain(0), {.axis = 0})(1), plain(0))) << dtype << name(layout);
      EXPECT_TRUE(same(td::vstack(td::split(y, 3)), plain)) << dtype << name(layout);
    }
  }
}

TEST(Options, NameTheAxisAsTheStandardDoes) {
  const Array x = td::arange(1, 7).reshape({2, 3});
  EXPECT_TRUE(same(td::concat({x, x}, {.axis = 1}), td::hstack({x, x})));
  EXPECT_TRUE(same(td::concat({x, x}, {.axis = none}), td::array({1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(td::stack({x, x}, {.axis = -1}).shape(), (Shape{2, 3, 2}));
  EXPECT_TRUE(same(td::unstack(x, {.axis = 1})[2], td::array({3, 6})));
  EXPECT_TRUE(same(td::roll(x, 1, {.axis = {0, 1}}), td::array({{6, 4, 5}, {3, 1, 2}})));
  EXPECT_TRUE(same(td::roll(x, 1, td::RollOptions{}), td::array({{6, 1, 2}, {3, 4, 5}})));
  EXPECT_TRUE(same(td::take_along_axis(x, td::array({{1}, {0}}), {.axis = 1}), td::array({{2}, {4}})));
}

TEST(Diagonal, WritingToItLeavesTheMatrix) {
  const Array x = td::zeros({2, 2}).eval();
  Array d = td::diagonal(x);
  d(0) = 5;
  EXPECT_TRUE(same(x, td::zeros({2, 2})));
  EXPECT_TRUE(same(d, td::array({5.0, 0.0})));
}

}  // namespace
