// Linear algebra and sums of products. Of factors that are not unique their product and their properties are given.
#include "calls.hpp"

namespace td = tandem;

namespace tandem::test::replay {
namespace {

using td::linalg::NormOrder;

Array adjoint(const Array& x) { return td::matrix_transpose(td::conj(x)); }
Array gram(const Array& x) { return td::matmul(adjoint(x), x); }

std::optional<NormOrder> order(const Arguments& a, std::size_t i) {
  if (!a.has(i)) return std::nullopt;
  if (a.is_text(i)) return a.text(i) == "nuc" ? td::linalg::nuc : td::linalg::fro;
  return NormOrder(a.real(i));
}

void add_products(Functions& f) {
  f["einsum"].call = GIVES(td::einsum(a.text(0), std::span<const Array>(a.arrays(1))));
  f["inner"].call = GIVES(td::inner(a.array(0), a.array(1)));
  f["vdot"].call = GIVES(td::vdot(a.array(0), a.array(1)));
  f["matvec"].call = GIVES(td::matvec(a.array(0), a.array(1)));
  f["vecmat"].call = GIVES(td::vecmat(a.array(0), a.array(1)));
  f["kron"].call = GIVES(td::kron(a.array(0), a.array(1)));
  f["vecdot"].call = GIVES(td::vecdot(a.array(0), a.array(1), a.axis(2)));
  f["cross"].call = GIVES(td::linalg::cross(a.array(0), a.array(1), a.axis(2)));
  f["matrix_power"].call = GIVES(td::linalg::matrix_power(a.array(0), a.integer(1)));
  f["multi_dot"].call = GIVES(td::linalg::multi_dot(std::span<const Array>(a.arrays(0))));
  f["matrix_diagonal"] = {.call = GIVES(td::linalg::diagonal(a.array(0), a.axis(1))), .says = {"diagonal"}};
  f["trace"].call = GIVES(td::linalg::trace(a.array(0), {.offset = a.axis(1), .dtype = a.dtype(2)}));
  for (const char* name : {"einsum", "inner", "vdot", "matvec", "vecmat", "kron", "vecdot", "cross", "matrix_power",
                           "multi_dot", "trace"})
    f[name].zeros_alike = true;
}

void add_norms(Functions& f) {
  f["norm"].call = GIVES(td::linalg::norm(a.array(0), {.axis = a.axes(1), .ord = order(a, 2), .keepdims = a.flag(3)}));
  f["vector_norm"].call =
      GIVES(td::linalg::vector_norm(a.array(0), {.axis = a.axes(1), .ord = order(a, 2), .keepdims = a.flag(3)}));
  f["matrix_norm"].call =
      GIVES(td::linalg::matrix_norm(a.array(0), {.ord = order(a, 1).value_or(td::linalg::fro), .keepdims = a.flag(2)}));
  f["cond"].call = GIVES(td::linalg::cond(a.array(0), order(a, 1).value_or(2)));
}

void add_systems(Functions& f) {
  f["solve"].call = GIVES(td::linalg::solve(a.array(0), a.array(1)));
  f["solve_triangular"].call = GIVES(
      td::linalg::solve_triangular(a.array(0), a.array(1), {.lower = a.flag(2), .unit_diagonal = a.flag(3)}));
  f["inv"].call = GIVES(td::linalg::inv(a.array(0)));
  f["det"].call = GIVES(td::linalg::det(a.array(0)));
  f["slogdet"].call = [](const Arguments& a) {
    const auto [sign, logarithm] = td::linalg::slogdet(a.array(0));
    return Results{sign, logarithm};
  };
  f["pinv"].call = [](const Arguments& a) {
    return Results{a.has(1) ? td::linalg::pinv(a.array(0), a.array(1), {.hermitian = a.flag(2)})
                            : td::linalg::pinv(a.array(0), {.hermitian = a.flag(2)})};
  };
  f["matrix_rank"].call = [](const Arguments& a) {
    return Results{a.has(1) ? td::linalg::matrix_rank(a.array(0), a.array(1), {.hermitian = a.flag(2)})
                            : td::linalg::matrix_rank(a.array(0), {.hermitian = a.flag(2)})};
  };
  f["tensorsolve"].call = GIVES(td::linalg::tensorsolve(a.array(0), a.array(1)));
  f["tensorinv"].call = GIVES(td::linalg::tensorinv(a.array(0), a.axis(1)));
  f["lstsq"].call = [](const Arguments& a) {
    const auto [x, residuals, rank, s] = td::linalg::lstsq(a.array(0), a.array(1));
    return Results{x, residuals, rank, s};
  };
}

void add_factorizations(Functions& f) {
  f["cholesky"].call = GIVES(td::linalg::cholesky(a.array(0), {.upper = a.flag(1)}));
  f["qr"].call = [](const Arguments& a) {
    const auto mode = a.choice<td::linalg::QrMode>(1, {"reduced", "complete"});
    const auto [q, r] = td::linalg::qr(a.array(0), {.mode = mode});
    return Results{td::matmul(q, r), gram(q), td::tril(r, {.k = -1})};
  };
  f["svd"].call = [](const Arguments& a) {
    const auto [u, s, vh] = td::linalg::svd(a.array(0), {.full_matrices = a.flag(1)});
    const td::Index first = td::slice(0, s.shape(-1));
    const Array scaled = u(td::ellipsis, first) * s.expand_dims(-2);
    return Results{s, td::matmul(scaled, vh(td::ellipsis, first, td::all)), gram(u), gram(adjoint(vh))};
  };
  f["svdvals"].call = GIVES(td::linalg::svdvals(a.array(0)));
  f["eigh"].call = [](const Arguments& a) {
    const auto [w, v] = td::linalg::eigh(a.array(0), {.upper = a.flag(1)});
    return Results{w, td::matmul(v * w.expand_dims(-2), adjoint(v)), gram(v)};
  };
  f["eigvalsh"].call = GIVES(td::linalg::eigvalsh(a.array(0), {.upper = a.flag(1)}));
  // Sums of the first powers of the eigenvalues, which are in no order.
  const auto powers = [](const Array& w) {
    return td::stack({td::sum(w, {.axis = -1}), td::sum(w * w, {.axis = -1}), td::sum(w * w * w, {.axis = -1})});
  };
  f["eig"].call = [=](const Arguments& a) {
    const auto [w, v] = td::linalg::eig(a.array(0));
    const Array residual = td::matmul(a.array(0).astype(v.dtype()), v) - v * w.expand_dims(-2);
    return Results{powers(w), residual, td::linalg::vector_norm(v, {.axis = -2})};
  };
  f["eigvals"].call = [=](const Arguments& a) { return Results{powers(td::linalg::eigvals(a.array(0)))}; };
}

}  // namespace

void add_linalg(Functions& f) {
  add_products(f);
  add_norms(f);
  add_systems(f);
  add_factorizations(f);
}

}  // namespace tandem::test::replay
