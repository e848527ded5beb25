// The CPU backend's products and Cholesky factors, called directly: strides and batches that the core may pass, failing
// memory, what OpenBLAS must not be trusted with.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <complex>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tandem/scalar.h>

#include "../backends/cpu/verbs.hpp"

namespace {

using namespace tandem;
using Shape = std::vector<std::int64_t>;
using scalar::bf16;
using scalar::f16;
using C64 = std::complex<float>;
using C128 = std::complex<double>;

template <class T>
constexpr td_dtype dtype_of = TD_DTYPE_COUNT;
template <> constexpr td_dtype dtype_of<bool> = TD_BOOL;
template <> constexpr td_dtype dtype_of<std::int8_t> = TD_INT8;
template <> constexpr td_dtype dtype_of<std::uint8_t> = TD_UINT8;
template <> constexpr td_dtype dtype_of<std::int16_t> = TD_INT16;
template <> constexpr td_dtype dtype_of<std::uint32_t> = TD_UINT32;
template <> constexpr td_dtype dtype_of<std::int64_t> = TD_INT64;
template <> constexpr td_dtype dtype_of<f16> = TD_FLOAT16;
template <> constexpr td_dtype dtype_of<bf16> = TD_BFLOAT16;
template <> constexpr td_dtype dtype_of<float> = TD_FLOAT32;
template <> constexpr td_dtype dtype_of<double> = TD_FLOAT64;
template <> constexpr td_dtype dtype_of<C64> = TD_COMPLEX64;
template <> constexpr td_dtype dtype_of<C128> = TD_COMPLEX128;

std::int64_t product(const Shape& shape) {
  std::int64_t result = 1;
  for (const std::int64_t length : shape) result *= length;
  return result;
}

Shape row_major(const Shape& shape) {
  Shape strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0; step *= shape[i]) strides[i] = step;
  return strides;
}

template <class T>
struct View {
  View(T* data, Shape shape_, Shape strides_) : shape(std::move(shape_)), strides(std::move(strides_)) {
    view = {data, dtype_of<T>, std::int32_t(shape.size()), shape.data(), strides.data()};
  }
  View(T* data, const Shape& shape_) : View(data, shape_, row_major(shape_)) {}
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  Shape shape, strides;
  td_view view;
};

/// How a test lays a matrix out in memory.
enum Layout {
  plain,
  transposed,
  padded,
  spread,
  reversed_rows,
  reversed_columns,
  row_repeated,
  column_repeated,
  batch_repeated
};
constexpr Layout all_layouts[] = {plain, transposed, padded, spread, reversed_rows, reversed_columns, row_repeated,
                                  column_repeated, batch_repeated};

template <class T>
T small_value(std::mt19937& random) {
  const int value = int(random() % 7) - 3;
  if constexpr (std::is_same_v<T, bool>)
    return value > 1;
  else if constexpr (std::is_same_v<T, C64> || std::is_same_v<T, C128>)
    return T(value, int(random() % 5) - 2);
  else if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>)
    return scalar::cast<T>(float(value));
  else
    return static_cast<T>(value);
}

/// A batch of matrices of small integers, so that every product is exact.
template <class T>
struct Operand {
  Operand(const Shape& shape, Layout layout, unsigned seed) {
    const std::size_t row = shape.size() - 2, column = row + 1;
    const std::int64_t m = shape[row], n = shape[column], items = product(shape);
    storage = std::vector<Cell>(static_cast<std::size_t>(items * 6 + 64));
    std::mt19937 random(seed);
    for (Cell& cell : storage) cell.value = small_value<T>(random);
    Shape strides = row_major(shape);
    std::int64_t start = 0;
    const auto outer = [&](std::int64_t matrix) {
      std::int64_t step = matrix;
      for (std::size_t i = row; i-- > 0; step *= shape[i]) strides[i] = step;
    };
    switch (layout) {
      case plain: break;
      case transposed: strides[row] = 1, strides[column] = m; break;
      case padded: strides[row] = n + 3, outer(m * (n + 3)); break;
      case spread: strides[column] = 2, strides[row] = 2 * n + 1, outer(m * (2 * n + 1)); break;
      case reversed_rows: start = (m - 1) * n, strides[row] = -n; break;
      case reversed_columns: start = n - 1, strides[column] = -1; break;
      case row_repeated: strides[row] = 0, outer(n); break;
      case column_repeated: strides[column] = 0, strides[row] = 1, outer(m); break;
      case batch_repeated: outer(0); std::fill_n(strides.begin(), row, 0); break;
    }
    data = &storage[0].value + start;
    view = std::make_unique<View<T>>(data, shape, strides);
  }

  T at(const Shape& index) const {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < index.size(); ++i) offset += index[i] * view->strides[i];
    return data[offset];
  }

  struct Cell {  // std::vector<bool> has no data
    T value;
  };
  std::vector<Cell> storage;
  T* data;
  std::unique_ptr<View<T>> view;
};

template <class T>
T sum_of_products(const Operand<T>& a, const Operand<T>& b, const Shape& index, std::int64_t k) {
  using Wide = std::conditional_t<std::is_same_v<T, f16> || std::is_same_v<T, bf16>, float, T>;
  Shape left = index, right = index;
  Wide sum{};
  for (std::int64_t p = 0; p < k; ++p) {
    left[left.size() - 1] = right[right.size() - 2] = p;
    if constexpr (std::is_same_v<T, bool>)
      sum = sum || (a.at(left) && b.at(right));
    else if constexpr (std::is_integral_v<T>)
      sum = static_cast<T>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(a.at(left)) *
                                                               static_cast<std::uint64_t>(b.at(right)));
    else if constexpr (std::is_same_v<T, Wide>)
      sum += a.at(left) * b.at(right);
    else
      sum += scalar::cast<float>(a.at(left)) * scalar::cast<float>(b.at(right));
  }
  if constexpr (std::is_same_v<T, Wide>)
    return sum;
  else
    return scalar::cast<T>(sum);
}

template <class T>
bool same(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
template <>
bool same(float a, float b) { return a == b; }
template <>
bool same(double a, double b) { return a == b; }
template <>
bool same(C64 a, C64 b) { return a == b; }
template <>
bool same(C128 a, C128 b) { return a == b; }
template <>
bool same(f16 a, f16 b) { return scalar::cast<float>(a) == scalar::cast<float>(b); }
template <>
bool same(bf16 a, bf16 b) { return scalar::cast<float>(a) == scalar::cast<float>(b); }

/// Compares the verb with sums of products, one element at a time.
template <class T>
void check(const Shape& batch, std::int64_t m, std::int64_t k, std::int64_t n, Layout a_layout, Layout b_layout) {
  const auto with = [&](std::int64_t rows, std::int64_t columns) {
    Shape shape = batch;
    shape.insert(shape.end(), {rows, columns});
    return shape;
  };
  const Operand<T> a(with(m, k), a_layout, 1), b(with(k, n), b_layout, 2);
  const Shape shape = with(m, n);
  std::vector<typename Operand<T>::Cell> c(std::size_t(product(shape) + 1));
  const int rubbish = std::is_same_v<T, bool> ? 1 : 0xff;  // NaN for floats: c must not be read
  std::memset(static_cast<void*>(c.data()), rubbish, c.size() * sizeof(T));
  const T guard = c.back().value;
  const View<T> result(&c[0].value, shape);
  td_error error{};
  ASSERT_EQ(cpu::matmul(nullptr, &a.view->view, &b.view->view, &result.view, TD_PRECISION_FULL, &error), TD_OK)
      << error.message;
  EXPECT_TRUE(std::memcmp(&c.back().value, &guard, sizeof guard) == 0);
  Shape index(shape.size());
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < product(shape); ++i) {
    std::int64_t rest = i;
    for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) index[axis] = rest % shape[axis];
    wrong += !same(c[std::size_t(i)].value, sum_of_products(a, b, index, k));
  }
  EXPECT_EQ(wrong, 0) << "dtype " << dtype_of<T> << " (" << m << ", " << k << ") x (" << k << ", " << n << "), "
                      << batch.size() << " batch axes, layouts " << a_layout << " " << b_layout;
}

template <class T>
class Products : public ::testing::Test {};
using Types = ::testing::Types<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint32_t, std::int64_t, f16, bf16,
                               float, double, C64, C128>;
TYPED_TEST_SUITE(Products, Types);

TYPED_TEST(Products, Sizes) {
  for (const auto& [m, k, n] : {std::array{1, 1, 1}, {1, 7, 1}, {1, 7, 5}, {6, 7, 1}, {5, 1, 6}, {3, 4, 5},
                                {16, 16, 16}, {17, 31, 33}, {67, 70, 130}, {1, 300, 77}, {300, 77, 1}, {5, 90, 1100}})
    check<TypeParam>({}, m, k, n, plain, plain);
}

TYPED_TEST(Products, Layouts) {
  for (const Layout a : all_layouts)
    for (const Layout b : all_layouts) check<TypeParam>({}, 9, 20, 13, a, b);
}

TYPED_TEST(Products, LayoutsOfVectors) {
  for (const Layout layout : all_layouts) {
    check<TypeParam>({}, 30, 20, 1, layout, plain);
    check<TypeParam>({}, 30, 20, 1, plain, layout);
    check<TypeParam>({}, 1, 20, 30, layout, plain);
    check<TypeParam>({}, 1, 20, 30, plain, layout);
    check<TypeParam>({}, 1, 20, 1, layout, layout);
  }
}

TYPED_TEST(Products, Batches) {
  for (const Layout a : all_layouts)
    for (const Layout b : {plain, transposed, spread, batch_repeated}) {
      check<TypeParam>({6}, 4, 5, 3, a, b);
      check<TypeParam>({3, 1, 4}, 2, 3, 4, a, b);
      check<TypeParam>({7}, 1, 6, 5, a, b);
    }
  check<TypeParam>({500}, 3, 3, 3, plain, plain);
  check<TypeParam>({500}, 3, 3, 3, plain, batch_repeated);
}

template <class T>
td_status multiply(const std::vector<T>& a, const std::vector<T>& b, std::vector<T>& c, std::int64_t m, std::int64_t k,
                   std::int64_t n, td_error* error) {
  const View<T> x(const_cast<T*>(a.data()), {m, k}), y(const_cast<T*>(b.data()), {k, n}), z(c.data(), {m, n});
  return cpu::matmul(nullptr, &x.view, &y.view, &z.view, TD_PRECISION_FULL, error);
}

TEST(Matmul, HalvesAreRoundedOnce) {
  // 2048 + 1 + 1 is a float16 only if the sum is not rounded on its way there.
  std::vector<f16> ones(64, scalar::cast<f16>(1.0f)), row(64, scalar::cast<f16>(0.0f)), c(1);
  row[0] = scalar::cast<f16>(2048.0f);
  row[1] = row[2] = scalar::cast<f16>(1.0f);
  td_error error{};
  ASSERT_EQ(multiply(row, ones, c, 1, 64, 1, &error), TD_OK);
  EXPECT_EQ(scalar::cast<float>(c[0]), 2050.0f);
}

TEST(Matmul, LongColumnsOfHalvesGoInBlocks) {
  constexpr std::int64_t m = 3000, k = 2000, n = 900;
  std::vector<f16> a(m * k), b(k * n, scalar::cast<f16>(0.0f)), c(m * n);
  for (std::int64_t i = 0; i < m * k; ++i) a[std::size_t(i)] = scalar::cast<f16>(float(i % 1999));
  for (std::int64_t j = 0; j < n; ++j) b[std::size_t((j + 7) * n + j)] = scalar::cast<f16>(1.0f);  // selects columns
  td_error error{};
  ASSERT_EQ(multiply(a, b, c, m, k, n, &error), TD_OK);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) wrong += !same(c[std::size_t(i * n + j)], a[std::size_t(i * k + j + 7)]);
  EXPECT_EQ(wrong, 0);
}

TEST(Matmul, SameBitsAgain) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<float> a(150 * 700), b(700 * 130), first(150 * 130), again(first.size());
  for (float& x : a) x = normal(random);
  for (float& x : b) x = normal(random);
  td_error error{};
  ASSERT_EQ(multiply(a, b, first, 150, 700, 130, &error), TD_OK);
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(multiply(a, b, again, 150, 700, 130, &error), TD_OK);
    EXPECT_EQ(std::memcmp(first.data(), again.data(), first.size() * sizeof(float)), 0);
  }
}

TEST(Matmul, NanAndInfinityAreNotSkipped) {
  for (const std::int64_t n : {1, 3, 40}) {
    std::vector<double> a(std::size_t(40 * 40)), b(std::size_t(40 * n), INFINITY), c(std::size_t(40 * n));
    td_error error{};
    ASSERT_EQ(multiply(a, b, c, 40, 40, n, &error), TD_OK);
    EXPECT_TRUE(std::all_of(c.begin(), c.end(), [](double x) { return std::isnan(x); })) << n;
  }
}

TEST(Matmul, SizesBeyondTheLibraryAreRefused) {
  float x = 1, c[4];
  const std::int64_t k = std::int64_t{INT_MAX} + 1;
  const View<float> a(&x, {1, k}, {0, 0}), b(&x, {k, 1}, {0, 0}), result(c, {1, 1});
  td_error error{};
  EXPECT_EQ(cpu::matmul(nullptr, &a.view, &b.view, &result.view, TD_PRECISION_FULL, &error), TD_NOT_SUPPORTED);
  EXPECT_NE(std::string(error.message).find("2147483648"), std::string::npos) << error.message;
  std::int64_t one = 1, d;
  const View<std::int64_t> e(&one, {1, INT64_MAX / 4}, {0, 0}), f(&one, {INT64_MAX / 4, 1}, {0, 0}), g(&d, {1, 1});
  EXPECT_EQ(cpu::matmul(nullptr, &e.view, &f.view, &g.view, TD_PRECISION_FULL, &error), TD_OUT_OF_MEMORY);
}

TEST(Matmul, RunsOutOfMemoryWithAMessage) {
  td_error error{};
  td_memory_stats stats{};
  ASSERT_EQ(cpu::memory_stats(nullptr, &stats, &error), TD_OK);
  std::vector<float> a(1000 * 1000 * 2), b(1000 * 1000), c(1000 * 1000);
  const View<float> x(a.data(), {1000, 1000}, {2000, 2}), y(b.data(), {1000, 1000}), z(c.data(), {1000, 1000});
  cpu::set_memory_limit(nullptr, stats.used_bytes + 1'000'000, &error);
  EXPECT_EQ(cpu::matmul(nullptr, &x.view, &y.view, &z.view, TD_PRECISION_FULL, &error), TD_OUT_OF_MEMORY);
  EXPECT_TRUE(std::string(error.message).starts_with("out of memory")) << error.message;
  cpu::set_memory_limit(nullptr, 0, &error);
  EXPECT_EQ(cpu::matmul(nullptr, &x.view, &y.view, &z.view, TD_PRECISION_FULL, &error), TD_OK);
}

// ---- Cholesky ----

template <class T>
class Factors : public ::testing::Test {};
using FactorTypes = ::testing::Types<float, double, C64, C128>;
TYPED_TEST_SUITE(Factors, FactorTypes);

template <class T>
T conjugate(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x;
  else
    return std::conj(x);
}

/// Lower factors of small integers with a positive diagonal, whose products are exact.
template <class T>
std::vector<T> lower_factors(std::int64_t count, std::int64_t n) {
  std::mt19937 random(5);
  std::vector<T> l(std::size_t(count * n * n));
  for (std::int64_t i = 0; i < count * n; ++i)
    for (std::int64_t j = 0; j <= i % n; ++j)
      l[std::size_t(i * n + j)] = j == i % n ? T(4) : small_value<T>(random) * T(0.25f);
  return l;
}

/// l l^H; in the triangle that must not be read NaN, where wanted.
template <class T>
std::vector<T> products(const std::vector<T>& l, std::int64_t count, std::int64_t n, bool upper) {
  std::vector<T> a(l.size(), T(NAN));
  for (std::int64_t matrix = 0; matrix < count; ++matrix)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j <= i; ++j) {
        T sum{};
        const T* rows = l.data() + matrix * n * n;
        for (std::int64_t p = 0; p <= j; ++p) sum += rows[i * n + p] * conjugate(rows[j * n + p]);
        a[std::size_t((matrix * n + (upper ? j : i)) * n + (upper ? i : j))] = upper ? conjugate(sum) : sum;
      }
  return a;
}

TYPED_TEST(Factors, BothTriangles) {
  using T = TypeParam;
  for (const auto& [count, n] : {std::array<std::int64_t, 2>{1, 1}, {1, 5}, {1, 130}, {40, 7}, {3, 65}})
    for (const bool upper : {false, true}) {
      const std::vector<T> expected = lower_factors<T>(count, n);
      std::vector<T> a = products(expected, count, n, upper), l(a.size(), T(NAN));
      const View<T> x(a.data(), {count, n, n}), y(l.data(), {count, n, n});
      td_error error{};
      ASSERT_EQ(cpu::cholesky(nullptr, &x.view, upper, &y.view, &error), TD_OK) << error.message;
      double worst = 0;
      for (std::int64_t matrix = 0; matrix < count; ++matrix)
        for (std::int64_t i = 0; i < n; ++i)
          for (std::int64_t j = 0; j < n; ++j) {
            const T* rows = l.data() + matrix * n * n;
            const T value = upper ? conjugate(rows[j * n + i]) : rows[i * n + j];
            const T wanted = expected[std::size_t((matrix * n + i) * n + j)];
            EXPECT_TRUE(j <= i || value == T(0));
            worst = std::max(worst, double(std::abs(value - wanted)));
          }
      EXPECT_LE(worst, 8 * double(n) * (sizeof(T) == 4 || sizeof(decltype(std::abs(T{}))) == 4 ? 0x1p-23 : 0x1p-52))
          << count << " of order " << n << (upper ? ", upper" : ", lower");
    }
}

TYPED_TEST(Factors, StridedInput) {
  using T = TypeParam;
  constexpr std::int64_t n = 6;
  std::vector<T> a = products(lower_factors<T>(1, n), 1, n, false), wide(n * 3 * n, T(NAN)), l(n * n), strided(n * n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) wide[std::size_t((n - 1 - i) * 3 * n + 2 * j)] = a[std::size_t(i * n + j)];
  const View<T> x(a.data(), {n, n}), y(l.data(), {n, n}), z(strided.data(), {n, n}),
      w(wide.data() + (n - 1) * 3 * n, {n, n}, {-3 * n, 2});
  td_error error{};
  ASSERT_EQ(cpu::cholesky(nullptr, &x.view, 0, &y.view, &error), TD_OK);
  ASSERT_EQ(cpu::cholesky(nullptr, &w.view, 0, &z.view, &error), TD_OK);
  EXPECT_EQ(l, strided);
}

TYPED_TEST(Factors, MatricesWithoutAreNamed) {
  using T = TypeParam;
  constexpr std::int64_t count = 20, n = 4;
  const std::vector<T> good = products(lower_factors<T>(count, n), count, n, false);
  const auto message = [&](const std::vector<T>& a) -> std::string {
    std::vector<T> l(a.size());
    const View<T> x(const_cast<T*>(a.data()), {count, n, n}), y(l.data(), {count, n, n});
    td_error error{};
    EXPECT_EQ(cpu::cholesky(nullptr, &x.view, 0, &y.view, &error), TD_SINGULAR);
    return error.message;
  };
  std::vector<T> bad = good;
  bad[(17 * n + 2) * n + 2] = T(-1);
  EXPECT_EQ(message(bad), "matrix 17 of the batch is not positive definite (leading minor 3)");
  bad[(3 * n + 1) * n + 1] = T(0);
  EXPECT_EQ(message(bad), "matrix 3 of the batch is not positive definite (leading minor 2)");
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      std::vector<T> nan = good;
      nan[(5 * n + i) * n + j] = T(NAN);
      EXPECT_NE(message(nan).find("matrix 5 "), std::string::npos) << i << " " << j;
    }
}

TEST(Blas, IsDescribed) {
  struct Line {
    std::string key, value;
  };
  std::vector<Line> lines;
  cpu::describe_blas([](void* user, const char* key, const char* value) {
    static_cast<std::vector<Line>*>(user)->push_back({key, value});
  }, &lines);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0].key, "BLAS");
  EXPECT_NE(lines[0].value.find("openblas"), std::string::npos) << lines[0].value;
}

}  // namespace
