// Random numbers as a function of (seed, stream, index).
//
// Element i of a result is Philox4x32-10 at counter {(offset + i) / 4, stream} under key seed, so the same bits come
// from every backend, thread count and chunking: two halves drawn with offsets 0 and n/2 are the two halves of one
// draw. docs/random.md states the algorithm, version 2.
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

/// Options of exponential and gamma.
struct ScaleOptions {
  double scale = 1;
  std::uint64_t seed = 0, stream = 0, offset = 0;
  std::optional<DType> dtype = {};
  std::optional<Device> device = {};
};
/// Exponential with mean `scale`, by inversion. dtype defaults to float64; any real float.
TANDEM_API Array exponential(const Shape& shape, const ScaleOptions& options = {});

/// Gamma with parameter k, the density being proportional to x^(k - 1) e^(-x / scale), by Marsaglia and Tsang's method
/// in float64. dtype defaults to float64; any real float. An element takes a block of four words, so that an offset
/// counts blocks. Throws Error unless k and scale are finite and not negative; k = 0 gives zeros.
TANDEM_API Array gamma(const Shape& shape, double k, const ScaleOptions& options = {});
/// One number for each element of k, on k's device.
TANDEM_API Array gamma(const Array& k, const ScaleOptions& options = {});

/// Counts of events of which `mean` are expected: by inversion for means below 32, else by Hormann's PTRS. dtype int64
/// (default) or int32, which holds at most its largest number. An offset counts blocks of four words. Throws Error
/// unless 0 <= mean <= 2^53.
TANDEM_API Array poisson(const Shape& shape, double mean, const Options& options = {});
/// One count for each element of mean, on its device.
TANDEM_API Array poisson(const Array& mean, const Options& options = {});

/// Successes in n trials of probability p: by inversion where fewer than 32 successes, or failures, are expected, else
/// by Hormann's BTRS. dtype int64 (default) or int32. An offset counts blocks of four words. Throws Error unless
/// 0 <= n <= 2^53 and 0 <= p <= 1.
TANDEM_API Array binomial(const Shape& shape, std::int64_t n, double p, const Options& options = {});
/// One count for each element of n (integers) and p, which broadcast, on their device.
TANDEM_API Array binomial(const Array& n, const Array& p, const Options& options = {});

/// How multivariate_normal takes the root of a covariance: cholesky is the fastest and needs a positive definite one;
/// eigh takes singular ones, too, and finds the symmetric root.
enum class Root { cholesky, eigh };
/// Options of multivariate_normal.
struct MultivariateOptions {
  Root root = Root::cholesky;
  std::uint64_t seed = 0, stream = 0, offset = 0;  // offset: of the first number in normal's draw
};
/// Normal vectors (*shape, k) of a mean (k,) and covariance (k, k), of which the lower triangle is read: mean + L z
/// with L L^T = cov and standard normal z. In the dtype that mean and cov promote to, float64 for integers, on their
/// device. L is the device's library's, so backends agree up to rounding. Throws LinAlgError if cholesky fails, or if
/// eigh finds an eigenvalue below -1e-8 (float32: -1e-4) of the largest one.
TANDEM_API Array multivariate_normal(const Array& mean, const Array& cov, const Shape& shape,
                                     const MultivariateOptions& options = {});

/// Options of what puts elements in random order.
struct OrderOptions {
  int axis = 0;
  std::uint64_t seed = 0, stream = 0, offset = 0;  // offset: of the 64-bit words that are sorted
  std::optional<Device> device = {};               // for permutation(n)
};
/// 0 .. n - 1 in random order, int64: the positions that sort n words of 64 bits.
TANDEM_API Array permutation(std::int64_t n, const OrderOptions& options = {});
/// x with what lies along an axis in random order; its slices stay whole.
TANDEM_API Array permutation(const Array& x, const OrderOptions& options = {});
/// Each row along an axis in a random order of its own.
TANDEM_API Array permuted(const Array& x, const OrderOptions& options = {});
/// x = permutation(x, options).
TANDEM_API void shuffle(Array& x, const OrderOptions& options = {});

/// Options of choice: p are probabilities, of which there are as many as things to choose from.
struct ChoiceOptions {
  bool replace = true;
  std::optional<Array> p = {};
  int axis = 0;
  std::uint64_t seed = 0, stream = 0, offset = 0;
  std::optional<Device> device = {};  // for choice(n)
};
/// Random numbers out of 0 .. n - 1, int64. Without replacement each at most once, in random order. Throws Error if
/// there are too few, or if p is negative, does not sum to 1 (within 1.5e-8) or has too few elements that are not 0.
TANDEM_API Array choice(std::int64_t n, const Shape& shape, const ChoiceOptions& options = {});
/// Random slices of x along an axis, which `shape` replaces: for 1-d x random elements.
TANDEM_API Array choice(const Array& x, const Shape& shape, const ChoiceOptions& options = {});

/// Draws that follow one another: what one call takes, the next ones do not. Calls are those above; seed, stream and
/// offset are the generator's, and options that set them are refused with Error. Every call begins at a new block of
/// four words, so equal calls in equal order give equal numbers on every backend. Copies continue alike; generators
/// with other seeds or streams are independent. Not to be used by two threads at a time: give each a stream.
class Generator {
 public:
  /// All there is to save.
  struct State {
    std::uint64_t seed = 0, stream = 0;
    std::uint64_t block = 0;  // the next one
    bool operator==(const State&) const = default;
  };

  explicit Generator(std::uint64_t seed = 0, std::uint64_t stream = 0) noexcept : state_{seed, stream, 0} {}
  explicit Generator(const State& state) noexcept : state_(state) {}
  const State& state() const noexcept { return state_; }
  void set_state(const State& state) noexcept { state_ = state; }

  TANDEM_API Array bits(const Shape& shape, const Options& options = {});
  TANDEM_API Array uniform(const Shape& shape, const UniformOptions& options = {});
  TANDEM_API Array normal(const Shape& shape, const NormalOptions& options = {});
  TANDEM_API Array integers(const Shape& shape, std::int64_t low, std::int64_t high, const Options& options = {});
  TANDEM_API Array exponential(const Shape& shape, const ScaleOptions& options = {});
  TANDEM_API Array gamma(const Shape& shape, double k, const ScaleOptions& options = {});
  TANDEM_API Array gamma(const Array& k, const ScaleOptions& options = {});
  TANDEM_API Array poisson(const Shape& shape, double mean, const Options& options = {});
  TANDEM_API Array poisson(const Array& mean, const Options& options = {});
  TANDEM_API Array binomial(const Shape& shape, std::int64_t n, double p, const Options& options = {});
  TANDEM_API Array binomial(const Array& n, const Array& p, const Options& options = {});
  TANDEM_API Array multivariate_normal(const Array& mean, const Array& cov, const Shape& shape,
                                       const MultivariateOptions& options = {});
  TANDEM_API Array permutation(std::int64_t n, const OrderOptions& options = {});
  TANDEM_API Array permutation(const Array& x, const OrderOptions& options = {});
  TANDEM_API Array permuted(const Array& x, const OrderOptions& options = {});
  TANDEM_API void shuffle(Array& x, const OrderOptions& options = {});
  TANDEM_API Array choice(std::int64_t n, const Shape& shape, const ChoiceOptions& options = {});
  TANDEM_API Array choice(const Array& x, const Shape& shape, const ChoiceOptions& options = {});

 private:
  State state_;
};

}  // namespace tandem::random
