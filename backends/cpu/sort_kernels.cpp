// Sorting networks over many short rows at once. The comparisons are those of Batcher's merge exchange (Knuth, The Art of
// Computer Programming 3, algorithm 5.2.2M), which sorts any length; each is done for all rows by vectorized selections.
#include "sort_kernels.hpp"

namespace tandem::cpu::TD_ISA {
namespace {

template <class Key>
void order(Key* __restrict low, Key* __restrict high) {
  for (int row = 0; row < network_rows; ++row) {
    const Key a = low[row], b = high[row];
    low[row] = a < b ? a : b;
    high[row] = a < b ? b : a;
  }
}

void order(uint64_t* __restrict low, uint64_t* __restrict high, uint64_t* __restrict low_index,
           uint64_t* __restrict high_index) {
  for (int row = 0; row < network_rows; ++row) {
    const uint64_t a = low[row], b = high[row], i = low_index[row], j = high_index[row];
    const bool keep = (a < b) | ((a == b) & (i < j));
    low[row] = keep ? a : b;
    high[row] = keep ? b : a;
    low_index[row] = keep ? i : j;
    high_index[row] = keep ? j : i;
  }
}

/// Calls exchange(i, j), i < j, for the comparisons of a network for n elements.
template <class Exchange>
void merge_exchange(int64_t n, Exchange exchange) {
  int64_t top = 1;
  while (2 * top < n) top *= 2;
  for (int64_t p = top; p > 0; p /= 2) {
    int64_t q = top, r = 0, d = p;
    for (;;) {
      for (int64_t i = 0; i < n - d; ++i) {
        if ((i & p) == r) exchange(i, i + d);
      }
      if (q == p) break;
      d = q - p;
      q /= 2;
      r = p;
    }
  }
}

template <class Key>
void sort_keys(Key* keys, int64_t n) {
  merge_exchange(n, [=](int64_t i, int64_t j) { order(keys + i * network_rows, keys + j * network_rows); });
}

}  // namespace

void sort_network(uint32_t* keys, int64_t n) { sort_keys(keys, n); }
void sort_network(uint64_t* keys, int64_t n) { sort_keys(keys, n); }
void sort_network(uint64_t* keys, uint64_t* indices, int64_t n) {
  merge_exchange(n, [=](int64_t i, int64_t j) {
    order(keys + i * network_rows, keys + j * network_rows, indices + i * network_rows, indices + j * network_rows);
  });
}

}  // namespace tandem::cpu::TD_ISA
