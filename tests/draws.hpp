// What the tests of random numbers share: draws as functions of their place, and their distance from a distribution.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"

namespace tandem::test {

/// Named draws of `count` numbers from an offset on.
using Draw = std::function<Array(std::int64_t count, std::uint64_t offset)>;
using Draws = std::vector<std::pair<std::string, Draw>>;

/// Expects that draws of these lengths, one behind the other, are parts of one draw.
inline void expect_parts_of_one_draw(const Draws& draws, std::span<const std::uint64_t> offsets,
                                     const std::vector<std::int64_t>& lengths) {
  const std::int64_t total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  for (const auto& [what, draw] : draws)
    for (const std::uint64_t offset : offsets) {
      const Array whole = draw(total, offset);
      std::int64_t at = 0;
      for (const std::int64_t n : lengths) {
        EXPECT_TRUE(same(draw(n, offset + std::uint64_t(at)), whole(slice(at, at + n))))
            << what << " " << offset << " " << at;
        at += n;
      }
    }
}

/// Kolmogorov-Smirnov statistic times sqrt(n) of numbers against a distribution function; 1.95 is the 0.1 % quantile.
template <class Function>
double kolmogorov(const Array& x, Function&& distribution) {
  const std::vector<double> v = sort(x).template to_vector<double>();
  const double n = double(v.size());
  double d = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double f = distribution(v[i]);
    d = std::max({d, f - double(i) / n, double(i + 1) / n - f});
  }
  return d * std::sqrt(n);
}

}  // namespace tandem::test
