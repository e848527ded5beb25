// The model of examples/value_at_risk: against NumPy, against theory, and the same bits however it is divided.
#include "support.hpp"

#include "../examples/value_at_risk/compare.hpp"
#include "../examples/value_at_risk/risk.hpp"

namespace tandem {
namespace {

risk::Model small_model() {
  risk::Model model;
  model.prices = {100,     99.25,   97.99,   97.8,    98.26,  99.43,   99.59,   99.09,   98.37,   99.16,
                  100.84,  101.17,  99.98,   2500,    2470.23, 2483.5, 2485.07, 2458.29, 2474.68, 2454.6,
                  2435.41, 2415.73, 2414.01, 2449.84, 2453.84, 2425.51, 40,     40.05,   40.32,   39.52,
                  39.42,   39.15,   39.06,   38.37,   38.26,  38.35,   38.5,    38.08,   37.71};
  model.weights = {0.5, 0.3, 0.2};
  model.scenarios = 1000;
  model.days = 3;
  return model;
}

const std::vector<double>& step(const risk::Result& result, const std::string& name) {
  for (const risk::Step& s : result.steps)
    if (s.name == name) return s.values;
  throw std::out_of_range(name);
}

void expect_close(const std::vector<double>& got, const std::vector<double>& expected, double rtol) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], rtol * std::abs(expected[i])) << "element " << i;
}

TEST(ValueAtRisk, series_are_as_exact_as_promised) {
  const Array x = linspace(-0.5, 0.5, 2001);
  const auto at = x.to_vector<double>(), grown = risk::growth(x).to_vector<double>();
  for (std::size_t i = 0; i < at.size(); ++i) EXPECT_LE(risk::ulp_distance(grown[i], std::expm1(at[i])), 3) << at[i];
  const Array later = linspace(0.6, 1.6, 2001);
  const auto ratio = later.to_vector<double>();
  const auto logs = risk::log_ratio(later, ones_like(later)).to_vector<double>();
  for (std::size_t i = 0; i < ratio.size(); ++i) {
    // The ratios themselves are exact here, so that the truth is log(ratio).
    const auto truth = static_cast<double>(std::log(static_cast<long double>(ratio[i])));
    EXPECT_LE(risk::ulp_distance(logs[i], truth), 4) << ratio[i];
  }
}

// numpy.log, mean, cov, linalg.cholesky, quantile of NumPy 2.4.6 on the same prices.
TEST(ValueAtRisk, statistics_are_numpys) {
  const risk::Result result = small_model().run(Device());
  const auto returns = step(result, "returns");
  expect_close({returns.begin(), returns.begin() + 3},
               {-0.0075282664207915245, -0.012776486919572793, -0.0019408556069554122}, 1e-13);
  expect_close(step(result, "means"), {-1.6668333555576453e-05, -0.0025207433598545045, -0.004912845236972536}, 1e-11);
  expect_close(step(result, "covariance"),
               {8.761965029772472e-05, 4.7086459547626755e-05, 1.0948514976723602e-05, 4.7086459547626755e-05,
                7.334661476910207e-05, 1.5890814232457335e-05, 1.0948514976723602e-05, 1.5890814232457335e-05,
                7.090649780742372e-05},
               1e-12);
  expect_close(step(result, "factor"),
               {0.009360536859482191, 0, 0, 0.005030316129777143, 0.006931272206716886, 0, 0.001169646051404925,
                0.0014437645118377254, 0.00821303658558846},
               1e-12);
  const risk::Figures& h = result.historical;
  expect_close({h.var95, h.es95, h.var99, h.es99},
               {0.9693399126725966, 1.12880183928044, 1.0969094539588713, 1.12880183928044}, 1e-12);
}

TEST(ValueAtRisk, chunks_change_no_bit) {
  risk::Model model = small_model();
  const risk::Result whole = model.run(Device());
  for (const std::int64_t chunk : {1, 7, 999, 1000}) {
    if (chunk == 1) model.scenarios = 20;
    model.chunk = chunk;
    const risk::Result parts = model.run(Device());
    const auto expected = step(whole, "profits");
    EXPECT_EQ(step(parts, "profits"), std::vector<double>(expected.begin(), expected.begin() + model.scenarios))
        << "chunk " << chunk;
    model.scenarios = 1000;
  }
}

TEST(ValueAtRisk, devices_agree_to_the_last_bit) {
  const risk::Model model = small_model();
  const risk::Result here = model.run(Device()), there = model.run("reference");
  EXPECT_EQ(risk::agreement("reference", there.steps, Device().name(), here.steps),
            Device().name() + " and reference agree to the last bit in every step.\n");
}

TEST(ValueAtRisk, simulation_follows_its_distribution) {
  risk::Model model = small_model();
  model.days = 1;
  model.scenarios = Device().backend() == "reference" ? 20'000 : 200'000;
  const risk::Result result = model.run(Device());
  const auto mean = step(result, "means"), covariance = step(result, "covariance");
  double drift = 0, variance = 0;
  for (int i = 0; i < 3; ++i) {
    drift += model.weights[i] * (mean[i] + covariance[i * 3 + i] / 2);
    for (int j = 0; j < 3; ++j) variance += model.weights[i] * model.weights[j] * covariance[i * 3 + j];
  }
  // The profit is nearly normal: 1.645 and 2.326 standard deviations. Tolerance: 5 standard errors and the skewness.
  const double sigma = 100 * std::sqrt(variance), error = sigma / std::sqrt(static_cast<double>(model.scenarios));
  EXPECT_NEAR(result.simulated.var95, 1.6448536 * sigma - 100 * drift, 5 * 2.11 * error + 0.01 * sigma);
  EXPECT_NEAR(result.simulated.var99, 2.3263479 * sigma - 100 * drift, 5 * 3.73 * error + 0.02 * sigma);
  EXPECT_GT(result.simulated.es95, result.simulated.var95);
  EXPECT_GT(result.simulated.es99, result.simulated.var99);
}

TEST(ValueAtRisk, the_seed_decides) {
  risk::Model model = small_model();
  const risk::Result first = model.run(Device()), again = model.run(Device());
  EXPECT_EQ(step(first, "profits"), step(again, "profits"));
  model.seed = 43;
  EXPECT_NE(step(first, "profits"), step(model.run(Device()), "profits"));
}

TEST(ValueAtRisk, a_redundant_asset_is_reported) {
  risk::Model model = small_model();
  std::copy_n(model.prices.begin(), 13, model.prices.begin() + 26);
  try {
    model.run(Device());
    FAIL() << "a singular covariance was taken";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("not positive definite"), std::string::npos) << error.what();
  }
}

TEST(Compare, distances_count_doubles) {
  EXPECT_EQ(risk::ulp_distance(1.0, 1.0), 0);
  EXPECT_EQ(risk::ulp_distance(1.0, std::nextafter(1.0, 2.0)), 1);
  EXPECT_EQ(risk::ulp_distance(0.0, -0.0), 0);
  EXPECT_EQ(risk::ulp_distance(5e-324, -5e-324), 2);
  EXPECT_EQ(risk::ulp_distance(NAN, 1.0), INT64_MAX);
  EXPECT_EQ(risk::ulp_distance(-INFINITY, INFINITY), INT64_MAX);
}

TEST(Compare, names_the_first_step_that_differs) {
  const std::vector<risk::Step> a = {{"x", {1, 2}}, {"y", {3, 4}}, {"z", {5}}};
  std::vector<risk::Step> b = a;
  b[1].values[0] = std::nextafter(3.0, 4.0);
  b[2].values[0] = 6;
  EXPECT_EQ(risk::agreement("cpu", a, "gpu", b),
            "gpu and cpu differ:\n"
            "  x: the same bits in all 2 values\n"
            "  y: 1 of 2 values differ, by at most 1 ULP  <- the first step that differs\n"
            "  z: 1 of 1 values differ, by at most 1125899906842624 ULP\n");
}

}  // namespace
}  // namespace tandem
