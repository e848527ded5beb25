// Repeating, shifting and taking apart. concat and stack are in creation.hpp, views in array.hpp.
#pragma once

#include <tandem/array.hpp>

namespace tandem {

/// Options of repeat; without an axis x is flattened.
struct RepeatOptions {
  std::optional<int> axis = {};
};
/// Each element along an axis `repeats` times; 0-d x counts as 1-d. Throws Error for a negative number.
TANDEM_API Array repeat(const Array& x, std::int64_t repeats, const RepeatOptions& options = {});
/// Element i repeats[i] times: a 1-d array of integers of the axis's length, or one for all. Throws Error for other shapes,
/// dtypes and negative numbers.
TANDEM_API Array repeat(const Array& x, const Array& repeats, const RepeatOptions& options = {});

/// x side by side `repetitions[i]` times along axis i; the shorter one of shape and repetitions is filled up with leading
/// ones. Throws Error for a negative number.
TANDEM_API Array tile(const Array& x, const Shape& repetitions);

/// Elements shifted by `shift` places along an axis (of the flattened x without one); what leaves at one end comes in at
/// the other.
TANDEM_API Array roll(const Array& x, std::int64_t shift, std::optional<int> axis = {});
/// Several axes at once; shifts for one axis add up. Throws Error if the numbers of shifts and axes differ.
TANDEM_API Array roll(const Array& x, const Shape& shifts, const Shape& axes);

/// The parts of x along an axis, which they lack (views). Throws IndexError for 0-d x.
TANDEM_API std::vector<Array> unstack(const Array& x, int axis = 0);

}  // namespace tandem
