// Order: sorting and quantiles.
#pragma once

#include <tandem/array.hpp>

namespace tandem {

/// Options of sort and argsort. Both are stable; NaN comes last in either direction.
struct SortOptions {
  int axis = -1;
  bool descending = false;
};
/// A sorted copy. Complex numbers order by real part, then imaginary part. Throws IndexError for an axis outside, so
/// also for 0-d x.
TANDEM_API Array sort(const Array& x, const SortOptions& options = {});
/// int64 positions that sort x.
TANDEM_API Array argsort(const Array& x, const SortOptions& options = {});

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
