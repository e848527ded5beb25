// Cholesky factors by LAPACK's potrf. LAPACK is column-major: what it calls the upper triangle is our lower one, and its
// factor of the transposed (for complex matrices the conjugate) matrix is the transpose of ours.
#include <algorithm>
#include <climits>
#include <cmath>
#include <type_traits>

#include "blas.hpp"
#include "verbs.hpp"

namespace tandem::cpu {
namespace {

template <class T>
void factor(const Blas& blas, const char* triangle, int n, T* matrix, int* info) {
  if constexpr (std::is_same_v<T, float>)
    blas.spotrf(triangle, &n, matrix, &n, info);
  else if constexpr (std::is_same_v<T, double>)
    blas.dpotrf(triangle, &n, matrix, &n, info);
  else if constexpr (std::is_same_v<T, Complex64>)
    blas.cpotrf(triangle, &n, matrix, &n, info);
  else
    blas.zpotrf(triangle, &n, matrix, &n, info);
}

/// Order of the first leading minor that is not positive, 0 for none. potrf lets NaN pass; the diagonal tells.
template <class T>
int factor_one(const Blas& blas, const T* from, int64_t row_stride, int64_t column_stride, bool upper, int64_t n, T* to) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      to[i * n + j] = (upper ? j >= i : j <= i) ? from[i * row_stride + j * column_stride] : T(0);
  // Our row-major lower factor L of A reads, column-major, as the upper factor L^T of A^T = conj(A): potrf of the
  // untouched memory gives U with U^H U = conj(A), so L = U^T in memory is the same place by place.
  int info = 0;
  factor(blas, upper ? "L" : "U", int(n), to, &info);
  if (info > 0) return info;
  for (int64_t i = 0; i < n; ++i)
    if (std::isnan(std::real(to[i * n + i]))) return int(i) + 1;
  return 0;
}

template <class T>
td_status run(const Blas& blas, const td_view& a, bool upper, const td_view& l, td_error* error) {
  const int ndim = a.ndim;
  const int64_t n = a.shape[ndim - 1];
  int64_t count = 1;
  for (int i = 0; i < ndim - 2; ++i) count *= a.shape[i];
  for (int64_t matrix = 0; matrix < count; ++matrix) {
    int64_t offset = 0, rest = matrix;
    for (int i = ndim - 3; i >= 0; --i) {
      offset += rest % a.shape[i] * a.strides[i];
      rest /= a.shape[i];
    }
    const int minor = factor_one(blas, static_cast<const T*>(a.data) + offset, a.strides[ndim - 2], a.strides[ndim - 1],
                                 upper, n, static_cast<T*>(l.data) + matrix * n * n);
    if (minor)
      return fail(error, TD_SINGULAR, "matrix %lld of the batch is not positive definite (leading minor %d)",
                  static_cast<long long>(matrix), minor);
  }
  return TD_OK;
}

}  // namespace

td_status cholesky(td_device*, const td_view* a, int32_t upper, const td_view* l, td_error* error) {
  const Blas* library = blas(error);
  if (!library) return TD_UNAVAILABLE;
  if (a->shape[a->ndim - 1] > INT_MAX)
    return fail(error, TD_NOT_SUPPORTED, "matrices of order %lld: LAPACK counts in 32 bits",
                static_cast<long long>(a->shape[a->ndim - 1]));
  switch (a->dtype) {
    case TD_FLOAT32: return run<float>(*library, *a, upper, *l, error);
    case TD_FLOAT64: return run<double>(*library, *a, upper, *l, error);
    case TD_COMPLEX64: return run<Complex64>(*library, *a, upper, *l, error);
    case TD_COMPLEX128: return run<Complex128>(*library, *a, upper, *l, error);
    default: return fail(error, TD_NOT_SUPPORTED, "cholesky is not supported for this dtype");
  }
}

}  // namespace tandem::cpu
