// Making arrays: constants, nested braces, host memory, joining.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;
using tandem::Shape;

namespace {

TEST(Constants, OfEveryDtype) {
  for (DType dtype : all_dtypes) {
    const td::ArrayOptions o{.dtype = dtype};
    EXPECT_EQ(td::zeros({2, 3}, o).dtype(), dtype);
    EXPECT_EQ(td::zeros({2, 3}, o).to_vector<std::complex<double>>(), std::vector<std::complex<double>>(6, 0.0))
        << dtype;
    EXPECT_EQ(td::ones({2, 3}, o).to_vector<std::complex<double>>(), std::vector<std::complex<double>>(6, 1.0))
        << dtype;
    EXPECT_EQ(td::empty({2, 3}, o).shape(), (Shape{2, 3}));
    EXPECT_EQ(td::full({2}, 1, o).dtype(), dtype);
  }
  EXPECT_EQ(td::zeros({2}).dtype(), td::float64);
  EXPECT_EQ(td::full({2}, 3).dtype(), td::int64);
  EXPECT_EQ(td::full({2}, true).dtype(), td::bool_);
  EXPECT_EQ(td::full({2}, 2.5f).dtype(), td::float64);
  EXPECT_EQ(td::full({2}, std::complex<float>(1, 2)).dtype(), td::complex128);
  EXPECT_EQ(td::ones({}).shape(), Shape{});
}

TEST(Constants, OutsideTheDtypeAreErrors) {
  EXPECT_TRUE(throws([] { td::full({2}, 300, {.dtype = td::uint8}); }, "full: ", {"300", "uint8"}));
  EXPECT_TRUE(throws([] { td::full({2}, -1, {.dtype = td::uint64}); }, "full: ", {"-1", "uint64"}));
  EXPECT_TRUE(same(td::full({1}, 18446744073709551615u), make<std::uint64_t>({18446744073709551615u})));
}

TEST(Constants, CanBeWritten) {
  Array x = td::zeros({3});
  x(1) = 5;
  EXPECT_TRUE(same(x, td::array({0.0, 5.0, 0.0})));
  Array y = td::ones({2, 2});
  y += y;
  EXPECT_TRUE(same(y, td::full({2, 2}, 2.0)));
  Array z = td::arange(5);
  z(td::slice(1, 3)) = 0;
  EXPECT_TRUE(same(z, td::array({0, 0, 0, 3, 4})));
}

TEST(Like, TakesShapeAndDtype) {
  const Array x = td::zeros({2, 3}, {.dtype = td::int16});
  EXPECT_TRUE(same(td::zeros_like(x), x));
  EXPECT_TRUE(same(td::ones_like(x), td::ones({2, 3}, {.dtype = td::int16})));
  EXPECT_TRUE(same(td::full_like(x, 7), td::full({2, 3}, 7, {.dtype = td::int16})));
  EXPECT_EQ(td::empty_like(x).dtype(), td::int16);
  EXPECT_EQ(td::zeros_like(x, {.dtype = td::float32}).dtype(), td::float32);
}

TEST(NestedBraces, ShapesAndDtypes) {
  EXPECT_EQ(td::array({{1, 2, 3}, {4, 5, 6}}).shape(), (Shape{2, 3}));
  EXPECT_EQ(td::array({{{1}, {2}}}).shape(), (Shape{1, 2, 1}));
  EXPECT_EQ(td::array(5).shape(), Shape{});
  EXPECT_EQ(td::array({1, 2}).dtype(), td::int64);
  EXPECT_EQ(td::array({true, false}).dtype(), td::bool_);
  EXPECT_EQ(td::array({1, 2.5}).dtype(), td::float64);
  EXPECT_EQ(td::array({true, 2}).dtype(), td::int64);
  EXPECT_EQ(td::array({1.0, std::complex<double>(0, 1)}).dtype(), td::complex128);
  EXPECT_EQ(td::array({1, 2}, {.dtype = td::float16}).dtype(), td::float16);
  EXPECT_EQ(td::array({{1, 2}, {3, 4}})(1, 0).item<int>(), 3);
}

TEST(NestedBraces, RaggedOrOutsideAreErrors) {
  EXPECT_TRUE(throws([] { td::array({{1, 2}, {3}}); }, "array: "));
  EXPECT_TRUE(throws([] { td::array({{1, 2}, 3}); }, "array: "));
  EXPECT_TRUE(throws([] { td::array({1, 300}, {.dtype = td::uint8}); }, "array: ", {"300", "uint8"}));
}

TEST(HostMemory, GoesInAndComesOut) {
  for (DType dtype : all_dtypes)
    with_type(dtype, []<class T>(Type<T>) {
      const Values<T> values = special_values<T>();
      const Array x = make<T>(values);
      const Values<T> back = read<T>(x);
      EXPECT_EQ(std::memcmp(back.data(), values.data(), values.size() * sizeof(Stored<T>)), 0) << td::dtype_of_v<T>;
    });
  const std::vector<float> v = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(td::array(v).dtype(), td::float32);
  EXPECT_EQ(Array(std::span<const float>(v), Shape{2, 3}).shape(), (Shape{2, 3}));
  EXPECT_EQ(td::array(v, {.dtype = td::int8}).dtype(), td::int8);
  EXPECT_TRUE(throws([&] { Array(std::span<const float>(v), Shape{2, 2}); }, "Array: ", {"6", "(2, 2)"}));
}

TEST(Eye, HasItsDiagonal) {
  EXPECT_TRUE(same(td::eye(2), td::array({{1.0, 0.0}, {0.0, 1.0}})));
  EXPECT_TRUE(same(td::eye(2, 3, {.k = 1}), td::array({{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}})));
  EXPECT_TRUE(same(td::eye(3, 2, {.k = -1, .dtype = td::int64}), td::array({{0, 0}, {1, 0}, {0, 1}})));
  EXPECT_TRUE(same(td::eye(2, {}, {.k = 5}), td::zeros({2, 2})));
  EXPECT_EQ(td::eye(0).shape(), (Shape{0, 0}));
}

TEST(Concat, AlongEveryAxis) {
  const Array a = td::arange(6).reshape({2, 3}), b = a + 10;
  EXPECT_TRUE(same(td::concat({a, b}), td::array({{0, 1, 2}, {3, 4, 5}, {10, 11, 12}, {13, 14, 15}})));
  EXPECT_TRUE(same(td::concat({a, b(td::all, td::slice(0, 1))}, 1), td::array({{0, 1, 2, 10}, {3, 4, 5, 13}})));
  EXPECT_TRUE(same(td::concat({a.T(), b.T()}, -1), td::concat({a, b}, 0).T()));
  EXPECT_TRUE(same(td::concat({a}), a));
  EXPECT_TRUE(same(td::concat({a, a.flip()}), td::array({{0, 1, 2}, {3, 4, 5}, {5, 4, 3}, {2, 1, 0}})));
  EXPECT_TRUE(throws([&] { td::concat({a, td::ones({2, 2})}); }, "concat: ", {"(2, 3)", "(2, 2)"}));
  EXPECT_TRUE(throws([&] { td::concat({a, td::ones({2})}); }, "concat: ", {"(2, 3)", "(2,)"}));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::concat({a, b}, 2); }, "concat: ", {"2"}));
  EXPECT_TRUE(throws([&] { td::concat({td::array(1), td::array(2)}); }, "concat: "));
}

TEST(Stack, AddsAnAxis) {
  const Array a = td::array({1, 2}), b = td::array({3, 4});
  EXPECT_TRUE(same(td::stack({a, b}), td::array({{1, 2}, {3, 4}})));
  EXPECT_TRUE(same(td::stack({a, b}, 1), td::array({{1, 3}, {2, 4}})));
  EXPECT_TRUE(same(td::stack({a, b}, -1), td::array({{1, 3}, {2, 4}})));
  EXPECT_TRUE(same(td::stack({td::array(1), td::array(2)}), td::array({1, 2})));
  EXPECT_TRUE(throws([&] { td::stack({a, td::array({1, 2, 3})}); }, "stack: ", {"(2,)", "(3,)"}));
}

TEST(Devices, AreNamedAndEqual) {
  const td::Device device;
  EXPECT_EQ(td::Device(device.name()), device);
  EXPECT_EQ(td::zeros({1}).device(), device);
  EXPECT_EQ(td::zeros({1}, {.device = device}).device(), device);
  EXPECT_EQ((td::zeros({1}) + 1).device(), device);
  EXPECT_FALSE(td::devices().empty());
  EXPECT_EQ(td::devices().front(), device);
  EXPECT_TRUE(throws<td::BackendUnavailable>([] { td::Device("no_such_backend"); }, "", {"no_such_backend"}));
}

TEST(Devices, CountMemory) {
  const td::Device device;
  device.synchronize();
  const auto before = device.memory();
  {
    const Array x = td::ones({100'000}).copy();
    device.synchronize();
    EXPECT_GE(device.memory().used_bytes, before.used_bytes + 800'000);
    EXPECT_GE(device.memory().peak_bytes, device.memory().used_bytes);
  }
  EXPECT_EQ(device.memory().used_bytes, before.used_bytes);
  device.trim();
  EXPECT_LT(device.memory().cached_bytes, 800'000);  // threads may keep small blocks
}

TEST(Devices, EventsMeasureTime) {
  td::Event begin, end;
  begin.record();
  td::sum(td::random::uniform({10000}, {.seed = 1})).eval();
  end.record();
  EXPECT_GE(end.seconds_since(begin), 0);
  td::Event never;
  EXPECT_TRUE(throws([&] { end.seconds_since(never); }, ""));
}

TEST(Tri, OnesBelowADiagonal) {
  EXPECT_TRUE(same(td::tri(3), td::array({{1.0, 0.0, 0.0}, {1.0, 1.0, 0.0}, {1.0, 1.0, 1.0}})));
  EXPECT_TRUE(same(td::tri(2, 3, {.k = 1, .dtype = td::int64}), td::array({{1, 1, 0}, {1, 1, 1}})));
  EXPECT_TRUE(same(td::tri(3, 2, {.k = -1, .dtype = td::bool_}),
                   td::array({{false, false}, {true, false}, {true, true}})));
  EXPECT_EQ(td::tri(0, 3).shape(), (Shape{0, 3}));
  EXPECT_TRUE(same(td::identity(2, {.dtype = td::float32}),
                   td::array({{1.0, 0.0}, {0.0, 1.0}}, {.dtype = td::float32})));
  EXPECT_TRUE(throws([] { td::tri(-1); }, "tri: shape (-1, -1)"));
}

TEST(Triangle, OfMatrices) {
  const Array x = td::arange(1, 13).reshape({3, 4});
  EXPECT_TRUE(same(td::tril(x), td::array({{1, 0, 0, 0}, {5, 6, 0, 0}, {9, 10, 11, 0}})));
  EXPECT_TRUE(same(td::triu(x), td::array({{1, 2, 3, 4}, {0, 6, 7, 8}, {0, 0, 11, 12}})));
  EXPECT_TRUE(same(td::tril(x, {.k = 1}), td::array({{1, 2, 0, 0}, {5, 6, 7, 0}, {9, 10, 11, 12}})));
  EXPECT_TRUE(same(td::triu(x, {.k = 1}), td::array({{0, 2, 3, 4}, {0, 0, 7, 8}, {0, 0, 0, 12}})));
  EXPECT_TRUE(same(td::tril(x, {.k = -1}), td::array({{0, 0, 0, 0}, {5, 0, 0, 0}, {9, 10, 0, 0}})));
  EXPECT_TRUE(same(td::triu(x, {.k = -1}), td::array({{1, 2, 3, 4}, {5, 6, 7, 8}, {0, 10, 11, 12}})));
  EXPECT_TRUE(same(td::tril(x, {.k = 9}), td::array({{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}})));
  EXPECT_TRUE(same(td::triu(x, {.k = 9}), td::array({{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}})));
  EXPECT_TRUE(same(td::tril(x, {.k = -9}), td::array({{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}})));
  EXPECT_TRUE(same(td::triu(x, {.k = -9}), td::array({{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}})));
  EXPECT_TRUE(same(td::triu(x, {.k = INT64_MAX}), td::array({{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}})));
  EXPECT_TRUE(same(td::tril(x, {.k = INT64_MIN}), td::array({{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}})));
  EXPECT_TRUE(same(td::tril(td::array({1, 2})), td::array({{1, 0}, {1, 2}})));
  EXPECT_TRUE(same(td::triu(td::flip(x)), td::array({{12, 11, 10, 9}, {0, 7, 6, 5}, {0, 0, 2, 1}})));
  EXPECT_EQ(td::tril(td::zeros({2, 0, 3})).shape(), (Shape{2, 0, 3}));
  EXPECT_TRUE(throws([] { td::tril(td::array(1)); }, "tril: a 0-d array"));
}

TEST(Triangle, OfStacksOfEveryDTypeAndLayout) {
  for (DType dtype : all_dtypes) {
    const Array x = td::ones({2, 3, 3}).astype(dtype);
    for (Layout layout : all_layouts) {
      const Array lower = td::tril(lay_out(x, layout)), upper = td::triu(lay_out(x, layout), {.k = 1});
      EXPECT_EQ(lower.dtype(), dtype);
      EXPECT_TRUE(same(td::count_nonzero(lower), td::array(12))) << dtype << name(layout);
      EXPECT_TRUE(same(td::where(upper == 0, lower, upper), x)) << dtype << name(layout);
    }
  }
}

TEST(Diag, MakesAndTakesDiagonals) {
  const Array x = td::arange(1, 13).reshape({3, 4});
  EXPECT_TRUE(same(td::diag(td::array({1, 2})), td::array({{1, 0}, {0, 2}})));
  EXPECT_TRUE(same(td::diag(td::array({1, 2}), {.k = 1}), td::array({{0, 1, 0}, {0, 0, 2}, {0, 0, 0}})));
  EXPECT_TRUE(same(td::diag(td::array({1, 2}), {.k = -2}),
                   td::array({{0, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 2, 0, 0}})));
  EXPECT_TRUE(same(td::diag(x), td::array({1, 6, 11})));
  EXPECT_TRUE(same(td::diag(x, {.k = -1}), td::array({5, 10})));
  EXPECT_TRUE(same(td::diagflat(td::array({{1, 2}, {3, 4}}), {.k = 1}),
                   td::array({{0, 1, 0, 0, 0}, {0, 0, 2, 0, 0}, {0, 0, 0, 3, 0}, {0, 0, 0, 0, 4}, {0, 0, 0, 0, 0}})));
  EXPECT_TRUE(same(td::diag(td::array({true, true})), td::array({{true, false}, {false, true}})));
  EXPECT_EQ(td::diag(td::zeros({0})).shape(), (Shape{0, 0}));
  EXPECT_TRUE(same(td::diag(td::zeros({0}), {.k = 1}), td::array({{0.0}})));
  EXPECT_TRUE(throws([] { td::diag(td::zeros({2, 2, 2})); }, "diag: ", {"(2, 2, 2)"}));
}

TEST(Logspace, AndGeomspace) {
  EXPECT_TRUE(near(td::logspace(0, 3, 4), td::array({1.0, 10.0, 100.0, 1000.0}), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::logspace(1, 4, 3, {.endpoint = false, .base = 2}), td::array({2.0, 4.0, 8.0}), 1e-14, 1e-14));
  EXPECT_TRUE(same(td::logspace(0, 2, 3, {.dtype = td::int32}), td::array({1, 10, 100}, {.dtype = td::int32})));
  EXPECT_TRUE(near(td::geomspace(1, 1000, 4), td::array({1.0, 10.0, 100.0, 1000.0}), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::geomspace(-1000, -1, 4), td::array({-1000.0, -100.0, -10.0, -1.0}), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::geomspace(1, 256, 4, {.endpoint = false}),
                   td::array({1.0, 4.0, 16.0, 63.999999999999986}), 1e-14, 1e-14));
  EXPECT_TRUE(same(td::geomspace(3, 7, 5)(0), td::array(3.0)));
  EXPECT_TRUE(same(td::geomspace(3, 7, 5)(-1), td::array(7.0)));
  EXPECT_TRUE(same(td::geomspace(1, 5, 1), td::array({1.0})));
  EXPECT_EQ(td::geomspace(1, 5, 0).shape(), Shape{0});
  EXPECT_EQ(td::geomspace(1, 4, 3, {.dtype = td::float32}).dtype(), td::float32);
  EXPECT_TRUE(throws([] { td::geomspace(0, 5, 3); }, "geomspace: "));
}

TEST(Meshgrid, RepeatsCoordinates) {
  const Array x = td::array({1, 2, 3}), y = td::array({4.5, 5.5});
  const std::vector<Array> xy = td::meshgrid({x, y});
  EXPECT_TRUE(same(xy[0], td::array({{1, 2, 3}, {1, 2, 3}})));
  EXPECT_TRUE(same(xy[1], td::array({{4.5, 4.5, 4.5}, {5.5, 5.5, 5.5}})));
  const std::vector<Array> ij = td::meshgrid({x, y}, {.indexing = td::Indexing::ij});
  EXPECT_TRUE(same(ij[0], td::array({{1, 1}, {2, 2}, {3, 3}})));
  EXPECT_TRUE(same(ij[1], td::array({{4.5, 5.5}, {4.5, 5.5}, {4.5, 5.5}})));
  const std::vector<Array> sparse = td::meshgrid({x, y}, {.sparse = true});
  EXPECT_EQ(sparse[0].shape(), (Shape{1, 3}));
  EXPECT_EQ(sparse[1].shape(), (Shape{2, 1}));
  const std::vector<Array> three = td::meshgrid({x, y, td::array(7)});
  EXPECT_EQ(three[0].shape(), (Shape{2, 3, 1}));
  EXPECT_TRUE(same(td::meshgrid({x})[0], x));
  EXPECT_EQ(td::meshgrid({x, td::zeros({0})})[0].shape(), (Shape{0, 3}));
  EXPECT_TRUE(td::meshgrid(std::vector<Array>{}).empty());
}

TEST(OneHot, MarksTheClass) {
  EXPECT_TRUE(same(td::one_hot(td::array({1, 0, 3, -1}, {.dtype = td::int8}), 3),
                   td::array({{0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}})));
  EXPECT_TRUE(same(td::one_hot(td::array(1), 2, {.dtype = td::bool_}), td::array({false, true})));
  EXPECT_EQ(td::one_hot(td::zeros({0, 2}, {.dtype = td::int64}), 4).shape(), (Shape{0, 2, 4}));
  EXPECT_EQ(td::one_hot(td::array({1}), 0).shape(), (Shape{1, 0}));
  EXPECT_TRUE(throws([] { td::one_hot(td::array({1.0}), 2); }, "one_hot: indices of dtype float64"));
  EXPECT_TRUE(throws([] { td::one_hot(td::array({1}), -2); }, "one_hot: number of classes -2"));
}

TEST(AsArray, CopiesWhereAskedTo) {
  const Array x = td::arange(3).eval();
  EXPECT_EQ(td::asarray(x).data(), x.data());
  EXPECT_EQ(td::asarray(x, {.dtype = td::int64, .device = x.device(), .copy = false}).data(), x.data());
  EXPECT_NE(td::asarray(x, {.copy = true}).data(), x.data());
  EXPECT_TRUE(same(td::asarray(x, {.dtype = td::float32}), td::array({0, 1, 2}, {.dtype = td::float32})));
  EXPECT_TRUE(same(td::asarray({{1, 2}, {3, 4}}, {.dtype = td::int8}),
                   td::array({{1, 2}, {3, 4}}, {.dtype = td::int8})));
  EXPECT_TRUE(same(td::asarray(2.5), td::array(2.5)));
  EXPECT_TRUE(throws([&] { td::asarray(x, {.dtype = td::int8, .copy = false}); }, "asarray: int64", {"int8"}));
  EXPECT_TRUE(throws([] { td::asarray(1, {.copy = false}); }, "asarray: "));
}

}  // namespace
