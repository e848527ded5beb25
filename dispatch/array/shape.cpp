#include "shape_rules.hpp"

#include <ostream>

#include "../errors.hpp"

namespace tandem {

void Shape::grow(int count) {
  if (count > max_ndim) detail::fail("Shape", std::to_string(count) + " axes, the most is " + std::to_string(max_ndim));
  auto* heap = new std::int64_t[max_ndim];
  for (int i = 0; i < size_; ++i) heap[i] = inline_[i];
  heap_ = heap;
}

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (int i = 0; i < shape.size(); ++i) {
    if (i) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << to_string(shape); }

Shape broadcast_shapes(std::span<const Shape> shapes) { return detail::broadcast_shapes("broadcast_shapes", shapes); }

namespace detail {

Shape broadcast_shapes(const char* function, std::span<const Shape> shapes) {
  Shape result;
  for (const Shape& shape : shapes) {
    if (broadcast_into(result, shape)) continue;
    std::string text = "shapes";
    for (const Shape& each : shapes) text += " " + to_string(each);
    fail(function, text + " do not broadcast");
  }
  return result;
}

bool broadcast_into(Shape& result, const Shape& shape) {
  if (result == shape) return true;
  if (result.size() < shape.size()) {
    Shape wider = Shape::filled(shape.size(), 1);
    const int offset = shape.size() - result.size();
    for (int i = 0; i < result.size(); ++i) wider[offset + i] = result[i];
    result = wider;
  }
  const int offset = result.size() - shape.size();
  for (int i = 0; i < shape.size(); ++i) {
    std::int64_t& length = result[offset + i];
    if (length == shape[i] || shape[i] == 1) continue;
    if (length != 1) return false;
    length = shape[i];
  }
  return true;
}

Shape broadcast_strides(const Shape& shape, const Shape& strides, const Shape& target) {
  Shape result = Shape::filled(target.size(), 0);
  const int offset = target.size() - shape.size();
  for (int i = 0; i < shape.size(); ++i)
    if (shape[i] != 1) result[offset + i] = strides[i];
  return result;
}

int normalize_axis(const char* function, std::int64_t axis, int ndim) {
  if (axis < -ndim || axis >= ndim)
    fail<IndexError>(function, "axis " + std::to_string(axis) + " is out of bounds for array of dimension " +
                                   std::to_string(ndim));
  return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

void refuse_index(const char* function, const std::string& index, int axis, std::int64_t length) {
  fail<IndexError>(function, (std::string_view(speaker(function)) == "index" ? "" : "index ") + index +
                                 " is out of bounds for axis " + std::to_string(axis) + " with size " +
                                 std::to_string(length));
}

std::int64_t normalize_index(const char* function, std::int64_t index, int axis, std::int64_t length, int more) {
  if (index < -length || index >= length + more) refuse_index(function, std::to_string(index), axis, length);
  return index < 0 ? index + length : index;
}

std::uint32_t axes_mask(const char* function, const Axes& axes, int ndim) {
  if (!axes.given()) return ndim == 32 ? ~0u : (1u << ndim) - 1;
  std::uint32_t mask = 0;
  for (std::int64_t axis : axes.list()) {
    const std::uint32_t bit = 1u << normalize_axis(function, axis, ndim);
    if (mask & bit) fail(function, "axis " + std::to_string(axis) + " is given twice");
    mask |= bit;
  }
  return mask;
}

std::uint32_t reduced_axes_mask(const char* function, const Axes& axes, int ndim) {
  const std::uint32_t mask = axes_mask(function, axes, ndim == 0 ? 1 : ndim);
  return ndim == 0 ? 0 : mask;
}

std::int64_t element_count(const char* function, const Shape& shape) {
  std::int64_t count = 1;
  bool empty = false;
  for (std::int64_t length : shape) {
    if (length < 0) fail(function, "shape " + to_string(shape) + " has a negative length");
    empty |= length == 0;
  }
  if (empty) return 0;
  for (std::int64_t length : shape)
    if (__builtin_mul_overflow(count, length, &count))
      fail(function, "shape " + to_string(shape) + " has more elements than can be counted");
  return count;
}

}  // namespace detail
}  // namespace tandem
