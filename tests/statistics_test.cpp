// Quantiles, averages, covariances and histograms; values are NumPy's.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;
using tandem::Shape;

namespace {

constexpr double nan = td::nan;

TEST(Quantile, ByEveryMethod) {
  const Array v = td::array({15.0, 20.0, 35.0, 40.0, 50.0, 7.0, 1.0, 8.0, 9.0, 12.0});
  const std::vector<double> q = {0.0, 0.05, 0.25, 0.3, 0.45, 0.5, 0.77, 0.95, 1.0};
  EXPECT_TRUE(near(td::quantile(v, q, {.method = td::QuantileMethod::inverted_cdf}),
                   td::array({1.0, 1.0, 8.0, 8.0, 12.0, 12.0, 35.0, 50.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v(td::slice(0, 7)), q, {.method = td::QuantileMethod::inverted_cdf}),
                   td::array({1.0, 1.0, 7.0, 15.0, 20.0, 20.0, 40.0, 50.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v, q, {.method = td::QuantileMethod::averaged_inverted_cdf}),
                   td::array({1.0, 1.0, 8.0, 8.5, 12.0, 13.5, 35.0, 50.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v(td::slice(0, 7)), q, {.method = td::QuantileMethod::averaged_inverted_cdf}),
                   td::array({1.0, 1.0, 7.0, 15.0, 20.0, 20.0, 40.0, 50.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v, q, {.method = td::QuantileMethod::closest_observation}),
                   td::array({1.0, 1.0, 7.0, 8.0, 9.0, 12.0, 35.0, 50.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v(td::slice(0, 7)), q, {.method = td::QuantileMethod::closest_observation}),
                   td::array({1.0, 1.0, 7.0, 7.0, 15.0, 20.0, 35.0, 50.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v, q, {.method = td::QuantileMethod::interpolated_inverted_cdf}),
                   td::array({1.0, 1.0, 7.5, 8.0, 10.5, 12.0, 30.500000000000004, 45.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v(td::slice(0, 7)), q, {.method = td::QuantileMethod::interpolated_inverted_cdf}),
                   td::array({1.0, 1.0, 5.5, 7.800000000000001, 15.75, 17.5, 36.95, 46.49999999999999, 50.0}), 1e-15,
                   1e-15));
  EXPECT_TRUE(near(td::quantile(v, q, {.method = td::QuantileMethod::hazen}),
                   td::array({1.0, 1.0, 8.0, 8.5, 12.0, 13.5, 36.0, 50.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v(td::slice(0, 7)), q, {.method = td::QuantileMethod::hazen}),
                   td::array({1.0, 1.0, 9.0, 11.8, 18.25, 20.0, 39.45, 50.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v, q, {.method = td::QuantileMethod::weibull}),
                   td::array({1.0, 1.0, 7.75, 8.3, 11.850000000000001, 13.5, 37.35, 50.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v(td::slice(0, 7)), q, {.method = td::QuantileMethod::weibull}),
                   td::array({1.0, 1.0, 7.0, 10.2, 18.0, 20.0, 41.6, 50.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v, q, {.method = td::QuantileMethod::linear}),
                   td::array({1.0, 3.7, 8.25, 8.7, 12.149999999999999, 13.5, 33.949999999999996, 45.499999999999986,
                   50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v(td::slice(0, 7)), q, {.method = td::QuantileMethod::linear}),
                   td::array({1.0, 2.8000000000000003, 11.0, 13.399999999999999, 18.5, 20.0, 38.1, 46.99999999999999,
                   50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v, q, {.method = td::QuantileMethod::median_unbiased}),
                   td::array({1.0, 1.0, 7.916666666666666, 8.433333333333334, 11.95, 13.5, 36.45, 50.0, 50.0}), 1e-15,
                   1e-15));
  EXPECT_TRUE(near(td::quantile(v(td::slice(0, 7)), q, {.method = td::QuantileMethod::median_unbiased}),
                   td::array({1.0, 1.0, 8.333333333333332, 11.266666666666666, 18.166666666666668, 20.0,
                   39.900000000000006, 50.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v, q, {.method = td::QuantileMethod::normal_unbiased}),
                   td::array({1.0, 1.0, 7.9375, 8.45, 11.962499999999999, 13.5, 36.3375, 50.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v(td::slice(0, 7)), q, {.method = td::QuantileMethod::normal_unbiased}),
                   td::array({1.0, 1.0, 8.5, 11.400000000000002, 18.1875, 20.0, 39.7875, 50.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v, q, {.method = td::QuantileMethod::lower}),
                   td::array({1.0, 1.0, 8.0, 8.0, 12.0, 12.0, 20.0, 40.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v(td::slice(0, 7)), q, {.method = td::QuantileMethod::lower}),
                   td::array({1.0, 1.0, 7.0, 7.0, 15.0, 20.0, 35.0, 40.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v, q, {.method = td::QuantileMethod::higher}),
                   td::array({1.0, 7.0, 9.0, 9.0, 15.0, 15.0, 35.0, 50.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v(td::slice(0, 7)), q, {.method = td::QuantileMethod::higher}),
                   td::array({1.0, 7.0, 15.0, 15.0, 20.0, 20.0, 40.0, 50.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v, q, {.method = td::QuantileMethod::midpoint}),
                   td::array({1.0, 4.0, 8.5, 8.5, 13.5, 13.5, 27.5, 45.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v(td::slice(0, 7)), q, {.method = td::QuantileMethod::midpoint}),
                   td::array({1.0, 4.0, 11.0, 11.0, 17.5, 20.0, 37.5, 45.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v, q, {.method = td::QuantileMethod::nearest}),
                   td::array({1.0, 1.0, 8.0, 9.0, 12.0, 12.0, 35.0, 50.0, 50.0}), 1e-15, 1e-15));
  EXPECT_TRUE(near(td::quantile(v(td::slice(0, 7)), q, {.method = td::QuantileMethod::nearest}),
                   td::array({1.0, 1.0, 15.0, 15.0, 20.0, 20.0, 40.0, 50.0, 50.0}), 1e-15, 1e-15));
}

TEST(Quantile, AlongAxes) {
  const Array x = td::array({{3, 1, 4, 1}, {5, 9, 2, 6}, {5, 3, 5, 8}});
  const Array y = td::square(td::arange(24).reshape({2, 3, 4}));
  EXPECT_TRUE(same(td::percentile(x, {25, 50}), td::array({2.75, 4.5})));
  EXPECT_TRUE(same(td::percentile(x, 40, {.axis = 0}), td::array({4.6, 2.6, 3.6, 5.0})));
  EXPECT_TRUE(same(td::quantile(y, 0.3, {.axis = {0, 2}}), td::array({4.5, 37.300000000000004, 102.10000000000001})));
  EXPECT_TRUE(same(td::quantile(y, 0.3, {.axis = {0, 2}, .keepdims = true}),
                   td::array({{{4.5}, {37.300000000000004}, {102.10000000000001}}})));
  EXPECT_TRUE(same(td::quantile(x, 0.4, {.axis = 1, .method = td::QuantileMethod::nearest}), td::array({1, 5, 5})));
  EXPECT_TRUE(same(td::quantile(td::array({1, 2, 3}, {.dtype = td::int8}), 0.4,
                   {.method = td::QuantileMethod::lower}), td::array(1, {.dtype = td::int8})));
  EXPECT_TRUE(same(td::quantile(td::array({1.0, nan}), 0.1, {.method = td::QuantileMethod::lower}), td::array(nan)));
  EXPECT_TRUE(throws([&] { td::percentile(x, 101); }, "percentile: 101", {"[0, 100]"}));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::quantile(x, 0.5, {.axis = 2}); }, "quantile: axis 2"));
}

TEST(Median, OfRows) {
  const Array x = td::array({{3, 1, 4, 1}, {5, 9, 2, 6}, {5, 3, 5, 8}});
  EXPECT_TRUE(same(td::median(x), td::array(4.5)));
  EXPECT_TRUE(same(td::median(x, {.axis = 0}), td::array({5.0, 3.0, 4.0, 6.0})));
  EXPECT_TRUE(same(td::median(x, {.axis = 1, .keepdims = true}), td::array({{2.0}, {5.5}, {5.0}})));
  EXPECT_TRUE(same(td::median(x, {.axis = {0, 1}}), td::array(4.5)));
  EXPECT_TRUE(same(td::median(td::array({1.0, nan, 3.0})), td::array(nan)));
  EXPECT_TRUE(same(td::median(td::zeros({0})), td::array(nan)));
  EXPECT_TRUE(same(td::median(td::zeros({2, 0}), {.axis = 1}), td::array({nan, nan})));
  EXPECT_TRUE(same(td::median(td::array(3)), td::array(3.0)));
  EXPECT_TRUE(same(td::median(td::array({60000, 65000}, {.dtype = td::float16})),
                   td::array(62496.0, {.dtype = td::float16})));
  EXPECT_TRUE(throws([] { td::median(td::zeros({2}, {.dtype = td::complex64})); }, "median: dtype complex64"));
}

TEST(Ptp, IsTheRange) {
  const Array x = td::array({{3, 1, 4, 1}, {5, 9, 2, 6}, {5, 3, 5, 8}});
  EXPECT_TRUE(same(td::ptp(x), td::array(8)));
  EXPECT_TRUE(same(td::ptp(x, {.axis = 0}), td::array({2, 8, 3, 7})));
  EXPECT_TRUE(same(td::ptp(x, {.axis = 1, .keepdims = true}), td::array({{3}, {7}, {5}})));
  EXPECT_TRUE(throws([] { td::ptp(td::zeros({0})); }, "ptp: ", {"(0,)"}));
}

TEST(Average, ByWeights) {
  const Array x = td::array({{3, 1, 4, 1}, {5, 9, 2, 6}, {5, 3, 5, 8}});
  const Array w = td::array({1.0, 2.0, 3.0, 4.0});
  EXPECT_TRUE(near(td::average(x), td::array(4.333333333333333), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::average(x, {.axis = 1, .weights = w}), td::array({2.1, 5.3, 5.8}), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::average(x, {.weights = x}), td::array(5.6923076923076925), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::average(x, {.axis = 0, .weights = x, .keepdims = true}),
                   td::array({{4.538461538461538, 7.0, 4.090909090909091, 6.733333333333333}}), 1e-14, 1e-14));
  EXPECT_EQ(td::average(x.astype(td::float32), {.axis = 1, .weights = w.astype(td::float32)}).dtype(), td::float32);
  EXPECT_TRUE(throws([&] { td::average(x, {.weights = w}); }, "average: weights of shape (4,)", {"(3, 4)"}));
  EXPECT_TRUE(throws([&] { td::average(x, {.axis = 0, .weights = w}); }, "average: weights of shape (4,)", {"axis 0"}));
  EXPECT_TRUE(throws([&] { td::average(x, {.axis = 1, .weights = w - 2.5}); }, "average: weights of shape (4,)", {"zero"}));
}

TEST(Cov, OfVariables) {
  using C = std::complex<double>;
  const Array x = td::array({{3, 1, 4, 1}, {5, 9, 2, 6}, {5, 3, 5, 8}});
  const Array z = td::array({{C(1.0, 1.0), C(2.0, 0.0), C(0.0, 3.0)}, {C(0.0, 0.0), C(1.0, -1.0), C(2.0, 0.0)}});
  EXPECT_TRUE(near(td::cov(x),
                   td::array({{2.25, -3.833333333333333, -0.41666666666666663}, {-3.833333333333333,
                   8.333333333333332, -1.8333333333333333}, {-0.41666666666666663, -1.8333333333333333, 4.25}}),
                   1e-14, 1e-14));
  EXPECT_TRUE(near(td::cov(x, {.rowvar = false, .correction = 0}),
                   td::array({{0.8888888888888888, 2.222222222222222, -0.2222222222222222, 2.6666666666666665},
                   {2.222222222222222, 11.555555555555557, -3.5555555555555554, 4.666666666666666},
                   {-0.2222222222222222, -3.5555555555555554, 1.5555555555555556, 0.3333333333333333},
                   {2.6666666666666665, 4.666666666666666, 0.3333333333333333, 8.666666666666666}}), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::cov(x(0)), td::array(2.25), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::cov(z),
                   td::array({{C(3.3333333333333335, 0.0), C(0.16666666666666674, 1.5)}, {C(0.16666666666666674,
                   -1.5), C(1.3333333333333335, 0.0)}}), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::corrcoef(x),
                   td::array({{1.0, -0.8852704127574261, -0.13474201390907387}, {-0.8852704127574261, 1.0,
                   -0.30806161848616215}, {-0.13474201390907387, -0.30806161848616215, 1.0}}), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::corrcoef(z),
                   td::array({{C(0.9999999999999999, 0.0), C(0.0790569415042095, 0.7115124735378852)},
                   {C(0.0790569415042095, -0.7115124735378852), C(0.9999999999999998, 0.0)}}), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::corrcoef(x(0)), td::array(1.0), 1e-14, 1e-14));
  EXPECT_TRUE(throws([] { td::cov(td::zeros({2, 2, 2})); }, "cov: ", {"(2, 2, 2)"}));
}

TEST(Histogram, CountsByBin) {
  const Array x = td::array({0.1, 0.5, 0.9, 1.0, 2.5, 2.5, 3.0});
  {
    const td::Histogram h = td::histogram(x, 4);
    EXPECT_TRUE(same(h.counts, td::array({2, 2, 0, 3})));
    EXPECT_TRUE(same(h.edges, td::array({0.1, 0.825, 1.55, 2.275, 3.0})));
  }
  {
    const td::Histogram h = td::histogram(x, 3, {.range = std::pair(0.0, 3.0)});
    EXPECT_TRUE(same(h.counts, td::array({3, 1, 3})));
    EXPECT_TRUE(same(h.edges, td::array({0.0, 1.0, 2.0, 3.0})));
  }
  {
    const td::Histogram h = td::histogram(x, td::array({0.0, 0.5, 1.0, 3.0}));
    EXPECT_TRUE(same(h.counts, td::array({1, 2, 4})));
    EXPECT_TRUE(same(h.edges, td::array({0.0, 0.5, 1.0, 3.0})));
  }
  {
    const td::Histogram h = td::histogram(x, td::array({0.0, 0.5, 1.0, 3.0}), {.density = true});
    EXPECT_TRUE(same(h.counts, td::array({0.2857142857142857, 0.5714285714285714, 0.2857142857142857})));
    EXPECT_TRUE(same(h.edges, td::array({0.0, 0.5, 1.0, 3.0})));
  }
  {
    const td::Histogram h = td::histogram(x, 2, {.range = std::pair(0.5, 2.5), .weights = td::arange(7)});
    EXPECT_TRUE(same(h.counts, td::array({6, 9})));
    EXPECT_TRUE(same(h.edges, td::array({0.5, 1.5, 2.5})));
  }
  {
    const td::Histogram h = td::histogram(td::zeros({0}), 2);
    EXPECT_TRUE(same(h.counts, td::array({0, 0})));
    EXPECT_TRUE(same(h.edges, td::array({0.0, 0.5, 1.0})));
  }
  {
    const td::Histogram h = td::histogram(td::array({{2, 2}, {2, 2}}), 2);
    EXPECT_TRUE(same(h.counts, td::array({0, 4})));
    EXPECT_TRUE(same(h.edges, td::array({1.5, 2.0, 2.5})));
  }
  EXPECT_EQ(td::histogram(x.astype(td::float32), 4).edges.dtype(), td::float32);
  // NaN lies in no bin of a given range.
  EXPECT_TRUE(same(td::histogram(td::array({0.5, nan}), 1, {.range = std::pair(0.0, 1.0)}).counts, td::array({1})));
  EXPECT_TRUE(throws([&] { td::histogram(x, 0); }, "histogram: 0 bins"));
  EXPECT_TRUE(throws([] { td::histogram(td::array({nan, 1.0})); }, "histogram: the range"));
  EXPECT_TRUE(throws([&] { td::histogram(x, 2, {.range = std::pair(2.0, 1.0)}); }, "histogram: the range"));
  EXPECT_TRUE(throws([&] { td::histogram(x, td::array({1.0, 0.0})); }, "histogram: the edges"));
  EXPECT_TRUE(throws([&] { td::histogram(x, 2, {.weights = td::ones({3})}); }, "histogram: weights of shape (3,)"));
}

TEST(Bincount, CountsNumbers) {
  const Array x = td::array({3, 1, 1, 0, 7}, {.dtype = td::uint8}), w = td::array({0.5, 1.0, 2.0, 3.0, 4.0});
  EXPECT_TRUE(same(td::bincount(x), td::array({1, 2, 0, 1, 0, 0, 0, 1})));
  EXPECT_TRUE(same(td::bincount(x, {.minlength = 10}), td::array({1, 2, 0, 1, 0, 0, 0, 1, 0, 0})));
  EXPECT_TRUE(same(td::bincount(x, {.weights = w}), td::array({3.0, 3.0, 0.0, 0.5, 0.0, 0.0, 0.0, 4.0})));
  EXPECT_TRUE(same(td::bincount(td::zeros({0}, {.dtype = td::uint8}), {.minlength = 2}), td::array({0, 0})));
  for (std::int64_t largest : {65'535, 65'536, 70'000})
    EXPECT_TRUE(same(td::bincount(td::array({largest, largest, std::int64_t{2}}))(td::array({largest, std::int64_t{2}})),
                     td::array({2, 1})));
  EXPECT_TRUE(throws([] { td::bincount(td::array({INT64_MAX})); }, "bincount: 9223372036854775807"));
  EXPECT_TRUE(throws([] { td::bincount(td::array({1, -1})); }, "bincount: the numbers"));
  EXPECT_TRUE(throws([] { td::bincount(td::array({1.0})); }, "bincount: dtype float64"));
  EXPECT_TRUE(throws([] { td::bincount(td::array({{1}})); }, "bincount: ", {"(1, 1)"}));
}

TEST(Digitize, FindsIntervals) {
  const Array x = td::array({1.0, 2.5, 3.0, 0.0, 5.0, nan});
  EXPECT_TRUE(same(td::digitize(x, td::array({1.0, 2.0, 4.0})), td::array({1, 2, 2, 0, 3, 3})));
  EXPECT_TRUE(same(td::digitize(x, td::array({1.0, 2.0, 4.0}), {.right = true}), td::array({0, 2, 2, 0, 3, 3})));
  EXPECT_TRUE(same(td::digitize(x, td::array({3.0, 2.0, 1.0})), td::array({2, 1, 0, 3, 0, 0})));
  EXPECT_TRUE(same(td::digitize(x, td::array({3.0, 2.0, 1.0}), {.right = true}), td::array({3, 1, 1, 3, 0, 0})));
  EXPECT_TRUE(throws([&] { td::digitize(x, td::array({1.0, 3.0, 2.0})); }, "digitize: bins of shape (3,)"));
  EXPECT_TRUE(throws([&] { td::digitize(x, td::array(1.0)); }, "digitize: bins of shape ()"));
}

TEST(NanReductions, LeaveNaNOut) {
  const Array x = td::array({{1.5, nan, -2.0, 7.0}, {nan, nan, nan, 3.0}, {0.5, 2.5, 8.0, -1.0}});
  const Array none = td::array({nan, nan}), empty = td::zeros({0});
  EXPECT_TRUE(same(td::nansum(x), td::array(19.5)));
  EXPECT_TRUE(same(td::nansum(x, {.axis = 0}), td::array({2.0, 2.5, 6.0, 9.0})));
  EXPECT_TRUE(same(td::nansum(x, {.axis = 1, .keepdims = true}), td::array({{6.5}, {3.0}, {10.0}})));
  EXPECT_TRUE(same(td::nanprod(x), td::array(630.0)));
  EXPECT_TRUE(same(td::nanprod(x, {.axis = 0}), td::array({0.75, 2.5, -16.0, -21.0})));
  EXPECT_TRUE(same(td::nanprod(x, {.axis = 1, .keepdims = true}), td::array({{-21.0}, {3.0}, {-10.0}})));
  EXPECT_TRUE(same(td::nanmax(x), td::array(8.0)));
  EXPECT_TRUE(same(td::nanmax(x, {.axis = 0}), td::array({1.5, 2.5, 8.0, 7.0})));
  EXPECT_TRUE(same(td::nanmax(x, {.axis = 1, .keepdims = true}), td::array({{7.0}, {3.0}, {8.0}})));
  EXPECT_TRUE(same(td::nanmin(x), td::array(-2.0)));
  EXPECT_TRUE(same(td::nanmin(x, {.axis = 0}), td::array({0.5, 2.5, -2.0, -1.0})));
  EXPECT_TRUE(same(td::nanmin(x, {.axis = 1, .keepdims = true}), td::array({{-2.0}, {3.0}, {-1.0}})));
  EXPECT_TRUE(near(td::nanmean(x), td::array(2.4375), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::nanmean(x, {.axis = 0}), td::array({1.0, 2.5, 3.0, 3.0}), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::nanmean(x, {.axis = 1, .keepdims = true}),
                   td::array({{2.1666666666666665}, {3.0}, {2.5}}), 1e-14, 1e-14));
  EXPECT_TRUE(same(td::nanmedian(x), td::array(2.0)));
  EXPECT_TRUE(same(td::nanmedian(x, {.axis = 0}), td::array({1.0, 2.5, 3.0, 3.0})));
  EXPECT_TRUE(same(td::nanmedian(x, {.axis = 1, .keepdims = true}), td::array({{1.5}, {3.0}, {1.5}})));
  EXPECT_TRUE(near(td::nanquantile(x, 0.3), td::array(0.6), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::nanquantile(x, {0.75, 0.1}, {.axis = 1}), td::array({{4.25, 3.0, 3.875}, {-1.3, 3.0, -0.55}}),
                   1e-14, 1e-14));
  EXPECT_TRUE(same(td::nanquantile(x, 0.5, {.axis = 0, .keepdims = true, .method = td::QuantileMethod::weibull}),
                   td::array({{1.0, 2.5, 3.0, 3.0}})));
  EXPECT_TRUE(same(td::nanpercentile(x, 40, {.axis = 1, .method = td::QuantileMethod::lower}),
                   td::array({-2.0, 3.0, 0.5})));
  EXPECT_TRUE(same(td::nanpercentile(x, {0.0, 100.0}, {.axis = 0}),
                   td::array({{0.5, 2.5, -2.0, -1.0}, {1.5, 2.5, 8.0, 7.0}})));
  EXPECT_TRUE(near(td::nanvar(x), td::array(11.02734375), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::nanvar(x, {.axis = 0, .correction = 1}), td::array({0.5, nan, 50.0, 16.0}), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::nanvar(x, {.axis = 1, .keepdims = true}),
                   td::array({{13.722222222222223}, {0.0}, {11.625}}), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::nanstd(x), td::array(3.320744457196308), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::nanstd(x, {.axis = 0, .correction = 1}),
                   td::array({0.7071067811865476, nan, 7.0710678118654755, 4.0}), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::nanstd(x, {.axis = 1, .keepdims = true}),
                   td::array({{3.7043517951488116}, {0.0}, {3.409545424246464}}), 1e-14, 1e-14));
  EXPECT_TRUE(same(td::nanargmax(x), td::array(10)));
  EXPECT_TRUE(same(td::nanargmax(x, {.axis = 1}), td::array({3, 3, 2})));
  EXPECT_TRUE(same(td::nanargmin(x), td::array(2)));
  EXPECT_TRUE(same(td::nanargmin(x, {.axis = 1}), td::array({2, 3, 3})));
  EXPECT_TRUE(same(td::nancumsum(x, {.axis = 1}),
                   td::array({{1.5, 1.5, -0.5, 6.5}, {0.0, 0.0, 0.0, 3.0}, {0.5, 3.0, 11.0, 10.0}})));
  EXPECT_TRUE(same(td::nancumprod(x, {.axis = 1}),
                   td::array({{1.5, 1.5, -3.0, -21.0}, {1.0, 1.0, 1.0, 3.0}, {0.5, 1.25, 10.0, -10.0}})));
  EXPECT_TRUE(same(td::nanmean(empty), td::array(nan)));
  EXPECT_TRUE(same(td::nanmedian(empty), td::array(nan)));
  EXPECT_TRUE(same(td::nanvar(empty), td::array(nan)));
  EXPECT_TRUE(same(td::nansum(none), td::array(0.0)));
  EXPECT_TRUE(same(td::nanprod(none), td::array(1.0)));
  EXPECT_TRUE(same(td::nanmax(none), td::array(nan)));
  EXPECT_TRUE(same(td::nanmin(none), td::array(nan)));
  EXPECT_TRUE(same(td::nanmean(none), td::array(nan)));
  EXPECT_TRUE(same(td::nanmedian(none), td::array(nan)));
  EXPECT_TRUE(same(td::nanquantile(none, 0.2), td::array(nan)));
  EXPECT_TRUE(same(td::nanquantile(empty, {0.2, 0.3}), td::array({nan, nan})));
  EXPECT_TRUE(same(td::nanquantile(td::zeros({2, 0}, {.dtype = td::int8}), 1, {.axis = 1, .keepdims = true}),
                   td::array({{nan}, {nan}})));
  EXPECT_TRUE(same(td::nanquantile(x, std::vector<double>{}, {.axis = 1}), td::zeros({0, 3})));
  EXPECT_TRUE(same(td::nanvar(none), td::array(nan)));
  EXPECT_TRUE(throws([&] { td::nanargmax(none); }, "nanargmax: ", {"(2,)"}));
  EXPECT_TRUE(throws([&] { td::nanargmin(x, {.axis = {0, 1}}); }, "nanargmin: one axis"));
  EXPECT_TRUE(throws([&] { td::nanmax(empty); }, "nanmax: ", {"(0,)"}));
  EXPECT_TRUE(throws<td::IndexError>([&] { td::nansum(x, {.axis = 2}); }, "nansum: axis 2"));
}

TEST(NanReductions, OfComplexNumbers) {
  using C = std::complex<double>;
  const Array z = td::array({C(1.0, 2.0), C(nan, 1.0), C(3.0, -1.0)});
  EXPECT_TRUE(same(td::nansum(z), td::array(C(4.0, 1.0))));
  EXPECT_TRUE(same(td::nanmax(z), td::array(C(3.0, -1.0))));
  EXPECT_TRUE(same(td::nanmin(z), td::array(C(1.0, 2.0))));
  EXPECT_TRUE(near(td::nanmean(z), td::array(C(2.0, 0.5)), 1e-14, 1e-14));
  EXPECT_TRUE(near(td::nanvar(z), td::array(3.25), 1e-14, 1e-14));
}

TEST(NanReductions, OfEveryDTypeAndLayout) {
  for (DType dtype : all_dtypes) {
    const Array x = td::random::integers({6, 5}, 0, is_bool(dtype) ? 2 : 9, {.seed = 4}).astype(dtype);
    for (Layout layout : all_layouts) {
      const Array y = lay_out(x, layout);
      EXPECT_TRUE(same(td::nansum(y, {.axis = 0}), td::sum(y, {.axis = 0}))) << dtype << name(layout);
      EXPECT_TRUE(same(td::nanmax(y, {.axis = 1}), td::max(y, {.axis = 1}))) << dtype << name(layout);
      EXPECT_TRUE(same(td::nanmean(y, {.axis = 0}), td::mean(y, {.axis = 0}))) << dtype << name(layout);
      EXPECT_TRUE(same(td::nanvar(y, {.axis = 0}), td::var(y, {.axis = 0}))) << dtype << name(layout);
      EXPECT_TRUE(same(td::nanargmin(y), td::argmin(y))) << dtype << name(layout);
      if (!td::is_complex(dtype)) {
        EXPECT_TRUE(same(td::nanmedian(y, {.axis = 1}), td::median(y, {.axis = 1}))) << dtype << name(layout);
        EXPECT_TRUE(same(td::nanquantile(y, {0.7, 0.1}, {.axis = 1}), td::quantile(y, {0.7, 0.1}, {.axis = 1})))
            << dtype << name(layout);
        EXPECT_TRUE(near(td::median(y, {.axis = 0}), td::quantile(y, 0.5, {.axis = 0}), 1e-2)) << dtype << name(layout);
      }
    }
  }
}

}  // namespace
