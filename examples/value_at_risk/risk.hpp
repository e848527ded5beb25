// The risk of a portfolio, written once against tandem::Array: the same code, and the same bits, on every device.
//
// A loss is positive and in percent of the portfolio. Value at risk (VaR) at 95 % is the loss that is exceeded in 5 %
// of the cases, expected shortfall (ES) the mean loss in these cases. "Historical" takes the days of the data as the
// cases, "simulated" takes paths of normal daily log returns with the data's means and covariance.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <tandem/tandem.hpp>

namespace risk {

namespace td = tandem;

struct Figures {
  double var95, es95, var99, es99;
};

/// What the calculation passes through, for comparison between devices.
struct Step {
  std::string name;
  std::vector<double> values;
};

struct Transfer {
  double seconds = 0;
  std::int64_t bytes = 0;  // 0 where the device works in the host's memory
};

struct Result {
  Figures historical, simulated;
  std::vector<Step> steps;
  double compute_seconds = 0;
  Transfer to_device, to_host;
};

/// log(later / earlier) by 2 atanh(s) with s = (later - earlier) / (later + earlier), as its power series: exact to
/// about one unit in the last place for |s| <= 1/4. Unlike td::log it consists of operations that IEEE 754 defines to
/// the bit, so that every device agrees.
inline td::Array log_ratio(const td::Array& later, const td::Array& earlier) {
  const td::Array s = (later - earlier) / (later + earlier);
  const td::Array square = s * s;
  td::Array sum = square / 27.0 + 1.0 / 25.0;
  for (int k = 23; k >= 1; k -= 2) sum = td::fma(sum, square, 1.0 / k);
  return 2 * s * sum;
}

/// exp(x) - 1 by its power series, likewise: for |x| <= 1/2.
inline td::Array growth(const td::Array& x) {
  constexpr int degree = 14;
  double factorial = 1;
  for (int k = 2; k <= degree; ++k) factorial *= k;
  td::Array sum = x / factorial;
  for (int k = degree; k > 1; --k) {
    factorial /= k;
    sum = k == degree ? sum + 1 / factorial : td::fma(sum, x, 1 / factorial);
  }
  return sum * x;
}

/// The lower triangular L with L L^T = matrix, one column after another. td::linalg::cholesky is faster for matrices
/// that are not tiny, and promises accuracy but not the same bits everywhere. Throws std::runtime_error if there is
/// none.
inline td::Array cholesky(const td::Array& matrix) {
  const std::int64_t n = matrix.shape(0);
  td::Array rest = matrix, factor = td::zeros_like(matrix);
  for (std::int64_t j = 0; j < n; ++j) {
    const td::Array below = rest(td::slice(j, n), j);
    if (!(below(0).item<double>() > 0))
      throw std::runtime_error("the covariance matrix is not positive definite: is one column a mix of the others?");
    const td::Array column = below / td::sqrt(below(0));
    factor(td::slice(j, n), j) = column;
    rest(td::slice(j, n), td::slice(j, n)) -= column(td::all, td::newaxis) * column;
  }
  return factor;
}

/// VaR and ES from profits and losses in percent, one per case. Quantiles interpolate linearly, as NumPy's.
inline Figures figures(const td::Array& profit) {
  const auto tail = [&](double q) {
    const td::Array quantile = td::quantile(profit, q);
    const td::Array beyond = profit <= quantile;
    const td::Array mean = td::sum(td::where(beyond, profit, 0.0)) / td::count_nonzero(beyond);
    return std::pair(-quantile.item<double>(), -mean.item<double>());
  };
  const auto [var95, es95] = tail(0.05);
  const auto [var99, es99] = tail(0.01);
  return {var95, es95, var99, es99};
}

struct Model {
  std::vector<double> prices;   // one row of daily closes per asset, one after another
  std::vector<double> weights;  // one per asset
  std::int64_t scenarios = 4'000'000;
  int days = 10;
  std::uint64_t seed = 42;
  std::int64_t chunk = 1 << 20;  // scenarios in memory at once; the result does not depend on it

  Result run(const td::Device& device) const;

 private:
  td::Array simulate(const td::Device& device, const std::vector<double>& mean, const std::vector<double>& factor,
                     std::int64_t first, std::int64_t count) const;
};

/// The shocks of one asset on one day, for `count` scenarios from `first` on: a function of seed, day, asset and
/// scenario, however the scenarios are divided into chunks.
inline td::Array shocks(const Model& model, int day, std::size_t asset, std::int64_t first, std::int64_t count,
                        const td::Device& device) {
  return td::random::normal({count}, {.seed = model.seed,
                                      .stream = day * model.weights.size() + asset,
                                      .offset = static_cast<std::uint64_t>(first),
                                      .dtype = td::float64,
                                      .device = device});
}

/// Profit or loss in percent after all days, for some of the scenarios. The weights are restored every day. The
/// products with the factor are sums of elementwise terms, which are fused and in the same order everywhere.
inline td::Array Model::simulate(const td::Device& device, const std::vector<double>& mean,
                                 const std::vector<double>& factor, std::int64_t first, std::int64_t count) const {
  const std::size_t n = weights.size();
  td::Array value = td::ones({count}, {.dtype = td::float64, .device = device});
  for (int day = 0; day < days; ++day) {
    std::vector<td::Array> normal;
    for (std::size_t j = 0; j < n; ++j) normal.push_back(shocks(*this, day, j, first, count, device));
    td::Array gain = td::zeros_like(value);
    for (std::size_t i = 0; i < n; ++i) {
      td::Array log_return = normal[0] * factor[i * n] + mean[i];
      for (std::size_t j = 1; j <= i; ++j) log_return = td::fma(normal[j], factor[i * n + j], log_return);
      gain = td::fma(growth(log_return), weights[i], gain);
    }
    value *= 1 + gain;
  }
  return (value - 1) * 100;
}

inline Result Model::run(const td::Device& device) const {
  Result result;
  td::Event begin(device), end(device);
  const bool shared = device.shares_host_memory();
  const auto n = static_cast<std::int64_t>(weights.size()), closes = static_cast<std::int64_t>(prices.size()) / n;

  begin.record();
  const td::Array price(std::span<const double>(prices), td::Shape{n, closes}, {.device = device});
  end.record();
  result.to_device = {end.seconds_since(begin), shared ? 0 : price.nbytes()};

  begin.record();
  const td::Array earlier = price(td::all, td::slice(0, -1)), later = price(td::all, td::slice(1, td::none));
  const td::Array returns = log_ratio(later, earlier).eval();
  const td::Array mean = td::mean(returns, {.axis = 1});
  const td::Array centered = returns - mean(td::all, td::newaxis);
  const td::Array products = centered(td::all, td::newaxis) * centered(td::newaxis);
  const td::Array covariance = td::sum(products, {.axis = 2}) / static_cast<double>(closes - 2);
  const td::Array factor = cholesky(covariance);

  const td::Array weight = td::array(weights, {.device = device});
  const td::Array change = (later - earlier) / earlier * weight(td::all, td::newaxis);
  result.historical = figures(td::sum(change, {.axis = 0}) * 100);

  const auto means = mean.to_vector<double>(), factors = factor.to_vector<double>();
  td::Array profit = td::empty({scenarios}, {.dtype = td::float64, .device = device});
  for (std::int64_t first = 0; first < scenarios; first += chunk) {
    const std::int64_t count = std::min(chunk, scenarios - first);
    profit(td::slice(first, first + count)) = simulate(device, means, factors, first, count);
  }
  result.simulated = figures(profit);
  end.record();
  result.compute_seconds = end.seconds_since(begin);

  std::vector<double> profits(static_cast<std::size_t>(scenarios));
  begin.record();
  profit.copy_to(std::span(profits));
  end.record();
  result.to_host = {end.seconds_since(begin), shared ? 0 : profit.nbytes()};

  const Figures &h = result.historical, &s = result.simulated;
  const std::int64_t sample = std::min<std::int64_t>(scenarios, 1000);
  result.steps = {{"returns", returns.to_vector<double>()},
                  {"means", means},
                  {"covariance", covariance.to_vector<double>()},
                  {"factor", factors},
                  {"normals", shocks(*this, 0, 0, 0, sample, device).to_vector<double>()},
                  {"profits", std::move(profits)},
                  {"risk figures", {h.var95, h.es95, h.var99, h.es99, s.var95, s.es95, s.var99, s.es99}}};
  return result;
}

}  // namespace risk
