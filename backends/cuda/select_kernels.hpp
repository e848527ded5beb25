// The kernels of select, by CUB, and of searchsorted.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "runs.hpp"

namespace tandem::cuda {

/// The elements of x, of that many bytes, where the mask holds: out, and their number. With a null `memory` it only says
/// how many bytes of it are needed.
cudaError_t select_elements(cudaStream_t stream, void* memory, std::size_t* bytes, int item, const void* x,
                            const std::uint8_t* mask, std::int64_t count, void* out, std::int64_t* found);
/// Their positions.
cudaError_t select_positions(cudaStream_t stream, void* memory, std::size_t* bytes, const std::uint8_t* mask,
                             std::int64_t count, std::int64_t* out, std::int64_t* found);

/// positions[0, count) become the offsets that they have in a view of these axes.
cudaError_t positions_to_offsets(cudaStream_t stream, const Axes& axes, std::int64_t* positions, std::int64_t count);

/// For each value how many of the n sorted elements come before it, or with `right` before or with it.
cudaError_t search_sorted(cudaStream_t stream, td_dtype dtype, const void* sorted, std::int64_t n, const void* values,
                          std::int64_t count, bool right, std::int64_t* out);

}  // namespace tandem::cuda
