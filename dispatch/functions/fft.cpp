#include <tandem/fft.hpp>

#include <cmath>

#include <tandem/creation.hpp>
#include <tandem/elementwise.hpp>
#include <tandem/manipulation.hpp>

#include "../array/shape_rules.hpp"
#include "common.hpp"

namespace tandem::fft {
namespace {

using detail::fail;
using detail::FunctionName;

bool is_real(td_transform transform) { return transform == TD_FFT_REAL; }

/// x in a dtype that transforms take: complex unless `real`.
Array in_working_dtype(const Array& x, bool real) {
  const bool half = x.dtype() == float16 || x.dtype() == bfloat16;
  const DType dtype = half ? float32 : is_inexact(x.dtype()) ? x.dtype() : float64;
  return x.astype(real ? dtype : complex_dtype(dtype));
}

/// x cut or filled up with zeros to a length along an axis.
Array fit(const Array& x, int axis, std::int64_t length) {
  const std::int64_t missing = length - x.shape()[axis];
  if (missing > 0) {
    Shape shape = x.shape();
    shape[axis] = missing;
    return concat({x, zeros(shape, {.dtype = x.dtype(), .device = x.device()})}, axis);
  }
  if (missing == 0) return x;
  std::vector<Index> index(std::size_t(axis) + 1, slice(none, none));
  index.back() = slice(0, length);
  return x.at(index);
}

/// The verb, along different axes, along which x has the right lengths; `last` is the length of the transform along the
/// last of them.
Array run(const char* function, const Array& x, td_transform transform, const Shape& axes, std::int64_t last,
          double scale) {
  const detail::Node& source = detail::ready(function, x);
  const DType dtype = transform == TD_FFT_REAL        ? complex_dtype(x.dtype())
                      : transform == TD_FFT_HERMITIAN ? real_dtype(x.dtype())
                                                      : x.dtype();
  Shape shape = x.shape();
  if (transform == TD_FFT_REAL) shape[int(axes[axes.size() - 1])] = last / 2 + 1;
  if (transform == TD_FFT_HERMITIAN) shape[int(axes[axes.size() - 1])] = last;
  detail::NodePtr result = detail::allocate_node(function, *source.device, dtype, shape);
  if (result->bytes) {
    const std::vector<std::int32_t> list(axes.begin(), axes.end());
    const td_view in = detail::view_of(source), out = detail::view_of(*result);
    detail::call(function, source.device->table->fft, source.device->handle, &in, transform, std::int32_t(list.size()),
                 list.data(), scale, &out);
  }
  return Array(std::move(result));
}

double factor(Norm norm, bool inverse, double n) {
  if (norm == Norm::ortho) return 1 / std::sqrt(n);
  return (norm == Norm::forward) != inverse ? 1 / n : 1;
}

/// Transforms of lengths s along axes, as their order says; `inverse` is how they are scaled.
Array transform_axes(const char* function, const Array& x, td_transform transform, const Shape& s, const Shape& axes,
                     Norm norm, bool inverse) {
  const FunctionName scope(function);
  if (is_real(transform) && is_complex(x.dtype()))
    fail(function, "dtype " + std::string(name(x.dtype())) + " is not supported: x must be real");
  const int n = axes.size();
  double points = 1;
  std::uint32_t seen = 0;
  bool distinct = true;
  for (int i = 0; i < n; ++i) {
    if (s[i] < 1)
      fail(function, "invalid number of data points (" + std::to_string(s[i]) + ") along axis " +
                         std::to_string(axes[i]) + " of array of shape " + to_string(x.shape()));
    points *= double(s[i]);
    distinct &= !(seen >> axes[i] & 1);
    seen |= 1u << axes[i];
  }
  const auto stored = [&](int i) { return transform == TD_FFT_HERMITIAN && i == n - 1 ? s[i] / 2 + 1 : s[i]; };
  const double scale = factor(norm, inverse, points);
  Array y = in_working_dtype(x, is_real(transform));
  if (n == 0) return y;
  if (distinct) {
    for (int i = 0; i < n; ++i) y = fit(y, int(axes[i]), stored(i));
    return run(function, y, transform, axes, s[n - 1], scale);
  }
  // An axis that is named twice: one after the other.
  const bool from_the_first = transform == TD_FFT_HERMITIAN;
  for (int k = 0; k < n; ++k) {
    const int i = from_the_first ? k : n - 1 - k;
    const bool last = i == n - 1;
    const td_transform one = last || transform < TD_FFT_REAL ? transform
                             : transform == TD_FFT_REAL      ? TD_FFT_FORWARD
                                                             : TD_FFT_BACKWARD;
    y = run(function, fit(y, int(axes[i]), stored(i)), one, {axes[i]}, s[i], k == n - 1 ? scale : 1);
  }
  return y;
}

/// The length of the signal whose first half an axis holds, unless it is given.
std::int64_t whole(std::int64_t half) { return 2 * (half - 1); }

Array transform_axis(const char* function, const Array& x, td_transform transform, const Options& options,
                     bool inverse) {
  const int axis = detail::normalize_axis(function, options.axis, x.ndim());
  const std::int64_t length = x.shape()[axis];
  const std::int64_t n = options.n.value_or(transform == TD_FFT_HERMITIAN ? whole(length) : length);
  return transform_axes(function, x, transform, {n}, {axis}, options.norm, inverse);
}

Array transform_several(const char* function, const Array& x, td_transform transform, const std::optional<Shape>& given,
                        const Axes& chosen, Norm norm, bool inverse) {
  Shape axes = chosen.list();
  if (!chosen.given()) {
    const int n = given ? given->size() : x.ndim();
    for (int i = 0; i < n; ++i) axes.push_back(i - n);
  }
  if (given && given->size() != axes.size())
    fail(function, "lengths " + to_string(*given) + " and axes " + to_string(axes) + " differ in number");
  const bool half = transform == TD_FFT_REAL || transform == TD_FFT_HERMITIAN;
  if (half && axes.empty()) fail(function, "array of shape " + to_string(x.shape()) + ": at least one axis is needed");
  Shape s = axes;
  for (int i = 0; i < axes.size(); ++i) {
    axes[i] = detail::normalize_axis(function, axes[i], x.ndim());
    const std::int64_t length = x.shape()[int(axes[i])];
    const bool hermitian = transform == TD_FFT_HERMITIAN && i == axes.size() - 1;
    s[i] = !given ? (hermitian ? whole(length) : length) : (*given)[i] == -1 ? length : (*given)[i];
  }
  return transform_axes(function, x, transform, s, axes, norm, inverse);
}

Array transform_plane(const char* function, const Array& x, td_transform transform, const PlaneOptions& options,
                      bool inverse) {
  return transform_several(function, x, transform, options.s, options.axes, options.norm, inverse);
}

Array frequencies(const char* function, std::int64_t n, const FrequencyOptions& options, bool half) {
  const FunctionName scope(function);
  if (n < 1) fail(function, "invalid number of data points (" + std::to_string(n) + ")");
  if (options.d == 0) fail(function, "the distance of samples is 0");
  const DType dtype = options.dtype.value_or(float64);
  if (!is_real_floating(dtype)) fail(function, "dtype " + std::string(name(dtype)) + " is not a real floating one");
  const ArrayOptions integers{.dtype = int64, .device = options.device};
  const double step = 1 / (double(n) * options.d);
  const auto times_step = [&](const Array& k) { return multiply(k.astype(float64), step).astype(dtype); };
  if (half) return times_step(arange(n / 2 + 1, integers));
  return times_step(concat({arange((n - 1) / 2 + 1, integers), arange(-(n / 2), 0, 1, integers)}));
}

Array shift(const char* function, const Array& x, const Axes& chosen, bool inverse) {
  const FunctionName scope(function);
  Shape axes = chosen.list(), shifts;
  if (!chosen.given())
    for (int i = 0; i < x.ndim(); ++i) axes.push_back(i);
  for (const std::int64_t axis : axes) {
    const std::int64_t length = x.shape()[detail::normalize_axis(function, axis, x.ndim())];
    shifts.push_back(inverse ? -(length / 2) : length / 2);
  }
  return roll(x, shifts, axes);
}

}  // namespace

Array fft(const Array& x, const Options& options) { return transform_axis("fft", x, TD_FFT_FORWARD, options, false); }
Array ifft(const Array& x, const Options& options) { return transform_axis("ifft", x, TD_FFT_BACKWARD, options, true); }
Array rfft(const Array& x, const Options& options) { return transform_axis("rfft", x, TD_FFT_REAL, options, false); }

Array irfft(const Array& x, const Options& options) {
  return transform_axis("irfft", x, TD_FFT_HERMITIAN, options, true);
}

Array hfft(const Array& x, const Options& options) {
  const FunctionName function("hfft");
  return transform_axis(function, is_complex(x.dtype()) ? conj(x) : x, TD_FFT_HERMITIAN, options, false);
}

Array ihfft(const Array& x, const Options& options) {
  const FunctionName function("ihfft");
  return conj(transform_axis(function, x, TD_FFT_REAL, options, true));
}

Array fftn(const Array& x, const AxesOptions& options) {
  return transform_several("fftn", x, TD_FFT_FORWARD, options.s, options.axes, options.norm, false);
}

Array ifftn(const Array& x, const AxesOptions& options) {
  return transform_several("ifftn", x, TD_FFT_BACKWARD, options.s, options.axes, options.norm, true);
}

Array rfftn(const Array& x, const AxesOptions& options) {
  return transform_several("rfftn", x, TD_FFT_REAL, options.s, options.axes, options.norm, false);
}

Array irfftn(const Array& x, const AxesOptions& options) {
  return transform_several("irfftn", x, TD_FFT_HERMITIAN, options.s, options.axes, options.norm, true);
}

Array fft2(const Array& x, const PlaneOptions& options) {
  return transform_plane("fft2", x, TD_FFT_FORWARD, options, false);
}

Array ifft2(const Array& x, const PlaneOptions& options) {
  return transform_plane("ifft2", x, TD_FFT_BACKWARD, options, true);
}

Array rfft2(const Array& x, const PlaneOptions& options) {
  return transform_plane("rfft2", x, TD_FFT_REAL, options, false);
}

Array irfft2(const Array& x, const PlaneOptions& options) {
  return transform_plane("irfft2", x, TD_FFT_HERMITIAN, options, true);
}

Array fftfreq(std::int64_t n, const FrequencyOptions& options) { return frequencies("fftfreq", n, options, false); }
Array rfftfreq(std::int64_t n, const FrequencyOptions& options) { return frequencies("rfftfreq", n, options, true); }
Array fftshift(const Array& x, const ShiftOptions& options) { return shift("fftshift", x, options.axes, false); }
Array ifftshift(const Array& x, const ShiftOptions& options) { return shift("ifftshift", x, options.axes, true); }

}  // namespace tandem::fft
