#include <tandem/numerics.hpp>

#include <cmath>
#include <complex>

#include <tandem/creation.hpp>
#include <tandem/indexing.hpp>
#include <tandem/manipulation.hpp>
#include <tandem/scans.hpp>
#include <tandem/sorting.hpp>

#include "../array/shape_rules.hpp"
#include "common.hpp"

namespace tandem {
namespace {

using detail::fail;
using detail::FunctionName;
using detail::refuse_complex;

/// The elements of a 1-d array as C++ numbers.
std::vector<Scalar> numbers(const Array& x) {
  std::vector<Scalar> result;
  const auto append = [&]<class T>(const std::vector<T>& values) { result.assign(values.begin(), values.end()); };
  if (is_bool(x.dtype()))
    for (const bool value : x.to_vector<bool>()) result.emplace_back(value);
  else if (is_complex(x.dtype())) append(x.to_vector<std::complex<double>>());
  else if (is_inexact(x.dtype())) append(x.to_vector<double>());
  else if (x.dtype() == uint64) append(x.to_vector<std::uint64_t>());
  else append(x.to_vector<std::int64_t>());
  return result;
}

/// A view of what lies between two positions of an axis; negative ones count from the end.
Array between(const Array& x, int axis, std::optional<std::int64_t> begin, std::optional<std::int64_t> end) {
  std::vector<Index> index(std::size_t(axis) + 1, slice(none, none));
  index.back() = slice(begin, end);
  return x.at(index);
}

/// One place of an axis, which stays; negative ones count from the end.
Array single(const Array& x, int axis, std::int64_t i) {
  return between(x, axis, i, i == -1 ? std::nullopt : std::optional(i + 1));
}

/// The full convolution from position `begin` on, `count` elements; `taps` is the shorter one.
Array convolution(const Array& x, const Array& taps, std::int64_t begin, std::int64_t count) {
  const std::int64_t m = taps.size();
  const Array padded = pad(x, {{m - 1, m - 1}});
  const std::vector<Scalar> factors = numbers(taps);
  Array result;
  for (std::int64_t k = 0; k < m; ++k) {
    const std::int64_t first = begin + m - 1 - k;
    Array product = multiply(padded(slice(first, first + count)), factors[std::size_t(k)]);
    result = k ? add(std::move(result), std::move(product)) : std::move(product);
  }
  return result;
}

/// Both sequences in one dtype to compute in, and where the overlaps of a mode begin.
Array convolved(const char* function, const Array& a, const Array& v, ConvolveMode mode, bool correlates) {
  const FunctionName scope(function);
  for (const Array* x : {&a, &v})
    if (x->ndim() != 1 || x->size() == 0)
      fail(function, "array of shape " + to_string(x->shape()) + " is not 1-d or empty");
  const Array pair[] = {a, v};
  detail::common_device(function, pair);
  const DType dtype = promote_types(a.dtype(), v.dtype());
  const DType compute = dtype == float16 || dtype == bfloat16 ? float32 : dtype;
  const Array x = a.astype(compute), y = correlates ? conj(v.astype(compute)).flip() : v.astype(compute);
  const std::int64_t longer = std::max(x.size(), y.size()), shorter = std::min(x.size(), y.size());
  // NumPy correlates the longer one with the shorter one and turns the result around if they were exchanged.
  const std::int64_t middle = correlates && x.size() < y.size() ? shorter / 2 : (shorter - 1) / 2;
  const std::int64_t begin = mode == ConvolveMode::full ? 0 : mode == ConvolveMode::same ? middle : shorter - 1;
  const std::int64_t count = mode == ConvolveMode::full   ? longer + shorter - 1
                             : mode == ConvolveMode::same ? longer
                                                          : longer - shorter + 1;
  const bool exchange = x.size() < y.size();
  return convolution(exchange ? y : x, exchange ? x : y, begin, count).astype(dtype);
}

/// Distances between samples along an axis, to be multiplied with differences: x's, shaped to fit.
Array steps(const char* function, const Array& x, const Array& y, int axis) {
  const Array d = diff(x, {.axis = x.ndim() == 1 ? 0 : axis});
  if (x.ndim() != 1) {
    if (!(x.shape() == y.shape()))
      fail(function, "x of shape " + to_string(x.shape()) + " does not fit array of shape " + to_string(y.shape()));
    return d;
  }
  if (x.size() != y.shape()[axis])
    fail(function, "x of shape " + to_string(x.shape()) + " does not fit axis " + std::to_string(axis) + " of shape " +
                       to_string(y.shape()));
  Shape shape = Shape::filled(y.ndim(), 1);
  shape[axis] = d.size();
  return d.reshape(shape);
}

DType result_of(const Array& x) { return is_inexact(x.dtype()) ? x.dtype() : float64; }

/// x in the dtype to compute in and its maximum along axes, 0 where it is not finite: so that exp neither overflows nor
/// meets inf - inf.
std::pair<Array, Array> shifted(const char* function, const Array& x, const Axes& axes) {
  const Array wide = x.astype(detail::accumulator_dtype(result_of(x)));
  const Array largest = detail::reduce(function, TD_REDUCE_max, wide, axes, true);
  return {wide, where(isfinite(largest), largest, 0)};
}

}  // namespace

Array convolve(const Array& a, const Array& v, const ConvolveOptions& options) {
  return convolved("convolve", a, v, options.mode, false);
}

Array correlate(const Array& a, const Array& v, const CorrelateOptions& options) {
  return convolved("correlate", a, v, options.mode, true);
}

Array interp(const Array& x, const Array& xp, const Array& fp, const InterpOptions& options) {
  const FunctionName function("interp");
  if (xp.ndim() != 1 || !(fp.shape() == xp.shape()) || xp.size() == 0)
    fail(function, "points of shapes " + to_string(xp.shape()) + " and " + to_string(fp.shape()) +
                       " are not 1-d arrays of one length above 0");
  for (const Array* each : {&x, &xp})
    if (is_complex(each->dtype())) fail(function, "places of dtype " + std::string(name(each->dtype())));
  const DType dtype = is_complex(fp.dtype()) ? complex128 : float64;
  const Array at = x.astype(float64), places = xp.astype(float64), values = fp.astype(dtype);
  const std::int64_t n = xp.size();
  const Array first = values(0), last = values(-1);
  const Array left = options.left ? full({}, *options.left, {.dtype = dtype, .device = x.device()}) : first;
  const Array right = options.right ? full({}, *options.right, {.dtype = dtype, .device = x.device()}) : last;
  Array result = last;
  if (n > 1) {
    const Array below = clip(subtract(searchsorted(places, at, {.side = Side::right}), 1), {.min = 0, .max = n - 2});
    const Array slopes = divide(diff(values), diff(places));
    const Array x0 = take(places, below), y0 = take(values, below);
    result = where(equal(at, x0), y0, add(multiply(take(slopes, below), subtract(at, x0)), y0));
  }
  result = where(less(at, places(0)), left, where(greater(at, places(-1)), right, result));
  result = where(equal(at, places(-1)), last, result);
  return where(isnan(at), at.astype(dtype), result);
}

Array trapezoid(const Array& y, const TrapezoidOptions& options) {
  const FunctionName function("trapezoid");
  const int axis = detail::normalize_axis(function, options.axis, y.ndim());
  const Array pairs = add(between(y, axis, 1, none), between(y, axis, none, -1));
  const Array areas =
      options.x ? multiply(steps(function, *options.x, y, axis), pairs) : multiply(pairs, options.dx);
  return sum(divide(areas, 2), {.axis = axis});
}

Array gradient(const Array& samples, const GradientOptions& options) {
  const FunctionName function("gradient");
  if (!options.axis && samples.ndim() != 1)
    fail(function, "an axis must be given for array of shape " + to_string(samples.shape()));
  const int axis = detail::normalize_axis(function, options.axis.value_or(0), samples.ndim());
  const std::int64_t n = samples.shape()[axis];
  if (options.edge_order != 1 && options.edge_order != 2)
    fail(function, "edge_order " + std::to_string(options.edge_order) + " is neither 1 nor 2");
  if (n < options.edge_order + 1)
    fail(function, "axis " + std::to_string(axis) + " of shape " + to_string(samples.shape()) + " has fewer than " +
                       std::to_string(options.edge_order + 1) + " samples");
  const Array y = is_inexact(samples.dtype()) ? samples : samples.astype(float64);
  const auto at = [&](std::int64_t i) { return single(y, axis, i); };
  const bool second = options.edge_order == 2;
  Array first, middle, last;
  if (!options.x) {
    const double h = options.dx;
    middle = divide(subtract(between(y, axis, 2, none), between(y, axis, none, -2)), 2 * h);
    if (!second) {
      first = divide(subtract(at(1), at(0)), h);
      last = divide(subtract(at(-1), at(-2)), h);
    } else {
      first = add(add(multiply(at(0), -1.5 / h), multiply(at(1), 2 / h)), multiply(at(2), -0.5 / h));
      last = add(add(multiply(at(-3), 0.5 / h), multiply(at(-2), -2 / h)), multiply(at(-1), 1.5 / h));
    }
  } else {
    // Weights of the derivative of the parabola through three samples at distances h1 and h2, at the middle one, the
    // first one and the last one.
    if (options.x->ndim() != 1) fail(function, "x of shape " + to_string(options.x->shape()) + " is not 1-d");
    const Array h = steps(function, *options.x, y, axis);
    const auto step = [&](std::int64_t i) { return single(h, axis, i); };
    const Array h1 = between(h, axis, none, -1), h2 = between(h, axis, 1, none);
    const auto sum_of = [](const Array& a, const Array& y0, const Array& b, const Array& y1, const Array& c,
                           const Array& y2) { return add(add(multiply(a, y0), multiply(b, y1)), multiply(c, y2)); };
    middle = sum_of(divide(negative(h2), multiply(h1, add(h1, h2))), between(y, axis, none, -2),
                    divide(subtract(h2, h1), multiply(h1, h2)), between(y, axis, 1, -1),
                    divide(h1, multiply(h2, add(h1, h2))), between(y, axis, 2, none));
    if (!second) {
      first = divide(subtract(at(1), at(0)), step(0));
      last = divide(subtract(at(-1), at(-2)), step(-1));
    } else {
      const Array a1 = step(0), a2 = step(1), b1 = step(-2), b2 = step(-1);
      first = sum_of(divide(negative(add(multiply(a1, 2), a2)), multiply(a1, add(a1, a2))), at(0),
                     divide(add(a1, a2), multiply(a1, a2)), at(1),
                     divide(negative(a1), multiply(a2, add(a1, a2))), at(2));
      last = sum_of(divide(b2, multiply(b1, add(b1, b2))), at(-3),
                    divide(negative(add(b2, b1)), multiply(b1, b2)), at(-2),
                    divide(add(multiply(b2, 2), b1), multiply(b2, add(b1, b2))), at(-1));
    }
  }
  return concat({first, middle, last}, axis).astype(y.dtype());
}

Array polyval(const Array& p, const Array& x) {
  const FunctionName function("polyval");
  if (p.ndim() != 1) fail(function, "coefficients of shape " + to_string(p.shape()) + " are not 1-d");
  const Array pair[] = {p, x};
  detail::common_device(function, pair);
  const DType dtype = promote_types(p.dtype(), x.dtype());
  const Array at = x.astype(dtype);
  Array result = zeros_like(at);
  bool first = true;
  for (const Scalar& coefficient : numbers(p.astype(dtype))) {
    result = first ? full_like(at, coefficient) : add(multiply(std::move(result), at), coefficient);
    first = false;
  }
  return result;
}

Array softmax(const Array& x, const SoftmaxOptions& options) {
  const FunctionName function("softmax");
  refuse_complex(function, x);
  detail::reduced_axes_mask(function, options.axis, x.ndim());
  if (x.size() == 0) return x.astype(result_of(x));
  const auto [wide, largest] = shifted(function, x, options.axis);
  const Array powers = exp(subtract(wide, largest));
  return divide(powers, sum(powers, {.axis = options.axis, .keepdims = true})).astype(result_of(x));
}

Array log_softmax(const Array& x, const SoftmaxOptions& options) {
  const FunctionName function("log_softmax");
  refuse_complex(function, x);
  detail::reduced_axes_mask(function, options.axis, x.ndim());
  if (x.size() == 0) return x.astype(result_of(x));
  const auto [wide, largest] = shifted(function, x, options.axis);
  const Array distance = subtract(wide, largest);
  return subtract(distance, log(sum(exp(distance), {.axis = options.axis, .keepdims = true}))).astype(result_of(x));
}

Array logsumexp(const Array& x, const RowOptions& options) {
  const FunctionName function("logsumexp");
  refuse_complex(function, x);
  if (x.size() == 0) return log(sum(x.astype(result_of(x)), {.axis = options.axis, .keepdims = options.keepdims}));
  const auto [wide, largest] = shifted(function, x, options.axis);
  const Array total = sum(exp(subtract(wide, largest)), {.axis = options.axis, .keepdims = true});
  const Array result = add(log(total), largest).astype(result_of(x));
  return options.keepdims ? result : options.axis.given() ? result.squeeze(options.axis) : result.reshape({});
}

bool allclose(const Operand& a, const Operand& b, const CloseOptions& options) {
  const FunctionName function("allclose");
  return all(isclose(a, b, options)).item<bool>();
}

bool array_equal(const Array& a, const Array& b, const ArrayEqualOptions& options) {
  const FunctionName function("array_equal");
  if (!(a.shape() == b.shape())) return false;
  const Array same = equal(a, b);
  if (!options.equal_nan) return all(same).item<bool>();
  return all(logical_or(same, logical_and(isnan(a), isnan(b)))).item<bool>();
}

}  // namespace tandem
