// Zeros and NaN of a row that was sorted by its keys alone.
#include "sort_kernels.hpp"

#pragma nv_diag_suppress 177  // of scalar.h, only some functions are used

namespace tandem::cuda {
namespace {

using namespace sorting;

constexpr int threads = 256;
constexpr int share = 16;  // elements of a thread, side by side
constexpr int tile = threads * share;

/// Numbers of zeros and NaN, or places of theirs.
struct Counts {
  i64 zeros, nans;
};
__device__ Counts operator+(Counts a, Counts b) { return {a.zeros + b.zeros, a.nans + b.nans}; }

/// The memory of a row: whether there is anything to do, and for each tile first the counts, then the places of its
/// first.
struct Memory {
  u32 special;
  alignas(16) Counts tiles[1];
};

i64 tiles_of(i64 n) { return (n + tile - 1) / tile; }

/// The sum of the counts of the threads before this one, and of all.
__device__ Counts sum_before(Counts mine, Counts* all) {
  __shared__ Counts sums[threads];
  const int thread = threadIdx.x;
  Counts sum = mine;
  for (int distance = 1; distance < threads; distance *= 2) {
    __syncthreads();
    sums[thread] = sum;
    __syncthreads();
    if (thread >= distance) sum = sum + sums[thread - distance];
  }
  __syncthreads();
  sums[thread] = sum;
  __syncthreads();
  *all = sums[threads - 1];
  const Counts before = thread == 0 ? Counts{0, 0} : sums[thread - 1];
  __syncthreads();
  return before;
}

template <class T>
__device__ Counts count_share(const T* x, i64 n) {
  const i64 begin = i64(blockIdx.x) * tile + threadIdx.x * share;
  Counts counts{0, 0};
  for (i64 i = begin; i < begin + share && i < n; ++i) {
    counts.zeros += Order<T>::is_zero(x[i]);
    counts.nans += Order<T>::is_nan(x[i]);
  }
  return counts;
}

template <class T>
__global__ void __launch_bounds__(threads) count_tiles(const T* x, i64 n, Memory* memory) {
  if (memory->special == 0) return;
  Counts all;
  sum_before(count_share(x, n), &all);
  if (threadIdx.x == 0) memory->tiles[blockIdx.x] = all;
}

/// The first of the sorted keys that is not below `key`.
template <class Key>
__device__ i64 lower_bound(const Key* sorted, i64 n, Key key) {
  i64 begin = 0, end = n;
  while (begin < end) {
    const i64 middle = begin + (end - begin) / 2;
    if (sorted[middle] < key) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

/// One block: counts become places.
template <class T, class Key>
__global__ void __launch_bounds__(threads) place_tiles(const Key* sorted, i64 n, i64 tiles, Key flip, Memory* memory) {
  if (memory->special == 0) return;
  Counts place{lower_bound(sorted, n, Order<T>::key(T{}, flip)), lower_bound(sorted, n, Order<T>::nan)};
  for (i64 first = 0; first < tiles; first += threads) {
    const i64 mine = first + threadIdx.x;
    Counts all;
    const Counts before = sum_before(mine < tiles ? memory->tiles[mine] : Counts{0, 0}, &all);
    if (mine < tiles) memory->tiles[mine] = place + before;
    place = place + all;
  }
}

template <class T>
__global__ void __launch_bounds__(threads) write_tiles(const T* x, i64 n, T* values, const Memory* memory) {
  if (memory->special == 0) return;
  Counts all;
  Counts place = memory->tiles[blockIdx.x] + sum_before(count_share(x, n), &all);
  const i64 begin = i64(blockIdx.x) * tile + threadIdx.x * share;
  for (i64 i = begin; i < begin + share && i < n; ++i) {
    if (Order<T>::is_zero(x[i])) values[place.zeros++] = x[i];
    if (Order<T>::is_nan(x[i])) values[place.nans++] = x[i];
  }
}

}  // namespace

template <class T>
std::int64_t Specials<T>::memory_bytes(std::int64_t n) {
  return std::int64_t{sizeof(Memory)} + tiles_of(n) * std::int64_t{sizeof(Counts)};
}

template <class T>
cudaError_t Specials<T>::count(cudaStream_t stream, const T* x, const Key* sorted, const WordLayout& layout,
                               void* memory) {
  const std::int64_t tiles = tiles_of(layout.n);
  auto* const places = static_cast<Memory*>(memory);
  count_tiles<<<unsigned(tiles), threads, 0, stream>>>(x, layout.n, places);
  place_tiles<T><<<1, threads, 0, stream>>>(sorted, layout.n, tiles, layout.template flip<Key>(), places);
  return cudaGetLastError();
}

template <class T>
cudaError_t Specials<T>::write(cudaStream_t stream, const T* x, const WordLayout& layout, T* values,
                               const void* memory) {
  const auto* const places = static_cast<const Memory*>(memory);
  write_tiles<<<unsigned(tiles_of(layout.n)), threads, 0, stream>>>(x, layout.n, values, places);
  return cudaGetLastError();
}

template class Specials<f16>;
template class Specials<bf16>;
template class Specials<f32>;
template class Specials<f64>;

}  // namespace tandem::cuda
