// OpenBLAS, loaded when a product first needs it: the rest of the backend works without, and its kernels can be chosen
// before it looks at the processor.
#pragma once

#include <complex>

#include <tandem/backend.h>

namespace tandem::cpu {

// CBLAS values.
enum BlasOrder : int { row_major = 101 };
enum BlasTranspose : int { no_transpose = 111, transpose = 112 };

using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;

struct Blas {
  void (*sgemm)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
  void (*dgemm)(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int);
  void (*cgemm)(int, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*, void*, int);
  void (*zgemm)(int, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*, void*, int);
  void (*sgemv)(int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
  void (*dgemv)(int, int, int, int, double, const double*, int, const double*, int, double, double*, int);
  void (*spotrf)(const char*, const int*, float*, const int*, int*);
  void (*dpotrf)(const char*, const int*, double*, const int*, int*);
  void (*cpotrf)(const char*, const int*, Complex64*, const int*, int*);
  void (*zpotrf)(const char*, const int*, Complex128*, const int*, int*);
  void (*set_num_threads)(int);
  int (*get_num_threads)();
  int (*get_parallel)();  // 0: one thread, 1: its own threads, 2: OpenMP
};

/// The library, or null with the reason in `error` (TD_UNAVAILABLE). Its thread count is that of the backend.
const Blas* blas(td_error* error);

/// Limits OpenBLAS to one thread while it lives, for callers that are parallel themselves.
class SingleThreadedBlas {
 public:
  explicit SingleThreadedBlas(const Blas& blas);
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;

 private:
  const Blas& blas_;
  int threads_;
};

}  // namespace tandem::cpu
