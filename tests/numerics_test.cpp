// Convolution, interpolation, integrals, derivatives, polynomials, softmax and comparisons of whole arrays.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;
using tandem::Shape;

namespace {

constexpr double inf = td::inf, nan = td::nan;

TEST(Convolve, InEveryMode) {
  using C = std::complex<double>;
  const Array a = td::array({1, 2, 3, 4, 5}), v = td::array({1, -1, 2}), w = td::array({2, 0, 1, 3});
  const Array z = td::array({C(1.0, 1.0), C(0.0, 2.0), C(3.0, 0.0)});
  EXPECT_TRUE(same(td::convolve(a, v, {.mode = td::ConvolveMode::full}), td::array({1, 1, 3, 5, 7, 3, 10})));
  EXPECT_TRUE(same(td::correlate(a, v, {.mode = td::ConvolveMode::full}), td::array({2, 3, 5, 7, 9, -1, 5})));
  EXPECT_TRUE(same(td::convolve(a, w, {.mode = td::ConvolveMode::full}), td::array({2, 4, 7, 13, 19, 13, 17, 15})));
  EXPECT_TRUE(same(td::correlate(a, w, {.mode = td::ConvolveMode::full}), td::array({3, 7, 11, 17, 23, 11, 8, 10})));
  EXPECT_TRUE(same(td::convolve(v, w, {.mode = td::ConvolveMode::full}), td::array({2, -2, 5, 2, -1, 6})));
  EXPECT_TRUE(same(td::correlate(v, w, {.mode = td::ConvolveMode::full}), td::array({3, -2, 5, 4, -2, 4})));
  EXPECT_TRUE(same(td::convolve(v, a, {.mode = td::ConvolveMode::full}), td::array({1, 1, 3, 5, 7, 3, 10})));
  EXPECT_TRUE(same(td::correlate(v, a, {.mode = td::ConvolveMode::full}), td::array({5, -1, 9, 7, 5, 3, 2})));
  EXPECT_TRUE(same(td::convolve(a, v, {.mode = td::ConvolveMode::same}), td::array({1, 3, 5, 7, 3})));
  EXPECT_TRUE(same(td::correlate(a, v, {.mode = td::ConvolveMode::same}), td::array({3, 5, 7, 9, -1})));
  EXPECT_TRUE(same(td::convolve(a, w, {.mode = td::ConvolveMode::same}), td::array({4, 7, 13, 19, 13})));
  EXPECT_TRUE(same(td::correlate(a, w, {.mode = td::ConvolveMode::same}), td::array({7, 11, 17, 23, 11})));
  EXPECT_TRUE(same(td::convolve(v, w, {.mode = td::ConvolveMode::same}), td::array({-2, 5, 2, -1})));
  EXPECT_TRUE(same(td::correlate(v, w, {.mode = td::ConvolveMode::same}), td::array({-2, 5, 4, -2})));
  EXPECT_TRUE(same(td::convolve(v, a, {.mode = td::ConvolveMode::same}), td::array({1, 3, 5, 7, 3})));
  EXPECT_TRUE(same(td::correlate(v, a, {.mode = td::ConvolveMode::same}), td::array({-1, 9, 7, 5, 3})));
  EXPECT_TRUE(same(td::convolve(a, v, {.mode = td::ConvolveMode::valid}), td::array({3, 5, 7})));
  EXPECT_TRUE(same(td::correlate(a, v, {.mode = td::ConvolveMode::valid}), td::array({5, 7, 9})));
  EXPECT_TRUE(same(td::convolve(a, w, {.mode = td::ConvolveMode::valid}), td::array({13, 19})));
  EXPECT_TRUE(same(td::correlate(a, w, {.mode = td::ConvolveMode::valid}), td::array({17, 23})));
  EXPECT_TRUE(same(td::convolve(v, w, {.mode = td::ConvolveMode::valid}), td::array({5, 2})));
  EXPECT_TRUE(same(td::correlate(v, w, {.mode = td::ConvolveMode::valid}), td::array({5, 4})));
  EXPECT_TRUE(same(td::convolve(v, a, {.mode = td::ConvolveMode::valid}), td::array({3, 5, 7})));
  EXPECT_TRUE(same(td::correlate(v, a, {.mode = td::ConvolveMode::valid}), td::array({9, 7, 5})));
  EXPECT_TRUE(same(td::correlate(w, a, {.mode = td::ConvolveMode::same}), td::array({11, 23, 17, 11, 7})));
  EXPECT_TRUE(same(td::correlate(w, a, {.mode = td::ConvolveMode::full}), td::array({10, 8, 11, 23, 17, 11, 7, 3})));
  EXPECT_TRUE(same(td::convolve(a, v), td::array({1, 1, 3, 5, 7, 3, 10})));
  EXPECT_TRUE(same(td::correlate(a, v), td::array({5, 7, 9})));
  EXPECT_TRUE(same(td::correlate(a, z, {.mode = td::ConvolveMode::full}),
                   td::array({C(3.0, 0.0), C(6.0, -2.0), C(10.0, -5.0), C(14.0, -8.0), C(18.0, -11.0), C(4.0, -14.0),
                   C(5.0, -5.0)})));
  EXPECT_TRUE(same(td::convolve(td::array({true, false, true}), td::array({true, true})),
                   td::array({true, true, true, true})));
  EXPECT_TRUE(same(td::convolve(td::array({100, 100}, {.dtype = td::int8}),
                   td::array({2}, {.dtype = td::int8})), td::array({-56, -56}, {.dtype = td::int8})));
  EXPECT_EQ(td::convolve(a.astype(td::float16), v.astype(td::float16)).dtype(), td::float16);
  // More taps than one program takes.
  const Array ones = td::ones({100}), sums = td::convolve(ones, ones);
  EXPECT_TRUE(same(sums, td::minimum(td::arange(1, 200), td::arange(199, 0, -1)).astype(td::float64)));
  EXPECT_TRUE(throws([&] { td::convolve(a, td::zeros({0})); }, "convolve: ", {"(0,)"}));
  EXPECT_TRUE(throws([&] { td::correlate(td::zeros({2, 2}), v); }, "correlate: ", {"(2, 2)"}));
}

TEST(Interp, BetweenPoints) {
  using C = std::complex<double>;
  const Array x = td::array({-1.0, 1.0, 1.5, 2.25, 4.0, 5.0, nan, inf, -inf}), xp = td::array({1.0, 2.0, 4.0}), fp = td::array({3.0, -1.0, 2.0});
  EXPECT_TRUE(same(td::interp(x, xp, fp), td::array({3.0, 3.0, 1.0, -0.625, 2.0, 2.0, nan, 2.0, 3.0})));
  EXPECT_TRUE(same(td::interp(x, xp, fp, {.left = -7, .right = 9.5}),
                   td::array({-7.0, 3.0, 1.0, -0.625, 2.0, 9.5, nan, 9.5, -7.0})));
  EXPECT_TRUE(same(td::interp(td::array(3), xp, fp), td::array(0.5)));
  EXPECT_TRUE(same(td::interp(td::array({0, 1, 2}), td::array({1}), td::array({5})), td::array({5.0, 5.0, 5.0})));
  EXPECT_TRUE(same(td::interp(x, xp, td::array({C(1, 1), C(0, 2), C(3, -1)}))(td::slice(0, 6)),
                   td::array({C(1.0, 1.0), C(1.0, 1.0), C(0.5, 1.5), C(0.375, 1.625), C(3.0, -1.0), C(3.0, -1.0)})));
  EXPECT_EQ(td::interp(td::zeros({0, 2}), xp, fp).shape(), (Shape{0, 2}));
  EXPECT_TRUE(throws([&] { td::interp(x, xp, td::zeros({2})); }, "interp: points of shapes (3,) and (2,)"));
  EXPECT_TRUE(throws([&] { td::interp(x, td::zeros({0}), td::zeros({0})); }, "interp: points"));
}

TEST(Trapezoid, IntegratesRows) {
  const Array y = td::array({{1.0, 2.0, 4.0, 8.0}, {1.0, 3.0, 9.0, 27.0}}), x = td::array({0.0, 1.0, 3.0, 3.5});
  EXPECT_TRUE(same(td::trapezoid(y), td::array({10.5, 26.0})));
  EXPECT_TRUE(same(td::trapezoid(y, {.dx = 0.5, .axis = 0}), td::array({0.5, 1.25, 3.25, 8.75})));
  EXPECT_TRUE(same(td::trapezoid(y, {.x = x}), td::array({10.5, 23.0})));
  EXPECT_TRUE(same(td::trapezoid(y, {.x = y}), td::array({31.5, 364.0})));
  EXPECT_TRUE(same(td::trapezoid(td::array({1, 2, 4})), td::array(4.5)));
  EXPECT_TRUE(same(td::trapezoid(td::array({1.0})), td::array(0.0)));
  EXPECT_TRUE(throws([&] { td::trapezoid(y, {.x = td::zeros({3})}); }, "trapezoid: x of shape (3,)"));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::trapezoid(y, {.axis = 2}); }, "trapezoid: axis 2"));
}

TEST(Gradient, OfSamples) {
  const Array y = td::array({{1.0, 2.0, 4.0, 8.0}, {1.0, 3.0, 9.0, 27.0}}), x = td::array({0.0, 1.0, 3.0, 3.5});
  EXPECT_TRUE(same(td::gradient(y, {.axis = 1}), td::array({{1.0, 1.5, 3.0, 4.0}, {2.0, 4.0, 12.0, 18.0}})));
  EXPECT_TRUE(same(td::gradient(y, {.dx = 2, .axis = 0}), td::array({{0.0, 0.5, 2.5, 9.5}, {0.0, 0.5, 2.5, 9.5}})));
  EXPECT_TRUE(same(td::gradient(y(0), {.dx = 0.5, .edge_order = 2}), td::array({1.0, 3.0, 6.0, 10.0})));
  EXPECT_TRUE(near(td::gradient(y, {.x = x, .axis = 1}),
                   td::array({{1.0, 1.0, 6.6000000000000005, 8.0}, {2.0, 2.3333333333333335, 29.400000000000002,
                   36.0}}), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::gradient(y, {.x = x, .axis = -1, .edge_order = 2}),
                   td::array({{1.0, 1.0, 6.6000000000000005, 9.399999999999999}, {1.666666666666667,
                   2.3333333333333335, 29.400000000000002, 42.599999999999994}}), 1e-14, 1e-14));
  EXPECT_TRUE(same(td::gradient(td::array({1, 4, 9})), td::array({3.0, 4.0, 5.0})));
  EXPECT_TRUE(throws([&] { td::gradient(y); }, "gradient: an axis must be given"));
  EXPECT_TRUE(throws([] { td::gradient(td::array({1.0})); }, "gradient: axis 0 of shape (1,)"));
  EXPECT_TRUE(throws([&] { td::gradient(y, {.axis = 1, .edge_order = 3}); }, "gradient: edge_order 3"));
}

TEST(Polyval, ByHornersRule) {
  using C = std::complex<double>;
  EXPECT_TRUE(same(td::polyval(td::array({2, 0, -1}), td::array({{0, 1}, {2, 3}})), td::array({{-1, 1}, {7, 17}})));
  EXPECT_TRUE(same(td::polyval(td::array({2, 0, -1}), td::array({0.5})), td::array({-0.5})));
  EXPECT_TRUE(same(td::polyval(td::zeros({0}), td::array({0.5})), td::array({0.0})));
  EXPECT_TRUE(same(td::polyval(td::array({C(0, 1), C(1)}), td::array(2)), td::array(C(1.0, 2.0))));
  EXPECT_TRUE(throws([] { td::polyval(td::array(1), td::array(2)); }, "polyval: coefficients of shape ()"));
}

TEST(Softmax, DoesNotOverflow) {
  const Array x = td::array({{1.0, 2.0, 3.0}, {1000.0, 1001.0, -1000.0}});
  EXPECT_TRUE(near(td::softmax(x),
                   td::array({{0.09003057317038046, 0.24472847105479764, 0.6652409557748218}, {0.2689414213699951,
                   0.7310585786300049, 0.0}}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::softmax(x, {.axis = 0}), td::array({{0.0, 0.0, 1.0}, {1.0, 1.0, 0.0}}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::softmax(x, {.axis = {0, 1}}),
                   td::array({{0.0, 0.0, 0.0}, {0.2689414213699951, 0.7310585786300049, 0.0}}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::log_softmax(x),
                   td::array({{-2.40760596444438, -1.4076059644443804, -0.40760596444438046}, {-1.3132616875182228,
                   -0.3132616875182228, -2001.3132616875182}}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::logsumexp(x), td::array(1001.3132616875182), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::logsumexp(x, {.axis = 1}), td::array({3.4076059644443806, 1001.3132616875182}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::logsumexp(x, {.axis = 0, .keepdims = true}), td::array({{1000.0, 1001.0, 3.0}}), 1e-15, 1e-15));
  EXPECT_TRUE(same(td::logsumexp(td::array({-inf, -inf})), td::array(-inf)));
  EXPECT_TRUE(same(td::logsumexp(td::array({inf, 1.0})), td::array(inf)));
  EXPECT_TRUE(same(td::logsumexp(td::zeros({2, 0}), {.axis = 1}), td::array({-inf, -inf})));
  EXPECT_TRUE(same(td::softmax(td::array({-inf, 0.0})), td::array({0.0, 1.0})));
  EXPECT_TRUE(same(td::softmax(td::array({0, 0})), td::array({0.5, 0.5})));
  EXPECT_EQ(td::softmax(td::zeros({3, 0})).shape(), (Shape{3, 0}));
  for (DType dtype : {td::float16, td::bfloat16, td::float32, td::float64}) EXPECT_EQ(td::softmax(x.astype(dtype)).dtype(), dtype);
  EXPECT_TRUE(throws([] { td::softmax(td::zeros({2}, {.dtype = td::complex64})); }, "softmax: dtype complex64"));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::softmax(x, {.axis = 2}); }, "softmax: axis 2"));
}

TEST(AllClose, IsOneBool) {
  EXPECT_TRUE(td::allclose(td::array({1.0, 2.0}), td::array({1.0, 2.0 + 1e-9})));
  EXPECT_FALSE(td::allclose(td::array({1.0, 2.0}), 2.0));
  EXPECT_TRUE(td::allclose(td::array({1.0, 2.0}), 2.0, {.atol = 1}));
  EXPECT_FALSE(td::allclose(td::array({nan}), td::array({nan})));
  EXPECT_TRUE(td::allclose(td::array({nan}), td::array({nan}), {.equal_nan = true}));
  EXPECT_TRUE(td::allclose(td::zeros({0}), td::ones({1})));
}

TEST(ArrayEqual, NeedsOneShape) {
  EXPECT_TRUE(td::array_equal(td::array({1, 2}), td::array({1.0, 2.0})));
  EXPECT_FALSE(td::array_equal(td::array({1, 1}), td::array({1})));
  EXPECT_FALSE(td::array_equal(td::array({nan}), td::array({nan})));
  EXPECT_TRUE(td::array_equal(td::array({nan}), td::array({nan}), {.equal_nan = true}));
  EXPECT_TRUE(td::array_equal(td::zeros({0}), td::zeros({0}, {.dtype = td::int8})));
}

}  // namespace
