// Products, transforms and factorizations on two backends. Factors are not unique (signs of singular vectors, phases
// and order of eigenvectors), and badly conditioned matrices move those that are. So what is compared is what backward
// stable algorithms promise: that factors multiply to the matrix that they are of, and are orthonormal where they
// should be (Higham: Accuracy and Stability of Numerical Algorithms, 2nd edition, chapters 3, 9, 10, 19 and 24).
#include <algorithm>
#include <cmath>
#include <functional>

#include <tandem/data_types.hpp>

#include "agreement.hpp"

namespace tandem::detail {
namespace {

using Real = long double;

/// std::complex multiplies with care for infinities, which takes long.
Number times(Number a, Number b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
/// |a|; NaN if a part is.
Real modulus(Number a) { return a.imag() == 0 ? std::abs(a.real()) : std::hypot(a.real(), a.imag()); }

/// A matrix, or a vector as one column.
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<Number> elements;
  Matrix() = default;
  Matrix(std::int64_t m, std::int64_t n) : rows(m), columns(n), elements(std::size_t(m * n)) {}
  Number& operator()(std::int64_t i, std::int64_t j) { return elements[std::size_t(i * columns + j)]; }
  Number operator()(std::int64_t i, std::int64_t j) const { return elements[std::size_t(i * columns + j)]; }

  Real largest() const {
    Real size = 0;
    for (const Number x : elements) size = std::max(size, modulus(x));
    return size;
  }
  Real frobenius() const {
    Real sum = 0;
    for (const Number x : elements) sum += std::norm(x);
    return std::sqrt(sum);
  }
  bool finite() const { return std::all_of(elements.begin(), elements.end(), [](Number x) { return is_finite(x); }); }
};

Matrix adjoint(const Matrix& x) {
  Matrix result(x.columns, x.rows);
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < x.columns; ++j) result(j, i) = std::conj(x(i, j));
  return result;
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result(a.rows, b.columns);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t k = 0; k < a.columns; ++k)
      for (std::int64_t j = 0; j < b.columns; ++j) result(i, j) += times(a(i, k), b(k, j));
  return result;
}

/// The columns times the elements of a vector.
Matrix scaled(Matrix x, const Matrix& factors) {
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < x.columns; ++j) x(i, j) = times(x(i, j), factors(j, 0));
  return x;
}

Matrix identity(std::int64_t n) {
  Matrix result(n, n);
  for (std::int64_t i = 0; i < n; ++i) result(i, i) = 1;
  return result;
}

/// The matrices or vectors of an array, one after the other.
class Stack {
 public:
  /// `axes`: 2 for matrices, 1 for vectors.
  Stack(Written array, int axes) : array_(std::move(array)), axes_(axes) {
    const Shape& shape = array_.shape;
    rows_ = shape[shape.size() - axes];
    columns_ = axes == 2 ? shape[shape.size() - 1] : 1;
  }
  std::int64_t size() const { return array_.size() / (rows_ * columns_); }
  Matrix operator[](std::int64_t number) const {
    Matrix matrix(rows_, columns_);
    for (std::int64_t i = 0; i < rows_ * columns_; ++i)
      matrix.elements[std::size_t(i)] = number_of(array_.dtype, array_.at(number * rows_ * columns_ + i));
    return matrix;
  }
  bool is_complex() const { return tandem::is_complex(array_.dtype); }
  DType dtype() const { return array_.dtype; }
  double eps() const { return finfo(array_.dtype).eps; }

  /// "(2, 3) of matrix 4", or without a stack "(2, 3)".
  std::string place(std::int64_t number, std::int64_t i, std::int64_t j) const {
    std::string text = "(" + std::to_string(i) + (axes_ == 2 ? ", " + std::to_string(j) : "") + ")";
    return array_.shape.size() > axes_ ? text + " of matrix " + std::to_string(number) : text;
  }

 private:
  Written array_;
  int axes_;
  std::int64_t rows_, columns_;
};

Written input(const RecordedCall& call, std::string_view name) {
  const td_view view = call.argument(name).arrays.at(0).host_view();
  return packed(name, view, HostElements(view));
}

/// How an element's place is said.
using PlaceText = std::function<std::string(std::int64_t, std::int64_t)>;

/// What both backends made of one matrix.
struct Pair {
  Matrix first, second;
};

/// Looks at all elements: each backend's may be `allowed(i, j)` away from the truth.
template <class Allowed>
std::optional<Difference> beside(const Matrix& truth, const Pair& pair, const Allowed& allowed, const std::string& what,
                                 const PlaceText& place) {
  for (std::int64_t i = 0; i < truth.rows; ++i)
    for (std::int64_t j = 0; j < truth.columns; ++j) {
      const Number t = truth(i, j), a = pair.first(i, j), b = pair.second(i, j);
      const Real most = allowed(i, j), one = modulus(a - t), other = modulus(b - t);
      if (one <= most && other <= most) continue;
      if (!std::isfinite(most)) continue;
      const bool first_worse = !(one <= other);
      return Difference{what + " at " + place(i, j), number_text(a), number_text(b),
                        "it should be " + number_text(t) + ", " +
                            distance_text(double(first_worse ? one : other), double(most), "")};
    }
  return std::nullopt;
}

/// Looks at all elements of something that is unique: the backends' may be `most` apart.
std::optional<Difference> apart(const Pair& pair, Real most, const std::string& what,
                                const PlaceText& place) {
  for (std::int64_t i = 0; i < pair.first.rows; ++i) {
    const Number a = pair.first(i, 0), b = pair.second(i, 0);
    if (modulus(a - b) <= most) continue;
    return Difference{what + " at " + place(i, 0), number_text(a), number_text(b),
                      distance_text(double(modulus(a - b)), double(most), "")};
  }
  return std::nullopt;
}

/// The outputs of one name, and a matrix of both.
struct PairOfStacks {
  Stack first, second;
  PairOfStacks(const BothMade& both, std::string_view name, int axes)
      : first(*both.first.find(name), axes), second(*both.second.find(name), axes) {}
  Pair operator[](std::int64_t number) const { return {first[number], second[number]}; }
};

/// The matrices of an output that a call may leave out.
std::optional<PairOfStacks> optional_stacks(const BothMade& both, std::string_view name) {
  if (both.first.find(name) == nullptr) return std::nullopt;
  return PairOfStacks(both, name, 2);
}

template <class Function>
Pair each(const Pair& pair, Function&& function) {
  return {function(pair.first), function(pair.second)};
}

std::optional<Difference> orthonormal(const Pair& q, double eps, const std::string& what,
                                      const PlaceText& place) {
  const Pair products = each(q, [](const Matrix& x) { return product(adjoint(x), x); });
  const Real most = 8 * Real(q.first.rows) * eps;
  return beside(identity(q.first.columns), products, [&](auto, auto) { return most; }, what, place);
}

/// The Hermitian matrix whose one triangle is given.
Matrix hermitian(Matrix a, bool upper) {
  for (std::int64_t i = 0; i < a.rows; ++i) {
    a(i, i) = a(i, i).real();
    for (std::int64_t j = 0; j < i; ++j) {
      if (upper) a(i, j) = std::conj(a(j, i));
      else a(j, i) = std::conj(a(i, j));
    }
  }
  return a;
}

/// The matrix that solve takes a for.
Matrix structured(Matrix a, td_structure structure) {
  const bool lower = structure == TD_LOWER || structure == TD_UNIT_LOWER;
  for (std::int64_t i = 0; i < a.rows && structure != TD_GENERAL; ++i) {
    if (structure == TD_UNIT_LOWER || structure == TD_UNIT_UPPER) a(i, i) = 1;
    for (std::int64_t j = 0; j < a.columns; ++j)
      if (lower ? j > i : j < i) a(i, j) = 0;
  }
  return a;
}

}  // namespace

// ---- products and transforms ----

std::optional<Difference> compare_matmul(const BothMade& both) {
  const Written &first = *both.first.find("c"), &second = *both.second.find("c");
  if (!is_inexact(first.dtype)) return first_other_bits(first, second);
  const Stack a(input(both.call, "a"), 2), b(input(both.call, "b"), 2);
  const PairOfStacks c(both, "c", 2);
  const FloatInfo info = finfo(first.dtype);
  const bool half = first.dtype == float16 || first.dtype == bfloat16;
  const Real eps = half ? finfo(float32).eps : info.eps;
  // TF32 rounds each factor to 11 bits.
  const auto precision = both.call.value<td_precision>("precision");
  const bool tf32 = precision == TD_PRECISION_TF32 && real_dtype(first.dtype) == float32;
  for (std::int64_t number = 0; number < c.first.size(); ++number) {
    const Matrix x = a[number], y = b[number];
    const Pair z = c[number];
    const std::int64_t k = x.columns;
    const Real factor = Real(k + 2) * eps * (a.is_complex() ? 2 : 1) + (tf32 ? 0x1p-9L : 0);
    std::vector<Real> sizes(std::size_t(z.first.columns));
    for (std::int64_t i = 0; i < z.first.rows; ++i) {
      std::fill(sizes.begin(), sizes.end(), Real(0));
      for (std::int64_t p = 0; p < k; ++p) {
        const Real left = modulus(x(i, p));
        for (std::size_t j = 0; j < sizes.size(); ++j) sizes[j] += left * modulus(y(p, std::int64_t(j)));
      }
      for (std::size_t j = 0; j < sizes.size(); ++j) {
        const Number p = z.first(i, std::int64_t(j)), q = z.second(i, std::int64_t(j));
        const Real size = sizes[j];
        if (std::isfinite(size) && size > info.max / 4) continue;  // may overflow on the way
        // Of factors that are not finite comes the same infinity or NaN, or of complex ones one or the other.
        const bool both_nan = std::isnan(p.real()) && std::isnan(q.real());
        if (!std::isfinite(size) && (a.is_complex() ? !is_finite(p) && !is_finite(q) : p == q || both_nan)) continue;
        Real most = factor * size + Real(k + 2) * info.smallest_subnormal;
        if (half) most += info.eps * std::max(modulus(p), modulus(q));
        if (modulus(p - q) <= most) continue;
        return Difference{"c at " + c.first.place(number, i, std::int64_t(j)), number_text(p), number_text(q),
                          distance_text(double(modulus(p - q)), double(most), "")};
      }
    }
  }
  return std::nullopt;
}

std::optional<Difference> compare_fft(const BothMade& both) {
  const Written &first = *both.first.find("out"), &second = *both.second.find("out");
  const Written x = input(both.call, "x");
  const auto transform = both.call.value<td_transform>("transform");
  const Real scale = std::abs(both.call.value<double>("scale"));
  const RecordedArgument& axes_argument = both.call.argument("axes");
  std::vector<std::int32_t> axes(axes_argument.value.size() / sizeof(std::int32_t));
  std::memcpy(axes.data(), axes_argument.value.data(), axes.size() * sizeof(std::int32_t));
  const int last = axes.back();
  std::int64_t n = 1;
  for (const int axis : axes) n *= std::max(x.shape[axis], first.shape[axis]);
  const FloatInfo info = finfo(first.dtype);

  /// The transform that an element belongs to: its position along the other axes.
  const auto transform_of = [&](std::int64_t position, const Shape& shape) {
    std::int64_t result = 0, step = 1;
    for (int axis = shape.size() - 1; axis >= 0; position /= shape[axis--]) {
      if (std::find(axes.begin(), axes.end(), axis) != axes.end()) continue;
      result += position % shape[axis] * step;
      step *= shape[axis];
    }
    return std::size_t(result);
  };
  struct Sums {
    Real input = 0, error = 0, norm = 0, worst = -1;
    std::int64_t at = 0;
  };
  std::vector<Sums> sums;
  const auto sums_of = [&](std::int64_t position, const Shape& shape) -> Sums& {
    const std::size_t number = transform_of(position, shape);
    if (number >= sums.size()) sums.resize(number + 1);
    return sums[number];
  };
  for (std::int64_t i = 0; i < x.size(); ++i) sums_of(i, x.shape).input += modulus(number_of(x.dtype, x.at(i)));
  for (std::int64_t i = 0; i < first.size(); ++i) {
    const Number a = number_of(first.dtype, first.at(i)), b = number_of(first.dtype, second.at(i));
    Sums& sum = sums_of(i, first.shape);
    const Real error = std::norm(a - b);
    sum.error += error;
    sum.norm += std::norm(b);
    if (!(error <= sum.worst)) sum.worst = error, sum.at = i;
    if (transform != TD_FFT_REAL || axes.size() > 1 || !std::isfinite(sum.input) || !is_finite(a) || !is_finite(b))
      continue;
    std::int64_t place = i;
    for (int axis = first.shape.size() - 1; axis > last; --axis) place /= first.shape[axis];
    place %= first.shape[last];
    if ((place == 0 || 2 * place == x.shape[last]) && (a.imag() != 0 || b.imag() != 0))
      return Difference{"out at " + index_text(i, first.shape) + " of " + to_string(first.shape), number_text(a),
                        number_text(b), "its imaginary part must be 0"};
  }
  for (const Sums& sum : sums) {
    if (!(sum.input * std::max(scale, Real(1)) < info.max / 4)) continue;  // not finite, or overflows on the way
    const Real most = 8 * (1 + std::log2(Real(n))) * info.eps * std::sqrt(sum.norm) +
                      8 * Real(n) * info.smallest_subnormal * std::max(scale, Real(1));
    if (std::sqrt(sum.error) <= most) continue;
    return Difference{"out at " + index_text(sum.at, first.shape) + " of " + to_string(first.shape),
                      element_text(first.dtype, first.at(sum.at)), element_text(first.dtype, second.at(sum.at)),
                      "in the 2-norm the two transforms are " +
                          distance_text(double(std::sqrt(sum.error)), double(most), "")};
  }
  return std::nullopt;
}

// ---- systems of equations ----

std::optional<Difference> compare_cholesky(const BothMade& both) {
  const bool upper = both.call.value<std::int32_t>("upper") != 0;
  const Stack a(input(both.call, "a"), 2);
  const PairOfStacks l(both, "l", 2);
  for (std::int64_t number = 0; number < a.size(); ++number) {
    const Matrix matrix = hermitian(a[number], upper);
    if (!matrix.finite()) continue;
    const Pair factors = l[number];
    const auto place = [&](auto i, auto j) { return a.place(number, i, j); };
    const auto other_triangle = each(factors, [&](Matrix x) {
      for (std::int64_t i = 0; i < x.rows; ++i)
        for (std::int64_t j = 0; j < x.columns; ++j)
          if (upper ? i <= j : i >= j) x(i, j) = 0;
      return x;
    });
    const Matrix zeros(matrix.rows, matrix.columns);
    if (auto found = beside(zeros, other_triangle, [](auto, auto) { return Real(0); }, "l", place)) return found;
    const Pair products = each(factors, [&](const Matrix& x) {
      return upper ? product(adjoint(x), x) : product(x, adjoint(x));
    });
    const Real factor = 4 * Real(matrix.rows + 2) * a.eps();
    const auto allowed = [&](auto i, auto j) {
      return factor * std::sqrt(modulus(matrix(i, i))) * std::sqrt(modulus(matrix(j, j)));
    };
    if (auto found = beside(matrix, products, allowed, upper ? "u^H u" : "l l^H", place)) return found;
  }
  return std::nullopt;
}

namespace {

/// The matrix that LU factors are of, and for each element the sum of the moduli of what is added up.
struct Eliminated {
  Matrix product, sizes;
};

/// `columns`: how many are defined.
Eliminated multiply_lu(const Matrix& lu, const Matrix& pivots, std::int64_t columns) {
  const std::int64_t n = lu.rows;
  Eliminated result{Matrix(n, columns), Matrix(n, columns)};
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t k = 0; k <= std::min(i, j); ++k) {
        const Number term = k == i ? lu(k, j) : times(lu(i, k), lu(k, j));
        result.product(i, j) += term;
        result.sizes(i, j) += modulus(term);
      }
  for (std::int64_t k = n - 1; k >= 0; --k) {
    const auto other = std::int64_t(pivots(k, 0).real()) - 1;
    for (std::int64_t j = 0; j < columns && other != k; ++j) {
      std::swap(result.product(k, j), result.product(other, j));
      std::swap(result.sizes(k, j), result.sizes(other, j));
    }
  }
  return result;
}

std::int64_t columns_before_zero(const Matrix& lu) {
  std::int64_t k = 0;
  while (k < lu.rows && lu(k, k) != Number(0)) ++k;
  return k;
}

}  // namespace

std::optional<Difference> compare_lu(const BothMade& both) {
  const Stack a(input(both.call, "a"), 2);
  const PairOfStacks lu(both, "lu", 2), pivots(both, "pivots", 1);
  for (std::int64_t number = 0; number < a.size(); ++number) {
    const Matrix matrix = a[number];
    if (!matrix.finite()) continue;
    const Pair factors = lu[number], rows = pivots[number];
    for (std::int64_t k = 0; k < matrix.rows; ++k) {
      const Number p = rows.first(k, 0), q = rows.second(k, 0);
      const auto possible = [&](Number x) { return x.real() > Real(k) && x.real() <= Real(matrix.rows); };
      if (possible(p) && possible(q)) continue;
      return Difference{"pivots at " + pivots.first.place(number, k, 0), number_text(p), number_text(q),
                        "row " + std::to_string(k + 1) + " is exchanged with a later one"};
    }
    const std::int64_t columns = std::min(columns_before_zero(factors.first), columns_before_zero(factors.second));
    const Eliminated first = multiply_lu(factors.first, rows.first, columns);
    const Eliminated second = multiply_lu(factors.second, rows.second, columns);
    Matrix truth(matrix.rows, columns);
    for (std::int64_t i = 0; i < truth.rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) truth(i, j) = matrix(i, j);
    const Real factor = 8 * Real(matrix.rows) * a.eps();
    const auto allowed = [&](auto i, auto j) {
      return factor * std::max(first.sizes(i, j).real(), second.sizes(i, j).real());
    };
    const auto place = [&](auto i, auto j) { return a.place(number, i, j); };
    if (auto found = beside(truth, {first.product, second.product}, allowed, "the product of l and u", place))
      return found;
  }
  return std::nullopt;
}

std::optional<Difference> compare_solve(const BothMade& both) {
  const auto structure = both.call.value<td_structure>("structure");
  const Stack a(input(both.call, "a"), 2), b(input(both.call, "b"), 2);
  const PairOfStacks x(both, "x", 2);
  for (std::int64_t number = 0; number < a.size(); ++number) {
    const Matrix matrix = structured(a[number], structure), right = b[number];
    if (!matrix.finite() || !right.finite()) continue;
    const Pair solutions = x[number];
    const Pair products = each(solutions, [&](const Matrix& y) { return product(matrix, y); });
    const Real n = Real(matrix.rows);
    const Real most = 8 * n * n * a.eps() * matrix.largest() *
                      std::max(solutions.first.largest(), solutions.second.largest());
    const auto place = [&](auto i, auto j) { return b.place(number, i, j); };
    if (auto found = beside(right, products, [&](auto, auto) { return most; }, "the product a x", place)) return found;
  }
  return std::nullopt;
}

bool rounding_decides(const RecordedCall& call) {
  const bool cholesky = call.verb == Verb::cholesky;
  const Stack a(input(call, "a"), 2);
  for (std::int64_t number = 0; number < a.size(); ++number) {
    Matrix matrix = a[number];
    if (!matrix.finite()) return true;
    if (cholesky) matrix = hermitian(matrix, call.value<std::int32_t>("upper") != 0);
    const std::int64_t n = matrix.rows;
    const Real small = 32 * Real(n) * a.eps() * matrix.largest();
    for (std::int64_t k = 0; k < n; ++k) {
      std::int64_t pivot = k;
      for (std::int64_t i = k + 1; i < n && !cholesky; ++i)
        if (modulus(matrix(i, k)) > modulus(matrix(pivot, k))) pivot = i;
      if (modulus(matrix(pivot, k)) <= small) return true;
      if (cholesky && matrix(k, k).real() < 0) break;  // certainly none
      for (std::int64_t j = 0; j < n && pivot != k; ++j) std::swap(matrix(k, j), matrix(pivot, j));
      for (std::int64_t i = k + 1; i < n; ++i) {
        const Number factor = matrix(i, k) / matrix(k, k);
        for (std::int64_t j = k; j < n; ++j) matrix(i, j) -= times(factor, matrix(k, j));
      }
    }
  }
  return false;
}

// ---- orthogonal factors, singular values and eigenvalues ----

std::optional<Difference> compare_qr(const BothMade& both) {
  const Stack a(input(both.call, "a"), 2);
  const PairOfStacks q(both, "q", 2), r(both, "r", 2);
  for (std::int64_t number = 0; number < a.size(); ++number) {
    const Matrix matrix = a[number];
    if (!matrix.finite()) continue;
    const auto place = [&](auto i, auto j) { return a.place(number, i, j); };
    const Pair left = q[number];
    if (auto found = orthonormal(left, a.eps(), "q^H q", place)) return found;
    const Pair right = each(r[number], [](Matrix x) {
      for (std::int64_t i = 0; i < x.rows; ++i)
        for (std::int64_t j = 0; j < std::min(i, x.columns); ++j) x(i, j) = 0;
      return x;
    });
    std::vector<Real> lengths(std::size_t(matrix.columns));
    for (std::int64_t i = 0; i < matrix.rows; ++i)
      for (std::int64_t j = 0; j < matrix.columns; ++j)
        lengths[std::size_t(j)] = std::hypot(lengths[std::size_t(j)], modulus(matrix(i, j)));
    const Real factor = 16 * Real(std::max(matrix.rows, matrix.columns)) * a.eps();
    const auto allowed = [&](auto, auto j) { return factor * lengths[std::size_t(j)]; };
    const Pair products{product(left.first, right.first), product(left.second, right.second)};
    if (auto found = beside(matrix, products, allowed, "the product q r", place)) return found;
  }
  return std::nullopt;
}

std::optional<Difference> compare_svd(const BothMade& both) {
  const Stack a(input(both.call, "a"), 2);
  const PairOfStacks s(both, "s", 1);
  const std::optional<PairOfStacks> u_all = optional_stacks(both, "u"), vh_all = optional_stacks(both, "vh");
  for (std::int64_t number = 0; number < a.size(); ++number) {
    const Matrix matrix = a[number];
    const Pair values = s[number];
    const Real unit = Real(matrix.rows) * a.eps() * values.second.largest();
    const auto place = [&](auto i, auto j) { return a.place(number, i, j); };
    const auto place_of_value = [&](auto i, auto) { return s.first.place(number, i, 0); };
    if (auto found = apart(values, 16 * unit, "s", place_of_value)) return found;
    if (!u_all) continue;
    const Pair u = (*u_all)[number], vh = (*vh_all)[number];
    if (auto found = orthonormal(u, a.eps(), "u^H u", place)) return found;
    if (auto found = orthonormal(each(vh, adjoint), a.eps(), "vh vh^H", place)) return found;
    const auto multiply = [&](const Matrix& left, const Matrix& diagonal, const Matrix& right) {
      Matrix columns(left.rows, diagonal.rows);  // the first ones, of those of a completed basis
      for (std::int64_t i = 0; i < columns.rows; ++i)
        for (std::int64_t j = 0; j < columns.columns; ++j) columns(i, j) = left(i, j);
      return product(scaled(std::move(columns), diagonal), right);
    };
    const Pair products{multiply(u.first, values.first, vh.first), multiply(u.second, values.second, vh.second)};
    const auto allowed = [&](auto, auto) { return 32 * unit; };
    if (auto found = beside(matrix, products, allowed, "the product u diag(s) vh", place)) return found;
  }
  return std::nullopt;
}

std::optional<Difference> compare_eigh(const BothMade& both) {
  const bool upper = both.call.value<std::int32_t>("upper") != 0;
  const Stack a(input(both.call, "a"), 2);
  const PairOfStacks w(both, "w", 1);
  const std::optional<PairOfStacks> v_all = optional_stacks(both, "v");
  for (std::int64_t number = 0; number < a.size(); ++number) {
    const Matrix matrix = hermitian(a[number], upper);
    const Pair values = w[number];
    const Real unit = Real(matrix.rows) * a.eps() * values.second.largest();
    const auto place = [&](auto i, auto j) { return a.place(number, i, j); };
    const auto place_of_value = [&](auto i, auto) { return w.first.place(number, i, 0); };
    if (auto found = apart(values, 16 * unit, "w", place_of_value)) return found;
    if (!v_all) continue;
    const Pair v = (*v_all)[number];
    if (auto found = orthonormal(v, a.eps(), "v^H v", place)) return found;
    const Pair products{product(scaled(v.first, values.first), adjoint(v.first)),
                        product(scaled(v.second, values.second), adjoint(v.second))};
    const auto allowed = [&](auto, auto) { return 32 * unit; };
    if (auto found = beside(matrix, products, allowed, "the product v diag(w) v^H", place)) return found;
  }
  return std::nullopt;
}

std::optional<Difference> compare_eig(const BothMade& both) {
  const Stack a(input(both.call, "a"), 2);
  const PairOfStacks w(both, "w", 1);
  const std::optional<PairOfStacks> v_all = optional_stacks(both, "v");
  for (std::int64_t number = 0; number < a.size(); ++number) {
    const Matrix matrix = a[number];
    const Real size = matrix.frobenius(), n = Real(matrix.rows);
    const auto column = [&](auto j, auto) { return w.first.place(number, j, 0); };
    if (size == 0) {
      if (auto found = apart(w[number], 0, "w", column)) return found;
      continue;
    }
    const Pair values = each(w[number], [&](Matrix x) {
      for (Number& value : x.elements) value /= size;
      return x;
    });
    Pair powers = values;
    for (std::int64_t k = 1; k <= matrix.rows; ++k) {
      const Pair sums = each(powers, [](const Matrix& x) {
        Matrix sum(1, 1);
        for (const Number value : x.elements) sum(0, 0) += value;
        return sum;
      });
      const std::string what = "the sum of powers " + std::to_string(k) + " of w over |a|";
      const auto place = [&](auto, auto) { return "matrix " + std::to_string(number); };
      if (auto found = apart(sums, 64 * Real(k) * n * a.eps(), what, place)) return found;
      for (std::size_t i = 0; i < values.first.elements.size(); ++i) {
        powers.first.elements[i] = times(powers.first.elements[i], values.first.elements[i]);
        powers.second.elements[i] = times(powers.second.elements[i], values.second.elements[i]);
      }
    }
    if (!v_all) continue;
    const Pair v = (*v_all)[number];
    const Pair lengths = each(v, [](const Matrix& x) {
      Matrix result(x.columns, 1);
      for (std::int64_t j = 0; j < x.columns; ++j) {
        Real sum = 0;
        for (std::int64_t i = 0; i < x.rows; ++i) sum += std::norm(x(i, j));
        result(j, 0) = std::sqrt(sum);
      }
      return result;
    });
    Matrix ones(matrix.rows, 1);
    std::fill(ones.elements.begin(), ones.elements.end(), Number(1));
    const Real unit = n * a.eps();
    if (auto found = beside(ones, lengths, [&](auto, auto) { return 8 * unit; }, "the length of column of v", column))
      return found;
    const auto residual = [&](const Matrix& x, const Matrix& scaled_values) {
      Matrix rest = product(matrix, x);
      for (std::int64_t i = 0; i < x.rows; ++i)
        for (std::int64_t j = 0; j < x.columns; ++j) rest(i, j) -= times(x(i, j), scaled_values(j, 0) * size);
      return rest;
    };
    const Pair residuals{residual(v.first, values.first), residual(v.second, values.second)};
    const auto place = [&](auto i, auto j) { return a.place(number, i, j); };
    const Matrix zeros(matrix.rows, matrix.columns);
    if (auto found = beside(zeros, residuals, [&](auto, auto) { return 32 * unit * size; }, "a v - v diag(w)", place))
      return found;
  }
  return std::nullopt;
}

}  // namespace tandem::detail
