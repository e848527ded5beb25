// Sorting networks over many short rows at once. The comparisons are those of Batcher's merge exchange (Knuth, The Art
// of Computer Programming 3, algorithm 5.2.2M), which sorts any length; each is done for all rows by vector selections.
#include "sort_kernels.hpp"

#include "vector_width.hpp"

namespace tandem::cpu::TD_ISA {
namespace {

template <class Key>
struct Vectors {
  typedef Key Vector __attribute__((vector_size(vector_bytes), may_alias));
  static constexpr int count = network_rows * sizeof(Key) / vector_bytes;  // hold one element of all rows

  Vector* of(int64_t i) const { return reinterpret_cast<Vector*>(keys + i * network_rows); }
  Key* keys;
};

/// Orders the elements i and j of all rows.
template <class Key>
void order(Vectors<Key> keys, int64_t i, int64_t j) {
  auto *low = keys.of(i), *high = keys.of(j);
  for (int v = 0; v < keys.count; ++v) {
    const auto a = low[v], b = high[v];
    low[v] = a < b ? a : b;
    high[v] = a < b ? b : a;
  }
}

void order(Vectors<uint64_t> keys, Vectors<uint64_t> indices, int64_t i, int64_t j) {
  auto *low = keys.of(i), *high = keys.of(j), *low_index = indices.of(i), *high_index = indices.of(j);
  for (int v = 0; v < keys.count; ++v) {
    const auto a = low[v], b = high[v], p = low_index[v], q = high_index[v];
    const auto keep = (a < b) | ((a == b) & (p < q));
    low[v] = keep ? a : b;
    high[v] = keep ? b : a;
    low_index[v] = keep ? p : q;
    high_index[v] = keep ? q : p;
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
void sort_keys(Vectors<Key> keys, int64_t n) {
  merge_exchange(n, [=](int64_t i, int64_t j) { order(keys, i, j); });
}

}  // namespace

void sort_network(uint32_t* keys, int64_t n) { sort_keys(Vectors<uint32_t>{keys}, n); }
void sort_network(uint64_t* keys, int64_t n) { sort_keys(Vectors<uint64_t>{keys}, n); }
void sort_network(uint64_t* keys, uint64_t* indices, int64_t n) {
  const Vectors<uint64_t> all_keys{keys}, all_indices{indices};
  merge_exchange(n, [=](int64_t i, int64_t j) { order(all_keys, all_indices, i, j); });
}

}  // namespace tandem::cpu::TD_ISA
