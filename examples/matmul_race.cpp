// A product of two square float32 matrices, on every device.
//
//     matmul_race             10000 x 10000
//     matmul_race --size N    N x N
#include <algorithm>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string>

#include <tandem/tandem.hpp>

namespace td = tandem;

int main(int argc, char** argv) try {
  const long size = argc == 3 && std::string(argv[1]) == "--size" ? std::atol(argv[2]) : argc == 1 ? 10'000 : 0;
  if (size < 1) {
    std::cerr << "usage: matmul_race [--size N]\n";
    return 2;
  }
  const double operations = 2.0 * static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(size);
  for (const td::Device& device : td::devices()) {
    if (device.backend() == "reference") continue;  // shows what to compute, not how fast
    const td::Array a = td::random::normal({size, size}, {.seed = 1, .dtype = td::float32, .device = device});
    const td::Array b = td::random::normal({size, size}, {.seed = 2, .dtype = td::float32, .device = device});
    td::Event begin(device), end(device);
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
      begin.record();
      const td::Array c = td::matmul(a, b).eval();
      end.record();
      best = std::min(best, end.seconds_since(begin));
    }
    std::cout << std::setw(10) << device.name() << ": " << best << " s, " << operations / best * 1e-12
              << " TFLOP/s\n";
  }
} catch (const td::Error& error) {
  std::cerr << "matmul_race: " << error.what() << "\n";
  return 1;
}
