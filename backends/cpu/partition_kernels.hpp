// What partition does with each element, once per instruction set.
#pragma once

#include <cstdint>

#include <math.h>

#include <tandem/backend.h>
#include <tandem/sort_keys.h>

namespace tandem::cpu {

constexpr int64_t partition_block = 1024;  // keys at a time: they stay in the L1 cache

/// The kernels for a dtype T, whose keys are unsigned integers of its length.
template <class T>
struct PartitionKernels {
  using Key = typename sorting::Order<T>::Key;
  void (*make_keys)(const T* x, int64_t stride, int64_t n, Key flip, Key* keys);
  /// Marks keys in [low, high] by 1; adds to the numbers of keys below and inside.
  void (*mark)(const Key* keys, int64_t n, Key low, Key high, uint8_t* marks, int64_t* below, int64_t* inside);
  /// Adds 1 to the segments of keys above `bound`, or with `inclusive` from it on.
  void (*add_above)(const Key* keys, int64_t n, Key bound, bool inclusive, uint8_t* segments);
};

#define TANDEM_PARTITION_KERNELS(isa) \
  namespace isa {                     \
  template <class T>                  \
  PartitionKernels<T> partition_kernels(); \
  }
TANDEM_PARTITION_KERNELS(v2)
TANDEM_PARTITION_KERNELS(v3)
TANDEM_PARTITION_KERNELS(v4)
#undef TANDEM_PARTITION_KERNELS

}  // namespace tandem::cpu
