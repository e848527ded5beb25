#include "cholesky_kernels.hpp"

namespace tandem::cuda {
namespace {

using i64 = std::int64_t;
using u32 = std::uint32_t;

constexpr int threads = 256;

__device__ i64 thread_number() { return i64(blockIdx.x) * threads + threadIdx.x; }
unsigned blocks_for(i64 count) { return unsigned((count + threads - 1) / threads); }

__device__ float real(float x) { return x; }
__device__ double real(double x) { return x; }
__device__ float real(float2 x) { return x.x; }
__device__ double real(double2 x) { return x.x; }
__device__ void make_real(float&) {}
__device__ void make_real(double&) {}
__device__ void make_real(float2& x) { x.y = 0; }
__device__ void make_real(double2& x) { x.y = 0; }

template <class T>
__global__ void __launch_bounds__(threads) prepare(T* data, i64 n, i64 count, void** addresses) {
  const i64 at = thread_number();
  if (at >= n * count) return;
  const i64 matrix = at / n, i = at % n;
  if (i == 0) addresses[matrix] = data + matrix * n * n;
  make_real(data[matrix * n * n + i * n + i]);
}

__device__ void report(Failure* failure, i64 matrix, i64 minor) {
  atomicMin(reinterpret_cast<unsigned long long*>(failure), static_cast<unsigned long long>(matrix << 32 | minor));
}

template <class T>
__global__ void __launch_bounds__(threads)
    finish(T* data, i64 n, i64 count, bool upper, const int* infos, Failure* failure) {
  const i64 at = thread_number();
  if (at >= n * n * count) return;
  // Divisions of 64 bits are slow.
  const i64 row = (n * n * count) >> 32 == 0 ? u32(at) / u32(n) : at / n, j = at - row * n;
  const i64 matrix = row / n, i = row - matrix * n;
  if (upper ? j < i : j > i) {
    data[at] = T{};
  } else if (i == j) {
    if (isnan(real(data[at]))) report(failure, matrix, i + 1);
    if (i == 0 && infos[matrix] > 0) report(failure, matrix, infos[matrix]);
  }
}

/// Calls body(pointer to the elements) with the type of the dtype.
template <class Body>
void with_elements(const Matrices& matrices, Body body) {
  switch (matrices.dtype) {
    case TD_FLOAT32: return body(static_cast<float*>(matrices.data));
    case TD_FLOAT64: return body(static_cast<double*>(matrices.data));
    case TD_COMPLEX64: return body(static_cast<float2*>(matrices.data));
    default: return body(static_cast<double2*>(matrices.data));
  }
}

}  // namespace

cudaError_t prepare_factors(cudaStream_t stream, const Matrices& matrices, void** addresses) {
  with_elements(matrices, [&](auto* data) {
    const std::int64_t diagonals = matrices.n * matrices.count;
    prepare<<<blocks_for(diagonals), threads, 0, stream>>>(data, matrices.n, matrices.count, addresses);
  });
  return cudaGetLastError();
}

cudaError_t finish_factors(cudaStream_t stream, const Matrices& matrices, bool upper, const int* infos,
                           Failure* failure) {
  with_elements(matrices, [&](auto* data) {
    const std::int64_t elements = matrices.n * matrices.n * matrices.count;
    finish<<<blocks_for(elements), threads, 0, stream>>>(data, matrices.n, matrices.count, upper, infos, failure);
  });
  return cudaGetLastError();
}

}  // namespace tandem::cuda
