// OpenBLAS, loaded when a product first needs it: the rest of the backend works without, and its kernels can be chosen
// before it looks at the processor.
#pragma once

#include <complex>

#include <tandem/backend.h>

#include "lapack.hpp"

namespace tandem::cpu {

// CBLAS values.
enum BlasOrder : int { row_major = 101 };
enum BlasTranspose : int { no_transpose = 111, transpose = 112 };

using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;

/// The library's functions. CBLAS passes real factors by value and complex ones by address.
struct Blas {
  template <class Factor, class T>
  using Gemm = void (*)(int order, int a_transpose, int b_transpose, int m, int n, int k, Factor alpha, const T* a,
                        int lda, const T* b, int ldb, Factor beta, T* c, int ldc);
  template <class Factor, class T>
  using Gemv = void (*)(int order, int transpose, int rows, int columns, Factor alpha, const T* a, int lda, const T* x,
                        int x_step, Factor beta, T* y, int y_step);

  Gemm<float, float> sgemm;
  Gemm<double, double> dgemm;
  Gemm<const void*, void> cgemm, zgemm;
  Gemv<float, float> sgemv;
  Gemv<double, double> dgemv;
  Gemv<const void*, void> cgemv, zgemv;
  Lapack<float> s;
  Lapack<double> d;
  Lapack<Complex64> c;
  Lapack<Complex128> z;
  void (*set_num_threads)(int);
  int (*get_parallel)();  // 0: one thread, 1: threads of its own, 2: OpenMP

  template <class T>
  const Lapack<T>& lapack() const noexcept {
    if constexpr (std::is_same_v<T, float>) return s;
    else if constexpr (std::is_same_v<T, double>) return d;
    else if constexpr (std::is_same_v<T, Complex64>) return c;
    else return z;
  }
};

/// The library, or null with the reason in `error` (TD_UNAVAILABLE). It uses as many threads as the backend.
const Blas* blas(td_error* error);

/// Limits an OpenBLAS with threads of its own to one while any of these lives. One that uses OpenMP follows OneThread.
class SingleThreadedBlas {
 public:
  explicit SingleThreadedBlas(const Blas& blas);
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;

 private:
  const Blas& blas_;
  const bool limits_;
};

}  // namespace tandem::cpu
