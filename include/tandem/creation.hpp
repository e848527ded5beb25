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
/// Options of asarray. copy: true asks for memory of its own, false throws Error if elements would have to be copied;
/// unset, memory is shared where it can be. Arrays are values: nothing else depends on it.
struct AsArrayOptions {
  std::optional<DType> dtype = {};
  std::optional<Device> device = {};
  std::optional<bool> copy = {};
};
/// An array as an array of this dtype on this device; unset, its own.
TANDEM_API Array asarray(const Array& x, const AsArrayOptions& options = {});
/// array(values), which copies: throws Error for copy false.
TANDEM_API Array asarray(const NestedList& values, const AsArrayOptions& options = {});
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
/// Element i is start + i * ((start + step) - start) in the dtype, as NumPy computes it. Throws Error for step 0 or
/// NaN.
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
  std::int64_t k = 0;  // diagonal: above the main one if positive
  std::optional<DType> dtype = {};
  std::optional<Device> device = {};
};
/// Ones on a diagonal, else zeros; n_columns defaults to n_rows.
TANDEM_API Array eye(std::int64_t n_rows, std::optional<std::int64_t> n_columns = {}, const EyeOptions& options = {});

/// The n x n unit matrix.
TANDEM_API Array identity(std::int64_t n, const ArrayOptions& options = {});
/// An array with ones at and below a diagonal, zeros above it.
TANDEM_API Array tri(std::int64_t n_rows, std::optional<std::int64_t> n_columns = {}, const EyeOptions& options = {});

/// Options of tril and triu: the diagonal, above the main one if positive.
struct TriangleOptions {
  std::int64_t k = 0;
};
/// The matrices of x (..., M, N) with zeros above a diagonal. 1-d x counts as that row in each of as many rows. Throws
/// Error for 0-d x.
TANDEM_API Array tril(const Array& x, const TriangleOptions& options = {});
/// Likewise with zeros below the diagonal.
TANDEM_API Array triu(const Array& x, const TriangleOptions& options = {});

/// 1-d x as a diagonal of a square matrix; a diagonal of 2-d x as 1-d array (a view). Throws Error for other shapes.
TANDEM_API Array diag(const Array& x, const TriangleOptions& options = {});
/// The flattened x as a diagonal of a square matrix.
TANDEM_API Array diagflat(const Array& x, const TriangleOptions& options = {});

/// Options of logspace.
struct LogspaceOptions {
  bool endpoint = true;
  double base = 10;
  std::optional<DType> dtype = {};
  std::optional<Device> device = {};
};
/// base to the powers linspace(start, stop, num).
TANDEM_API Array logspace(double start, double stop, std::int64_t num, const LogspaceOptions& options = {});
/// `num` numbers from start to stop, each the same multiple of the one before; NaN between ends of different signs.
/// Throws Error if an end is 0.
TANDEM_API Array geomspace(double start, double stop, std::int64_t num, const LinspaceOptions& options = {});

/// Which of the first two axes of a grid belongs to the first array: the second (xy, as in a plot) or the first (ij).
enum class Indexing { xy, ij };
/// Options of meshgrid; sparse leaves the lengths at 1 along which an array repeats.
struct MeshgridOptions {
  Indexing indexing = Indexing::xy;
  bool sparse = false;
};
/// Each array's elements as coordinates along an axis of its own, repeated along the axes of the others (views).
TANDEM_API std::vector<Array> meshgrid(std::span<const Array> arrays, const MeshgridOptions& options = {});
inline std::vector<Array> meshgrid(std::initializer_list<Array> arrays, const MeshgridOptions& options = {}) {
  return meshgrid(std::span<const Array>(arrays.begin(), arrays.size()), options);
}

/// Options of one_hot.
struct OneHotOptions {
  DType dtype = float64;
};
/// For each index a row, along a new last axis, of zeros and a 1 at the index; outside [0, num_classes) zeros alone.
TANDEM_API Array one_hot(const Array& indices, std::int64_t num_classes, const OneHotOptions& options = {});

/// Arrays one after another along an existing axis, or flattened if it is `none`; dtypes promote. Throws Error if the
/// other lengths differ.
TANDEM_API Array concat(std::span<const Array> arrays, std::optional<int> axis = 0);
inline Array concat(std::initializer_list<Array> arrays, std::optional<int> axis = 0) {
  return concat(std::span<const Array>(arrays.begin(), arrays.size()), axis);
}
/// Options of concat; axis none flattens.
struct ConcatOptions {
  std::optional<int> axis = 0;
};
inline Array concat(std::span<const Array> arrays, const ConcatOptions& options) { return concat(arrays, options.axis); }
inline Array concat(std::initializer_list<Array> arrays, const ConcatOptions& options) {
  return concat(arrays, options.axis);
}
/// Arrays of one shape along a new axis; dtypes promote.
TANDEM_API Array stack(std::span<const Array> arrays, int axis = 0);
inline Array stack(std::initializer_list<Array> arrays, int axis = 0) {
  return stack(std::span<const Array>(arrays.begin(), arrays.size()), axis);
}
/// Options of stack.
struct StackOptions {
  int axis = 0;
};
inline Array stack(std::span<const Array> arrays, const StackOptions& options) { return stack(arrays, options.axis); }
inline Array stack(std::initializer_list<Array> arrays, const StackOptions& options) {
  return stack(arrays, options.axis);
}

}  // namespace tandem
