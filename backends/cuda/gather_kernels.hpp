// Launches of the kernels of gather and scatter.
#pragma once

#include <cuda_runtime_api.h>

#include "runs.hpp"

namespace tandem::cuda {

/// out, contiguous, := the runs of x.
cudaError_t gather(cudaStream_t stream, const Movement& movement, const void* x, void* out);

/// The runs of x := values; no two have one place.
cudaError_t scatter_unique(cudaStream_t stream, const Movement& movement, const void* values, void* x);

/// offsets[0, count) := or += what an index array of these axes says; null indices: its element at an offset is the
/// offset.
cudaError_t add_index_array(cudaStream_t stream, const Axes& axes, const Indexed& indexed, bool starts,
                            std::int64_t count, std::int64_t* offsets);

/// Targets as words that a sort by their bits from position_bits on puts in order. Word: uint64 or unsigned __int128.
template <class Word>
struct TargetWords {
  Word* words;
  std::int64_t low;
  int position_bits;
};
template <class Word>
cudaError_t make_target_words(cudaStream_t stream, const Movement& movement, const TargetWords<Word>& targets);

/// x := values, or += values of that dtype, by the sorted words.
template <class Word>
cudaError_t scatter_last(cudaStream_t stream, const Movement& movement, const TargetWords<Word>& sorted,
                         const void* values, void* x);
template <class Word>
cudaError_t scatter_add(cudaStream_t stream, const Movement& movement, const TargetWords<Word>& sorted, td_dtype dtype,
                        const void* values, void* x);

}  // namespace tandem::cuda
