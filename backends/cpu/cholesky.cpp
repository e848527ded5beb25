// Cholesky factors by LAPACK's potrf. LAPACK is column-major: what it calls the upper triangle is our lower one, and
// its factor of the transposed (for complex matrices the conjugate) matrix is the transpose of ours.
#include <algorithm>
#include <climits>
#include <cmath>
#include <mutex>

#include "blas.hpp"
#include "matrices.hpp"
#include "verbs.hpp"

namespace tandem::cpu {
namespace {

/// Order of the first leading minor that is not positive, 0 for none.
template <class T>
int factor(const Blas& blas, const Matrix& from, bool upper, T* to) {
  const int64_t n = from.rows;
  pack(from, sizeof(T), to);
  // Our row-major lower factor L of A reads, column-major, as the upper factor L^T of A^T = conj(A): potrf of the
  // untouched memory gives U with U^H U = conj(A), so L = U^T in memory is the same place by place.
  const int order = int(n);
  int minor = 0;
  blas.lapack<T>().potrf(upper ? "L" : "U", &order, to, &order, &minor, 1);
  if (minor) return minor;
  for (int64_t i = 0; i < n; ++i) {
    T* row = to + i * n;
    if (std::isnan(std::real(row[i]))) return int(i) + 1;  // potrf lets NaN pass; it always reaches the diagonal
    std::fill(upper ? row : row + i + 1, upper ? row + i : row + n, T(0));
  }
  return 0;
}

template <class T>
td_status factor_batch(const Blas& blas, const td_view& a, bool upper, const td_view& l, td_error* error) {
  const Matrix first = first_matrix(a);
  const Batch batch(a);
  const int64_t n = first.rows, count = batch.count();
  std::mutex mutex;
  int64_t worst = count;  // the first matrix that has no factor
  int worst_minor = 0;
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Matrix matrix = first;
      matrix.data += batch.offsets(i).a * int64_t(sizeof(T));
      const int minor = factor(blas, matrix, upper, static_cast<T*>(l.data) + i * n * n);
      if (minor == 0) continue;
      std::lock_guard lock(mutex);
      if (i < worst) worst_minor = minor;
      worst = std::min(worst, i);
      return;
    }
  };
  for_matrices(count, double(n) * double(n) * double(n) / 3, &blas, run);
  if (worst == count) return TD_OK;
  if (a.ndim == 2)
    return fail(error, TD_SINGULAR, "the matrix is not positive definite (leading minor %d)", worst_minor);
  return fail(error, TD_SINGULAR, "matrix %lld of the batch is not positive definite (leading minor %d)",
              static_cast<long long>(worst), worst_minor);
}

}  // namespace

td_status cholesky(td_device*, const td_view* a, int32_t upper, const td_view* l, td_error* error) {
  const Blas* library = blas(error);
  if (!library) return TD_UNAVAILABLE;
  if (a->shape[a->ndim - 1] > INT_MAX)
    return fail(error, TD_NOT_SUPPORTED, "matrices of order %lld: LAPACK counts in 32 bits",
                static_cast<long long>(a->shape[a->ndim - 1]));
  switch (a->dtype) {
    case TD_FLOAT32: return factor_batch<float>(*library, *a, upper, *l, error);
    case TD_FLOAT64: return factor_batch<double>(*library, *a, upper, *l, error);
    case TD_COMPLEX64: return factor_batch<Complex64>(*library, *a, upper, *l, error);
    case TD_COMPLEX128: return factor_batch<Complex128>(*library, *a, upper, *l, error);
    default: return fail(error, TD_NOT_SUPPORTED, "only for float32, float64, complex64 and complex128");
  }
}

}  // namespace tandem::cpu
