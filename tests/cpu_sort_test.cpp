// The CPU backend's sort against std::stable_sort with NumPy's order written out as a comparison.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "../backends/cpu/verbs.hpp"

namespace {

using namespace tandem;

// float16 and bfloat16 as their bits, widened only to compare.
struct Half {
  std::uint16_t bits;
};
struct BFloat {
  std::uint16_t bits;
};

float widen(BFloat x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16); }
float widen(Half x) {
  const int exponent = x.bits >> 10 & 31, fraction = x.bits & 1023;
  const float size = exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
                     : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                     : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  return (x.bits & 0x8000) != 0 ? -size : size;
}
template <class T>
T widen(T x) {
  return x;
}

// Strict order of NumPy's sort; NaN last in both directions.
template <class T>
bool less(T a, T b, bool descending) {
  const auto x = widen(a), y = widen(b);
  if constexpr (std::is_floating_point_v<decltype(widen(a))>) {
    if (std::isnan(x) || std::isnan(y)) return std::isnan(y) && !std::isnan(x);
  }
  return descending ? y < x : x < y;
}
template <class F>
bool less(std::complex<F> a, std::complex<F> b, bool descending) {
  const auto nan_class = [](std::complex<F> z) { return 2 * std::isnan(z.real()) + std::isnan(z.imag()); };
  if (nan_class(a) != nan_class(b)) return nan_class(a) < nan_class(b);
  switch (nan_class(a)) {
    case 0: return a.real() != b.real() ? less(a.real(), b.real(), descending) : less(a.imag(), b.imag(), descending);
    case 1: return less(a.real(), b.real(), descending);
    case 2: return less(a.imag(), b.imag(), descending);
    default: return false;
  }
}

template <class T>
constexpr td_dtype dtype_of() {
  if constexpr (std::is_same_v<T, bool>) return TD_BOOL;
  if constexpr (std::is_same_v<T, std::int8_t>) return TD_INT8;
  if constexpr (std::is_same_v<T, std::int16_t>) return TD_INT16;
  if constexpr (std::is_same_v<T, std::int32_t>) return TD_INT32;
  if constexpr (std::is_same_v<T, std::int64_t>) return TD_INT64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return TD_UINT8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return TD_UINT16;
  if constexpr (std::is_same_v<T, std::uint32_t>) return TD_UINT32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return TD_UINT64;
  if constexpr (std::is_same_v<T, Half>) return TD_FLOAT16;
  if constexpr (std::is_same_v<T, BFloat>) return TD_BFLOAT16;
  if constexpr (std::is_same_v<T, float>) return TD_FLOAT32;
  if constexpr (std::is_same_v<T, double>) return TD_FLOAT64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return TD_COMPLEX64;
  if constexpr (std::is_same_v<T, std::complex<double>>) return TD_COMPLEX128;
}

// A number with random bits, so that NaN of all payloads, infinities, subnormals and both zeros occur; every second one
// from a few values, so that equal ones do.
template <class T>
T random_element(std::mt19937_64& generator) {
  if constexpr (std::is_same_v<T, bool>) {
    return generator() & 1;
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    const float re = random_element<float>(generator), im = random_element<float>(generator);
    return {re, im};
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    const double re = random_element<double>(generator), im = random_element<double>(generator);
    return {re, im};
  } else {
    std::uint64_t bits = generator();
    if ((bits & 1) != 0) {
      static constexpr std::uint64_t top[] = {0,      0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80,
                                              0x7fc0, 0xffc1, 0x7c00, 0xfe00, 1};
      const std::uint64_t value = top[generator() % std::size(top)];
      bits = sizeof(T) == 1 ? value >> 8 : value << (8 * (sizeof(T) - 2));
    }
    T element;
    std::memcpy(&element, &bits, sizeof element);
    return element;
  }
}

template <class T>
using Elements = std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>>;

// Sorts with the verb and compares bits of values and all indices with std::stable_sort, in both directions and for
// each choice of outputs.
template <class T>
void check(const Elements<T>& memory, std::int64_t start, const std::vector<std::int64_t>& shape,
           const std::vector<std::int64_t>& strides) {
  using Element = typename Elements<T>::value_type;
  const std::int64_t n = shape.back();
  std::int64_t rows = 1;
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) rows *= shape[axis];
  const auto ndim = static_cast<std::int32_t>(shape.size());
  const td_view x{const_cast<Element*>(memory.data()) + start, dtype_of<T>(), ndim, shape.data(), strides.data()};
  std::vector<std::int64_t> contiguous(shape.size(), 1);
  for (int axis = ndim - 2; axis >= 0; --axis) contiguous[axis] = contiguous[axis + 1] * shape[axis + 1];

  for (const bool descending : {false, true}) {
    Elements<T> expected(rows * n);
    std::vector<std::int64_t> order(rows * n);
    for (std::int64_t row = 0; row < rows; ++row) {
      std::int64_t offset = start, rest = row;
      for (int axis = ndim - 2; axis >= 0; --axis) {
        offset += rest % shape[axis] * strides[axis];
        rest /= shape[axis];
      }
      const auto at = [&](std::int64_t i) { return memory[offset + i * strides.back()]; };
      const auto begin = order.begin() + row * n;
      std::iota(begin, begin + n, 0);
      std::stable_sort(begin, begin + n,
                       [&](std::int64_t a, std::int64_t b) { return less(at(a), at(b), descending); });
      for (std::int64_t i = 0; i < n; ++i) expected[row * n + i] = at(begin[i]);
    }
    for (int outputs = 1; outputs < 4; ++outputs) {
      Elements<T> values(rows * n);
      std::vector<std::int64_t> indices(rows * n);
      const td_view v{values.data(), dtype_of<T>(), ndim, shape.data(), contiguous.data()};
      const td_view i{indices.data(), TD_INT64, ndim, shape.data(), contiguous.data()};
      td_error error{};
      const td_status status =
          cpu::sort(nullptr, &x, descending, outputs & 1 ? &v : nullptr, outputs & 2 ? &i : nullptr, &error);
      ASSERT_EQ(status, TD_OK) << error.message;
      if (outputs & 1) {
        ASSERT_EQ(std::memcmp(values.data(), expected.data(), values.size() * sizeof(Element)), 0)
            << "values, n = " << n << ", descending = " << descending << ", outputs = " << outputs;
      }
      if (outputs & 2) {
        ASSERT_EQ(indices, order) << "n = " << n << ", descending = " << descending << ", outputs = " << outputs;
      }
    }
  }
}

template <class T>
Elements<T> random_elements(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  Elements<T> elements(count);
  for (auto& element : elements) element = random_element<T>(generator);
  return elements;
}

template <class T>
class CpuSort : public testing::Test {};
using Dtypes = testing::Types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                              std::uint32_t, std::uint64_t, Half, BFloat, float, double, std::complex<float>,
                              std::complex<double>>;
TYPED_TEST_SUITE(CpuSort, Dtypes);

TYPED_TEST(CpuSort, LengthsOfEveryMethod) {
  for (const std::int64_t n : {1, 2, 3, 10, 15, 16, 17, 31, 33, 64, 100, 128, 129, 191, 257, 1000, 5000, 9000}) {
    check<TypeParam>(random_elements<TypeParam>(3 * n, n), 0, {3, n}, {n, 1});
    if (n < 200) check<TypeParam>(random_elements<TypeParam>(21 * n, n), 0, {21, n}, {n, 1});
  }
}

TYPED_TEST(CpuSort, LongRowsAreSharedByThreads) {
  const std::int64_t n = (1 << 16) + 77;
  check<TypeParam>(random_elements<TypeParam>(n, 1), 0, {n}, {1});
}

TYPED_TEST(CpuSort, ManyShortRows) {
  check<TypeParam>(random_elements<TypeParam>(10 * 3001, 2), 0, {3001, 10}, {10, 1});
}

TYPED_TEST(CpuSort, StridedRows) {
  const auto memory = random_elements<TypeParam>(40 * 300, 3);
  check<TypeParam>(memory, 0, {300, 40}, {1, 300});                // transposed
  check<TypeParam>(memory, 0, {40, 100}, {300, 3});                // every third
  check<TypeParam>(memory, 299, {40, 300}, {300, -1});             // reversed
  check<TypeParam>(memory, 39 * 300, {20, 15, 40}, {15, 1, -300});  // three axes, negative
  check<TypeParam>(memory, 5, {7, 300}, {0, 1});                   // broadcast rows
  check<TypeParam>(memory, 5, {4, 50}, {300, 0});                  // broadcast elements
}

TYPED_TEST(CpuSort, EqualElementsKeepTheirPlaces) {
  Elements<TypeParam> memory(1000);
  check<TypeParam>(memory, 0, {1000}, {1});
}

// Long enough to be split past the cache. Half of the elements share their top digits, so that a bucket must be split
// again; these have few values, so that stability shows.
template <class T>
Elements<T> long_row(std::int64_t n) {
  Elements<T> elements = random_elements<T>(n, 5);
  for (std::int64_t i = 0; i < n; i += 2) elements[i] = static_cast<T>(1 + (i * 7919 / 2) % 100003 * 1e-5);
  return elements;
}

TEST(CpuSort, RowsBeyondTheCache) {
  constexpr std::int64_t bytes = (4 << 20) + 1000;
  check<float>(long_row<float>(bytes / 4), 0, {bytes / 4}, {1});
  check<double>(long_row<double>(bytes / 8), 0, {bytes / 8}, {1});
  check<std::complex<double>>(long_row<std::complex<double>>(bytes / 32), 0, {bytes / 32}, {1});

  const auto memory = random_elements<std::uint8_t>(bytes, 6);
  Elements<std::uint8_t> values(bytes), expected = memory;
  std::sort(expected.begin(), expected.end());
  const std::int64_t shape[] = {bytes}, strides[] = {1};
  const td_view x{const_cast<std::uint8_t*>(memory.data()), TD_UINT8, 1, shape, strides};
  const td_view v{values.data(), TD_UINT8, 1, shape, strides};
  td_error error{};
  ASSERT_EQ(cpu::sort(nullptr, &x, 0, &v, nullptr, &error), TD_OK) << error.message;
  EXPECT_EQ(values, expected);
}

TEST(CpuSort, OneVaryingDigit) {
  std::vector<std::int64_t> memory(70000);
  std::mt19937_64 generator(4);
  for (auto& element : memory) element = static_cast<std::int64_t>((generator() & 3) << 40) - 17;
  check<std::int64_t>(memory, 0, {70000}, {1});
}

TEST(CpuSort, EmptyArraysAndZeroDimensions) {
  const std::int64_t empty[] = {0, 5}, strides[] = {5, 1};
  td_view x{nullptr, TD_FLOAT32, 2, empty, strides};
  td_error error{};
  EXPECT_EQ(cpu::sort(nullptr, &x, 0, &x, nullptr, &error), TD_OK);
  x.ndim = 0;
  EXPECT_EQ(cpu::sort(nullptr, &x, 0, &x, nullptr, &error), TD_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "a 0-d array has no axis to sort along");
}

}  // namespace
