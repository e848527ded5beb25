#include <tandem/random.hpp>

#include <cmath>

#include <tandem/creation.hpp>
#include <tandem/elementwise.hpp>
#include <tandem/manipulation.hpp>
#include <tandem/reductions.hpp>

#include "../array/shape_rules.hpp"
#include "common.hpp"

namespace tandem::random {

using detail::describe_number;
using detail::fail;

namespace {

constexpr double largest_count = 0x1p53;  // float64, which counts are worked out in, has all whole numbers up to it

Array draw(const char* function, const Shape& shape, const td_random& random, DType dtype,
           detail::DeviceState& device) {
  detail::element_count(function, shape);
  detail::NodePtr node = detail::allocate_node(function, device, dtype, shape);
  if (node->bytes) {
    const td_view out = detail::view_of(*node);
    detail::call(function, device.table->random, device.handle, &random, &out);
  }
  return Array(std::move(node));
}

/// A distribution of the place that the options name.
template <class Options>
td_random place(td_distribution distribution, const Options& options) {
  td_random random{};
  random.distribution = distribution;
  random.seed = options.seed, random.stream = options.stream, random.offset = options.offset;
  return random;
}

DType real_float(const char* function, std::optional<DType> dtype) {
  const DType d = dtype.value_or(float64);
  if (!is_real_floating(d)) fail(function, "dtype " + std::string(name(d)) + " is not a real float");
  return d;
}

DType count_dtype(const char* function, std::optional<DType> dtype) {
  const DType d = dtype.value_or(int64);
  if (d != int32 && d != int64) fail(function, "dtype " + std::string(name(d)) + " is neither int32 nor int64");
  return d;
}

/// What a parameter may be.
struct Range {
  const char* parameter;
  double high;
};

[[noreturn]] void refuse(const char* function, Range range, double value, const std::string& place) {
  fail(function, std::string(range.parameter) + " " + describe_number(value) + place + " is not in [0, " +
                     describe_number(range.high) + "]");
}

void check_parameter(const char* function, double value, Range range) {
  if (!(value >= 0 && value <= range.high)) refuse(function, range, value, "");
}

void check_parameter(const char* function, const Array& values, Range range) {
  if (values.size() == 0) return;
  const Array bad = logical_not(logical_and(values >= 0, values <= range.high)).ravel();
  if (!any(bad).item<bool>()) return;
  const std::int64_t at = argmax(bad).item<std::int64_t>();
  refuse(function, range, values.ravel()(at).item<double>(),
         ", element " + std::to_string(at) + " of an array of shape " + to_string(values.shape()) + ",");
}

constexpr Range shape_range{"parameter k", 0x1.fffffffffffffp1023}, scale_range{"scale", 0x1.fffffffffffffp1023},
    mean_range{"mean", largest_count}, trials_range{"n", largest_count}, probability_range{"p", 1};

/// A law with parameters for each element of a shape.
Array draw_each(const char* function, td_random random, const Array& low, const std::optional<Array>& high,
                const Shape& shape, DType dtype) {
  const auto values = [&](const Array& x) { return x.astype(float64).broadcast_to(shape).contiguous(); };
  const Array lows = values(low), highs = high ? values(*high) : Array();
  const auto data = [&](const Array& x) {
    return static_cast<const double*>(detail::view_of(detail::ready(function, x)).data);
  };
  random.lows = data(lows);
  if (high) random.highs = data(highs);
  return draw(function, shape, random, dtype, *lows.node()->device);
}

/// Parameters that are arrays say where the result is; an option for another device is refused.
void check_device(const char* function, const std::optional<Device>& option, const Array& parameter) {
  if (option && !(*option == parameter.device()))
    fail(function, "the parameters are on " + parameter.device().name() + ", not on " + option->name());
}

}  // namespace

Array bits(const Shape& shape, const Options& options) {
  const DType dtype = options.dtype.value_or(uint32);
  if (dtype != uint32 && dtype != uint64)
    fail("bits", "dtype " + std::string(name(dtype)) + " is neither uint32 nor uint64");
  return draw("bits", shape, place(TD_RANDOM_BITS, options), dtype, detail::device_of(options.device));
}

Array uniform(const Shape& shape, const UniformOptions& options) {
  if (!(options.low <= options.high))
    fail("uniform",
         "low " + describe_number(options.low) + " is above high " + describe_number(options.high));
  if (!std::isfinite(options.high - options.low))
    fail("uniform", "the range [" + describe_number(options.low) + ", " + describe_number(options.high) +
                        ") has no finite length");
  td_random random = place(TD_RANDOM_UNIFORM, options);
  random.low = options.low, random.high = options.high;
  return draw("uniform", shape, random, real_float("uniform", options.dtype), detail::device_of(options.device));
}

Array normal(const Shape& shape, const NormalOptions& options) {
  if (!(options.std >= 0))
    fail("normal", "standard deviation " + describe_number(options.std) + " is negative");
  td_random random = place(TD_RANDOM_NORMAL, options);
  random.low = options.mean, random.high = options.std;
  return draw("normal", shape, random, real_float("normal", options.dtype), detail::device_of(options.device));
}

Array integers(const Shape& shape, std::int64_t low, std::int64_t high, const Options& options) {
  const DType dtype = options.dtype.value_or(int64);
  if (!is_integer(dtype)) fail("integers", "dtype " + std::string(name(dtype)) + " is no integer");
  if (low >= high)
    fail("integers", "the range [" + std::to_string(low) + ", " + std::to_string(high) + ") is empty");
  if (!detail::fits(low, dtype) || !detail::fits(high - 1, dtype))
    fail("integers", "the range [" + std::to_string(low) + ", " + std::to_string(high) + ") does not fit " +
                                 std::string(name(dtype)));
  td_random random = place(TD_RANDOM_INTEGERS, options);
  random.low_int = low;
  random.span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  return draw("integers", shape, random, dtype, detail::device_of(options.device));
}

Array exponential(const Shape& shape, const ScaleOptions& options) {
  check_parameter("exponential", options.scale, scale_range);
  td_random random = place(TD_RANDOM_EXPONENTIAL, options);
  random.low = options.scale;
  return draw("exponential", shape, random, real_float("exponential", options.dtype),
              detail::device_of(options.device));
}

Array gamma(const Shape& shape, double k, const ScaleOptions& options) {
  check_parameter("gamma", k, shape_range);
  check_parameter("gamma", options.scale, scale_range);
  td_random random = place(TD_RANDOM_GAMMA, options);
  random.low = k, random.high = options.scale;
  return draw("gamma", shape, random, real_float("gamma", options.dtype), detail::device_of(options.device));
}

Array gamma(const Array& k, const ScaleOptions& options) {
  const detail::FunctionName function("gamma");
  check_device(function, options.device, k);
  check_parameter(function, k, shape_range);
  check_parameter(function, options.scale, scale_range);
  return draw_each(function, place(TD_RANDOM_GAMMA, options), k,
                   full({}, options.scale, {.dtype = float64, .device = k.device()}), k.shape(),
                   real_float(function, options.dtype));
}

Array poisson(const Shape& shape, double mean, const Options& options) {
  check_parameter("poisson", mean, mean_range);
  td_random random = place(TD_RANDOM_POISSON, options);
  random.low = mean;
  return draw("poisson", shape, random, count_dtype("poisson", options.dtype), detail::device_of(options.device));
}

Array poisson(const Array& mean, const Options& options) {
  const detail::FunctionName function("poisson");
  check_device(function, options.device, mean);
  check_parameter(function, mean, mean_range);
  return draw_each(function, place(TD_RANDOM_POISSON, options), mean, {}, mean.shape(),
                   count_dtype(function, options.dtype));
}

Array binomial(const Shape& shape, std::int64_t n, double p, const Options& options) {
  check_parameter("binomial", double(n), trials_range);
  check_parameter("binomial", p, probability_range);
  td_random random = place(TD_RANDOM_BINOMIAL, options);
  random.low = double(n), random.high = p;
  return draw("binomial", shape, random, count_dtype("binomial", options.dtype), detail::device_of(options.device));
}

Array binomial(const Array& n, const Array& p, const Options& options) {
  const detail::FunctionName function("binomial");
  if (!is_integer(n.dtype())) fail(function, "n of dtype " + std::string(name(n.dtype())) + " is no integer");
  check_device(function, options.device, n);
  const Array arrays[] = {n, p};
  detail::common_device(function, arrays);
  const Shape shapes[] = {n.shape(), p.shape()};
  const Shape shape = detail::broadcast_shapes(function, shapes);
  check_parameter(function, n, trials_range);
  check_parameter(function, p, probability_range);
  return draw_each(function, place(TD_RANDOM_BINOMIAL, options), n, p, shape,
                   count_dtype(function, options.dtype));
}

}  // namespace tandem::random
