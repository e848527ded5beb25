#include <tandem/manipulation.hpp>

#include <algorithm>

#include <tandem/creation.hpp>
#include <tandem/indexing.hpp>
#include <tandem/reductions.hpp>
#include <tandem/scans.hpp>
#include <tandem/sorting.hpp>
#include <tandem/elementwise.hpp>

#include "../array/selection.hpp"
#include "../array/shape_rules.hpp"
#include "common.hpp"

namespace tandem {

using detail::fail;
using detail::FunctionName;

namespace {

[[noreturn]] void refuse_repeats(const char* function, std::int64_t repeats) {
  fail(function, "repeats may not contain negative values, and " + std::to_string(repeats) + " is one");
}

}  // namespace

Array repeat(const Array& x, std::int64_t repeats, const RepeatOptions& options) {
  const FunctionName function("repeat");
  if (x.ndim() == 0) return repeat(x.ravel(), repeats, options);
  if (!options.axis && x.ndim() != 1) return repeat(x.ravel(), repeats, {.axis = 0});
  if (repeats < 0) refuse_repeats(function, repeats);
  const int axis = detail::normalize_axis(function, options.axis.value_or(0), x.ndim());
  Shape shape = x.shape(), spread;
  for (int i = 0; i < x.ndim(); ++i) {
    spread.push_back(shape[i]);
    if (i == axis) spread.push_back(repeats);
  }
  if (__builtin_mul_overflow(shape[axis], repeats, &shape[axis]))
    fail(function, "the result has more elements than can be counted");
  return x.expand_dims(axis + 1).broadcast_to(spread).reshape(shape);
}

Array repeat(const Array& x, const Array& repeats, const RepeatOptions& options) {
  const FunctionName function("repeat");
  if (x.ndim() == 0) return repeat(x.ravel(), repeats, options);
  if (!options.axis && x.ndim() != 1) return repeat(x.ravel(), repeats, {.axis = 0});
  const int axis = detail::normalize_axis(function, options.axis.value_or(0), x.ndim());
  if (!is_integer(repeats.dtype()))
    fail(function, "repeats of dtype " + std::string(name(repeats.dtype())) + " are no integers");
  if (repeats.size() == 1 && repeats.ndim() < 2) return repeat(x, repeats.item<std::int64_t>(), {.axis = axis});
  if (!(repeats.shape() == Shape{x.shape()[axis]}))
    fail(function, "repeats of shape " + to_string(repeats.shape()) + " do not fit axis " + std::to_string(axis) +
                       " of shape " + to_string(x.shape()));
  const Array counts = repeats.astype(int64);
  const std::int64_t fewest = counts.size() > 0 ? min(counts).item<std::int64_t>() : 0;
  if (fewest < 0) refuse_repeats(function, fewest);
  const Array ends = cumulative_sum(counts);
  const std::int64_t total = counts.size() > 0 ? ends(-1).item<std::int64_t>() : 0;
  // The number of elements that end at or before a place is the number of the element that is there.
  const Array places = arange(total, {.dtype = int64, .device = x.device()});
  return take(x, searchsorted(ends, places, {.side = Side::right}), {.axis = axis});
}

Array tile(const Array& x, const Shape& repetitions) {
  const FunctionName function("tile");
  const int ndim = std::max(x.ndim(), repetitions.size());
  const int missing = ndim - x.ndim(), unnamed = ndim - repetitions.size();
  Shape apart, spread, shape;  // (1, length), (repetitions, length) and repetitions * length for each axis
  for (int i = 0; i < ndim; ++i) {
    const std::int64_t length = i < missing ? 1 : x.shape()[i - missing];
    const std::int64_t count = i < unnamed ? 1 : repetitions[i - unnamed];
    if (count < 0) fail(function, "repetitions " + to_string(repetitions) + " are negative");
    // An axis that is not repeated needs no second one: there are only so many.
    if (count != 1) apart.push_back(1), spread.push_back(count);
    apart.push_back(length);
    spread.push_back(length);
    std::int64_t product;
    if (__builtin_mul_overflow(length, count, &product))
      fail(function, "the result has more elements than can be counted");
    shape.push_back(product);
  }
  return x.reshape(apart).broadcast_to(spread).reshape(shape);
}

Array roll(const Array& x, std::int64_t shift, std::optional<int> axis) {
  const FunctionName function("roll");
  if (!axis) return roll(x.ravel(), Shape{shift}, Shape{0}).reshape(x.shape());
  return roll(x, Shape{shift}, Shape{*axis});
}

Array roll(const Array& x, std::int64_t shift, const RollOptions& options) {
  const FunctionName function("roll");
  if (!options.axis.given()) return roll(x, shift);
  return roll(x, Shape::filled(options.axis.list().size(), shift), options.axis.list());
}

Array roll(const Array& x, const Shape& shifts, const Shape& axes) {
  const FunctionName function("roll");
  if (shifts.size() != axes.size())
    fail(function, "shifts " + to_string(shifts) + " and axes " + to_string(axes) + " do not pair up");
  Shape total = Shape::filled(x.ndim(), 0);
  for (int i = 0; i < axes.size(); ++i) {
    const int axis = detail::normalize_axis(function, axes[i], x.ndim());
    const std::int64_t length = std::max<std::int64_t>(x.shape()[axis], 1);
    total[axis] = ((total[axis] + shifts[i] % length) % length + length) % length;
  }
  Array result = x;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    if (total[axis] == 0) continue;
    std::vector<Index> end(std::size_t(axis) + 1, slice(none, none)), beginning = end;
    end.back() = slice(-total[axis], none);
    beginning.back() = slice(0, -total[axis]);
    result = concat({result.at(end), result.at(beginning)}, axis);
  }
  return result;
}

namespace {

/// Arrays joined along an axis after `shaped` has given each one its shape.
Array joined(std::span<const Array> arrays, Array (*shaped)(const Array&), int axis) {
  std::vector<Array> parts;
  for (const Array& x : arrays) parts.push_back(shaped(x));
  return concat(parts, axis);
}

}  // namespace

Array hstack(std::span<const Array> arrays) {
  const FunctionName function("hstack");
  return joined(arrays, atleast_1d, !arrays.empty() && arrays[0].ndim() > 1 ? 1 : 0);
}

Array vstack(std::span<const Array> arrays) {
  const FunctionName function("vstack");
  return joined(arrays, atleast_2d, 0);
}

Array dstack(std::span<const Array> arrays) {
  const FunctionName function("dstack");
  return joined(arrays, atleast_3d, 2);
}

Array column_stack(std::span<const Array> arrays) {
  const FunctionName function("column_stack");
  return joined(arrays, [](const Array& x) { return x.ndim() < 2 ? x.reshape({-1, 1}) : x; }, 1);
}

Array block(std::initializer_list<std::initializer_list<Array>> rows) {
  const FunctionName function("block");
  int ndim = 2;
  for (const auto& row : rows)
    for (const Array& x : row) ndim = std::max(ndim, x.ndim());
  std::vector<Array> joined_rows;
  for (const auto& row : rows) {
    std::vector<Array> parts;
    for (const Array& x : row) {
      Shape shape = Shape::filled(ndim - x.ndim(), 1);
      for (std::int64_t length : x.shape()) shape.push_back(length);
      parts.push_back(x.reshape(shape));
    }
    joined_rows.push_back(concat(parts, -1));
  }
  return concat(joined_rows, -2);
}

Array append(const Array& x, const Array& values, const EditOptions& options) {
  const FunctionName function("append");
  return concat({x, values}, options.axis);
}

namespace {

/// Everything but what `last` names on an axis.
std::vector<Index> along(int axis, const Index& last) {
  std::vector<Index> index(std::size_t(axis) + 1, slice(none, none));
  index.back() = last;
  return index;
}

}  // namespace

Array insert(const Array& x, std::int64_t index, const Operand& values, const EditOptions& options) {
  const FunctionName function("insert");
  if (!options.axis && x.ndim() != 1) return insert(x.ravel(), index, values, {.axis = 0});
  const int axis = detail::normalize_axis(function, options.axis.value_or(0), x.ndim());
  const std::int64_t place = detail::normalize_index(function, index, axis, x.shape()[axis], 1);
  Shape shape = x.shape();
  ++shape[axis];
  Array result = empty(shape, {.dtype = x.dtype(), .device = x.device()});
  result.at(along(axis, slice(0, place))) = x.at(along(axis, slice(0, place)));
  result.at(along(axis, place)) = values;
  result.at(along(axis, slice(place + 1, none))) = x.at(along(axis, slice(place, none)));
  return result;
}

Array delete_(const Array& x, std::int64_t index, const EditOptions& options) {
  const FunctionName function("delete_");
  if (!options.axis && x.ndim() != 1) return delete_(x.ravel(), index, {.axis = 0});
  const int axis = detail::normalize_axis(function, options.axis.value_or(0), x.ndim());
  const std::int64_t place = detail::normalize_index(function, index, axis, x.shape()[axis]);
  return concat({x.at(along(axis, slice(0, place))), x.at(along(axis, slice(place + 1, none)))}, axis);
}

Array delete_(const Array& x, const Array& indices, const EditOptions& options) {
  const FunctionName function("delete_");
  if (!options.axis && x.ndim() != 1) return delete_(x.ravel(), indices, {.axis = 0});
  const int axis = detail::normalize_axis(function, options.axis.value_or(0), x.ndim());
  if (indices.size() == 0) return x;
  Array keeps = ones({x.shape()[axis]}, {.dtype = bool_, .device = x.device()});
  if (is_bool(indices.dtype()))
    keeps = logical_not(indices);
  else
    keeps(detail::checked_indices(function, indices, axis, x.shape()[axis])) = false;
  return x.at(along(axis, keeps));
}

namespace {

/// For each place of a padded axis the element that stands there.
Array pad_source(PadMode mode, const Array& x, std::int64_t length, std::int64_t before, std::int64_t total) {
  const Array place = arange(-before, total - before, 1, {.device = x.device()});
  // An axis of one element has no other one to mirror.
  if (mode == PadMode::edge || (mode == PadMode::reflect && length == 1))
    return clip(place, {.min = 0, .max = length - 1});
  if (mode == PadMode::wrap) return remainder(place, length);
  const std::int64_t turn = mode == PadMode::reflect ? length - 1 : length;
  const Array around = remainder(place, 2 * turn);  // forth and back
  return minimum(around, subtract(2 * turn - (mode == PadMode::symmetric), around));
}

}  // namespace

Array pad(const Array& x, const PadWidth& width, const PadOptions& options) {
  const FunctionName function("pad");
  const auto& pairs = width.pairs();
  if (pairs.size() != 1 && pairs.size() != std::size_t(x.ndim()))
    fail(function, std::to_string(pairs.size()) + " pairs of widths for array of shape " + to_string(x.shape()));
  Shape shape = x.shape();
  std::vector<Index> middle;
  for (int i = 0; i < x.ndim(); ++i) {
    const auto [before, behind] = pairs[pairs.size() == 1 ? 0 : std::size_t(i)];
    if (before < 0 || behind < 0)
      fail(function, "widths (" + std::to_string(before) + ", " + std::to_string(behind) + ") are negative");
    if (options.mode != PadMode::constant && shape[i] == 0 && (before > 0 || behind > 0))
      fail(function, "axis " + std::to_string(i) + " of shape " + to_string(x.shape()) + " has no element to repeat");
    const std::int64_t length = shape[i];
    std::int64_t added;
    if (__builtin_add_overflow(before, behind, &added) || __builtin_add_overflow(length, added, &shape[i]))
      fail(function, "the result has more elements than can be counted");
    middle.push_back(slice(before, before + length));
  }
  if (options.mode == PadMode::constant) {
    const Scalar& value = options.constant_values;
    Array result = full(shape, value, {.dtype = x.dtype(), .device = x.device()});
    result.at(middle) = x;
    return result;
  }
  Array result = x;
  for (int i = x.ndim() - 1; i >= 0; --i)  // the first axis comes last: its slices are the largest to move as a whole
    if (const std::int64_t length = x.shape()[i]; shape[i] != length)
      result = take(result, pad_source(options.mode, x, length, middle[std::size_t(i)].start, shape[i]), {.axis = i});
  return result;
}

}  // namespace tandem
