// Stable sorts of entries by unsigned keys, for rows that are too short for a radix sort.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

#include <math.h>

#include <tandem/sort_keys.h>

namespace tandem::cpu::sorting {

using namespace tandem::sorting;

/// A key with the position that it came from. Entries may also be keys alone.
template <class Key_, class Index_>
struct Entry {
  using Key = Key_;
  using Index = Index_;
  Key key;
  Index index;
};

template <class E>
struct KeyOf {
  using type = E;
};
template <class K, class I>
struct KeyOf<Entry<K, I>> {
  using type = K;
};

template <std::unsigned_integral K>
constexpr K key_of(K key) noexcept {
  return key;
}
inline u128 key_of(u128 key) noexcept { return key; }
template <class K, class I>
constexpr K key_of(const Entry<K, I>& entry) noexcept {
  return entry.key;
}

constexpr int64_t insertion_length = 16;  // also of the runs that merging starts from

template <class E>
void insertion_sort(E* a, int64_t n) noexcept {
  for (int64_t i = 1; i < n; ++i) {
    const E entry = a[i];
    int64_t at = i;
    for (; at > 0 && key_of(entry) < key_of(a[at - 1]); --at) a[at] = a[at - 1];
    a[at] = entry;
  }
}

/// Merges the sorted [begin, middle) and [middle, end) of `from` into the same places of `to`; no branch depends on
/// keys.
template <class E>
void merge(const E* from, E* to, int64_t begin, int64_t middle, int64_t end) noexcept {
  int64_t left = begin, right = middle, at = begin;
  while (left < middle && right < end) {
    const bool take_right = key_of(from[right]) < key_of(from[left]);
    to[at++] = from[take_right ? right : left];
    left += !take_right;
    right += take_right;
  }
  std::copy(from + left, from + middle, to + at);
  std::copy(from + right, from + end, to + at + (middle - left));
}

/// Sorts a[0, n) with the help of b[0, n); returns the one that holds the result.
template <class E>
E* merge_sort(E* a, E* b, int64_t n) noexcept {
  for (int64_t i = 0; i < n; i += insertion_length) insertion_sort(a + i, std::min(insertion_length, n - i));
  for (int64_t width = insertion_length; width < n; width *= 2) {
    for (int64_t i = 0; i < n; i += 2 * width) merge(a, b, i, std::min(i + width, n), std::min(i + 2 * width, n));
    std::swap(a, b);
  }
  return a;
}

}  // namespace tandem::cpu::sorting
