// How a scan is divided among blocks of threads, and where they tell each other their totals.
#pragma once

#include <cstdint>

namespace tandem::cuda {

inline constexpr int scan_children = 16;      // blocks of one level of docs/reductions.md in a block of the next
inline constexpr int most_scan_levels = 14;   // above a tile

/// An (outer, length, inner) array; a strand is a row (inner = 1), or up to `width` neighbouring columns. Strands are
/// divided into tiles, which are blocks of some level; level 0 are the tiles, and a block of level n + 1 has 16 of
/// level n.
///
/// Each strand has a place for the totals (`width` values) of every block of each level. A tile tells its total, the last
/// tile of a block the block's total, so that a tile waits for at most 15 others a level.
struct ScanPlan {
  std::int64_t outer, length, inner, out_step;
  std::int64_t tile_length, tiles;   // of a strand
  std::int64_t width, groups;        // columns side by side, and how many such groups there are
  int levels;                        // that have more than one block
  std::int64_t first[most_scan_levels];  // of a level in the strand's places
  std::int64_t places;               // of a strand

  std::int64_t strands() const { return outer * groups; }
};

/// The plan for rows (inner = 1) or columns.
ScanPlan plan_scan(std::int64_t outer, std::int64_t length, std::int64_t inner, std::int64_t out_step);

inline constexpr int row_tile_threads = 256;  // of 16 elements each
inline constexpr int column_tile_width = 32;  // threads that have a column each, times 16 that have 16 rows each

}  // namespace tandem::cuda
