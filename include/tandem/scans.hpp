// Cumulative sums, products, maxima and minima, and differences.
//
// The order of additions depends on the length of the axis alone (docs/reductions.md): the same bits on every backend,
// thread count and instruction set.
#pragma once

#include <tandem/array.hpp>

namespace tandem {

/// Options of cumulative_sum and cumulative_prod. The axis may be left out for 1-d arrays; the dtype is the one to
/// accumulate in and return.
struct CumulativeOptions {
  std::optional<int> axis = {};
  std::optional<DType> dtype = {};
  bool include_initial = false;  // the result starts with 0 (1) and is longer by one
};
/// Sums of all elements up to each one, along an axis. dtypes as for sum: bool and integers in int64 or uint64, wrapping;
/// float16 and bfloat16 accumulate in float32. 0-d x counts as 1-d. Throws Error without an axis for x of more axes.
TANDEM_API Array cumulative_sum(const Array& x, const CumulativeOptions& options = {});
/// Products likewise, with the dtypes of cumulative_sum.
TANDEM_API Array cumulative_prod(const Array& x, const CumulativeOptions& options = {});

/// Options of cumulative_max and cumulative_min: the axis may be left out for 1-d arrays.
struct CumulativeExtremeOptions {
  std::optional<int> axis = {};
};
/// The largest element up to each one, along an axis, in the dtype of x; NaN from the first NaN on.
TANDEM_API Array cumulative_max(const Array& x, const CumulativeExtremeOptions& options = {});
/// The smallest likewise.
TANDEM_API Array cumulative_min(const Array& x, const CumulativeExtremeOptions& options = {});

/// Options of diff: how often, and what is joined to the ends of the axis first (with length 1 there unless it is an
/// array of another one).
struct DiffOptions {
  int axis = -1;
  int n = 1;
  std::optional<Array> prepend = {};
  std::optional<Array> append = {};
};
/// Differences x[i + 1] - x[i] along an axis, n times over: shorter by n, or empty. bool: whether the two differ. Throws
/// Error for 0-d x and negative n.
TANDEM_API Array diff(const Array& x, const DiffOptions& options = {});

}  // namespace tandem
