#include <tandem/creation.hpp>

#include <cmath>
#include <cstring>

#include <tandem/elementwise.hpp>

#include "../array/shape_rules.hpp"
#include "../program/program.hpp"
#include "../program/scalar_host.hpp"
#include "common.hpp"

namespace tandem {
namespace {

using detail::DeviceState;
using detail::fail;

/// Depth-first: the shape of nested braces, which must be the same everywhere.
void flatten(const NestedList& list, Shape& shape, int depth, std::vector<Scalar>& values) {
  if (!list.is_list()) {
    if (depth != shape.size()) fail("array", "the nested lists have different depths");
    values.push_back(list.value());
    return;
  }
  const auto length = static_cast<std::int64_t>(list.items().size());
  if (depth == shape.size()) {
    if (!values.empty()) fail("array", "the nested lists have different depths");
    shape.push_back(length);
  } else if (shape[depth] != length) {
    fail("array", "the nested lists have different lengths, " + std::to_string(shape[depth]) + " and " +
                      std::to_string(length) + ", along axis " + std::to_string(depth));
  }
  for (const NestedList& item : list.items()) flatten(item, shape, depth + 1, values);
}

DType default_dtype(const Scalar& s) noexcept { return s.dtype(); }

Array filled(const char* function, const Shape& shape, const Scalar& value, DType dtype, DeviceState& device) {
  detail::element_count(function, shape);
  return detail::constant_array(function, device, shape, value, dtype);
}

DeviceState& like(const Array& x, const ArrayOptions& options) {
  return options.device ? *options.device->state() : *x.node()->device;
}

/// ceil((stop - start) / step), without rounding for integers.
std::int64_t range_length(const Scalar& start, const Scalar& stop, const Scalar& step) {
  if (step.real() == 0) fail("arange", "step 0");
  const auto is_integer_kind = [](const Scalar& s) { return s.kind() <= Scalar::Kind::integer; };
  if (is_integer_kind(start) && is_integer_kind(stop) && is_integer_kind(step)) {
    using Wide = __int128;
    const auto wide = [](const Scalar& s) { return s.above_int64() ? Wide(std::uint64_t(s.integer())) : Wide(s.integer()); };
    const Wide sign = step.real() > 0 ? 1 : -1;
    const Wide distance = (wide(stop) - wide(start)) * sign, width = wide(step) * sign;
    const Wide length = distance > 0 ? (distance + width - 1) / width : 0;
    if (length <= INT64_MAX) return std::int64_t(length);
  } else {
    const double length = std::ceil((stop.real() - start.real()) / step.real());
    if (std::isnan(length)) fail("arange", "cannot compute the length from NaN");
    if (length < 9.2e18) return length > 0 ? static_cast<std::int64_t>(length) : 0;
  }
  fail("arange", "the range has more elements than can be counted");
}

/// 0, 1, ..., n - 1 in int64, unevaluated.
Array counter(DeviceState& device, std::int64_t n) { return detail::index_array(device, {n}, {1}); }

}  // namespace

Array array(const NestedList& list, const ArrayOptions& options) {
  Shape shape;
  std::vector<Scalar> values;
  flatten(list, shape, 0, values);
  DType dtype = float64;
  if (options.dtype)
    dtype = *options.dtype;
  else
    for (std::size_t i = 0; i < values.size(); ++i)
      dtype = i ? promote_types(dtype, values[i].dtype()) : values[i].dtype();
  DeviceState& device = detail::device_of(options.device);
  const auto item = static_cast<std::size_t>(itemsize(dtype));
  std::vector<std::byte> bytes(values.size() * item);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::memcpy(bytes.data() + i * item, detail::make_constant("array", values[i], dtype).bytes, item);
  return detail::host_array("array", device, dtype, shape, bytes.data());
}

Array zeros(const Shape& shape, const ArrayOptions& options) {
  return filled("zeros", shape, 0, options.dtype.value_or(float64), detail::device_of(options.device));
}

Array ones(const Shape& shape, const ArrayOptions& options) {
  return filled("ones", shape, 1, options.dtype.value_or(float64), detail::device_of(options.device));
}

Array full(const Shape& shape, const Scalar& value, const ArrayOptions& options) {
  return filled("full", shape, value, options.dtype.value_or(default_dtype(value)), detail::device_of(options.device));
}

Array empty(const Shape& shape, const ArrayOptions& options) {
  detail::element_count("empty", shape);
  return Array(detail::allocate_node("empty", detail::device_of(options.device), options.dtype.value_or(float64), shape));
}

Array zeros_like(const Array& x, const ArrayOptions& options) {
  return filled("zeros_like", x.shape(), 0, options.dtype.value_or(x.dtype()), like(x, options));
}

Array ones_like(const Array& x, const ArrayOptions& options) {
  return filled("ones_like", x.shape(), 1, options.dtype.value_or(x.dtype()), like(x, options));
}

Array full_like(const Array& x, const Scalar& value, const ArrayOptions& options) {
  return filled("full_like", x.shape(), value, options.dtype.value_or(x.dtype()), like(x, options));
}

Array empty_like(const Array& x, const ArrayOptions& options) {
  return Array(detail::allocate_node("empty_like", like(x, options), options.dtype.value_or(x.dtype()), x.shape()));
}

Array arange(const Scalar& start, const Scalar& stop, const Scalar& step, const ArrayOptions& options) {
  const DType natural = promote_types(promote_types(start.dtype(), stop.dtype()), step.dtype());
  const DType dtype = options.dtype.value_or(is_bool(natural) ? int64 : natural);
  if (is_bool(dtype) || is_complex(dtype)) fail("arange", "dtype " + std::string(name(dtype)) + " is not supported");
  const std::int64_t n = range_length(start, stop, step);
  DeviceState& device = detail::device_of(options.device);
  if (n == 0) return Array(detail::allocate_node("arange", device, dtype, {0}));

  if (is_integer(dtype)) {
    // The first two elements truncate to the dtype, and their difference is the step: NumPy's rule.
    std::int64_t first, delta;
    if (is_inexact(natural)) {
      first = scalar::cast<scalar::i64>(scalar::f64(start.real()));
      delta = scalar::cast<scalar::i64>(scalar::f64(start.real() + step.real())) - first;
    } else {
      first = start.integer();
      delta = step.integer();
    }
    return add(multiply(counter(device, n), delta), first).astype(dtype);
  }
  const DType compute = dtype == float64 ? float64 : float32;
  const auto rounded = [&](double value) { return compute == float32 ? static_cast<float>(value) : value; };
  const double first = rounded(start.real());
  const double delta = rounded(rounded(start.real() + step.real()) - first);
  return add(multiply(counter(device, n).astype(compute), delta), first).astype(dtype);
}

Array arange(const Scalar& stop, const ArrayOptions& options) { return arange(0, stop, 1, options); }

Array linspace(const Scalar& start, const Scalar& stop, std::int64_t num, const LinspaceOptions& options) {
  if (num < 0) fail("linspace", "number of elements " + std::to_string(num) + " is negative");
  const bool is_complex_range = start.kind() == Scalar::Kind::complex || stop.kind() == Scalar::Kind::complex;
  const DType compute = is_complex_range ? complex128 : float64;
  const DType dtype = options.dtype.value_or(compute);
  DeviceState& device = detail::device_of(options.device);
  if (num == 0) return Array(detail::allocate_node("linspace", device, dtype, {0}));

  const auto intervals = static_cast<double>(options.endpoint ? num - 1 : num);
  const std::complex<double> first(start.real(), start.imag()), last(stop.real(), stop.imag());
  const auto scalar_of = [&](std::complex<double> z) { return is_complex_range ? Scalar(z) : Scalar(z.real()); };
  const std::complex<double> delta = last - first;
  const std::complex<double> step = intervals > 0 ? delta / intervals : std::complex<double>(NAN, 0);
  const Array i = counter(device, num);
  const Array position = i.astype(compute);
  Array y = intervals > 0
                ? step == 0.0 ? multiply(divide(position, intervals), scalar_of(delta)) : multiply(position, scalar_of(step))
                : multiply(position, scalar_of(delta));
  y = add(std::move(y), scalar_of(first));
  if (options.endpoint && num > 1) y = where(equal(i, num - 1), scalar_of(last), std::move(y));
  if (is_integer(dtype) && !is_complex_range) y = floor(std::move(y));
  return y.astype(dtype);
}

Array eye(std::int64_t n_rows, std::optional<std::int64_t> n_columns, const EyeOptions& options) {
  const Shape shape{n_rows, n_columns.value_or(n_rows)};
  const DType dtype = options.dtype.value_or(float64);
  DeviceState& device = detail::device_of(options.device);
  if (detail::element_count("eye", shape) == 0) return Array(detail::allocate_node("eye", device, dtype, shape));
  const Array row = detail::index_array(device, shape, {1, 0}), column = detail::index_array(device, shape, {0, 1});
  return equal(add(row, options.k), column).astype(dtype);
}

Array concat(std::span<const Array> arrays, int axis) {
  if (arrays.empty()) fail("concat", "no arrays given");
  DeviceState& device = detail::common_device("concat", arrays);
  std::vector<DType> dtypes;
  for (const Array& x : arrays) dtypes.push_back(x.dtype());
  const DType dtype = result_type(dtypes);
  const int along = detail::normalize_axis("concat", axis, arrays[0].ndim());
  Shape shape = arrays[0].shape();
  for (const Array& x : arrays.subspan(1)) {
    Shape expected = shape;
    if (x.ndim() == shape.size()) expected[along] = x.shape()[along];
    if (!(x.shape() == expected))
      fail("concat", "shapes " + to_string(arrays[0].shape()) + " and " + to_string(x.shape()) +
                         " differ outside axis " + std::to_string(along));
    shape[along] += x.shape()[along];
  }
  detail::NodePtr result = detail::allocate_node("concat", device, dtype, shape);
  std::int64_t offset = 0;
  for (const Array& x : arrays) {
    const Array part = x.astype(dtype);
    if (part.size() > 0) {
      void* target = detail::element(result->data, offset * result->strides[along], dtype);
      const detail::Node& node = *part.node();
      if (node.is_ready())
        copy_view("concat", device, dtype, node.shape, node.data, node.strides, target, result->strides);
      else
        evaluate_into("concat", *part.node(), target, result->strides);
    }
    offset += x.shape()[along];
  }
  return Array(std::move(result));
}

Array stack(std::span<const Array> arrays, int axis) {
  if (arrays.empty()) fail("stack", "no arrays given");
  std::vector<Array> expanded;
  for (const Array& x : arrays) {
    if (!(x.shape() == arrays[0].shape()))
      fail("stack", "shapes " + to_string(arrays[0].shape()) + " and " + to_string(x.shape()) + " differ");
    expanded.push_back(x.expand_dims(axis));
  }
  return concat(expanded, axis);
}

}  // namespace tandem
