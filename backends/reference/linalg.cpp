// Linear algebra in plain loops over complex long double, whatever the dtype: results are rounded once, at the end.
// Algorithms: Golub and Van Loan, Matrix Computations, 4th edition; the section stands beside each.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "strided.hpp"
#include "value.hpp"
#include "verbs.hpp"

namespace tandem::reference {

namespace {

using Real = long double;
using Number = std::complex<Real>;
constexpr Real epsilon = std::numeric_limits<Real>::epsilon();

// std::complex multiplies and divides with care for infinities that hides what is computed.
Number times(Number a, Number b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
/// |a|^2
Real squared(Number a) { return a.real() * a.real() + a.imag() * a.imag(); }

struct Dense {
  std::size_t rows, columns;
  std::vector<Number> elements;
  Dense(std::size_t r, std::size_t c) : rows(r), columns(c), elements(r * c) {}
  Number& operator()(std::size_t i, std::size_t j) { return elements[i * columns + j]; }
  Number operator()(std::size_t i, std::size_t j) const { return elements[i * columns + j]; }
};

Dense identity(std::size_t n) {
  Dense result(n, n);
  for (std::size_t i = 0; i < n; ++i) result(i, i) = 1;
  return result;
}

/// sum over i of conj(x(i, p)) x(i, q)
Number inner(const Dense& x, std::size_t p, std::size_t q) {
  Number sum = 0;
  for (std::size_t i = 0; i < x.rows; ++i) sum += times(std::conj(x(i, p)), x(i, q));
  return sum;
}

// ---- between arrays and matrices ----

template <class T>
Number read(T x) {
  if constexpr (is_complex<T>) {
    return {x.re, x.im};
  } else {
    return Real(x);
  }
}

template <class T>
T rounded(Number x) {
  if constexpr (is_complex<T>) {
    return {real_t<T>(x.real()), real_t<T>(x.imag())};
  } else {
    return T(x.real());
  }
}

/// Calls visit(Type<T>{}) for the four dtypes of linear algebra.
template <class Visitor>
void with_float(int dtype, Visitor visit) {
  with_type(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (is_complex<T> || std::is_same_v<T, float> || std::is_same_v<T, double>) {
      visit(type);
    } else {
      throw Failure(TD_NOT_SUPPORTED, std::string("there is no linear algebra of ") + name_of(dtype));
    }
  });
}

/// A stack: where its matrices (axes 2) or vectors (axes 1) start.
class Stack {
 public:
  Stack(const td_view& view, int axes) : view_(view), walk_(view.shape, view.strides, 0, view.ndim - axes) {}
  std::int64_t size() const { return walk_.size(); }
  void next() { walk_.next(); }

  Dense matrix() const {
    Dense result(std::size_t(view_.shape[view_.ndim - 2]), std::size_t(view_.shape[view_.ndim - 1]));
    with_float(view_.dtype, [&](auto type) {
      const auto from = last_axes<typename decltype(type)::type, 2>(view_, walk_.offset());
      for (std::size_t i = 0; i < result.rows; ++i)
        for (std::size_t j = 0; j < result.columns; ++j) result(i, j) = read(from(i, j));
    });
    return result;
  }
  /// The first rows and columns of a matrix that may have more.
  void write(const Dense& matrix) const {
    with_float(view_.dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      auto to = last_axes<T, 2>(view_, walk_.offset());
      for (std::size_t i = 0; i < to.shape(0); ++i)
        for (std::size_t j = 0; j < to.shape(1); ++j) to(i, j) = rounded<T>(matrix(i, j));
    });
  }
  void write(const std::vector<Number>& vector) const {
    with_float(view_.dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      auto to = last_axes<T, 1>(view_, walk_.offset());
      for (std::size_t i = 0; i < to.shape(0); ++i) to(i) = rounded<T>(vector[i]);
    });
  }
  void write(const std::vector<std::int32_t>& vector) const {
    auto to = last_axes<std::int32_t, 1>(view_, walk_.offset());
    for (std::size_t i = 0; i < to.shape(0); ++i) to(i) = vector[i];
  }

 private:
  const td_view& view_;
  Walk walk_;
};

[[noreturn]] void refuse(const td_view& a, std::int64_t number, const char* problem) {
  const std::string name = a.ndim == 2 ? "the matrix" : "matrix " + std::to_string(number) + " of the batch";
  throw Failure(TD_SINGULAR, name + " " + problem);
}

// ---- systems of equations ----

/// Gaussian elimination with partial pivoting (section 3.4) in place; the rows that were exchanged, from 1.
std::vector<std::int32_t> eliminate(Dense& a) {
  const std::size_t n = a.rows;
  std::vector<std::int32_t> pivots(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    pivots[k] = std::int32_t(pivot + 1);
    for (std::size_t j = 0; j < n; ++j) std::swap(a(k, j), a(pivot, j));
    if (a(k, k) == Number(0)) continue;
    for (std::size_t i = k + 1; i < n; ++i) {
      a(i, k) /= a(k, k);
      for (std::size_t j = k + 1; j < n; ++j) a(i, j) -= times(a(i, k), a(k, j));
    }
  }
  return pivots;
}

/// x := the solution of a y = x for a triangular matrix (section 3.1).
void substitute(const Dense& a, bool lower, bool unit, Dense& x) {
  const std::size_t n = a.rows;
  for (std::size_t step = 0; step < n; ++step) {
    const std::size_t i = lower ? step : n - 1 - step;
    for (std::size_t c = 0; c < x.columns; ++c) {
      for (std::size_t j = lower ? 0 : i + 1; j < (lower ? i : n); ++j) x(i, c) -= times(a(i, j), x(j, c));
      if (!unit) x(i, c) /= a(i, i);
    }
  }
}

// ---- orthogonal factors ----

/// Householder reflections (section 5.2): a becomes r, and the result is q, square.
Dense reflect(Dense& a) {
  const std::size_t m = a.rows;
  Dense q = identity(m);
  for (std::size_t k = 0; k < std::min(m, a.columns); ++k) {
    Real length = 0;
    for (std::size_t i = k; i < m; ++i) length += squared(a(i, k));
    length = std::sqrt(length);
    if (length == 0) continue;
    const Number phase = a(k, k) == Number(0) ? Number(1) : a(k, k) / std::abs(a(k, k));
    std::vector<Number> v(m);  // the matrix I - 2 v v^H / (v^H v) takes column k to -phase * length * e_k
    for (std::size_t i = k; i < m; ++i) v[i] = a(i, k);
    v[k] += phase * length;
    Real norm = 0;
    for (std::size_t i = k; i < m; ++i) norm += squared(v[i]);
    for (std::size_t j = k; j < a.columns; ++j) {
      Number sum = 0;
      for (std::size_t i = k; i < m; ++i) sum += times(std::conj(v[i]), a(i, j));
      for (std::size_t i = k; i < m; ++i) a(i, j) -= times(v[i], sum * (2 / norm));
    }
    for (std::size_t i = 0; i < m; ++i) {
      Number sum = 0;
      for (std::size_t j = k; j < m; ++j) sum += times(q(i, j), v[j]);
      for (std::size_t j = k; j < m; ++j) q(i, j) -= times(sum * (2 / norm), std::conj(v[j]));
    }
  }
  return q;
}

constexpr int most_sweeps = 60;

/// A rotation of two columns: x_p' = c x_p - conj(s) x_q, x_q' = s x_p + c x_q.
struct Rotation {
  Real c;
  Number s;
};

/// The rotation that makes the Hermitian matrix ((alpha, gamma), (conj(gamma), beta)) diagonal (section 8.5).
Rotation diagonalize(Real alpha, Real beta, Number gamma) {
  const Real tau = (beta - alpha) / (2 * std::abs(gamma));
  const Real t = (tau >= 0 ? 1 : -1) / (std::abs(tau) + std::sqrt(1 + tau * tau));
  const Real c = 1 / std::sqrt(1 + t * t);
  return {c, gamma / std::abs(gamma) * (c * t)};
}

void rotate_columns(Dense& x, std::size_t p, std::size_t q, Rotation r) {
  for (std::size_t i = 0; i < x.rows; ++i) {
    const Number a = x(i, p), b = x(i, q);
    x(i, p) = r.c * a - times(std::conj(r.s), b);
    x(i, q) = times(r.s, a) + r.c * b;
  }
}

/// The columns in another order.
Dense reordered(const Dense& x, const std::vector<std::size_t>& order) {
  Dense result(x.rows, x.columns);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.columns; ++j) result(i, j) = x(i, order[j]);
  return result;
}

/// Positions that sort the keys; ascending.
std::vector<std::size_t> sorted(const std::vector<Real>& keys) {
  std::vector<std::size_t> order(keys.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  return order;
}

/// Puts unit vectors, made orthogonal to the columns before, into columns first, first + 1, ...
void complete_basis(Dense& u, std::size_t first) {
  for (std::size_t k = first; k < u.columns; ++k) {
    Real longest = -1;
    std::vector<Number> best;
    for (std::size_t e = 0; e < u.rows; ++e) {
      std::vector<Number> v(u.rows);
      v[e] = 1;
      for (int pass = 0; pass < 2; ++pass)
        for (std::size_t j = 0; j < k; ++j) {
          Number sum = 0;
          for (std::size_t i = 0; i < u.rows; ++i) sum += times(std::conj(u(i, j)), v[i]);
          for (std::size_t i = 0; i < u.rows; ++i) v[i] -= times(u(i, j), sum);
        }
      Real length = 0;
      for (const Number x : v) length += squared(x);
      if (length <= longest) continue;
      longest = length;
      best = v;
    }
    for (std::size_t i = 0; i < u.rows; ++i) u(i, k) = best[i] / std::sqrt(longest);
  }
}

struct Singular {
  Dense u, v;
  std::vector<Number> s;
};

/// One-sided Jacobi rotations make the columns of a v orthogonal (section 8.6); u gets `columns` columns.
bool decompose(Dense a, std::size_t columns, Singular& result) {
  const std::size_t n = a.columns;
  Dense v = identity(n);
  Real size = 0;
  for (const Number x : a.elements) size += squared(x);
  const Real noise = 8 * epsilon * std::sqrt(size);  // length of columns that only rounding made
  bool rotated = true;
  for (int sweep = 0; rotated; ++sweep) {
    if (sweep == most_sweeps) return false;
    rotated = false;
    for (std::size_t p = 0; p + 1 < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        const Real alpha = inner(a, p, p).real(), beta = inner(a, q, q).real();
        const Number gamma = inner(a, p, q);
        if (std::abs(gamma) <= 8 * epsilon * std::sqrt(alpha) * std::sqrt(beta)) continue;
        if (std::sqrt(std::min(alpha, beta)) <= noise) continue;
        rotated = true;
        const Rotation r = diagonalize(alpha, beta, gamma);
        rotate_columns(a, p, q, r);
        rotate_columns(v, p, q, r);
      }
  }
  std::vector<Real> negative(n);
  for (std::size_t j = 0; j < n; ++j) negative[j] = -std::sqrt(inner(a, j, j).real());
  const std::vector<std::size_t> order = sorted(negative);
  result.v = reordered(v, order);
  a = reordered(a, order);
  result.s.resize(n);
  result.u = Dense(a.rows, columns);
  std::size_t rank = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const Real s = -negative[order[j]];
    result.s[j] = s;
    if (s <= noise) continue;
    ++rank;
    for (std::size_t i = 0; i < a.rows; ++i) result.u(i, j) = a(i, j) / s;
  }
  complete_basis(result.u, rank);
  return true;
}

// ---- eigenvalues ----

/// Jacobi's method (section 8.5): a becomes diagonal, v holds eigenvectors.
bool diagonalize_hermitian(Dense& a, Dense& v) {
  const std::size_t n = a.rows;
  Real size = 0;
  for (const Number x : a.elements) size = std::max(size, std::abs(x));
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool rotated = false;
    for (std::size_t p = 0; p + 1 < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        const Real alpha = a(p, p).real(), beta = a(q, q).real();
        const Number gamma = a(p, q);
        if (std::abs(gamma) <= epsilon * size) continue;
        rotated = true;
        const Rotation r = diagonalize(alpha, beta, gamma);
        rotate_columns(a, p, q, r);
        rotate_columns(v, p, q, r);
        for (std::size_t j = 0; j < n; ++j) {  // the rows by the conjugate rotation
          const Number x = a(p, j), y = a(q, j);
          a(p, j) = r.c * x - times(r.s, y);
          a(q, j) = times(std::conj(r.s), x) + r.c * y;
        }
        a(p, q) = a(q, p) = 0;
      }
    if (!rotated) return true;
  }
  return false;
}

/// A rotation of rows k and k + 1 that takes (x, y) to (r, 0), and of columns by its conjugate.
struct Givens {
  Real c;
  Number s;
  Givens(Number x, Number y) {
    const Real length = std::sqrt(squared(x) + squared(y));
    const Number phase = x == Number(0) ? Number(1) : x / std::abs(x);
    c = length == 0 ? 1 : std::abs(x) / length;
    s = length == 0 ? Number(0) : times(phase, std::conj(y)) / length;
  }
  void rows(Dense& a, std::size_t k, std::size_t from) const {
    for (std::size_t j = from; j < a.columns; ++j) {
      const Number x = a(k, j), y = a(k + 1, j);
      a(k, j) = c * x + times(s, y);
      a(k + 1, j) = c * y - times(std::conj(s), x);
    }
  }
  void columns(Dense& a, std::size_t k, std::size_t to) const {
    for (std::size_t i = 0; i < to; ++i) {
      const Number x = a(i, k), y = a(i, k + 1);
      a(i, k) = c * x + times(std::conj(s), y);
      a(i, k + 1) = c * y - times(s, x);
    }
  }
};

/// Schur's form by Hessenberg's and the QR algorithm with Wilkinson's shifts (sections 7.4 and 7.5): a becomes upper
/// triangular, q a q^H is the matrix that it was.
bool triangularize(Dense& a, Dense& q) {
  const std::size_t n = a.rows;
  for (std::size_t column = 0; column + 2 < n; ++column)
    for (std::size_t i = n - 2; i > column; --i) {
      const Givens g(a(i, column), a(i + 1, column));
      g.rows(a, i, 0);
      g.columns(a, i, n);
      g.columns(q, i, n);
      a(i + 1, column) = 0;
    }
  std::size_t end = n;  // rows and columns from here on are done
  for (int iteration = 0; end > 1; ++iteration) {
    if (iteration == most_sweeps) return false;
    std::size_t begin = end - 1;
    while (begin > 0) {
      Real size = std::abs(a(begin, begin)) + std::abs(a(begin - 1, begin - 1));
      if (size == 0)
        for (const Number x : a.elements) size = std::max(size, std::abs(x));
      if (std::abs(a(begin, begin - 1)) <= epsilon * size) break;
      --begin;
    }
    if (begin > 0) a(begin, begin - 1) = 0;
    if (begin == end - 1) {
      --end;
      iteration = -1;
      continue;
    }
    // The eigenvalue of the last 2 x 2 block that is nearest to its last element; at times another number, which ends
    // what would go on forever.
    const Number w = a(end - 2, end - 2), x = a(end - 2, end - 1), y = a(end - 1, end - 2), z = a(end - 1, end - 1);
    const Number half = (w - z) / Real(2), root = std::sqrt(times(half, half) + times(x, y));
    const Number one = z + half + root, other = z + half - root;
    Number shift = std::abs(one - z) < std::abs(other - z) ? one : other;
    if (iteration % 10 == 9) shift = z + std::abs(y);
    for (std::size_t i = begin; i < end; ++i) a(i, i) -= shift;
    std::vector<Givens> rotations;
    for (std::size_t k = begin; k + 1 < end; ++k) {
      rotations.emplace_back(a(k, k), a(k + 1, k));
      rotations.back().rows(a, k, k);
      a(k + 1, k) = 0;
    }
    for (std::size_t k = begin; k + 1 < end; ++k) {
      rotations[k - begin].columns(a, k, std::min(k + 2, end));
      rotations[k - begin].columns(q, k, n);
    }
    for (std::size_t i = begin; i < end; ++i) a(i, i) += shift;
  }
  return true;
}

/// Eigenvectors of length 1 from Schur's form (section 7.6).
Dense eigenvectors_of(const Dense& t, const Dense& q) {
  const std::size_t n = t.rows;
  Real size = 0;
  for (const Number x : t.elements) size = std::max(size, std::abs(x));
  Dense v(n, n);
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<Number> y(n);
    y[k] = 1;
    for (std::size_t i = k; i-- > 0;) {
      Number sum = 0;
      for (std::size_t j = i + 1; j <= k; ++j) sum -= times(t(i, j), y[j]);
      Number difference = t(i, i) - t(k, k);
      if (std::abs(difference) <= epsilon * size) difference = epsilon * size;  // equal eigenvalues
      y[i] = size == 0 ? Number(0) : sum / difference;
    }
    Real length = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= k; ++j) v(i, k) += times(q(i, j), y[j]);
      length += squared(v(i, k));
    }
    for (std::size_t i = 0; i < n; ++i) v(i, k) /= std::sqrt(length);
  }
  return v;
}

}  // namespace

td_status lu(td_device*, const td_view* a, const td_view* lu, const td_view* pivots, td_error* error) {
  return guarded(error, [&] {
    Stack from(*a, 2), to(*lu, 2), rows(*pivots, 1);
    for (std::int64_t number = 0; number < from.size(); ++number, from.next(), to.next(), rows.next()) {
      Dense matrix = from.matrix();
      rows.write(eliminate(matrix));
      to.write(matrix);
    }
  });
}

td_status solve(td_device*, const td_view* a, td_structure structure, const td_view* b, const td_view* x,
                td_error* error) {
  return guarded(error, [&] {
    Stack matrices(*a, 2), right(*b, 2), to(*x, 2);
    for (std::int64_t number = 0; number < to.size(); ++number, matrices.next(), right.next(), to.next()) {
      Dense matrix = matrices.matrix(), y = right.matrix();
      if (structure != TD_GENERAL) {
        substitute(matrix, structure == TD_LOWER || structure == TD_UNIT_LOWER,
                   structure == TD_UNIT_LOWER || structure == TD_UNIT_UPPER, y);
      } else {
        const std::vector<std::int32_t> pivots = eliminate(matrix);
        for (std::size_t i = 0; i < matrix.rows; ++i) {
          if (matrix(i, i) == Number(0)) refuse(*x, number, "is singular");
          for (std::size_t c = 0; c < y.columns; ++c) std::swap(y(i, c), y(std::size_t(pivots[i] - 1), c));
        }
        substitute(matrix, true, true, y);
        substitute(matrix, false, false, y);
      }
      to.write(y);
    }
  });
}

td_status qr(td_device*, const td_view* a, const td_view* q, const td_view* r, td_error* error) {
  return guarded(error, [&] {
    Stack from(*a, 2), orthogonal(*q, 2), triangular(*r, 2);
    for (std::int64_t number = 0; number < from.size(); ++number, from.next(), orthogonal.next(), triangular.next()) {
      Dense matrix = from.matrix();
      orthogonal.write(reflect(matrix));
      triangular.write(matrix);
    }
  });
}

td_status svd(td_device*, const td_view* a, const td_view* u, const td_view* s, const td_view* vh, td_error* error) {
  return guarded(error, [&] {
    Stack from(*a, 2), values(*s, 1);
    Stack left(u ? *u : *a, 2), right(vh ? *vh : *a, 2);
    const std::size_t columns = u ? std::size_t(u->shape[u->ndim - 1]) : 0;
    for (std::int64_t number = 0; number < from.size(); ++number) {
      const Dense matrix = from.matrix();
      Singular result{Dense(0, 0), Dense(0, 0), {}};
      if (!decompose(matrix, std::max(columns, matrix.columns), result)) refuse(*a, number, "did not converge");
      values.write(result.s);
      if (u) {
        left.write(result.u);
        Dense transposed(matrix.columns, matrix.columns);
        for (std::size_t i = 0; i < matrix.columns; ++i)
          for (std::size_t j = 0; j < matrix.columns; ++j) transposed(i, j) = std::conj(result.v(j, i));
        right.write(transposed);
      }
      from.next(), values.next(), left.next(), right.next();
    }
  });
}

td_status eigh(td_device*, const td_view* a, int32_t upper, const td_view* w, const td_view* v, td_error* error) {
  return guarded(error, [&] {
    Stack from(*a, 2), values(*w, 1), vectors(v ? *v : *a, 2);
    for (std::int64_t number = 0; number < from.size(); ++number, from.next(), values.next(), vectors.next()) {
      Dense matrix = from.matrix();
      const std::size_t n = matrix.rows;
      for (std::size_t i = 0; i < n; ++i) {
        matrix(i, i) = matrix(i, i).real();
        for (std::size_t j = 0; j < i; ++j) {
          if (upper) matrix(i, j) = std::conj(matrix(j, i));
          else matrix(j, i) = std::conj(matrix(i, j));
        }
      }
      Dense basis = identity(n);
      if (!diagonalize_hermitian(matrix, basis)) refuse(*a, number, "did not converge");
      std::vector<Real> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = matrix(i, i).real();
      const std::vector<std::size_t> order = sorted(keys);
      std::vector<Number> ascending(n);
      for (std::size_t i = 0; i < n; ++i) ascending[i] = keys[order[i]];
      values.write(ascending);
      if (v) vectors.write(reordered(basis, order));
    }
  });
}

td_status eig(td_device*, const td_view* a, const td_view* w, const td_view* v, td_error* error) {
  return guarded(error, [&] {
    Stack from(*a, 2), values(*w, 1), vectors(v ? *v : *a, 2);
    for (std::int64_t number = 0; number < from.size(); ++number, from.next(), values.next(), vectors.next()) {
      Dense matrix = from.matrix(), q = identity(matrix.rows);
      if (!triangularize(matrix, q)) refuse(*a, number, "did not converge");
      std::vector<Number> diagonal(matrix.rows);
      for (std::size_t i = 0; i < matrix.rows; ++i) diagonal[i] = matrix(i, i);
      values.write(diagonal);
      if (v) vectors.write(eigenvectors_of(matrix, q));
    }
  });
}

}  // namespace tandem::reference
