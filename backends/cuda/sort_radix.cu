// CUB's radix sort of words.
#include <cub/device/device_radix_sort.cuh>

#include "sort_kernels.hpp"

namespace tandem::cuda {

using namespace sorting;

template <class Word>
cudaError_t radix_sort(cudaStream_t stream, void* memory, std::size_t* bytes, Word* words, Word* spare, Word** sorted,
                       std::int64_t count, int begin_bit, int end_bit) {
  cub::DoubleBuffer<Word> buffers(words, spare);
  const cudaError_t result =
      cub::DeviceRadixSort::SortKeys(memory, *bytes, buffers, count, begin_bit, end_bit, stream);
  *sorted = buffers.Current();
  return result;
}

template <class Integer>
cudaError_t radix_sort_copy(cudaStream_t stream, void* memory, std::size_t* bytes, const Integer* from, Integer* to,
                            std::int64_t count) {
  return cub::DeviceRadixSort::SortKeys(memory, *bytes, from, to, count, 0, int(8 * sizeof(Integer)), stream);
}

#define TD_INSTANCE(Word) \
  template cudaError_t radix_sort(cudaStream_t, void*, std::size_t*, Word*, Word*, Word**, std::int64_t, int, int);
TD_INSTANCE(u8)
TD_INSTANCE(u16)
TD_INSTANCE(u32)
TD_INSTANCE(u64)
TD_INSTANCE(u128)
#undef TD_INSTANCE

#define TD_INSTANCE(Integer) \
  template cudaError_t radix_sort_copy(cudaStream_t, void*, std::size_t*, const Integer*, Integer*, std::int64_t);
TD_INSTANCE(i8)
TD_INSTANCE(i16)
TD_INSTANCE(i32)
TD_INSTANCE(i64)
TD_INSTANCE(u8)
TD_INSTANCE(u16)
TD_INSTANCE(u32)
TD_INSTANCE(u64)
#undef TD_INSTANCE

}  // namespace tandem::cuda
