#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "arguments.hpp"
#include "calibration.hpp"
#include "commands.hpp"
#include "comparison.hpp"
#include "explanation.hpp"

namespace tandem::bench {

namespace {

/// In how many workloads the predictions choose the device that the measurements do, of those where a factor of 1.2 or more
/// lies between the two.
void print_verdicts(const DeviceCalibration& a, const DeviceCalibration& b) {
  int clear = 0, right = 0;
  for (std::size_t i = 0; i < std::min(a.checks.size(), b.checks.size()); ++i) {
    const double measured = a.checks[i].measured / b.checks[i].measured,
                 predicted = a.checks[i].predicted / b.checks[i].predicted;
    if (std::abs(std::log(measured)) < std::log(1.2)) continue;
    ++clear;
    right += (measured > 1) == (predicted > 1);
  }
  std::printf("%s or %s: the prediction chooses the faster one in %d of the %d workloads in which they differ by a fifth\n",
              a.device.c_str(), b.device.c_str(), right, clear);
}

}  // namespace

int calibrate_command(const std::vector<std::string>& arguments) {
  std::string names, file = calibration_file();
  double seconds = 15;
  bool details = false;
  read_arguments(arguments,
                 {{"--device", [&](const std::string& value) { names = value; }},
                  {"--seconds", [&](const std::string& value) { seconds = positive_number(value); }},
                  {"--json", [&](const std::string& value) { file = value; }}},
                 {{"--details", [&] { details = true; }}});
  const std::vector<Device> devices = devices_of(names);
  const Calibration calibration = calibrate(devices, seconds / double(devices.size()), show_progress);
  if (const auto folder = std::filesystem::path(file).parent_path(); !folder.empty())
    std::filesystem::create_directories(folder);
  write_text(file, to_json(calibration));
  for (const DeviceCalibration& device : calibration.devices) {
    if (details)
      for (const Prediction& check : device.checks)
        std::printf("%-10s %-45s measured %10s predicted %10s %+7.0f %%\n", device.device.c_str(), check.name.c_str(),
                    seconds_text(check.measured).c_str(), seconds_text(check.predicted).c_str(),
                    100 * (check.predicted / check.measured - 1));
    const Errors errors = errors_of(device.checks);
    std::printf("%s: %zu measurements; of %zu workloads that were not among them half are predicted within %.0f %%, nine of "
                "ten within %.0f %%\n",
                device.device.c_str(), device.samples.size(), device.checks.size(), 100 * errors.median,
                100 * errors.ninth);
  }
  for (std::size_t i = 1; i < calibration.devices.size(); ++i)
    print_verdicts(calibration.devices[0], calibration.devices[i]);
  std::printf("kept in %s, where `tandem explain` finds it\n", file.c_str());
  return 0;
}

}  // namespace tandem::bench
