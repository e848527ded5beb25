// Rows along the last axis of a view, as sorting and partitioning visit them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <type_traits>

#include "sort_radix.hpp"
#include "verbs.hpp"

namespace tandem::cpu::sorting {

constexpr int64_t shared_row_length = 1 << 16;  // rows at least this long are worked on by all threads together
constexpr int64_t grain_elements = 4096;        // elements of a thread's smallest share of many rows
constexpr int64_t tile_bytes = int64_t{1} << 20;
constexpr int64_t max_tile_rows = 128;

inline int64_t row_count(const td_view& x) noexcept {
  int64_t count = 1;
  for (int32_t axis = 0; axis + 1 < x.ndim; ++axis) count *= x.shape[axis];
  return count;
}

/// Place of the first element of a row.
template <class T>
const T* row_of(const td_view& x, int64_t row) noexcept {
  int64_t offset = 0;
  for (int32_t axis = x.ndim - 2; axis > 0; --axis) {
    offset += row % x.shape[axis] * x.strides[axis];
    row /= x.shape[axis];
  }
  if (x.ndim > 1) offset += row * x.strides[0];
  return static_cast<const T*>(x.data) + offset;
}

template <class Key>
Key flip_of(bool descending) noexcept {
  return descending ? Key(~Key(0)) : Key(0);
}

template <class Body>
void for_parts(int64_t n, int64_t parts, Body body) noexcept {
  parallel_for(parts, 1, [=](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part) body(Part(0, n, part, parts), part);
  });
}

/// How many rows to copy together: more than one if rows lie closer together than the elements of one, so that no cache
/// line is read for a single element.
template <class T>
int64_t tile_rows(const td_view& x) noexcept {
  if (x.ndim < 2) return 1;
  const int64_t row_stride = std::abs(x.strides[x.ndim - 2]), stride = std::abs(x.strides[x.ndim - 1]);
  if (stride <= row_stride || row_stride == 0) return 1;
  const int64_t fitting = tile_bytes / (x.shape[x.ndim - 1] * int64_t{sizeof(T)});
  return std::clamp<int64_t>(fitting, 1, std::min<int64_t>(max_tile_rows, 2 * line_bytes / int64_t{sizeof(T)}));
}

/// Calls body(elements, stride, row) for the rows [begin, end), some of them copied first; false if there is no memory
/// for the copies.
template <class T, class Body>
bool for_each_row(const td_view& x, int64_t begin, int64_t end, Body& body) noexcept {
  const int64_t n = x.shape[x.ndim - 1], stride = x.strides[x.ndim - 1];
  const int64_t tile = std::min(tile_rows<T>(x), end - begin);
  if (tile == 1) {
    for (int64_t row = begin; row < end; ++row) body(row_of<T>(x, row), stride, row);
    return true;
  }
  Scratch memory(tile * n * int64_t{sizeof(T)});
  if (!memory) return false;
  T* copy = memory.as<T>();
  for (int64_t first = begin; first < end; first += tile) {
    const int64_t rows = std::min(tile, end - first);
    const T* sources[max_tile_rows];
    for (int64_t row = 0; row < rows; ++row) sources[row] = row_of<T>(x, first + row);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t row = 0; row < rows; ++row) copy[row * n + i] = sources[row][i * stride];
    }
    for (int64_t row = 0; row < rows; ++row) body(copy + row * n, 1, first + row);
  }
  return true;
}

/// Calls range(begin, end, parts) for ranges of rows of length n, one after the other with all threads as parts if
/// these are few and long, else side by side; whether all calls returned true.
template <class Range>
bool for_row_ranges(int64_t rows, int64_t n, Range range) noexcept {
  const int64_t threads = thread_count();
  if (rows < threads && n >= shared_row_length) return range(int64_t{0}, rows, threads);
  std::atomic<bool> all = true;
  parallel_for(rows, std::max<int64_t>(1, grain_elements / n), [&](int64_t begin, int64_t end) {
    if (!range(begin, end, int64_t{1})) all = false;
  });
  return all;
}

/// Calls body<E>() for the entries that rows of n elements T are sorted by: keys alone if positions do not matter and
/// keys give the elements back, else keys with positions.
template <class T, class Body>
td_status with_entries(int64_t n, bool positions, Body body) noexcept {
  using Key = typename Order<T>::Key;
  if constexpr (Order<T>::invertible) {
    if (!positions) return body.template operator()<Key>();
  }
  if constexpr (sizeof(Key) <= 4) {
    if (n <= int64_t{UINT32_MAX}) return body.template operator()<Entry<u32, u32>>();
  }
  return body.template operator()<Entry<std::conditional_t<sizeof(Key) <= 8, u64, u128>, i64>>();
}

}  // namespace tandem::cpu::sorting
