// Factorizations: checks, and what is the same for all backends around the verbs.
#include <tandem/linalg.hpp>

#include <algorithm>

#include <tandem/creation.hpp>
#include <tandem/elementwise.hpp>
#include <tandem/indexing.hpp>
#include <tandem/sorting.hpp>

#include "../array/shape_rules.hpp"
#include "matrices.hpp"

namespace tandem {

using detail::Node;
using detail::view_of;

namespace {

linalg::EigResult hermitian_eigen(const char* function, const Array& x, bool upper, bool vectors) {
  const detail::FunctionName scope(function);
  const Array a = detail::square_matrices(function, x);
  const Shape stack = detail::stack_shape(a);
  const std::int64_t n = a.shape(-1);
  // The triangle that is not read may hold anything.
  const Array rows = arange(n, {.device = a.device()}).reshape({n, 1}), columns = rows.reshape({n});
  detail::require_finite(function, where(upper ? greater(rows, columns) : less(rows, columns), 0, a));
  linalg::EigResult result;
  result.eigenvalues = detail::vector_stack(function, a, real_dtype(a.dtype()), stack, n);
  if (vectors) result.eigenvectors = detail::columns_stack(function, a, a.dtype(), stack, n, n);
  if (a.size() == 0) return result;
  const td_view in = view_of(*a.node()), w = view_of(*result.eigenvalues.node());
  const td_view v = vectors ? view_of(*result.eigenvectors.node()) : td_view{};
  const detail::DeviceState& device = *a.node()->device;
  detail::call(function, device.table->eigh, device.handle, &in, std::int32_t{upper}, &w, vectors ? &v : nullptr);
  return result;
}

/// a = V diag(w) V^H is U diag(|w|) Vh with U = V and Vh = diag(sign(w)) V^H, in descending order of |w|.
linalg::SvdResult hermitian_singular_values(const char* function, const Array& a, bool vectors) {
  const auto [w, v] = hermitian_eigen(function, a, false, vectors);
  Array s = abs(w);
  if (!vectors) return {{}, sort(std::move(s), {.descending = true}), {}};
  const Array order = argsort(s, {.descending = true}), columns = order.expand_dims(-2).broadcast_to(v.shape());
  const Array u = take_along_axis(v, columns, -1);
  const Array signs = where(less(take_along_axis(w, order, -1), 0), -1, 1).expand_dims(-2);
  const Array right = multiply(u, signs.astype(w.dtype()));
  return {u, take_along_axis(s, order, -1), matrix_transpose(is_complex(v.dtype()) ? conj(right) : right)};
}

}  // namespace

linalg::SvdResult detail::singular_values(const char* function, const Array& x, bool vectors,
                                          const linalg::SvdOptions& options) {
  if (options.hermitian) return hermitian_singular_values(function, x, vectors);
  const Array a = matrices(function, x);
  const std::int64_t m = a.shape(-2), n = a.shape(-1);
  if (m < n) {  // x^T = U' diag(S) Vh' is x = Vh'^T diag(S) U'^T
    linalg::SvdResult tall = singular_values(function, matrix_transpose(a), vectors, options);
    if (!vectors) return tall;
    return {matrix_transpose(tall.Vh), std::move(tall.S), matrix_transpose(tall.U)};
  }
  require_finite(function, a);
  const Shape stack = stack_shape(a);
  const std::int64_t columns = options.full_matrices ? m : n;
  linalg::SvdResult result;
  result.S = vector_stack(function, a, real_dtype(a.dtype()), stack, n);
  if (a.size() == 0) {
    if (vectors) {
      result.U = identities(a, a.dtype(), stack, m, columns);
      result.Vh = identities(a, a.dtype(), stack, n, n);
    }
    return result;
  }
  const td_view in = view_of(*a.node()), s = view_of(*result.S.node());
  td_view u, vh;
  if (vectors) {
    result.U = columns_stack(function, a, a.dtype(), stack, m, columns);
    result.Vh = columns_stack(function, a, a.dtype(), stack, n, n);
    u = view_of(*result.U.node());
    vh = view_of(*result.Vh.node());
  }
  const DeviceState& device = *a.node()->device;
  call(function, device.table->svd, device.handle, &in, vectors ? &u : nullptr, &s, vectors ? &vh : nullptr);
  return result;
}

namespace linalg {
namespace {

EigResult general_eigen(const char* function, const Array& x, bool vectors) {
  const detail::FunctionName scope(function);
  const Array a = detail::square_matrices(function, x);
  detail::require_finite(function, a);
  const Shape stack = detail::stack_shape(a);
  const std::int64_t n = a.shape(-1);
  const DType dtype = complex_dtype(a.dtype());
  EigResult result;
  result.eigenvalues = detail::vector_stack(function, a, dtype, stack, n);
  if (vectors) result.eigenvectors = detail::columns_stack(function, a, dtype, stack, n, n);
  if (a.size() == 0) return result;
  const td_view in = view_of(*a.node()), w = view_of(*result.eigenvalues.node());
  const td_view v = vectors ? view_of(*result.eigenvectors.node()) : td_view{};
  const detail::DeviceState& device = *a.node()->device;
  detail::call(function, device.table->eig, device.handle, &in, &w, vectors ? &v : nullptr);
  return result;
}

}  // namespace

Array cholesky(const Array& x, const CholeskyOptions& options) {
  const Array a = detail::square_matrices("cholesky", x);
  const Node& source = *a.node();
  detail::NodePtr result = detail::allocate_node("cholesky", *source.device, a.dtype(), source.shape);
  if (result->bytes) {
    const td_view in = view_of(source), out = view_of(*result);
    detail::call("cholesky", source.device->table->cholesky, source.device->handle, &in, std::int32_t{options.upper},
                 &out);
  }
  return Array(std::move(result));
}

QrResult qr(const Array& x, const QrOptions& options) {
  const detail::FunctionName function("qr");
  const Array a = detail::matrices(function, x);
  const Shape stack = detail::stack_shape(a);
  const std::int64_t m = a.shape(-2), n = a.shape(-1);
  const std::int64_t inner = options.mode == QrMode::complete ? m : std::min(m, n);
  if (a.size() == 0)
    return {detail::identities(a, a.dtype(), stack, m, inner),
            zeros(detail::with_axes(stack, {inner, n}), {.dtype = a.dtype(), .device = a.device()})};
  QrResult result{detail::columns_stack(function, a, a.dtype(), stack, m, inner),
                  detail::columns_stack(function, a, a.dtype(), stack, inner, n)};
  const td_view in = view_of(*a.node()), q = view_of(*result.Q.node()), r = view_of(*result.R.node());
  const detail::DeviceState& device = *a.node()->device;
  detail::call(function, device.table->qr, device.handle, &in, &q, &r);
  const Array rows = arange(inner, {.device = a.device()}).reshape({inner, 1}),
              columns = arange(n, {.device = a.device()});
  result.R = where(less_equal(rows, columns), std::move(result.R), 0);
  return result;
}

SvdResult svd(const Array& x, const SvdOptions& options) {
  return detail::singular_values("svd", x, true, options);
}

Array svdvals(const Array& x, const HermitianOptions& options) {
  return detail::singular_values("svdvals", x, false, {.hermitian = options.hermitian}).S;
}

EigResult eigh(const Array& x, const EighOptions& options) { return hermitian_eigen("eigh", x, options.upper, true); }

Array eigvalsh(const Array& x, const EighOptions& options) {
  return hermitian_eigen("eigvalsh", x, options.upper, false).eigenvalues;
}

EigResult eig(const Array& x) { return general_eigen("eig", x, true); }

Array eigvals(const Array& x) { return general_eigen("eigvals", x, false).eigenvalues; }

}  // namespace linalg
}  // namespace tandem
