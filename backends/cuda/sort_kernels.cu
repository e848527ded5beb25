// Between elements and the words that stand for them.
#include "sort_kernels.hpp"

#pragma nv_diag_suppress 177  // of scalar.h, only some functions are used

namespace tandem::cuda {
namespace {

using namespace sorting;

constexpr int threads = 256;

/// Calls body(element) for all elements of a launch over them.
template <class Body>
__device__ void for_element(i64 count, Body body) {
  const i64 i = i64(blockIdx.x) * threads + threadIdx.x;
  if (i < count) body(i);
}

/// Row of an element. Divisions of 64 bits are slow, and rows that are not alone are short (sort.cpp).
__device__ i64 row_of(i64 element, const WordLayout& layout) {
  if (layout.n == layout.count) return 0;
  return layout.count >> 32 == 0 ? u32(element) / u32(layout.n) : element / layout.n;
}

template <class Word>
__device__ Word put_together(const WordLayout& layout, i64 element, Word key) {
  const i64 row = row_of(element, layout);
  Word word = key;
  if (layout.row_bits != 0) word |= Word(row) << layout.key_bits;
  if (layout.index_bits != 0) word = word << layout.index_bits | Word(element - row * layout.n);
  return word;
}

template <class Word>
__device__ i64 index_of(Word word, const WordLayout& layout) {
  return i64(u64(word) & ((u64(1) << layout.index_bits) - 1));
}

template <class T, class Word>
__global__ void __launch_bounds__(threads)
    make(const T* x, WordLayout layout, typename Order<T>::Key flip, Word* words, u32* special) {
  for_element(layout.count, [&](i64 i) {
    const T element = x[i];
    words[i] = put_together<Word>(layout, i, Order<T>::key(element, flip));
    if constexpr (Order<T>::invertible)
      if (special != nullptr && Order<T>::special(element)) *special = 1;
  });
}

/// The element that a key stands for, and whether the key tells exactly.
template <class T>
__device__ bool invert(typename Order<T>::Key key, typename Order<T>::Key flip, T* value) {
  if constexpr (!Order<T>::invertible) {
    return false;
  } else {
    *value = Order<T>::value(key, flip);
    if constexpr (requires { Order<T>::nan; }) return key != Order<T>::nan && !Order<T>::is_zero(*value);
    else return true;
  }
}

template <class T, class Word>
__global__ void __launch_bounds__(threads)
    write(const T* x, const Word* words, WordLayout layout, typename Order<T>::Key flip, T* values, i64* indices) {
  using Key = typename Order<T>::Key;
  for_element(layout.count, [&](i64 i) {
    const Word word = words[i];
    const i64 index = index_of(word, layout);
    if (indices != nullptr) indices[i] = index;
    if (values == nullptr) return;
    T value;
    const bool exact = invert<T>(Key(word >> layout.index_bits), flip, &value);
    const bool position_known = layout.index_bits != 0 || !Order<T>::invertible;
    if (!exact && position_known) value = x[row_of(i, layout) * layout.n + index];
    values[i] = value;
  });
}

__device__ u128 part_key(c128 x, u64 flip, bool high) {
  const u128 key = Order<c128>::key(x, u128(flip) << 64 | flip);
  return high ? key >> 64 : key & ~u64(0);
}

__global__ void __launch_bounds__(threads) make_low(const c128* x, WordLayout layout, u64 flip, u128* words) {
  for_element(layout.count, [&](i64 i) { words[i] = part_key(x[i], flip, false) << 64 | u64(i); });
}

__global__ void __launch_bounds__(threads) make_high(const c128* x, WordLayout layout, u64 flip, u128* words) {
  for_element(layout.count, [&](i64 i) {
    const i64 element = i64(u64(words[i]));
    words[i] = put_together<u128>(layout, element, part_key(x[element], flip, true));
  });
}

unsigned blocks_for(const WordLayout& layout) { return unsigned((layout.count + threads - 1) / threads); }

}  // namespace

template <class T, class Word>
cudaError_t make_words(cudaStream_t stream, const T* x, const WordLayout& layout, Word* words, std::uint32_t* special) {
  make<<<blocks_for(layout), threads, 0, stream>>>(x, layout, layout.template flip<typename Order<T>::Key>(), words,
                                                  special);
  return cudaGetLastError();
}

template <class T, class Word>
cudaError_t write_sorted(cudaStream_t stream, const T* x, const Word* words, const WordLayout& layout, T* values,
                         std::int64_t* indices) {
  write<<<blocks_for(layout), threads, 0, stream>>>(x, words, layout, layout.template flip<typename Order<T>::Key>(),
                                                   values, indices);
  return cudaGetLastError();
}

cudaError_t make_low_words(cudaStream_t stream, const c128* x, const WordLayout& layout, u128* words) {
  make_low<<<blocks_for(layout), threads, 0, stream>>>(x, layout, layout.flip<u64>(), words);
  return cudaGetLastError();
}

cudaError_t make_high_words(cudaStream_t stream, const c128* x, const WordLayout& layout, u128* words) {
  make_high<<<blocks_for(layout), threads, 0, stream>>>(x, layout, layout.flip<u64>(), words);
  return cudaGetLastError();
}

#define TD_WRITE(T, Word) \
  template cudaError_t write_sorted(cudaStream_t, const T*, const Word*, const WordLayout&, T*, std::int64_t*);
#define TD_INSTANCE(T, Word)                                                                          \
  template cudaError_t make_words(cudaStream_t, const T*, const WordLayout&, Word*, std::uint32_t*); \
  TD_WRITE(T, Word)
#define TD_INSTANCES_1(T) TD_INSTANCE(T, u8) TD_INSTANCE(T, u32) TD_INSTANCE(T, u64)
#define TD_INSTANCES_2(T) TD_INSTANCE(T, u16) TD_INSTANCE(T, u32) TD_INSTANCE(T, u64)
#define TD_INSTANCES_4(T) TD_INSTANCE(T, u32) TD_INSTANCE(T, u64) TD_INSTANCE(T, u128)
#define TD_INSTANCES_8(T) TD_INSTANCE(T, u64) TD_INSTANCE(T, u128)
TD_INSTANCES_1(bool)
TD_INSTANCES_1(i8)
TD_INSTANCES_1(u8)
TD_INSTANCES_2(i16)
TD_INSTANCES_2(u16)
TD_INSTANCES_2(f16)
TD_INSTANCES_2(bf16)
TD_INSTANCES_4(i32)
TD_INSTANCES_4(u32)
TD_INSTANCES_4(f32)
TD_INSTANCES_8(i64)
TD_INSTANCES_8(u64)
TD_INSTANCES_8(f64)
TD_INSTANCES_8(c64)
TD_WRITE(c128, u128)
#undef TD_INSTANCES_8
#undef TD_INSTANCES_4
#undef TD_INSTANCES_2
#undef TD_INSTANCES_1
#undef TD_INSTANCE
#undef TD_WRITE

}  // namespace tandem::cuda
