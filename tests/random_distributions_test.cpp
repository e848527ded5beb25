// Random distributions beyond uniform and normal, orders and choices, and generators.
#include <map>

#include "draws.hpp"

namespace td = tandem;
namespace rnd = tandem::random;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;
using tandem::Shape;

namespace {

/// Draws of every kind, as functions of the offset and the count.
Draws draws() {
  Draws list;
  for (DType dtype : {td::float16, td::bfloat16, td::float32, td::float64}) {
    const std::string name(td::name(dtype));
    list.emplace_back("exponential " + name, [=](std::int64_t n, std::uint64_t offset) {
      return rnd::exponential({n}, {.scale = 1.5, .seed = 15, .stream = 8, .offset = offset, .dtype = dtype});
    });
    for (double k : {0.0, 0.03, 0.7, 1.0, 3.5, 1e6})
      list.emplace_back("gamma " + std::to_string(k) + " " + name, [=](std::int64_t n, std::uint64_t offset) {
        return rnd::gamma({n}, k, {.scale = 0.5, .seed = 16, .stream = 9, .offset = offset, .dtype = dtype});
      });
  }
  for (DType dtype : {td::int32, td::int64}) {
    const std::string name(td::name(dtype));
    for (double mean : {0.0, 0.1, 4.0, 9.99, 10.0, 123.4, 1e5, 1e12})
      list.emplace_back("poisson " + std::to_string(mean) + " " + name, [=](std::int64_t n, std::uint64_t offset) {
        return rnd::poisson({n}, mean, {.seed = 17, .stream = 10, .offset = offset, .dtype = dtype});
      });
    for (const auto& [trials, p] : {std::pair<std::int64_t, double>{0, 0.5}, {1, 0.3}, {20, 0.4}, {20, 0.5},
                                    {40, 0.5}, {1000, 0.93}, {1'000'000'000'000, 1e-12}, {1'000'000'000, 0.25}})
      list.emplace_back("binomial " + std::to_string(trials) + " " + std::to_string(p) + " " + name,
                        [=, trials = trials, p = p](std::int64_t n, std::uint64_t offset) {
                          return rnd::binomial({n}, trials, p,
                                               {.seed = 18, .stream = 11, .offset = offset, .dtype = dtype});
                        });
  }
  return list;
}

TEST(Chunks, DoNotMatter) {
  const std::uint64_t offsets[] = {0, (std::uint64_t{1} << 34) - 5};
  expect_parts_of_one_draw(draws(), offsets, {1, 2, 3, 5, 64, 129, 396});
}

std::string distribution_hashes() {
  std::string lines;
  for (const auto& [what, draw] : draws())
    lines += what + " " + std::to_string(hash(draw(10'007, 1'000'003))) + "\n";
  const Array p = rnd::uniform({1000}, {.seed = 3});
  lines += "permutation " + std::to_string(hash(rnd::permutation(10'007, {.seed = 4}))) + "\n";
  lines += "choice " + std::to_string(hash(rnd::choice(1000, {50, 40}, {.p = p / td::sum(p), .seed = 4}))) + "\n";
  lines += "without replacement " +
           std::to_string(hash(rnd::choice(1000, {500}, {.replace = false, .p = p / td::sum(p), .seed = 4}))) + "\n";
  lines += "gamma of arrays " + std::to_string(hash(rnd::gamma(p * 3, {.seed = 5}))) + "\n";
  lines += "poisson of arrays " + std::to_string(hash(rnd::poisson(p * 30, {.seed = 5}))) + "\n";
  lines += "binomial of arrays " + std::to_string(hash(rnd::binomial(td::arange(1000), p, {.seed = 5}))) + "\n";
  return lines;
}
const Probe hashes_probe("distribution_hashes", distribution_hashes);

TEST(SameBits, OnEveryBackendAndInstructionSet) {
  const std::string here = distribution_hashes();
  EXPECT_EQ(here, run_probe("distribution_hashes", {{"TANDEM_BACKEND", "reference"}}));
  for (const char* isa : {"v2", "v3", "v4"})
    EXPECT_EQ(here, run_probe("distribution_hashes", {{"TANDEM_BACKEND", "cpu"}, {"TANDEM_CPU_ISA", isa}})) << isa;
}

/// Regularized lower incomplete gamma function P(a, x): series below a + 1, continued fraction above (Abramowitz and
/// Stegun 6.5.29, 6.5.31).
double gamma_distribution(double a, double x) {
  if (x <= 0) return 0;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (double n = 1; term > sum * 1e-16; ++n) sum += term *= x / (a + n);
    return front * sum;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int i = 1; i < 10'000; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= c * d;
    if (std::abs(c * d - 1) < 1e-16) break;
  }
  return 1 - front * h;
}

/// Chi-squared of counts against probabilities, as a number that is nearly standard normal (Wilson and Hilferty).
/// Values of which fewer than 10 are expected are put together.
double chi_squared(const Array& x, const std::function<double(double)>& ln_probability) {
  std::map<std::int64_t, double> counts;
  for (const std::int64_t v : x.to_vector<std::int64_t>()) ++counts[v];
  const double n = double(x.size());
  double chi2 = 0, cells = 0, rest = 1, others = n;
  for (const auto& [value, count] : counts) {
    const double p = std::exp(ln_probability(double(value)));
    if (n * p < 10) continue;
    chi2 += (count - n * p) * (count - n * p) / (n * p);
    rest -= p, others -= count, ++cells;
  }
  if (n * rest >= 10) chi2 += (others - n * rest) * (others - n * rest) / (n * rest), ++cells;
  else EXPECT_LT(others, 40);
  if (cells < 2) return 0;
  const double k = cells - 1;
  return (std::cbrt(chi2 / k) - (1 - 2 / (9 * k))) / std::sqrt(2 / (9 * k));
}

double ln_poisson(double k, double mean) { return k * std::log(mean) - mean - std::lgamma(k + 1); }
double ln_binomial(double k, double n, double p) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) + (n - k) * std::log1p(-p);
}

TEST(Distribution, Exponential) {
  const std::int64_t n = std::int64_t(cases(400'000));
  for (DType dtype : {td::float32, td::float64}) {
    const Array x = rnd::exponential({n}, {.scale = 2, .seed = 31, .dtype = dtype});
    EXPECT_LT(kolmogorov(x, [](double v) { return -std::expm1(-v / 2); }), 1.95) << dtype;
    EXPECT_GE(td::min(x).item<double>(), 0);
  }
  EXPECT_TRUE(same(rnd::exponential({5}, {.scale = 0}), td::zeros({5})));
}

TEST(Distribution, ExponentialIsTheLogarithmOfTheWord) {
  const auto x = rnd::exponential({500}, {.scale = 3, .seed = 4}).to_vector<double>();
  const auto w = rnd::bits({500}, {.seed = 4, .dtype = td::uint64}).to_vector<unsigned long>();
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(x[i], -3 * std::log((double(w[i] >> 1) + 0.5) * 0x1p-63), 1e-14 * (1 + x[i]));
}

TEST(Distribution, Gamma) {
  const std::int64_t n = std::int64_t(cases(200'000));
  for (double k : {0.05, 0.5, 0.999, 1.0, 1.5, 7.25, 300.0}) {
    const Array x = rnd::gamma({n}, k, {.scale = 0.25, .seed = 32});
    EXPECT_LT(kolmogorov(x, [k](double v) { return gamma_distribution(k, v * 4); }), 1.95) << k;
    const Array each = rnd::gamma(td::full({n}, k), {.seed = 33});
    EXPECT_LT(kolmogorov(each, [k](double v) { return gamma_distribution(k, v); }), 1.95) << k;
  }
  // Large parameters: normal in the limit, with known moments.
  for (double k : {1e6, 1e13}) {
    const Array z = (rnd::gamma({n}, k, {.seed = 34}) - k) / std::sqrt(k);
    EXPECT_NEAR(td::mean(z).item<double>(), 0, 4 / std::sqrt(double(n)));
    EXPECT_NEAR(td::var(z).item<double>(), 1, 4 * std::sqrt(2 / double(n)) + 1e-2 * double(k > 1e12));
  }
  EXPECT_TRUE(same(rnd::gamma({5}, 0), td::zeros({5})));
  EXPECT_TRUE(same(rnd::gamma({5}, 2, {.scale = 0}), td::zeros({5})));
}

TEST(Distribution, Poisson) {
  const std::int64_t n = std::int64_t(cases(400'000));
  for (double mean : {0.01, 0.5, 3.0, 9.999, 10.0, 15.5, 99.0, 1000.0}) {
    EXPECT_LT(chi_squared(rnd::poisson({n}, mean, {.seed = 35}), [=](double k) { return ln_poisson(k, mean); }), 4)
        << mean;
    EXPECT_LT(chi_squared(rnd::poisson(td::full({n}, mean), {.seed = 36, .dtype = td::int32}),
                          [=](double k) { return ln_poisson(k, mean); }), 4) << mean;
  }
  for (double mean : {1e6, 1e10, 1e15}) {
    const Array x = rnd::poisson({n}, mean, {.seed = 37});
    const Array z = (x.astype(td::float64) - mean) / std::sqrt(mean);
    EXPECT_LT(kolmogorov(z, [](double v) { return std::erfc(-v / std::sqrt(2.0)) / 2; }),
              1.95 + std::sqrt(double(n) / mean)) << mean;
  }
  EXPECT_TRUE(same(rnd::poisson({4}, 0), td::zeros({4}, {.dtype = td::int64})));
  EXPECT_TRUE(td::all(rnd::poisson({100}, 1e12, {.dtype = td::int32}) == INT32_MAX).item<bool>());
}

TEST(Distribution, Binomial) {
  const std::int64_t n = std::int64_t(cases(400'000));
  for (const auto& [trials, p] :
       {std::pair<std::int64_t, double>{1, 0.3}, {5, 0.99}, {19, 0.5}, {20, 0.5}, {21, 0.5}, {50, 0.2}, {100, 0.1},
        {100, 0.9}, {1000, 0.001}, {2000, 0.6}, {1'000'000, 0.999999}, {100'000, 0.01}}) {
    const auto ln_probability = [t = double(trials), p = p](double k) { return ln_binomial(k, t, p); };
    EXPECT_LT(chi_squared(rnd::binomial({n}, trials, p, {.seed = 38}), ln_probability), 4) << trials << " " << p;
    EXPECT_LT(chi_squared(rnd::binomial(td::full({n}, trials), td::array(p), {.seed = 39}), ln_probability), 4)
        << trials << " " << p;
  }
  for (const auto& [trials, p] : {std::pair<std::int64_t, double>{1'000'000'000'000, 0.3}, {1ll << 53, 1e-4}}) {
    const double mean = double(trials) * p, deviation = std::sqrt(mean * (1 - p));
    const Array z = (rnd::binomial({n}, trials, p, {.seed = 40}).astype(td::float64) - mean) / deviation;
    EXPECT_LT(kolmogorov(z, [](double v) { return std::erfc(-v / std::sqrt(2.0)) / 2; }), 1.95) << trials;
  }
  EXPECT_TRUE(same(rnd::binomial({3}, 17, 1), td::full({3}, 17, {.dtype = td::int64})));
  EXPECT_TRUE(same(rnd::binomial({3}, 17, 0), td::zeros({3}, {.dtype = td::int64})));
  EXPECT_TRUE(same(rnd::binomial({3}, 0, 0.5), td::zeros({3}, {.dtype = td::int64})));
}

TEST(Laws, OfArraysAreThoseOfTheirElements) {
  const Array k = td::array({{0.0, 0.5}, {3.0, 70.0}});
  const Array gamma = rnd::gamma(k, {.scale = 2, .seed = 6}), poisson = rnd::poisson(k, {.seed = 6});
  const Array n = td::array({{5}, {200}}), p = td::array({0.3, 0.9});
  const Array binomial = rnd::binomial(n, p, {.seed = 6});
  EXPECT_EQ(binomial.shape(), (Shape{2, 2}));
  for (std::int64_t i = 0; i < 4; ++i) {
    const std::uint64_t at = std::uint64_t(i);
    const double parameter = k.ravel()(i).item<double>();
    EXPECT_TRUE(same(gamma.ravel()(i), rnd::gamma({}, parameter, {.scale = 2, .seed = 6, .offset = at})));
    EXPECT_TRUE(same(poisson.ravel()(i), rnd::poisson({}, parameter, {.seed = 6, .offset = at})));
    EXPECT_TRUE(same(binomial.ravel()(i), rnd::binomial({}, n(i / 2, 0).item<std::int64_t>(), p(i % 2).item<double>(),
                                                        {.seed = 6, .offset = at})));
  }
  EXPECT_TRUE(same(rnd::poisson(k.T(), {.seed = 6}), rnd::poisson(k.T().copy(), {.seed = 6})));
  EXPECT_EQ(rnd::gamma(td::zeros({0, 3})).shape(), (Shape{0, 3}));
  EXPECT_EQ(rnd::poisson({2, 0}, 3).shape(), (Shape{2, 0}));
}

TEST(MultivariateNormal, HasTheMeanAndTheCovariance) {
  const std::int64_t n = std::int64_t(cases(200'000));
  const Array mean = td::array({1.0, -2.0, 0.5}),
              cov = td::array({{2.0, 0.6, 0.0}, {0.6, 1.0, -0.3}, {0.0, -0.3, 0.5}});
  for (rnd::Root root : {rnd::Root::cholesky, rnd::Root::eigh}) {
    const Array x = rnd::multivariate_normal(mean, cov, {n}, {.root = root, .seed = 3});
    ASSERT_EQ(x.shape(), (Shape{n, 3}));
    EXPECT_TRUE(td::all(td::abs(td::mean(x, {.axis = 0}) - mean) < 5 * std::sqrt(2 / double(n))).item<bool>());
    EXPECT_TRUE(td::all(td::abs(td::cov(x.T()) - cov) < 5 * std::sqrt(8 / double(n))).item<bool>());
  }
  // A singular covariance: the numbers lie on a line.
  const Array line = td::array({{1.0, 2.0}, {2.0, 4.0}});
  const Array x = rnd::multivariate_normal(td::zeros({2}), line, {1000}, {.root = rnd::Root::eigh, .seed = 3});
  EXPECT_TRUE(td::allclose(x(td::all, 1), x(td::all, 0) * 2, {.atol = 1e-7}));
  EXPECT_THROW(rnd::multivariate_normal(td::zeros({2}), line - 1, {5}), td::LinAlgError);
  EXPECT_THROW(rnd::multivariate_normal(td::zeros({2}), line - 1, {5}, {.root = rnd::Root::eigh}), td::LinAlgError);
  EXPECT_EQ(rnd::multivariate_normal(mean.astype(td::float32), cov.astype(td::float32), {2, 3}).dtype(), td::float32);
  EXPECT_EQ(rnd::multivariate_normal(mean, cov, {}).shape(), Shape{3});
}

TEST(Permutation, HoldsEachNumberOnce) {
  for (std::int64_t n : {0, 1, 2, 17, 10'000}) {
    const Array p = rnd::permutation(n, {.seed = 7});
    EXPECT_EQ(p.dtype(), td::int64);
    EXPECT_TRUE(same(td::sort(p), td::arange(n)));
  }
  EXPECT_FALSE(same(rnd::permutation(100, {.seed = 7}), rnd::permutation(100, {.seed = 8})));
}

TEST(Permutation, AllOrdersAreAlikeProbable) {
  std::map<std::int64_t, double> counts;
  const std::uint64_t n = cases(24'000);
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto p = rnd::permutation(4, {.seed = 9, .offset = 4 * i}).to_vector<std::int64_t>();
    ++counts[p[0] * 64 + p[1] * 16 + p[2] * 4 + p[3]];
  }
  ASSERT_EQ(counts.size(), 24u);
  double chi2 = 0;
  for (const auto& [order, count] : counts) {
    const double expected = double(n) / 24;
    chi2 += (count - expected) * (count - expected) / expected;
  }
  EXPECT_LT(chi2, 49.7);  // 0.1 % quantile for 23 degrees of freedom
}

TEST(Permutation, OfArraysMovesSlices) {
  const Array x = td::arange(60).reshape({5, 4, 3});
  const Array order = rnd::permutation(4, {.seed = 2});
  const Array moved = rnd::permutation(x, {.axis = 1, .seed = 2});
  EXPECT_TRUE(same(moved, td::take(x, order, {.axis = 1})));
  Array shuffled = x;
  rnd::shuffle(shuffled, {.axis = -2, .seed = 2});
  EXPECT_TRUE(same(shuffled, moved));
  EXPECT_TRUE(same(x, td::arange(60).reshape({5, 4, 3})));
  const Array rows = rnd::permuted(td::broadcast_to(td::arange(50), {20, 50}), {.axis = 1, .seed = 2});
  EXPECT_TRUE(same(td::sort(rows), td::broadcast_to(td::arange(50), {20, 50})));
  EXPECT_FALSE(same(rows(0), rows(1)));
}

TEST(Choice, WithReplacement) {
  EXPECT_TRUE(same(rnd::choice(10, {3, 4}, {.seed = 5}), rnd::integers({3, 4}, 0, 10, {.seed = 5})));
  const std::int64_t n = std::int64_t(cases(100'000));
  const Array p = td::array({0.1, 0.0, 0.6, 0.3});
  const Array x = rnd::choice(4, {n}, {.p = p, .seed = 5});
  EXPECT_LT(chi_squared(x, [&](double k) { return std::log(p(std::int64_t(k)).item<double>()); }), 4);
  EXPECT_FALSE(td::any(x == 1).item<bool>());
  const Array table = td::arange(12).reshape({4, 3});
  EXPECT_TRUE(same(rnd::choice(table, {7}, {.p = p, .seed = 5}),
                   td::take(table, rnd::choice(4, {7}, {.p = p, .seed = 5}), {.axis = 0})));
  EXPECT_EQ(rnd::choice(table, {2, 2}, {.axis = 1}).shape(), (Shape{4, 2, 2}));
  EXPECT_EQ(rnd::choice(0, {0}).shape(), Shape{0});
}

TEST(Choice, WithoutReplacement) {
  const Array x = rnd::choice(1000, {10, 50}, {.replace = false, .seed = 6});
  EXPECT_EQ(td::unique_values(x).size(), 500);
  EXPECT_TRUE(same(td::sort(rnd::choice(20, {20}, {.replace = false})), td::arange(20)));
  // The first of two out of three things comes by p, the second one by what p leaves.
  const Array p = td::array({0.5, 0.3, 0.2});
  const std::uint64_t n = cases(20'000);
  double first = 0, second = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto pair =
        rnd::choice(3, {2}, {.replace = false, .p = p, .seed = 8, .offset = 3 * i}).to_vector<std::int64_t>();
    first += pair[0] == 0;
    second += pair[0] == 0 && pair[1] == 2;
  }
  EXPECT_NEAR(first / double(n), 0.5, 4 * std::sqrt(0.25 / double(n)));
  EXPECT_NEAR(second / double(n), 0.5 * 0.4, 4 * std::sqrt(0.16 / double(n)));
}

TEST(Generator, DrawsDoNotOverlap) {
  rnd::Generator generator(11, 3);
  const Array a = generator.bits({5}), b = generator.bits({3}, {.dtype = td::uint64}), c = generator.bits({4});
  const Array words = rnd::bits({20}, {.seed = 11, .stream = 3});
  EXPECT_TRUE(same(a, words(td::slice(0, 5))));
  EXPECT_TRUE(same(b, rnd::bits({3}, {.seed = 11, .stream = 3, .offset = 4, .dtype = td::uint64})));
  EXPECT_TRUE(same(c, words(td::slice(16, 20))));
  EXPECT_EQ(generator.state(), (rnd::Generator::State{11, 3, 5}));
}

TEST(Generator, EveryCallMovesOnAndCanBeRepeated) {
  const Array k = td::array({2.0, 30.0}), n = td::array({4, 100});
  const std::vector<std::function<Array(rnd::Generator&)>> calls = {
      [](auto& g) { return g.bits({9}); },
      [](auto& g) { return g.uniform({9}); },
      [](auto& g) { return g.uniform({9}, {.dtype = td::float32}); },
      [](auto& g) { return g.normal({9}, {.dtype = td::float16}); },
      [](auto& g) { return g.integers({9}, 0, 1000); },
      [](auto& g) { return g.exponential({9}); },
      [](auto& g) { return g.gamma({9}, 2.5); },
      [&](auto& g) { return g.gamma(k); },
      [](auto& g) { return g.poisson({9}, 500); },
      [&](auto& g) { return g.poisson(k * 100); },
      [](auto& g) { return g.binomial({9}, 10'000, 0.5); },
      [&](auto& g) { return g.binomial(n * 1000, td::array(0.5)); },
      [](auto& g) { return g.multivariate_normal(td::zeros({2}), td::eye(2), {3}); },
      [](auto& g) { return g.permutation(30); },
      [](auto& g) { return g.permutation(td::arange(30)); },
      [](auto& g) { return g.permuted(td::arange(30)); },
      [](auto& g) {
        Array x = td::arange(30);
        g.shuffle(x);
        return x;
      },
      [](auto& g) { return g.choice(1000, {9}); },
      [](auto& g) { return g.choice(1000, {9}, {.replace = false}); },
      [](auto& g) { return g.choice(td::arange(1000), {9}); }};
  rnd::Generator generator(1);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const rnd::Generator::State before = generator.state();
    const Array x = calls[i](generator);
    EXPECT_GT(generator.state().block, before.block) << i;
    EXPECT_FALSE(same(x, calls[i](generator))) << i;
    rnd::Generator restored(before);
    EXPECT_TRUE(same(x, calls[i](restored))) << i;
  }
  const rnd::Generator::State before = generator.state();
  EXPECT_THROW(generator.poisson({3}, -1), td::Error);
  EXPECT_EQ(generator.state(), before);
  EXPECT_TRUE(throws([&] { generator.normal({3}, {.seed = 4}); }, "normal: ", {"seed", "4"}));
}

TEST(Errors, NameTheFunctionAndTheValues) {
  EXPECT_TRUE(throws([] { rnd::uniform({3}, {.low = -1.5e308, .high = 1.5e308}); }, "uniform: ", {"1.5e+308"}));
  EXPECT_TRUE(throws([] { rnd::exponential({3}, {.scale = -1}); }, "exponential: ", {"scale", "-1"}));
  EXPECT_TRUE(throws([] { rnd::exponential({3}, {.dtype = td::int32}); }, "exponential: ", {"int32"}));
  EXPECT_TRUE(throws([] { rnd::gamma({3}, std::nan("")); }, "gamma: ", {"nan"}));
  EXPECT_TRUE(
      throws([] { rnd::gamma(td::array({{1.0, 2.0}, {-3.5, 1.0}})); }, "gamma: ", {"-3.5", "element 2", "(2, 2)"}));
  EXPECT_TRUE(throws([] { rnd::poisson({3}, 1e17); }, "poisson: ", {"1e+17"}));
  EXPECT_TRUE(throws([] { rnd::poisson({3}, 1, {.dtype = td::uint8}); }, "poisson: ", {"uint8"}));
  EXPECT_TRUE(throws([] { rnd::poisson(td::array({1.0, INFINITY})); }, "poisson: ", {"inf", "element 1"}));
  EXPECT_TRUE(throws([] { rnd::binomial({3}, -2, 0.5); }, "binomial: ", {"n -2"}));
  EXPECT_TRUE(throws([] { rnd::binomial({3}, 2, 1.5); }, "binomial: ", {"p 1.5"}));
  EXPECT_TRUE(throws([] { rnd::binomial(td::array({2.0}), td::array({0.5})); }, "binomial: ", {"float64"}));
  EXPECT_TRUE(throws([] { rnd::binomial(td::array({2, 3}), td::zeros({3})); }, "binomial: ", {"(2,)", "(3,)"}));
  EXPECT_TRUE(throws([] { rnd::multivariate_normal(td::zeros({2}), td::eye(3), {4}); }, "multivariate_normal: ",
                     {"(2,)", "(3, 3)"}));
  EXPECT_TRUE(throws([] { rnd::permutation(-1); }, "permutation: ", {"-1"}));
  EXPECT_TRUE(throws([] { rnd::permutation(td::array(1.0)); }, "permutation: ", {"0"}));
  EXPECT_TRUE(throws([] { rnd::choice(3, {4}, {.replace = false}); }, "choice: ", {"4", "3"}));
  EXPECT_TRUE(throws([] { rnd::choice(0, {4}); }, "choice: ", {"4", "0"}));
  EXPECT_TRUE(throws([] { rnd::choice(3, {4}, {.p = td::array({0.5, 0.5})}); }, "choice: ", {"(2,)", "3"}));
  EXPECT_TRUE(throws([] { rnd::choice(2, {4}, {.p = td::array({0.5, 0.6})}); }, "choice: ", {"1.1"}));
  EXPECT_TRUE(throws([] { rnd::choice(2, {4}, {.p = td::array({1.5, -0.5})}); }, "choice: ", {"-0.5"}));
  EXPECT_TRUE(throws([] { rnd::choice(3, {2}, {.replace = false, .p = td::array({0.0, 1.0, 0.0})}); }, "choice: ",
                     {"2 out of 1"}));
}

}  // namespace
