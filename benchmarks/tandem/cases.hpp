// What is measured over sizes, on every device: one case per kind of work.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tandem/tandem.hpp>

namespace tandem::bench {

struct Case {
  std::string name;    // "add", "matmul"
  std::string theme;   // "elementwise", "reductions", "linear algebra", ...
  std::string what;    // for people: "x + y", "x @ y, square"
  /// Inputs on the default device, random; the first has n elements, or the result where there are none. n is a power
  /// of four.
  std::function<std::vector<Array>(std::int64_t n)> make;
  std::function<Array(const std::vector<Array>& in, std::int64_t n)> call;
  std::function<double(std::int64_t n)> flops;  // operations on floating-point numbers
};

/// All cases, in float32.
const std::vector<Case>& cases();

/// Sizes of a case: powers of four from 256 to 2^26.
std::vector<std::int64_t> case_sizes();

}  // namespace tandem::bench
