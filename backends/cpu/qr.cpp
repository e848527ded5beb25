// QR factors by LAPACK's geqrf and orgqr.
#include <algorithm>

#include "factorization.hpp"

namespace tandem::cpu {
namespace {

template <class T>
td_status factorize(const Blas& blas, const td_view& a, const td_view& q, const td_view& r, td_error* error) {
  const Inputs<T> from(a);
  const Lapack<T>& lapack = blas.lapack<T>();
  const int64_t m = a.shape[a.ndim - 2], n = a.shape[a.ndim - 1], inner = q.shape[q.ndim - 1];
  const int rows = int(m), columns = int(n), q_columns = int(inner), reflections = int(std::min(m, n));
  T answer[2] = {};
  int info = 0;
  const int question = -1;
  lapack.geqrf(&rows, &columns, answer, &rows, answer, &answer[0], &question, &info);
  lapack.make_q(&rows, &q_columns, &reflections, answer, &rows, answer, &answer[1], &question, &info);
  const int length = std::max(work_length(answer[0]), work_length(answer[1]));
  Layout layout;
  const int64_t matrix_at = layout.add<T>(m * n), tau_at = layout.add<T>(reflections), work_at = layout.add<T>(length);
  const Effort effort = of_vectors(2, m, n);
  return for_each_matrix(a, effort, blas, layout, "has no factors", error, [&](int64_t number, char* memory) {
    T* matrix = reinterpret_cast<T*>(memory + matrix_at);
    T* tau = reinterpret_cast<T*>(memory + tau_at);
    T* space = reinterpret_cast<T*>(memory + work_at);
    T* orthogonal = output<T>(q, number, m * inner);
    T* triangular = output<T>(r, number, inner * n);
    int status = 0;
    from.copy(number, matrix);
    lapack.geqrf(&rows, &columns, matrix, &rows, tau, space, &length, &status);
    for (int64_t j = 0; j < n; ++j) std::copy_n(matrix + j * m, inner, triangular + j * inner);
    std::copy_n(matrix, m * std::min(n, inner), orthogonal);
    lapack.make_q(&rows, &q_columns, &reflections, orthogonal, &rows, tau, space, &length, &status);
    return true;
  });
}

}  // namespace

td_status qr(td_device*, const td_view* a, const td_view* q, const td_view* r, td_error* error) {
  return with_lapack(*a, error, [&](const Blas& blas, auto zero) {
    return factorize<decltype(zero)>(blas, *a, *q, *r, error);
  });
}

}  // namespace tandem::cpu
