// Sorts and integer products that are long enough for the ways that backends have for such: the same bits as another
// backend's.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;
using tandem::Device;
using tandem::Shape;

namespace {

Device other_device() { return on_backend("cpu") ? Device("reference") : Device("cpu"); }

/// The same function on this and on the other backend. Random numbers are the same on both.
template <class Function>
::testing::AssertionResult agrees(Function&& function) {
  return same(function(Device()), function(other_device()).to(Device()));
}

/// Few different numbers, so that stability shows; floats with both zeros and NaN.
Array repeated(const Shape& shape, DType dtype, const Device& device) {
  const Array integers = td::random::integers(shape, -40, 40, {.seed = 5, .dtype = td::int8, .device = device});
  if (!td::is_inexact(dtype)) return integers.astype(dtype);
  const Array halves = td::sqrt(integers.astype(td::float32)) * integers.astype(td::float32);
  const Array zeros = td::where(integers > 30, td::copysign(td::zeros_like(halves), halves - 200.0f), halves);
  return td::where(integers > 35, td::zeros_like(halves), zeros).astype(dtype);
}

TEST(Sort, LongRows) {
  const auto n = std::int64_t(cases(100'000));
  for (DType dtype : all_dtypes)
    for (bool descending : {false, true}) {
      const auto x = [&](const Device& device) { return repeated({n}, dtype, device); };
      EXPECT_TRUE(agrees([&](const Device& d) { return td::sort(x(d), {.descending = descending}); })) << dtype;
      EXPECT_TRUE(agrees([&](const Device& d) { return td::argsort(x(d), {.descending = descending}); })) << dtype;
    }
}

TEST(Sort, ManyRows) {
  const auto n = std::int64_t(cases(6'000));
  for (DType dtype : all_dtypes)
    for (const auto& [shape, axis] : {std::pair<Shape, int>{{n, 7}, 1}, {{n / 400, 400}, 1}, {{300, n / 300}, 0}}) {
      const auto x = [&](const Device& device) { return repeated(shape, dtype, device); };
      EXPECT_TRUE(agrees([&](const Device& d) { return td::sort(x(d), {.axis = axis}); })) << dtype << shape;
      EXPECT_TRUE(agrees([&](const Device& d) { return td::argsort(x(d), {.axis = axis}); })) << dtype << shape;
    }
}

TEST(Sort, AllBitsOfNumbers) {
  const auto n = std::int64_t(cases(300'000));
  for (DType dtype : {td::uint32, td::uint64}) {
    const auto bits = [&](const Device& device) {
      return td::random::bits({n}, {.seed = 8, .dtype = dtype, .device = device});
    };
    EXPECT_TRUE(agrees([&](const Device& d) { return td::sort(bits(d)); })) << dtype;
    EXPECT_TRUE(agrees([&](const Device& d) { return td::argsort(bits(d), {.descending = true}); })) << dtype;
  }
  for (DType dtype : {td::float16, td::bfloat16, td::float32, td::float64}) {
    const auto normal = [&](const Device& device) {
      return td::random::normal({n}, {.seed = 9, .dtype = dtype, .device = device});
    };
    EXPECT_TRUE(agrees([&](const Device& d) { return td::sort(normal(d)); })) << dtype;
    EXPECT_TRUE(agrees([&](const Device& d) { return td::sort(normal(d), {.descending = true}); })) << dtype;
  }
}

TEST(Matmul, IntegersOfManyShapes) {
  struct Sizes {
    std::int64_t m, k, n;
  };
  for (DType dtype : all_dtypes) {
    if (td::is_inexact(dtype)) continue;
    for (const auto& [m, k, n] : {Sizes{130, 150, 140}, {3, 5000, 2}, {1, 20000, 1}, {65, 33, 257}}) {
      const auto product = [&, m = m, k = k, n = n](const Device& device) {
        // Products of bool that are not all true.
        const Array a = td::random::integers({m, k}, -128, 128, {.seed = 1, .dtype = td::int8, .device = device});
        const Array b = td::random::integers({n, k}, -128, 128, {.seed = 2, .dtype = td::int8, .device = device});
        if (dtype == td::bool_) return td::matmul(a > 120, (b > 120).transpose());
        return td::matmul(a.astype(dtype), b.astype(dtype).transpose());
      };
      EXPECT_TRUE(agrees(product)) << dtype << " " << m << " " << k << " " << n;
    }
  }
}

}  // namespace
