// Statistics beyond sum, mean and var: quantiles, averages, covariances, histograms.
#pragma once

#include <string_view>

#include <tandem/array.hpp>
#include <tandem/reductions.hpp>

namespace tandem {

/// How a quantile lies between the order statistics around it: NumPy's methods, the first nine those of Hyndman and
/// Fan, "Sample quantiles in statistical packages", 1996. linear is the default.
enum class QuantileMethod {
  inverted_cdf,
  averaged_inverted_cdf,
  closest_observation,
  interpolated_inverted_cdf,
  hazen,
  weibull,
  linear,
  median_unbiased,
  normal_unbiased,
  lower,
  higher,
  midpoint,
  nearest
};

/// Options of quantile and percentile; axis none flattens.
struct QuantileOptions {
  Axes axis = {};
  bool keepdims = false;
  QuantileMethod method = QuantileMethod::linear;
};
/// The q-quantile for each 0 <= q <= 1, between the order statistics around q (N - 1) with the default method, as NumPy
/// computes it; NaN if the row holds one. q's axis comes first in the result. Integers in float64, but by the methods
/// that choose one element, which keep the dtype. Throws Error for q outside, complex x, and for an empty row.
TANDEM_API Array quantile(const Array& x, const std::vector<double>& q, const QuantileOptions& options = {});
/// One quantile: no axis for q.
TANDEM_API Array quantile(const Array& x, double q, const QuantileOptions& options = {});
/// quantile(x, q / 100).
TANDEM_API Array percentile(const Array& x, const std::vector<double>& q, const QuantileOptions& options = {});
TANDEM_API Array percentile(const Array& x, double q, const QuantileOptions& options = {});

/// The middle element of each row in order, or the mean of the two in the middle; NaN if the row holds one or is empty.
/// Integers in float64.
TANDEM_API Array median(const Array& x, const RowOptions& options = {});
/// Largest less smallest element; integers wrap.
TANDEM_API Array ptp(const Array& x, const RowOptions& options = {});

/// Options of average: weights of x's shape, or 1-d along the one axis that is given.
struct AverageOptions {
  Axes axis = {};
  std::optional<Array> weights = {};
  bool keepdims = false;
};
/// sum(x * weights) / sum(weights); the mean without weights. Throws Error for weights that do not fit, or sum to zero.
TANDEM_API Array average(const Array& x, const AverageOptions& options = {});

/// Options of cov: variables are rows or columns; the divisor is N - correction.
struct CovOptions {
  bool rowvar = true;
  double correction = 1;
};
/// Covariance matrix of the variables of a 1-d or 2-d array; 0-d for one variable.
TANDEM_API Array cov(const Array& x, const CovOptions& options = {});
/// Matrix of correlation coefficients, parts clipped to [-1, 1].
TANDEM_API Array corrcoef(const Array& x, const CovOptions& options = {});

/// Options of histogram: the range that the bins share (default: of the data), a weight for each element, and whether
/// counts become a density that integrates to 1.
struct HistogramOptions {
  std::optional<std::pair<double, double>> range = {};
  std::optional<Array> weights = {};
  bool density = false;
};
struct Histogram {
  Array counts, edges;
};
/// How many elements of the flattened x lie in each of `bins` equal intervals: edges[i] <= x < edges[i + 1], the last
/// one with its upper edge. int64, or the dtype of a sum of the weights; a density in float64. Throws Error for no bins
/// and a range that is not finite or runs backwards.
TANDEM_API Histogram histogram(const Array& x, std::int64_t bins = 10, const HistogramOptions& options = {});
/// Likewise for the intervals between edges, which must not decrease; range is not used.
TANDEM_API Histogram histogram(const Array& x, const Array& edges, const HistogramOptions& options = {});

/// Options of bincount.
struct BincountOptions {
  std::optional<Array> weights = {};
  std::int64_t minlength = 0;
};
/// How often each of 0, 1, ..., max(x) occurs in a 1-d array of integers, or the sums of their weights in float64,
/// added in order. Throws Error for negative numbers and other dtypes.
TANDEM_API Array bincount(const Array& x, const BincountOptions& options = {});

/// Options of digitize: whether intervals include their right edge, not the left one.
struct DigitizeOptions {
  bool right = false;
};
/// The interval of each element: the number of edges that do not exceed it (right: that it exceeds); with decreasing
/// edges counted from the other end. int64. Throws Error unless bins are 1-d and monotonic.
TANDEM_API Array digitize(const Array& x, const Array& bins, const DigitizeOptions& options = {});

}  // namespace tandem
