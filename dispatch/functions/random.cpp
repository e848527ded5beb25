#include <tandem/random.hpp>

#include "../array/shape_rules.hpp"
#include "common.hpp"

namespace tandem::random {
namespace {

Array draw(const char* function, const Shape& shape, const td_random& random, DType dtype,
           const std::optional<Device>& device_option) {
  detail::element_count(function, shape);
  detail::DeviceState& device = detail::device_of(device_option);
  detail::NodePtr node = detail::allocate_node(function, device, dtype, shape);
  if (node->bytes) {
    const td_view out = detail::view_of(*node);
    detail::call(function, device.table->random, device.handle, &random, &out);
  }
  return Array(std::move(node));
}

DType real_float(const char* function, std::optional<DType> dtype) {
  const DType d = dtype.value_or(float64);
  if (!is_real_floating(d)) detail::fail(function, "dtype " + std::string(name(d)) + " is not a real float");
  return d;
}

}  // namespace

Array bits(const Shape& shape, const Options& options) {
  const DType dtype = options.dtype.value_or(uint32);
  if (dtype != uint32 && dtype != uint64)
    detail::fail("bits", "dtype " + std::string(name(dtype)) + " is neither uint32 nor uint64");
  return draw("bits", shape, {TD_RANDOM_BITS, options.seed, options.stream, options.offset, 0, 0, 0, 0}, dtype,
              options.device);
}

Array uniform(const Shape& shape, const UniformOptions& options) {
  if (!(options.low <= options.high))
    detail::fail("uniform", "low " + std::to_string(options.low) + " is above high " + std::to_string(options.high));
  return draw("uniform", shape,
              {TD_RANDOM_UNIFORM, options.seed, options.stream, options.offset, options.low, options.high, 0, 0},
              real_float("uniform", options.dtype), options.device);
}

Array normal(const Shape& shape, const NormalOptions& options) {
  if (!(options.std >= 0)) detail::fail("normal", "standard deviation " + std::to_string(options.std) + " is negative");
  return draw("normal", shape,
              {TD_RANDOM_NORMAL, options.seed, options.stream, options.offset, options.mean, options.std, 0, 0},
              real_float("normal", options.dtype), options.device);
}

Array integers(const Shape& shape, std::int64_t low, std::int64_t high, const Options& options) {
  const DType dtype = options.dtype.value_or(int64);
  if (!is_integer(dtype)) detail::fail("integers", "dtype " + std::string(name(dtype)) + " is no integer");
  if (low >= high)
    detail::fail("integers", "the range [" + std::to_string(low) + ", " + std::to_string(high) + ") is empty");
  if (!detail::fits(low, dtype) || !detail::fits(high - 1, dtype))
    detail::fail("integers", "the range [" + std::to_string(low) + ", " + std::to_string(high) + ") does not fit " +
                                 std::string(name(dtype)));
  const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  return draw("integers", shape, {TD_RANDOM_INTEGERS, options.seed, options.stream, options.offset, 0, 0, low, span}, dtype,
              options.device);
}

}  // namespace tandem::random
