// Stacks of matrices, as linear algebra takes and gives them.
#pragma once

#include <tandem/linalg.hpp>

#include "common.hpp"

namespace tandem::detail {

/// The dtype that factorizations of `dtype` compute in; throws Error for float16 and bfloat16.
DType factorization_dtype(const char* function, DType dtype);

/// The array in that dtype, evaluated; throws Error if it is no stack of matrices, or of square ones.
Array matrices(const char* function, const Array& x);
Array square_matrices(const char* function, const Array& x);

/// The shape without its last two axes.
Shape stack_shape(const Array& x);
/// The shape with some more axes.
Shape with_axes(Shape stack, std::initializer_list<std::int64_t> lengths);

/// The first `n` entries.
inline Shape leading(const Shape& shape, int n) { return Shape(shape.data(), n); }

/// A stack of undefined matrices (..., rows, columns) that lie column by column, as verbs write them.
Array columns_stack(const char* function, const Array& like, DType dtype, const Shape& stack, std::int64_t rows,
                    std::int64_t columns);
/// Undefined vectors (..., length).
Array vector_stack(const char* function, const Array& like, DType dtype, const Shape& stack, std::int64_t length);
/// Identities (..., rows, columns), or what of them fits.
Array identities(const Array& like, DType dtype, const Shape& stack, std::int64_t rows, std::int64_t columns);

/// The array, evaluated, as a verb reads it: with `stack` as its leading axes, of stride 0 where it repeats. The shapes
/// are storage for the view.
struct StackView {
  StackView(const char* function, const Array& x, const Shape& stack);
  StackView(const StackView&) = delete;
  Shape shape, strides;
  td_view view;
};

/// Throws LinAlgError, "function: matrix 3 of the batch <problem>", for the first matrix for which `bad`, of the shape
/// of the stack, holds.
void refuse_where(const char* function, const Array& bad, const char* problem);

/// Throws LinAlgError that names the first matrix which holds NaN or infinities.
void require_finite(const char* function, const Array& x);

/// Singular values, and with `vectors` also U and Vh: see linalg::svd.
linalg::SvdResult singular_values(const char* function, const Array& x, bool vectors,
                                  const linalg::SvdOptions& options = {.full_matrices = false});

/// x with a x = b for square matrices and right sides (..., n, k) of one dtype.
Array solve_stack(const char* function, const Array& a, td_structure structure, const Array& b);

/// Inverses of square matrices.
Array inverse(const char* function, const Array& x);

}  // namespace tandem::detail
