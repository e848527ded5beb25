#include <tandem/nan_reductions.hpp>

#include <cmath>
#include <complex>

#include <tandem/elementwise.hpp>

#include "common.hpp"

namespace tandem {
namespace {

Array replaced(const Array& x, const Scalar& value) { return is_inexact(x.dtype()) ? where(isnan(x), value, x) : x; }

/// Both parts, so that it comes before or behind every complex number.
Scalar infinity(const Array& x, double sign) {
  const double part = sign * INFINITY;
  return is_complex(x.dtype()) ? Scalar(std::complex<double>(part, part)) : Scalar(part);
}

Array extreme(const char* function, td_reduction reduction, double loser, const Array& x,
              const ReduceOptions& options) {
  const detail::FunctionName scope(function);
  if (options.dtype) detail::fail(function, "takes no dtype");
  const Array numbers = replaced(x, infinity(x, loser));
  const Array value = detail::reduce(function, reduction, numbers, options.axis, options.keepdims);
  if (!is_inexact(x.dtype())) return value;
  return where(detail::reduce(function, TD_REDUCE_all, isnan(x), options.axis, options.keepdims), NAN, value);
}

Array position(const char* function, td_reduction reduction, double loser, const Array& x,
               const ReduceOptions& options) {
  const detail::FunctionName scope(function);
  if (options.dtype) detail::fail(function, "takes no dtype");
  if (options.axis.given() && options.axis.list().size() > 1)
    detail::fail(function, "one axis or none, not " + to_string(options.axis.list()));
  const Array numbers = replaced(x, infinity(x, loser));
  const Array value = detail::reduce(function, reduction, numbers, options.axis, options.keepdims);
  if (is_inexact(x.dtype()) && any(detail::reduce(function, TD_REDUCE_all, isnan(x), options.axis, true)).item<bool>())
    detail::fail(function, "a row of shape " + to_string(x.shape()) + " holds NaN alone");
  return value;
}

Array count_numbers(const Array& x, const Axes& axes, bool keepdims) {
  return count_nonzero(logical_not(isnan(x)), {.axis = axes, .keepdims = keepdims});
}

}  // namespace

Array nansum(const Array& x, const ReduceOptions& options) {
  const detail::FunctionName function("nansum");
  return sum(replaced(x, 0), options);
}

Array nanprod(const Array& x, const ReduceOptions& options) {
  const detail::FunctionName function("nanprod");
  return prod(replaced(x, 1), options);
}

Array nanmax(const Array& x, const ReduceOptions& options) { return extreme("nanmax", TD_REDUCE_max, -1, x, options); }

Array nanmin(const Array& x, const ReduceOptions& options) { return extreme("nanmin", TD_REDUCE_min, 1, x, options); }

Array nanargmax(const Array& x, const ReduceOptions& options) {
  return position("nanargmax", TD_REDUCE_argmax, -1, x, options);
}

Array nanargmin(const Array& x, const ReduceOptions& options) {
  return position("nanargmin", TD_REDUCE_argmin, 1, x, options);
}

Array nanmean(const Array& x, const ReduceOptions& options) {
  const detail::FunctionName function("nanmean");
  if (!is_inexact(x.dtype())) return mean(x, options);
  const DType result = options.dtype.value_or(x.dtype()), compute = detail::accumulator_dtype(result);
  const auto& [axis, keepdims, dtype] = options;
  const Array total = detail::reduce(function, TD_REDUCE_sum, replaced(x, 0).astype(compute), axis, keepdims);
  return divide(total, count_numbers(x, axis, keepdims).astype(real_dtype(compute))).astype(result);
}

Array nanvar(const Array& x, const VarOptions& options) {
  const detail::FunctionName function("nanvar");
  if (!is_inexact(x.dtype())) return var(x, options);
  const DType compute = detail::accumulator_dtype(x.dtype()), part = real_dtype(compute);
  const Array wide = x.astype(compute);
  const Array count = count_numbers(wide, options.axis, true).astype(part);
  const Array average = divide(detail::reduce(function, TD_REDUCE_sum, replaced(wide, 0), options.axis, true), count);
  const Array distance = where(isnan(wide), 0, subtract(wide, average));
  const Array squares =
      is_complex(compute) ? add(square(real(distance)), square(imag(distance))) : square(distance);
  const Array total = detail::reduce(function, TD_REDUCE_sum, squares, options.axis, options.keepdims);
  const Array divisor = subtract(count_numbers(x, options.axis, options.keepdims).astype(part), options.correction);
  return where(less_equal(divisor, 0), NAN, divide(total, divisor)).astype(real_dtype(x.dtype()));
}

Array nanstd(const Array& x, const VarOptions& options) {
  const detail::FunctionName function("nanstd");
  return sqrt(nanvar(x, options));
}

Array nancumsum(const Array& x, const CumulativeOptions& options) {
  const detail::FunctionName function("nancumsum");
  return cumulative_sum(replaced(x, 0), options);
}

Array nancumprod(const Array& x, const CumulativeOptions& options) {
  const detail::FunctionName function("nancumprod");
  return cumulative_prod(replaced(x, 1), options);
}

}  // namespace tandem
