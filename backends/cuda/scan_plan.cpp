#include "scan_plan.hpp"

#include <algorithm>

namespace tandem::cuda {

ScanPlan plan_scan(std::int64_t outer, std::int64_t length, std::int64_t inner, std::int64_t out_step) {
  ScanPlan plan{};
  plan.outer = outer;
  plan.length = length;
  plan.inner = inner;
  plan.out_step = out_step;
  plan.width = inner == 1 ? 1 : column_tile_width;
  plan.groups = (inner + plan.width - 1) / plan.width;
  plan.tile_length = inner == 1 ? row_tile_threads * scan_children : scan_children * scan_children;
  plan.tiles = (length + plan.tile_length - 1) / plan.tile_length;
  for (std::int64_t blocks = plan.tiles; blocks > 1; blocks = (blocks + scan_children - 1) / scan_children) {
    plan.first[plan.levels++] = plan.places;
    plan.places += blocks;
  }
  return plan;
}

}  // namespace tandem::cuda
