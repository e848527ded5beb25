#include "matrices.hpp"

#include <tandem/creation.hpp>
#include <tandem/elementwise.hpp>

#include "../array/shape_rules.hpp"

namespace tandem::detail {

DType factorization_dtype(const char* function, DType dtype) {
  if (dtype == float16 || dtype == bfloat16)
    fail(function, "dtype " + std::string(name(dtype)) + " is not supported; use float32");
  return is_inexact(dtype) ? dtype : float64;
}

Array matrices(const char* function, const Array& x) {
  if (x.ndim() < 2) fail(function, "array of shape " + to_string(x.shape()) + " is no stack of matrices");
  return x.astype(factorization_dtype(function, x.dtype())).eval();
}

Array square_matrices(const char* function, const Array& x) {
  if (x.ndim() < 2 || x.shape(-1) != x.shape(-2))
    fail(function, "array of shape " + to_string(x.shape()) + " is no stack of square matrices");
  return matrices(function, x);
}

Shape stack_shape(const Array& x) { return leading(x.shape(), x.ndim() - 2); }

Shape with_axes(Shape stack, std::initializer_list<std::int64_t> lengths) {
  for (const std::int64_t length : lengths) stack.push_back(length);
  return stack;
}

Array columns_stack(const char* function, const Array& like, DType dtype, const Shape& stack, std::int64_t rows,
                    std::int64_t columns) {
  return matrix_transpose(
      Array(allocate_node(function, *like.node()->device, dtype, with_axes(stack, {columns, rows}))));
}

Array vector_stack(const char* function, const Array& like, DType dtype, const Shape& stack, std::int64_t length) {
  return Array(allocate_node(function, *like.node()->device, dtype, with_axes(stack, {length})));
}

Array identities(const Array& like, DType dtype, const Shape& stack, std::int64_t rows, std::int64_t columns) {
  return eye(rows, columns, {.dtype = dtype, .device = like.device()}).broadcast_to(with_axes(stack, {rows, columns}));
}

StackView::StackView(const char* function, const Array& x, const Shape& stack) {
  const Node& node = ready(function, x);
  const int own = node.shape.size() - 2;
  shape = stack;
  strides = broadcast_strides(leading(node.shape, own), leading(node.strides, own), stack);
  for (int i = own; i < own + 2; ++i) {
    shape.push_back(node.shape[i]);
    strides.push_back(node.strides[i]);
  }
  view = {node.data, td_dtype(node.dtype), shape.size(), shape.data(), strides.data()};
}

void refuse_where(const char* function, const Array& bad, const char* problem) {
  bad.eval();
  if (!any(bad).item<bool>()) return;
  const std::string matrix =
      bad.ndim() == 0 ? "the matrix" : "matrix " + std::to_string(argmax(bad).item<std::int64_t>()) + " of the batch";
  fail<LinAlgError>(function, matrix + " " + problem);
}

void require_finite(const char* function, const Array& x) {
  if (x.size() == 0 || all(isfinite(x)).item<bool>()) return;
  refuse_where(function, logical_not(all(isfinite(x), {.axis = {-2, -1}})), "holds NaN or infinities");
}

}  // namespace tandem::detail
