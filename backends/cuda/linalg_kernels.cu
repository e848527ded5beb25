#include "linalg_kernels.hpp"

namespace tandem::cuda {
namespace {

using i64 = std::int64_t;

constexpr int threads = 256;

__device__ i64 thread_number() { return i64(blockIdx.x) * threads + threadIdx.x; }
unsigned blocks_for(i64 count) { return unsigned((count + threads - 1) / threads); }

__device__ float conjugate(float x) { return x; }
__device__ double conjugate(double x) { return x; }
__device__ float2 conjugate(float2 x) { return make_float2(x.x, -x.y); }
__device__ double2 conjugate(double2 x) { return make_double2(x.x, -x.y); }

__global__ void __launch_bounds__(threads) address(char* data, i64 bytes, i64 count, void** addresses) {
  const i64 at = thread_number();
  if (at < count) addresses[at] = data + at * bytes;
}

__global__ void __launch_bounds__(threads) convert(const i64* from, std::int32_t* to, i64 count) {
  const i64 at = thread_number();
  if (at < count) to[at] = std::int32_t(from[at]);
}

template <class T>
__global__ void __launch_bounds__(threads) transpose(i64 n, i64 count, const T* from, T* to) {
  const i64 at = thread_number();
  if (at >= n * n * count) return;
  const i64 row = at / n, j = at - row * n, matrix = row / n, i = row - matrix * n;
  to[at] = conjugate(from[matrix * n * n + j * n + i]);
}

template <class Real>
__global__ void __launch_bounds__(threads) absolute(Real* values, i64 count) {
  const i64 at = thread_number();
  if (at < count) values[at] = fabs(values[at]);
}

template <class Real, class Complex>
__global__ void __launch_bounds__(threads) join(i64 n, i64 count, const Real* packed, const Complex* w, Complex* v) {
  const i64 at = thread_number();
  if (at >= n * n * count) return;
  const i64 column = at / n;
  const Real part = w[column].y;
  // The first of a pair has the positive imaginary part.
  if (part == 0) {
    v[at].x = packed[at];
    v[at].y = 0;
  } else if (part > 0) {
    v[at].x = packed[at];
    v[at].y = packed[at + n];
  } else {
    v[at].x = packed[at - n];
    v[at].y = -packed[at];
  }
}

}  // namespace

cudaError_t make_addresses(cudaStream_t stream, void* data, std::int64_t bytes, std::int64_t count, void** addresses) {
  address<<<blocks_for(count), threads, 0, stream>>>(static_cast<char*>(data), bytes, count, addresses);
  return cudaGetLastError();
}

cudaError_t narrow(cudaStream_t stream, const std::int64_t* from, std::int32_t* to, std::int64_t count) {
  convert<<<blocks_for(count), threads, 0, stream>>>(from, to, count);
  return cudaGetLastError();
}

cudaError_t conjugate_transpose(cudaStream_t stream, td_dtype dtype, std::int64_t n, std::int64_t count,
                                const void* from, void* to) {
  const auto launch = [&]<class T>(const T* x) {
    transpose<<<blocks_for(n * n * count), threads, 0, stream>>>(n, count, x, static_cast<T*>(to));
  };
  switch (dtype) {
    case TD_FLOAT32: launch(static_cast<const float*>(from)); break;
    case TD_FLOAT64: launch(static_cast<const double*>(from)); break;
    case TD_COMPLEX64: launch(static_cast<const float2*>(from)); break;
    default: launch(static_cast<const double2*>(from)); break;
  }
  return cudaGetLastError();
}

cudaError_t drop_signs(cudaStream_t stream, td_dtype dtype, std::int64_t count, void* values) {
  if (dtype == TD_FLOAT32 || dtype == TD_COMPLEX64)
    absolute<<<blocks_for(count), threads, 0, stream>>>(static_cast<float*>(values), count);
  else
    absolute<<<blocks_for(count), threads, 0, stream>>>(static_cast<double*>(values), count);
  return cudaGetLastError();
}

cudaError_t join_eigenvectors(cudaStream_t stream, td_dtype dtype, std::int64_t n, std::int64_t count,
                              const void* packed, const void* w, void* v) {
  const unsigned blocks = blocks_for(n * n * count);
  if (dtype == TD_FLOAT32)
    join<<<blocks, threads, 0, stream>>>(n, count, static_cast<const float*>(packed), static_cast<const float2*>(w),
                                         static_cast<float2*>(v));
  else
    join<<<blocks, threads, 0, stream>>>(n, count, static_cast<const double*>(packed), static_cast<const double2*>(w),
                                         static_cast<double2*>(v));
  return cudaGetLastError();
}

}  // namespace tandem::cuda
