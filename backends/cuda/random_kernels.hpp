// Kernels that fill arrays with random numbers. The host compiler works out a rule's parameters, so that they have the
// bits that the other backends give them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace tandem::cuda {

/// Which numbers: element i of the output belongs to index offset + i, modulo 2^64.
struct RandomPlace {
  std::uint64_t seed, stream, offset;
};

/// Rules, each with the name of its distribution in td_distribution. F is what the element type is computed in.
struct RandomBits {};
struct RandomUnit {};  // uniform in [0, 1)
template <class F>
struct RandomUniform {
  F low, width, bound;
};
template <class F>
struct RandomNormal {
  F mean, deviation;
};
struct RandomIntegers {
  std::uint64_t low, span;
};
template <class F>
struct RandomExponential {
  F mean;
};

/// Parameters of a law of random_formulas.h: of all elements, or of each where there are arrays.
struct LawParameters {
  double low, high;
  const double *lows, *highs;
};
enum class RandomLaw { gamma, poisson, binomial };

/// Launches the kernel that writes out[0, count), count > 0. T is a type of scalar.h; instances exist for the pairs
/// that td_distribution names, integers as unsigned types.
template <class T, class Rule>
cudaError_t fill_random(cudaStream_t stream, RandomPlace place, Rule rule, T* out, std::int64_t count);
template <class T, RandomLaw law>
cudaError_t fill_law(cudaStream_t stream, RandomPlace place, const LawParameters& parameters, T* out,
                     std::int64_t count);

}  // namespace tandem::cuda
