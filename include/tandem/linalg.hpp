// Products and linear algebra.
#pragma once

#include <tandem/array.hpp>
#include <tandem/reductions.hpp>

namespace tandem {

/// Precision of float32 products on devices that have TF32; `full` unless asked.
enum class Precision { full, tf32 };

/// Options of matmul.
struct MatmulOptions {
  Precision precision = Precision::full;
};

/// Matrix product over the last two axes with NumPy's rules: leading axes broadcast, a 1-d first argument is a row, a
/// 1-d second one a column, and their axis is dropped again. Transposed views are not copied. Integers are exact and
/// wrap; float16 and bfloat16 accumulate in float32. Throws Error: "matmul: shapes (3, 4) and (5, 6) do not align".
TANDEM_API Array matmul(const Array& a, const Array& b, const MatmulOptions& options = {});

/// NumPy's dot: the inner product of 1-d arrays, the matrix product of 2-d ones, a sum over the last axis of a and the
/// second-to-last of b beyond; a plain product if one is 0-d.
TANDEM_API Array dot(const Array& a, const Array& b);

/// Outer product of the flattened arguments: (m,), (n,) -> (m, n).
TANDEM_API Array outer(const Array& a, const Array& b);

/// Sum of products over the last `axes` axes of a and the first of b.
TANDEM_API Array tensordot(const Array& a, const Array& b, int axes = 2);
/// Sum of products over paired axes.
TANDEM_API Array tensordot(const Array& a, const Array& b, const Shape& axes_a, const Shape& axes_b);

/// The last two axes exchanged (a view).
TANDEM_API Array matrix_transpose(const Array& x);

namespace linalg {

using tandem::matmul;
using tandem::outer;
using tandem::tensordot;

/// Options of norm: axis none is the whole array, flattened; one axis is a vector norm; two axes a Frobenius norm.
struct NormOptions {
  Axes axis = {};
  double ord = 2;  // vectors: any p, inf, -inf or 0 (count of non-zeros); two axes: 2 stands for Frobenius
  bool keepdims = false;
};
/// Vector norm along an axis (or of the whole array), Frobenius norm over two axes. Integers in float64; real also for
/// complex x.
TANDEM_API Array norm(Array x, const NormOptions& options = {});

/// Options of cholesky.
struct CholeskyOptions {
  bool upper = false;
};
/// L with x = L L^H (or U with x = U^H U) of each (..., n, n) symmetric or Hermitian positive definite matrix; the other
/// triangle is zero and the other triangle of x is not read. float32, float64, complex64, complex128 (integers in
/// float64). Throws LinAlgError for a matrix that is not positive definite.
TANDEM_API Array cholesky(const Array& x, const CholeskyOptions& options = {});

}  // namespace linalg
}  // namespace tandem
