// Numerical methods on sampled functions and rows: convolution, interpolation, integrals, derivatives, polynomials,
// softmax, and comparisons of whole arrays.
#pragma once

#include <tandem/array.hpp>
#include <tandem/elementwise.hpp>
#include <tandem/reductions.hpp>

namespace tandem {

/// Which overlaps of two sequences of lengths N and M count: all (N + M - 1), those around the middle (max(N, M)), or
/// those in which the shorter one lies inside (max - min + 1).
enum class ConvolveMode { full, same, valid };
/// Options of convolve.
struct ConvolveOptions {
  ConvolveMode mode = ConvolveMode::full;
};
/// Discrete convolution of 1-d arrays: result[k] is the sum of a[i] v[k - i]. float16 and bfloat16 accumulate in
/// float32. N M operations in passes over the longer one. Throws Error for empty arrays and other shapes.
TANDEM_API Array convolve(const Array& a, const Array& v, const ConvolveOptions& options = {});
/// Options of correlate, whose default is NumPy's.
struct CorrelateOptions {
  ConvolveMode mode = ConvolveMode::valid;
};
/// Cross-correlation: result[k] is the sum of a[k + i] conj(v[i]).
TANDEM_API Array correlate(const Array& a, const Array& v, const CorrelateOptions& options = {});

/// Options of interp: what stands left and right of the points (default: their first and last value).
struct InterpOptions {
  std::optional<Scalar> left = {};
  std::optional<Scalar> right = {};
};
/// Linear interpolation between the points (xp, fp), 1-d, of which xp must increase; NumPy's formula, in float64 or
/// complex128. Throws Error for no points and arrays that differ in length.
TANDEM_API Array interp(const Array& x, const Array& xp, const Array& fp, const InterpOptions& options = {});

/// Options of trapezoid: the places of the samples, of y's shape or 1-d along the axis, else their distance.
struct TrapezoidOptions {
  std::optional<Array> x = {};
  double dx = 1;
  int axis = -1;
};
/// Integral along an axis by the trapezoidal rule.
TANDEM_API Array trapezoid(const Array& y, const TrapezoidOptions& options = {});

/// Options of gradient: the places of the samples, 1-d along the axis, else their distance; order of accuracy at the
/// edges, 1 or 2. The axis may be left out for 1-d arrays.
struct GradientOptions {
  std::optional<Array> x = {};
  double dx = 1;
  std::optional<int> axis = {};
  int edge_order = 1;
};
/// Derivative along an axis by central differences of second order, one-sided at the edges; integers in float64. Throws
/// Error for fewer than edge_order + 1 samples.
TANDEM_API Array gradient(const Array& y, const GradientOptions& options = {});

/// p[0] x^(n-1) + ... + p[n-1], by Horner's rule, for 1-d coefficients.
TANDEM_API Array polyval(const Array& p, const Array& x);

/// Options of softmax and log_softmax.
struct SoftmaxOptions {
  Axes axis = -1;
};
/// exp(x) / sum(exp(x)) along axes, without overflow; integers in float64. One pass where a row fits in cache.
TANDEM_API Array softmax(const Array& x, const SoftmaxOptions& options = {});
/// Its logarithm, without cancellation.
TANDEM_API Array log_softmax(const Array& x, const SoftmaxOptions& options = {});
/// log(sum(exp(x))) without overflow; -inf for an empty row.
TANDEM_API Array logsumexp(const Array& x, const RowOptions& options = {});

/// Whether isclose holds for all elements.
TANDEM_API bool allclose(const Operand& a, const Operand& b, const CloseOptions& options = {});
/// Options of array_equal.
struct ArrayEqualOptions {
  bool equal_nan = false;
};
/// Whether shapes and all elements are equal.
TANDEM_API bool array_equal(const Array& a, const Array& b, const ArrayEqualOptions& options = {});

}  // namespace tandem
