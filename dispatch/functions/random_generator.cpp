#include "random.hpp"

#include "../array/shape_rules.hpp"
#include "common.hpp"

namespace tandem::random {
namespace {

/// What an element of a draw takes of its stream, in terms of blocks of four words.
enum class Use { word, two_words, block };

std::uint64_t elements_per_block(Use use) { return use == Use::word ? 4 : use == Use::two_words ? 2 : 1; }

Use use_of(std::optional<DType> dtype, DType otherwise) {
  const DType d = dtype.value_or(otherwise);
  return itemsize(d) == 8 ? Use::two_words : Use::word;
}

/// Calls draw(options) with the options at the state's place, and moves it behind `count` elements once all has gone
/// well.
template <class Options, class Draw>
auto advance(const char* function, Generator::State& state, Options options, Use use, std::int64_t count, Draw draw) {
  const detail::FunctionName scope(function);
  if (options.seed || options.stream || options.offset)
    detail::fail(function, "seed, stream and offset of a Generator's draws are its own; the options have " +
                               std::to_string(options.seed) + ", " + std::to_string(options.stream) + " and " +
                               std::to_string(options.offset));
  const std::uint64_t each = elements_per_block(use);
  options.seed = state.seed;
  options.stream = state.stream;
  options.offset = state.block * each;
  auto result = draw(options);
  state.block += (std::uint64_t(count) + each - 1) / each;
  return result;
}

}  // namespace

Array Generator::bits(const Shape& shape, const Options& options) {
  return advance("bits", state_, options, use_of(options.dtype, uint32), detail::element_count("bits", shape),
                 [&](const Options& o) { return random::bits(shape, o); });
}

Array Generator::uniform(const Shape& shape, const UniformOptions& options) {
  return advance("uniform", state_, options, use_of(options.dtype, float64), detail::element_count("uniform", shape),
                 [&](const UniformOptions& o) { return random::uniform(shape, o); });
}

Array Generator::normal(const Shape& shape, const NormalOptions& options) {
  return advance("normal", state_, options, use_of(options.dtype, float64), detail::element_count("normal", shape),
                 [&](const NormalOptions& o) { return random::normal(shape, o); });
}

Array Generator::integers(const Shape& shape, std::int64_t low, std::int64_t high, const Options& options) {
  return advance("integers", state_, options, Use::two_words, detail::element_count("integers", shape),
                 [&](const Options& o) { return random::integers(shape, low, high, o); });
}

Array Generator::exponential(const Shape& shape, const ScaleOptions& options) {
  return advance("exponential", state_, options, use_of(options.dtype, float64),
                 detail::element_count("exponential", shape),
                 [&](const ScaleOptions& o) { return random::exponential(shape, o); });
}

Array Generator::gamma(const Shape& shape, double k, const ScaleOptions& options) {
  return advance("gamma", state_, options, Use::block, detail::element_count("gamma", shape),
                 [&](const ScaleOptions& o) { return random::gamma(shape, k, o); });
}

Array Generator::gamma(const Array& k, const ScaleOptions& options) {
  return advance("gamma", state_, options, Use::block, k.size(),
                 [&](const ScaleOptions& o) { return random::gamma(k, o); });
}

Array Generator::poisson(const Shape& shape, double mean, const Options& options) {
  return advance("poisson", state_, options, Use::block, detail::element_count("poisson", shape),
                 [&](const Options& o) { return random::poisson(shape, mean, o); });
}

Array Generator::poisson(const Array& mean, const Options& options) {
  return advance("poisson", state_, options, Use::block, mean.size(),
                 [&](const Options& o) { return random::poisson(mean, o); });
}

Array Generator::binomial(const Shape& shape, std::int64_t n, double p, const Options& options) {
  return advance("binomial", state_, options, Use::block, detail::element_count("binomial", shape),
                 [&](const Options& o) { return random::binomial(shape, n, p, o); });
}

Array Generator::binomial(const Array& n, const Array& p, const Options& options) {
  const Shape shapes[] = {n.shape(), p.shape()};
  const Shape shape = detail::broadcast_shapes("binomial", shapes);
  return advance("binomial", state_, options, Use::block, detail::element_count("binomial", shape),
                 [&](const Options& o) { return random::binomial(n, p, o); });
}

Array Generator::multivariate_normal(const Array& mean, const Array& cov, const Shape& shape,
                                     const MultivariateOptions& options) {
  const std::int64_t count = detail::element_count("multivariate_normal", shape) * mean.size();
  return advance("multivariate_normal", state_, options, use_of(vector_dtype(mean, cov), float64), count,
                 [&](const MultivariateOptions& o) { return random::multivariate_normal(mean, cov, shape, o); });
}

Array Generator::permutation(std::int64_t n, const OrderOptions& options) {
  return advance("permutation", state_, options, Use::two_words, n,
                 [&](const OrderOptions& o) { return random::permutation(n, o); });
}

Array Generator::permutation(const Array& x, const OrderOptions& options) {
  const std::int64_t n = x.shape()[detail::normalize_axis("permutation", options.axis, x.ndim())];
  return advance("permutation", state_, options, Use::two_words, n,
                 [&](const OrderOptions& o) { return random::permutation(x, o); });
}

Array Generator::permuted(const Array& x, const OrderOptions& options) {
  return advance("permuted", state_, options, Use::two_words, x.size(),
                 [&](const OrderOptions& o) { return random::permuted(x, o); });
}

void Generator::shuffle(Array& x, const OrderOptions& options) {
  const std::int64_t n = x.shape()[detail::normalize_axis("shuffle", options.axis, x.ndim())];
  advance("shuffle", state_, options, Use::two_words, n, [&](const OrderOptions& o) {
    random::shuffle(x, o);
    return 0;
  });
}

Array Generator::choice(std::int64_t n, const Shape& shape, const ChoiceOptions& options) {
  const std::int64_t count = options.replace ? detail::element_count("choice", shape) : n;
  return advance("choice", state_, options, Use::two_words, count,
                 [&](const ChoiceOptions& o) { return random::choice(n, shape, o); });
}

Array Generator::choice(const Array& x, const Shape& shape, const ChoiceOptions& options) {
  const std::int64_t n = x.shape()[detail::normalize_axis("choice", options.axis, x.ndim())];
  const std::int64_t count = options.replace ? detail::element_count("choice", shape) : n;
  return advance("choice", state_, options, Use::two_words, count,
                 [&](const ChoiceOptions& o) { return random::choice(x, shape, o); });
}

}  // namespace tandem::random
