// The tour of README.md; a test keeps the two equal.
// [tour]
#include <tandem/tandem.hpp>

#include <iostream>
#include <vector>

namespace td = tandem;

int main() {
  // Arrays have a shape, a dtype and a device; names and rules are NumPy's.
  td::Array x = td::random::normal({1'000, 8}, {.seed = 42, .dtype = td::float32});
  std::cout << x.shape() << " " << x.dtype() << " on " << x.device() << "\n";

  // Elementwise functions only record what to compute. A chain runs as one pass over memory when its value is needed,
  // with the sums in it. A C++ number takes the array's dtype: this stays float32.
  td::Array unit = x / (td::sqrt(td::sum(x * x, {.axis = 1, .keepdims = true})) + 1e-8);
  std::cout << "mean length " << td::mean(td::linalg::norm(unit, {.axis = 1})).item<double>() << "\n";

  // Slices, transposes and broadcasts share memory. Copying an array is free, and writing copies first if anyone
  // else can see the memory: values never change behind a variable's back.
  td::Array first = unit(td::slice(0, 3), td::slice(0, td::none, 2));
  unit(td::slice(0, 5), td::all) *= 2;
  unit(0, 0) = 7;
  std::cout << first << "\n";

  // Comparisons give arrays; where() chooses; reductions take axes.
  td::Array large = td::where(td::abs(x) > 2, x, 0);
  std::cout << "beyond 2 by column: " << td::count_nonzero(large, {.axis = 0}) << "\n";

  // Products, sorting, quantiles.
  td::Array covariance = td::matmul(x.T(), x) / static_cast<double>(x.shape(0) - 1);
  std::cout << "median " << td::quantile(x, 0.5).item<float>() << ", factor "
            << td::linalg::cholesky(covariance).shape() << "\n";

  // Back to C++, and to another device. Devices never mix silently.
  std::vector<float> host = td::sum(unit, {.axis = 0}).to_vector<float>();
  td::Array on_cpu = unit.to("cpu");
  std::cout << host.size() << " sums; " << on_cpu.device() << "\n";

  // A refusal says who, what and why, at the line that is wrong.
  try {
    td::matmul(td::zeros({3, 4}), td::zeros({5, 6}));
  } catch (const td::Error& error) {
    std::cout << error.what() << "\n";
  }
}
