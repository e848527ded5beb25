// What transforms of one length need: factors, roots of unity, chirps. Made once and kept for the next transform of
// that length.
#pragma once

#include <memory>
#include <vector>

#include "fft_kernels.hpp"

namespace tandem::cpu {

/// The kernels for isa().
template <class T>
const FftKernels<T>& fft_kernels() noexcept;

/// Transforms of rows side by side.
template <class T>
struct FftLengthPlan {
  FftLength<T> length{};
  std::vector<T> tables;
  std::shared_ptr<const FftLengthPlan> convolution;
  std::int64_t bytes() const noexcept { return std::int64_t(tables.capacity() * sizeof(T)); }
};

/// Transforms of single complex rows.
template <class T>
struct FftRowPlan {
  enum class Kind {
    lane,      // as one row of a tile
    split,     // n = columns * rows: transforms of columns, then of rows (Bailey's four steps)
    convolved  // as a convolution (Bluestein's algorithm)
  };
  Kind kind;
  std::int64_t n;
  std::shared_ptr<const FftLengthPlan<T>> column, row;  // column: also for kind lane
  FftTwiddles<T> twiddles{};
  std::shared_ptr<const FftRowPlan> convolution;
  std::vector<T> tables;                             // twiddles; or the chirp and its spectrum, as in FftLength
  std::int64_t bytes() const noexcept { return std::int64_t(tables.capacity() * sizeof(T)); }
};

/// The roots between a real row and its pairs.
template <class T>
struct FftRealPlan {
  FftRoots<T> roots{};
  std::vector<T> tables;
  std::int64_t bytes() const noexcept { return std::int64_t(tables.capacity() * sizeof(T)); }
};

/// Plans of a length, from the cache or new. half_roots: for even real rows of twice that length.
template <class T>
std::shared_ptr<const FftLengthPlan<T>> fft_length_plan(std::int64_t n, bool half_roots);
template <class T>
std::shared_ptr<const FftRowPlan<T>> fft_row_plan(std::int64_t n);
/// n: the even length of the real row.
template <class T>
std::shared_ptr<const FftRealPlan<T>> fft_real_plan(std::int64_t n);

}  // namespace tandem::cpu
