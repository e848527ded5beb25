// Views and splitting, of manipulation.hpp.
#include <tandem/manipulation.hpp>

#include <algorithm>

#include "../array/shape_rules.hpp"
#include "common.hpp"

namespace tandem {
namespace {

using detail::fail;
using detail::FunctionName;

/// x from `begin` to `end` along an axis.
Array part(const Array& x, int axis, std::int64_t begin, std::int64_t end) {
  std::vector<Index> index(std::size_t(axis) + 1, slice(none, none));
  index.back() = slice(begin, end);
  return x.at(index);
}

}  // namespace

Array reshape(const Array& x, const Shape& shape, const ReshapeOptions& options) {
  const FunctionName function("reshape");
  const Array result = x.reshape(shape);
  const bool shares = x.size() == 0 || result.data() == x.data();
  if (options.copy == false && !shares)
    fail(function, "array of shape " + to_string(x.shape()) + " and strides " + to_string(x.strides()) +
                       " becomes shape " + to_string(result.shape()) + " by a copy only");
  return options.copy == true && shares ? result.copy() : result;
}

std::vector<Array> broadcast_arrays(std::span<const Array> arrays) {
  const FunctionName function("broadcast_arrays");
  std::vector<Shape> shapes;
  for (const Array& x : arrays) shapes.push_back(x.shape());
  const Shape shape = detail::broadcast_shapes(function, shapes);
  std::vector<Array> result;
  for (const Array& x : arrays) result.push_back(x.broadcast_to(shape));
  return result;
}

Array flipud(const Array& x) {
  const FunctionName function("flipud");
  return x.flip(0);
}

Array fliplr(const Array& x) {
  const FunctionName function("fliplr");
  return x.flip(1);
}

Array permute_dims(const Array& x, const Shape& axes) {
  const FunctionName function("permute_dims");
  return x.permute(axes);
}

Array transpose(const Array& x, const Shape& axes) {
  const FunctionName function("transpose");
  return x.permute(axes);
}

Array moveaxis(const Array& x, const Shape& source, const Shape& destination) {
  const FunctionName function("moveaxis");
  if (source.size() != destination.size())
    fail(function, "axes " + to_string(source) + " and " + to_string(destination) + " do not pair up");
  if (source.empty()) return x;
  const std::uint32_t moved = detail::axes_mask(function, source, x.ndim());
  detail::axes_mask(function, destination, x.ndim());
  Shape axes = Shape::filled(x.ndim(), -1);
  for (int i = 0; i < source.size(); ++i)
    axes[detail::normalize_axis(function, destination[i], x.ndim())] =
        detail::normalize_axis(function, source[i], x.ndim());
  int next = 0;
  for (std::int64_t& axis : axes) {
    if (axis >= 0) continue;
    while (moved >> next & 1) ++next;
    axis = next++;
  }
  return x.permute(axes);
}

Array swapaxes(const Array& x, int axis1, int axis2) {
  const FunctionName function("swapaxes");
  const int a = detail::normalize_axis(function, axis1, x.ndim());
  const int b = detail::normalize_axis(function, axis2, x.ndim());
  Shape axes;
  for (int i = 0; i < x.ndim(); ++i) axes.push_back(i);
  std::swap(axes[a], axes[b]);
  return x.permute(axes);
}

Array atleast_1d(const Array& x) {
  const FunctionName function("atleast_1d");
  return x.ndim() < 1 ? x.reshape({1}) : x;
}

Array atleast_2d(const Array& x) {
  const FunctionName function("atleast_2d");
  return x.ndim() < 2 ? atleast_1d(x).expand_dims(0) : x;
}

Array atleast_3d(const Array& x) {
  const FunctionName function("atleast_3d");
  return x.ndim() < 3 ? atleast_2d(x).expand_dims(-1) : x;
}

Array rot90(const Array& x, std::int64_t k, const Rot90Options& options) {
  const FunctionName function("rot90");
  if (options.axes.size() != 2) fail(function, "axes " + to_string(options.axes) + ": a plane has two");
  detail::axes_mask(function, options.axes, x.ndim());
  const auto a = static_cast<int>(options.axes[0]), b = static_cast<int>(options.axes[1]);
  switch (k & 3) {
    case 0: return x;
    case 1: return swapaxes(x.flip(b), a, b);
    case 2: return x.flip({a, b});
    default: return swapaxes(x, a, b).flip(b);
  }
}

Array diagonal(const Array& x, const DiagonalOptions& options) {
  const FunctionName function("diagonal");
  if (x.ndim() < 2) fail(function, "array of shape " + to_string(x.shape()) + " has fewer than two axes");
  const int row = detail::normalize_axis(function, options.axis1, x.ndim());
  const int column = detail::normalize_axis(function, options.axis2, x.ndim());
  if (row == column) fail(function, "axis " + std::to_string(row) + " is given twice");
  const detail::Node& node = detail::ready(function, x, detail::FlushReason::view);
  const std::int64_t rows = node.shape[row], columns = node.shape[column];
  const std::int64_t offset = std::clamp(options.offset, -rows, columns);
  const std::int64_t first_row = std::max<std::int64_t>(-offset, 0), first_column = std::max<std::int64_t>(offset, 0);
  Shape shape, strides;
  for (int i = 0; i < x.ndim(); ++i) {
    if (i == row || i == column) continue;
    shape.push_back(node.shape[i]);
    strides.push_back(node.strides[i]);
  }
  const std::int64_t length = std::min(rows - first_row, columns - first_column);
  shape.push_back(length);
  strides.push_back(node.strides[row] + node.strides[column]);
  const std::int64_t start = first_row * node.strides[row] + first_column * node.strides[column];
  return detail::make_view(node, shape, strides, length > 0 ? start : 0);
}

std::vector<Array> split(const Array& x, const std::vector<std::int64_t>& indices, const SplitOptions& options) {
  const FunctionName function("split");
  const int axis = detail::normalize_axis(function, options.axis, x.ndim());
  std::vector<Array> parts;
  std::int64_t begin = 0;
  for (std::int64_t end : indices) {
    parts.push_back(part(x, axis, begin, end));
    begin = end;
  }
  parts.push_back(part(x, axis, begin, x.shape()[axis]));
  return parts;
}

std::vector<Array> split(const Array& x, std::int64_t sections, const SplitOptions& options) {
  const FunctionName function("split");
  const int axis = detail::normalize_axis(function, options.axis, x.ndim());
  if (sections <= 0 || x.shape()[axis] % sections != 0)
    fail(function, "axis " + std::to_string(axis) + " of shape " + to_string(x.shape()) + " has no " +
                       std::to_string(sections) + " equal parts");
  return array_split(x, sections, options);
}

std::vector<Array> array_split(const Array& x, const std::vector<std::int64_t>& indices, const SplitOptions& options) {
  const FunctionName function("array_split");
  return split(x, indices, options);
}

std::vector<Array> array_split(const Array& x, std::int64_t sections, const SplitOptions& options) {
  const FunctionName function("array_split");
  const int axis = detail::normalize_axis(function, options.axis, x.ndim());
  if (sections <= 0) fail(function, "number of parts " + std::to_string(sections) + " is not positive");
  const std::int64_t length = x.shape()[axis] / sections, longer = x.shape()[axis] % sections;
  std::vector<Array> parts;
  for (std::int64_t i = 0, begin = 0; i < sections; ++i) {
    const std::int64_t end = begin + length + (i < longer);
    parts.push_back(part(x, axis, begin, end));
    begin = end;
  }
  return parts;
}

std::vector<Array> unstack(const Array& x, int axis) {
  const FunctionName function("unstack");
  const int along = detail::normalize_axis(function, axis, x.ndim());
  std::vector<Index> index(std::size_t(along) + 1, slice(none, none));
  std::vector<Array> parts;
  for (std::int64_t i = 0; i < x.shape()[along]; ++i) {
    index.back() = i;
    parts.push_back(x.at(index));
  }
  return parts;
}

}  // namespace tandem
