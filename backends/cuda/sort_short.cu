// Short rows, several to a block: a bitonic sorting network (Batcher 1968) over words of key and position, which are
// all different, so that the order is stable.
#include "sort_kernels.hpp"

#pragma nv_diag_suppress 177  // of scalar.h, only some functions are used

namespace tandem::cuda {
namespace {

using namespace sorting;

constexpr int threads = 256;
constexpr int shared_bytes = 16384;

template <class Key>
struct WordOf {
  typedef u64 type;
};
template <>
struct WordOf<u64> {
  typedef u128 type;
};

/// Sorts each group of 2^log_width neighbours among the words.
template <class Word, int slots>
__device__ void sort_groups(Word (&words)[slots], int log_width) {
  for (int log_run = 1; log_run <= log_width; ++log_run) {
    for (int log_step = log_run - 1; log_step >= 0; --log_step) {
      __syncthreads();
      for (int pair = threadIdx.x; pair < slots / 2; pair += threads) {
        const int step = 1 << log_step, low = (pair >> log_step << (log_step + 1)) | (pair & (step - 1));
        // Runs go up and down by turns, so that two of them are bitonic; the last one goes up.
        const bool down = log_run < log_width && (low >> log_run & 1) != 0;
        const Word a = words[low], b = words[low + step];
        if (down ? a < b : b < a) {
          words[low] = b;
          words[low + step] = a;
        }
      }
    }
  }
  __syncthreads();
}

template <class T>
__global__ void __launch_bounds__(threads)
    sort_rows(const T* x, int n, i64 rows, int log_width, typename Order<T>::Key flip, T* values, i64* indices) {
  using Word = typename WordOf<typename Order<T>::Key>::type;
  constexpr int slots = shared_bytes / sizeof(Word), index_bits = 4 * sizeof(Word);
  __shared__ Word words[slots];
  const i64 first_row = i64(blockIdx.x) * (slots >> log_width);
  for (int slot = threadIdx.x; slot < slots; slot += threads) {
    const int column = slot & ((1 << log_width) - 1);
    const i64 row = first_row + (slot >> log_width);
    words[slot] = column < n && row < rows ? Word(Order<T>::key(x[row * n + column], flip)) << index_bits | Word(column)
                                           : Word(~Word(0));
  }
  sort_groups(words, log_width);
  for (int slot = threadIdx.x; slot < slots; slot += threads) {
    const int column = slot & ((1 << log_width) - 1);
    const i64 row = first_row + (slot >> log_width);
    if (column >= n || row >= rows) continue;
    const int index = int(words[slot]);
    if (values != nullptr) values[row * n + column] = x[row * n + index];
    if (indices != nullptr) indices[row * n + column] = index;
  }
}

}  // namespace

template <class T>
cudaError_t sort_short_rows(cudaStream_t stream, const T* x, std::int64_t n, std::int64_t rows, bool descending,
                            T* values, std::int64_t* indices) {
  using Key = typename Order<T>::Key;
  constexpr int slots = shared_bytes / sizeof(typename WordOf<Key>::type);
  static_assert(longest_short_row <= slots);
  int log_width = 0;
  while (std::int64_t{1} << log_width < n) ++log_width;
  const std::int64_t rows_each = slots >> log_width;
  sort_rows<<<unsigned((rows + rows_each - 1) / rows_each), threads, 0, stream>>>(
      x, int(n), rows, log_width, descending ? Key(~Key(0)) : Key(0), values, indices);
  return cudaGetLastError();
}

#define TD_INSTANCE(T) \
  template cudaError_t sort_short_rows(cudaStream_t, const T*, std::int64_t, std::int64_t, bool, T*, std::int64_t*);
TD_INSTANCE(bool)
TD_INSTANCE(i8)
TD_INSTANCE(i16)
TD_INSTANCE(i32)
TD_INSTANCE(i64)
TD_INSTANCE(u8)
TD_INSTANCE(u16)
TD_INSTANCE(u32)
TD_INSTANCE(u64)
TD_INSTANCE(f16)
TD_INSTANCE(bf16)
TD_INSTANCE(f32)
TD_INSTANCE(f64)
TD_INSTANCE(c64)
#undef TD_INSTANCE

}  // namespace tandem::cuda
