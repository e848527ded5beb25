#include "cases.hpp"

#include <cmath>

namespace tandem::bench {
namespace {

using Arrays = std::vector<Array>;
using Make = std::function<Arrays(std::int64_t)>;
using Count = std::int64_t;

Array numbers(const Shape& shape, std::uint64_t stream) {
  return random::uniform(shape, {.low = 0.1, .high = 2.0, .stream = stream, .dtype = float32});
}

/// So many vectors of n numbers.
Make vectors(int count) {
  return [count](Count n) {
    Arrays arrays;
    for (int i = 0; i < count; ++i) arrays.push_back(numbers({n}, std::uint64_t(i)));
    return arrays;
  };
}
/// The order of a square matrix of n elements.
Count order(Count n) { return Count(std::lround(std::sqrt(double(n)))); }
Make squares(int count) {
  return [count](Count n) {
    Arrays arrays;
    for (int i = 0; i < count; ++i) arrays.push_back(numbers({order(n), order(n)}, std::uint64_t(i)));
    return arrays;
  };
}
Arrays rows(Count n) { return {numbers({n / 256, 256}, 0)}; }

/// flops = factor n, and factor order^3
std::function<double(Count)> each(double factor) {
  return [factor](Count n) { return factor * double(n); };
}
std::function<double(Count)> cubed(double factor) {
  return [factor](Count n) { return factor * std::pow(double(n), 1.5); };
}

std::vector<Case> make_cases() {
  return {
      {"add", "elementwise", "x + y", vectors(2), [](const Arrays& a, Count) { return a[0] + a[1]; }, each(1)},
      {"chain", "elementwise", "sqrt(x * x + y * y) * 2 + 1, one pass", vectors(2),
       [](const Arrays& a, Count) { return sqrt(a[0] * a[0] + a[1] * a[1]) * 2.0 + 1.0; }, each(6)},
      {"exp", "elementwise", "exp(x)", vectors(1), [](const Arrays& a, Count) { return exp(a[0]); }, each(1)},
      {"power", "elementwise", "x ** y", vectors(2), [](const Arrays& a, Count) { return pow(a[0], a[1]); }, each(1)},
      {"sum", "reductions", "sum(x)", vectors(1), [](const Arrays& a, Count) { return sum(a[0]); }, each(1)},
      {"argmax", "reductions", "argmax(x)", vectors(1), [](const Arrays& a, Count) { return argmax(a[0]); }, each(1)},
      {"softmax", "reductions", "softmax of rows of 256", rows,
       [](const Arrays& a, Count) { return softmax(a[0], {.axis = 1}); }, each(5)},
      {"matmul", "products", "x @ y, square", squares(2),
       [](const Arrays& a, Count) { return matmul(a[0], a[1]); }, cubed(2)},
      {"matvec", "products", "x @ v",
       [](Count n) { return Arrays{numbers({order(n), order(n)}, 0), numbers({order(n)}, 1)}; },
       [](const Arrays& a, Count) { return matmul(a[0], a[1]); }, each(2)},
      {"solve", "linear algebra", "solve(x, v)",
       [](Count n) {
         const double diagonal = double(order(n));
         return Arrays{(numbers({order(n), order(n)}, 0) + diagonal * eye(order(n), {}, {.dtype = float32})).eval(),
                       numbers({order(n), 1}, 1)};
       },
       [](const Arrays& a, Count) { return linalg::solve(a[0], a[1]); }, cubed(2.0 / 3)},
      {"fft", "transforms", "rfft(x)", vectors(1), [](const Arrays& a, Count) { return fft::rfft(a[0]); },
       [](Count n) { return 2.5 * double(n) * std::log2(double(n)); }},
      {"sort", "order", "sort(x)", vectors(1), [](const Arrays& a, Count) { return sort(a[0]); }, each(0)},
      {"cumsum", "order", "cumulative_sum(x)", vectors(1), [](const Arrays& a, Count) { return cumulative_sum(a[0]); },
       each(1)},
      {"transpose", "movement", "copy of x.T, square", squares(1),
       [](const Arrays& a, Count) { return a[0].T().contiguous(); }, each(0)},
      {"take", "movement", "x[i], i random",
       [](Count n) { return Arrays{numbers({n}, 0), random::integers({n}, 0, n, {.stream = 1, .dtype = int32})}; },
       [](const Arrays& a, Count) { return a[0](a[1]); }, each(0)},
      {"normal", "random", "normal numbers", [](Count) { return Arrays{}; },
       [](const Arrays&, Count n) { return random::normal({n}, {.dtype = float32}); }, each(0)},
  };
}

}  // namespace

const std::vector<Case>& cases() {
  static const std::vector<Case> list = make_cases();
  return list;
}

std::vector<std::int64_t> case_sizes() {
  std::vector<std::int64_t> sizes;
  for (std::int64_t n = 256; n <= std::int64_t{1} << 26; n *= 4) sizes.push_back(n);
  return sizes;
}

}  // namespace tandem::bench
