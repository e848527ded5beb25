#include "yardstick.hpp"

#include <cstdio>
#include <regex>
#include <sstream>

#include "timing.hpp"

namespace tandem::bench {
namespace {

struct Options {
  std::string devices, json, only = ".";
  double max_s = 2.0;
  bool small = false;
};

bool parse(const std::vector<std::string>& arguments, Options& options) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (name == "--small") {
      options.small = true;
      continue;
    }
    if (name == "--yardstick") continue;
    if (i + 1 == arguments.size()) return false;
    const std::string& value = arguments[++i];
    if (name == "--device") options.devices = value;
    else if (name == "--json") options.json = value;
    else if (name == "--only") options.only = value;
    else if (name == "--max-s") options.max_s = std::stod(value);
    else return false;
  }
  return true;
}

std::vector<Device> chosen_devices(const std::string& names) {
  if (names.empty()) return devices();
  std::vector<Device> list;
  std::istringstream in(names);
  for (std::string each; std::getline(in, each, ',');) list.emplace_back(each);
  return list;
}

}  // namespace

int run_yardstick(const std::vector<std::string>& arguments) {
  Options options;
  if (!parse(arguments, options)) {
    std::fprintf(stderr,
                 "usage: tandem bench --yardstick [--device cpu,cuda] [--json FILE] [--only REGEX] [--max-s SECONDS] [--small]\n");
    return 2;
  }
  const std::regex only(options.only);
  std::string json;
  for (const Device& device : chosen_devices(options.devices)) {
    set_default_device(device);
    const std::string peer = "tandem-" + std::string(device.backend());
    for (const Workload& workload : yardstick_workloads(options.small)) {
      if (!std::regex_search(workload.name, only)) continue;
      const std::vector<Array> in = workload.make();
      device.synchronize();
      const Timing m =
          time_call(device, [&] { return workload.call(in); }, workload.loops, options.max_s / 4, options.max_s);
      std::printf("%-14s %-24s %12.4f ms", peer.c_str(), workload.name.c_str(), m.seconds * 1e3);
      if (workload.bytes > 0) std::printf(" %9.1f GB/s", workload.bytes / m.seconds / 1e9);
      else std::printf("%15s", "");
      if (workload.flops > 0) std::printf(" %10.1f GFLOP/s", workload.flops / m.seconds / 1e9);
      std::printf("\n");
      std::fflush(stdout);
      char row[512];
      std::snprintf(row, sizeof row,
                    "%s {\"peer\": \"%s\", \"version\": \"%s\", \"workload\": \"%s\", \"seconds\": %.9g, \"first_s\": %.9g, "
                    "\"reps\": %d, \"bytes\": %.0f, \"flops\": %.0f}",
                    json.empty() ? "" : ",\n", peer.c_str(), version(), workload.name.c_str(), m.seconds, m.first,
                    m.samples, workload.bytes, workload.flops);
      json += row;
    }
  }
  if (!options.json.empty()) {
    std::FILE* file = std::fopen(options.json.c_str(), "w");
    if (!file) {
      std::fprintf(stderr, "bench: cannot write %s\n", options.json.c_str());
      return 1;
    }
    std::fprintf(file, "[\n%s\n]\n", json.c_str());
    std::fclose(file);
  }
  return 0;
}

}  // namespace tandem::bench
