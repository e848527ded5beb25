// Stable radix sort. Rows that fit into the cache are sorted by their least significant digit first. Longer ones are
// split by their most significant digit, by all threads together, into buckets that fit.
#pragma once

#include <emmintrin.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "parallel.hpp"
#include "sort_algorithms.hpp"

namespace tandem::cpu::sorting {

constexpr int narrow_digit = 8, wide_digit = 11;       // bits; the counts of a narrow one stay in the L1 cache
constexpr int64_t wide_digit_length = 8192;            // from here on a wide digit's counts are worth their cost
constexpr int64_t max_digit_values = int64_t{1} << wide_digit;
constexpr int64_t bucket_bytes = int64_t{2} << 20;     // sorted by one thread in its cache
constexpr int64_t streaming_bytes = int64_t{4} << 20;  // from here on split past the cache
constexpr int64_t line_bytes = 64;
constexpr int64_t radix_length_per_digit = 24;         // below it merging is faster

template <class Key>
int lowest_bit(Key bits) noexcept {
  if constexpr (sizeof(Key) == 16) {
    return u64(bits) != 0 ? std::countr_zero(u64(bits)) : 64 + std::countr_zero(u64(bits >> 64));
  } else {
    return std::countr_zero(bits);
  }
}

template <class Key>
int bit_width(Key bits) noexcept {
  if constexpr (sizeof(Key) == 16) {
    return u64(bits >> 64) != 0 ? 64 + int(std::bit_width(u64(bits >> 64))) : int(std::bit_width(u64(bits)));
  } else {
    return int(std::bit_width(bits));
  }
}

/// Some neighbouring bits of a key.
struct Digit {
  int shift, width;

  int64_t values() const noexcept { return int64_t{1} << width; }
  template <class E>
  int64_t of(const E& entry) const noexcept {
    return static_cast<int64_t>(key_of(entry) >> shift) & (values() - 1);
  }
};

/// The lowest digit that holds varying bits; removes it from `varying`.
template <class Key>
Digit take_digit(Key& varying, int width) noexcept {
  const Digit digit{lowest_bit(varying), width};
  varying &= Key(~(Key(digit.values() - 1) << digit.shift));
  return digit;
}

template <class Key>
int digit_count(Key varying, int width) noexcept {
  int count = 0;
  for (; varying != 0; ++count) take_digit(varying, width);
  return count;
}

/// The part `part` of [begin, end) cut into `parts`.
struct Part {
  int64_t begin, end;
  Part(int64_t begin_, int64_t end_, int64_t part, int64_t parts) noexcept
      : begin(begin_ + (end_ - begin_) / parts * part),
        end(part + 1 == parts ? end_ : begin_ + (end_ - begin_) / parts * (part + 1)) {}
};

/// Bits in which the keys of a[0, n) differ.
template <class E>
typename KeyOf<E>::type varying_bits(const E* a, int64_t n) noexcept {
  typename KeyOf<E>::type varying = 0;
  for (int64_t i = 1; i < n; ++i) varying |= key_of(a[i]) ^ key_of(a[0]);
  return varying;
}

/// Sorts ranges of one array a into another one b, both aligned to lines.
template <class E>
class RadixSort {
 public:
  using Key = typename KeyOf<E>::type;

  /// Bytes of `memory`, aligned to lines, for rows of n entries sorted by `parts` threads.
  static int64_t memory_bytes(int64_t n, int64_t parts) noexcept {
    const int64_t lines = n * int64_t{sizeof(E)} < streaming_bytes ? 0 : max_digit_values * line_bytes;
    return parts * (lines + 2 * max_digit_values * int64_t{sizeof(int64_t)});
  }
  RadixSort(void* memory, int64_t parts) noexcept
      : parts_(parts),
        counts_(static_cast<int64_t*>(memory)),
        starts_(counts_ + parts * max_digit_values),
        lines_(reinterpret_cast<E*>(starts_ + parts * max_digit_values)) {}

  /// Sorts a[0, n) with the help of b[0, n); returns the one that holds the result. `varying` has the bits in which
  /// keys differ.
  E* sort(E* a, E* b, int64_t n, Key varying) const noexcept {
    if (varying == 0) return a;
    if (n * int64_t{sizeof(E)} <= bucket_bytes && parts_ == 1) return sort_cached(a, b, n, varying);
    split(a, b, 0, n, varying);
    return b;
  }

 private:
  /// sort() by one thread, by the method that suits the length.
  E* sort_cached(E* a, E* b, int64_t n, Key varying) const noexcept { return sort_cached(a, b, n, varying, counts_); }
  static E* sort_cached(E* a, E* b, int64_t n, Key varying, int64_t* counts) noexcept {
    if (n <= insertion_length) {
      insertion_sort(a, n);
      return a;
    }
    const int narrow = digit_count(varying, narrow_digit);
    if (n < radix_length_per_digit * narrow) return merge_sort(a, b, n);
    const bool wide = n >= wide_digit_length && digit_count(varying, wide_digit) < narrow;
    while (varying != 0) {
      const Digit digit = take_digit(varying, wide ? wide_digit : narrow_digit);
      std::fill(counts, counts + digit.values(), 0);
      for (int64_t i = 0; i < n; ++i) ++counts[digit.of(a[i])];
      int64_t total = 0;
      for (int64_t value = 0; value < digit.values(); ++value) total += std::exchange(counts[value], total);
      for (int64_t i = 0; i < n; ++i) b[counts[digit.of(a[i])]++] = a[i];
      std::swap(a, b);
    }
    return a;
  }

  /// Sorts a[begin, end) into b[begin, end), whose keys differ in `varying`, which is not 0.
  void split(E* a, E* b, int64_t begin, int64_t end, Key varying) const noexcept {
    const bool streaming = (end - begin) * int64_t{sizeof(E)} >= streaming_bytes;
    const int width = std::min(streaming ? wide_digit : narrow_digit, bit_width(varying));
    const Digit digit{bit_width(varying) - width, width};
    int64_t bounds[max_digit_values + 1];
    move_by_digit(a, b, begin, end, digit, streaming, bounds);
    if ((varying & Key((Key(1) << digit.shift) - 1)) == 0) return;

    for (int64_t value = 0; value < digit.values(); ++value) {
      if (is_large(bounds[value + 1] - bounds[value])) sort_large_bucket(a, b, bounds[value], bounds[value + 1]);
    }
    parallel_for(parts_, 1, [&, this](int64_t first, int64_t last) {
      for (int64_t part = first; part < last; ++part) {
        const Part mine(begin, end, part, parts_);
        const int64_t* bound = std::lower_bound(bounds, bounds + digit.values(), mine.begin);
        for (; bound < bounds + digit.values() && *bound < mine.end; ++bound) {
          const int64_t length = bound[1] - bound[0];
          if (length > 1 && !is_large(length)) sort_bucket(a, b, bound[0], length, counts_ + part * max_digit_values);
        }
      }
    });
  }

  static bool is_large(int64_t length) noexcept { return length * int64_t{sizeof(E)} > bucket_bytes; }

  static void sort_bucket(E* a, E* b, int64_t begin, int64_t length, int64_t* counts) noexcept {
    const E* sorted = sort_cached(b + begin, a + begin, length, varying_bits(b + begin, length), counts);
    if (sorted != b + begin) std::copy(sorted, sorted + length, b + begin);
  }

  void sort_large_bucket(E* a, E* b, int64_t begin, int64_t end) const noexcept {
    const Key varying = varying_bits(b + begin, end - begin);
    if (varying == 0) return;
    split(b, a, begin, end, varying);
    parallel_for(end - begin, line_bytes * 64, [=](int64_t first, int64_t last) {
      std::copy(a + begin + first, a + begin + last, b + begin + first);
    });
  }

  /// Moves a[begin, end) to b[begin, end) in the order of a digit; bounds[v] becomes the first place of the value v.
  void move_by_digit(const E* a, E* b, int64_t begin, int64_t end, Digit digit, bool streaming,
                     int64_t* bounds) const noexcept {
    parallel_for(parts_, 1, [=, this](int64_t first, int64_t last) {
      for (int64_t part = first; part < last; ++part) {
        int64_t* count = counts_ + part * max_digit_values;
        std::fill(count, count + digit.values(), 0);
        const Part mine(begin, end, part, parts_);
        for (int64_t i = mine.begin; i < mine.end; ++i) ++count[digit.of(a[i])];
      }
    });
    int64_t total = begin;
    for (int64_t value = 0; value < digit.values(); ++value) {
      bounds[value] = total;
      for (int64_t part = 0; part < parts_; ++part) {
        total += std::exchange(counts_[part * max_digit_values + value], total);
      }
    }
    bounds[digit.values()] = end;
    parallel_for(parts_, 1, [=, this](int64_t first, int64_t last) {
      for (int64_t part = first; part < last; ++part) {
        const Part mine(begin, end, part, parts_);
        int64_t* places = counts_ + part * max_digit_values;
        if (streaming) {
          move_streaming(a, b, mine, digit, places, part);
        } else {
          for (int64_t i = mine.begin; i < mine.end; ++i) b[places[digit.of(a[i])]++] = a[i];
        }
      }
    });
  }

  /// Collects a line of entries for each value before it is stored, past the cache: without that, each entry would cost
  /// a read of its line and, with many values, a miss of the address translation.
  void move_streaming(const E* a, E* b, Part mine, Digit digit, int64_t* places, int64_t part) const noexcept {
    constexpr int64_t per_line = line_bytes / int64_t{sizeof(E)};
    int64_t* starts = starts_ + part * max_digit_values;
    E* lines = lines_ + part * max_digit_values * per_line;
    std::copy(places, places + digit.values(), starts);
    for (int64_t i = mine.begin; i < mine.end; ++i) {
      const int64_t value = digit.of(a[i]), place = places[value]++, slot = place % per_line;
      E* line = lines + value * per_line;
      line[slot] = a[i];
      if (slot + 1 < per_line) continue;
      const int64_t line_begin = place + 1 - per_line;
      if (line_begin >= starts[value]) {
        stream_line(b + line_begin, line);
      } else {
        std::copy(line + starts[value] % per_line, line + per_line, b + starts[value]);
      }
    }
    for (int64_t value = 0; value < digit.values(); ++value) {
      const int64_t end = places[value], begin = std::max(starts[value], end - end % per_line);
      const E* line = lines + value * per_line + begin % per_line;
      std::copy(line, line + (end - begin), b + begin);
    }
    _mm_sfence();
  }

  static void stream_line(E* to, const E* line) noexcept {
    __m128i* out = reinterpret_cast<__m128i*>(to);
    for (int64_t i = 0; i < line_bytes / 16; ++i) {
      _mm_stream_si128(out + i, _mm_load_si128(reinterpret_cast<const __m128i*>(line) + i));
    }
  }

  int64_t parts_;
  int64_t *counts_, *starts_;
  E* lines_;
};

}  // namespace tandem::cpu::sorting
