// Discrete Fourier transforms, of any length, with NumPy's names and rules.
//
// dtypes: float32 and complex64 are transformed in float32, float16 and bfloat16 likewise; float64 and complex128 in
// float64, and so are bools and integers. docs/fft.md tells what it costs and how exact it is.
#pragma once

#include <tandem/array.hpp>

namespace tandem::fft {

/// Where the factor 1/n goes: backward to the inverse transforms, forward to the others, ortho: 1/sqrt(n) to both.
enum class Norm : std::uint8_t { backward, ortho, forward };

/// Options of transforms along one axis. n is the length of the transform: x is cut or filled up with zeros to it. It
/// defaults to the length of the axis.
struct Options {
  std::optional<std::int64_t> n = {};
  int axis = -1;
  Norm norm = Norm::backward;
};

/// X[k] = sum over j of x[j] exp(-2 pi i j k / n) along an axis: complex, of length n. Like all functions here it
/// throws IndexError for an axis outside, and Error for n < 1 and an axis of length 0 whose n is not given.
TANDEM_API Array fft(const Array& x, const Options& options = {});
/// The inverse of fft: exp(+2 pi i j k / n), and the sums divided by n.
TANDEM_API Array ifft(const Array& x, const Options& options = {});
/// The first n / 2 + 1 elements of fft of real x; the others are their conjugates. Throws Error for complex x.
TANDEM_API Array rfft(const Array& x, const Options& options = {});
/// The inverse of rfft: real, of length n, which defaults to 2 (length - 1). x is cut or filled up to n / 2 + 1
/// elements; the imaginary parts of the first one and, if n is even, of the last one are ignored.
TANDEM_API Array irfft(const Array& x, const Options& options = {});
/// The transform of a signal that is Hermitian, x its first half: real, of length n, which defaults to 2 (length - 1).
/// It is irfft of the conjugate, without its division by n.
TANDEM_API Array hfft(const Array& x, const Options& options = {});
/// The inverse of hfft: the first n / 2 + 1 elements of ifft of real x. Throws Error for complex x.
TANDEM_API Array ihfft(const Array& x, const Options& options = {});

/// Options of transforms along several axes: all if none is given, or the last ones if s is. s has the length of the
/// transform along each of the axes, -1 for that of x.
struct AxesOptions {
  std::optional<Shape> s = {};
  Axes axes = {};
  Norm norm = Norm::backward;
};

/// fft along each of the axes, the last one first; an axis named twice is transformed twice. Throws Error if s and axes
/// differ in number.
TANDEM_API Array fftn(const Array& x, const AxesOptions& options = {});
/// The inverse of fftn.
TANDEM_API Array ifftn(const Array& x, const AxesOptions& options = {});
/// rfft along the last of the axes, then fft along the others. Throws Error for complex x and without any axis.
TANDEM_API Array rfftn(const Array& x, const AxesOptions& options = {});
/// The inverse of rfftn: ifft along all axes but the last, then irfft along that, whose length defaults to
/// 2 (length - 1).
TANDEM_API Array irfftn(const Array& x, const AxesOptions& options = {});

/// Options of transforms along two axes.
struct PlaneOptions {
  std::optional<Shape> s = {};
  Shape axes = {-2, -1};
  Norm norm = Norm::backward;
};
/// fftn and its kin, along the last two axes unless others are given.
TANDEM_API Array fft2(const Array& x, const PlaneOptions& options = {});
TANDEM_API Array ifft2(const Array& x, const PlaneOptions& options = {});
TANDEM_API Array rfft2(const Array& x, const PlaneOptions& options = {});
TANDEM_API Array irfft2(const Array& x, const PlaneOptions& options = {});

/// Options of fftfreq and rfftfreq: the distance of samples, and what the result is like (float64 unless given).
struct FrequencyOptions {
  double d = 1.0;
  std::optional<DType> dtype = {};
  std::optional<Device> device = {};
};
/// The frequencies of fft's elements: 0, 1, ... (n - 1) / 2, -(n / 2), ... -1, divided by n d. Throws Error for n < 1
/// and dtypes that are not real floating ones.
TANDEM_API Array fftfreq(std::int64_t n, const FrequencyOptions& options = {});
/// Those of rfft's: 0, 1, ... n / 2, divided by n d.
TANDEM_API Array rfftfreq(std::int64_t n, const FrequencyOptions& options = {});

/// Options of fftshift and ifftshift: all axes unless some are given.
struct ShiftOptions {
  Axes axes = {};
};
/// Moves frequency 0 to the middle: each axis rolled by half its length.
TANDEM_API Array fftshift(const Array& x, const ShiftOptions& options = {});
/// The inverse of fftshift, which differs from it for odd lengths.
TANDEM_API Array ifftshift(const Array& x, const ShiftOptions& options = {});

}  // namespace tandem::fft
