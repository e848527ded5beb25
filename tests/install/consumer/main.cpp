// Exit code 0 if the library that find_package found computes.
#include <tandem/tandem.hpp>

#include <iostream>

namespace td = tandem;

int main() {
  for (const char* device : {"cpu", "reference"}) {
    const td::Array x = td::arange(1000, {.dtype = td::float64, .device = device});
    const double sum = td::sum(x * 2 + 1).item<double>();
    if (sum != 1000000) {
      std::cerr << device << ": " << sum << " instead of 1000000\n";
      return 1;
    }
  }
  try {
    td::matmul(td::zeros({3, 4}), td::zeros({5, 6}));
  } catch (const td::Error& error) {  // the exception's type crosses the library's boundary
    return 0;
  }
  std::cerr << "matmul of (3, 4) and (5, 6) did not throw\n";
  return 1;
}
