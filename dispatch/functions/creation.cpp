#include <tandem/creation.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include <tandem/elementwise.hpp>
#include <tandem/manipulation.hpp>

#include "../array/shape_rules.hpp"
#include "../program/program.hpp"
#include "../program/scalar_host.hpp"
#include "common.hpp"

namespace tandem {
namespace {

using detail::DeviceState;
using detail::fail;
using detail::FunctionName;

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

/// Where in the matrices of a shape, not empty, row + k compares with the column, unevaluated.
Array on_diagonal(td_op comparison, DeviceState& device, const Shape& shape, std::int64_t k) {
  const int last = shape.size() - 1;
  Shape rows = Shape::filled(shape.size(), 0), columns = rows;
  rows[last - 1] = columns[last] = 1;
  // Beyond the corners nothing changes, and row + k stays in range.
  const Array row = add(detail::index_array(device, shape, rows), std::clamp(k, -shape[last - 1], shape[last]));
  const Array column = detail::index_array(device, shape, columns);
  const Operand a(row), b(column);
  return detail::elementwise(comparison, {&a, &b});
}

/// Ones where on_diagonal holds, else zeros.
Array matrix_of(td_op comparison, const char* function, std::int64_t n_rows, std::optional<std::int64_t> n_columns,
                const EyeOptions& options) {
  const FunctionName scope(function);
  const Shape shape{n_rows, n_columns.value_or(n_rows)};
  const DType dtype = options.dtype.value_or(float64);
  DeviceState& device = detail::device_of(options.device);
  if (detail::element_count(function, shape) == 0) return Array(detail::allocate_node(function, device, dtype, shape));
  return on_diagonal(comparison, device, shape, options.k).astype(dtype);
}

Array triangle(const char* function, const Array& x, td_op comparison, std::int64_t k) {
  const FunctionName scope(function);
  if (x.ndim() == 0) fail(function, "a 0-d array is no matrix");
  const std::int64_t columns = x.shape(-1);
  const Array matrices = x.ndim() > 1 ? x : x.broadcast_to({columns, columns});
  if (matrices.size() == 0) return matrices;
  return where(on_diagonal(comparison, *x.node()->device, matrices.shape(), k), matrices, false);
}

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

Array asarray(const Array& x, const AsArrayOptions& options) {
  const FunctionName function("asarray");
  const Array cast = options.dtype ? x.astype(*options.dtype) : x;
  const Array result = options.device ? cast.to(*options.device) : cast;
  const bool shared = result.node().get() == x.node().get();
  if (options.copy == false && !shared)
    fail(function, std::string(name(x.dtype())) + " on " + x.device().name() + " becomes " +
                       std::string(name(result.dtype())) + " on " + result.device().name() + " by a copy only");
  return options.copy == true && shared ? result.copy() : result;
}

Array asarray(const NestedList& values, const AsArrayOptions& options) {
  const FunctionName function("asarray");
  if (options.copy == false) fail(function, "C++ numbers become an array by a copy only");
  return array(values, {.dtype = options.dtype, .device = options.device});
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
  const FunctionName function("arange");
  const DType natural = promote_types(promote_types(start.dtype(), stop.dtype()), step.dtype());
  const DType dtype = options.dtype.value_or(is_bool(natural) ? int64 : natural);
  if (is_bool(dtype) || is_complex(dtype)) fail(function, "dtype " + std::string(name(dtype)) + " is not supported");
  const std::int64_t n = range_length(start, stop, step);
  DeviceState& device = detail::device_of(options.device);
  if (n == 0) return Array(detail::allocate_node(function, device, dtype, {0}));

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
  const FunctionName function("linspace");
  if (num < 0) fail(function, "number of elements " + std::to_string(num) + " is negative");
  const bool is_complex_range = start.kind() == Scalar::Kind::complex || stop.kind() == Scalar::Kind::complex;
  const DType compute = is_complex_range ? complex128 : float64;
  const DType dtype = options.dtype.value_or(compute);
  DeviceState& device = detail::device_of(options.device);
  if (num == 0) return Array(detail::allocate_node(function, device, dtype, {0}));

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
  return matrix_of(TD_OP_equal, "eye", n_rows, n_columns, options);
}

Array identity(std::int64_t n, const ArrayOptions& options) {
  const FunctionName function("identity");
  return eye(n, n, {.dtype = options.dtype, .device = options.device});
}

Array tri(std::int64_t n_rows, std::optional<std::int64_t> n_columns, const EyeOptions& options) {
  return matrix_of(TD_OP_greater_equal, "tri", n_rows, n_columns, options);
}

Array tril(const Array& x, const TriangleOptions& options) {
  return triangle("tril", x, TD_OP_greater_equal, options.k);
}

Array triu(const Array& x, const TriangleOptions& options) {
  return triangle("triu", x, TD_OP_less_equal, options.k);
}

Array diag(const Array& x, const TriangleOptions& options) {
  const FunctionName function("diag");
  if (x.ndim() == 2) return diagonal(x, {.offset = options.k});
  if (x.ndim() != 1) fail(function, "array of shape " + to_string(x.shape()) + " is neither 1-d nor 2-d");
  const std::int64_t k = options.k, more = std::abs(k);
  DeviceState& device = *x.node()->device;
  const Array padding = filled(function, {more}, 0, x.dtype(), device);
  const Array elements = more > 0 ? concat({x, padding}) : x;
  const std::int64_t n = elements.size();
  if (n == 0) return x.reshape({0, 0});
  const Array along_row = elements.reshape(k >= 0 ? Shape{n, 1} : Shape{1, n});
  return where(on_diagonal(TD_OP_equal, device, {n, n}, k), along_row, false);
}

Array diagflat(const Array& x, const TriangleOptions& options) {
  const FunctionName function("diagflat");
  return diag(x.ravel(), options);
}

Array logspace(double start, double stop, std::int64_t num, const LogspaceOptions& options) {
  const FunctionName function("logspace");
  const Array powers = linspace(start, stop, num, {.endpoint = options.endpoint, .device = options.device});
  return pow(options.base, powers).astype(options.dtype.value_or(float64));
}

Array geomspace(double start, double stop, std::int64_t num, const LinspaceOptions& options) {
  const FunctionName function("geomspace");
  if (start == 0 || stop == 0) fail(function, "a geometric sequence does not include 0");
  const double sign = start < 0 ? -1 : 1;  // NumPy's way: logarithms of numbers that are positive
  Array y = logspace(std::log10(start / sign), std::log10(stop / sign), num,
                     {.endpoint = options.endpoint, .device = options.device});
  if (num == 0) return y.astype(options.dtype.value_or(float64));
  const Array i = counter(*y.node()->device, num);
  y = multiply(std::move(y), sign);
  y = where(equal(i, 0), start, std::move(y));
  if (options.endpoint && num > 1) y = where(equal(i, num - 1), stop, std::move(y));
  return y.astype(options.dtype.value_or(float64));
}

std::vector<Array> meshgrid(std::span<const Array> arrays, const MeshgridOptions& options) {
  const FunctionName function("meshgrid");
  const auto n = static_cast<int>(arrays.size());
  std::vector<Array> grids;
  Shape whole;
  for (const Array& x : arrays) whole.push_back(x.size());
  const bool swaps = options.indexing == Indexing::xy && n > 1;
  if (swaps) std::swap(whole[0], whole[1]);
  for (int i = 0; i < n; ++i) {
    Shape own = Shape::filled(n, 1);
    own[swaps && i < 2 ? 1 - i : i] = arrays[std::size_t(i)].size();
    const Array line = arrays[std::size_t(i)].reshape(own);
    grids.push_back(options.sparse ? line : line.broadcast_to(whole));
  }
  return grids;
}

Array one_hot(const Array& indices, std::int64_t num_classes, const OneHotOptions& options) {
  const FunctionName function("one_hot");
  if (!is_integer(indices.dtype()))
    fail(function, "indices of dtype " + std::string(name(indices.dtype())) + " are no integers");
  if (num_classes < 0) fail(function, "number of classes " + std::to_string(num_classes) + " is negative");
  const Array classes = arange(num_classes, {.device = indices.device()});
  return equal(indices.expand_dims(-1), classes).astype(options.dtype);
}

Array concat(std::span<const Array> arrays, std::optional<int> axis) {
  const FunctionName function("concat");
  if (arrays.empty()) fail(function, "no arrays given");
  if (!axis) {
    std::vector<Array> flat;
    for (const Array& x : arrays) flat.push_back(x.ravel());
    return concat(flat, 0);
  }
  DeviceState& device = detail::common_device(function, arrays);
  const DType dtype = detail::promote(arrays);
  const int along = detail::normalize_axis(function, *axis, arrays[0].ndim());
  Shape shape = arrays[0].shape();
  for (const Array& x : arrays.subspan(1)) {
    Shape expected = shape;
    if (x.ndim() == shape.size()) expected[along] = x.shape()[along];
    if (!(x.shape() == expected))
      fail(function, "shapes " + to_string(arrays[0].shape()) + " and " + to_string(x.shape()) +
                         " differ outside axis " + std::to_string(along));
    shape[along] += x.shape()[along];
  }
  detail::NodePtr result = detail::allocate_node(function, device, dtype, shape);
  std::int64_t offset = 0;
  for (const Array& x : arrays) {
    const Array part = x.astype(dtype);
    if (part.size() > 0) {
      void* target = detail::element(result->data, offset * result->strides[along], dtype);
      const detail::Node& node = *part.node();
      if (node.is_ready())
        copy_view(function, device, dtype, node.shape, node.data, node.strides, target, result->strides);
      else
        evaluate_into(function, *part.node(), target, result->strides);
    }
    offset += x.shape()[along];
  }
  return Array(std::move(result));
}

Array stack(std::span<const Array> arrays, int axis) {
  const FunctionName function("stack");
  std::vector<Array> expanded;
  for (const Array& x : arrays) {
    if (!(x.shape() == arrays[0].shape()))
      fail(function, "shapes " + to_string(arrays[0].shape()) + " and " + to_string(x.shape()) + " differ");
    expanded.push_back(x.expand_dims(axis));
  }
  return concat(expanded, axis);
}

}  // namespace tandem
