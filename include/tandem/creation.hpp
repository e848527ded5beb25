// Making arrays.
#pragma once

#include <tandem/array.hpp>

namespace tandem {

/// From nested braces of numbers: `array({{1, 2}, {3, 4}})`. dtype: options.dtype, else the scalars' own (bool, int64,
/// float64, complex128) promoted. Throws Error for ragged braces and for integers outside the dtype.
TANDEM_API Array array(const NestedList& values, const ArrayOptions& options = {});
/// From a host vector, one axis.
template <Element T>
  requires(!std::same_as<T, bool>)
Array array(const std::vector<T>& values, const ArrayOptions& options = {}) {
  return Array(std::span<const T>(values), {}, options);
}
/// All elements 0; dtype defaults to float64, as for every function here that names none.
TANDEM_API Array zeros(const Shape& shape, const ArrayOptions& options = {});
/// All elements 1.
TANDEM_API Array ones(const Shape& shape, const ArrayOptions& options = {});
/// All elements `value`; dtype defaults to the scalar's own. Throws Error for an integer outside the dtype.
TANDEM_API Array full(const Shape& shape, const Scalar& value, const ArrayOptions& options = {});
/// Elements undefined until written.
TANDEM_API Array empty(const Shape& shape, const ArrayOptions& options = {});
/// Shape, dtype and device of x unless the options say otherwise.
TANDEM_API Array zeros_like(const Array& x, const ArrayOptions& options = {});
TANDEM_API Array ones_like(const Array& x, const ArrayOptions& options = {});
TANDEM_API Array full_like(const Array& x, const Scalar& value, const ArrayOptions& options = {});
TANDEM_API Array empty_like(const Array& x, const ArrayOptions& options = {});

/// start, start + step, ... below stop: ceil((stop - start) / step) elements. dtype: int64 for integers, else float64.
/// Element i is start + i * ((start + step) - start) in the dtype, as NumPy computes it. Throws Error for step 0 or NaN.
TANDEM_API Array arange(const Scalar& start, const Scalar& stop, const Scalar& step = 1, const ArrayOptions& options = {});
/// 0, 1, ... below stop.
TANDEM_API Array arange(const Scalar& stop, const ArrayOptions& options = {});

/// Options of linspace.
struct LinspaceOptions {
  bool endpoint = true;  // whether the last element is stop itself
  std::optional<DType> dtype = {};
  std::optional<Device> device = {};
};
/// `num` evenly spaced numbers from start to stop; integer dtypes floor. dtype defaults to float64 or complex128.
TANDEM_API Array linspace(const Scalar& start, const Scalar& stop, std::int64_t num, const LinspaceOptions& options = {});

/// Options of eye.
struct EyeOptions {
  int k = 0;  // diagonal: above the main one if positive
  std::optional<DType> dtype = {};
  std::optional<Device> device = {};
};
/// Ones on a diagonal, else zeros; n_columns defaults to n_rows.
TANDEM_API Array eye(std::int64_t n_rows, std::optional<std::int64_t> n_columns = {}, const EyeOptions& options = {});

/// Arrays one after another along an existing axis; dtypes promote. Throws Error if the other lengths differ.
TANDEM_API Array concat(std::span<const Array> arrays, int axis = 0);
inline Array concat(std::initializer_list<Array> arrays, int axis = 0) {
  return concat(std::span<const Array>(arrays.begin(), arrays.size()), axis);
}
/// Arrays of one shape along a new axis; dtypes promote.
TANDEM_API Array stack(std::span<const Array> arrays, int axis = 0);
inline Array stack(std::initializer_list<Array> arrays, int axis = 0) {
  return stack(std::span<const Array>(arrays.begin(), arrays.size()), axis);
}

}  // namespace tandem
