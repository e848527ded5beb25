#include "select_kernels.hpp"

#include <cub/device/device_select.cuh>
#include <math.h>
#include <thrust/iterator/counting_iterator.h>

#pragma nv_diag_suppress 177  // of scalar.h, only some functions are used

#include <tandem/sort_keys.h>

#include "gather_device.cuh"

namespace tandem::cuda {
namespace {

template <class T>
__device__ i64 count_before(const T* sorted, i64 n, typename sorting::Order<T>::Key key, bool right) {
  i64 first = 0;
  while (n > 0) {
    const i64 half = n / 2;
    const auto own = sorting::Order<T>::key(sorted[first + half], 0);
    const bool before = right ? own <= key : own < key;
    first = before ? first + half + 1 : first;
    n = before ? n - half - 1 : half;
  }
  return first;
}

template <class T>
__global__ void __launch_bounds__(gather_threads)
    search(const T* sorted, i64 n, const T* values, i64 count, bool right, i64* out) {
  const i64 i = i64(blockIdx.x) * gather_threads + threadIdx.x;
  if (i < count) out[i] = count_before(sorted, n, sorting::Order<T>::key(values[i], 0), right);
}

__global__ void __launch_bounds__(gather_threads) replace_by_offsets(Axes axes, i64* positions, i64 count) {
  const i64 i = i64(blockIdx.x) * gather_threads + threadIdx.x;
  if (i < count) positions[i] = offset_of(axes, positions[i]);
}

unsigned blocks_for(i64 count) { return unsigned((count + gather_threads - 1) / gather_threads); }

}  // namespace

cudaError_t select_elements(cudaStream_t stream, void* memory, std::size_t* bytes, int item, const void* x,
                            const std::uint8_t* mask, std::int64_t count, void* out, std::int64_t* found) {
  const auto select = [&]<class U>(U*) {
    return cub::DeviceSelect::Flagged(memory, *bytes, static_cast<const U*>(x), mask, static_cast<U*>(out), found, count,
                                      stream);
  };
  switch (item) {
    case 1: return select(static_cast<std::uint8_t*>(nullptr));
    case 2: return select(static_cast<std::uint16_t*>(nullptr));
    case 4: return select(static_cast<std::uint32_t*>(nullptr));
    case 8: return select(static_cast<std::uint64_t*>(nullptr));
    default: return select(static_cast<uint4*>(nullptr));
  }
}

cudaError_t select_positions(cudaStream_t stream, void* memory, std::size_t* bytes, const std::uint8_t* mask,
                             std::int64_t count, std::int64_t* out, std::int64_t* found) {
  return cub::DeviceSelect::Flagged(memory, *bytes, thrust::counting_iterator<std::int64_t>(0), mask, out, found, count,
                                    stream);
}

cudaError_t positions_to_offsets(cudaStream_t stream, const Axes& axes, std::int64_t* positions, std::int64_t count) {
  replace_by_offsets<<<blocks_for(count), gather_threads, 0, stream>>>(axes, positions, count);
  return cudaGetLastError();
}

cudaError_t search_sorted(cudaStream_t stream, td_dtype dtype, const void* sorted, std::int64_t n, const void* values,
                          std::int64_t count, bool right, std::int64_t* out) {
  using namespace scalar;
  switch (dtype) {
#define X(NAME, type, ...)                                                                                      \
  case TD_##NAME:                                                                                               \
    search<<<blocks_for(count), gather_threads, 0, stream>>>(static_cast<const type*>(sorted), n,               \
                                                             static_cast<const type*>(values), count, right, out); \
    break;
    TD_DTYPES(X)
#undef X
    default: return cudaErrorInvalidValue;
  }
  return cudaGetLastError();
}

}  // namespace tandem::cuda
