#include <tandem/sorting.hpp>

#include <cmath>

#include <tandem/creation.hpp>
#include <tandem/elementwise.hpp>
#include <tandem/indexing.hpp>

#include "../array/shape_rules.hpp"
#include "common.hpp"

namespace tandem {
namespace {

/// Sorts along an axis; the result is a view of a buffer in which that axis comes last.
Array sorted(const char* function, const Array& x, const SortOptions& options, bool positions) {
  const int axis = detail::normalize_axis(function, options.axis, x.ndim());
  detail::ready(function, x);
  const Array rows = x.moveaxis(axis, -1);
  const detail::Node& source = *rows.node();
  detail::NodePtr result = detail::allocate_node(function, *source.device, positions ? int64 : x.dtype(), source.shape);
  if (result->bytes) {
    const td_view in = detail::view_of(source), out = detail::view_of(*result);
    const td_view* none = nullptr;
    detail::call(function, source.device->table->sort, source.device->handle, &in, std::int32_t{options.descending},
                 positions ? none : &out, positions ? &out : none);
  }
  return Array(std::move(result)).moveaxis(-1, axis);
}

}  // namespace

Array sort(const Array& x, const SortOptions& options) { return sorted("sort", x, options, false); }

Array argsort(const Array& x, const SortOptions& options) {
  if (x.ndim() == 0) return argsort(x.reshape({1}), options);
  return sorted("argsort", x, options, true);
}

Array searchsorted(const Array& sorted, const Array& values, const SearchOptions& options) {
  constexpr const char* function = "searchsorted";
  if (sorted.ndim() != 1) detail::fail(function, "array of shape " + to_string(sorted.shape()) + " is not 1-d");
  if (options.sorter && !(options.sorter->shape() == sorted.shape()))
    detail::fail(function, "sorter of shape " + to_string(options.sorter->shape()) + " does not fit array of shape " +
                               to_string(sorted.shape()));
  const Array pair[] = {sorted, values};
  detail::DeviceState& device = detail::common_device(function, pair);
  const DType dtype = promote_types(sorted.dtype(), values.dtype());
  const Array places = (options.sorter ? take(sorted, *options.sorter) : sorted).astype(dtype).contiguous();
  const Array wanted = values.astype(dtype).contiguous();
  detail::NodePtr result = detail::allocate_node(function, device, int64, values.shape());
  if (result->bytes) {
    const td_view in = detail::view_of(*places.node()), keys = detail::view_of(*wanted.node());
    const td_view out = detail::view_of(*result);
    detail::call(function, device.table->searchsorted, device.handle, &in, &keys,
                 std::int32_t{options.side == Side::right}, &out);
  }
  return Array(std::move(result));
}

Array searchsorted(const Array& sorted, const Scalar& value, const SearchOptions& options) {
  return searchsorted(sorted, full({}, value, {.device = sorted.device()}), options);
}

Array quantile(const Array& x, const std::vector<double>& q, const QuantileOptions& options) {
  for (double each : q)
    if (!(each >= 0 && each <= 1)) detail::fail("quantile", std::to_string(each) + " is not in [0, 1]");
  if (is_complex(x.dtype())) detail::fail("quantile", "dtype " + std::string(name(x.dtype())) + " is not supported");
  const int axis = options.axis ? detail::normalize_axis("quantile", *options.axis, x.ndim()) : 0;
  const Array rows = options.axis ? x.moveaxis(axis, -1) : x.ravel();
  const std::int64_t n = rows.shape(-1);
  if (n == 0) detail::fail("quantile", "an empty row of shape " + to_string(x.shape()) + " has no quantile");
  const DType dtype = is_inexact(x.dtype()) ? x.dtype() : float64;
  const Array order = sort(rows).astype(dtype);
  const Array last = order(ellipsis, n - 1);
  std::vector<Array> results;
  for (double each : q) {
    const double position = each * static_cast<double>(n - 1);
    const auto below = static_cast<std::int64_t>(std::floor(position));
    const double t = position - std::floor(position);
    const Array a = order(ellipsis, below), b = order(ellipsis, std::min(below + 1, n - 1));
    // Interpolate from the nearer side, as NumPy's linear method does.
    Array value = t < 0.5 ? add(a, multiply(subtract(b, a), t)) : subtract(b, multiply(subtract(b, a), 1 - t));
    value = where(isnan(last), last, value);
    if (options.keepdims) {
      if (options.axis)
        value = value.expand_dims(axis);
      else
        value = value.reshape(Shape::filled(x.ndim(), 1));
    }
    results.push_back(value);
  }
  if (results.empty()) {
    Shape shape = order(ellipsis, 0).shape();
    Shape whole{0};
    for (std::int64_t length : shape) whole.push_back(length);
    return Array(detail::allocate_node("quantile", *x.node()->device, dtype, whole));
  }
  return stack(results);
}

Array quantile(const Array& x, double q, const QuantileOptions& options) {
  return quantile(x, std::vector<double>{q}, options)(0);
}

}  // namespace tandem
