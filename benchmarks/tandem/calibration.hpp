// What a machine's devices can do, as `tandem calibrate` measures and keeps it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <tandem/profile.hpp>
#include <tandem/tandem.hpp>

namespace tandem::bench {

/// A call that was measured. Of `load` the sizes count, and the bytes of one call.
struct Sample {
  profile::Load load;
  double seconds = 0;
};

/// A workload that no sample was taken of: what one pass of it took, and what the samples say.
struct Prediction {
  std::string name;
  double measured = 0, predicted = 0;
};

struct DeviceCalibration {
  std::string device;
  std::map<std::string, std::string> facts;
  double start = 0;  // seconds until the device's first result
  std::vector<Sample> samples;
  std::vector<Prediction> checks;
};

struct Calibration {
  std::string version, date, host;
  std::vector<DeviceCalibration> devices;

  const DeviceCalibration* find(const std::string& device) const;
};

/// Is told the share of the work that is done and what comes next.
using Progress = std::function<void(double share, const std::string& next)>;

/// Measures devices, at most so many seconds each if the work is not done before.
Calibration calibrate(const std::vector<Device>& devices, double seconds, const Progress& progress);

std::string to_json(const Calibration& calibration);
/// Throws std::runtime_error, naming the file, for what is no such file.
Calibration read_calibration(const std::string& file);
/// Of a report that TANDEM_LAYERS=profile:FILE.json wrote.
profile::Report read_report(const std::string& file);

/// Where this user's calibration of this machine is kept.
std::string calibration_file();

}  // namespace tandem::bench
