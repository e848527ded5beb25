// Rows as words that one radix sort puts in order: the number of the row in the highest bits, then the key, then the
// position in the row. Words are unsigned; the sort looks at row and key alone, and being stable keeps the positions of
// equal keys in order.
#pragma once

#include <cuda_runtime_api.h>
#include <math.h>

#include <cstddef>
#include <cstdint>

#include <tandem/sort_keys.h>

namespace tandem::cuda {

/// How words hold `count` elements in rows of n. There are positions only if index_bits is not 0.
struct WordLayout {
  std::int64_t n, count;
  int index_bits, key_bits, row_bits;
  bool descending;

  /// What turns keys around.
  template <class Key>
  Key flip() const {
    return descending ? Key(~Key(0)) : Key(0);
  }
  int begin_bit() const { return index_bits; }
  int end_bit() const { return index_bits + key_bits + row_bits; }
};

/// The words of contiguous rows. Instances: every dtype but complex128, with every unsigned type that can be needed. If
/// *special is given, it becomes 1 if an element is more than its key.
template <class T, class Word>
cudaError_t make_words(cudaStream_t stream, const T* x, const WordLayout& layout, Word* words, std::uint32_t* special);

/// What sorted words stand for; x is what they were made of. values and indices may be null, and values may be the same
/// memory as words if their types have one size and there are no positions. Without positions all zeros are positive
/// and all NaN alike.
template <class T, class Word>
cudaError_t write_sorted(cudaStream_t stream, const T* x, const Word* words, const WordLayout& layout, T* values,
                         std::int64_t* indices);

/// complex128, whose keys fill a word, is sorted twice: by the lower halves of the keys, with the element's number
/// below, then by the upper halves, in words of the layout, which take the place of the others.
cudaError_t make_low_words(cudaStream_t stream, const sorting::c128* x, const WordLayout& layout, sorting::u128* words);
cudaError_t make_high_words(cudaStream_t stream, const sorting::c128* x, const WordLayout& layout,
                            sorting::u128* words);

/// Zeros and NaN have one key each, so after a sort of one row by keys alone they are put in place by counting: their
/// signs and payloads, in the order of x. Nothing happens where *special is 0. Instances: the floats.
template <class T>
class Specials {
 public:
  using Key = typename sorting::Order<T>::Key;

  /// Bytes of memory for rows of n, and the word at its beginning that make_words may set; clear it before.
  static std::int64_t memory_bytes(std::int64_t n);
  static std::uint32_t* flag(void* memory) { return static_cast<std::uint32_t*>(memory); }

  /// Finds the places, from the sorted keys.
  static cudaError_t count(cudaStream_t stream, const T* x, const Key* sorted, const WordLayout& layout, void* memory);
  /// Writes into the sorted values.
  static cudaError_t write(cudaStream_t stream, const T* x, const WordLayout& layout, T* values, const void* memory);
};

/// Rows of at most this many elements, of every dtype but complex128, are sorted in one go, in shared memory.
inline constexpr std::int64_t longest_short_row = 1024;
template <class T>
cudaError_t sort_short_rows(cudaStream_t stream, const T* x, std::int64_t n, std::int64_t rows, bool descending,
                            T* values, std::int64_t* indices);

/// Sorts words[0, count) by their bits [begin_bit, end_bit), with `spare` as long; *sorted is the one that holds the
/// result. With a null `memory` it only says how many bytes of it are needed.
template <class Word>
cudaError_t radix_sort(cudaStream_t stream, void* memory, std::size_t* bytes, Word* words, Word* spare, Word** sorted,
                       std::int64_t count, int begin_bit, int end_bit);

/// The same for integers, signed or not, by all their bits and from one array to another.
template <class Integer>
cudaError_t radix_sort_copy(cudaStream_t stream, void* memory, std::size_t* bytes, const Integer* from, Integer* to,
                            std::int64_t count);

}  // namespace tandem::cuda
