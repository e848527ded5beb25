// LU factors and systems of equations: own kernels for small matrices, LAPACK's getrf, getrs and trtrs for others.
#include "lu_kernels.hpp"

#include <algorithm>

#include "factorization.hpp"
#include "isa.hpp"

namespace tandem::cpu {
namespace {

constexpr int64_t most_small_columns = 64;  // right sides up to which the kernels are faster

const LuKernels& kernels_of_processor() {
  return isa() == Isa::v4 ? v4::lu_kernels : isa() == Isa::v3 ? v3::lu_kernels : v2::lu_kernels;
}

template <class T>
const SmallLu<T>& small_kernels() {
  const LuKernels& all = kernels_of_processor();
  if constexpr (std::is_same_v<T, float>) return all.s;
  else if constexpr (std::is_same_v<T, double>) return all.d;
  else if constexpr (std::is_same_v<T, Complex64>) return all.c;
  else return all.z;
}

template <class T>
const LaneLu<T>& lane_kernels() {
  if constexpr (std::is_same_v<T, float>) return kernels_of_processor().s_lanes;
  else return kernels_of_processor().d_lanes;
}

template <class T>
constexpr bool has_lanes = std::is_same_v<T, float> || std::is_same_v<T, double>;

/// Copies a matrix into rows of `width` elements that lie `step` apart; for the few elements of a small one.
template <class T>
void copy_rows(const Matrix& from, T* to, int64_t width, int64_t step = 1) {
  const T* data = reinterpret_cast<const T*>(from.data);
  for (int64_t i = 0; i < from.rows; ++i)
    for (int64_t j = 0; j < from.columns; ++j)
      to[(i * width + j) * step] = data[i * from.row_stride + j * from.column_stride];
}

/// Copies columns of such rows into a matrix that lies column by column.
template <class T>
void copy_columns(const T* from, int64_t width, int64_t rows, int64_t columns, T* to, int64_t step = 1) {
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t i = 0; i < rows; ++i) to[j * rows + i] = from[(i * width + j) * step];
}

/// Eliminates small matrices with right sides b, if there are any, as many as the kernels take at a time. For each one
/// then finish(number, rows, pivots) tells whether the matrix has a result; its own elements and pivots are every
/// lanes-th from there.
template <class T, class Finish>
td_status in_lanes(const Blas& blas, const td_view& a, const td_view* b, const td_view& stack, td_error* error,
                   Finish finish) {
  const LaneLu<T>& kernels = lane_kernels<T>();
  const int64_t lanes = kernels.lanes;
  const Inputs<T> from(a), right(b ? *b : a);
  const int64_t n = a.shape[a.ndim - 1], k = b ? b->shape[b->ndim - 1] : 0, width = n + k;
  Layout layout;
  layout.add<T>(n * width * lanes);
  const Effort effort = of_products(double(n) * double(n) * double(n + 3 * k) / 3);
  return for_some_matrices(stack, lanes, effort, blas, layout, "is singular", error,
                           [&](int64_t begin, int64_t end, char* memory) {
    T* rows = reinterpret_cast<T*>(memory);
    int32_t pivots[largest_small_order * most_lanes];
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const int64_t number = std::min(begin + lane, end - 1);  // the last one fills what is left
      copy_rows(from.matrix(number), rows + lane, width, lanes);
      if (b) copy_rows(right.matrix(number), rows + n * lanes + lane, width, lanes);
    }
    kernels.eliminate(rows, n, width, pivots);
    if (b) kernels.substitute(rows, n, width);
    for (int64_t number = begin; number < end; ++number)
      if (!finish(number, rows + (number - begin), pivots + (number - begin))) return number;
    return end;
  });
}

template <class T>
td_status factorize_lanes(const Blas& blas, const td_view& a, const td_view& lu, const td_view& pivots,
                          td_error* error) {
  const int64_t n = a.shape[a.ndim - 1], lanes = lane_kernels<T>().lanes;
  return in_lanes<T>(blas, a, nullptr, a, error, [&](int64_t number, const T* rows, const int32_t* exchanged) {
    copy_columns(rows, n, n, n, output<T>(lu, number, n * n), lanes);
    int32_t* to = output<int32_t>(pivots, number, n);
    for (int64_t i = 0; i < n; ++i) to[i] = exchanged[i * lanes];
    return true;
  });
}

template <class T>
td_status solve_lanes(const Blas& blas, const td_view& a, const td_view& b, const td_view& x, td_error* error) {
  const int64_t n = a.shape[a.ndim - 1], k = b.shape[b.ndim - 1], width = n + k, lanes = lane_kernels<T>().lanes;
  return in_lanes<T>(blas, a, &b, x, error, [&](int64_t number, const T* rows, const int32_t*) {
    for (int64_t i = 0; i < n; ++i)
      if (rows[(i * width + i) * lanes] == 0) return false;
    copy_columns(rows + n * lanes, width, n, k, output<T>(x, number, n * k), lanes);
    return true;
  });
}

template <class T>
td_status factorize(const Blas& blas, const td_view& a, const td_view& lu, const td_view& pivots, td_error* error) {
  const Inputs<T> from(a);
  const int64_t n = a.shape[a.ndim - 1];
  const int order = int(n);
  const bool small = n <= largest_small_order;
  if constexpr (has_lanes<T>)
    if (small && from.count() >= lane_kernels<T>().lanes) return factorize_lanes<T>(blas, a, lu, pivots, error);
  const SmallLu<T>& kernels = small_kernels<T>();
  Layout layout;
  layout.add<T>(small ? n * n : 0);
  const Effort effort = of_products(double(n) * double(n) * double(n) / 3);
  return for_each_matrix(a, effort, blas, layout, "has no factors", error, [&](int64_t number, char* memory) {
    T* to = output<T>(lu, number, n * n);
    int32_t* rows = output<int32_t>(pivots, number, n);
    if (small) {
      T* matrix = reinterpret_cast<T*>(memory);
      copy_rows(from.matrix(number), matrix, n);
      kernels.eliminate(matrix, n, n, rows);
      copy_columns(matrix, n, n, n, to);
      return true;
    }
    from.copy(number, to);
    int info = 0;
    blas.lapack<T>().getrf(&order, &order, to, &order, rows, &info);
    return true;  // a singular matrix has factors, too
  });
}

template <class T>
td_status solve_small(const Blas& blas, const td_view& a, const td_view& b, const td_view& x, td_error* error) {
  const Inputs<T> from(a), right(b);
  if constexpr (has_lanes<T>)
    if (from.count() >= lane_kernels<T>().lanes) return solve_lanes<T>(blas, a, b, x, error);
  const int64_t n = a.shape[a.ndim - 1], k = b.shape[b.ndim - 1], width = n + k;
  const SmallLu<T>& kernels = small_kernels<T>();
  Layout layout;
  layout.add<T>(n * width);
  const Effort effort = of_products(double(n) * double(n) * double(n + 3 * k) / 3);
  return for_each_matrix(x, effort, blas, layout, "is singular", error, [&](int64_t number, char* memory) {
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
  const Effort effort = of_products(double(n) * double(n) * (general ? double(n) / 3 + double(k) : double(k) / 2));
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
