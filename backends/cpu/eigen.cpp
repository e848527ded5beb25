// Eigenvalues by LAPACK's syevd and geev.
#include <algorithm>

#include "factorization.hpp"

namespace tandem::cpu {
namespace {

// ---- Hermitian matrices ----

/// Memory of syevd, in elements of its own types.
struct SyevdWork {
  int length, real_length, integer_length;
};

template <class T>
int syevd(const Lapack<T>& lapack, const char* job, const char* triangle, int n, T* a, typename Lapack<T>::Real* w,
          T* work, typename Lapack<T>::Real* real_work, int* integer_work, const SyevdWork& lengths) {
  int info = 0;
  if constexpr (Lapack<T>::is_complex)
    lapack.syevd(job, triangle, &n, a, &n, w, work, &lengths.length, real_work, &lengths.real_length, integer_work,
                 &lengths.integer_length, &info, 1, 1);
  else
    lapack.syevd(job, triangle, &n, a, &n, w, work, &lengths.length, integer_work, &lengths.integer_length, &info, 1,
                 1);
  return info;
}

template <class T>
td_status hermitian(const Blas& blas, const td_view& a, bool upper, const td_view& w, const td_view* v,
                    td_error* error) {
  using Real = typename Lapack<T>::Real;
  const Inputs<T> from(a);
  const Lapack<T>& lapack = blas.lapack<T>();
  const int64_t n = a.shape[a.ndim - 1];
  const int order = int(n);
  const char *job = v ? "V" : "N", *triangle = upper ? "U" : "L";
  T answer{};
  Real real_answer{}, unused{};
  SyevdWork lengths{-1, -1, -1};
  int integer_answer = 0;
  syevd(lapack, job, triangle, order, &answer, &unused, &answer, &real_answer, &integer_answer, lengths);
  lengths = {work_length(answer), work_length(real_answer), integer_answer};
  Layout layout;
  const int64_t matrix_at = layout.add<T>(v ? 0 : n * n), work_at = layout.add<T>(lengths.length);
  const int64_t real_at = layout.add<Real>(lengths.real_length), integer_at = layout.add<int>(lengths.integer_length);
  const Effort effort = of_vectors(4, n, n);
  return for_each_matrix(a, effort, blas, layout, "did not converge", error, [&](int64_t number, char* memory) {
    T* matrix = v ? output<T>(*v, number, n * n) : reinterpret_cast<T*>(memory + matrix_at);
    from.copy(number, matrix);
    return syevd(lapack, job, triangle, order, matrix, output<Real>(w, number, n),
                 reinterpret_cast<T*>(memory + work_at), reinterpret_cast<Real*>(memory + real_at),
                 reinterpret_cast<int*>(memory + integer_at), lengths) == 0;
  });
}

// ---- general matrices ----

/// Real matrices: conjugate pairs of eigenvalues stand side by side, and the columns of their eigenvectors hold the
/// real and the imaginary part of the first one's.
template <class Real>
void join(int64_t n, const Real* re, const Real* im, const Real* packed, std::complex<Real>* w, std::complex<Real>* v) {
  for (int64_t j = 0; j < n; ++j) {
    w[j] = {re[j], im[j]};
    if (!v) continue;
    const Real *column = packed + j * n, sign = im[j] > 0 ? Real(1) : Real(-1);
    const Real* first = im[j] < 0 ? column - n : column;
    for (int64_t i = 0; i < n; ++i) v[j * n + i] = im[j] == 0 ? std::complex<Real>(column[i]) :
                                                   std::complex<Real>(first[i], sign * first[n + i]);
  }
}

template <class T>
td_status general(const Blas& blas, const td_view& a, const td_view& w, const td_view* v, td_error* error) {
  using Real = typename Lapack<T>::Real;
  using Complex = std::complex<Real>;
  constexpr bool is_complex = Lapack<T>::is_complex;
  const Inputs<T> from(a);
  const Lapack<T>& lapack = blas.lapack<T>();
  const int64_t n = a.shape[a.ndim - 1];
  const int order = int(n);
  const char* job = v ? "V" : "N";
  const auto geev = [&](T* matrix, T* first, T* second, T* vectors, T* work, int length, Real* real_work) {
    int info = 0;
    if constexpr (is_complex) {
      (void)second;
      lapack.geev("N", job, &order, matrix, &order, first, nullptr, &order, vectors, &order, work, &length, real_work,
                  &info, 1, 1);
    } else {
      (void)real_work;
      lapack.geev("N", job, &order, matrix, &order, first, second, nullptr, &order, vectors, &order, work, &length,
                  &info, 1, 1);
    }
    return info;
  };
  T answer{};
  Real unused{};
  geev(&answer, &answer, &answer, &answer, &answer, -1, &unused);
  const int length = work_length(answer);
  Layout layout;
  const int64_t matrix_at = layout.add<T>(n * n), work_at = layout.add<T>(length);
  const int64_t values_at = layout.add<T>(is_complex ? 0 : 2 * n),
                vectors_at = layout.add<T>(is_complex || !v ? 0 : n * n);
  const int64_t real_at = layout.add<Real>(is_complex ? 2 * n : 0);
  const Effort effort = of_vectors(20, n, n);
  return for_each_matrix(a, effort, blas, layout, "did not converge", error, [&](int64_t number, char* memory) {
    T* matrix = reinterpret_cast<T*>(memory + matrix_at);
    T* space = reinterpret_cast<T*>(memory + work_at);
    Complex* values = output<Complex>(w, number, n);
    Complex* vectors = v ? output<Complex>(*v, number, n * n) : nullptr;
    from.copy(number, matrix);
    if constexpr (is_complex) {
      return geev(matrix, values, nullptr, vectors, space, length, reinterpret_cast<Real*>(memory + real_at)) == 0;
    } else {
      T* parts = reinterpret_cast<T*>(memory + values_at);
      T* packed = reinterpret_cast<T*>(memory + vectors_at);
      if (geev(matrix, parts, parts + n, packed, space, length, nullptr) != 0) return false;
      join(n, parts, parts + n, packed, values, vectors);
      return true;
    }
  });
}

}  // namespace

td_status eigh(td_device*, const td_view* a, int32_t upper, const td_view* w, const td_view* v, td_error* error) {
  return with_lapack(*a, error, [&](const Blas& blas, auto zero) {
    return hermitian<decltype(zero)>(blas, *a, upper != 0, *w, v, error);
  });
}

td_status eig(td_device*, const td_view* a, const td_view* w, const td_view* v, td_error* error) {
  return with_lapack(*a, error, [&](const Blas& blas, auto zero) {
    return general<decltype(zero)>(blas, *a, *w, v, error);
  });
}

}  // namespace tandem::cpu
