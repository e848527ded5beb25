#include <tandem/manipulation.hpp>

#include <algorithm>

#include <tandem/creation.hpp>
#include <tandem/indexing.hpp>
#include <tandem/reductions.hpp>
#include <tandem/scans.hpp>
#include <tandem/sorting.hpp>
#include <tandem/elementwise.hpp>

#include "../array/shape_rules.hpp"
#include "common.hpp"

namespace tandem {

using detail::fail;

Array repeat(const Array& x, std::int64_t repeats, const RepeatOptions& options) {
  if (x.ndim() == 0) return repeat(x.ravel(), repeats, options);
  if (!options.axis && x.ndim() != 1) return repeat(x.ravel(), repeats, {.axis = 0});
  if (repeats < 0) fail("repeat", "repeats may not contain negative values");
  const int axis = detail::normalize_axis("repeat", options.axis.value_or(0), x.ndim());
  Shape shape = x.shape(), spread;
  for (int i = 0; i < x.ndim(); ++i) {
    spread.push_back(shape[i]);
    if (i == axis) spread.push_back(repeats);
  }
  if (__builtin_mul_overflow(shape[axis], repeats, &shape[axis]))
    fail("repeat", "the result has more elements than can be counted");
  return x.expand_dims(axis + 1).broadcast_to(spread).reshape(shape);
}

Array repeat(const Array& x, const Array& repeats, const RepeatOptions& options) {
  constexpr const char* function = "repeat";
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
  if (counts.size() > 0 && any(less(counts, 0)).item<bool>()) fail(function, "repeats may not contain negative values");
  const Array ends = cumulative_sum(counts);
  const std::int64_t total = counts.size() > 0 ? ends(-1).item<std::int64_t>() : 0;
  // The number of elements that end at or before a place is the number of the element that is there.
  const Array places = arange(total, {.dtype = int64, .device = x.device()});
  return take(x, searchsorted(ends, places, {.side = Side::right}), {.axis = axis});
}

Array tile(const Array& x, const Shape& repetitions) {
  const int ndim = std::max(x.ndim(), repetitions.size());
  const int missing = ndim - x.ndim(), unnamed = ndim - repetitions.size();
  Shape apart, spread, shape;  // (1, length), (repetitions, length) and repetitions * length for each axis
  for (int i = 0; i < ndim; ++i) {
    const std::int64_t length = i < missing ? 1 : x.shape()[i - missing];
    const std::int64_t count = i < unnamed ? 1 : repetitions[i - unnamed];
    if (count < 0) fail("tile", "repetitions " + to_string(repetitions) + " are negative");
    // An axis that is not repeated needs no second one: there are only so many.
    if (count != 1) apart.push_back(1), spread.push_back(count);
    apart.push_back(length);
    spread.push_back(length);
    std::int64_t product;
    if (__builtin_mul_overflow(length, count, &product)) fail("tile", "the result has more elements than can be counted");
    shape.push_back(product);
  }
  return x.reshape(apart).broadcast_to(spread).reshape(shape);
}

Array roll(const Array& x, std::int64_t shift, std::optional<int> axis) {
  if (!axis) return roll(x.ravel(), Shape{shift}, Shape{0}).reshape(x.shape());
  return roll(x, Shape{shift}, Shape{*axis});
}

Array roll(const Array& x, const Shape& shifts, const Shape& axes) {
  if (shifts.size() != axes.size())
    fail("roll", "shifts " + to_string(shifts) + " and axes " + to_string(axes) + " do not pair up");
  Shape total = Shape::filled(x.ndim(), 0);
  for (int i = 0; i < axes.size(); ++i) {
    const int axis = detail::normalize_axis("roll", axes[i], x.ndim());
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

std::vector<Array> unstack(const Array& x, int axis) {
  const int along = detail::normalize_axis("unstack", axis, x.ndim());
  std::vector<Index> index(std::size_t(along) + 1, slice(none, none));
  std::vector<Array> parts;
  for (std::int64_t i = 0; i < x.shape()[along]; ++i) {
    index.back() = i;
    parts.push_back(x.at(index));
  }
  return parts;
}

}  // namespace tandem
