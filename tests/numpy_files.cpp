// What numpy_files.py drives: reads commands "FORM SOURCE TARGET" and writes the arrays of one file to another.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <tandem/tandem.hpp>

namespace td = tandem;

namespace {

void copy_archive(const std::string& source, const std::string& target, bool compress) {
  const td::NpzFile file = td::loadz(source);
  std::vector<td::NamedArray> arrays;
  for (const std::string& name : file.names()) arrays.push_back({name, file[name]});
  compress ? td::savez_compressed(target, arrays) : td::savez(target, arrays);
}

void copy(const std::string& form, const std::string& source, const std::string& target) {
  if (form == "npy") td::save(target, td::load(source));
  else if (form == "mapped") td::save(target, td::load(source, {.memory_map = true}));
  else if (form == "stored") copy_archive(source, target, false);
  else if (form == "deflated") copy_archive(source, target, true);
  else if (form == "to_text") td::savetxt(target, td::load(source));
  else if (form == "from_text") td::save(target, td::loadtxt(source, {.ndmin = 2}));
  else throw td::Error("numpy_files: there is no form " + form);
}

}  // namespace

int main() {
  try {
    for (std::string form, source, target; std::cin >> form >> source >> target;) copy(form, source, target);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
