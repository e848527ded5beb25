// Launches of the kernels of scan.
#pragma once

#include <cuda_runtime_api.h>

#include <tandem/backend.h>

#include "scan_plan.hpp"

namespace tandem::cuda {

/// Where tiles tell their totals, all zero before: a word for each 32-bit part of plan.strands() * plan.places entries of
/// plan.width elements.
struct ScanBoard {
  unsigned long long* words;
  unsigned long long* next_tile;
};

/// cudaErrorInvalidValue if there is no such kernel. Nothing of the board is used where strands have one tile.
cudaError_t scan(cudaStream_t stream, const ScanPlan& plan, td_reduction reduction, td_dtype dtype, const void* x,
                 void* out, const ScanBoard& board);

}  // namespace tandem::cuda
