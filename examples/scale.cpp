// An array times a number, on every device: how fast memory is.
//
//     scale             10000 x 10000 numbers
//     scale --size N    N x N
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
    std::cerr << "usage: scale [--size N]\n";
    return 2;
  }
  for (const td::Device& device : td::devices()) {
    if (device.backend() == "reference") continue;  // shows what to compute, not how fast
    const td::Array x = td::random::uniform({size, size}, {.seed = 1, .dtype = td::float32, .device = device});
    td::Event begin(device), end(device);
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
      begin.record();
      const td::Array y = (x * 2.5).eval();
      end.record();
      best = std::min(best, end.seconds_since(begin));
    }
    std::cout << std::setw(10) << device.name() << ": " << best * 1e3 << " ms, "
              << 2.0 * static_cast<double>(x.nbytes()) / best * 1e-9 << " GB/s read and written\n";
  }
} catch (const td::Error& error) {
  std::cerr << "scale: " << error.what() << "\n";
  return 1;
}
