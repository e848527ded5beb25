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

}  // namespace
