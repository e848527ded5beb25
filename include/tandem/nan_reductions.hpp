// Reductions that leave NaN out. dtypes and options are those of the functions without nan.
#pragma once

#include <tandem/reductions.hpp>
#include <tandem/scans.hpp>
#include <tandem/statistics.hpp>

namespace tandem {

/// NaN counts as 0.
TANDEM_API Array nansum(const Array& x, const ReduceOptions& options = {});
/// NaN counts as 1.
TANDEM_API Array nanprod(const Array& x, const ReduceOptions& options = {});
/// NaN for a row of NaN alone; throws Error for an empty row.
TANDEM_API Array nanmax(const Array& x, const ReduceOptions& options = {});
TANDEM_API Array nanmin(const Array& x, const ReduceOptions& options = {});
/// Throw Error for a row of NaN alone or an empty one. NaN counts as the infinity that loses, as in NumPy.
TANDEM_API Array nanargmax(const Array& x, const ReduceOptions& options = {});
TANDEM_API Array nanargmin(const Array& x, const ReduceOptions& options = {});
/// NaN for a row without numbers.
TANDEM_API Array nanmean(const Array& x, const ReduceOptions& options = {});
/// NaN where there are not more numbers than `correction`.
TANDEM_API Array nanvar(const Array& x, const VarOptions& options = {});
TANDEM_API Array nanstd(const Array& x, const VarOptions& options = {});
/// NaN for a row without numbers.
TANDEM_API Array nanmedian(const Array& x, const RowOptions& options = {});
/// quantile and percentile of the numbers of each row; NaN for a row without any, also an empty one. Throw Error for q
/// outside and complex x.
TANDEM_API Array nanquantile(const Array& x, const std::vector<double>& q, const QuantileOptions& options = {});
TANDEM_API Array nanquantile(const Array& x, double q, const QuantileOptions& options = {});
TANDEM_API Array nanpercentile(const Array& x, const std::vector<double>& q, const QuantileOptions& options = {});
TANDEM_API Array nanpercentile(const Array& x, double q, const QuantileOptions& options = {});
/// NaN counts as 0, or as 1.
TANDEM_API Array nancumsum(const Array& x, const CumulativeOptions& options = {});
TANDEM_API Array nancumprod(const Array& x, const CumulativeOptions& options = {});

}  // namespace tandem
