// Tests of a backend's linear algebra, called directly, beside the reference backend's: where a result is unique they
// must agree within the error of the dtype, whichever kernel computes it; factors must multiply to what they are of. A
// test program defines `verbs` and includes this file once.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "../backends/reference/verbs.hpp"

namespace tandem::test {

/// The verbs that are tested, and their device.
struct Verbs {
  td_device* device;
  decltype(td_backend::lu) lu;
  decltype(td_backend::solve) solve;
  decltype(td_backend::qr) qr;
  decltype(td_backend::svd) svd;
  decltype(td_backend::eigh) eigh;
  decltype(td_backend::eig) eig;
};
extern const Verbs verbs;

namespace {

using Shape = std::vector<std::int64_t>;
using C64 = std::complex<float>;
using C128 = std::complex<double>;

template <class T> constexpr td_dtype dtype_of = TD_INT32;
template <> constexpr td_dtype dtype_of<float> = TD_FLOAT32;
template <> constexpr td_dtype dtype_of<double> = TD_FLOAT64;
template <> constexpr td_dtype dtype_of<C64> = TD_COMPLEX64;
template <> constexpr td_dtype dtype_of<C128> = TD_COMPLEX128;

template <class T> using RealOf = decltype(std::abs(T{}));
template <class T> constexpr double eps = sizeof(RealOf<T>) == 4 ? 0x1p-23 : 0x1p-52;

/// A stack of matrices or vectors, the last axis but one contiguous if it is one of matrices by columns.
template <class T>
struct Stack {
  enum Order { rows, columns };
  Stack(const Shape& shape_, Order order) : shape(shape_), strides(shape_.size()) {
    std::int64_t step = 1;
    for (std::size_t i = shape.size(); i-- > 0; step *= shape[i]) strides[i] = step;
    const std::size_t last = shape.size() - 1;
    if (order == columns) strides[last - 1] = 1, strides[last] = shape[last - 1];
    elements.resize(std::size_t(step));
  }
  td_view view() { return {elements.data(), dtype_of<T>, std::int32_t(shape.size()), shape.data(), strides.data()}; }
  Shape shape, strides;
  std::vector<T> elements;
};

template <class T>
Stack<T> random_stack(const Shape& shape, unsigned seed) {
  Stack<T> result(shape, Stack<T>::rows);
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  for (T& x : result.elements) {
    if constexpr (std::is_floating_point_v<T>) x = T(normal(random));
    else x = T(RealOf<T>(normal(random)), RealOf<T>(normal(random)));
  }
  return result;
}

/// Whether elements agree within a number of units of the largest one.
template <class T>
void expect_near(const Stack<T>& actual, const Stack<T>& expected, double units, const std::string& what) {
  double worst = 0, scale = 0;
  for (std::size_t i = 0; i < expected.elements.size(); ++i) {
    worst = std::max(worst, double(std::abs(actual.elements[i] - expected.elements[i])));
    scale = std::max(scale, double(std::abs(expected.elements[i])));
  }
  EXPECT_LE(worst, units * eps<T> * scale) << what;
}

// ---- products, to see what factors are of ----

template <class T>
T conjugate(T x) {
  if constexpr (std::is_floating_point_v<T>) return x;
  else return std::conj(x);
}

/// Element (i, j) of a matrix of the stack.
template <class T>
T at(const Stack<T>& x, std::int64_t matrix, std::int64_t i, std::int64_t j) {
  return x.elements[std::size_t(matrix * x.strides[0] + i * x.strides[1] + j * x.strides[2])];
}

/// Whether the columns of all matrices are orthonormal.
template <class T>
void expect_orthonormal(const Stack<T>& x, const std::string& what) {
  double worst = 0;
  for (std::int64_t matrix = 0; matrix < x.shape[0]; ++matrix)
    for (std::int64_t p = 0; p < x.shape[2]; ++p)
      for (std::int64_t q = 0; q < x.shape[2]; ++q) {
        T sum(0);
        for (std::int64_t i = 0; i < x.shape[1]; ++i) sum += conjugate(at(x, matrix, i, p)) * at(x, matrix, i, q);
        worst = std::max(worst, double(std::abs(sum - T(p == q))));
      }
  EXPECT_LE(worst, 8 * double(x.shape[1]) * eps<T>) << what;
}

/// Whether sum over k < inner of factor(matrix, i, k, j) is element(matrix, i, j) within n eps of what is added up.
template <class T, class Factor, class Element>
void expect_products(const Shape& shape, std::int64_t inner, Factor factor, Element element, const std::string& what) {
  double worst = 0;
  for (std::int64_t matrix = 0; matrix < shape[0]; ++matrix)
    for (std::int64_t i = 0; i < shape[1]; ++i)
      for (std::int64_t j = 0; j < shape[2]; ++j) {
        T sum(0);
        for (std::int64_t k = 0; k < inner; ++k) sum += factor(matrix, i, k, j);
        worst = std::max(worst, double(std::abs(sum - element(matrix, i, j))));
      }
  EXPECT_LE(worst, 32 * double(std::max(shape[1], shape[2])) * eps<T>) << what;
}

template <class T>
class Linalg : public ::testing::Test {};
using Types = ::testing::Types<float, double, C64, C128>;
TYPED_TEST_SUITE(Linalg, Types);

/// Numbers of matrices and orders: alone, several at a time with some left over, LAPACK, by blocks.
constexpr std::array<std::int64_t, 2> stacks[] = {{1, 1},   {1, 6},  {21, 2}, {37, 5},
                                                  {19, 32}, {3, 33}, {2, 50}, {1, 130}};

std::string describe(std::int64_t count, std::int64_t n) {
  return std::to_string(count) + " of order " + std::to_string(n);
}

TYPED_TEST(Linalg, LuFactorsAndPivots) {
  using T = TypeParam;
  for (const auto& [count, n] : stacks) {
    Stack<T> a = random_stack<T>({count, n, n}, 1), f({count, n, n}, Stack<T>::columns), g = f;
    Stack<std::int32_t> p({count, n}, Stack<std::int32_t>::rows), q = p;
    const td_view in = a.view(), one = f.view(), other = g.view(), pivots = p.view(), truth = q.view();
    td_error error{};
    ASSERT_EQ(verbs.lu(verbs.device, &in, &one, &pivots, &error), TD_OK) << error.message;
    ASSERT_EQ(reference::lu(nullptr, &in, &other, &truth, &error), TD_OK) << error.message;
    if (std::is_floating_point_v<T>) {  // LAPACK measures complex pivots by the sum of their parts' moduli
      EXPECT_EQ(p.elements, q.elements) << describe(count, n);
      expect_near(f, g, 1e3 * double(n), describe(count, n));
    }
  }
}

TYPED_TEST(Linalg, Solutions) {
  using T = TypeParam;
  for (const auto& [count, n] : stacks)
    for (const std::int64_t k : {1, 3, 70})
      for (const td_structure structure : {TD_GENERAL, TD_LOWER, TD_UPPER, TD_UNIT_LOWER, TD_UNIT_UPPER}) {
        Stack<T> a = random_stack<T>({count, n, n}, 1), b = random_stack<T>({count, n, k}, 2);
        for (std::int64_t i = 0; i < count * n * n; ++i) a.elements[std::size_t(i)] /= RealOf<T>(n);
        for (std::int64_t i = 0; i < count * n; ++i)
          a.elements[std::size_t(i * n + i % n)] += T(2);  // well-conditioned
        Stack<T> x({count, n, k}, Stack<T>::columns), y = x;
        const td_view matrix = a.view(), right = b.view(), one = x.view(), truth = y.view();
        td_error error{};
        ASSERT_EQ(verbs.solve(verbs.device, &matrix, structure, &right, &one, &error), TD_OK) << error.message;
        ASSERT_EQ(reference::solve(nullptr, &matrix, structure, &right, &truth, &error), TD_OK) << error.message;
        expect_near(x, y, 64 * double(n), describe(count, n) + ", structure " + std::to_string(structure));
      }
}

TYPED_TEST(Linalg, SingularAndEigenvalues) {
  using T = TypeParam;
  using Real = RealOf<T>;
  for (const auto& [count, n] : {std::array<std::int64_t, 2>{1, 1}, {1, 9}, {5, 4}, {2, 20}}) {
    Stack<T> a = random_stack<T>({count, n + 3, n}, 1), h = random_stack<T>({count, n, n}, 2);
    Stack<Real> s({count, n}, Stack<Real>::rows), t = s;
    const td_view tall = a.view(), square = h.view(), one = s.view(), truth = t.view();
    td_error error{};
    ASSERT_EQ(verbs.svd(verbs.device, &tall, nullptr, &one, nullptr, &error), TD_OK) << error.message;
    ASSERT_EQ(reference::svd(nullptr, &tall, nullptr, &truth, nullptr, &error), TD_OK) << error.message;
    expect_near(s, t, 8 * double(n), "singular values of " + describe(count, n));
    for (const int upper : {0, 1}) {
      ASSERT_EQ(verbs.eigh(verbs.device, &square, upper, &one, nullptr, &error), TD_OK) << error.message;
      ASSERT_EQ(reference::eigh(nullptr, &square, upper, &truth, nullptr, &error), TD_OK) << error.message;
      expect_near(s, t, 8 * double(n), "eigenvalues of " + describe(count, n));
    }
    using Complex = std::complex<Real>;
    Stack<Complex> w({count, n}, Stack<Complex>::rows), v = w;
    const td_view values = w.view(), expected = v.view();
    ASSERT_EQ(verbs.eig(verbs.device, &square, &values, nullptr, &error), TD_OK) << error.message;
    ASSERT_EQ(reference::eig(nullptr, &square, &expected, nullptr, &error), TD_OK) << error.message;
    // The nearest one of the other backend's, since they come in no order.
    for (std::int64_t i = 0; i < count * n; ++i) {
      double nearest = 1e300;
      for (std::int64_t j = i / n * n; j < (i / n + 1) * n; ++j)
        nearest = std::min(nearest, double(std::abs(w.elements[std::size_t(i)] - v.elements[std::size_t(j)])));
      EXPECT_LE(nearest, 1e3 * double(n) * eps<T>) << describe(count, n);
    }
  }
}

TYPED_TEST(Linalg, TriangularFactors) {
  using T = TypeParam;
  for (const auto& [m, n] : {std::array<std::int64_t, 2>{1, 1}, {6, 4}, {4, 6}, {20, 20}}) {
    const std::int64_t inner = std::min(m, n);
    Stack<T> a = random_stack<T>({2, m, n}, 1), q({2, m, inner}, Stack<T>::columns),
             r({2, inner, n}, Stack<T>::columns);
    Stack<T> q2 = q, r2 = r;
    const td_view in = a.view(), q_one = q.view(), r_one = r.view(), q_truth = q2.view(), r_truth = r2.view();
    td_error error{};
    ASSERT_EQ(verbs.qr(verbs.device, &in, &q_one, &r_one, &error), TD_OK) << error.message;
    ASSERT_EQ(reference::qr(nullptr, &in, &q_truth, &r_truth, &error), TD_OK) << error.message;
    // Rows of r are unique but for a factor of modulus 1, and below the diagonal there is nothing.
    for (Stack<T>* x : {&r, &r2})
      for (std::int64_t at = 0; at < 2 * n; ++at)
        for (std::int64_t i = 0; i < inner; ++i) {
          T& element = x->elements[std::size_t(at * inner + i)];
          element = i > at % n ? T(0) : T(std::abs(element));
        }
    expect_near(r, r2, 16 * double(std::max(m, n)), std::to_string(m) + " " + std::to_string(n));
  }
}

/// Of matrices whose elements are about `scale`.
template <class T>
void expect_singular_vectors(Stack<T>& a, std::int64_t columns, RealOf<T> scale = 1) {
  using Real = RealOf<T>;
  const std::int64_t count = a.shape[0], m = a.shape[1], n = a.shape[2];
  Stack<T> u({count, m, columns}, Stack<T>::columns), vh({count, n, n}, Stack<T>::columns);
  Stack<Real> s({count, n}, Stack<Real>::rows);
  const td_view in = a.view(), left = u.view(), values = s.view(), right = vh.view();
  td_error error{};
  ASSERT_EQ(verbs.svd(verbs.device, &in, &left, &values, &right, &error), TD_OK) << error.message;
  const std::string what = describe(count, n);
  expect_orthonormal(u, what);
  expect_orthonormal(vh, what);
  for (std::int64_t i = 0; i < count * n; ++i) {
    const Real next = i % n == n - 1 ? 0 : s.elements[std::size_t(i + 1)];
    EXPECT_GE(s.elements[std::size_t(i)], next) << what;
  }
  const auto factor = [&](auto b, auto i, auto k, auto j) {
    return at(u, b, i, k) * (s.elements[std::size_t(b * n + k)] / scale) * at(vh, b, k, j);
  };
  expect_products<T>(a.shape, n, factor, [&](auto b, auto i, auto j) { return at(a, b, i, j) / scale; }, what);
}

/// Shapes of stacks, and columns of their orthogonal factors: alone, side by side, too large for that.
constexpr std::array<std::int64_t, 4> tall_stacks[] = {{1, 1, 1, 1}, {1, 7, 4, 4},    {1, 7, 4, 7},   {6, 7, 4, 4},
                                                       {6, 7, 4, 7}, {5, 32, 32, 32}, {3, 40, 33, 33}, {3, 40, 33, 40}};

TYPED_TEST(Linalg, SingularVectors) {
  for (const auto& [count, m, n, columns] : tall_stacks) {
    Stack<TypeParam> a = random_stack<TypeParam>({count, m, n}, 1);
    expect_singular_vectors(a, columns);
  }
}

TYPED_TEST(Linalg, OrthogonalFactors) {
  using T = TypeParam;
  for (const auto& [count, m, n, columns] : tall_stacks)
    for (const bool wide : {false, true}) {
      const std::int64_t rows = wide ? n : m, width = wide ? m : n, inner = wide ? n : columns;
      Stack<T> a = random_stack<T>({count, rows, width}, 1), q({count, rows, inner}, Stack<T>::columns);
      Stack<T> r({count, inner, width}, Stack<T>::columns);
      const td_view in = a.view(), orthogonal = q.view(), triangular = r.view();
      td_error error{};
      ASSERT_EQ(verbs.qr(verbs.device, &in, &orthogonal, &triangular, &error), TD_OK) << error.message;
      const std::string what = describe(count, n);
      expect_orthonormal(q, what);
      const auto factor = [&](auto b, auto i, auto k, auto j) {
        return k <= j ? at(q, b, i, k) * at(r, b, k, j) : T(0);
      };
      expect_products<T>(a.shape, inner, factor, [&](auto b, auto i, auto j) { return at(a, b, i, j); }, what);
    }
}

TYPED_TEST(Linalg, Eigenvectors) {
  using T = TypeParam;
  using Real = RealOf<T>;
  using Complex = std::complex<Real>;
  for (const auto& [count, unused, n, columns] : tall_stacks) {
    Stack<T> a = random_stack<T>({count, n, n}, 1), v({count, n, n}, Stack<T>::columns);
    Stack<Real> w({count, n}, Stack<Real>::rows);
    Stack<Complex> x({count, n, n}, Stack<Complex>::columns), z({count, n}, Stack<Complex>::rows);
    for (T& element : a.elements) element /= Real(n);
    const td_view in = a.view(), values = w.view(), vectors = v.view(), all_values = z.view(), all_vectors = x.view();
    td_error error{};
    const std::string what = describe(count, n);
    for (const bool upper : {false, true}) {
      ASSERT_EQ(verbs.eigh(verbs.device, &in, upper, &values, &vectors, &error), TD_OK) << error.message;
      expect_orthonormal(v, what);
      const auto hermitian = [&](auto b, auto i, auto k) {
        const T element = (i < k) == upper ? at(a, b, i, k) : conjugate(at(a, b, k, i));
        return i == k ? T(std::real(element)) : element;
      };
      expect_products<T>(
          a.shape, n, [&](auto b, auto i, auto k, auto j) { return hermitian(b, i, k) * at(v, b, k, j); },
          [&, n = n](auto b, auto i, auto j) { return at(v, b, i, j) * w.elements[std::size_t(b * n + j)]; }, what);
    }
    ASSERT_EQ(verbs.eig(verbs.device, &in, &all_values, &all_vectors, &error), TD_OK) << error.message;
    expect_products<Complex>(
        a.shape, n, [&](auto b, auto i, auto k, auto j) { return Complex(at(a, b, i, k)) * at(x, b, k, j); },
        [&, n = n](auto b, auto i, auto j) { return at(x, b, i, j) * z.elements[std::size_t(b * n + j)]; }, what);
  }
}

TYPED_TEST(Linalg, SingularMatricesAreNamedAlike) {
  using T = TypeParam;
  for (const std::int64_t n : {3, 40}) {
    Stack<T> a = random_stack<T>({30, n, n}, 1), b = random_stack<T>({30, n, 2}, 2), x({30, n, 2}, Stack<T>::columns);
    for (const std::int64_t matrix : {17, 29})
      for (std::int64_t i = 0; i < n; ++i) a.elements[std::size_t((matrix * n + i) * n + 1)] = T(0);  // a column
    const td_view matrices = a.view(), right = b.view(), out = x.view();
    td_error one{}, other{};
    EXPECT_EQ(verbs.solve(verbs.device, &matrices, TD_GENERAL, &right, &out, &one), TD_SINGULAR);
    EXPECT_EQ(reference::solve(nullptr, &matrices, TD_GENERAL, &right, &out, &other), TD_SINGULAR);
    EXPECT_STREQ(one.message, "matrix 17 of the batch is singular");
    EXPECT_STREQ(one.message, other.message);
  }
}

}  // namespace
}  // namespace tandem::test
