// Stable sorts of entries by unsigned keys: insertion for the shortest rows, merging for short ones, radix for the rest.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <utility>

#include "parallel.hpp"
#include "sort_keys.hpp"

namespace tandem::cpu::sorting {

/// What is sorted: a key alone, or one with the position that it came from.
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
constexpr K key_of(K key) noexcept { return key; }
inline u128 key_of(u128 key) noexcept { return key; }
template <class K, class I>
constexpr K key_of(const Entry<K, I>& entry) noexcept { return entry.key; }

constexpr int digit_bits = 8;
constexpr int64_t digit_values = int64_t{1} << digit_bits;

constexpr int64_t insertion_length = 16;  // runs that merging starts from

template <class E>
void insertion_sort(E* a, int64_t n) noexcept {
  for (int64_t i = 1; i < n; ++i) {
    const E entry = a[i];
    int64_t at = i;
    for (; at > 0 && key_of(entry) < key_of(a[at - 1]); --at) a[at] = a[at - 1];
    a[at] = entry;
  }
}

/// Merges the sorted [begin, middle) and [middle, end) of `from` into the same places of `to`, without a branch on keys.
template <class E>
void merge(const E* from, E* to, int64_t begin, int64_t middle, int64_t end) noexcept {
  int64_t left = begin, right = middle;
  int64_t at = begin;
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

/// Position of the lowest set bit.
template <class Key>
int lowest_bit(Key bits) noexcept {
  if constexpr (sizeof(Key) == 16) {
    return u64(bits) != 0 ? std::countr_zero(u64(bits)) : 64 + std::countr_zero(u64(bits >> 64));
  } else {
    return std::countr_zero(bits);
  }
}

/// The part `part` of [0, n) cut into `parts`.
inline int64_t part_begin(int64_t n, int64_t part, int64_t parts) noexcept { return n / parts * part; }
inline int64_t part_end(int64_t n, int64_t part, int64_t parts) noexcept {
  return part + 1 == parts ? n : part_begin(n, part + 1, parts);
}

/// One pass of the radix sort: moves a[0, n) to b in the order of the digit at `shift`. Each of `parts` threads counts
/// and moves a part of a; counts has parts * digit_values entries.
template <class E>
void radix_pass(const E* a, E* b, int64_t n, int shift, int64_t parts, int64_t* counts) noexcept {
  const auto digit = [shift](const E& entry) { return static_cast<int64_t>((key_of(entry) >> shift) & (digit_values - 1)); };
  parallel_for(parts, 1, [=](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part) {
      int64_t* count = counts + part * digit_values;
      std::fill(count, count + digit_values, 0);
      for (int64_t i = part_begin(n, part, parts); i < part_end(n, part, parts); ++i) ++count[digit(a[i])];
    }
  });
  int64_t total = 0;
  for (int64_t value = 0; value < digit_values; ++value) {
    for (int64_t part = 0; part < parts; ++part) {
      total += std::exchange(counts[part * digit_values + value], total);
    }
  }
  parallel_for(parts, 1, [=](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part) {
      int64_t* place = counts + part * digit_values;
      for (int64_t i = part_begin(n, part, parts); i < part_end(n, part, parts); ++i) b[place[digit(a[i])]++] = a[i];
    }
  });
}

/// Sorts a[0, n) with the help of b[0, n), least significant digit first; returns the one that holds the result.
/// `varying` has the bits in which keys differ; digits without any are skipped.
template <class E>
E* radix_sort(E* a, E* b, int64_t n, typename KeyOf<E>::type varying, int64_t parts, int64_t* counts) noexcept {
  using Key = typename KeyOf<E>::type;
  while (varying != 0) {
    const int shift = lowest_bit(varying);
    radix_pass(a, b, n, shift, parts, counts);
    std::swap(a, b);
    varying &= Key(~(Key(digit_values - 1) << shift));
  }
  return a;
}

/// Digits that radix_sort would pass over.
template <class Key>
int64_t digit_count(Key varying) noexcept {
  int64_t count = 0;
  for (; varying != 0; ++count) varying &= Key(~(Key(digit_values - 1) << lowest_bit(varying)));
  return count;
}

/// Sorts a[0, n) with the help of b[0, n) by the method that suits its length; as radix_sort.
template <class E>
E* stable_sort(E* a, E* b, int64_t n, typename KeyOf<E>::type varying, int64_t parts, int64_t* counts) noexcept {
  constexpr int64_t radix_length_per_digit = 24;
  if (n <= insertion_length) {
    insertion_sort(a, n);
    return a;
  }
  if (n < radix_length_per_digit * digit_count(varying)) return merge_sort(a, b, n);
  return radix_sort(a, b, n, varying, parts, counts);
}

}  // namespace tandem::cpu::sorting
