// Other shapes and orders of the same elements: views as functions, joining, splitting, repeating, padding. concat and
// stack are in creation.hpp.
//
// Arrays are values: what is called a view here shares memory until it or the array is written to.
#pragma once

#include <utility>

#include <tandem/array.hpp>

namespace tandem {

// ---- views ----

/// Options of reshape. copy: true asks for memory of its own, false throws Error where strides do not allow a view.
struct ReshapeOptions {
  std::optional<bool> copy = {};
};
/// x.reshape(shape).
TANDEM_API Array reshape(const Array& x, const Shape& shape, const ReshapeOptions& options = {});
/// Axes of length 1 removed: these, or all. Throws Error for an axis of another length.
inline Array squeeze(const Array& x, const Axes& axis = {}) { return x.squeeze(axis); }
/// New axes of length 1 at these positions of the result.
inline Array expand_dims(const Array& x, const Axes& axis) { return x.expand_dims(axis); }
/// Repeated to a shape by broadcasting.
inline Array broadcast_to(const Array& x, const Shape& shape) { return x.broadcast_to(shape); }
/// Each one repeated to the shape that all broadcast to.
TANDEM_API std::vector<Array> broadcast_arrays(std::span<const Array> arrays);
inline std::vector<Array> broadcast_arrays(std::initializer_list<Array> arrays) {
  return broadcast_arrays(std::span<const Array>(arrays.begin(), arrays.size()));
}
/// Options of flip: the axes, all by default.
struct FlipOptions {
  Axes axis = {};
};
/// The order of elements reversed along axes.
inline Array flip(const Array& x, const FlipOptions& options = {}) { return x.flip(options.axis); }
/// Rows in reverse order: flip along axis 0, or axis 1.
TANDEM_API Array flipud(const Array& x);
TANDEM_API Array fliplr(const Array& x);
/// Axes in this order.
TANDEM_API Array permute_dims(const Array& x, const Shape& axes);
/// Axes reversed, or in this order.
inline Array transpose(const Array& x) { return x.transpose(); }
TANDEM_API Array transpose(const Array& x, const Shape& axes);
/// Axes moved to other positions; the others stay in their order. Throws Error if the numbers of both differ or one is
/// named twice.
TANDEM_API Array moveaxis(const Array& x, const Shape& source, const Shape& destination);
inline Array moveaxis(const Array& x, int source, int destination) { return x.moveaxis(source, destination); }
/// Two axes exchanged.
TANDEM_API Array swapaxes(const Array& x, int axis1, int axis2);
/// One dimension, in row-major order (copies unless contiguous).
inline Array ravel(const Array& x) { return x.ravel(); }
/// At least one, two or three axes: new ones of length 1, before the others and, for atleast_3d, one behind them.
TANDEM_API Array atleast_1d(const Array& x);
TANDEM_API Array atleast_2d(const Array& x);
TANDEM_API Array atleast_3d(const Array& x);
/// Options of rot90: the plane, and the turn's direction: from the first axis to the second.
struct Rot90Options {
  Shape axes = {0, 1};
};
/// A quarter turn, k times.
TANDEM_API Array rot90(const Array& x, std::int64_t k = 1, const Rot90Options& options = {});
/// Options of diagonal: which one, above the main one if positive, of the matrices that two axes make.
struct DiagonalOptions {
  std::int64_t offset = 0;
  int axis1 = 0;
  int axis2 = 1;
};
/// A diagonal as last axis of the result, without the two. Throws Error if x has fewer than two axes or both are one.
TANDEM_API Array diagonal(const Array& x, const DiagonalOptions& options = {});

// ---- joining ----

/// Side by side: along axis 1, or 0 for 1-d arrays. 0-d arrays count as 1-d.
TANDEM_API Array hstack(std::span<const Array> arrays);
inline Array hstack(std::initializer_list<Array> arrays) {
  return hstack(std::span<const Array>(arrays.begin(), arrays.size()));
}
/// One below the other: along axis 0; 1-d arrays are rows.
TANDEM_API Array vstack(std::span<const Array> arrays);
inline Array vstack(std::initializer_list<Array> arrays) {
  return vstack(std::span<const Array>(arrays.begin(), arrays.size()));
}
/// One behind the other: along axis 2, of arrays made 3-d by atleast_3d.
TANDEM_API Array dstack(std::span<const Array> arrays);
inline Array dstack(std::initializer_list<Array> arrays) {
  return dstack(std::span<const Array>(arrays.begin(), arrays.size()));
}
/// 1-d arrays as columns, next to 2-d ones.
TANDEM_API Array column_stack(std::span<const Array> arrays);
inline Array column_stack(std::initializer_list<Array> arrays) {
  return column_stack(std::span<const Array>(arrays.begin(), arrays.size()));
}
/// Rows of blocks: each row joined along the last axis, the rows along the one before it.
TANDEM_API Array block(std::initializer_list<std::initializer_list<Array>> rows);

/// Options of append, insert and delete_; without an axis x is flattened.
struct EditOptions {
  std::optional<int> axis = {};
};
/// x and behind it values, which are flattened, too, without an axis; dtypes promote.
TANDEM_API Array append(const Array& x, const Array& values, const EditOptions& options = {});
/// x with values before position `index` of an axis: one element or slice, to whose shape they broadcast, in x's dtype.
/// Throws IndexError for an index outside.
TANDEM_API Array insert(const Array& x, std::int64_t index, const Operand& values, const EditOptions& options = {});
/// x without some of the elements or slices along an axis; NumPy's delete, which is a keyword in C++. Throws IndexError
/// for indices outside.
TANDEM_API Array delete_(const Array& x, const Array& indices, const EditOptions& options = {});
TANDEM_API Array delete_(const Array& x, std::int64_t index, const EditOptions& options = {});

// ---- splitting ----

/// Options of split, array_split and unstack.
struct SplitOptions {
  int axis = 0;
};
/// Parts of equal length along an axis (views); Error if there are none.
TANDEM_API std::vector<Array> split(const Array& x, std::int64_t sections, const SplitOptions& options = {});
/// Parts that end before these indices and at the end, as slices.
TANDEM_API std::vector<Array> split(const Array& x, const std::vector<std::int64_t>& indices,
                                    const SplitOptions& options = {});
/// As split, but the first parts may be longer by one.
TANDEM_API std::vector<Array> array_split(const Array& x, std::int64_t sections, const SplitOptions& options = {});
TANDEM_API std::vector<Array> array_split(const Array& x, const std::vector<std::int64_t>& indices,
                                          const SplitOptions& options = {});
/// The parts of x along an axis, which they lack (views). Throws IndexError for 0-d x.
TANDEM_API std::vector<Array> unstack(const Array& x, int axis = 0);
inline std::vector<Array> unstack(const Array& x, const SplitOptions& options) { return unstack(x, options.axis); }

// ---- repeating, shifting, padding ----

/// Options of repeat; without an axis x is flattened.
struct RepeatOptions {
  std::optional<int> axis = {};
};
/// Each element along an axis `repeats` times; 0-d x counts as 1-d. Throws Error for a negative number.
TANDEM_API Array repeat(const Array& x, std::int64_t repeats, const RepeatOptions& options = {});
/// Element i repeats[i] times: a 1-d array of integers of the axis's length, or one for all. Throws Error for other
/// shapes, dtypes and negative numbers.
TANDEM_API Array repeat(const Array& x, const Array& repeats, const RepeatOptions& options = {});

/// x side by side `repetitions[i]` times along axis i; the shorter one of shape and repetitions is filled up with
/// leading ones. Throws Error for a negative number.
TANDEM_API Array tile(const Array& x, const Shape& repetitions);

/// Elements shifted by `shift` places along an axis (of the flattened x without one); what leaves at one end comes in
/// at the other.
TANDEM_API Array roll(const Array& x, std::int64_t shift, std::optional<int> axis = {});
/// Several axes at once; shifts for one axis add up. Throws Error if the numbers of shifts and axes differ.
TANDEM_API Array roll(const Array& x, const Shape& shifts, const Shape& axes);
/// Options of roll.
struct RollOptions {
  Axes axis = {};
};
/// By the same shift along each of several axes.
TANDEM_API Array roll(const Array& x, std::int64_t shift, const RollOptions& options);

/// What pad fills in: one value, the element at the edge, a mirror image without or with the edge, or the other end.
enum class PadMode { constant, edge, reflect, symmetric, wrap };
/// Options of pad.
struct PadOptions {
  PadMode mode = PadMode::constant;
  Scalar constant_values = 0;
};
/// How many elements come before and behind each axis: one number for all, one pair for all, or a pair for each axis.
class PadWidth {
 public:
  PadWidth(std::int64_t each) : pairs_{{each, each}} {}
  PadWidth(std::initializer_list<std::pair<std::int64_t, std::int64_t>> pairs) : pairs_(pairs) {}
  PadWidth(std::vector<std::pair<std::int64_t, std::int64_t>> pairs) noexcept : pairs_(std::move(pairs)) {}
  const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs() const noexcept { return pairs_; }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs_;
};
/// x in the middle of a larger array: `pad(x, 2)`, `pad(x, {{0, 1}, {2, 2}}, {.mode = PadMode::edge})`. Throws Error
/// for negative widths, another number of pairs, and an empty axis that has nothing to repeat.
TANDEM_API Array pad(const Array& x, const PadWidth& width, const PadOptions& options = {});

}  // namespace tandem
