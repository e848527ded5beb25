// The verb sort: rows become words, a radix sort orders them, words become values and positions (sort_kernels.hpp).
#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>

#include "packing.hpp"
#include "sort_kernels.hpp"
#include "sort_words.hpp"
#include "verbs.hpp"

namespace tandem::cuda {
namespace {

using namespace sorting;

constexpr std::int64_t long_row = std::int64_t{1} << 21;    // elements from which a row occupies the device
constexpr std::int64_t batch_count = std::int64_t{1} << 26;  // elements of shorter rows that are sorted together

constexpr std::int64_t float_keys_from = std::int64_t{1} << 17;  // elements from which narrower words pay for that

template <class T>
constexpr bool is_real_float = scalar::is_float<T> || std::is_same_v<T, f16> || std::is_same_v<T, bf16>;

/// Bits that numbers below n need.
int bits_below(std::int64_t n) { return int(std::bit_width(std::uint64_t(n - 1))); }

/// Bits of a key that a word holds.
template <class T>
constexpr int word_key_bits = sizeof(T) <= 8 ? int(8 * sizeof(T)) : 64;

/// Rows that are sorted together. x is contiguous; values and indices may be null.
template <class T>
struct Batch {
  Device& device;
  td_error* error;
  const T* x;
  T* values;
  std::int64_t* indices;
  WordLayout layout;
};

/// Integers, without words in their place.
template <class Integer>
td_status sort_integers(Device& device, const Integer* from, Integer* to, std::int64_t count, td_error* error) {
  return with_memory(device, "a radix sort", error, [&](void* memory, std::size_t* bytes) {
    return radix_sort_copy(device.stream, memory, bytes, from, to, count);
  });
}

/// Sorts words of a type. `special` as for make_words; before_writing(sorted words) returns a status.
template <class T, class Word, class Action>
td_status sort_as(const Batch<T>& batch, std::uint32_t* special, Action before_writing) {
  const WordLayout& layout = batch.layout;
  const cudaStream_t stream = batch.device.stream;
  const std::int64_t bytes = layout.count * std::int64_t{sizeof(Word)};
  const bool in_values = sizeof(T) == sizeof(Word) && batch.indices == nullptr && layout.index_bits == 0;
  Scratch memory(batch.device, in_values ? 0 : bytes, batch.error), spare(batch.device, bytes, batch.error);
  if (!memory || !spare) return TD_OUT_OF_MEMORY;
  Word* const words = in_values ? reinterpret_cast<Word*>(batch.values) : memory.template as<Word>();
  Word* sorted = nullptr;
  td_status status = check(make_words(stream, batch.x, layout, words, special), "making keys", batch.error);
  if (status == TD_OK)
    status = sort_words(batch.device, words, spare.template as<Word>(), layout.count, layout.begin_bit(),
                        layout.end_bit(), &sorted, batch.error);
  if (status == TD_OK) status = before_writing(sorted);
  if (status != TD_OK) return status;
  return check(write_sorted(stream, batch.x, sorted, layout, batch.values, batch.indices), "writing a sorted array",
               batch.error);
}

template <class T, class Word>
td_status sort_as(const Batch<T>& batch) {
  return sort_as<T, Word>(batch, nullptr, [](const Word*) { return TD_OK; });
}

/// The values of one row of floats, by their keys alone.
template <class T>
td_status sort_by_keys(const Batch<T>& batch) {
  using Key = typename Order<T>::Key;
  const cudaStream_t stream = batch.device.stream;
  Scratch memory(batch.device, Specials<T>::memory_bytes(batch.layout.n), batch.error);
  if (!memory) return TD_OUT_OF_MEMORY;
  std::uint32_t* const flag = Specials<T>::flag(memory.template as<void>());
  td_status status = check(cudaMemsetAsync(flag, 0, sizeof *flag, stream), "clearing memory", batch.error);
  if (status != TD_OK) return status;
  status = sort_as<T, Key>(batch, flag, [&](const Key* sorted) {
    return check(Specials<T>::count(stream, batch.x, sorted, batch.layout, memory.template as<void>()),
                 "counting zeros", batch.error);
  });
  if (status != TD_OK) return status;
  return check(Specials<T>::write(stream, batch.x, batch.layout, batch.values, memory.template as<void>()),
               "writing zeros", batch.error);
}

td_status sort_batch(const Batch<c128>& batch) {
  const WordLayout& layout = batch.layout;
  const cudaStream_t stream = batch.device.stream;
  const std::int64_t bytes = layout.count * std::int64_t{sizeof(u128)};
  Scratch memory(batch.device, bytes, batch.error), spare_memory(batch.device, bytes, batch.error);
  if (!memory || !spare_memory) return TD_OUT_OF_MEMORY;
  u128 *words = memory.as<u128>(), *spare = spare_memory.as<u128>(), *sorted = nullptr;
  td_status status = check(make_low_words(stream, batch.x, layout, words), "making keys", batch.error);
  if (status == TD_OK) status = sort_words(batch.device, words, spare, layout.count, 64, 128, &sorted, batch.error);
  if (status != TD_OK) return status;
  if (sorted == spare) std::swap(words, spare);
  status = check(make_high_words(stream, batch.x, layout, words), "making keys", batch.error);
  if (status == TD_OK)
    status = sort_words(batch.device, words, spare, layout.count, layout.begin_bit(), layout.end_bit(), &sorted,
                        batch.error);
  if (status != TD_OK) return status;
  return check(write_sorted(stream, batch.x, sorted, layout, batch.values, batch.indices), "writing a sorted array",
               batch.error);
}

template <class T>
td_status sort_batch(const Batch<T>& batch) {
  using Key = typename Order<T>::Key;
  const int bits = batch.layout.end_bit();
  if constexpr (std::is_integral_v<T>)
    if (bits == 8 * sizeof(T) && batch.indices == nullptr && !batch.layout.descending) {
      using Integer = std::conditional_t<std::is_same_v<T, bool>, Key, T>;
      return sort_integers(batch.device, reinterpret_cast<const Integer*>(batch.x),
                           reinterpret_cast<Integer*>(batch.values), batch.layout.count, batch.error);
    }
  if constexpr (is_real_float<T>)
    if (batch.layout.index_bits == 0 && batch.layout.n > 1) return sort_by_keys(batch);
  if (bits <= int(8 * sizeof(Key))) return sort_as<T, Key>(batch);
  if constexpr (sizeof(Key) < 4)
    if (bits <= 32) return sort_as<T, u32>(batch);
  if constexpr (sizeof(Key) <= 4)
    if (bits <= 64) return sort_as<T, u64>(batch);
  if constexpr (sizeof(Key) >= 4) return sort_as<T, u128>(batch);
  return fail(batch.error, TD_NOT_SUPPORTED, "rows of %lld elements are too long to sort",
              static_cast<long long>(batch.layout.n));
}

/// One call, as sort() below.
struct Job {
  Device& device;
  td_error* error;
  const void* x;  // contiguous
  std::int64_t n, rows;
  bool descending;
  void* values;
  std::int64_t* indices;

  template <class T>
  td_status run() const {
    if constexpr (!std::is_same_v<T, c128>)
      if (n <= longest_short_row)
        return check(sort_short_rows(device.stream, static_cast<const T*>(x), n, rows, descending,
                                     static_cast<T*>(values), indices),
                     "sorting short rows", error);
    const std::int64_t together = n >= long_row ? 1 : std::clamp<std::int64_t>(batch_count / n, 1, rows);
    // Keys of integers tell all. Those of floats not the sign of a zero, nor a NaN's bits, which take some more
    // kernels.
    const bool by_keys = std::is_integral_v<T> || (is_real_float<T> && together == 1 && n >= float_keys_from);
    const int index_bits = by_keys && indices == nullptr ? 0 : bits_below(n);
    for (std::int64_t row = 0; row < rows; row += together) {
      const std::int64_t count = std::min(together, rows - row) * n, begin = row * n;
      const Batch<T> batch{device, error, static_cast<const T*>(x) + begin,
                           values == nullptr ? nullptr : static_cast<T*>(values) + begin,
                           indices == nullptr ? nullptr : indices + begin,
                           {n, count, index_bits, word_key_bits<T>, bits_below(count / n), descending}};
      if (const td_status status = sort_batch(batch); status != TD_OK) return status;
    }
    return TD_OK;
  }
};

}  // namespace

td_status sort(td_device* handle, const td_view* x, int32_t descending, const td_view* values, const td_view* indices,
               td_error* error) {
  Device& device = device_of(handle);
  if (x->ndim < 1) return fail(error, TD_INVALID_ARGUMENT, "a 0-d array has no axis to sort along");
  const std::int64_t count = element_count(*x);
  if (count == 0 || (values == nullptr && indices == nullptr)) return TD_OK;
  const Current current(device);
  const bool packed = !is_contiguous(*x);
  Scratch copy(device, packed ? count * item_bytes(x->dtype) : 0, error);
  if (!copy) return TD_OUT_OF_MEMORY;
  if (packed)
    if (const td_status status = pack(device, *x, copy.as<void>(), error); status != TD_OK) return status;
  const std::int64_t n = x->shape[x->ndim - 1];
  const Job job{device,
                error,
                packed ? copy.as<void>() : x->data,
                n,
                count / n,
                descending != 0,
                values == nullptr ? nullptr : values->data,
                indices == nullptr ? nullptr : static_cast<std::int64_t*>(indices->data)};
  switch (x->dtype) {
#define X(NAME, type, text, bytes) \
  case TD_##NAME: return job.run<type>();
    TD_DTYPES(X)
#undef X
    case TD_DTYPE_COUNT: break;
  }
  return fail(error, TD_NOT_SUPPORTED, "no order for dtype %d", x->dtype);
}

}  // namespace tandem::cuda
