// Selection: the entry that sort would put at a place, without sorting the others.
#pragma once

#include <utility>

#include "sort_algorithms.hpp"

namespace tandem::cpu::sorting {

/// The order of entries by key, then by position. It is total but for equal keys without positions, which are alike.
template <class E>
bool comes_before(const E& a, const E& b) noexcept {
  if constexpr (std::is_same_v<E, typename KeyOf<E>::type>) {
    return a < b;
  } else if constexpr (sizeof(E) == 8) {
    const auto word = [](const E& entry) { return uint64_t{entry.key} << 32 | entry.index; };
    return word(a) < word(b);
  } else {
    return (a.key < b.key) | ((a.key == b.key) & (a.index < b.index));
  }
}

/// Moves the entries that are `below` to the front and returns their number. No branch depends on entries.
template <class E, class Below>
int64_t split(E* a, int64_t n, Below below) noexcept {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    const E entry = a[i];
    a[i] = a[count];
    a[count] = entry;
    count += below(entry);
  }
  return count;
}

/// An entry near the place, rather on the side of the middle, so that most entries lie on the other side of it.
template <class E>
E pivot_for(const E* a, int64_t n, int64_t place) noexcept {
  constexpr int64_t most = 25;
  const int64_t size = n < 512 ? 9 : most;
  E sample[most];
  for (int64_t i = 0; i < size; ++i) {
    const E entry = a[(2 * i + 1) * n / (2 * size)];
    int64_t at = i;
    for (; at > 0 && comes_before(entry, sample[at - 1]); --at) sample[at] = sample[at - 1];
    sample[at] = entry;
  }
  const int64_t near = place * size / n, middle = size / 2;
  return sample[near + (near < middle) - (near > middle)];
}

/// Puts the entry at a[place] that sort would put there, those that come before it in front of it, others behind.
template <class E>
void select_place(E* a, int64_t n, int64_t place) noexcept {
  constexpr int64_t few = 2;
  for (int rounds = 0; n > few; ++rounds) {
    if (place == 0) return std::swap(a[0], *std::min_element(a, a + n, comes_before<E>));
    if (place == n - 1) return std::swap(a[n - 1], *std::max_element(a, a + n, comes_before<E>));
    constexpr int most_rounds = 50;  // beyond it pivots are bad by intent
    if (rounds == most_rounds) return std::nth_element(a, a + place, a + n, comes_before<E>);
    const E pivot = pivot_for(a, n, place);
    int64_t below = split(a, n, [=](const E& entry) { return comes_before(entry, pivot); });
    if (below == 0) {  // then those that equal the pivot, of which there may be many
      below = split(a, n, [=](const E& entry) { return !comes_before(pivot, entry); });
      if (place < below) return;
    }
    if (place < below) {
      n = below;
    } else {
      a += below;
      n -= below;
      place -= below;
    }
  }
  if (n == few && comes_before(a[1], a[0])) std::swap(a[0], a[1]);
}

}  // namespace tandem::cpu::sorting
