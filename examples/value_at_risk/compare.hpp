// Whether two devices computed the same bits, step by step.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "risk.hpp"

namespace risk {

/// How many doubles lie between a and b, both zeros being one; INT64_MAX if only one of them is NaN.
inline std::int64_t ulp_distance(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : INT64_MAX;
  const auto ordered = [](double x) {
    const auto bits = std::bit_cast<std::int64_t>(x);
    return bits < 0 ? INT64_MIN - bits : bits;
  };
  const std::int64_t p = std::min(ordered(a), ordered(b)), q = std::max(ordered(a), ordered(b));
  const std::uint64_t distance = static_cast<std::uint64_t>(q) - static_cast<std::uint64_t>(p);
  return distance > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(distance);
}

/// Elements of a step with different bits, and the largest distance.
struct Difference {
  std::size_t count = 0;
  std::int64_t ulp = 0;
};

inline Difference compare(const Step& a, const Step& b) {
  Difference difference;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    if (std::bit_cast<std::uint64_t>(a.values[i]) == std::bit_cast<std::uint64_t>(b.values[i])) continue;
    ++difference.count;
    difference.ulp = std::max(difference.ulp, ulp_distance(a.values[i], b.values[i]));
  }
  return difference;
}

/// One line if all steps agree to the last bit; else one per step, with the first that differs marked.
inline std::string agreement(const std::string& first_name, const std::vector<Step>& first, const std::string& name,
                             const std::vector<Step>& other) {
  std::string lines;
  bool differs = false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Difference d = compare(first[i], other[i]);
    const std::string size = std::to_string(first[i].values.size());
    lines += "  " + first[i].name + ": ";
    if (d.count == 0) {
      lines += "the same bits in all " + size + " values\n";
    } else {
      lines += std::to_string(d.count) + " of " + size + " values differ, by at most " + std::to_string(d.ulp) + " ULP";
      lines += differs ? "\n" : "  <- the first step that differs\n";
      differs = true;
    }
  }
  const std::string pair = name + " and " + first_name;
  if (!differs) return pair + " agree to the last bit in every step.\n";
  return pair + " differ:\n" + lines;
}

}  // namespace risk
