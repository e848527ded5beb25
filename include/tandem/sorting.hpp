// Order: sorting, searching in what is sorted, and quantiles.
#pragma once

#include <tandem/array.hpp>

namespace tandem {

/// Options of sort and argsort. NaN comes last in either direction.
struct SortOptions {
  int axis = -1;
  bool descending = false;
  bool stable = true;  // equal elements keep their order; they do without it, too
};
/// A sorted copy. Complex numbers order by real part, then imaginary part. Throws IndexError for an axis outside, so
/// also for 0-d x.
TANDEM_API Array sort(const Array& x, const SortOptions& options = {});
/// int64 positions that sort x.
TANDEM_API Array argsort(const Array& x, const SortOptions& options = {});

/// Before or behind the elements that are equal to a value.
enum class Side { left, right };

/// Options of searchsorted: `sorter` holds the positions that sort the first argument, as argsort gives them.
struct SearchOptions {
  Side side = Side::left;
  std::optional<Array> sorter = {};
};
/// int64 positions at which values belong in a sorted 1-d array, so that it stays sorted: the number of elements that come
/// before the value, or with side right before or with it. The shape is that of values; the order is sort's, so NaN is the
/// largest number; dtypes promote. Throws Error if `sorted` or `sorter` is not 1-d.
TANDEM_API Array searchsorted(const Array& sorted, const Array& values, const SearchOptions& options = {});
/// One number, with the dtype that it has alone: the result is 0-d.
TANDEM_API Array searchsorted(const Array& sorted, const Scalar& value, const SearchOptions& options = {});

/// Options of quantile; axis none flattens.
struct QuantileOptions {
  std::optional<int> axis = {};
  bool keepdims = false;
};
/// The q-quantile for each 0 <= q <= 1, by linear interpolation between the order statistics around q (N - 1), as NumPy
/// computes it; NaN if the row holds one. q's axis comes first in the result. Throws Error for q outside and for an
/// empty row.
TANDEM_API Array quantile(const Array& x, const std::vector<double>& q, const QuantileOptions& options = {});
/// One quantile: no axis for q.
TANDEM_API Array quantile(const Array& x, double q, const QuantileOptions& options = {});

}  // namespace tandem
