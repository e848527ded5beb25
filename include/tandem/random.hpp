// Random numbers as a function of (seed, stream, index).
//
// Element i of a result is Philox4x32-10 at counter {(offset + i) / 4, stream} under key seed, so the same bits come
// from every backend, thread count and chunking: two halves drawn with offsets 0 and n/2 are the two halves of one draw.
// docs/random.md states the algorithm, version 2.
#pragma once

#include <tandem/array.hpp>

namespace tandem::random {

/// Which numbers (seed, stream, offset) and in which form.
struct Options {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  std::uint64_t offset = 0;  // index of the first element
  std::optional<DType> dtype = {};
  std::optional<Device> device = {};
};

/// Random bits; dtype uint32 (default) or uint64.
TANDEM_API Array bits(const Shape& shape, const Options& options = {});

/// Options of uniform.
struct UniformOptions {
  double low = 0, high = 1;
  std::uint64_t seed = 0, stream = 0, offset = 0;
  std::optional<DType> dtype = {};
  std::optional<Device> device = {};
};
/// Uniform in [low, high): multiples of 2^-24 (2^-53 for float64) scaled. dtype defaults to float64; any real float.
TANDEM_API Array uniform(const Shape& shape, const UniformOptions& options = {});

/// Options of normal.
struct NormalOptions {
  double mean = 0, std = 1;
  std::uint64_t seed = 0, stream = 0, offset = 0;
  std::optional<DType> dtype = {};
  std::optional<Device> device = {};
};
/// Normal, by Box-Muller in arithmetic that is exact everywhere. dtype defaults to float64; any real float.
TANDEM_API Array normal(const Shape& shape, const NormalOptions& options = {});

/// Integers low <= x < high by multiplying 64 random bits with the span: bias below 2^-32 for spans below 2^32. dtype
/// defaults to int64; throws Error if the range is empty or outside the dtype.
TANDEM_API Array integers(const Shape& shape, std::int64_t low, std::int64_t high, const Options& options = {});

}  // namespace tandem::random
