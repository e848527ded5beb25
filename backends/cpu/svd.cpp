// Singular values by LAPACK's gesdd.
#include <algorithm>

#include "factorization.hpp"

namespace tandem::cpu {
namespace {

/// gesdd, with the further memory that it takes for complex matrices.
template <class T>
int gesdd(const Lapack<T>& lapack, const char* job, int m, int n, T* a, typename Lapack<T>::Real* s, T* u, T* vh,
          T* work, int length, typename Lapack<T>::Real* real_work, int* integer_work) {
  int info = 0;
  if constexpr (Lapack<T>::is_complex)
    lapack.gesdd(job, &m, &n, a, &m, s, u, &m, vh, &n, work, &length, real_work, integer_work, &info, 1);
  else
    lapack.gesdd(job, &m, &n, a, &m, s, u, &m, vh, &n, work, &length, integer_work, &info, 1);
  return info;
}

template <class T>
td_status decompose(const Blas& blas, const td_view& a, const td_view* u, const td_view& s, const td_view* vh,
                    td_error* error) {
  using Real = typename Lapack<T>::Real;
  const Inputs<T> from(a);
  const Lapack<T>& lapack = blas.lapack<T>();
  const int64_t m = a.shape[a.ndim - 2], n = a.shape[a.ndim - 1], columns = u ? u->shape[u->ndim - 1] : 0;
  const int rows = int(m), order = int(n);
  const char* job = !u ? "N" : columns > n ? "A" : "S";
  T answer{};
  Real unused{};
  int unused_integers[8];
  gesdd(lapack, job, rows, order, &answer, &unused, &answer, &answer, &answer, -1, &unused, unused_integers);
  const int length = work_length(answer);
  const int64_t reals = !Lapack<T>::is_complex ? 0 : !u ? 7 * n : n * std::max(5 * n + 7, 2 * m + 2 * n + 1);
  Layout layout;
  const int64_t matrix_at = layout.add<T>(m * n), work_at = layout.add<T>(length), real_at = layout.add<Real>(reals);
  const int64_t integer_at = layout.add<int>(8 * n);
  const Effort effort = of_vectors(10, m, n);
  return for_each_matrix(a, effort, blas, layout, "did not converge", error, [&](int64_t number, char* memory) {
    T* matrix = reinterpret_cast<T*>(memory + matrix_at);
    from.copy(number, matrix);
    return gesdd(lapack, job, rows, order, matrix, output<Real>(s, number, n),
                 u ? output<T>(*u, number, m * columns) : nullptr, vh ? output<T>(*vh, number, n * n) : nullptr,
                 reinterpret_cast<T*>(memory + work_at), length, reinterpret_cast<Real*>(memory + real_at),
                 reinterpret_cast<int*>(memory + integer_at)) == 0;
  });
}

}  // namespace

td_status svd(td_device*, const td_view* a, const td_view* u, const td_view* s, const td_view* vh, td_error* error) {
  return with_lapack(*a, error, [&](const Blas& blas, auto zero) {
    return decompose<decltype(zero)>(blas, *a, u, *s, vh, error);
  });
}

}  // namespace tandem::cpu
