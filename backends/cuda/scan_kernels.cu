#include "scan_kernels.hpp"

#include <cuda/atomic>
#include <math.h>
#include <string.h>

#include <algorithm>
#include <bit>

#pragma nv_diag_suppress 177  // of scalar.h, only some functions are used

namespace tandem::cuda {
namespace {

using Word = ::cuda::atomic_ref<unsigned long long, ::cuda::thread_scope_device>;

/// The words of scan_device.cuh's Board, between blocks.
__device__ void tell_word(unsigned long long* place, unsigned long long word) {
  Word(*place).store(word, ::cuda::memory_order_relaxed);
}
__device__ unsigned long long overhear_word(unsigned long long* place) {
  return Word(*place).load(::cuda::memory_order_relaxed);
}
__device__ unsigned long long hear_word(unsigned long long* place) {
  unsigned long long word;
  while ((word = overhear_word(place)) == 0) __nanosleep(20);
  return word;
}

}  // namespace
}  // namespace tandem::cuda

#include "scan_device.cuh"

namespace tandem::cuda {
namespace {

template <class Row, class T>
cudaError_t scan_with(cudaStream_t stream, const ScanPlan& plan, const void* x, void* out, const ScanBoard& places) {
  const T* const from = static_cast<const T*>(x);
  T* const to = static_cast<T*>(out);
  const Board<T> board{places.words, places.next_tile};
  const unsigned tiles = unsigned(plan.strands() * plan.tiles);
  if (plan.inner > 1) {
    const dim3 threads(column_tile_width, scan_children);
    scan_column_tiles<Row, T><<<tiles, threads, 0, stream>>>(plan, from, to, board);
  } else if (plan.length <= scan_children * scan_children) {
    const unsigned needed = unsigned(plan.length + scan_children - 1) / scan_children, per_row = std::bit_ceil(needed);
    const i64 blocks = (plan.outer * per_row + row_tile_threads - 1) / row_tile_threads;
    scan_short_rows<Row, T><<<unsigned(blocks), row_tile_threads, 0, stream>>>(plan, int(per_row), from, to);
  } else {
    const i64 needed = (std::min<i64>(plan.length, plan.tile_length) + scan_children - 1) / scan_children;
    scan_row_tiles<Row, T><<<tiles, unsigned(std::bit_ceil(u64(needed))), 0, stream>>>(plan, from, to, board);
  }
  return cudaGetLastError();
}

template <class Row>
cudaError_t scan_dtype(cudaStream_t stream, const ScanPlan& plan, td_dtype dtype, const void* x, void* out,
                       const ScanBoard& board) {
  switch (dtype) {
    case TD_INT64: return scan_with<Row, i64>(stream, plan, x, out, board);
    case TD_UINT64: return scan_with<Row, u64>(stream, plan, x, out, board);
    case TD_FLOAT32: return scan_with<Row, scalar::f32>(stream, plan, x, out, board);
    case TD_FLOAT64: return scan_with<Row, scalar::f64>(stream, plan, x, out, board);
    case TD_COMPLEX64: return scan_with<Row, scalar::c64>(stream, plan, x, out, board);
    case TD_COMPLEX128: return scan_with<Row, scalar::c128>(stream, plan, x, out, board);
    default: return cudaErrorInvalidValue;
  }
}

}  // namespace

cudaError_t scan(cudaStream_t stream, const ScanPlan& plan, td_reduction reduction, td_dtype dtype, const void* x,
                 void* out, const ScanBoard& board) {
  switch (reduction) {
    case TD_REDUCE_sum: return scan_dtype<sum_row>(stream, plan, dtype, x, out, board);
    case TD_REDUCE_prod: return scan_dtype<prod_row>(stream, plan, dtype, x, out, board);
    case TD_REDUCE_max: return scan_dtype<max_row>(stream, plan, dtype, x, out, board);
    case TD_REDUCE_min: return scan_dtype<min_row>(stream, plan, dtype, x, out, board);
    default: return cudaErrorInvalidValue;
  }
}

}  // namespace tandem::cuda
