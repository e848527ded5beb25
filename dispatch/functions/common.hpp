// What the function themes share: dtype rules, constants, devices.
#pragma once

#include <initializer_list>
#include <string>

#include <tandem/array.hpp>
#include <tandem/data_types.hpp>

#include "../errors.hpp"
#include "../program/expression.hpp"
#include "../program/ops.hpp"

namespace tandem::detail {

/// The scalar in a dtype. Throws Error for an integer that does not fit an integer dtype; reals truncate to integers.
td_constant make_constant(const char* function, const Scalar& scalar, DType dtype);

/// Whether an integer scalar is a value of an integer dtype.
bool fits(const Scalar& scalar, DType dtype) noexcept;

/// The dtype that an array of `dtype` takes together with a weak scalar.
DType promote_weak(DType dtype, const Scalar& scalar) noexcept;

/// The dtype that operands promote to: arrays by dtype (of several the most general one with each of the others, so that
/// int16, uint16 and float32 make float32, as in NumPy), scalars weakly.
DType promote(std::span<const TypeOperand> operands);
DType promote(std::span<const Array> arrays);
/// The same, with arrays as the floats that hold them if asked.
DType promote_operands(const Operand* const* operands, int n, bool as_floats = false);

/// The device that all arrays are on (the default one if there are none); throws Error naming two that differ.
DeviceState& common_device(const char* function, const Operand* const* operands, int n);
DeviceState& common_device(const char* function, std::span<const Array> arrays);

/// The options' device, else the default one.
DeviceState& device_of(const std::optional<Device>& device);

/// Runs x if it is pending and returns its node, for a verb.
Node& ready(const char* function, const Array& x, FlushReason reason = FlushReason::verb);

/// Throws Error for complex numbers.
void refuse_complex(const char* function, const Array& x);

/// Records an operation of ops.def on arrays and scalars: promotion, broadcasting, casts.
Array elementwise(td_op op, std::initializer_list<const Operand*> operands);

/// Records a reduction; sources are widened as ops.def says, empty rows give the identity or throw.
Array reduce(const char* function, td_reduction reduction, Array x, const Axes& axes, bool keepdims);

/// The dtype that sums and products of `dtype` are returned in, and the one that they accumulate in.
DType sum_dtype(DType dtype) noexcept;
DType accumulator_dtype(DType dtype) noexcept;

/// Elements of rows along the last axis by their places in sort's order; indices are their positions in the row.
struct Ranked {
  Array values, indices;
};
/// What sort puts at int64 `ranks` (..., n_ranks), which broadcast with the leading axes of the rows and ascend; without
/// sorting all, where the backend can do that. Positions only if asked for.
Ranked at_ranks(const char* function, const Array& rows, const Array& ranks, bool descending = false,
                bool positions = false);

/// A pending array whose elements are all `value`.
Array constant_array(const char* function, DeviceState& device, const Shape& shape, const Scalar& value, DType dtype);

/// A ready array with a copy of contiguous host elements.
Array host_array(const char* function, DeviceState& device, DType dtype, const Shape& shape, const void* values);

/// Array::adopt for elements that others made: bools that are stored as anything but 0 and 1 are copied and become 1.
Array adopt_elements(void* data, DType dtype, const Shape& shape, const Shape& strides, std::shared_ptr<void> owner,
                     const Device& device, bool writable = true);

/// Part of an evaluated array's memory as an array: other strides, beginning `offset` elements after its first one.
Array make_view(const Node& node, const Shape& shape, const Shape& strides, std::int64_t offset);

/// A view of an evaluated array, for verbs.
td_view view_of(const Node& node) noexcept;

/// The array as int64 positions 0, stride, ...: see td_operand's index array.
Array index_array(DeviceState& device, const Shape& shape, const Shape& strides);

/// The shortest text that reads back as x.
std::string describe_number(double x);

/// "int8 and float32".
std::string describe_dtypes(DType a, DType b);

}  // namespace tandem::detail
