#include <tandem/linalg.hpp>

#include <limits>

#include <tandem/creation.hpp>
#include <tandem/elementwise.hpp>

#include "../array/shape_rules.hpp"
#include "matrices.hpp"

namespace tandem {
namespace {

using detail::fail;
using detail::FunctionName;
using detail::leading;
using detail::Node;

[[noreturn]] void do_not_align(const char* function, const Array& a, const Array& b) {
  fail(function, "shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) + " do not align");
}

}  // namespace

Array matmul(const Array& a, const Array& b, const MatmulOptions& options) {
  const FunctionName function("matmul");
  if (a.ndim() == 0 || b.ndim() == 0) do_not_align(function, a, b);
  const Array pair[] = {a, b};
  detail::DeviceState& device = detail::common_device(function, pair);
  const DType dtype = promote_types(a.dtype(), b.dtype());
  Array x = a.ndim() == 1 ? a.expand_dims(0) : a;
  Array y = b.ndim() == 1 ? b.expand_dims(1) : b;
  const std::int64_t m = x.shape(-2), k = x.shape(-1), n = y.shape(-1);
  Shape batch = leading(x.shape(), x.ndim() - 2);
  if (y.shape(-2) != k || !detail::broadcast_into(batch, leading(y.shape(), y.ndim() - 2)))
    do_not_align(function, a, b);

  Shape full = batch;
  full.push_back(m);
  full.push_back(n);
  Shape shape = batch;
  if (a.ndim() > 1) shape.push_back(m);
  if (b.ndim() > 1) shape.push_back(n);
  if (k == 0) return detail::constant_array(function, device, shape, 0, dtype);
  detail::NodePtr result = detail::allocate_node(function, device, dtype, full);
  if (result->bytes) {
    x = x.astype(dtype);
    y = y.astype(dtype);
    const detail::StackView left(function, x, batch), right(function, y, batch);
    const td_view out = detail::view_of(*result);
    detail::call(function, device.table->matmul, device.handle, &left.view, &right.view, &out,
                 options.precision == Precision::tf32 ? TD_PRECISION_TF32 : TD_PRECISION_FULL);
  }
  return Array(std::move(result)).reshape(shape);
}

Array dot(const Array& a, const Array& b) {
  const FunctionName function("dot");
  if (a.ndim() == 0 || b.ndim() == 0) return multiply(a, b);
  if (b.ndim() <= 2 && (a.ndim() <= 2 || b.ndim() == 1)) {
    if (a.shape(-1) != b.shape(b.ndim() == 1 ? 0 : -2)) do_not_align(function, a, b);
    return matmul(a, b);
  }
  if (a.shape(-1) != b.shape(-2)) do_not_align(function, a, b);
  return tensordot(a, b, {-1}, {-2});
}

Array outer(const Array& a, const Array& b) {
  const FunctionName function("outer");
  return multiply(a.reshape({-1, 1}), b.reshape({1, -1}));
}

Array tensordot(const Array& a, const Array& b, int axes) {
  const FunctionName function("tensordot");
  if (axes < 0 || axes > a.ndim() || axes > b.ndim())
    fail(function, std::to_string(axes) + " axes of shapes " + to_string(a.shape()) + " and " + to_string(b.shape()));
  Shape last, first;
  for (int i = 0; i < axes; ++i) {
    last.push_back(a.ndim() - axes + i);
    first.push_back(i);
  }
  return tensordot(a, b, last, first);
}

Array tensordot(const Array& a, const Array& b, const Shape& axes_a, const Shape& axes_b) {
  const FunctionName function("tensordot");
  if (axes_a.size() != axes_b.size())
    fail(function, "axes " + to_string(axes_a) + " and " + to_string(axes_b) + " do not pair up");
  const std::uint32_t mask_a = axes_a.empty() ? 0 : detail::axes_mask(function, axes_a, a.ndim());
  const std::uint32_t mask_b = axes_b.empty() ? 0 : detail::axes_mask(function, axes_b, b.ndim());
  Shape order_a, order_b, shape;
  std::int64_t rows = 1, inner = 1, columns = 1;
  for (int i = 0; i < a.ndim(); ++i)
    if (!(mask_a >> i & 1)) {
      order_a.push_back(i);
      shape.push_back(a.shape()[i]);
      rows *= a.shape()[i];
    }
  for (int k = 0; k < axes_a.size(); ++k) {
    const int i = detail::normalize_axis(function, axes_a[k], a.ndim());
    const int j = detail::normalize_axis(function, axes_b[k], b.ndim());
    if (a.shape()[i] != b.shape()[j]) do_not_align(function, a, b);
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
  const FunctionName function("matrix_transpose");
  if (x.ndim() < 2) fail(function, "array of shape " + to_string(x.shape()) + " is no matrix");
  Shape axes;
  for (int i = 0; i < x.ndim() - 2; ++i) axes.push_back(i);
  axes.push_back(x.ndim() - 1);
  axes.push_back(x.ndim() - 2);
  return x.permute(axes);
}

Array vecdot(const Array& a, const Array& b, int axis) {
  const FunctionName function("vecdot");
  if (a.ndim() == 0 || b.ndim() == 0) do_not_align(function, a, b);
  const Array x = a.moveaxis(detail::normalize_axis(function, axis, a.ndim()), -1);
  const Array y = b.moveaxis(detail::normalize_axis(function, axis, b.ndim()), -1);
  Shape shape = x.shape();
  if (x.shape(-1) != y.shape(-1) || !detail::broadcast_into(shape, y.shape())) do_not_align(function, a, b);
  const Array product = multiply(is_complex(x.dtype()) ? conj(x) : x, y);
  if (is_bool(product.dtype())) return any(product, {.axis = -1});
  return sum(product, {.axis = -1, .dtype = product.dtype()});
}

namespace linalg {

Array cross(const Array& a, const Array& b, int axis) {
  const FunctionName function("cross");
  const Array x = a.moveaxis(detail::normalize_axis(function, axis, a.ndim()), -1);
  const Array y = b.moveaxis(detail::normalize_axis(function, axis, b.ndim()), -1);
  Shape shape = x.shape();
  if (x.shape(-1) != 3 || y.shape(-1) != 3 || !detail::broadcast_into(shape, y.shape()))
    fail(function, "shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) +
                       " hold no vectors of 3 along axis " + std::to_string(axis) + " that broadcast");
  const auto component = [&](int i, int j) {
    return subtract(multiply(x(ellipsis, i), y(ellipsis, j)), multiply(x(ellipsis, j), y(ellipsis, i)));
  };
  return stack({component(1, 2), component(2, 0), component(0, 1)}, -1).moveaxis(-1, axis);
}

Array matrix_power(const Array& x, std::int64_t n) {
  const FunctionName function("matrix_power");
  if (x.ndim() < 2 || x.shape(-1) != x.shape(-2))
    fail(function, "array of shape " + to_string(x.shape()) + " is no stack of square matrices");
  if (n == 0) return detail::identities(x, x.dtype(), detail::stack_shape(x), x.shape(-1), x.shape(-1));
  Array square = n < 0 ? detail::inverse(function, x) : x;
  std::optional<Array> power;
  for (std::uint64_t rest = n < 0 ? -std::uint64_t(n) : std::uint64_t(n);;) {
    if (rest & 1) power = power ? matmul(*power, square) : square;
    if ((rest >>= 1) == 0) return *power;
    square = matmul(square, square);
  }
}

namespace {

/// The product of arrays first, ..., last; split[first, last] is the end of its left factor.
Array multiply_range(std::span<const Array> arrays, const std::vector<std::size_t>& split, std::size_t first,
                     std::size_t last) {
  if (first == last) return arrays[first];
  const std::size_t middle = split[first * arrays.size() + last];
  return matmul(multiply_range(arrays, split, first, middle), multiply_range(arrays, split, middle + 1, last));
}

}  // namespace

Array multi_dot(std::span<const Array> arrays) {
  const FunctionName function("multi_dot");
  const std::size_t n = arrays.size();
  if (n < 2) fail(function, std::to_string(n) + " arrays: two or more");
  const DType dtype = detail::promote(arrays);  // of the result in whatever order it is computed
  std::vector<Array> chain;
  for (const Array& x : arrays) chain.push_back(x.astype(dtype));
  const bool row = chain.front().ndim() == 1, column = chain.back().ndim() == 1;
  if (row) chain.front() = chain.front().expand_dims(0);
  if (column) chain.back() = chain.back().expand_dims(1);
  for (std::size_t i = 0; i < n; ++i) {
    if (chain[i].ndim() != 2)
      fail(function, "array " + std::to_string(i) + " of shape " + to_string(arrays[i].shape()) + " is no matrix");
    if (i > 0 && chain[i - 1].shape(1) != chain[i].shape(0)) do_not_align(function, arrays[i - 1], arrays[i]);
  }
  // cost[i, j]: multiplications of the product of arrays i to j, made of i to split[i, j] and of the others.
  std::vector<double> cost(n * n, 0.0);
  std::vector<std::size_t> split(n * n, 0);
  for (std::size_t length = 1; length < n; ++length)
    for (std::size_t i = 0; i + length < n; ++i) {
      const std::size_t j = i + length;
      cost[i * n + j] = std::numeric_limits<double>::infinity();
      for (std::size_t k = i; k < j; ++k) {
        const double work = cost[i * n + k] + cost[(k + 1) * n + j] +
                            double(chain[i].shape(0)) * double(chain[k].shape(1)) * double(chain[j].shape(1));
        if (work >= cost[i * n + j]) continue;
        cost[i * n + j] = work;
        split[i * n + j] = k;
      }
    }
  Array product = multiply_range(chain, split, 0, n - 1);
  if (column) product = product.squeeze(1);
  return row ? product.squeeze(0) : product;
}

Array diagonal(const Array& x, int offset) {
  constexpr const char* function = "diagonal";
  if (x.ndim() < 2) fail(function, "array of shape " + to_string(x.shape()) + " is no stack of matrices");
  Node& node = detail::ready(function, x, detail::FlushReason::view);
  const int rows = x.ndim() - 2, columns = rows + 1;
  const std::int64_t below = offset < 0 ? -std::int64_t{offset} : 0, right = offset > 0 ? offset : 0;
  const std::int64_t length =
      std::max<std::int64_t>(0, std::min(node.shape[rows] - below, node.shape[columns] - right));
  Shape shape = leading(node.shape, rows), strides = leading(node.strides, rows);
  shape.push_back(length);
  strides.push_back(node.strides[rows] + node.strides[columns]);
  const std::int64_t first = length == 0 ? 0 : below * node.strides[rows] + right * node.strides[columns];
  void* data = node.data ? detail::element(node.data, first, node.dtype) : nullptr;
  return Array(detail::view_node(node, shape, strides, data));
}

Array trace(const Array& x, const TraceOptions& options) {
  const FunctionName function("trace");
  return sum(diagonal(x, options.offset), {.axis = -1, .dtype = options.dtype});
}

}  // namespace linalg
}  // namespace tandem
