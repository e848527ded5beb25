// Products, norms and Cholesky factors.
#include <array>

#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;
using tandem::Shape;

namespace {

using C = std::complex<double>;
constexpr double inf = std::numeric_limits<double>::infinity();

Array sample(const Shape& shape, DType dtype, std::uint64_t seed) {
  const bool whole = td::is_integer(dtype);
  const Array x =
      td::random::uniform(shape, {.low = td::is_unsigned_integer(dtype) ? 0.0 : -4.0, .high = 5, .seed = seed});
  if (td::is_bool(dtype)) return x > 1;
  if (td::is_complex(dtype)) return td::make_complex(x, x.flip()).astype(dtype);
  return whole ? td::floor(x).astype(dtype) : x.astype(dtype);
}

/// A matrix product by elementwise operations and sums in `wide`: (..., m, k) and (..., k, n).
Array slow_product(const Array& a, const Array& b, DType wide) {
  const Array x = a.astype(wide)(td::ellipsis, td::newaxis),
              y = b.astype(wide)(td::ellipsis, td::newaxis, td::all, td::all);
  return td::sum(x * y, {.axis = -2});
}

/// Epsilon of the dtype that products accumulate in, and of the result.
double unit(DType dtype) {
  if (dtype == td::float64 || dtype == td::complex128) return 0x1p-52;
  return dtype == td::float16 ? 0x1p-11 : dtype == td::bfloat16 ? 0x1p-8 : 0x1p-23;
}

/// Whether c is the product of a and b: exactly for integers and bools, within k eps (|a| |b|) for floats.
::testing::AssertionResult is_product(const Array& c, const Array& a, const Array& b) {
  const DType dtype = td::promote_types(a.dtype(), b.dtype());
  if (c.dtype() != dtype) return ::testing::AssertionFailure() << "dtype " << c.dtype() << ", expected " << dtype;
  if (td::is_bool(dtype)) return same(c, slow_product(a, b, td::int64) > 0);
  if (td::is_integer(dtype)) return same(c, slow_product(a, b, dtype).astype(dtype));
  const Array truth = slow_product(a, b, td::is_complex(dtype) ? td::complex128 : td::float64);
  const Array bound = slow_product(td::abs(a).astype(td::float64), td::abs(b).astype(td::float64), td::float64);
  if (!(c.shape() == truth.shape()))
    return ::testing::AssertionFailure() << "shape " << c.shape() << ", expected " << truth.shape();
  const double k = double(a.shape(-1));
  // Halves accumulate in float32 and round once.
  const double factor = dtype == td::float16 || dtype == td::bfloat16 ? unit(dtype) + k * 0x1p-23 : k * unit(dtype);
  const double worst = td::max(td::abs(c.astype(truth.dtype()) - truth) / (bound + 1e-300)).item<double>();
  if (worst <= 2 * factor) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "error " << worst << " of |a||b|, allowed " << 2 * factor;
}

TEST(Matmul, EveryDtypeAndSize) {
  for (DType dtype : all_dtypes)
    for (const auto& [m, k, n] : {std::array{1, 1, 1},
                                  {2, 3, 4},
                                  {16, 16, 16},
                                  {17, 33, 9},
                                  {1, 50, 40},
                                  {40, 50, 1},
                                  {64, 1, 64},
                                  {70, 129, 65}}) {
      const Array a = sample({m, k}, dtype, 1), b = sample({k, n}, dtype, 2);
      EXPECT_TRUE(is_product(td::matmul(a, b), a, b)) << dtype << " " << m << " " << k << " " << n;
    }
}

TEST(Matmul, Layouts) {
  for (DType dtype : {td::float32, td::complex128, td::int32, td::float16, td::bool_}) {
    const Array a = sample({12, 14}, dtype, 3), b = sample({14, 12}, dtype, 4);
    for (Layout la : all_layouts)
      for (Layout lb : all_layouts) {
        const Array x = lay_out(a, la), y = lay_out(b, lb);
        EXPECT_TRUE(is_product(td::matmul(x, y), x.copy(), y.copy())) << dtype << " " << name(la) << " " << name(lb);
      }
    EXPECT_TRUE(is_product(td::matmul(a, a.T()), a, a.T().copy()));
    EXPECT_TRUE(is_product(td::matmul(b.T(), a.T()), b.T().copy(), a.T().copy()));
    const Array part = a(td::slice(2, 9), td::slice(1, 14, 3));
    EXPECT_TRUE(is_product(td::matmul(part, part.T()), part.copy(), part.T().copy()));
  }
}

TEST(Matmul, BatchesBroadcast) {
  for (DType dtype : {td::float32, td::float64, td::int16, td::complex64}) {
    const Array a = sample({5, 1, 2, 3}, dtype, 5), b = sample({7, 3, 4}, dtype, 6);
    const Array c = td::matmul(a, b);
    ASSERT_EQ(c.shape(), (Shape{5, 7, 2, 4}));
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 7; ++j) EXPECT_TRUE(is_product(c(i, j), a(i, 0), b(j)));
    const Array many = sample({300, 3, 3}, dtype, 7);
    const Array d = td::matmul(many, many(0));
    for (int i : {0, 1, 150, 299}) EXPECT_TRUE(is_product(d(i), many(i), many(0)));
    const Array t = td::matmul(td::matrix_transpose(many), many);
    for (int i : {0, 299}) EXPECT_TRUE(is_product(t(i), many(i).T().copy(), many(i)));
  }
}

TEST(Matmul, OneDimensionalOperands) {
  const auto shape = [](const Shape& a, const Shape& b) { return td::matmul(td::ones(a), td::ones(b)).shape(); };
  EXPECT_EQ(shape({3}, {3}), Shape{});
  EXPECT_EQ(shape({2, 3}, {3}), Shape{2});
  EXPECT_EQ(shape({3}, {3, 4}), Shape{4});
  EXPECT_EQ(shape({5, 2, 3}, {3}), (Shape{5, 2}));
  EXPECT_EQ(shape({3}, {5, 3, 4}), (Shape{5, 4}));
  EXPECT_TRUE(same(td::matmul(td::array({1, 2, 3}), td::array({4, 5, 6})), td::array(32)));
  EXPECT_TRUE(same(td::matmul(td::array({{1, 2}, {3, 4}}), td::array({5, 6})), td::array({17, 39})));
  EXPECT_TRUE(same(td::matmul(td::array({5, 6}), td::array({{1, 2}, {3, 4}})), td::array({23, 34})));
}

TEST(Matmul, MismatchesNameTheShapes) {
  EXPECT_TRUE(throws([] { td::matmul(td::ones({3, 4}), td::ones({5, 6})); }, "matmul: ", {"(3, 4)", "(5, 6)"}));
  EXPECT_TRUE(throws([] { td::matmul(td::ones({3}), td::ones({4})); }, "matmul: ", {"(3,)", "(4,)"}));
  EXPECT_TRUE(
      throws([] { td::matmul(td::ones({2, 2, 3}), td::ones({3, 3, 2})); }, "matmul: ", {"(2, 2, 3)", "(3, 3, 2)"}));
  EXPECT_TRUE(throws([] { td::matmul(td::ones({}), td::ones({3})); }, "matmul: ", {"()"}));
}

TEST(Matmul, PromotesAndWraps) {
  EXPECT_EQ(td::matmul(td::ones({2, 2}, {.dtype = td::int32}), td::ones({2, 2}, {.dtype = td::float32})).dtype(),
            td::float64);
  const Array big = td::full({2, 2}, INT64_MAX);
  EXPECT_TRUE(same(td::matmul(big, big), td::full({2, 2}, 2)));
  const Array i1 = td::full({3, 3}, 100, {.dtype = td::int8});
  EXPECT_TRUE(same(td::matmul(i1, i1), td::full({3, 3}, 48, {.dtype = td::int8})));
}

TEST(Matmul, DoesNotSkipZeros) {
  for (DType dtype : {td::float32, td::float64, td::float16}) {
    const Array zero = td::zeros({20, 20}, {.dtype = dtype});
    EXPECT_TRUE(td::all(td::isnan(td::matmul(zero, td::full({20, 20}, std::nan(""), {.dtype = dtype})))).item<bool>())
        << dtype;
    EXPECT_TRUE(td::all(td::isnan(td::matmul(td::full({20, 20}, inf, {.dtype = dtype}), zero))).item<bool>()) << dtype;
    EXPECT_TRUE(td::all(td::isnan(td::matmul(zero, td::full({20}, inf, {.dtype = dtype})))).item<bool>()) << dtype;
  }
}

TEST(Matmul, HalvesAccumulateInFloat32) {
  const Array ones = td::ones({1, 4096}, {.dtype = td::float16});
  EXPECT_EQ(td::matmul(ones, ones.T()).item<float>(), 4096.0f);
  EXPECT_EQ(td::matmul(ones.astype(td::bfloat16), ones.T().astype(td::bfloat16)).item<float>(), 4096.0f);
}

TEST(Matmul, TakesPendingExpressions) {
  const Array a = sample({9, 8}, td::float64, 1), b = sample({8, 7}, td::float64, 2);
  EXPECT_TRUE(is_product(td::matmul(a * 2 + 1, td::exp(b)), (a * 2 + 1).eval(), td::exp(b).eval()));
}

TEST(Dot, FollowsNumPy) {
  EXPECT_TRUE(same(td::dot(td::array({1, 2, 3}), td::array({4, 5, 6})), td::array(32)));
  EXPECT_TRUE(same(td::dot(td::array({{1, 2}, {3, 4}}), td::array({{5, 6}, {7, 8}})), td::array({{19, 22}, {43, 50}})));
  EXPECT_TRUE(same(td::dot(td::array(3), td::array({1, 2})), td::array({3, 6})));
  const Array a = sample({2, 3, 4}, td::int64, 1), b = sample({5, 4, 6}, td::int64, 2);
  const Array c = td::dot(a, b);
  ASSERT_EQ(c.shape(), (Shape{2, 3, 5, 6}));
  for (const auto& [i, j, k, l] : {std::array{0, 0, 0, 0}, {1, 2, 4, 5}, {1, 0, 3, 2}})
    EXPECT_TRUE(same(c(i, j, k, l), td::sum(a(i, j) * b(k, td::all, l))));
  EXPECT_EQ(td::dot(td::ones({2, 3}), td::ones({3})).shape(), Shape{2});
  EXPECT_TRUE(same(td::dot(td::array({C(0, 1)}), td::array({C(0, 1)})), td::array(C(-1, 0))));  // no conjugation
  EXPECT_TRUE(throws([] { td::dot(td::ones({2, 3}), td::ones({2, 3})); }, "dot: ", {"(2, 3)"}));
}

TEST(Outer, FlattensItsArguments) {
  EXPECT_TRUE(same(td::outer(td::array({1, 2}), td::array({3, 4, 5})), td::array({{3, 4, 5}, {6, 8, 10}})));
  EXPECT_TRUE(same(td::outer(td::array({{1}, {2}}), td::array(3)), td::array({{3}, {6}})));
}

TEST(Tensordot, AxesByNumberAndByPairs) {
  const Array a = sample({2, 3, 4}, td::int64, 1), b = sample({3, 4, 5}, td::int64, 2);
  EXPECT_TRUE(same(td::tensordot(a, b), td::matmul(a.reshape({2, 12}), b.reshape({12, 5}))));
  EXPECT_EQ(td::tensordot(a, b, 0).shape(), (Shape{2, 3, 4, 3, 4, 5}));
  EXPECT_TRUE(same(td::tensordot(a, a, Shape{0, 2}, Shape{0, 2}),
                   td::matmul(a.permute({1, 0, 2}).reshape({3, 8}), a.permute({0, 2, 1}).reshape({8, 3}))));
  EXPECT_TRUE(same(td::tensordot(a, b, Shape{-1}, Shape{1}), td::tensordot(a, b, Shape{2}, Shape{1})));
  EXPECT_EQ(td::tensordot(a, b, Shape{1, 2}, Shape{0, 1}).shape(), (Shape{2, 5}));
  EXPECT_TRUE(throws([&] { td::tensordot(a, b, 1); }, "tensordot: ", {"(2, 3, 4)", "(3, 4, 5)"}));
  EXPECT_TRUE(throws([&] { td::tensordot(a, b, Shape{0}, Shape{0, 1}); }, "tensordot: "));
}

TEST(Norm, OrdersAndAxes) {
  const Array x = td::array({{3.0, -4.0, 0.0}, {1.0, 2.0, -2.0}});
  EXPECT_TRUE(near(td::linalg::norm(x), td::array(std::sqrt(34.0)), 1e-15));
  EXPECT_TRUE(near(td::linalg::norm(x, {.axis = 1}), td::array({5.0, 3.0}), 1e-15));
  EXPECT_TRUE(near(td::linalg::norm(x, {.axis = 1, .ord = 1}), td::array({7.0, 5.0}), 1e-15));
  EXPECT_TRUE(near(td::linalg::norm(x, {.axis = 1, .ord = inf}), td::array({4.0, 2.0}), 0));
  EXPECT_TRUE(near(td::linalg::norm(x, {.axis = 1, .ord = -inf}), td::array({0.0, 1.0}), 0));
  EXPECT_TRUE(near(td::linalg::norm(x, {.axis = 1, .ord = 0}), td::array({2.0, 3.0}), 0));
  EXPECT_TRUE(near(td::linalg::norm(x, {.axis = 1, .ord = 3}), td::array({std::cbrt(91.0), std::cbrt(17.0)}), 1e-14));
  EXPECT_TRUE(near(td::linalg::norm(x, {.axis = {0, 1}}), td::array(std::sqrt(34.0)), 1e-15));
  EXPECT_EQ(td::linalg::norm(x, {.axis = 1, .keepdims = true}).shape(), (Shape{2, 1}));
  EXPECT_TRUE(near(td::linalg::norm(td::array({3, 4})), td::array(5.0), 0));
  EXPECT_TRUE(near(td::linalg::norm(td::array({C(3, 4), C(0, 12)})), td::array(13.0), 1e-15));
  EXPECT_EQ(td::linalg::norm(td::ones({2}, {.dtype = td::float16})).dtype(), td::float16);
  EXPECT_EQ(td::linalg::norm(td::ones({2}, {.dtype = td::complex64})).dtype(), td::float32);
}

TEST(Cholesky, FactorsOfEveryDtype) {
  for (DType dtype : {td::float32, td::float64, td::complex64, td::complex128})
    for (std::int64_t n : {1, 2, 5, 33, 100}) {
      const Array a = sample({n, n}, dtype, std::uint64_t(n));
      const Array x = td::matmul(a, td::conj(a).T()) + td::eye(n, {}, {.dtype = dtype}) * double(n);
      const Array l = td::linalg::cholesky(x);
      EXPECT_EQ(l.dtype(), dtype);
      const double scale = td::max(td::abs(x)).item<double>();
      EXPECT_TRUE(near(td::matmul(l, td::conj(l).T()), x, 0, double(n) * unit(dtype) * scale)) << dtype << " " << n;
      const Array i = td::arange(n);
      const Array above = i > i.reshape({n, 1});
      EXPECT_TRUE(td::all(td::where(above, td::abs(l), 0) == 0).item<bool>());
      EXPECT_TRUE(td::all(td::where(i == i.reshape({n, 1}), td::real(l), 1) > 0).item<bool>());
      const Array u = td::linalg::cholesky(x, {.upper = true});
      EXPECT_TRUE(near(td::matmul(td::conj(u).T(), u), x, 0, double(n) * unit(dtype) * scale)) << dtype << " " << n;
      EXPECT_TRUE(td::all(td::where(above.T(), td::abs(u), 0) == 0).item<bool>());
    }
}

TEST(Cholesky, ReadsOneTriangleAndBatches) {
  const Array x = td::array({{4.0, 2.0}, {2.0, 5.0}});
  const Array l = td::array({{2.0, 0.0}, {1.0, 2.0}});
  Array lower = x.copy();
  lower(0, 1) = std::nan("");
  EXPECT_TRUE(near(td::linalg::cholesky(lower), l, 1e-15));
  Array upper = x.copy();
  upper(1, 0) = std::nan("");
  EXPECT_TRUE(near(td::linalg::cholesky(upper, {.upper = true}), l.T().copy(), 1e-15));
  EXPECT_TRUE(near(td::linalg::cholesky(td::stack({x, x * 4})), td::stack({l, l * 2}), 1e-15));
  EXPECT_TRUE(near(td::linalg::cholesky(td::array({{4, 2}, {2, 5}})), l, 1e-15));
  EXPECT_TRUE(near(td::linalg::cholesky(x.T()), l, 1e-15));
}

TEST(Cholesky, RefusesWhatIsNotPositiveDefinite) {
  EXPECT_TRUE(throws<td::LinAlgError>([] { td::linalg::cholesky(td::array({{1.0, 2.0}, {2.0, 1.0}})); }, "cholesky: "));
  EXPECT_TRUE(throws<td::LinAlgError>([] { td::linalg::cholesky(td::zeros({2, 2})); }, "cholesky: "));
  EXPECT_TRUE(throws<td::LinAlgError>([] { td::linalg::cholesky(td::full({2, 2}, std::nan(""))); }, "cholesky: "));
  const Array second_is_bad = td::stack({td::eye(3), -td::eye(3)});
  EXPECT_TRUE(throws<td::LinAlgError>([&] { td::linalg::cholesky(second_is_bad); }, "cholesky: ", {"1"}));
  EXPECT_TRUE(throws([] { td::linalg::cholesky(td::ones({2, 3})); }, "cholesky: ", {"(2, 3)"}));
  EXPECT_TRUE(throws([] { td::linalg::cholesky(td::ones({3})); }, "cholesky: ", {"(3,)"}));
}

}  // namespace
