#include "yardstick.hpp"

#include <cstdio>
#include <regex>

#include "arguments.hpp"
#include "timing.hpp"

namespace tandem::bench {

int run_yardstick(const std::vector<std::string>& arguments) {
  std::string names, json_file, pattern = ".";
  double max_s = 2.0;
  bool small = false;
  read_arguments(arguments,
                 {{"--device", [&](const std::string& value) { names = value; }},
                  {"--json", [&](const std::string& value) { json_file = value; }},
                  {"--only", [&](const std::string& value) { pattern = value; }},
                  {"--max-s", [&](const std::string& value) { max_s = positive_number(value); }}},
                 {{"--yardstick", [] {}}, {"--small", [&] { small = true; }}});
  const std::regex only(pattern);
  std::string json;
  for (const Device& device : names.empty() ? devices() : devices_of(names)) {
    set_default_device(device);
    const std::string peer = "tandem-" + std::string(device.backend());
    for (const Workload& workload : yardstick_workloads(small)) {
      if (!std::regex_search(workload.name, only)) continue;
      const std::vector<Array> in = workload.make();
      device.synchronize();
      const Timing m = time_call(device, [&] { return workload.call(in); }, workload.loops, max_s / 4, max_s);
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
  if (!json_file.empty()) write_text(json_file, "[\n" + json + "\n]\n");
  return 0;
}

}  // namespace tandem::bench
