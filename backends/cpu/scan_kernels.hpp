// Scans of tiles, blocks of level 3 in the words of docs/reductions.md, once per instruction set.
#pragma once

#include <cstdint>

#include <tandem/backend.h>

namespace tandem::cpu {

constexpr int64_t scan_children = 16;        // blocks of one level in a block of the next
constexpr int64_t scan_tile = 4096;          // elements of a block of level 3
constexpr int64_t scan_column_bytes = 1024;  // of the columns that are scanned side by side

/// `length` rows of `width` neighbouring columns; rows lie `step` elements apart, in x and out alike. At most scan_tile
/// rows: a block, or the beginning of one.
struct ScanTile {
  const void* x;
  void* out;
  int64_t length, width, step;
};

struct ScanKernel {
  /// The tile's total, by column.
  void (*total)(const ScanTile& tile, void* total);
  /// Writes out, given what comes before the tile by column (null for nothing), and the tile's total.
  void (*write)(const ScanTile& tile, const void* before, void* total);
};

#define TANDEM_SCAN_KERNELS(isa)                                                         \
  namespace isa {                                                                        \
  /* For sum, prod, max and min; null where there is none. */                            \
  const ScanKernel* scan_kernel(td_reduction reduction, td_dtype dtype);                 \
  }
TANDEM_SCAN_KERNELS(v2)
TANDEM_SCAN_KERNELS(v3)
TANDEM_SCAN_KERNELS(v4)
#undef TANDEM_SCAN_KERNELS

}  // namespace tandem::cpu
