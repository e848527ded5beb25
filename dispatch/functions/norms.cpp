// Norms of vectors and matrices; the only place that says what their orders mean.
#include <tandem/linalg.hpp>

#include <cmath>
#include <limits>

#include <tandem/creation.hpp>
#include <tandem/elementwise.hpp>

#include "../array/shape_rules.hpp"
#include "matrices.hpp"

namespace tandem::linalg {
namespace {

using detail::fail;
using detail::FunctionName;

std::string text_of(const NormOrder& ord) {
  if (ord.kind == NormOrder::Kind::frobenius) return "fro";
  if (ord.kind == NormOrder::Kind::nuclear) return "nuc";
  char text[32];
  std::snprintf(text, sizeof text, "%g", ord.number);
  return text;
}

/// The dtype that norms are computed in: squares of halves must not overflow.
Array widened(Array x) {
  if (!is_inexact(x.dtype())) return std::move(x).astype(float64);
  return is_complex(x.dtype()) || x.dtype() >= float32 ? x : std::move(x).astype(float32);
}

DType norm_dtype(DType dtype) { return is_inexact(dtype) ? real_dtype(dtype) : float64; }

/// |x|^2 without the square root of a complex modulus.
Array squared_modulus(Array x) {
  if (!is_complex(x.dtype())) return square(std::move(x));
  Array re = square(real(x));
  return add(std::move(re), square(imag(std::move(x))));
}

/// The largest of numbers that are not negative; of none 0.
Array largest(Array x, const ReduceOptions& reduction) {
  return x.size() == 0 ? sum(std::move(x), reduction) : max(std::move(x), reduction);
}

/// The smallest along the last axis of what matrices of a shape gave; throws Error for none.
Array smallest(const char* function, const Array& x, const Shape& shape) {
  if (x.shape(-1) == 0) fail(function, "matrices of shape " + to_string(shape) + " have no smallest of no numbers");
  return min(x, {.axis = -1});
}

/// All of x along the axes as one vector.
Array vector_order(const char* function, Array x, const Axes& axis, const NormOrder& ord, bool keepdims) {
  if (ord.kind != NormOrder::Kind::number)
    fail(function, "order " + text_of(ord) + " is one of matrices, not of vectors");
  const DType result = norm_dtype(x.dtype());
  x = widened(std::move(x));
  const ReduceOptions reduction{.axis = axis, .keepdims = keepdims};
  const double p = ord.number;
  Array value;
  if (p == 2)
    value = sqrt(sum(squared_modulus(std::move(x)), reduction));
  else if (p == 1)
    value = sum(abs(std::move(x)), reduction);
  else if (p == 0)
    value = count_nonzero(std::move(x), reduction);
  else if (std::isinf(p))
    value = p > 0 ? largest(abs(std::move(x)), reduction) : min(abs(std::move(x)), reduction);
  else
    value = pow(sum(pow(abs(std::move(x)), p), reduction), 1 / p);
  return value.astype(result);
}

/// Of the matrices in the last two axes, which are dropped.
Array matrix_order(const char* function, Array x, const NormOrder& ord) {
  const Shape shape = x.shape();
  if (ord.kind == NormOrder::Kind::frobenius) return vector_order(function, std::move(x), {-2, -1}, 2, false);
  if (ord.kind == NormOrder::Kind::nuclear)
    return sum(detail::singular_values(function, x, false).S, {.axis = -1});
  const double p = ord.number;
  const ReduceOptions last{.axis = -1};
  if (std::fabs(p) == 2) {
    const Array s = detail::singular_values(function, x, false).S;
    return p > 0 ? largest(s, last) : smallest(function, s, shape);
  }
  if (std::fabs(p) != 1 && !std::isinf(p))
    fail(function, "order " + text_of(ord) + " is no order of matrices: fro, nuc, 1, -1, 2, -2, inf, -inf are");
  const Array sums = vector_order(function, std::move(x), std::isinf(p) ? -1 : -2, 1, false);
  return p > 0 ? largest(sums, last) : smallest(function, sums, shape);
}

}  // namespace

Array norm(Array x, const NormOptions& options) {
  const FunctionName function("norm");
  const int ndim = x.ndim();
  int n_axes = options.axis.given() ? options.axis.list().size() : 1;
  Shape axes = options.axis.given() ? options.axis.list() : Shape{};
  if (!options.axis.given() && options.ord) {
    if (ndim != 1 && ndim != 2)
      fail(function, "an order without axes is for 1-d and 2-d arrays, not for shape " + to_string(x.shape()));
    n_axes = ndim;
    if (ndim == 2) axes = {0, 1};
  }
  if (n_axes < 1 || n_axes > 2)
    fail(function, "axes " + to_string(axes) + ": one or two, or none for the whole array");
  if (n_axes == 1) return vector_order(function, std::move(x), options.axis, options.ord.value_or(2), options.keepdims);
  const std::uint32_t mask = detail::axes_mask(function, axes, ndim);
  Shape order;
  for (int i = 0; i < ndim; ++i)
    if (!(mask >> i & 1)) order.push_back(i);
  for (const std::int64_t axis : axes) order.push_back(detail::normalize_axis(function, axis, ndim));
  Array value = matrix_order(function, x.permute(order), options.ord.value_or(fro));
  return options.keepdims ? value.expand_dims(axes) : value;
}

Array vector_norm(Array x, const NormOptions& options) {
  const FunctionName function("vector_norm");
  return vector_order(function, std::move(x), options.axis, options.ord.value_or(2), options.keepdims);
}

Array matrix_norm(Array x, const MatrixNormOptions& options) {
  const FunctionName function("matrix_norm");
  if (x.ndim() < 2) fail(function, "array of shape " + to_string(x.shape()) + " is no stack of matrices");
  Array value = matrix_order(function, std::move(x), options.ord);
  return options.keepdims ? value.expand_dims({-2, -1}) : value;
}

Array cond(const Array& x, const NormOrder& ord) {
  const FunctionName function("cond");
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Array a = detail::matrices(function, x);
  if (a.shape(-1) == 0 || a.shape(-2) == 0)
    fail<LinAlgError>(function, "matrices of shape " + to_string(x.shape()) + " have no condition number");
  if (ord.kind == NormOrder::Kind::number && std::fabs(ord.number) == 2) {
    const Array s = detail::singular_values(function, a, false).S;
    const Array high = s(ellipsis, 0), low = s(ellipsis, -1);
    // The smallest one over itself is no number where both are 0.
    return where(equal(low, 0), inf, ord.number > 0 ? divide(high, low) : divide(low, high));
  }
  detail::square_matrices(function, x);
  const Array singular = equal(det(a), 0).expand_dims({-2, -1});
  const Array one = eye(a.shape(-1), {}, {.dtype = a.dtype(), .device = a.device()});
  const Array product =
      multiply(matrix_order(function, a, ord), matrix_order(function, inv(where(singular, one, a)), ord));
  return where(singular.squeeze({-2, -1}), inf, product);
}

}  // namespace tandem::linalg
