// Systems of equations, and what follows from LU factors and from singular values.
#include <tandem/linalg.hpp>

#include <algorithm>
#include <limits>

#include <tandem/creation.hpp>
#include <tandem/elementwise.hpp>
#include <tandem/reductions.hpp>

#include "../array/shape_rules.hpp"
#include "matrices.hpp"

namespace tandem {

using detail::fail;
using detail::view_of;

namespace {

/// Which matrices of the stack hold a NaN: no pivot of theirs is known.
Array holds_nan(const Array& a) { return any(isnan(a), {.axis = {-2, -1}}); }

}  // namespace

Array detail::solve_stack(const char* function, const Array& a, td_structure structure, const Array& b) {
  Shape stack = stack_shape(a);
  if (b.shape(-2) != a.shape(-1) || !broadcast_into(stack, stack_shape(b)))
    fail(function, "shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) + " do not align");
  const std::int64_t n = a.shape(-1), k = b.shape(-1);
  if (a.ndim() == 2 && b.ndim() > 2) {  // one matrix is factorized once: all right sides side by side
    const Array first = b.moveaxis(-2, 0);
    return solve_stack(function, a, structure, first.reshape({n, b.size() / std::max<std::int64_t>(n, 1)}))
        .reshape(first.shape())
        .moveaxis(0, -2);
  }
  const Array x = columns_stack(function, a, a.dtype(), stack, n, k);
  if (x.size() == 0) return x;
  const StackView matrix(function, a, stack), right(function, b, stack);
  const td_view out = view_of(*x.node());
  const DeviceState& device = *a.node()->device;
  try {
    call(function, device.table->solve, device.handle, &matrix.view, structure, &right.view, &out);
  } catch (const LinAlgError&) {
    // Some libraries call a matrix singular as well if a pivot is NaN: its solution is NaN.
    const Array unknown = holds_nan(a).expand_dims(-1).expand_dims(-1);
    if (structure != TD_GENERAL || !any(unknown).item<bool>()) throw;
    const Array one = eye(n, {}, {.dtype = a.dtype(), .device = a.device()});
    return where(unknown, std::numeric_limits<double>::quiet_NaN(),
                 solve_stack(function, where(unknown, one, a), structure, b));
  }
  return x;
}

Array detail::inverse(const char* function, const Array& x) {
  const detail::FunctionName scope(function);
  const Array a = square_matrices(function, x);
  return solve_stack(function, a, TD_GENERAL, eye(a.shape(-1), {}, {.dtype = a.dtype(), .device = a.device()}));
}

namespace linalg {
namespace {

/// solve and solve_triangular: b may be a vector.
Array solve_any(const char* function, const Array& a, td_structure structure, const Array& b) {
  const detail::FunctionName scope(function);
  const Array pair[] = {a, b};
  detail::common_device(function, pair);
  Array matrix = detail::square_matrices(function, a);
  if (b.ndim() == 0 || b.shape(b.ndim() == 1 ? 0 : -2) != a.shape(-1))
    fail(function, "shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) + " do not align");
  const DType dtype = promote_types(matrix.dtype(), detail::factorization_dtype(function, b.dtype()));
  matrix = matrix.astype(dtype).eval();
  const Array right = b.astype(dtype).eval();
  if (structure == TD_LOWER || structure == TD_UPPER) {
    const Array zero = equal(diagonal(matrix), 0);
    if (zero.size() > 0) detail::refuse_where(function, any(zero, {.axis = -1}), "is singular");
  }
  if (b.ndim() > 1) return detail::solve_stack(function, matrix, structure, right);
  return detail::solve_stack(function, matrix, structure, right.expand_dims(1)).squeeze(-1);
}

/// What an LU factorization tells about determinants, for each matrix of the stack.
struct Elimination {
  Array pivots;   // (..., n)
  Array unknown;  // whether the matrix holds a NaN
  Array factors;  // of the determinant: (..., n)

  Array singular() const { return logical_and(any(equal(pivots, 0), {.axis = -1}), logical_not(unknown)); }
};

Elimination eliminate(const char* function, const Array& x) {
  const Array a = detail::square_matrices(function, x);
  const Shape stack = detail::stack_shape(a);
  const std::int64_t n = a.shape(-1);
  const Array lu = detail::columns_stack(function, a, a.dtype(), stack, n, n);
  const Array exchanges = detail::vector_stack(function, a, int32, stack, n);
  if (a.size() > 0) {
    const td_view in = view_of(*a.node()), factors = view_of(*lu.node()), rows = view_of(*exchanges.node());
    const detail::DeviceState& device = *a.node()->device;
    detail::call(function, device.table->lu, device.handle, &in, &factors, &rows);
  }
  // A factorization may end at a pivot that is NaN and leave zeros behind.
  const Array unknown = holds_nan(a);
  // Each exchange of two rows turns the sign.
  const Array own = arange(1, n + 1, 1, {.dtype = int32, .device = a.device()}), diagonal = linalg::diagonal(lu);
  Array factors = where(equal(exchanges, own), diagonal, negative(diagonal));
  factors = where(unknown.expand_dims(-1), std::numeric_limits<double>::quiet_NaN(), std::move(factors));
  return {diagonal, unknown, std::move(factors)};
}

SlogdetResult sign_and_logarithm(const Elimination& lu) {
  Array sign = prod(tandem::sign(lu.factors), {.axis = -1}), logarithm = sum(log(abs(lu.factors)), {.axis = -1});
  const Array singular = lu.singular();
  return {where(singular, 0, std::move(sign)),
          where(singular, -std::numeric_limits<double>::infinity(), std::move(logarithm))};
}

double epsilon(DType dtype) { return real_dtype(dtype) == float32 ? 0x1p-23 : 0x1p-52; }

/// The tolerance as an array that broadcasts with singular values (..., 1).
Array tolerance(const char* function, const std::optional<double>& rtol, const Array& x) {
  const DType dtype = detail::factorization_dtype(function, x.dtype());
  const double standard = double(std::max(x.shape(-2), x.shape(-1))) * epsilon(dtype);
  return full({1}, rtol.value_or(standard), {.dtype = real_dtype(dtype), .device = x.device()});
}

/// The same of a tolerance for each matrix.
Array own_tolerances(const char* function, const Array& x, const Array& rtol) {
  const Array a = detail::matrices(function, x);
  Shape stack = detail::stack_shape(a);
  if (!detail::broadcast_into(stack, rtol.shape()))
    fail(function,
         "rtol of shape " + to_string(rtol.shape()) + " does not fit matrices of shape " + to_string(x.shape()));
  return rtol.expand_dims(-1);
}

/// Whether singular values, which descend along the last axis, count as 0. Those of no matrix have no largest one.
Array is_negligible(const Array& s, const Array& rtol) {
  return less_equal(s, multiply(s(ellipsis, slice(0, 1)), rtol.astype(s.dtype())));
}

Array conjugate_transpose(const Array& x) { return matrix_transpose(is_complex(x.dtype()) ? conj(x) : x); }

Array pinv_by(const Array& x, const Array& rtol, bool hermitian) {
  const SvdResult f = detail::singular_values("pinv", x, true, {.full_matrices = false, .hermitian = hermitian});
  const Array inverse = where(is_negligible(f.S, rtol), 0, reciprocal(f.S));
  return matmul(conjugate_transpose(f.Vh), multiply(inverse.expand_dims(-1), conjugate_transpose(f.U)));
}

Array rank_values(const Array& x, bool hermitian) {
  return detail::singular_values("matrix_rank", x, false, {.hermitian = hermitian}).S;
}

Array rank_of(const Array& negligible) { return count_nonzero(logical_not(negligible), {.axis = -1}); }

/// How many elements a shape has.
std::int64_t elements_of(const Shape& shape) {
  std::int64_t product = 1;
  for (const std::int64_t length : shape) product *= length;
  return product;
}

}  // namespace

Array solve(const Array& a, const Array& b) { return solve_any("solve", a, TD_GENERAL, b); }

Array solve_triangular(const Array& a, const Array& b, const TriangularOptions& options) {
  const td_structure structure = options.unit_diagonal ? (options.lower ? TD_UNIT_LOWER : TD_UNIT_UPPER)
                                                       : (options.lower ? TD_LOWER : TD_UPPER);
  return solve_any("solve_triangular", a, structure, b);
}

Array inv(const Array& x) { return detail::inverse("inv", x); }

Array det(const Array& x) {
  const detail::FunctionName function("det");
  const Elimination lu = eliminate(function, x);
  const Array product = prod(lu.factors, {.axis = -1});
  // A product may leave the range of numbers on the way to a determinant that lies in it.
  const Array in_range = logical_and(isfinite(product), not_equal(product, 0));
  if (all(in_range).item<bool>()) return product;
  const SlogdetResult parts = sign_and_logarithm(lu);
  return where(in_range, product, multiply(parts.sign, exp(parts.logabsdet)));
}

SlogdetResult slogdet(const Array& x) {
  const detail::FunctionName function("slogdet");
  return sign_and_logarithm(eliminate(function, x));
}

Array pinv(const Array& x, const PinvOptions& options) {
  const detail::FunctionName function("pinv");
  return pinv_by(x, tolerance(function, options.rtol, detail::matrices(function, x)), options.hermitian);
}

Array pinv(const Array& x, const Array& rtol, const HermitianOptions& options) {
  const detail::FunctionName function("pinv");
  return pinv_by(x, own_tolerances(function, x, rtol), options.hermitian);
}

Array matrix_rank(const Array& x, const RankOptions& options) {
  const detail::FunctionName function("matrix_rank");
  if (options.rtol && options.tol) fail(function, "rtol and tol are two ways to say which values count as 0");
  if (x.ndim() < 2) return any(x).astype(int64);
  const Array s = rank_values(x, options.hermitian);
  if (options.tol) return rank_of(less_equal(s, *options.tol));
  return rank_of(is_negligible(s, tolerance(function, options.rtol, x)));
}

Array matrix_rank(const Array& x, const Array& rtol, const HermitianOptions& options) {
  const detail::FunctionName function("matrix_rank");
  if (x.ndim() < 2) return matrix_rank(x);
  return rank_of(is_negligible(rank_values(x, options.hermitian), own_tolerances(function, x, rtol)));
}

LstsqResult lstsq(const Array& a, const Array& b, const LstsqOptions& options) {
  const detail::FunctionName function("lstsq");
  const Array pair[] = {a, b};
  detail::common_device(function, pair);
  Array matrix = detail::matrices(function, a);
  const DType dtype = promote_types(matrix.dtype(), detail::factorization_dtype(function, b.dtype()));
  const std::int64_t m = a.shape(-2), n = a.shape(-1);
  Shape stack = detail::stack_shape(a);
  const bool vector = b.ndim() == 1;
  if (b.ndim() == 0 || b.shape(vector ? 0 : -2) != m ||
      (!vector && !detail::broadcast_into(stack, detail::stack_shape(b))))
    fail(function, "shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) + " do not align");
  matrix = matrix.astype(dtype).eval();
  const Array right = (vector ? b.expand_dims(1) : b).astype(dtype).eval();

  const SvdResult f = detail::singular_values(function, matrix, true);
  std::optional<double> rtol = options.rtol;
  if (rtol && *rtol < 0) rtol = epsilon(dtype);
  const Array negligible = is_negligible(f.S, tolerance(function, rtol, matrix)), rank = rank_of(negligible);
  const Array inverse = where(negligible, 0, reciprocal(f.S)).expand_dims(-1);
  const Array x = matmul(conjugate_transpose(f.Vh), multiply(inverse, matmul(conjugate_transpose(f.U), right)));
  Array residuals = zeros({0}, {.dtype = real_dtype(dtype), .device = a.device()});
  if (m > n && all(equal(rank, n)).item<bool>()) {
    const Array rest = subtract(right, matmul(matrix, x));
    residuals = real(vecdot(rest, rest, -2));
  }
  if (!vector) return {x, residuals, rank, f.S};
  return {x.squeeze(-1), residuals, rank, f.S};
}

Array tensorsolve(const Array& a, const Array& b) {
  const detail::FunctionName function("tensorsolve");
  const int rows = b.ndim();
  if (a.ndim() < rows || !(detail::leading(a.shape(), rows) == b.shape()))
    fail(function, "shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) + " do not align");
  const Shape shape(a.shape().data() + rows, a.ndim() - rows);
  const std::int64_t n = elements_of(shape);
  if (n != b.size())
    fail(function, "arrays of shapes " + to_string(shape) + " and " + to_string(b.shape()) +
                       " have different numbers of elements");
  return solve_any(function, a.reshape({n, n}), TD_GENERAL, b.reshape({n})).reshape(shape);
}

Array tensorinv(const Array& a, int rows) {
  const detail::FunctionName function("tensorinv");
  if (rows < 1 || rows > a.ndim())
    fail(function, std::to_string(rows) + " axes of shape " + to_string(a.shape()) + ": one or more of them are rows");
  const Shape first = detail::leading(a.shape(), rows);
  Shape shape(a.shape().data() + rows, a.ndim() - rows);
  const std::int64_t n = elements_of(first);
  if (n != elements_of(shape))
    fail(function, "arrays of shapes " + to_string(first) + " and " + to_string(shape) +
                       " have different numbers of elements");
  for (const std::int64_t length : first) shape.push_back(length);
  return detail::inverse(function, a.reshape({n, n})).reshape(shape);
}

}  // namespace linalg
}  // namespace tandem
