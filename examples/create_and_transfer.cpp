// Making arrays, looking at them, and moving them between devices and the host.
#include <iostream>
#include <vector>

#include <tandem/tandem.hpp>

namespace td = tandem;

int main() try {
  const td::Array table = td::array({{1, 2, 3}, {4, 5, 6}});
  const td::Array grid = td::linspace(0, 1, 5);
  const td::Array noise = td::random::normal({2, 3}, {.seed = 1, .dtype = td::float32});
  std::cout << "table, " << table.dtype() << ", shape " << table.shape() << ", on " << table.device() << ":\n"
            << table << "\n"
            << "grid:  " << grid << "\n"
            << "noise:\n" << noise << "\n";

  // Views share memory until one side is written.
  td::Array copy = table;
  copy(td::all, 0) = 0;
  std::cout << "copy with a column set to 0:\n" << copy << "\nand the table still starts with " << table(0, 0) << "\n";

  // From and to C++ containers.
  const std::vector<double> host = {3, 1, 2};
  const std::vector<double> sorted = td::sort(td::array(host)).to_vector<double>();
  std::cout << "sorted: " << sorted[0] << " " << sorted[1] << " " << sorted[2] << "\n";

  // Every device that works here. Arrays of different devices never mix silently: move them first.
  for (const td::Device& device : td::devices()) {
    const td::Array there = table.to(device);
    const td::Array back = (there * 10).to("cpu");
    std::cout << "times ten on " << device << ": " << back.ravel() << "\n";
  }
} catch (const td::Error& error) {
  std::cerr << "create_and_transfer: " << error.what() << "\n";
  return 1;
}
