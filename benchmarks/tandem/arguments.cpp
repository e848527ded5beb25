#include "arguments.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tandem::bench {

void read_arguments(const std::vector<std::string>& arguments,
                    const std::map<std::string, std::function<void(const std::string&)>>& options,
                    const std::map<std::string, std::function<void()>>& switches) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (const auto found = switches.find(name); found != switches.end()) {
      found->second();
      continue;
    }
    const auto found = options.find(name);
    if (found == options.end()) throw std::runtime_error("there is no option " + name + "; see tandem help");
    if (i + 1 == arguments.size()) throw std::runtime_error(name + " needs a value");
    try {
      found->second(arguments[++i]);
    } catch (const std::exception& problem) {
      throw std::runtime_error(name + " " + arguments[i] + ": " + problem.what());
    }
  }
}

std::vector<Device> devices_of(const std::string& names) {
  std::vector<Device> list;
  if (names.empty()) {
    for (const Device& device : devices())
      if (device.backend() != "reference") list.push_back(device);
  } else {
    std::istringstream in(names);
    for (std::string each; std::getline(in, each, ',');) list.emplace_back(each);
  }
  return list;
}

double positive_number(const std::string& text) {
  std::size_t end = 0;
  double value = 0;
  try {
    value = std::stod(text, &end);
  } catch (const std::exception&) {
  }
  if (end != text.size() || !(value > 0)) throw std::runtime_error("a number above 0 is expected");
  return value;
}

void write_text(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  if (!(out << text << std::flush)) throw std::runtime_error("cannot write " + file);
}

void show_progress(double share, const std::string& next) {
  if (!isatty(STDERR_FILENO)) return;
  if (next.empty()) std::fprintf(stderr, "\r\033[K");
  else std::fprintf(stderr, "\r\033[K[%3.0f %%] %s", 100 * share, next.c_str());
  std::fflush(stderr);
}

}  // namespace tandem::bench
