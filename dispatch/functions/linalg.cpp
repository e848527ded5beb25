#include <tandem/linalg.hpp>

#include <cmath>

#include <tandem/elementwise.hpp>

#include "../array/shape_rules.hpp"
#include "common.hpp"

namespace tandem {
namespace {

using detail::fail;
using detail::Node;

/// An evaluated operand of matmul as a stack of matrices: strides over the broadcast batch axes and its own two.
td_view matrix_view(const Node& x, const Shape& batch, Shape& shape, Shape& strides) {
  const int ndim = x.shape.size();
  Shape own_batch, own_strides;
  for (int i = 0; i < ndim - 2; ++i) {
    own_batch.push_back(x.shape[i]);
    own_strides.push_back(x.strides[i]);
  }
  strides = detail::broadcast_strides(own_batch, own_strides, batch);
  shape = batch;
  for (int i = ndim - 2; i < ndim; ++i) {
    shape.push_back(x.shape[i]);
    strides.push_back(x.strides[i]);
  }
  return {x.data, td_dtype(x.dtype), shape.size(), shape.data(), strides.data()};
}

Shape leading(const Shape& shape, int n) { return Shape(shape.data(), n); }

[[noreturn]] void do_not_align(const char* function, const Array& a, const Array& b) {
  fail(function, "shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) + " do not align");
}

}  // namespace

Array matmul(const Array& a, const Array& b, const MatmulOptions& options) {
  if (a.ndim() == 0 || b.ndim() == 0) do_not_align("matmul", a, b);
  const Array pair[] = {a, b};
  detail::DeviceState& device = detail::common_device("matmul", pair);
  const DType dtype = promote_types(a.dtype(), b.dtype());
  Array x = a.ndim() == 1 ? a.expand_dims(0) : a;
  Array y = b.ndim() == 1 ? b.expand_dims(1) : b;
  const std::int64_t m = x.shape(-2), k = x.shape(-1), n = y.shape(-1);
  Shape batch = leading(x.shape(), x.ndim() - 2);
  if (y.shape(-2) != k || !detail::broadcast_into(batch, leading(y.shape(), y.ndim() - 2))) do_not_align("matmul", a, b);

  Shape full = batch;
  full.push_back(m);
  full.push_back(n);
  Shape shape = batch;
  if (a.ndim() > 1) shape.push_back(m);
  if (b.ndim() > 1) shape.push_back(n);
  if (k == 0) return detail::constant_array("matmul", device, shape, 0, dtype);
  detail::NodePtr result = detail::allocate_node("matmul", device, dtype, full);
  if (result->bytes) {
    x = x.astype(dtype);
    y = y.astype(dtype);
    Shape x_shape, x_strides, y_shape, y_strides;
    const td_view x_view = matrix_view(detail::ready("matmul", x), batch, x_shape, x_strides);
    const td_view y_view = matrix_view(detail::ready("matmul", y), batch, y_shape, y_strides);
    const td_view out = detail::view_of(*result);
    detail::call("matmul", device.table->matmul, device.handle, &x_view, &y_view, &out,
                 options.precision == Precision::tf32 ? TD_PRECISION_TF32 : TD_PRECISION_FULL);
  }
  return Array(std::move(result)).reshape(shape);
}

Array dot(const Array& a, const Array& b) {
  if (a.ndim() == 0 || b.ndim() == 0) return multiply(a, b);
  if (b.ndim() <= 2 && (a.ndim() <= 2 || b.ndim() == 1)) {
    if (a.shape(-1) != b.shape(b.ndim() == 1 ? 0 : -2)) do_not_align("dot", a, b);
    return matmul(a, b);
  }
  if (a.shape(-1) != b.shape(-2)) do_not_align("dot", a, b);
  return tensordot(a, b, {-1}, {-2});
}

Array outer(const Array& a, const Array& b) { return multiply(a.reshape({-1, 1}), b.reshape({1, -1})); }

Array tensordot(const Array& a, const Array& b, int axes) {
  if (axes < 0 || axes > a.ndim() || axes > b.ndim())
    fail("tensordot", std::to_string(axes) + " axes of shapes " + to_string(a.shape()) + " and " + to_string(b.shape()));
  Shape last, first;
  for (int i = 0; i < axes; ++i) {
    last.push_back(a.ndim() - axes + i);
    first.push_back(i);
  }
  return tensordot(a, b, last, first);
}

Array tensordot(const Array& a, const Array& b, const Shape& axes_a, const Shape& axes_b) {
  if (axes_a.size() != axes_b.size())
    fail("tensordot", "axes " + to_string(axes_a) + " and " + to_string(axes_b) + " do not pair up");
  const std::uint32_t mask_a = axes_a.empty() ? 0 : detail::axes_mask("tensordot", axes_a, a.ndim());
  const std::uint32_t mask_b = axes_b.empty() ? 0 : detail::axes_mask("tensordot", axes_b, b.ndim());
  Shape order_a, order_b, shape;
  std::int64_t rows = 1, inner = 1, columns = 1;
  for (int i = 0; i < a.ndim(); ++i)
    if (!(mask_a >> i & 1)) {
      order_a.push_back(i);
      shape.push_back(a.shape()[i]);
      rows *= a.shape()[i];
    }
  for (int k = 0; k < axes_a.size(); ++k) {
    const int i = detail::normalize_axis("tensordot", axes_a[k], a.ndim());
    const int j = detail::normalize_axis("tensordot", axes_b[k], b.ndim());
    if (a.shape()[i] != b.shape()[j]) do_not_align("tensordot", a, b);
    order_a.push_back(i);
    order_b.push_back(j);
    inner *= a.shape()[i];
  }
  for (int j = 0; j < b.ndim(); ++j)
    if (!(mask_b >> j & 1)) {
      order_b.push_back(j);
      shape.push_back(b.shape()[j]);
      columns *= b.shape()[j];
    }
  return matmul(a.permute(order_a).reshape({rows, inner}), b.permute(order_b).reshape({inner, columns})).reshape(shape);
}

Array matrix_transpose(const Array& x) {
  if (x.ndim() < 2) fail("matrix_transpose", "array of shape " + to_string(x.shape()) + " is no matrix");
  Shape axes;
  for (int i = 0; i < x.ndim() - 2; ++i) axes.push_back(i);
  axes.push_back(x.ndim() - 1);
  axes.push_back(x.ndim() - 2);
  return x.permute(axes);
}

namespace linalg {
namespace {

/// |x|^2 without the square root of a complex modulus.
Array squared_modulus(Array x) {
  if (!is_complex(x.dtype())) return square(std::move(x));
  Array re = square(real(x));
  return add(std::move(re), square(imag(std::move(x))));
}

}  // namespace

Array norm(Array x, const NormOptions& options) {
  if (!is_inexact(x.dtype())) x = x.astype(float64);
  const DType result = real_dtype(x.dtype());
  if (result == float16 || result == bfloat16) x = x.astype(float32);  // squares must not overflow
  const ReduceOptions reduction{.axis = options.axis, .keepdims = options.keepdims};
  const double p = options.ord;
  if (options.axis.given() && options.axis.list().size() == 2 && p != 2)
    fail("norm", "order " + std::to_string(p) + " over two axes is not supported; 2 stands for Frobenius");
  if (options.axis.given() && options.axis.list().size() > 2)
    fail("norm", "axes " + to_string(options.axis.list()) + ": one or two, or none for the whole array");
  Array value;
  if (p == 2)
    value = sqrt(sum(squared_modulus(std::move(x)), reduction));
  else if (p == 1)
    value = sum(abs(std::move(x)), reduction);
  else if (p == 0)
    value = count_nonzero(std::move(x), reduction);
  else if (std::isinf(p))
    value = p > 0 ? max(abs(std::move(x)), reduction) : min(abs(std::move(x)), reduction);
  else
    value = pow(sum(pow(abs(std::move(x)), p), reduction), 1 / p);
  return value.astype(result);
}

Array cholesky(const Array& x, const CholeskyOptions& options) {
  if (x.ndim() < 2 || x.shape(-1) != x.shape(-2))
    fail("cholesky", "array of shape " + to_string(x.shape()) + " is no stack of square matrices");
  const DType dtype = is_inexact(x.dtype()) ? x.dtype() : float64;
  if (dtype == float16 || dtype == bfloat16) fail("cholesky", "dtype " + std::string(name(dtype)) + " is not supported");
  const Array a = x.astype(dtype);
  const Node& source = detail::ready("cholesky", a);
  detail::NodePtr result = detail::allocate_node("cholesky", *source.device, dtype, source.shape);
  if (result->bytes) {
    const td_view in = detail::view_of(source), out = detail::view_of(*result);
    detail::call("cholesky", source.device->table->cholesky, source.device->handle, &in, std::int32_t{options.upper}, &out);
  }
  return Array(std::move(result));
}

}  // namespace linalg
}  // namespace tandem
