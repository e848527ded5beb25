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

/// The sum of conj(a) * b along an axis, which has one length in both; the others broadcast. Integers wrap in the
/// promoted dtype; bool is the or of ands. Throws Error for other lengths, IndexError for an axis outside.
TANDEM_API Array vecdot(const Array& a, const Array& b, int axis = -1);

/// Outer product of the flattened arguments: (m,), (n,) -> (m, n).
TANDEM_API Array outer(const Array& a, const Array& b);

/// Sum of products over the last `axes` axes of a and the first of b.
TANDEM_API Array tensordot(const Array& a, const Array& b, int axes = 2);
/// Sum of products over paired axes.
TANDEM_API Array tensordot(const Array& a, const Array& b, const Shape& axes_a, const Shape& axes_b);

/// The last two axes exchanged (a view).
TANDEM_API Array matrix_transpose(const Array& x);

/// Linear algebra of stacks of matrices: the last two axes are the matrix, those before them the stack, and stacks of
/// two arguments broadcast. Factorizations compute in float32, float64, complex64 or complex128; bool and integers in
/// float64; float16 and bfloat16 throw Error. A matrix that has no result throws LinAlgError, which says which one of
/// the stack it is. Matrices of the results may lie in memory column by column (strides()). docs/linear-algebra.md says
/// what runs where.
namespace linalg {

using tandem::matmul;
using tandem::matrix_transpose;
using tandem::outer;
using tandem::tensordot;
using tandem::vecdot;

// ---- products ----

/// Cross product of vectors of 3 elements along an axis; the others broadcast. Throws Error for other lengths.
TANDEM_API Array cross(const Array& a, const Array& b, int axis = -1);

/// x multiplied by itself n times, of the inverse for n < 0; n 0 gives identities. Integers stay integers for n >= 0.
TANDEM_API Array matrix_power(const Array& x, std::int64_t n);

/// The product of two or more matrices in the order that takes the fewest multiplications (Cormen et al.: Introduction
/// to Algorithms, section 15.2), in the dtype that all promote to. The first and the last one may be 1-d, a row and a
/// column. Throws Error if they do not align.
TANDEM_API Array multi_dot(std::span<const Array> arrays);
inline Array multi_dot(std::initializer_list<Array> arrays) {
  return multi_dot(std::span<const Array>(arrays.begin(), arrays.size()));
}

/// Elements (i, i + offset) of each matrix as the last axis (a view).
TANDEM_API Array diagonal(const Array& x, int offset = 0);

/// Options of trace; dtype as for sum.
struct TraceOptions {
  int offset = 0;
  std::optional<DType> dtype = {};
};
/// Sum along a diagonal of each matrix.
TANDEM_API Array trace(const Array& x, const TraceOptions& options = {});

// ---- norms ----

/// The order of a norm: a number, infinite ones included, or for matrices one of the names fro and nuc.
class NormOrder {
 public:
  enum class Kind : std::uint8_t { number, frobenius, nuclear };
  template <class T>
    requires(std::is_arithmetic_v<T>)
  constexpr NormOrder(T p) noexcept : kind(Kind::number), number(static_cast<double>(p)) {}
  explicit constexpr NormOrder(Kind name) noexcept : kind(name) {}
  Kind kind;
  double number = 2;
};
/// The square root of the sum of squared moduli.
inline constexpr NormOrder fro{NormOrder::Kind::frobenius};
/// The sum of the singular values.
inline constexpr NormOrder nuc{NormOrder::Kind::nuclear};

/// Options of norm and vector_norm. Without an order: the Euclidean length of vectors, Frobenius for two axes of norm.
struct NormOptions {
  Axes axis = {};
  std::optional<NormOrder> ord = {};
  bool keepdims = false;
};
/// NumPy's norm: of vectors along one axis, of matrices over two (rows, columns), in the order given; without an axis
/// of the whole array as a vector, or with an order of a 1-d or 2-d one. Integers in float64; real also for complex x.
TANDEM_API Array norm(Array x, const NormOptions& options = {});

/// Norm of the elements along the axes, all by default, as one vector: (sum |x|^p)^(1/p), the largest and the smallest
/// modulus for inf and -inf, the number of elements that are not 0 for 0. Throws Error for fro and nuc.
TANDEM_API Array vector_norm(Array x, const NormOptions& options = {});

/// Options of matrix_norm.
struct MatrixNormOptions {
  NormOrder ord = fro;
  bool keepdims = false;
};
/// Norm of each matrix: fro; nuc; 1 and -1, the largest and smallest sum of moduli of a column; inf and -inf, of a row;
/// 2 and -2, the largest and smallest singular value. Throws Error for other orders.
TANDEM_API Array matrix_norm(Array x, const MatrixNormOptions& options = {});

/// Condition number norm(x) * norm(inv(x)) of square matrices in an order of matrix_norm; the default, 2, and -2 are
/// quotients of singular values and for any matrix. inf for singular ones.
TANDEM_API Array cond(const Array& x, const NormOrder& ord = 2);

// ---- systems of equations ----

/// x with a x = b for square matrices a, by LU factorization with partial pivoting. b is a vector if it is 1-d, else a
/// stack of matrices, whose columns are right sides. Throws LinAlgError for a singular matrix: a pivot that is exactly
/// 0.
TANDEM_API Array solve(const Array& a, const Array& b);

/// Options of solve_triangular.
struct TriangularOptions {
  bool lower = false;
  bool unit_diagonal = false;  // the diagonal counts as ones and is not read
};
/// x with a x = b for triangular a, of which the other triangle is not read; b as for solve. Throws LinAlgError for a 0
/// on the diagonal.
TANDEM_API Array solve_triangular(const Array& a, const Array& b, const TriangularOptions& options = {});

/// Inverse of square matrices. Throws LinAlgError for a singular one, as solve.
TANDEM_API Array inv(const Array& x);

/// Determinant, from an LU factorization; 1 for 0 x 0. No product overflows or underflows on the way.
TANDEM_API Array det(const Array& x);

/// A determinant as sign * exp(logabsdet): the sign is -1, 0 or 1, for complex matrices of modulus 1 or 0.
struct SlogdetResult {
  Array sign, logabsdet;
};
/// Sign and logarithm of the absolute value of the determinant; 0 and -inf for a singular matrix.
TANDEM_API SlogdetResult slogdet(const Array& x);

/// Whether matrices are symmetric or Hermitian. Then only their lower triangles are read, and eigenvalues give the
/// singular ones in less time.
struct HermitianOptions {
  bool hermitian = false;
};

/// Options of pinv. Singular values of at most rtol times the largest count as 0; by default max(rows, columns) times
/// the dtype's epsilon.
struct PinvOptions {
  std::optional<double> rtol = {};
  bool hermitian = false;
};
/// Moore-Penrose pseudoinverse by singular values (Golub and Van Loan: Matrix Computations, section 5.5).
TANDEM_API Array pinv(const Array& x, const PinvOptions& options = {});
/// An rtol for each matrix of the stack.
TANDEM_API Array pinv(const Array& x, const Array& rtol, const HermitianOptions& options = {});

/// Options of matrix_rank: which singular values count as 0 is as for pinv, or those of at most tol do.
struct RankOptions {
  std::optional<double> rtol = {};
  bool hermitian = false;
  std::optional<double> tol = {};
};
/// Number of singular values that do not count as 0; int64. Of a 1-d or 0-d array, whether any element is not 0. Throws
/// Error for both an rtol and a tol.
TANDEM_API Array matrix_rank(const Array& x, const RankOptions& options = {});
/// An rtol for each matrix of the stack.
TANDEM_API Array matrix_rank(const Array& x, const Array& rtol, const HermitianOptions& options = {});

/// x minimizes |b - a x|, and among all that do |x|. residuals are squared lengths of the columns of b - a x; empty, of
/// shape (0,), if a has no more rows than columns or a matrix is of deficient rank. rank is int64.
struct LstsqResult {
  Array x, residuals, rank, singular_values;
};
/// Options of lstsq. Singular values of at most rtol times the largest count as 0; by default max(m, n) times the
/// dtype's epsilon, for an rtol below 0 the epsilon itself, as for NumPy's rcond.
struct LstsqOptions {
  std::optional<double> rtol = {};
};
/// Least squares by singular values: a (..., m, n), b (m,) or (..., m, k), x (n,) or (..., n, k).
TANDEM_API LstsqResult lstsq(const Array& a, const Array& b, const LstsqOptions& options = {});

/// x with tensordot(a, x, x.ndim()) = b: a has the shape of b and behind it that of x, which has as many elements.
/// Throws Error for other shapes, LinAlgError for a singular a.
TANDEM_API Array tensorsolve(const Array& a, const Array& b);

/// The inverse of tensordot with a: the first `rows` axes of a are rows, the others columns, and there are as many of
/// both; the result has the axes of the columns first. Throws Error for other shapes, LinAlgError for a singular a.
TANDEM_API Array tensorinv(const Array& a, int rows = 2);

// ---- factorizations ----

/// Options of cholesky.
struct CholeskyOptions {
  bool upper = false;
};
/// L with x = L L^H (or U with x = U^H U) of each (..., n, n) symmetric or Hermitian positive definite matrix; the
/// other triangle is zero and the other triangle of x is not read. Throws LinAlgError for a matrix that is not positive
/// definite.
TANDEM_API Array cholesky(const Array& x, const CholeskyOptions& options = {});

/// Whether the orthogonal factor of m x n matrices has min(m, n) columns or m.
enum class QrMode { reduced, complete };
/// Options of qr.
struct QrOptions {
  QrMode mode = QrMode::reduced;
};
/// Columns of Q are orthonormal, R is upper triangular.
struct QrResult {
  Array Q, R;
};
/// x = Q R by Householder reflections. The signs of R's diagonal depend on the backend.
TANDEM_API QrResult qr(const Array& x, const QrOptions& options = {});

/// Options of svd: whether U and Vh of m x n matrices are square, or have min(m, n) columns and rows; hermitian as in
/// HermitianOptions.
struct SvdOptions {
  bool full_matrices = true;
  bool hermitian = false;
};
/// Columns of U and rows of Vh are orthonormal, S is real, not negative and descends.
struct SvdResult {
  Array U, S, Vh;
};
/// x = U diag(S) Vh, with U and Vh cut to min(m, n) columns and rows. Throws LinAlgError if x holds NaN or infinities.
TANDEM_API SvdResult svd(const Array& x, const SvdOptions& options = {});
/// S alone.
TANDEM_API Array svdvals(const Array& x, const HermitianOptions& options = {});

/// Options of eigh and eigvalsh: which triangle is read.
struct EighOptions {
  bool upper = false;
};
/// Column i of eigenvectors belongs to element i of eigenvalues; columns have length 1.
struct EigResult {
  Array eigenvalues, eigenvectors;
};
/// Eigenvalues, real and ascending, and orthonormal eigenvectors of symmetric or Hermitian matrices. Throws LinAlgError
/// if x holds NaN or infinities.
TANDEM_API EigResult eigh(const Array& x, const EighOptions& options = {});
/// The eigenvalues alone.
TANDEM_API Array eigvalsh(const Array& x, const EighOptions& options = {});

/// Eigenvalues and eigenvectors of square matrices, complex also for real x, in no order. Throws LinAlgError if x holds
/// NaN or infinities.
TANDEM_API EigResult eig(const Array& x);
/// The eigenvalues alone.
TANDEM_API Array eigvals(const Array& x);

}  // namespace linalg
}  // namespace tandem
