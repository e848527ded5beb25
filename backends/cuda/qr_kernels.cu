#include "qr_kernels.hpp"

#include <math.h>
#include <string.h>

#pragma nv_diag_suppress 177  // of scalar.h, only some functions are used

#include "qr_device.cuh"

namespace tandem::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(most_qr_threads) factorize_block(QrShape shape, const T* matrices, T* q, T* r) {
  extern __shared__ uint4 memory[];
  factorize(shape, reinterpret_cast<T*>(memory), matrices, q, r);
}

/// Calls body(T()) with the type of the dtype.
template <class Body>
auto with_elements(td_dtype dtype, Body body) {
  switch (dtype) {
    case TD_FLOAT32: return body(scalar::f32());
    case TD_FLOAT64: return body(scalar::f64());
    case TD_COMPLEX64: return body(scalar::c64());
    default: return body(scalar::c128());
  }
}

}  // namespace

bool fits_a_block(const QrShape& shape, td_dtype dtype) {
  constexpr std::int64_t shared_bytes = 48 << 10, longest = 1 << 20;  // nothing overflows
  if (shape.m > longest || shape.n > longest || shape.inner > longest || shape.count > 0x7fffffff) return false;
  return with_elements(dtype, [&]<class T>(T) { return qr_bytes<T>(shape) <= shared_bytes; });
}

cudaError_t factorize_qr(cudaStream_t stream, const QrShape& shape, td_dtype dtype, const void* matrices, void* q,
                         void* r) {
  with_elements(dtype, [&]<class T>(T) {
    factorize_block<<<unsigned(shape.count), qr_threads(shape), std::size_t(qr_bytes<T>(shape)), stream>>>(
        shape, static_cast<const T*>(matrices), static_cast<T*>(q), static_cast<T*>(r));
  });
  return cudaGetLastError();
}

}  // namespace tandem::cuda
