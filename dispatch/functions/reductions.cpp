#include <tandem/reductions.hpp>

#include <algorithm>

#include <tandem/elementwise.hpp>

#include "../array/shape_rules.hpp"
#include "../program/scalar_host.hpp"
#include "common.hpp"

namespace tandem {
namespace detail {
namespace {

Shape reduced_shape(const Shape& shape, std::uint32_t mask, bool keepdims) {
  Shape result;
  for (int i = 0; i < shape.size(); ++i) {
    if (!(mask >> i & 1))
      result.push_back(shape[i]);
    else if (keepdims)
      result.push_back(1);
  }
  return result;
}

bool is_position(td_reduction r) noexcept { return r == TD_REDUCE_argmax || r == TD_REDUCE_argmin; }

/// What a reduction of no elements gives; throws for those that need one.
Scalar empty_result(const char* function, td_reduction reduction, const Shape& shape) {
  switch (reduction) {
    case TD_REDUCE_sum: return 0;
    case TD_REDUCE_prod: return 1;
    case TD_REDUCE_all: return true;
    case TD_REDUCE_any: return false;
    default: fail(function, "an empty row of shape " + to_string(shape) + " has no such element");
  }
}

/// Number of elements that one result combines.
std::int64_t row_size(const char* function, const Array& x, const Axes& axes) {
  const std::uint32_t mask = reduced_axes_mask(function, axes, x.ndim());
  std::int64_t n = 1;
  for (int i = 0; i < x.ndim(); ++i)
    if (mask >> i & 1) n *= x.shape()[i];
  return n;
}

}  // namespace

Array reduce(const char* function, td_reduction reduction, Array x, const Axes& axes, bool keepdims) {
  const std::uint32_t mask = reduced_axes_mask(function, axes, x.ndim());
  const DType result_type = is_position(reduction) ? int64 : x.dtype();
  const Shape shape = reduced_shape(x.shape(), mask, keepdims);
  DeviceState& device = *x.node()->device;
  if (x.size() == 0) {
    // Where there is no result for an empty row, NumPy throws even if there is no row.
    const Scalar value = row_size(function, x, axes) == 0 ? empty_result(function, reduction, x.shape()) : Scalar(false);
    return constant_array(function, device, shape, value, result_type);
  }
  if (mask == 0)  // every element is a row of its own
    return is_position(reduction) ? constant_array(function, device, shape, 0, int64) : x;
  return Array(record_reduction(function, reduction, std::move(x).node(), mask, keepdims, result_type));
}

DType sum_dtype(DType dtype) noexcept {
  if (is_bool(dtype) || is_signed_integer(dtype)) return int64;
  return is_unsigned_integer(dtype) ? uint64 : dtype;
}

DType accumulator_dtype(DType dtype) noexcept {
  return dtype == float16 || dtype == bfloat16 ? float32 : sum_dtype(dtype);
}

namespace {

Array accumulate(const char* function, td_reduction reduction, Array x, const ReduceOptions& options) {
  const FunctionName scope(function);
  const DType result = options.dtype.value_or(sum_dtype(x.dtype()));
  x = std::move(x).astype(result);
  x = x.astype(accumulator_dtype(result));
  return reduce(function, reduction, std::move(x), options.axis, options.keepdims).astype(result);
}

Array reject_dtype(const char* function, Array x, const ReduceOptions& options) {
  if (options.dtype) fail(function, "takes no dtype");
  return x;
}

Array position(const char* function, td_reduction reduction, Array x, const ReduceOptions& options) {
  const FunctionName scope(function);
  if (options.axis.given() && options.axis.list().size() > 1)
    fail(function, "one axis or none, not " + to_string(options.axis.list()));
  return reduce(function, reduction, reject_dtype(function, std::move(x), options), options.axis, options.keepdims);
}

/// The dtype in which means and variances of `dtype` are computed, and the one they are returned in.
std::pair<DType, DType> mean_dtypes(DType dtype, std::optional<DType> wanted) {
  const DType result = wanted.value_or(is_inexact(dtype) ? dtype : float64);
  return {accumulator_dtype(result), result};
}

}  // namespace
}  // namespace detail

Array sum(Array x, const ReduceOptions& options) {
  return detail::accumulate("sum", TD_REDUCE_sum, std::move(x), options);
}

Array prod(Array x, const ReduceOptions& options) {
  return detail::accumulate("prod", TD_REDUCE_prod, std::move(x), options);
}

Array max(Array x, const ReduceOptions& options) {
  return detail::reduce("max", TD_REDUCE_max, detail::reject_dtype("max", std::move(x), options), options.axis, options.keepdims);
}

Array min(Array x, const ReduceOptions& options) {
  return detail::reduce("min", TD_REDUCE_min, detail::reject_dtype("min", std::move(x), options), options.axis, options.keepdims);
}

Array any(Array x, const ReduceOptions& options) {
  const detail::FunctionName function("any");
  x = detail::reject_dtype(function, std::move(x), options).astype(bool_);
  return detail::reduce(function, TD_REDUCE_any, std::move(x), options.axis, options.keepdims);
}

Array AllTag::operator()(Array x, const ReduceOptions& options) const {
  const detail::FunctionName function("all");
  x = detail::reject_dtype(function, std::move(x), options).astype(bool_);
  return detail::reduce(function, TD_REDUCE_all, std::move(x), options.axis, options.keepdims);
}

Array AllTag::operator()(Array x) const { return (*this)(std::move(x), ReduceOptions{}); }

Array argmax(Array x, const ReduceOptions& options) {
  return detail::position("argmax", TD_REDUCE_argmax, std::move(x), options);
}

Array argmin(Array x, const ReduceOptions& options) {
  return detail::position("argmin", TD_REDUCE_argmin, std::move(x), options);
}

Array count_nonzero(Array x, const ReduceOptions& options) {
  const detail::FunctionName function("count_nonzero");
  x = detail::reject_dtype(function, std::move(x), options).astype(bool_);
  x = x.astype(int64);
  return detail::reduce(function, TD_REDUCE_sum, std::move(x), options.axis, options.keepdims);
}

Array mean(Array x, const ReduceOptions& options) {
  const detail::FunctionName function("mean");
  const auto [compute, result] = detail::mean_dtypes(x.dtype(), options.dtype);
  const double n = static_cast<double>(detail::row_size(function, x, options.axis));
  x = x.astype(compute);
  Array total = detail::reduce(function, TD_REDUCE_sum, std::move(x), options.axis, options.keepdims);
  return divide(std::move(total), n).astype(result);
}

Array var(Array x, const VarOptions& options) {
  const detail::FunctionName function("var");
  const auto [compute, result] = detail::mean_dtypes(x.dtype(), {});
  const double n = static_cast<double>(detail::row_size(function, x, options.axis));
  x = x.astype(compute);
  Array average = divide(detail::reduce(function, TD_REDUCE_sum, x, options.axis, true), n);
  Array distance = subtract(std::move(x), std::move(average));
  Array squares = is_complex(compute) ? add(square(real(distance)), square(imag(distance))) : square(std::move(distance));
  Array total = detail::reduce(function, TD_REDUCE_sum, std::move(squares), options.axis, options.keepdims);
  return divide(std::move(total), std::max(n - options.correction, 0.0)).astype(real_dtype(result));
}

Array std(Array x, const VarOptions& options) {
  const detail::FunctionName function("std");
  return sqrt(var(std::move(x), options));
}

}  // namespace tandem
