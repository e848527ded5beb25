// LU factors and systems of equations: own kernels for small matrices, own blocks for large ones, LAPACK's getrf, getrs
// and trtrs for others.
#include <algorithm>
#include <bit>

#include "blocked_lu.hpp"
#include "small_matrices.hpp"

namespace tandem::cpu {
namespace {

constexpr int64_t most_small_columns = 64;  // right sides up to which the kernels are faster

template <class T>
const SingleLu<T>& single_lu() noexcept {
  const SingleKernels& all = single_kernels();
  if constexpr (std::is_same_v<T, float>) return all.lu_s;
  else if constexpr (std::is_same_v<T, double>) return all.lu_d;
  else if constexpr (std::is_same_v<T, Complex64>) return all.lu_c;
  else return all.lu_z;
}

/// Copies a matrix into rows of `width` elements; for the few elements of a small one.
template <class T>
void copy_rows(const Matrix& from, T* to, int64_t width) {
  const T* data = reinterpret_cast<const T*>(from.data);
  for (int64_t i = 0; i < from.rows; ++i)
    for (int64_t j = 0; j < from.columns; ++j) to[i * width + j] = data[i * from.row_stride + j * from.column_stride];
}

/// Copies columns of such rows into a matrix that lies column by column.
template <class T>
void copy_columns(const T* from, int64_t width, int64_t rows, int64_t columns, T* to) {
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t i = 0; i < rows; ++i) to[j * rows + i] = from[i * width + j];
}

/// Of LU factorizations of n x n matrices with k right sides.
Effort lu_effort(int64_t n, int64_t k) { return of_products(double(n) * double(n) * double(n + 3 * k) / 3); }

template <class T>
td_status factorize_lanes(const Blas& blas, const td_view& a, const td_view& lu, const td_view& pivots,
                          td_error* error) {
  const LaneKernels<T>& kernels = lane_kernels<T>();
  const Inputs<T> from(a);
  const int64_t n = a.shape[a.ndim - 1], lanes = kernels.lanes;
  Layout layout;
  layout.add<T>(n * row_pitch(n) * lanes);
  return for_some_matrices(a, lanes, lu_effort(n, 0), blas, layout, "has no factors", error,
                           [&](int64_t begin, int64_t end, char* memory) {
    T* matrices = reinterpret_cast<T*>(memory);
    int32_t exchanges[largest_small_order * most_lanes];
    gather(from, false, begin, end, matrices);
    kernels.eliminate(matrices, n, nullptr, 0, exchanges);
    scatter(matrices, n, n, lu, {1, n}, begin, end);
    for (int64_t number = begin; number < end; ++number) {
      int32_t* to = output<int32_t>(pivots, number, n);
      for (int64_t i = 0; i < n; ++i) to[i] = exchanges[i * lanes + number - begin];
    }
    return end;  // a singular matrix has factors, too
  });
}

template <class T>
td_status solve_lanes(const Blas& blas, const td_view& a, const td_view& b, const td_view& x, td_error* error) {
  const LaneKernels<T>& kernels = lane_kernels<T>();
  const Inputs<T> from(a), right(b);
  const int64_t n = a.shape[a.ndim - 1], k = b.shape[b.ndim - 1], lanes = kernels.lanes;
  Layout layout;
  const int64_t matrices_at = layout.add<T>(n * row_pitch(n) * lanes),
                columns_at = layout.add<T>(n * row_pitch(k) * lanes);
  return for_some_matrices(x, lanes, lu_effort(n, k), blas, layout, "is singular", error,
                           [&](int64_t begin, int64_t end, char* memory) {
    T *matrices = reinterpret_cast<T*>(memory + matrices_at), *columns = reinterpret_cast<T*>(memory + columns_at);
    gather(from, false, begin, end, matrices);
    gather(right, false, begin, end, columns);
    const uint32_t singular = kernels.eliminate(matrices, n, columns, k, nullptr);
    kernels.substitute(matrices, n, columns, k);
    scatter(columns, n, k, x, {1, n}, begin, end);
    return std::min(begin + std::countr_zero(singular), end);
  });
}

template <class T>
td_status factorize(const Blas& blas, const td_view& a, const td_view& lu, const td_view& pivots, td_error* error) {
  const Inputs<T> from(a);
  const int64_t n = a.shape[a.ndim - 1];
  const int order = int(n);
  const bool small = n <= largest_small_order;
  if constexpr (has_lanes<T>)
    if (small && fills_lanes(from)) return factorize_lanes<T>(blas, a, lu, pivots, error);
  Layout layout;
  layout.add<T>(small ? n * n : 0);
  return for_each_matrix(a, lu_effort(n, 0), blas, layout, "has no factors", error, [&](int64_t number, char* memory) {
    T* to = output<T>(lu, number, n * n);
    int32_t* rows = output<int32_t>(pivots, number, n);
    if (small) {
      T* matrix = reinterpret_cast<T*>(memory);
      copy_rows(from.matrix(number), matrix, n);
      single_lu<T>().eliminate(matrix, n, n, rows);
      copy_columns(matrix, n, n, n, to);
      return true;
    }
    from.copy(number, to);
    if (goes_by_blocks(n, 0)) {
      BlockedLu<T> factorization(blas, n, to, rows);
      factorization.eliminate();
      factorization.complete();
      return true;
    }
    int info = 0;
    blas.lapack<T>().getrf(&order, &order, to, &order, rows, &info);
    return true;  // a singular matrix has factors, too
  });
}

template <class T>
td_status solve_small(const Blas& blas, const td_view& a, const td_view& b, const td_view& x, td_error* error) {
  const Inputs<T> from(a), right(b);
  if constexpr (has_lanes<T>)
    if (fills_lanes(from)) return solve_lanes<T>(blas, a, b, x, error);
  const int64_t n = a.shape[a.ndim - 1], k = b.shape[b.ndim - 1], width = n + k;
  const SingleLu<T>& kernels = single_lu<T>();
  Layout layout;
  layout.add<T>(n * width);
  return for_each_matrix(x, lu_effort(n, k), blas, layout, "is singular", error, [&](int64_t number, char* memory) {
    T* rows = reinterpret_cast<T*>(memory);
    int32_t pivots[largest_small_order];
    copy_rows(from.matrix(number), rows, width);
    copy_rows(right.matrix(number), rows + n, width);
    if (!kernels.eliminate(rows, n, width, pivots)) return false;
    kernels.substitute(rows, n, width);
    copy_columns(rows + n, width, n, k, output<T>(x, number, n * k));
    return true;
  });
}

template <class T>
td_status solve_large(const Blas& blas, const td_view& a, td_structure structure, const td_view& b, const td_view& x,
                      td_error* error) {
  const Inputs<T> from(a), right(b);
  const int64_t n = a.shape[a.ndim - 1], k = b.shape[b.ndim - 1];
  const int order = int(n), columns = int(k);
  const bool general = structure == TD_GENERAL;
  const char* triangle = structure == TD_LOWER || structure == TD_UNIT_LOWER ? "L" : "U";
  const char* diagonal = structure == TD_UNIT_LOWER || structure == TD_UNIT_UPPER ? "U" : "N";
  Layout layout;
  const int64_t matrix_at = layout.add<T>(n * n), pivots_at = layout.add<int>(n);
  const Effort effort = general ? lu_effort(n, k) : of_products(double(n) * double(n) * double(k) / 2);
  return for_each_matrix(x, effort, blas, layout, "is singular", error, [&](int64_t number, char* memory) {
    T* matrix = reinterpret_cast<T*>(memory + matrix_at);
    int* pivots = reinterpret_cast<int*>(memory + pivots_at);
    T* to = output<T>(x, number, n * k);
    const Lapack<T>& lapack = blas.lapack<T>();
    int info = 0;
    from.copy(number, matrix);
    right.copy(number, to);
    if (!general) {
      lapack.trtrs(triangle, "N", diagonal, &order, &columns, matrix, &order, to, &order, &info, 1, 1, 1);
      return info == 0;
    }
    if (goes_by_blocks(n, k)) {
      BlockedLu<T> factorization(blas, n, matrix, pivots, to, k);
      if (!factorization.eliminate()) return false;
      factorization.substitute();
      return true;
    }
    lapack.getrf(&order, &order, matrix, &order, pivots, &info);
    if (info != 0) return false;
    lapack.getrs("N", &order, &columns, matrix, &order, pivots, to, &order, &info, 1);
    return true;
  });
}

}  // namespace

td_status lu(td_device*, const td_view* a, const td_view* lu, const td_view* pivots, td_error* error) {
  return with_lapack(*a, error, [&](const Blas& blas, auto zero) {
    return factorize<decltype(zero)>(blas, *a, *lu, *pivots, error);
  });
}

td_status solve(td_device*, const td_view* a, td_structure structure, const td_view* b, const td_view* x,
                td_error* error) {
  const int64_t n = a->shape[a->ndim - 1], k = b->shape[b->ndim - 1];
  if (k > INT_MAX)
    return fail(error, TD_NOT_SUPPORTED, "%lld right sides: LAPACK counts in 32 bits", static_cast<long long>(k));
  return with_lapack(*a, error, [&](const Blas& blas, auto zero) {
    using T = decltype(zero);
    if (structure == TD_GENERAL && n <= largest_small_order && k <= most_small_columns)
      return solve_small<T>(blas, *a, *b, *x, error);
    return solve_large<T>(blas, *a, structure, *b, *x, error);
  });
}

}  // namespace tandem::cpu
