// Sorting networks over many short rows at once, once per instruction set.
#pragma once

#include <cstdint>

namespace tandem::cpu {

/// Rows that one network sorts side by side: element i of row r is at [i * network_rows + r], in memory that is aligned
/// to 64 bytes.
constexpr int network_rows = 16;

#define TANDEM_SORT_KERNELS(isa)                                                                           \
  namespace isa {                                                                                          \
  /* Sorts the n elements of each row ascending. */                                                        \
  void sort_network(uint32_t* keys, int64_t n);                                                            \
  void sort_network(uint64_t* keys, int64_t n);                                                            \
  /* Sorts pairs of a key and an index; all pairs of a row differ, so the order of equal keys is stable. */ \
  void sort_network(uint64_t* keys, uint64_t* indices, int64_t n);                                         \
  }
TANDEM_SORT_KERNELS(v2)
TANDEM_SORT_KERNELS(v3)
TANDEM_SORT_KERNELS(v4)
#undef TANDEM_SORT_KERNELS

}  // namespace tandem::cpu
