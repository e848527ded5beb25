// Arithmetic of shapes, strides and axes.
#pragma once

#include <cstdint>
#include <string>

#include <tandem/shape.hpp>

namespace tandem::detail {

/// result := broadcast of result and shape; false if they do not (result is then undefined).
bool broadcast_into(Shape& result, const Shape& shape);

/// The shape that all of them broadcast to; throws Error when they do not.
Shape broadcast_shapes(const char* function, std::span<const Shape> shapes);

/// Strides that show an array of `shape` as `target`: 0 along repeated axes.
Shape broadcast_strides(const Shape& shape, const Shape& strides, const Shape& target);

/// The axis as 0 <= axis < ndim; throws IndexError outside.
int normalize_axis(const char* function, std::int64_t axis, int ndim);

/// An index on an axis as 0 <= index < length + more; throws IndexError outside.
std::int64_t normalize_index(const char* function, std::int64_t index, int axis, std::int64_t length, int more = 0);
/// Throws IndexError with NumPy's sentence. Its first word is "index", which a subscript's message has said already.
[[noreturn]] void refuse_index(const char* function, const std::string& index, int axis, std::int64_t length);

/// One bit per axis named, all if none is given; throws IndexError outside and Error for repeated ones.
std::uint32_t axes_mask(const char* function, const Axes& axes, int ndim);

/// The same for a reduction: NumPy lets a 0-d array be reduced over its "axis 0".
std::uint32_t reduced_axes_mask(const char* function, const Axes& axes, int ndim);

/// Product of the lengths; throws Error for negative lengths and overflow.
std::int64_t element_count(const char* function, const Shape& shape);

}  // namespace tandem::detail
