// Times of all cases over sizes on one or several devices, as `tandem bench` takes and keeps them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cases.hpp"

namespace tandem::bench {

/// One case at one size. Times are medians in seconds, of synchronized calls on arrays that lie on the device.
struct Point {
  std::int64_t n = 0;
  double seconds = 0, spread = 0;  // see Timing
  double bytes_in = 0, bytes_out = 0;
  double flops = 0;
};

/// A case on one device, sizes ascending.
struct Curve {
  std::string name, theme, what;
  std::vector<Point> points;
};

/// Seconds for so many bytes between ordinary host memory and the device.
struct Transfer {
  double bytes = 0, to_device = 0, to_host = 0;
};

struct DeviceCurves {
  std::string device;
  std::map<std::string, std::string> facts;  // of the backend, as `tandem info` has them
  double copy_rate = 0;                      // bytes per second, read and written, of a copy within the device
  std::vector<Curve> curves;
  std::vector<Transfer> transfers;  // sizes ascending; none where the host shares the memory

  const Curve* find(const std::string& name) const;
};

struct Measurements {
  std::string version, date;
  std::vector<DeviceCurves> devices;

  const DeviceCurves* find(const std::string& device) const;
};

struct MeasureOptions {
  std::string only = ".";    // regular expression of cases
  double budget = 0.08;      // seconds for each case and size
  double longest = 1.0;      // seconds that a call may take
  /// Is told the share of the work that is done and what comes next.
  std::function<void(double share, const std::string& next)> progress = {};
};

Measurements measure_devices(const std::vector<Device>& devices, const MeasureOptions& options);

/// Seconds of transfers of so many bytes; 0 where there are none.
double to_device_seconds(const DeviceCurves& device, double bytes);
double to_host_seconds(const DeviceCurves& device, double bytes);

std::string to_json(const Measurements& measurements);
/// Throws std::runtime_error, naming the file, for what is no such file.
Measurements read_measurements(const std::string& file);

}  // namespace tandem::bench
