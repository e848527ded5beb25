// What is made of draws: orders, choices, correlated normals.
#include <cmath>

#include <tandem/creation.hpp>
#include <tandem/elementwise.hpp>
#include <tandem/indexing.hpp>
#include <tandem/linalg.hpp>
#include <tandem/manipulation.hpp>
#include <tandem/random.hpp>
#include <tandem/reductions.hpp>
#include <tandem/scans.hpp>
#include <tandem/sorting.hpp>

#include "../array/shape_rules.hpp"
#include "common.hpp"
#include "random.hpp"

namespace tandem::random {
namespace {

/// Words of 64 bits from the options' place on.
template <class Options>
Array keys(const Shape& shape, const Options& options, const Device& device) {
  return bits(shape, {options.seed, options.stream, options.offset, uint64, device});
}

std::int64_t length_of(const char* function, const Array& x, int axis) {
  return x.shape()[detail::normalize_axis(function, axis, x.ndim())];
}

/// Checks probabilities for n things and returns them in float64, on one axis.
Array probabilities(const char* function, const Array& p, std::int64_t n) {
  if (p.shape() != Shape{n})
    detail::fail(function,
                 "p of shape " + to_string(p.shape()) + " for " + std::to_string(n) + " things to choose from");
  if (!is_real_floating(p.dtype()))
    detail::fail(function, "p of dtype " + std::string(name(p.dtype())) + " is not a real float");
  const Array wide = p.astype(float64);
  if (n > 0 && !(min(wide).item<double>() >= 0))
    detail::fail(function, "p has the element " + detail::describe_number(min(wide).item<double>()) +
                               ", which is no probability");
  const double total = sum(wide).item<double>();
  if (!(std::abs(total - 1) <= 1.5e-8)) detail::fail(function, "p sums to " + detail::describe_number(total));
  return wide;
}

/// Positions for choice, on one axis.
Array choose(std::int64_t n, std::int64_t count, const ChoiceOptions& options, const Device& device) {
  constexpr const char* function = "choice";
  if (n < 0) detail::fail(function, std::to_string(n) + " things to choose from");
  const auto too_few = [&](std::int64_t there) {
    detail::fail(function, std::to_string(count) + " out of " + std::to_string(there) + " things" +
                               (options.replace ? "" : " without replacement") + (options.p ? " that p allows" : ""));
  };
  if (n == 0 && count > 0) too_few(0);
  std::optional<Array> p;
  if (options.p) {
    if (!(options.p->device() == device))
      detail::fail(function, "p is on " + options.p->device().name() + ", the result on " + device.name());
    p = probabilities(function, *options.p, n);
  }
  if (count == 0) return empty({0}, {.dtype = int64, .device = device});
  if (options.replace) {
    if (!p) return integers({count}, 0, n, {options.seed, options.stream, options.offset, int64, device});
    const Array steps = cumulative_sum(*p);
    const Array u = uniform({count}, {.seed = options.seed, .stream = options.stream, .offset = options.offset,
                                      .dtype = float64, .device = device});
    return searchsorted(steps / steps(-1), u, {.side = Side::right});
  }
  const std::int64_t there = p ? count_nonzero(*p).item<std::int64_t>() : n;
  if (count > there) too_few(there);
  if (!p) return topk(keys({n}, options, device), count, {.largest = false}).indices;
  // The first to arrive of exponential times of these rates: Efraimidis and Spirakis, Weighted random sampling with a
  // reservoir, 2006.
  const Array times = exponential({n}, {.seed = options.seed, .stream = options.stream, .offset = options.offset,
                                        .dtype = float64, .device = device}) / *p;
  return topk(times, count, {.largest = false}).indices;
}

/// L with L L^T = cov.
Array root_of(const Array& cov, Root root) {
  if (root == Root::cholesky) return linalg::cholesky(cov);
  const auto [values, vectors] = linalg::eigh(cov);
  if (values.size() > 0) {
    const double least = values(0).item<double>(), largest = values(-1).item<double>();
    if (!(least >= (cov.dtype() == float32 ? -1e-4 : -1e-8) * std::max(largest, -least)))
      detail::fail<LinAlgError>("multivariate_normal", "the covariance has eigenvalues from " +
                                                           detail::describe_number(least) + " to " +
                                                           detail::describe_number(largest));
  }
  return matmul(vectors * sqrt(maximum(values, 0)), vectors.T());
}

}  // namespace

DType vector_dtype(const Array& mean, const Array& cov) {
  const DType dtype = result_type(mean, cov);
  if (dtype == float32 || dtype == float64) return dtype;
  if (is_integer(dtype) || is_bool(dtype)) return float64;
  detail::fail("multivariate_normal", "mean and covariance of dtypes " +
                                          detail::describe_dtypes(mean.dtype(), cov.dtype()) +
                                          " are neither float32 nor float64");
}

Array permutation(std::int64_t n, const OrderOptions& options) {
  const detail::FunctionName function("permutation");
  if (n < 0) detail::fail(function, "length " + std::to_string(n) + " is negative");
  if (options.axis != 0 && options.axis != -1)
    detail::fail(function, "axis " + std::to_string(options.axis) + " of " + std::to_string(n) + " numbers");
  return argsort(keys({n}, options, options.device.value_or(Device())));
}

Array permutation(const Array& x, const OrderOptions& options) {
  const detail::FunctionName function("permutation");
  const std::int64_t n = length_of(function, x, options.axis);
  return take(x, argsort(keys({n}, options, x.device())), {.axis = options.axis});
}

Array permuted(const Array& x, const OrderOptions& options) {
  const detail::FunctionName function("permuted");
  detail::normalize_axis(function, options.axis, x.ndim());
  return take_along_axis(x, argsort(keys(x.shape(), options, x.device()), {.axis = options.axis}), options.axis);
}

void shuffle(Array& x, const OrderOptions& options) {
  const detail::FunctionName function("shuffle");
  const std::int64_t n = length_of(function, x, options.axis);
  x = take(x, argsort(keys({n}, options, x.device())), {.axis = options.axis});
}

Array choice(std::int64_t n, const Shape& shape, const ChoiceOptions& options) {
  const detail::FunctionName function("choice");
  const std::int64_t count = detail::element_count(function, shape);
  return choose(n, count, options, options.device.value_or(options.p ? options.p->device() : Device())).reshape(shape);
}

Array choice(const Array& x, const Shape& shape, const ChoiceOptions& options) {
  const detail::FunctionName function("choice");
  const std::int64_t count = detail::element_count(function, shape), n = length_of(function, x, options.axis);
  const Array positions = choose(n, count, options, x.device());
  return take(x, positions.reshape(shape), {.axis = options.axis});
}

Array multivariate_normal(const Array& mean, const Array& cov, const Shape& shape,
                          const MultivariateOptions& options) {
  const detail::FunctionName function("multivariate_normal");
  if (mean.ndim() != 1 || cov.shape() != Shape{mean.size(), mean.size()})
    detail::fail(function, "mean of shape " + to_string(mean.shape()) + " and covariance of shape " +
                               to_string(cov.shape()) + " are not (k,) and (k, k)");
  const Array arrays[] = {mean, cov};
  detail::common_device(function, arrays);
  const DType dtype = vector_dtype(mean, cov);
  Shape all = shape;
  all.push_back(mean.size());
  const Array root = root_of(cov.astype(dtype), options.root);
  const Array z = normal(all, {.seed = options.seed, .stream = options.stream,
                               .offset = options.offset, .dtype = dtype, .device = mean.device()});
  return mean.astype(dtype) + matmul(z, root.T());
}

}  // namespace tandem::random
