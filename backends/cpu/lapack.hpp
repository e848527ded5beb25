// BLAS and LAPACK as OpenBLAS exports them: Fortran, so that everything is passed by address, matrices lie column by
// column, and the lengths of texts follow at the end.
#pragma once

#include <complex>
#include <cstddef>
#include <type_traits>

namespace tandem::cpu {

template <class T> struct RealPart { using type = T; };
template <class T> struct RealPart<std::complex<T>> { using type = T; };

/// The functions for one element type. `work` of length -1 asks for the best length, which comes in work[0].
template <class T>
struct Lapack {
  using Real = typename RealPart<T>::type;
  static constexpr bool is_complex = !std::is_same_v<T, Real>;
  using Int = const int*;
  using Text = const char*;
  using Length = std::size_t;

  void (*gemm)(Text a_transposed, Text b_transposed, Int m, Int n, Int k, const T* alpha, const T* a, Int lda,
               const T* b, Int ldb, const T* beta, T* c, Int ldc, Length, Length);
  void (*trsm)(Text side, Text triangle, Text transposed, Text diagonal, Int m, Int n, const T* alpha, const T* a,
               Int lda, T* b, Int ldb, Length, Length, Length, Length);
  void (*laswp)(Int n, T* a, Int lda, Int first, Int last, Int pivots, Int step);
  void (*potrf)(Text triangle, Int n, T* a, Int lda, int* info, Length);
  void (*getrf)(Int m, Int n, T* a, Int lda, int* pivots, int* info);
  void (*getrs)(Text transposed, Int n, Int k, const T* a, Int lda, Int pivots, T* b, Int ldb, int* info, Length);
  void (*trtrs)(Text triangle, Text transposed, Text diagonal, Int n, Int k, const T* a, Int lda, T* b, Int ldb,
                int* info, Length, Length, Length);
  void (*geqrf)(Int m, Int n, T* a, Int lda, T* tau, T* work, Int lwork, int* info);
  /// orgqr, ungqr
  void (*make_q)(Int m, Int n, Int k, T* a, Int lda, const T* tau, T* work, Int lwork, int* info);

  void (*gebrd)(Int m, Int n, T* a, Int lda, Real* d, Real* e, T* tau_q, T* tau_p, T* work, Int lwork, int* info);
  void (*larft)(Text direction, Text stored, Int n, Int k, const T* v, Int ldv, const T* tau, T* t, Int ldt, Length,
                Length);
  void (*larfb)(Text side, Text transposed, Text direction, Text stored, Int m, Int n, Int k, const T* v, Int ldv,
                const T* t, Int ldt, T* c, Int ldc, T* work, Int ldwork, Length, Length, Length, Length);
  /// Of the real type also for complex ones.
  void (*bdsdc)(Text triangle, Text vectors, Int n, Real* d, Real* e, Real* u, Int ldu, Real* vt, Int ldvt, Real* q,
                int* iq, Real* work, int* iwork, int* info, Length, Length);

  // Complex ones have `rwork` more.
  using RealGesdd = void (*)(Text job, Int m, Int n, T* a, Int lda, Real* s, T* u, Int ldu, T* vt, Int ldvt, T* work,
                             Int lwork, int* iwork, int* info, Length);
  using ComplexGesdd = void (*)(Text job, Int m, Int n, T* a, Int lda, Real* s, T* u, Int ldu, T* vt, Int ldvt, T* work,
                                Int lwork, Real* rwork, int* iwork, int* info, Length);
  std::conditional_t<is_complex, ComplexGesdd, RealGesdd> gesdd;

  using RealSyevd = void (*)(Text job, Text triangle, Int n, T* a, Int lda, Real* w, T* work, Int lwork, int* iwork,
                             Int liwork, int* info, Length, Length);
  using ComplexSyevd = void (*)(Text job, Text triangle, Int n, T* a, Int lda, Real* w, T* work, Int lwork, Real* rwork,
                                Int lrwork, int* iwork, Int liwork, int* info, Length, Length);
  /// syevd, heevd
  std::conditional_t<is_complex, ComplexSyevd, RealSyevd> syevd;

  using RealGeev = void (*)(Text left, Text right, Int n, T* a, Int lda, T* re, T* im, T* vl, Int ldvl, T* vr, Int ldvr,
                            T* work, Int lwork, int* info, Length, Length);
  using ComplexGeev = void (*)(Text left, Text right, Int n, T* a, Int lda, T* w, T* vl, Int ldvl, T* vr, Int ldvr,
                               T* work, Int lwork, Real* rwork, int* info, Length, Length);
  std::conditional_t<is_complex, ComplexGeev, RealGeev> geev;
};

}  // namespace tandem::cpu
