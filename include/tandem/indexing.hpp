// Indexing by arrays, as functions: taking, putting, and the positions of what is true. array.hpp has the operator.
//
// Index arrays have any integer dtype and lie on the device of what they index. An index outside throws IndexError
// before anything is written; negative ones count from the end.
#pragma once

#include <tandem/array.hpp>

namespace tandem {

/// What take and put do with an index outside: throw IndexError, count on from the other end again and again, or take
/// the nearest one inside (so that negative ones become 0).
enum class IndexMode { raise, wrap, clip };

/// Options of take; without an axis x is flattened.
struct TakeOptions {
  std::optional<int> axis = {};
  IndexMode mode = IndexMode::raise;
};
/// Elements along an axis: the shape of x with this axis replaced by the axes of indices.
TANDEM_API Array take(const Array& x, const Array& indices, const TakeOptions& options = {});

/// result[i, j, k] = x[i, indices[i, j, k], k] for axis 1 of three, as for the indices of argsort. indices has as many
/// axes as x and broadcasts with it but for the axis; throws Error if it does not.
TANDEM_API Array take_along_axis(const Array& x, const Array& indices, int axis = -1);
/// Options of take_along_axis.
struct TakeAlongAxisOptions {
  int axis = -1;
};
inline Array take_along_axis(const Array& x, const Array& indices, const TakeAlongAxisOptions& options) {
  return take_along_axis(x, indices, options.axis);
}

/// x[i, indices[i, j, k], k] := values[i, j, k], which broadcast. Of several values for one place the last one stays.
TANDEM_API void put_along_axis(Array& x, const Array& indices, const Operand& values, int axis);

/// The flattened x at the indices := values, which are repeated as often as needed; of several values for one place the
/// last one stays. Throws Error if there are indices but no values.
TANDEM_API void put(Array& x, const Array& indices, const Operand& values, IndexMode mode = IndexMode::raise);

/// x(index...) += values, one after the other, so that places that are named several times add up; NumPy's add.at. Sums
/// are made in row-major order of the index, the same bits on every backend, and each is rounded to x's dtype. Throws
/// Error if the values' kind is higher than x's (int += float).
TANDEM_API void add_at(Array& x, std::span<const Index> index, const Operand& values);
inline void add_at(Array& x, std::initializer_list<Index> index, const Operand& values) {
  add_at(x, std::span<const Index>(index.begin(), index.size()), values);
}
inline void add_at(Array& x, const Index& index, const Operand& values) { add_at(x, {&index, 1}, values); }

/// Positions of the elements that are not zero, in row-major order: one int64 array per axis, so that x(i, j, ...) are
/// these elements. NaN is not zero. Throws Error for 0-d x.
TANDEM_API std::vector<Array> nonzero(const Array& x);
/// The same.
TANDEM_API std::vector<Array> where(const Array& condition);
/// The same as one array: (count, ndim).
TANDEM_API Array argwhere(const Array& x);
/// Positions in the flattened array.
TANDEM_API Array flatnonzero(const Array& x);

/// Index arrays for each combination of their elements, `x(ix[0], ix[1], ...)`: the k-th of 1-d arrays of integers or
/// bools along axis k. Throws Error for other shapes.
TANDEM_API std::vector<Array> ix_(std::span<const Array> arrays);
inline std::vector<Array> ix_(std::initializer_list<Array> arrays) {
  return ix_(std::span<const Array>(arrays.begin(), arrays.size()));
}
/// Options of tril_indices and triu_indices: the diagonal, and the number of columns if not n.
struct TriangleIndicesOptions {
  std::int64_t k = 0;
  std::optional<std::int64_t> m = {};
  std::optional<Device> device = {};
};
/// Positions, as of nonzero, in the lower or the upper triangle of an n x m matrix.
TANDEM_API std::vector<Array> tril_indices(std::int64_t n, const TriangleIndicesOptions& options = {});
TANDEM_API std::vector<Array> triu_indices(std::int64_t n, const TriangleIndicesOptions& options = {});

/// Options of compress; without an axis x is flattened.
struct CompressOptions {
  std::optional<int> axis = {};
};
/// The parts along an axis for which the 1-d condition holds. It may be shorter than the axis; IndexError if it holds
/// beyond its end.
TANDEM_API Array compress(const Array& condition, const Array& x, const CompressOptions& options = {});
/// The elements of the flattened x at which the flattened condition holds; otherwise as compress.
TANDEM_API Array extract(const Array& condition, const Array& x);

}  // namespace tandem
