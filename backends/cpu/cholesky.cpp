// Cholesky factors: own kernels for small real matrices, LAPACK's potrf for others.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "small_matrices.hpp"

namespace tandem::cpu {
namespace {

/// The first matrix of a stack that has no factor, and the order of its first leading minor that is not positive.
class Failure {
 public:
  void note(int64_t matrix, int minor) {
    std::lock_guard lock(mutex_);
    if (minor_ == 0 || matrix < matrix_) matrix_ = matrix, minor_ = minor;
  }
  /// Says so behind the message.
  td_status add_to(td_error* error, td_status status) const {
    const std::size_t length = std::strlen(error->message);
    if (status == TD_SINGULAR)
      std::snprintf(error->message + length, sizeof error->message - length, " (leading minor %d)", minor_);
    return status;
  }

 private:
  std::mutex mutex_;
  int64_t matrix_ = 0;
  int minor_ = 0;
};

constexpr const char* problem = "is not positive definite";

/// In multiplications of n x n matrices.
Effort cholesky_effort(int64_t n) { return of_products(double(n) * double(n) * double(n) / 6); }

template <class T>
td_status factor_lanes(const Blas& blas, const td_view& a, bool upper, const td_view& l, td_error* error) {
  const LaneKernels<T>& kernels = lane_kernels<T>();
  const Inputs<T> from(a);
  const int64_t n = a.shape[a.ndim - 1], lanes = kernels.lanes;
  Layout layout;
  layout.add<T>(n * row_pitch(n) * lanes);
  Failure failure;
  const td_status status = for_some_matrices(a, lanes, cholesky_effort(n), blas, layout, problem, error,
                                             [&](int64_t begin, int64_t end, char* memory) {
    T* matrices = reinterpret_cast<T*>(memory);
    int32_t minors[most_lanes];
    gather(from, !upper, begin, end, matrices);
    kernels.cholesky(matrices, n, minors);
    scatter(matrices, n, n, l, upper ? Places{n, 1} : Places{1, n}, begin, end);
    for (int64_t number = begin; number < end; ++number) {
      const int32_t minor = minors[number - begin];
      if (minor == 0) continue;
      failure.note(number, minor);
      return number;
    }
    return end;
  });
  return failure.add_to(error, status);
}

template <class T>
td_status factor_small(const Blas& blas, const td_view& a, bool upper, const td_view& l, td_error* error) {
  const Inputs<T> from(a);
  if (fills_lanes(from)) return factor_lanes<T>(blas, a, upper, l, error);
  const int64_t n = a.shape[a.ndim - 1];
  const auto kernel = [] {
    if constexpr (std::is_same_v<T, float>) return single_kernels().cholesky_s;
    else return single_kernels().cholesky_d;
  }();
  Layout layout;
  layout.add<T>(upper ? 0 : n * n);
  Failure failure;
  const td_status status =
      for_each_matrix(a, cholesky_effort(n), blas, layout, problem, error, [&](int64_t number, char* memory) {
        T* to = output<T>(l, number, n * n);
        T* factor = upper ? to : reinterpret_cast<T*>(memory);
        const Matrix x = from.matrix(number);
        const T* elements = from.elements(number);
        const int64_t row_stride = upper ? x.row_stride : x.column_stride;
        const int64_t column_stride = upper ? x.column_stride : x.row_stride;
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = i; j < n; ++j) factor[i * n + j] = elements[i * row_stride + j * column_stride];
        const int minor = kernel(factor, n);
        if (minor) failure.note(number, minor);
        for (int64_t i = 0; i < n && !upper; ++i)
          for (int64_t j = 0; j < n; ++j) to[i * n + j] = factor[j * n + i];
        return minor == 0;
      });
  return failure.add_to(error, status);
}

template <class T>
td_status factor_each(const Blas& blas, const td_view& a, bool upper, const td_view& l, td_error* error) {
  const Inputs<T> from(a);
  const int64_t n = a.shape[a.ndim - 1];
  const int order = int(n);
  Failure failure;
  const td_status status =
      for_each_matrix(a, cholesky_effort(n), blas, {}, problem, error, [&](int64_t number, char*) {
        T* to = output<T>(l, number, n * n);
        pack(from.matrix(number), sizeof(T), to);
        // LAPACK is column-major: our row-major lower factor L of A reads, column-major, as the upper factor L^T of
        // A^T = conj(A): potrf of the untouched memory gives U with U^H U = conj(A), so L = U^T in memory is the same
        // place by place.
        int minor = 0;
        blas.lapack<T>().potrf(upper ? "L" : "U", &order, to, &order, &minor, 1);
        for (int64_t i = 0; i < n && minor == 0; ++i) {
          T* row = to + i * n;
          if (std::isnan(std::real(row[i]))) minor = int(i) + 1;  // potrf lets NaN pass; it always reaches the diagonal
          std::fill(upper ? row : row + i + 1, upper ? row + i : row + n, T(0));
        }
        if (minor) failure.note(number, minor);
        return minor == 0;
      });
  return failure.add_to(error, status);
}

}  // namespace

td_status cholesky(td_device*, const td_view* a, int32_t upper, const td_view* l, td_error* error) {
  return with_lapack(*a, error, [&](const Blas& blas, auto zero) {
    using T = decltype(zero);
    if constexpr (has_lanes<T>)
      if (a->shape[a->ndim - 1] <= largest_small_order) return factor_small<T>(blas, *a, upper != 0, *l, error);
    return factor_each<T>(blas, *a, upper != 0, *l, error);
  });
}

}  // namespace tandem::cpu
