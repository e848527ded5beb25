// The CPU backend's linear algebra: see linalg_verbs.hpp.
#include <omp.h>

#include "../backends/cpu/parallel.hpp"
#include "../backends/cpu/verbs.hpp"
#include "linalg_verbs.hpp"

namespace tandem::test {

const Verbs verbs{nullptr, cpu::lu, cpu::solve, cpu::qr, cpu::svd, cpu::eigh, cpu::eig};

namespace {

TEST(CpuLinalg, MemoryForItsWorkMayBeMissing) {
  td_error error{};
  td_memory_stats stats{};
  ASSERT_EQ(cpu::memory_stats(nullptr, &stats, &error), TD_OK);
  Stack<double> a = random_stack<double>({400, 400}, 1), f({400, 400}, Stack<double>::columns), r = f;
  const td_view in = a.view(), q = f.view(), triangular = r.view();
  cpu::set_memory_limit(nullptr, stats.used_bytes + 100'000, &error);
  EXPECT_EQ(cpu::qr(nullptr, &in, &q, &triangular, &error), TD_OUT_OF_MEMORY);
  EXPECT_TRUE(std::string(error.message).starts_with("out of memory")) << error.message;
  cpu::set_memory_limit(nullptr, 0, &error);
  EXPECT_EQ(cpu::qr(nullptr, &in, &q, &triangular, &error), TD_OK);
}

TYPED_TEST(Linalg, LargeMatricesDoNotDependOnTheNumberOfThreads) {
  using T = TypeParam;
  constexpr std::int64_t n = 400;
  td_error error{};
  const Stack<T> matrix = random_stack<T>({n, n}, 1);
  for (const std::int64_t k : {1, 3, 200}) {
    Stack<T> a = matrix, b = random_stack<T>({n, k}, 2), x({n, k}, Stack<T>::columns), y = x;
    const td_view in = a.view(), right = b.view(), one = x.view(), several = y.view();
    {
      const cpu::OneThread alone;
      ASSERT_EQ(cpu::solve(nullptr, &in, TD_GENERAL, &right, &one, &error), TD_OK) << error.message;
    }
    omp_set_num_threads(5);
    ASSERT_EQ(cpu::solve(nullptr, &in, TD_GENERAL, &right, &several, &error), TD_OK) << error.message;
    EXPECT_EQ(x.elements, y.elements) << k;
    double worst = 0, largest = 0;  // the residual of a backward stable solution
    for (std::int64_t j = 0; j < k; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        std::complex<double> rest(b.elements[std::size_t(i * k + j)]);
        for (std::int64_t p = 0; p < n; ++p)
          rest -= std::complex<double>(a.elements[std::size_t(i * n + p)]) *
                  std::complex<double>(x.elements[std::size_t(j * n + p)]);
        worst = std::max(worst, std::abs(rest));
        largest = std::max(largest, double(std::abs(x.elements[std::size_t(j * n + i)])));
      }
    EXPECT_LE(worst, 64 * double(n) * eps<T> * largest) << k;
  }
  Stack<T> a = matrix, f({n, n}, Stack<T>::columns), g = f;
  Stack<std::int32_t> p({n}, Stack<std::int32_t>::rows), q = p;
  const td_view in = a.view(), one = f.view(), several = g.view(), one_pivots = p.view(), several_pivots = q.view();
  {
    const cpu::OneThread alone;
    ASSERT_EQ(cpu::lu(nullptr, &in, &one, &one_pivots, &error), TD_OK);
  }
  ASSERT_EQ(cpu::lu(nullptr, &in, &several, &several_pivots, &error), TD_OK);
  EXPECT_EQ(f.elements, g.elements);
  EXPECT_EQ(p.elements, q.elements);
  for (std::int64_t i = n; i-- > 0;)  // L U with its rows exchanged back is the matrix
    for (std::int64_t j = n; j-- > 0;) {
      T sum = i <= j ? f.elements[std::size_t(j * n + i)] : T(0);
      for (std::int64_t m = std::min(i, j + 1); m-- > 0;)
        sum += f.elements[std::size_t(m * n + i)] * f.elements[std::size_t(j * n + m)];
      g.elements[std::size_t(j * n + i)] = sum;
    }
  for (std::int64_t i = n; i-- > 0;)
    for (std::int64_t j = 0; j < n; ++j)
      std::swap(g.elements[std::size_t(j * n + i)], g.elements[std::size_t(j * n + p.elements[std::size_t(i)] - 1)]);
  double worst = 0;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const T difference = g.elements[std::size_t(j * n + i)] - a.elements[std::size_t(i * n + j)];
      worst = std::max(worst, double(std::abs(difference)));
    }
  EXPECT_LE(worst, double(n) * eps<T> * 8);
  omp_set_num_threads(omp_get_num_procs());
}

TYPED_TEST(Linalg, SingularVectorsOfLargeMatrices) {
  using T = TypeParam;
  for (const auto& [m, columns] : {std::array<std::int64_t, 2>{260, 260}, {301, 260}, {301, 301}, {500, 260}})
    for (const RealOf<T> scale : {1.0f, 1e-30f}) {
      if (scale != 1 && m != 260) continue;
      Stack<T> a = random_stack<T>({1, m, 260}, 1);
      for (T& element : a.elements) element *= scale;
      expect_singular_vectors(a, columns, scale);
    }
}

TEST(CpuLinalg, ALargeSingularMatrixIsNoticed) {
  constexpr std::int64_t n = 300;
  Stack<double> a = random_stack<double>({n, n}, 1), b = random_stack<double>({n, 1}, 2), x = b;
  for (std::int64_t i = 0; i < n; ++i) a.elements[std::size_t(i * n + 200)] = 0;
  const td_view in = a.view(), right = b.view(), out = x.view();
  td_error error{};
  EXPECT_EQ(cpu::solve(nullptr, &in, TD_GENERAL, &right, &out, &error), TD_SINGULAR);
  EXPECT_STREQ(error.message, "the matrix is singular");
}

}  // namespace
}  // namespace tandem::test
