#include <tandem/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>

#include <tandem/creation.hpp>
#include <tandem/elementwise.hpp>
#include <tandem/indexing.hpp>
#include <tandem/linalg.hpp>
#include <tandem/manipulation.hpp>
#include <tandem/nan_reductions.hpp>
#include <tandem/scans.hpp>
#include <tandem/sorting.hpp>

#include "../array/selection.hpp"
#include "../array/shape_rules.hpp"
#include "common.hpp"

namespace tandem {
namespace {

using detail::fail;
using detail::FunctionName;
using detail::refuse_complex;

/// More bins have no place in memory.
constexpr std::int64_t most_bins = std::int64_t{1} << 48;

/// The axes of each row as one last axis.
Array as_rows(const char* function, const Array& x, const Axes& axes) {
  if (!axes.given()) return x.ravel();
  const std::uint32_t mask = detail::axes_mask(function, axes, x.ndim());
  Shape order, shape;
  std::int64_t length = 1;
  for (int i = 0; i < x.ndim(); ++i)
    if (!(mask >> i & 1)) order.push_back(i), shape.push_back(x.shape()[i]);
  for (int i = 0; i < x.ndim(); ++i)
    if (mask >> i & 1) order.push_back(i), length *= x.shape()[i];
  shape.push_back(length);
  return x.permute(order).reshape(shape);
}

/// A result without the axes of rows, which come back with length 1.
Array kept(const char* function, Array result, const Array& x, const Axes& axes, bool keepdims) {
  if (!keepdims) return result;
  Shape shape = x.shape();
  const std::uint32_t mask = detail::axes_mask(function, axes, x.ndim());
  for (int i = 0; i < shape.size(); ++i)
    if (mask >> i & 1) shape[i] = 1;
  return result.reshape(shape);
}

/// Where a quantile lies in a row of n in order: from element `below` on, `t` of the way to the next one; or, if it is
/// discrete, at `below`.
struct Place {
  std::int64_t below;
  double t = 0;
  bool discrete = false;
};

Place place_of(QuantileMethod method, std::int64_t count, double q) {
  const auto n = static_cast<double>(count);
  const auto between = [](double index) { return Place{std::int64_t(std::floor(index)), index - std::floor(index)}; };
  const auto at = [](double index) { return Place{.below = std::int64_t(index), .discrete = true}; };
  const auto by = [&](double alpha, double beta) { return between(n * q + (alpha + q * (1 - alpha - beta)) - 1); };
  const auto is_whole = [](double x) { return x == std::floor(x); };
  switch (method) {
    case QuantileMethod::inverted_cdf: return at(std::ceil(n * q - 1));
    case QuantileMethod::averaged_inverted_cdf: {
      Place place = between(n * q - 1);
      place.t = place.t == 0 ? 0.5 : 1;
      return place;
    }
    case QuantileMethod::closest_observation: {
      const double index = n * q - 1 - 0.5, floor = std::floor(index);
      return at(is_whole(index) && std::fmod(floor, 2) != 0 ? floor : floor + 1);
    }
    case QuantileMethod::interpolated_inverted_cdf: return by(0, 1);
    case QuantileMethod::hazen: return by(0.5, 0.5);
    case QuantileMethod::weibull: return by(0, 0);
    case QuantileMethod::median_unbiased: return by(1 / 3.0, 1 / 3.0);
    case QuantileMethod::normal_unbiased: return by(3 / 8.0, 3 / 8.0);
    case QuantileMethod::lower: return at(std::floor((n - 1) * q));
    case QuantileMethod::higher: return at(std::ceil((n - 1) * q));
    case QuantileMethod::nearest: return at(std::nearbyint((n - 1) * q));
    case QuantileMethod::midpoint: {
      Place place = between((n - 1) * q);
      place.t = place.t == 0 ? 0 : 0.5;
      return place;
    }
    default: return between((n - 1) * q);
  }
}

/// The elements of rows that sort puts at ascending ranks.
Array statistics(const char* function, const Array& rows, const std::vector<std::int64_t>& ranks) {
  const auto count = std::int64_t(ranks.size());
  const Array places = detail::host_array(function, *rows.node()->device, int64, {count}, ranks.data());
  return detail::at_ranks(function, rows, places).values;
}

void check_quantiles(const char* function, const Array& x, const std::vector<double>& q, double scale) {
  for (double each : q)
    if (!(each >= 0 && each <= scale))
      fail(function, std::to_string(each) + " is not in [0, " + std::to_string(int(scale)) + "]");
  refuse_complex(function, x);
}

/// The results for each q, of shapes like that of the second argument, one after another along a first axis.
Array beside(const std::vector<Array>& results, const Array& like) {
  if (!results.empty()) return stack(results);
  Shape shape{0};
  for (std::int64_t length : like.shape()) shape.push_back(length);
  return empty(shape, {.dtype = like.dtype(), .device = like.device()});
}

Array quantiles(const char* function, const Array& x, const std::vector<double>& q, double scale,
                const QuantileOptions& options) {
  const FunctionName scope(function);
  check_quantiles(function, x, q, scale);
  const Array rows = as_rows(function, x, options.axis);
  const std::int64_t n = rows.shape(-1);
  if (n == 0) fail(function, "an empty row of shape " + to_string(x.shape()) + " has no quantile");
  const bool discrete = place_of(options.method, n, 0.5).discrete;
  const DType dtype = discrete || is_inexact(x.dtype()) ? x.dtype() : float64;
  // Of the order statistics those that are needed; NaN comes last.
  const auto inside = [&](std::int64_t i) { return std::clamp<std::int64_t>(i, 0, n - 1); };
  std::vector<Place> places;
  std::vector<std::int64_t> ranks;
  for (double each : q) {
    places.push_back(place_of(options.method, n, each / scale));
    for (const std::int64_t i : {places.back().below, places.back().below + !discrete}) ranks.push_back(inside(i));
  }
  if (is_inexact(dtype) || ranks.empty()) ranks.push_back(n - 1);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  const Array ordered = statistics(function, rows, ranks).astype(dtype);
  const Array last = ordered(ellipsis, -1);
  std::vector<Array> results;
  for (const Place& place : places) {
    const auto element = [&](std::int64_t i) {
      return ordered(ellipsis, std::lower_bound(ranks.begin(), ranks.end(), inside(i)) - ranks.begin());
    };
    Array value = element(place.below);
    if (!discrete) {
      const Array a = value, b = element(place.below + 1);
      const bool is_near = place.t < 0.5;  // from the nearer side, as NumPy's linear method does
      value = add(is_near ? a : b, multiply(subtract(b, a), is_near ? place.t : place.t - 1));
    }
    if (is_inexact(dtype)) value = where(isnan(last), last, value);
    results.push_back(kept(function, value, x, options.axis, options.keepdims));
  }
  return beside(results, kept(function, last, x, options.axis, options.keepdims));
}

/// Mean of the elements at two positions of rows in order, in x's dtype or float64. Two equal ones do not overflow: of a
/// row with a middle they are one.
Array mean_of(const Array& a, const Array& b) {
  const DType result = is_inexact(a.dtype()) ? a.dtype() : float64, compute = detail::accumulator_dtype(result);
  const Array mean = divide(add(a.astype(compute), b.astype(compute)), 2).astype(result);
  return is_inexact(a.dtype()) ? where(equal(a, b), a, mean) : mean;
}

/// NaN for each row.
Array all_nan(const Array& rows) {
  Shape shape = rows.shape();
  shape.resize(shape.size() - 1);
  return full(shape, NAN, {.dtype = is_inexact(rows.dtype()) ? rows.dtype() : float64, .device = rows.device()});
}

/// Quantiles of what of each row is not NaN. Rows differ in that, so each has places of its own.
Array nan_quantiles(const char* function, const Array& x, const std::vector<double>& q, double scale,
                    const QuantileOptions& options) {
  const FunctionName scope(function);
  check_quantiles(function, x, q, scale);
  const Array rows = as_rows(function, x, options.axis);
  const auto in_shape = [&](const Array& value) { return kept(function, value, x, options.axis, options.keepdims); };
  if (rows.shape(-1) == 0) {
    const Array none = in_shape(all_nan(rows));
    return beside(std::vector<Array>(q.size(), none), none);
  }
  if (!is_inexact(x.dtype())) return quantiles(function, x, q, scale, options);
  const Array numbers = count_nonzero(logical_not(isnan(rows)), {.axis = -1});
  const std::vector<std::int64_t> counts = numbers.to_vector<std::int64_t>();
  detail::DeviceState& device = *x.node()->device;
  Shape pairs = numbers.shape();
  pairs.push_back(2);
  std::vector<Array> results;
  for (double each : q) {
    std::vector<std::int64_t> ranks;
    std::vector<double> parts;
    for (const std::int64_t count : counts) {
      const std::int64_t n = std::max<std::int64_t>(count, 1);  // a row of NaN alone gives its first one
      const Place place = place_of(options.method, n, each / scale);
      for (const std::int64_t i : {place.below, place.below + 1})
        ranks.push_back(std::clamp<std::int64_t>(i, 0, n - 1));
      parts.push_back(place.t);
    }
    const Array places = detail::host_array(function, device, int64, pairs, ranks.data());
    const Array around = detail::at_ranks(function, rows, places).values;
    const Array a = around(ellipsis, 0), b = around(ellipsis, 1);
    const Array t = detail::host_array(function, device, float64, numbers.shape(), parts.data());
    const Array is_near = less(t, 0.5), part = where(is_near, t, subtract(t, 1)).astype(x.dtype());
    const bool discrete = place_of(options.method, 1, each / scale).discrete;
    results.push_back(in_shape(discrete ? a : add(where(is_near, a, b), multiply(subtract(b, a), part))));
  }
  return beside(results, in_shape(rows(ellipsis, 0)));
}

/// Sorted values, and for each edge how many lie before it: below for all but the last one, where those at it count,
/// too.
Array before_edges(const Array& sorted, const Array& edges) {
  return concat({searchsorted(sorted, edges(slice(0, -1))),
                 searchsorted(sorted, edges(slice(-1, none)), {.side = Side::right})});
}

/// Sums of the weights of equal int64 positions 0 <= x < length, added in order.
Array weighed(const Array& x, const Operand& weights, std::int64_t length, DType dtype) {
  Array result = zeros({length}, {.dtype = dtype, .device = x.device()});
  if (x.size() > 0)
    detail::selection_of(x.eval())->assign(result, weights.is_array() ? weights.array().astype(dtype) : weights, true);
  return result;
}

/// Whether counts are best added up one by one. The many threads of a GPU would wait for one another where numbers are
/// equal; there what is counted is sorted.
bool counts_in_place(const Array& x) { return x.device().shares_host_memory(); }

}  // namespace

Array quantile(const Array& x, const std::vector<double>& q, const QuantileOptions& options) {
  return quantiles("quantile", x, q, 1, options);
}

Array quantile(const Array& x, double q, const QuantileOptions& options) {
  const FunctionName function("quantile");
  return quantile(x, std::vector<double>{q}, options)(0);
}

Array percentile(const Array& x, const std::vector<double>& q, const QuantileOptions& options) {
  return quantiles("percentile", x, q, 100, options);
}

Array percentile(const Array& x, double q, const QuantileOptions& options) {
  const FunctionName function("percentile");
  return percentile(x, std::vector<double>{q}, options)(0);
}

Array nanquantile(const Array& x, const std::vector<double>& q, const QuantileOptions& options) {
  return nan_quantiles("nanquantile", x, q, 1, options);
}

Array nanquantile(const Array& x, double q, const QuantileOptions& options) {
  const FunctionName function("nanquantile");
  return nanquantile(x, std::vector<double>{q}, options)(0);
}

Array nanpercentile(const Array& x, const std::vector<double>& q, const QuantileOptions& options) {
  return nan_quantiles("nanpercentile", x, q, 100, options);
}

Array nanpercentile(const Array& x, double q, const QuantileOptions& options) {
  const FunctionName function("nanpercentile");
  return nanpercentile(x, std::vector<double>{q}, options)(0);
}

Array median(const Array& x, const RowOptions& options) {
  const FunctionName function("median");
  refuse_complex(function, x);
  const Array rows = as_rows(function, x, options.axis);
  const std::int64_t n = rows.shape(-1);
  Array value;
  if (n == 0) {
    value = all_nan(rows);
  } else {
    std::vector<std::int64_t> ranks{(n - 1) / 2, n / 2};
    if (is_inexact(x.dtype())) ranks.push_back(n - 1);  // where a NaN is
    const Array middle = statistics(function, rows, ranks), last = middle(ellipsis, -1);
    value = mean_of(middle(ellipsis, 0), middle(ellipsis, 1));
    if (is_inexact(x.dtype())) value = where(isnan(last), last, value);
  }
  return kept(function, value, x, options.axis, options.keepdims);
}

Array nanmedian(const Array& x, const RowOptions& options) {
  const FunctionName function("nanmedian");
  refuse_complex(function, x);
  const Array rows = as_rows(function, x, options.axis);
  Array value;
  if (rows.shape(-1) == 0) {
    value = all_nan(rows);
  } else {
    // NaN comes last in order. A row of NaN alone gives its first one.
    const Array count = count_nonzero(logical_not(isnan(rows)), {.axis = -1, .keepdims = true});
    const Array ranks = concat({floor_divide(maximum(subtract(count, 1), 0), 2), floor_divide(count, 2)}, -1);
    const Array middle = detail::at_ranks(function, rows, ranks).values;
    value = mean_of(middle(ellipsis, 0), middle(ellipsis, 1));
  }
  return kept(function, value, x, options.axis, options.keepdims);
}

Array ptp(const Array& x, const RowOptions& options) {
  const FunctionName function("ptp");
  const auto extreme = [&](td_reduction which) {
    return detail::reduce(function, which, x, options.axis, options.keepdims);
  };
  return subtract(extreme(TD_REDUCE_max), extreme(TD_REDUCE_min));
}

Array average(const Array& x, const AverageOptions& options) {
  const FunctionName function("average");
  if (!options.weights) return mean(x, {.axis = options.axis, .keepdims = options.keepdims});
  Array weights = *options.weights;
  if (!(weights.shape() == x.shape())) {
    if (weights.ndim() != 1 || !options.axis.given() || options.axis.list().size() != 1)
      fail(function, "weights of shape " + to_string(weights.shape()) + " do not fit array of shape " +
                         to_string(x.shape()) + "; 1-d ones need one axis");
    const int axis = detail::normalize_axis(function, options.axis.list()[0], x.ndim());
    if (weights.size() != x.shape()[axis])
      fail(function, "weights of shape " + to_string(weights.shape()) + " do not fit axis " + std::to_string(axis) +
                         " of shape " + to_string(x.shape()));
    Shape shape = Shape::filled(x.ndim(), 1);
    shape[axis] = weights.size();
    weights = weights.reshape(shape).broadcast_to(x.shape());
  }
  const DType promoted = promote_types(x.dtype(), weights.dtype());
  const DType result = is_inexact(x.dtype()) && is_inexact(promoted) ? promoted : promote_types(promoted, float64);
  const DType compute = detail::accumulator_dtype(result);
  const Array scale = detail::reduce(function, TD_REDUCE_sum, weights.astype(compute), options.axis, options.keepdims);
  const Array total = detail::reduce(function, TD_REDUCE_sum, multiply(x.astype(compute), weights.astype(compute)),
                                     options.axis, options.keepdims);
  if (any(equal(scale, 0)).item<bool>())
    fail(function, "weights of shape " + to_string(options.weights->shape()) + " sum to zero");
  return divide(total, scale).astype(result);
}

Array cov(const Array& x, const CovOptions& options) {
  const FunctionName function("cov");
  if (x.ndim() > 2) fail(function, "array of shape " + to_string(x.shape()) + " has more than two axes");
  const DType dtype = promote_types(x.dtype(), float64);
  Array variables = x.ndim() == 2 ? x : x.reshape({1, -1});
  if (!options.rowvar && x.ndim() == 2) variables = variables.transpose();
  const auto n = static_cast<double>(variables.shape(1));
  variables = variables.astype(dtype);
  const Array centred = subtract(variables, mean(variables, {.axis = 1, .keepdims = true}));
  const Array products = matmul(centred, conj(centred).transpose());
  return divide(products, std::max(n - options.correction, 0.0)).squeeze();
}

Array corrcoef(const Array& x, const CovOptions& options) {
  const FunctionName function("corrcoef");
  if (x.ndim() > 2) fail(function, "array of shape " + to_string(x.shape()) + " has more than two axes");
  const Array c = cov(x, options);
  if (c.ndim() == 0) return divide(c, c);
  const Array deviations = sqrt(real(diagonal(c)));
  const Array r = divide(divide(c, deviations.expand_dims(1)), deviations);
  const auto clipped = [](const Array& part) { return clip(part, {.min = -1, .max = 1}); };
  return is_complex(r.dtype()) ? make_complex(clipped(real(r)), clipped(imag(r))) : clipped(r);
}

Histogram histogram(const Array& x, const Array& edges, const HistogramOptions& options) {
  const FunctionName function("histogram");
  refuse_complex(function, x);
  if (edges.ndim() != 1 || edges.size() < 1)
    fail(function, "edges of shape " + to_string(edges.shape()) + " are no 1-d array of at least one");
  if (any(less(edges(slice(1, none)), edges(slice(0, -1)))).item<bool>())
    fail(function, "the edges of bins must not decrease");
  const std::int64_t bins = edges.size() - 1;
  const Array flat = x.ravel();
  Array counts;
  if (options.weights && !(options.weights->shape() == x.shape()))
    fail(function, "weights of shape " + to_string(options.weights->shape()) + " do not fit array of shape " +
                       to_string(x.shape()));
  if (!options.weights && !counts_in_place(x)) {
    counts = diff(before_edges(sort(flat), edges));
  } else {
    // What lies outside goes to a place of its own behind the others.
    const Array bin = subtract(searchsorted(edges, flat, {.side = Side::right}), 1);
    const Array inside = logical_and(greater_equal(flat, edges(0)), less_equal(flat, edges(-1)));
    const Array places = where(inside, minimum(bin, std::max<std::int64_t>(bins - 1, 0)), bins);
    const Array sums = options.weights ? weighed(places, options.weights->ravel(), bins + 1,
                                                 detail::sum_dtype(options.weights->dtype()))
                                       : weighed(places, 1, bins + 1, int64);
    counts = sums(slice(0, bins));
  }
  if (options.density) counts = divide(divide(counts, diff(edges).astype(float64)), sum(counts));
  return {counts, edges};
}

Histogram histogram(const Array& x, std::int64_t bins, const HistogramOptions& options) {
  const FunctionName function("histogram");
  refuse_complex(function, x);
  if (bins < 1 || bins > most_bins) fail(function, std::to_string(bins) + " bins");
  double first = 0, last = 1;
  if (options.range)
    std::tie(first, last) = *options.range;
  else if (x.size() > 0)
    first = min(x).item<double>(), last = max(x).item<double>();
  if (!std::isfinite(first) || !std::isfinite(last) || first > last)
    fail(function, "the range [" + std::to_string(first) + ", " + std::to_string(last) +
                       "] is not finite or runs backwards");
  if (first == last) first -= 0.5, last += 0.5;
  const DType dtype = is_inexact(x.dtype()) ? x.dtype() : float64;
  return histogram(x, linspace(first, last, bins + 1, {.dtype = dtype, .device = x.device()}), options);
}

Array bincount(const Array& x, const BincountOptions& options) {
  const FunctionName function("bincount");
  if (x.ndim() != 1) fail(function, "array of shape " + to_string(x.shape()) + " is not 1-d");
  if (!is_integer(x.dtype()) && !is_bool(x.dtype()))
    fail(function, "dtype " + std::string(name(x.dtype())) + " is no integer");
  if (options.minlength < 0 || options.minlength > most_bins)
    fail(function, "minlength " + std::to_string(options.minlength) + " is negative or too large");
  const Array numbers = x.astype(int64);
  if (options.weights && !(options.weights->shape() == x.shape()))
    fail(function, "weights of shape " + to_string(options.weights->shape()) + " do not fit array of shape " +
                       to_string(x.shape()));
  std::int64_t length = options.minlength;
  DType narrow = int64;  // fewer bytes sort faster
  if (x.size() > 0) {
    // One pass: negative numbers are the largest ones without a sign.
    const auto largest = static_cast<std::int64_t>(max(numbers.astype(uint64)).item<std::uint64_t>());
    if (largest < 0) {
      const auto smallest = min(numbers).item<std::int64_t>();
      fail(function, "the numbers must not be negative, and " + std::to_string(smallest) + " is");
    }
    if (largest > most_bins) fail(function, std::to_string(largest) + " is too large to count up to");
    length = std::max(length, largest + 1);
    narrow = largest <= UINT16_MAX ? uint16 : largest <= UINT32_MAX ? uint32 : int64;
  }
  if (options.weights) return weighed(numbers, *options.weights, length, float64);
  if (counts_in_place(numbers)) return weighed(numbers, 1, length, int64);
  return diff(searchsorted(sort(numbers.astype(narrow)), arange(length + 1, {.device = x.device()})));
}

Array digitize(const Array& x, const Array& bins, const DigitizeOptions& options) {
  const FunctionName function("digitize");
  if (bins.ndim() != 1) fail(function, "bins of shape " + to_string(bins.shape()) + " are not 1-d");
  const Side side = options.right ? Side::left : Side::right;
  const Array earlier = bins(slice(0, -1)), later = bins(slice(1, none));
  if (all(greater_equal(later, earlier)).item<bool>()) return searchsorted(bins, x, {.side = side});
  if (!all(less_equal(later, earlier)).item<bool>())
    fail(function, "bins of shape " + to_string(bins.shape()) + " neither increase nor decrease");
  return subtract(bins.size(), searchsorted(bins.flip(), x, {.side = side}));
}

}  // namespace tandem
