#include <cstdio>
#include <stdexcept>

#include "arguments.hpp"
#include "commands.hpp"
#include "comparison.hpp"
#include "page.hpp"

namespace tandem::bench {
namespace {

/// The sizes that the table shows: small, medium and the largest.
std::vector<Comparison> shown(const std::vector<Comparison>& sizes) {
  std::vector<Comparison> list;
  for (const Comparison& size : sizes)
    if (size.n == 1 << 12 || size.n == 1 << 20 || &size == &sizes.back()) list.push_back(size);
  return list;
}

std::string break_even_text(const std::optional<double>& n) {
  return !n ? "never" : *n == 0 ? "always" : "from " + size_text(*n);
}

void print_alone(const DeviceCurves& device) {
  std::printf("%-10s %10s %12s %10s %10s\n", "float32", "elements", device.device.c_str(), "GB/s", "GFLOP/s");
  for (const Curve& curve : device.curves)
    for (const Point& point : curve.points) {
      if (point.n != 1 << 12 && point.n != 1 << 20 && &point != &curve.points.back()) continue;
      std::printf("%-10s %10s %12s %10.2f ", curve.name.c_str(), size_text(double(point.n)).c_str(),
                  seconds_text(point.seconds).c_str(), (point.bytes_in + point.bytes_out) / point.seconds / 1e9);
      if (point.flops > 0) std::printf("%10.2f", point.flops / point.seconds / 1e9);
      std::printf("\n");
    }
}

void print_comparison(const DeviceCurves& base, const DeviceCurves& other, const std::string& origin) {
  std::printf("\n%s beside %s%s. Times in the first two columns are of arrays that lie there. \"pays after\": uses of the "
              "inputs\non %s until it has made up for moving them there and the result back.\n\n",
              base.device.c_str(), other.device.c_str(), origin.c_str(), other.device.c_str());
  std::printf("%-10s %10s %10s %10s %10s %10s %9s %9s %10s\n", "float32", "elements", base.device.c_str(),
              other.device.c_str(), "there", "back", "speed-up", "with both", "pays after");
  const std::vector<ComparedCase> compared = compare(base, other);
  for (const ComparedCase& one : compared)
    for (const Comparison& size : shown(one.sizes)) {
      const std::optional<double> uses = size.uses_to_pay();
      std::printf("%-10s %10s %10s %10s %10s %10s %9s %9s %10s\n", one.name.c_str(), size_text(double(size.n)).c_str(),
                  seconds_text(size.base).c_str(), seconds_text(size.other).c_str(), seconds_text(size.there).c_str(),
                  seconds_text(size.back).c_str(), ratio_text(size.speed_up()).c_str(),
                  ratio_text(size.speed_up_with_transfers()).c_str(),
                  uses ? size_text(*uses).c_str() : "never");
    }
  std::printf("\n%-10s  %-42s %18s %22s\n", "break-even", "", "resident", "with both transfers");
  for (const ComparedCase& one : compared)
    if (!one.sizes.empty())
      std::printf("%-10s  %-42s %18s %22s\n", one.name.c_str(), one.what.c_str(),
                  break_even_text(one.break_even).c_str(), break_even_text(one.break_even_with_transfers).c_str());
}

}  // namespace

int bench_command(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments)
    if (argument == "--yardstick") return run_yardstick(arguments);
  std::string names, json, page, target, from;
  MeasureOptions options;
  options.progress = show_progress;
  read_arguments(arguments, {{"--device", [&](const std::string& value) { names = value; }},
                             {"--only", [&](const std::string& value) { options.only = value; }},
                             {"--budget", [&](const std::string& value) { options.budget = positive_number(value); }},
                             {"--from", [&](const std::string& value) { from = value; }},
                             {"--target", [&](const std::string& value) { target = value; }},
                             {"--json", [&](const std::string& value) { json = value; }},
                             {"--html", [&](const std::string& value) { page = value; }}});
  const Measurements recorded = target.empty() ? Measurements{} : read_measurements(target);
  const Measurements measured =
      from.empty() ? measure_devices(devices_of(names), options) : read_measurements(from);
  const DeviceCurves* const host = measured.find("cpu");
  bool compared = false;
  const auto beside_host = [&](const DeviceCurves& other, const std::string& origin) {
    if (!host || other.device == "cpu") return;
    print_comparison(*host, other, origin);
    compared = true;
  };
  for (const DeviceCurves& device : measured.devices) beside_host(device, "");
  for (const DeviceCurves& device : recorded.devices)
    beside_host(device, " (recorded " + recorded.date + " in " + target + ")");
  if (!compared) {
    for (const DeviceCurves& device : measured.devices) print_alone(device);
    std::printf("\nThere is no second device to compare with: `tandem info` says why, and --target FILE takes one from "
                "a file\nthat `tandem bench --json` wrote on another machine.\n");
  }
  if (!json.empty()) write_text(json, to_json(measured));
  if (!page.empty()) write_text(page, bench_page(measured, recorded));
  return 0;
}

}  // namespace tandem::bench
