#include <tandem/scans.hpp>

#include <tandem/creation.hpp>
#include <tandem/elementwise.hpp>

#include "../array/shape_rules.hpp"
#include "../program/program.hpp"
#include "common.hpp"

namespace tandem {
namespace {

using detail::fail;
using detail::FunctionName;

/// Scans x in its own dtype, one that there is a verb for. With `initial` the result starts with that.
Array scan_wide(const char* function, td_reduction reduction, const Array& x, int axis, std::optional<int> initial) {
  const FunctionName scope(function);
  detail::ready(function, x);
  const Array source = x.contiguous();
  detail::DeviceState& device = *source.node()->device;
  Shape shape = x.shape();
  shape[axis] += initial.has_value();
  const detail::NodePtr result = detail::allocate_node(function, device, x.dtype(), shape);
  detail::Node& whole = *result;
  if (whole.size() == 0) return Array(result);
  const std::int64_t step = whole.strides[axis];
  if (initial) {
    Shape first = shape;
    first[axis] = 1;
    const Array value = detail::constant_array(function, device, first, *initial, x.dtype());
    evaluate_into(function, *value.node(), whole.data, whole.strides);
  }
  if (source.size() > 0) {
    const td_view in = detail::view_of(*source.node());
    td_view out = in;
    out.data = detail::element(whole.data, initial ? step : 0, x.dtype());
    out.strides = whole.strides.data();
    detail::call(function, device.table->scan, device.handle, &in, std::int32_t{axis}, reduction, &out);
  }
  return Array(result);
}

/// Scans x as `result`, widened where that is narrow. The axis must be given if there are several; 0-d x counts as 1-d.
Array scan(const char* function, td_reduction reduction, const Array& x, std::optional<int> axis, DType result,
           std::optional<int> initial) {
  if (x.ndim() == 0) return scan(function, reduction, x.reshape({1}), axis, result, initial);
  if (!axis && x.ndim() != 1) fail(function, "an axis must be given for array of shape " + to_string(x.shape()));
  const int along = detail::normalize_axis(function, axis.value_or(0), x.ndim());
  return scan_wide(function, reduction, x.astype(result).astype(detail::accumulator_dtype(result)), along, initial)
      .astype(result);
}

Array accumulate(const char* function, td_reduction reduction, int initial, const Array& x,
                 const CumulativeOptions& options) {
  const FunctionName scope(function);
  const DType result = options.dtype.value_or(detail::sum_dtype(x.dtype()));
  return scan(function, reduction, x, options.axis, result,
              options.include_initial ? std::optional(initial) : std::nullopt);
}

/// What is joined to x along the axis: a 0-d array once.
Array joined_part(const Array& part, const Array& x, int axis) {
  if (part.ndim() > 0) return part;
  Shape shape = x.shape();
  shape[axis] = 1;
  return part.broadcast_to(shape);
}

}  // namespace

Array cumulative_sum(const Array& x, const CumulativeOptions& options) {
  return accumulate("cumulative_sum", TD_REDUCE_sum, 0, x, options);
}

Array cumulative_prod(const Array& x, const CumulativeOptions& options) {
  return accumulate("cumulative_prod", TD_REDUCE_prod, 1, x, options);
}

Array cumulative_max(const Array& x, const CumulativeExtremeOptions& options) {
  return scan("cumulative_max", TD_REDUCE_max, x, options.axis, x.dtype(), {});
}

Array cumulative_min(const Array& x, const CumulativeExtremeOptions& options) {
  return scan("cumulative_min", TD_REDUCE_min, x, options.axis, x.dtype(), {});
}

Array diff(const Array& x, const DiffOptions& options) {
  const FunctionName function("diff");
  if (options.n < 0) fail(function, "order must be non-negative but got " + std::to_string(options.n));
  if (x.ndim() == 0) fail(function, "a 0-d array has no neighbours");
  const int axis = detail::normalize_axis(function, options.axis, x.ndim());
  if (options.n == 0) return x;
  std::vector<Array> parts;
  if (options.prepend) parts.push_back(joined_part(*options.prepend, x, axis));
  parts.push_back(x);
  if (options.append) parts.push_back(joined_part(*options.append, x, axis));
  Array result = parts.size() > 1 ? concat(parts, axis) : x;
  std::vector<Index> later(std::size_t(axis) + 1, slice(none, none)), earlier = later;
  later.back() = slice(1, none);
  earlier.back() = slice(0, -1);
  for (int i = 0; i < options.n && result.shape()[axis] > 0; ++i) {
    const Array a = result.at(later), b = result.at(earlier);
    result = is_bool(a.dtype()) ? not_equal(a, b) : subtract(a, b);
  }
  return result;
}

}  // namespace tandem
