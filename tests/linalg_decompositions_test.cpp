// Systems of equations, factorizations, norms, and what is composed of them. A factorization is right if its factors
// multiply to the matrix and have the structure that they promise; each bound is a small multiple of n eps |a|, as the
// error analysis of backward stable algorithms gives it (Higham: Accuracy and Stability of Numerical Algorithms).
#include <algorithm>
#include <array>

#include "support.hpp"

namespace td = tandem;
namespace la = tandem::linalg;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;
using tandem::Shape;

namespace {

using C = std::complex<double>;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr DType float_dtypes[] = {td::float32, td::float64, td::complex64, td::complex128};

double eps(DType dtype) { return td::real_dtype(dtype) == td::float32 ? 0x1p-23 : 0x1p-52; }

Array sample(const Shape& shape, DType dtype, std::uint64_t seed) {
  const Array x = td::random::normal(shape, {.seed = seed});
  if (!td::is_complex(dtype)) return x.astype(dtype);
  return td::make_complex(x, td::random::normal(shape, {.seed = seed, .stream = 1})).astype(dtype);
}

Array adjoint(const Array& x) { return td::matrix_transpose(td::is_complex(x.dtype()) ? td::conj(x) : x); }

Array hermitian(const Shape& shape, DType dtype, std::uint64_t seed) {
  const Array x = sample(shape, dtype, seed);
  return (x + adjoint(x)).eval();
}

Array wide(const Array& x) { return x.astype(td::is_complex(x.dtype()) ? td::complex128 : td::float64); }

double largest(const Array& x) { return x.size() == 0 ? 0 : td::max(td::abs(x)).item<double>(); }

/// Whether |a - b| <= factor n eps |b| for the largest elements, where n is the longer side of the matrices.
::testing::AssertionResult close(const Array& a, const Array& b, double factor, DType dtype) {
  if (!(a.shape() == b.shape())) return ::testing::AssertionFailure() << "shapes " << a.shape() << " and " << b.shape();
  const double n = double(std::max({std::int64_t{1}, b.ndim() > 0 ? b.shape(-1) : 1, b.ndim() > 1 ? b.shape(-2) : 1}));
  const double error = largest(wide(a) - wide(b)), bound = factor * n * eps(dtype) * largest(b);
  if (error <= bound) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "error " << error << ", allowed " << bound;
}

/// Whether the columns are orthonormal.
::testing::AssertionResult orthonormal(const Array& q, DType dtype) {
  const std::int64_t n = q.shape(-1), m = q.shape(-2);
  const double error = largest(td::matmul(wide(adjoint(q)), wide(q)) - td::eye(n)), bound = 8 * double(m) * eps(dtype);
  if (error <= bound) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "columns are not orthonormal by " << error << ", allowed " << bound;
}

bool is_upper_triangular(const Array& r) {
  const Array i = td::arange(r.shape(-2)).reshape({-1, 1}), j = td::arange(r.shape(-1));
  return td::all(td::where(i > j, r, 0) == 0).item<bool>();
}

/// (m, n) of what the tests factorize; the last ones leave the kernels for small matrices.
std::vector<std::array<std::int64_t, 2>> sizes() {
  if (on_backend("reference")) return {{1, 1}, {2, 2}, {5, 3}, {3, 5}, {9, 9}, {17, 12}};
  return {{1, 1}, {2, 2}, {5, 3}, {3, 5}, {1, 7}, {7, 1}, {9, 9}, {32, 32}, {33, 33}, {40, 33}, {33, 40}, {120, 100}};
}

/// Whether a stack's result is that of a single call: by bits, but on cuda, where another kernel computes that.
::testing::AssertionResult agree(const Array& of_stack, const Array& single) {
  return on_backend("cuda") ? close(of_stack, single, 1e3, single.dtype()) : same(of_stack, single);
}

// ---- systems of equations ----

TEST(Solve, EveryDtypeAndSize) {
  for (DType dtype : float_dtypes)
    for (const auto& [n, unused] : sizes()) {
      const Array a = sample({n, n}, dtype, 1) + td::eye(n) * 3.0;
      for (std::int64_t k : {1, 4, 70}) {
        const Array b = sample({n, k}, dtype, 2);
        const Array x = la::solve(a.astype(dtype), b);
        EXPECT_EQ(x.dtype(), dtype);
        // The residual of a backward stable solution, whatever the condition of the matrix.
        const double residual = largest(td::matmul(wide(a.astype(dtype)), wide(x)) - wide(b));
        EXPECT_LE(residual, 8 * double(n) * eps(dtype) * largest(a) * double(n) * largest(x)) << dtype << " " << n;
      }
      const Array v = sample({n}, dtype, 3);
      EXPECT_EQ(la::solve(a.astype(dtype), v).shape(), Shape{n});
    }
}

TEST(Solve, KnownSolutions) {
  EXPECT_TRUE(near(la::solve(td::array({{2, 0}, {0, 4}}), td::array({2, 4})), td::array({1.0, 1.0}), 0));
  EXPECT_TRUE(near(la::solve(td::array({{0.0, 1.0}, {2.0, 0.0}}), td::array({3.0, 8.0})), td::array({4.0, 3.0}), 0));
  EXPECT_TRUE(near(la::solve(td::array({{C(0, 1)}}), td::array({C(2, 0)})), td::array({C(0, -2)}), 0));
  EXPECT_TRUE(near(la::inv(td::array({{1, 2}, {3, 4}})), td::array({{-2.0, 1.0}, {1.5, -0.5}}), 1e-14));
  EXPECT_EQ(la::solve(td::array({{1, 2}, {3, 5}}), td::ones({2}, {.dtype = td::float32})).dtype(), td::float64);
  EXPECT_EQ(la::solve(td::ones({1, 1}, {.dtype = td::float32}), td::ones({1}, {.dtype = td::complex64})).dtype(),
            td::complex64);
}

TEST(Solve, StacksBroadcastAndOneDimensionIsAVector) {
  const Array a = sample({5, 1, 3, 3}, td::float64, 1) + td::eye(3) * 4.0, b = sample({2, 3, 4}, td::float64, 2);
  const Array x = la::solve(a, b);
  ASSERT_EQ(x.shape(), (Shape{5, 2, 3, 4}));
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 2; ++j) EXPECT_TRUE(agree(x(i, j), la::solve(a(i, 0), b(j))));
  // A 1-d b is a vector for every matrix; a 2-d one never is.
  const Array v = sample({3}, td::float64, 3);
  const Array y = la::solve(a, v);
  ASSERT_EQ(y.shape(), (Shape{5, 1, 3}));
  EXPECT_TRUE(close(td::matmul(a, y.expand_dims(-1)).squeeze(-1), v.broadcast_to({5, 1, 3}), 32, td::float64));
  EXPECT_EQ(la::solve(a(0, 0), b).shape(), (Shape{2, 3, 4}));  // one matrix for a stack of right sides
  EXPECT_TRUE(close(td::matmul(a(0, 0), la::solve(a(0, 0), b)), b, 32, td::float64));
  EXPECT_TRUE(throws([&] { la::solve(a(0, 0), td::ones({4})); }, "solve: ", {"(3, 3)", "(4,)"}));
  const Array five = td::ones({5, 3, 3}), two = td::ones({2, 3, 1});
  EXPECT_TRUE(throws([&] { la::solve(five, two); }, "solve: ", {"(5, 3, 3)", "(2, 3, 1)"}));
  EXPECT_TRUE(throws([&] { la::solve(a, td::ones({})); }, "solve: ", {"()"}));
  EXPECT_TRUE(throws([] { la::solve(td::ones({2, 3}), td::ones({2})); }, "solve: ", {"(2, 3)"}));
}

TEST(Solve, ManySmallOnesEqualSingleCalls) {
  const auto count = std::int64_t(cases(3000));
  for (DType dtype : float_dtypes)
    for (std::int64_t n : {1, 2, 3, 4, 5, 8, 9, 17, 32}) {
      const Array a = (sample({count, n, n}, dtype, 1) + td::eye(n) * 3.0).astype(dtype);
      const Array b = sample({count, n, 2}, dtype, 2), x = la::solve(a, b), d = la::det(a), inverse = la::inv(a);
      const Array h = (td::matmul(a, adjoint(a)) + td::eye(n)).astype(dtype);
      const Array l = la::cholesky(h), u = la::cholesky(h, {.upper = true});
      for (std::int64_t i : {std::int64_t{0}, count / 3, count - 1}) {
        EXPECT_TRUE(agree(x(i), la::solve(a(i), b(i)))) << dtype << " " << n;
        EXPECT_TRUE(agree(d(i), la::det(a(i)))) << dtype << " " << n;
        EXPECT_TRUE(agree(inverse(i), la::inv(a(i)))) << dtype << " " << n;
        EXPECT_TRUE(agree(l(i), la::cholesky(h(i)))) << dtype << " " << n;
        EXPECT_TRUE(agree(u(i), la::cholesky(h(i), {.upper = true}))) << dtype << " " << n;
      }
      const Array part = a(td::slice(td::none, td::none, -7)).copy();
      EXPECT_TRUE(same(la::solve(td::matrix_transpose(a)(td::slice(td::none, td::none, -7)), part),
                       la::solve(td::matrix_transpose(part).copy(), part)))
          << dtype << " " << n;
      EXPECT_TRUE(same(la::cholesky(td::matrix_transpose(h)), la::cholesky(td::matrix_transpose(h).copy())));
    }
}

TEST(Solve, Layouts) {
  for (DType dtype : {td::float32, td::complex128}) {
    const Array a = (sample({6, 6}, dtype, 1) + td::eye(6) * 4.0).astype(dtype), b = sample({6, 6}, dtype, 2);
    for (Layout la_ : all_layouts)
      for (Layout lb : all_layouts) {
        if (la_ == Layout::broadcast) continue;  // equal rows: singular
        const Array x = lay_out(a, la_), y = lay_out(b, lb);
        EXPECT_TRUE(same(la::solve(x, y), la::solve(x.copy(), y.copy()))) << name(la_) << " " << name(lb);
      }
    EXPECT_TRUE(same(la::inv(a.T()), la::inv(a.T().copy())));
    const Array part = a(td::slice(0, 6, 2), td::slice(0, 6, 2));
    EXPECT_TRUE(same(la::det(part), la::det(part.copy())));
  }
}

TEST(Solve, SingularMatricesAreNamed) {
  const auto message = [](auto call) -> std::string {
    try {
      call();
    } catch (const td::LinAlgError& error) {
      return error.what();
    }
    return "";
  };
  const Array singular = td::array({{1.0, 2.0}, {2.0, 4.0}});
  EXPECT_EQ(message([&] { la::solve(singular, td::ones({2})); }), "solve: the matrix is singular");
  EXPECT_EQ(message([&] { la::inv(singular); }), "inv: the matrix is singular");
  const Array batch = td::stack({td::eye(2), singular, singular});
  EXPECT_EQ(message([&] { la::inv(batch); }), "inv: matrix 1 of the batch is singular");
  EXPECT_EQ(message([&] { la::matrix_power(singular, -1); }), "matrix_power: the matrix is singular");
  for (std::int64_t n : {3, 40}) {
    std::vector<Array> list;
    for (int i = 0; i < 20; ++i) list.push_back(i == 13 || i == 17 ? td::zeros({n, n}) : td::eye(n));
    const Array many = td::stack(list), right = td::ones({n, 1});
    EXPECT_EQ(message([&] { la::solve(many, right); }), "solve: matrix 13 of the batch is singular");
    EXPECT_EQ(message([&] { la::solve_triangular(many, right); }),
              "solve_triangular: matrix 13 of the batch is singular");
  }
}

TEST(Solve, NaNPassesThrough) {
  EXPECT_TRUE(td::all(td::isnan(la::inv(td::full({2, 2}, std::nan(""))))).item<bool>());
  EXPECT_TRUE(td::isnan(la::det(td::full({3, 3}, std::nan("")))).item<bool>());
  for (DType dtype : float_dtypes)
    EXPECT_TRUE(td::all(td::isnan(la::inv(td::full({3, 40, 40}, std::nan(""), {.dtype = dtype})))).item<bool>()) << dtype;
}

TEST(Solve, NaNDoesNotHideASingularMatrix) {
  const Array stack = td::stack({td::full({2, 2}, std::nan("")), td::zeros({2, 2}), td::eye(2)});
  EXPECT_TRUE(throws<td::LinAlgError>([&] { la::inv(stack); }, "inv: matrix 1 of the batch is singular"));
  const Array x = la::inv(stack(td::array({0, 2})));
  EXPECT_TRUE(td::all(td::isnan(x(0))).item<bool>());
  EXPECT_TRUE(same(x(1), td::eye(2)));
}

TEST(SolveTriangular, EitherTriangleAndUnitDiagonals) {
  for (DType dtype : float_dtypes)
    for (std::int64_t n : {1, 4, 40}) {
      const Array i = td::arange(n).reshape({n, 1}), j = td::arange(n);
      // Off the diagonal small, so that unit triangular matrices are well-conditioned.
      const Array a = td::where(i == j, 2.0, sample({3, n, n}, dtype, 1) / double(n)).astype(dtype);
      const Array b = sample({3, n, 2}, dtype, 2);
      for (bool lower : {false, true})
        for (bool unit : {false, true}) {
          const Array unread =
              td::where(lower ? i < j : i > j, std::nan(""), unit ? td::where(i == j, std::nan(""), a) : a);
          const Array x = la::solve_triangular(unread.astype(dtype), b, {.lower = lower, .unit_diagonal = unit});
          const Array triangle = td::where(lower ? i < j : i > j, 0, unit ? td::where(i == j, 1, a) : a);
          EXPECT_TRUE(close(td::matmul(wide(triangle), wide(x)), wide(b), 16, dtype)) << dtype << n << lower << unit;
        }
      EXPECT_TRUE(
          close(la::solve_triangular(a(0), b(0, td::all, 0)), la::solve_triangular(a(0), b(0))(td::all, 0), 4, dtype));
    }
}

TEST(Det, ValuesSignsAndRange) {
  EXPECT_TRUE(near(la::det(td::array({{1, 2}, {3, 4}})), td::array(-2.0), 1e-15));
  EXPECT_TRUE(near(la::det(td::stack({td::eye(3) * 2.0, -td::eye(3)})), td::array({8.0, -1.0}), 0));
  EXPECT_TRUE(same(la::det(td::array({{1.0, 2.0}, {2.0, 4.0}})), td::array(0.0)));
  EXPECT_TRUE(same(la::det(td::zeros({3, 3})), td::array(0.0)));
  EXPECT_TRUE(near(la::det(td::array({{C(0, 1), C(0, 0)}, {C(0, 0), C(0, 1)}})), td::array(C(-1, 0)), 1e-15));
  // 1e300 * 1e300 * 1e-300 * 1e-300 leaves the range on the way.
  const Array scale = td::array({1e300, 1e300, 1e-300, 1e-300});
  EXPECT_TRUE(near(la::det(td::eye(4) * scale), td::array(1.0), 1e-11));
  EXPECT_TRUE(near(la::det(td::eye(4) * scale.flip()), td::array(1.0), 1e-11));
  const auto [sign, logabsdet] = la::slogdet(td::array({{0.0, 2.0}, {3.0, 0.0}}));
  EXPECT_TRUE(same(sign, td::array(-1.0)));
  EXPECT_TRUE(near(logabsdet, td::array(std::log(6.0)), 1e-15));
  const auto zero = la::slogdet(td::zeros({2, 2, 2}, {.dtype = td::float32}));
  EXPECT_TRUE(same(zero.sign, td::zeros({2}, {.dtype = td::float32})));
  EXPECT_TRUE(same(zero.logabsdet, td::full({2}, -inf, {.dtype = td::float32})));
  EXPECT_EQ(la::slogdet(td::eye(2, {}, {.dtype = td::complex64})).logabsdet.dtype(), td::float32);
  for (DType dtype : float_dtypes)
    for (std::int64_t n : {4, 40}) {  // det(a b) = det(a) det(b), of either kernel
      const Array a = sample({n, n}, dtype, 1) / std::sqrt(double(n)),
                  b = sample({n, n}, dtype, 2) / std::sqrt(double(n));
      const Array product = la::det(a) * la::det(b), whole = la::det(td::matmul(a, b));
      EXPECT_LE(largest(whole - product), 1e3 * double(n) * eps(dtype) * largest(product)) << dtype << n;
    }
}

// ---- factorizations ----

TEST(Qr, FactorsOfEveryDtypeAndShape) {
  for (DType dtype : float_dtypes)
    for (const auto& [m, n] : sizes())
      for (const Shape& shape : {Shape{m, n}, Shape{3, m, n}}) {
        const Array a = sample(shape, dtype, 1);
        for (auto mode : {la::QrMode::reduced, la::QrMode::complete}) {
          const auto [q, r] = la::qr(a, {.mode = mode});
          EXPECT_EQ(q.dtype(), dtype);
          EXPECT_EQ(q.shape(-1), mode == la::QrMode::complete ? m : std::min(m, n));
          EXPECT_TRUE(orthonormal(q, dtype)) << dtype << shape;
          EXPECT_TRUE(is_upper_triangular(r));
          EXPECT_TRUE(close(td::matmul(wide(q), wide(r)), wide(a), 8, dtype)) << dtype << shape;
        }
      }
}

TEST(Svd, FactorsOfEveryDtypeAndShape) {
  for (DType dtype : float_dtypes)
    for (const auto& [m, n] : sizes())
      for (const Shape& shape : {Shape{m, n}, Shape{3, m, n}}) {
        const Array a = sample(shape, dtype, 1);
        const std::int64_t k = std::min(m, n);
        Array values;
        for (bool full : {true, false}) {
          const auto [u, s, vh] = la::svd(a, {.full_matrices = full});
          EXPECT_EQ(s.dtype(), td::real_dtype(dtype));
          EXPECT_EQ(u.shape(-1), full ? m : k);
          EXPECT_EQ(vh.shape(-2), full ? n : k);
          EXPECT_TRUE(orthonormal(u, dtype)) << dtype << shape;
          EXPECT_TRUE(orthonormal(adjoint(vh), dtype)) << dtype << shape;
          EXPECT_TRUE(td::all(s >= 0).item<bool>());
          EXPECT_TRUE(
              td::all(s(td::ellipsis, td::slice(1, td::none)) <= s(td::ellipsis, td::slice(0, -1))).item<bool>());
          const Array product = td::matmul(wide(u(td::ellipsis, td::slice(0, k)) * s.expand_dims(-2)),
                                           wide(vh(td::ellipsis, td::slice(0, k), td::all)));
          EXPECT_TRUE(close(product, wide(a), 16, dtype)) << dtype << shape;
          values = s;
        }
        EXPECT_TRUE(close(la::svdvals(a), values, 8, dtype)) << dtype << shape;
      }
}

TEST(Svd, KnownValuesAndDeficientRank) {
  EXPECT_TRUE(near(la::svdvals(td::array({{3.0, 0.0}, {0.0, -4.0}})), td::array({4.0, 3.0}), 1e-15));
  EXPECT_TRUE(near(la::svdvals(td::array({{0, 2}, {0, 0}, {0, 0}})), td::array({2.0, 0.0}), 0, 1e-15));
  for (const Shape& shape : {Shape{5, 4}, Shape{4, 5}, Shape{40, 36}}) {
    const Array u = sample({shape[0], 2}, td::float64, 1), v = sample({2, shape[1]}, td::float64, 2);
    const Array a = td::matmul(u, v);
    const auto [left, s, right] = la::svd(a);
    EXPECT_TRUE(orthonormal(left, td::float64));
    EXPECT_TRUE(orthonormal(adjoint(right), td::float64));
    EXPECT_LE(largest(s(td::slice(2, td::none))), 64 * eps(td::float64) * largest(s));
    EXPECT_EQ(la::matrix_rank(a).item<std::int64_t>(), 2);
  }
  const auto [u, s, vh] = la::svd(td::zeros({3, 2}));
  EXPECT_TRUE(orthonormal(u, td::float64));
  EXPECT_TRUE(same(s, td::zeros({2})));
}

TEST(Eigh, FactorsOfEveryDtypeAndSize) {
  for (DType dtype : float_dtypes)
    for (const auto& [n, unused] : sizes())
      for (const Shape& shape : {Shape{n, n}, Shape{3, n, n}}) {
        const Array a = hermitian(shape, dtype, 1);
        const Array i = td::arange(n).reshape({n, 1}), j = td::arange(n);
        for (bool upper : {false, true}) {
          const Array half = td::where(upper ? i > j : i < j, std::nan(""), a).astype(dtype);  // not read
          const auto [w, v] = la::eigh(half, {.upper = upper});
          EXPECT_EQ(w.dtype(), td::real_dtype(dtype));
          EXPECT_TRUE(
              td::all(w(td::ellipsis, td::slice(0, -1)) <= w(td::ellipsis, td::slice(1, td::none))).item<bool>());
          EXPECT_TRUE(orthonormal(v, dtype)) << dtype << shape;
          EXPECT_TRUE(close(td::matmul(wide(v * w.expand_dims(-2)), wide(adjoint(v))), wide(a), 16, dtype))
              << dtype << shape;
          EXPECT_TRUE(close(la::eigvalsh(half, {.upper = upper}), w, 8, dtype)) << dtype << shape;
        }
      }
  EXPECT_TRUE(near(la::eigvalsh(td::array({{2, 1}, {1, 2}})), td::array({1.0, 3.0}), 1e-15));
  EXPECT_TRUE(
      near(la::eigvalsh(td::array({{C(1, 0), C(0, -1)}, {C(0, 1), C(1, 0)}})), td::array({0.0, 2.0}), 0, 1e-15));
}

TEST(Eig, FactorsOfEveryDtypeAndSize) {
  for (DType dtype : float_dtypes)
    for (const auto& [n, unused] : sizes())
      for (const Shape& shape : {Shape{n, n}, Shape{3, n, n}}) {
        const Array a = sample(shape, dtype, 1);
        const auto [w, v] = la::eig(a);
        EXPECT_EQ(w.dtype(), td::complex_dtype(dtype));
        EXPECT_EQ(v.dtype(), td::complex_dtype(dtype));
        const Array left = td::matmul(wide(a).astype(td::complex128), wide(v)),
                    right = wide(v) * wide(w.expand_dims(-2));
        EXPECT_LE(largest(left - right), 16 * double(n) * eps(dtype) * largest(la::norm(a, {.axis = {-2, -1}})))
            << dtype << shape;
        EXPECT_TRUE(near(la::norm(v, {.axis = -2}), td::ones(w.shape(), {.dtype = td::real_dtype(dtype)}),
                         8 * double(n) * eps(dtype)));
        EXPECT_LE(largest(td::sum(w, {.axis = -1}) - la::trace(a)),
                  16 * double(n) * eps(dtype) * largest(la::norm(a, {.axis = {-2, -1}})));
        EXPECT_LE(largest(td::sort(td::abs(la::eigvals(a))) - td::sort(td::abs(w))),
                  1e3 * double(n) * std::sqrt(eps(dtype)) * largest(w));
      }
}

TEST(Eig, KnownValues) {
  const auto [w, v] = la::eig(td::array({{0.0, -1.0}, {1.0, 0.0}}));  // i and -i
  EXPECT_TRUE(near(td::sort(td::imag(w)), td::array({-1.0, 1.0}), 1e-15));
  EXPECT_TRUE(near(td::real(w), td::zeros({2}), 0, 1e-15));
  EXPECT_TRUE(near(td::abs(v), td::full({2, 2}, std::sqrt(0.5)), 1e-15));
  EXPECT_TRUE(near(td::sort(td::real(la::eigvals(td::array({{1, 2}, {0, 3}})))), td::array({1.0, 3.0}), 1e-15));
  const Array jordan = td::array({{2.0, 1.0}, {0.0, 2.0}});  // one eigenvector for two eigenvalues
  EXPECT_TRUE(near(td::real(la::eigvals(jordan)), td::array({2.0, 2.0}), 1e-7));
  EXPECT_TRUE(same(td::abs(la::eigvals(td::zeros({3, 3}))), td::zeros({3})));
}

TEST(Factorizations, RefuseWhatIsNotFinite) {
  for (double bad : {double(NAN), inf}) {
    Array one = td::eye(3).copy();
    one(1, 0) = bad;
    const Array batch = td::stack({td::eye(3), td::eye(3), one});
    EXPECT_TRUE(throws<td::LinAlgError>([&] { la::svd(one); }, "svd: the matrix holds NaN or infinities"));
    EXPECT_TRUE(throws<td::LinAlgError>([&] { la::svdvals(batch); }, "svdvals: matrix 2 of the batch holds"));
    EXPECT_TRUE(throws<td::LinAlgError>([&] { la::eigh(batch); }, "eigh: matrix 2 of the batch holds"));
    EXPECT_TRUE(throws<td::LinAlgError>([&] { la::eigvals(batch); }, "eigvals: matrix 2 of the batch holds"));
    EXPECT_TRUE(throws<td::LinAlgError>([&] { la::pinv(one); }, "pinv: the matrix holds"));
    EXPECT_TRUE(throws<td::LinAlgError>([&] { la::lstsq(one, td::ones({3})); }, "lstsq: the matrix holds"));
  }
}

TEST(Factorizations, RefuseShapesAndDtypes) {
  EXPECT_TRUE(throws([] { la::svd(td::ones({3})); }, "svd: ", {"(3,)", "no stack of matrices"}));
  EXPECT_TRUE(throws([] { la::qr(td::ones({})); }, "qr: ", {"()"}));
  EXPECT_TRUE(throws([] { la::eig(td::ones({2, 3})); }, "eig: ", {"(2, 3)", "square"}));
  EXPECT_TRUE(throws([] { la::eigh(td::ones({2, 3})); }, "eigh: ", {"(2, 3)", "square"}));
  EXPECT_TRUE(throws([] { la::det(td::ones({3})); }, "det: ", {"(3,)", "square"}));
  for (DType dtype : {td::float16, td::bfloat16}) {
    const Array half = td::ones({2, 2}, {.dtype = dtype});
    EXPECT_TRUE(throws([&] { la::inv(half); }, "inv: ", {name(dtype)}));
    EXPECT_TRUE(throws([&] { la::svd(half); }, "svd: ", {name(dtype)}));
    EXPECT_TRUE(throws([&] { la::solve(half, half); }, "solve: ", {name(dtype)}));
    EXPECT_TRUE(throws([&] { la::cholesky(half); }, "cholesky: ", {name(dtype)}));
  }
  EXPECT_EQ(la::svdvals(td::eye(2, {}, {.dtype = td::bool_})).dtype(), td::float64);
  EXPECT_EQ(la::inv(td::eye(2, {}, {.dtype = td::int8})).dtype(), td::float64);
}

TEST(Factorizations, Layouts) {
  for (DType dtype : {td::float64, td::complex64}) {
    const Array a = sample({6, 5}, dtype, 1);
    for (Layout layout : all_layouts) {
      const Array x = lay_out(a, layout), y = x.copy();
      EXPECT_TRUE(same(la::svd(x).U, la::svd(y).U)) << name(layout);
      EXPECT_TRUE(same(la::qr(x).R, la::qr(y).R)) << name(layout);
      const Array square = x(td::slice(0, 5));
      EXPECT_TRUE(same(la::eigvals(square), la::eigvals(square.copy()))) << name(layout);
      EXPECT_TRUE(same(la::eigvalsh(square), la::eigvalsh(square.copy()))) << name(layout);
    }
  }
}

TEST(Factorizations, ResultsAreArraysLikeOthers) {
  auto [q, r] = la::qr(sample({4, 4}, td::float64, 1));
  const Array before = q.copy(), first = q(0).copy();
  q(0) = 1;
  EXPECT_TRUE(same(q(0), td::ones({4})));
  EXPECT_TRUE(same(q(td::slice(1, td::none)), before(td::slice(1, td::none))));
  EXPECT_EQ(q.contiguous().is_contiguous(), true);
}

TEST(Factorizations, EmptyMatricesAndStacks) {
  const Array none = td::zeros({0, 0}), stack = td::zeros({0, 3, 3});
  EXPECT_TRUE(same(la::det(none), td::array(1.0)));
  EXPECT_TRUE(same(la::slogdet(none).sign, td::array(1.0)));
  EXPECT_TRUE(same(la::slogdet(none).logabsdet, td::array(0.0)));
  EXPECT_EQ(la::det(stack).shape(), Shape{0});
  EXPECT_TRUE(same(la::det(td::zeros({2, 0, 0})), td::ones({2})));
  EXPECT_EQ(la::inv(none).shape(), (Shape{0, 0}));
  EXPECT_EQ(la::inv(stack).shape(), (Shape{0, 3, 3}));
  EXPECT_EQ(la::solve(none, td::zeros({0, 2})).shape(), (Shape{0, 2}));
  EXPECT_EQ(la::solve(none, td::zeros({0})).shape(), Shape{0});
  EXPECT_EQ(la::solve(td::eye(3), td::zeros({3, 0})).shape(), (Shape{3, 0}));
  EXPECT_EQ(la::solve(none, td::zeros({4, 0, 2})).shape(), (Shape{4, 0, 2}));
  EXPECT_EQ(la::solve_triangular(stack, td::ones({3})).shape(), (Shape{0, 3}));
  const auto flat = la::svd(td::zeros({0, 3}));
  EXPECT_EQ(flat.U.shape(), (Shape{0, 0}));
  EXPECT_EQ(flat.S.shape(), Shape{0});
  EXPECT_TRUE(same(flat.Vh, td::eye(3)));
  EXPECT_EQ(la::svd(td::zeros({3, 0}), {.full_matrices = false}).U.shape(), (Shape{3, 0}));
  EXPECT_EQ(la::svdvals(stack).shape(), (Shape{0, 3}));
  EXPECT_TRUE(same(la::qr(td::zeros({3, 0}), {.mode = la::QrMode::complete}).Q, td::eye(3)));
  EXPECT_EQ(la::qr(td::zeros({3, 0})).Q.shape(), (Shape{3, 0}));
  EXPECT_EQ(la::qr(td::zeros({0, 3})).R.shape(), (Shape{0, 3}));
  EXPECT_EQ(la::eigh(none).eigenvectors.shape(), (Shape{0, 0}));
  EXPECT_EQ(la::eig(stack).eigenvalues.shape(), (Shape{0, 3}));
  EXPECT_EQ(la::pinv(td::zeros({0, 3})).shape(), (Shape{3, 0}));
  EXPECT_TRUE(same(la::matrix_rank(td::zeros({2, 0, 3})), td::zeros({2}, {.dtype = td::int64})));
  EXPECT_TRUE(same(la::lstsq(td::zeros({0, 3}), td::zeros({0})).x, td::zeros({3})));
  EXPECT_TRUE(same(la::lstsq(td::zeros({3, 0}), td::ones({3, 2})).residuals, td::full({2}, 3.0)));
  EXPECT_TRUE(throws<td::LinAlgError>([&] { la::cond(none); }, "cond: ", {"(0, 0)"}));
}

// ---- ranks, pseudoinverses, least squares ----

TEST(Pinv, MoorePenroseConditions) {
  for (DType dtype : float_dtypes)
    for (const Shape& shape : {Shape{5, 3}, Shape{3, 5}, Shape{2, 4, 4}, Shape{12, 9}}) {
      const Array a = sample(shape, dtype, 1), p = la::pinv(a);
      const double scale = 64 * eps(dtype) * largest(la::cond(a));
      EXPECT_LE(largest(td::matmul(td::matmul(a, p), a) - a), scale * largest(a)) << dtype << shape;
      EXPECT_LE(largest(td::matmul(td::matmul(p, a), p) - p), scale * largest(p)) << dtype << shape;
      const Array ap = td::matmul(a, p);
      EXPECT_LE(largest(ap - adjoint(ap)), scale) << dtype << shape;
    }
  const Array line = td::ones({3, 2});
  EXPECT_TRUE(near(la::pinv(line), td::full({2, 3}, 1.0 / 6), 1e-14));
  const Array two = td::stack({td::eye(2) * td::array({1.0, 0.1}), td::eye(2) * td::array({1.0, 0.1})});
  const Array p = la::pinv(two, td::array({0.5, 0.01}));
  EXPECT_TRUE(near(p(0), td::array({{1.0, 0.0}, {0.0, 0.0}}), 1e-15));
  EXPECT_TRUE(near(p(1), td::array({{1.0, 0.0}, {0.0, 10.0}}), 1e-14));
}

TEST(Hermitian, EigenvaluesGiveWhatSingularValuesDo) {
  for (DType dtype : float_dtypes)
    for (const Shape& shape : {Shape{1, 1}, Shape{5, 5}, Shape{3, 8, 8}}) {
      const Array a = hermitian(shape, dtype, 1), j = td::arange(a.shape(-1)), i = j.reshape({-1, 1});
      const Array half = td::where(i < j, std::nan(""), a).astype(dtype);  // the upper triangle is not read
      const auto [u, s, vh] = la::svd(half, {.hermitian = true});
      EXPECT_EQ(s.dtype(), td::real_dtype(dtype));
      EXPECT_TRUE(orthonormal(u, dtype) && orthonormal(adjoint(vh), dtype)) << dtype << shape;
      EXPECT_TRUE(close(td::matmul(wide(u * s.expand_dims(-2)), wide(vh)), wide(a), 16, dtype)) << dtype << shape;
      EXPECT_TRUE(close(s, la::svdvals(a), 8, dtype)) << dtype << shape;
      EXPECT_TRUE(close(la::svdvals(half, {.hermitian = true}), s, 8, dtype)) << dtype << shape;
      EXPECT_TRUE(close(la::pinv(half, {.hermitian = true}), la::pinv(a), 64 * largest(la::cond(a)), dtype));
    }
  const Array line = td::ones({3, 3}), zero = td::zeros({3, 3});
  const auto flat = la::svd(zero, {.hermitian = true});
  EXPECT_TRUE(orthonormal(adjoint(flat.Vh), td::float64));
  EXPECT_TRUE(near(la::pinv(line, {.hermitian = true}), td::full({3, 3}, 1.0 / 9), 1e-14));
  EXPECT_TRUE(same(la::matrix_rank(td::stack({line, zero, -td::eye(3)}), {.hermitian = true}), td::array({1, 0, 3})));
  const Array graded = td::stack({td::eye(2) * td::array({-1.0, 0.1}), td::eye(2) * td::array({-1.0, 0.1})});
  EXPECT_TRUE(same(la::matrix_rank(graded, td::array({0.5, 0.01}), {.hermitian = true}), td::array({1, 2})));
  EXPECT_TRUE(near(la::pinv(graded, td::array({0.5, 0.01}), {.hermitian = true}),
                   td::array({{{-1.0, 0.0}, {0.0, 0.0}}, {{-1.0, 0.0}, {0.0, 10.0}}}), 1e-14));
  EXPECT_EQ(la::svd(td::zeros({0, 0}), {.hermitian = true}).U.shape(), (Shape{0, 0}));
  EXPECT_TRUE(throws([] { la::svd(td::ones({2, 3}), {.hermitian = true}); }, "svd: ", {"(2, 3)", "square"}));
  EXPECT_TRUE(throws([] { la::pinv(td::ones({2, 3}), {.hermitian = true}); }, "pinv: ", {"(2, 3)", "square"}));
}

TEST(MatrixRank, TolerancesAndShapes) {
  EXPECT_TRUE(same(la::matrix_rank(td::ones({4, 3})), td::array(1)));
  EXPECT_TRUE(
      same(la::matrix_rank(td::stack({td::eye(3), td::zeros({3, 3}), td::ones({3, 3})})), td::array({3, 0, 1})));
  const Array graded = td::eye(3) * td::array({1.0, 1e-3, 1e-6});
  EXPECT_TRUE(same(la::matrix_rank(graded), td::array(3)));
  EXPECT_TRUE(same(la::matrix_rank(graded, {.rtol = 1e-4}), td::array(2)));
  EXPECT_TRUE(same(la::matrix_rank(graded * 100, {.tol = 1e-4}), td::array(2)));
  EXPECT_TRUE(throws([&] { la::matrix_rank(graded, {.rtol = 1e-4, .tol = 1e-4}); }, "matrix_rank: ", {"rtol", "tol"}));
  EXPECT_TRUE(same(la::matrix_rank(td::stack({graded, graded}), td::array({1e-4, 1e-2})), td::array({2, 1})));
  EXPECT_TRUE(same(la::matrix_rank(td::array({0.0, 2.0})), td::array(1)));
  EXPECT_TRUE(same(la::matrix_rank(td::zeros({4})), td::array(0)));
}

TEST(Lstsq, FullAndDeficientRank) {
  const Array a = td::array({{1.0, 0.0}, {1.0, 1.0}, {1.0, 2.0}});
  const auto line = la::lstsq(a, td::array({1.0, 3.0, 4.0}));
  EXPECT_TRUE(near(line.x, td::array({7.0 / 6, 1.5}), 1e-14));
  EXPECT_TRUE(near(line.residuals, td::array({1.0 / 6}), 1e-13));
  EXPECT_TRUE(same(line.rank, td::array(2)));
  EXPECT_TRUE(near(line.singular_values, la::svdvals(a), 1e-15));
  const auto deficient = la::lstsq(td::ones({3, 2}), td::array({1.0, 2.0, 3.0}));
  EXPECT_TRUE(near(deficient.x, td::array({1.0, 1.0}), 1e-14));  // the shortest of all solutions
  EXPECT_EQ(deficient.residuals.shape(), Shape{0});
  EXPECT_TRUE(same(deficient.rank, td::array(1)));
  for (DType dtype : float_dtypes) {
    const Array m = sample({2, 9, 4}, dtype, 1), b = sample({2, 9, 3}, dtype, 2);
    const auto r = la::lstsq(m, b);
    ASSERT_EQ(r.x.shape(), (Shape{2, 4, 3}));
    ASSERT_EQ(r.residuals.shape(), (Shape{2, 3}));
    // What is left is orthogonal to the columns.
    const Array rest = b - td::matmul(m, r.x);
    EXPECT_LE(largest(td::matmul(adjoint(m), rest)), 1e3 * eps(dtype) * largest(m) * largest(b)) << dtype;
    EXPECT_TRUE(near(r.residuals, td::square(la::norm(rest, {.axis = -2})), 1e3 * eps(dtype)));
  }
  const Array under = sample({3, 5}, td::float64, 3), y = sample({3}, td::float64, 4);
  const auto shortest = la::lstsq(under, y);
  EXPECT_TRUE(close(td::matmul(under, shortest.x), y, 64, td::float64));
  EXPECT_TRUE(close(shortest.x, td::matmul(la::pinv(under), y), 64, td::float64));
  EXPECT_TRUE(throws([] { la::lstsq(td::ones({3, 2}), td::ones({4})); }, "lstsq: ", {"(3, 2)", "(4,)"}));
}

TEST(Lstsq, ValuesThatCountAsZero) {
  const Array graded = td::eye(3) * td::array({1.0, 1e-3, 2e-16}), b = td::ones({3});
  EXPECT_TRUE(same(la::lstsq(graded, b).rank, td::array(2)));
  EXPECT_TRUE(same(la::lstsq(graded, b, {.rtol = 1e-2}).rank, td::array(1)));
  EXPECT_TRUE(same(la::lstsq(graded, b, {.rtol = 0}).rank, td::array(3)));
  EXPECT_TRUE(same(la::lstsq(graded, b, {.rtol = -1}).rank, td::array(2)));  // the epsilon, 2.2e-16
  EXPECT_TRUE(same(la::lstsq(td::eye(3) * td::array({1.0, 1e-3, 3e-16}), b, {.rtol = -1}).rank, td::array(3)));
  EXPECT_TRUE(same(la::lstsq(td::zeros({3, 3}), b, {.rtol = -1}).x, td::zeros({3})));
}

TEST(Tensors, SystemsAndInverses) {
  const Array a = sample({2, 3, 6}, td::float64, 1), b = sample({2, 3}, td::float64, 2);
  const Array x = la::tensorsolve(a, b);
  ASSERT_EQ(x.shape(), Shape{6});
  EXPECT_TRUE(close(td::tensordot(a, x, 1), b, 1e3, td::float64));
  const Array inverse = la::tensorinv(a);
  ASSERT_EQ(inverse.shape(), (Shape{6, 2, 3}));
  EXPECT_TRUE(close(td::tensordot(inverse, b, 2), x, 1e3, td::float64));
  EXPECT_EQ(la::tensorinv(sample({6, 2, 3}, td::complex64, 3), 1).shape(), (Shape{2, 3, 6}));
  EXPECT_EQ(la::tensorsolve(td::array(4.0), td::array(2.0)).shape(), Shape{});
  EXPECT_TRUE(throws([&] { la::tensorsolve(a, td::ones({3, 2})); }, "tensorsolve: ", {"(2, 3, 6)", "(3, 2)"}));
  EXPECT_TRUE(throws([&] { la::tensorsolve(td::ones({2, 3}), td::ones({2})); }, "tensorsolve: ", {"(3,)", "(2,)"}));
  EXPECT_TRUE(throws([&] { la::tensorinv(a, 1); }, "tensorinv: ", {"(2,)", "(3, 6)"}));
  EXPECT_TRUE(throws([&] { la::tensorinv(a, 0); }, "tensorinv: ", {"0", "(2, 3, 6)"}));
  EXPECT_TRUE(throws<td::LinAlgError>([] { la::tensorinv(td::zeros({2, 2}), 1); }, "tensorinv: "));
}

// ---- norms ----

TEST(Norms, OfMatrices) {
  const Array x = td::array({{1.0, -2.0}, {3.0, 4.0}});
  const auto value = [&](la::NormOrder ord) { return la::matrix_norm(x, {.ord = ord}).item<double>(); };
  EXPECT_DOUBLE_EQ(value(la::fro), std::sqrt(30.0));
  EXPECT_DOUBLE_EQ(value(1), 6);
  EXPECT_DOUBLE_EQ(value(-1), 4);
  EXPECT_DOUBLE_EQ(value(inf), 7);
  EXPECT_DOUBLE_EQ(value(-inf), 3);
  const double s0 = std::sqrt(15 + std::sqrt(125.0)), s1 = std::sqrt(15 - std::sqrt(125.0));  // det 10, squares 30
  EXPECT_NEAR(value(2), s0, 1e-14);
  EXPECT_NEAR(value(-2), s1, 1e-14);
  EXPECT_NEAR(value(la::nuc), s0 + s1, 1e-14);
  EXPECT_DOUBLE_EQ(la::norm(x).item<double>(), std::sqrt(30.0));
  EXPECT_DOUBLE_EQ(la::norm(x, {.ord = 1}).item<double>(), 6);
  EXPECT_NEAR(la::norm(x, {.ord = 2}).item<double>(), s0, 1e-14);
  EXPECT_NEAR(la::norm(x, {.axis = {0, 1}, .ord = 2}).item<double>(), s0, 1e-14);
  EXPECT_DOUBLE_EQ(la::norm(x, {.axis = {1, 0}, .ord = 1}).item<double>(), 7);  // rows and columns exchanged
  EXPECT_EQ(la::norm(td::ones({2, 3, 4}), {.axis = {2, 0}, .ord = 1, .keepdims = true}).shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(la::matrix_norm(td::ones({2, 3, 4}), {.keepdims = true}).shape(), (Shape{2, 1, 1}));
  EXPECT_EQ(la::matrix_norm(td::ones({2, 3, 4}, {.dtype = td::complex64}), {.ord = la::nuc}).dtype(), td::float32);
  EXPECT_TRUE(throws([&] { value(3); }, "matrix_norm: ", {"3", "fro"}));
  EXPECT_TRUE(throws([&] { la::norm(x, {.axis = 0, .ord = la::fro}); }, "norm: ", {"fro"}));
  EXPECT_TRUE(throws([&] { la::norm(td::ones({2, 2, 2}), {.ord = 2}); }, "norm: ", {"(2, 2, 2)"}));
  EXPECT_TRUE(throws([&] { la::norm(td::ones({2, 2, 2}), {.axis = {0, 1, 2}}); }, "norm: ", {"(0, 1, 2)"}));
  EXPECT_TRUE(throws([&] { la::matrix_norm(td::ones({3})); }, "matrix_norm: ", {"(3,)"}));
  for (const Shape& empty : {Shape{0, 3}, Shape{3, 0}})
    for (la::NormOrder ord : {la::fro, la::nuc, la::NormOrder(1), la::NormOrder(2), la::NormOrder(inf)})
      EXPECT_EQ(la::matrix_norm(td::zeros(empty), {.ord = ord}).item<double>(), 0);
}

TEST(Norms, OfVectors) {
  const Array x = td::array({{{3.0, -4.0}, {0.0, 12.0}}});
  EXPECT_DOUBLE_EQ(la::vector_norm(x).item<double>(), 13);
  EXPECT_TRUE(near(la::vector_norm(x, {.axis = {0, 2}}), td::array({5.0, 12.0}), 1e-15));
  EXPECT_TRUE(near(la::vector_norm(x, {.axis = -1, .ord = inf, .keepdims = true}), td::array({{{4.0}, {12.0}}}), 0));
  EXPECT_DOUBLE_EQ(la::vector_norm(x, {.ord = 0}).item<double>(), 3);
  EXPECT_DOUBLE_EQ(la::vector_norm(x, {.ord = 1}).item<double>(), 19);
  EXPECT_NEAR(la::vector_norm(x, {.ord = 0.5}).item<double>(), std::pow(std::sqrt(3) + 2 + std::sqrt(12), 2), 1e-12);
  EXPECT_TRUE(throws([&] { la::vector_norm(x, {.ord = la::nuc}); }, "vector_norm: ", {"nuc"}));
  EXPECT_EQ(la::vector_norm(td::zeros({0}), {.ord = inf}).item<double>(), 0);
}

TEST(Cond, Orders) {
  const Array x = td::array({{1.0, 0.0}, {0.0, 0.25}});
  for (la::NormOrder ord : {la::NormOrder(2), la::NormOrder(1), la::NormOrder(inf)})
    EXPECT_DOUBLE_EQ(la::cond(x, ord).item<double>(), 4);
  EXPECT_DOUBLE_EQ(la::cond(x, -2).item<double>(), 0.25);
  EXPECT_NEAR(la::cond(x, la::fro).item<double>(), 4.25, 1e-14);
  EXPECT_EQ(la::cond(td::zeros({2, 2})).item<double>(), inf);
  EXPECT_TRUE(same(la::cond(td::stack({td::zeros({2, 2}), td::eye(2)}), 1), td::array({inf, 1.0})));
  EXPECT_DOUBLE_EQ(la::cond(td::array({{3.0, 0.0, 0.0}, {0.0, 2.0, 0.0}})).item<double>(), 1.5);
  EXPECT_TRUE(throws([] { la::cond(td::ones({2, 3}), 1); }, "cond: ", {"(2, 3)"}));
}

// ---- products ----

TEST(Vecdot, ConjugatesBroadcastsAndKeepsDtypes) {
  EXPECT_TRUE(same(td::vecdot(td::array({C(0, 1), C(1, 1)}), td::array({C(0, 1), C(2, 0)})), td::array(C(3, -2))));
  EXPECT_TRUE(same(td::vecdot(td::array({{1, 2}, {3, 4}}), td::array({5, 6})), td::array({17, 39})));
  EXPECT_TRUE(same(td::vecdot(td::array({{1, 2}, {3, 4}}), td::array({{5, 6}, {7, 8}}), 0), td::array({26, 44})));
  const Array bytes = td::full({3}, 100, {.dtype = td::int8});
  EXPECT_TRUE(same(td::vecdot(bytes, td::ones({3}, {.dtype = td::int8})), td::array(44, {.dtype = td::int8})));
  EXPECT_TRUE(same(td::vecdot(td::array({true, false}), td::array({true, true})), td::array(true)));
  EXPECT_EQ(td::vecdot(td::zeros({3, 0}), td::zeros({0})).shape(), Shape{3});
  EXPECT_TRUE(throws([] { td::vecdot(td::ones({3}), td::ones({1})); }, "vecdot: ", {"(3,)", "(1,)"}));
  EXPECT_TRUE(throws([] { td::vecdot(td::ones({}), td::ones({1})); }, "vecdot: ", {"()"}));
  EXPECT_TRUE(throws<td::IndexError>([] { td::vecdot(td::ones({3}), td::ones({3}), 1); }, "vecdot: "));
}

TEST(Cross, AxesAndBroadcasting) {
  EXPECT_TRUE(same(la::cross(td::array({1, 2, 3}), td::array({4, 5, 6})), td::array({-3, 6, -3})));
  const Array a = sample({4, 3, 2}, td::float64, 1), b = sample({3, 2}, td::float64, 2);
  const Array c = la::cross(a, b.broadcast_to({4, 3, 2}), 1);
  ASSERT_EQ(c.shape(), (Shape{4, 3, 2}));
  EXPECT_TRUE(same(c(2, td::all, 1), la::cross(a(2, td::all, 1), b(td::all, 1))));
  EXPECT_EQ(la::cross(td::ones({5, 1, 3}), td::ones({4, 3})).shape(), (Shape{5, 4, 3}));
  EXPECT_TRUE(throws([] { la::cross(td::ones({2}), td::ones({2})); }, "cross: ", {"(2,)"}));
}

TEST(MatrixPower, SignsAndDtypes) {
  const Array fibonacci = td::array({{1, 1}, {1, 0}});
  EXPECT_TRUE(same(la::matrix_power(fibonacci, 10), td::array({{89, 55}, {55, 34}})));
  EXPECT_TRUE(same(la::matrix_power(fibonacci, 0), td::eye(2).astype(td::int64)));
  EXPECT_TRUE(near(la::matrix_power(fibonacci, -2), td::array({{1.0, -1.0}, {-1.0, 2.0}}), 1e-15));
  EXPECT_EQ(la::matrix_power(td::ones({3, 2, 2}), 5).shape(), (Shape{3, 2, 2}));
  EXPECT_TRUE(throws([] { la::matrix_power(td::ones({2, 3}), 2); }, "matrix_power: ", {"(2, 3)"}));
}

TEST(MultiDot, OrderDoesNotMatterForTheValue) {
  const Array a = sample({3, 20}, td::float64, 1), b = sample({20, 2}, td::float64, 2),
              c = sample({2, 30}, td::float64, 3), v = sample({30}, td::float64, 4);
  EXPECT_TRUE(close(la::multi_dot({a, b, c}), td::matmul(td::matmul(a, b), c), 8, td::float64));
  EXPECT_TRUE(close(la::multi_dot({a, b, c, v}), td::matmul(td::matmul(td::matmul(a, b), c), v), 8, td::float64));
  EXPECT_EQ(la::multi_dot({v, c.T(), b.T(), a.T()}).shape(), Shape{3});
  EXPECT_EQ(la::multi_dot({v, v}).shape(), Shape{});
  const td::Array bytes = td::full({2, 2}, 100, {.dtype = td::int8});
  EXPECT_TRUE(same(la::multi_dot({bytes, bytes, td::ones({2, 2})}), td::full({2, 2}, 40000.0)));
  EXPECT_TRUE(throws([&] { la::multi_dot({a, c}); }, "multi_dot: ", {"(3, 20)", "(2, 30)"}));
  EXPECT_TRUE(throws([&] { la::multi_dot({a}); }, "multi_dot: "));
  EXPECT_TRUE(throws([&] { la::multi_dot({a, v, b}); }, "multi_dot: ", {"(30,)"}));
}

TEST(Diagonal, OffsetsAndViews) {
  const Array x = td::arange(24).reshape({2, 3, 4});
  EXPECT_TRUE(same(la::diagonal(x), td::array({{0, 5, 10}, {12, 17, 22}})));
  EXPECT_TRUE(same(la::diagonal(x, 2), td::array({{2, 7}, {14, 19}})));
  EXPECT_TRUE(same(la::diagonal(x, -1), td::array({{4, 9}, {16, 21}})));
  EXPECT_EQ(la::diagonal(x, 4).shape(), (Shape{2, 0}));
  EXPECT_EQ(la::diagonal(x, -9).shape(), (Shape{2, 0}));
  EXPECT_EQ(la::diagonal(td::zeros({0, 3})).shape(), Shape{0});
  EXPECT_TRUE(same(la::diagonal(td::matrix_transpose(x).flip(Shape{-1})), td::array({{8, 5, 2}, {20, 17, 14}})));
  EXPECT_TRUE(same(la::diagonal(td::arange(4).reshape({2, 2}) * 2), td::array({0, 6})));
  EXPECT_TRUE(same(la::trace(x), td::array({15, 51})));
  EXPECT_TRUE(same(la::trace(x, {.offset = 2}), td::array({9, 33})));
  EXPECT_TRUE(same(la::trace(td::full({2, 2}, 100, {.dtype = td::int8})), td::array(200)));
  EXPECT_EQ(la::trace(x, {.dtype = td::float32}).dtype(), td::float32);
  EXPECT_TRUE(throws([] { la::diagonal(td::ones({3})); }, "diagonal: ", {"(3,)"}));
  Array source = td::zeros({2, 2}).copy();
  const Array diagonal = la::diagonal(source);
  source(0, 0) = 5;  // values never change behind a variable's back
  EXPECT_TRUE(same(diagonal, td::zeros({2})));
}

}  // namespace
