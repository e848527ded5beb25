#include "measurements.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>

#include "timing.hpp"

namespace tandem::bench {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Point, n, seconds, spread, bytes_in, bytes_out, flops)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Curve, name, theme, what, points)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Transfer, bytes, to_device, to_host)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceCurves, device, facts, copy_rate, curves, transfers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Measurements, version, date, devices)

namespace {

double bytes_of(const std::vector<Array>& arrays) {
  double bytes = 0;
  for (const Array& array : arrays) bytes += double(array.nbytes());
  return bytes;
}

/// A case from the smallest size on, until a call takes too long or memory ends.
Curve measure_case(const Case& one, const Device& device, const MeasureOptions& options,
                   const std::function<void(std::int64_t n)>& starts) {
  Curve curve{one.name, one.theme, one.what, {}};
  for (const std::int64_t n : case_sizes()) {
    if (!curve.points.empty()) {
      const Point& last = curve.points.back();
      const double growth = last.flops > 0 ? one.flops(n) / last.flops : double(n) / double(last.n);
      if (last.seconds * growth > options.longest && last.seconds > options.longest / 100) break;
    }
    starts(n);
    try {
      const std::vector<Array> in = one.make(n);
      for (const Array& array : in) array.eval();
      const auto call = [&] { return one.call(in, n); };
      const double out = double(call().nbytes());
      const Timing timing = time_call(device, call, 0, options.budget, options.longest);
      curve.points.push_back({n, timing.seconds, timing.spread, bytes_of(in), out, one.flops(n)});
    } catch (const OutOfMemory&) {
      break;
    }
  }
  return curve;
}

std::vector<Transfer> measure_transfers(const Device& device, const MeasureOptions& options) {
  std::vector<Transfer> transfers;
  const Device host("cpu");
  for (std::int64_t bytes = 1 << 10; bytes <= 1 << 28; bytes *= 4) {
    const Array here = full({bytes / 4}, 1.5, {.dtype = float32, .device = host}).eval();
    const Array there = here.to(device);
    transfers.push_back(
        {double(bytes), time_call(device, [&] { return here.to(device); }, 0, options.budget, options.longest).seconds,
         time_call(device, [&] { return there.to(host); }, 0, options.budget, options.longest).seconds});
  }
  return transfers;
}

double measure_copy_rate(const Device& device, const MeasureOptions& options) {
  const Array x = full({1 << 26}, 1.5, {.dtype = float32, .device = device}).eval();
  const Timing copy = time_call(device, [&] { return x.copy(); }, 0, options.budget, options.longest);
  return 2 * double(x.nbytes()) / copy.seconds;
}

std::map<std::string, std::string> facts_of(const Device& device) {
  for (const BackendInfo& backend : backends())
    if (backend.name == device.backend()) return {backend.facts.begin(), backend.facts.end()};
  return {};
}

/// Between and beyond points (x, y), both logarithms, x ascending.
template <class Points, class X, class Y>
double interpolate(const Points& points, X x_of, Y y_of, double x) {
  std::size_t after = 1;
  while (after + 1 < points.size() && x_of(points[after]) < x) ++after;
  if (points.size() == 1) return y_of(points[0]);
  const auto &low = points[after - 1], &high = points[after];
  const double slope = (std::log(y_of(high)) - std::log(y_of(low))) / (std::log(x_of(high)) - std::log(x_of(low)));
  // Below the smallest size a call costs what the smallest one does.
  if (x <= x_of(points[0])) return y_of(points[0]);
  return std::exp(std::log(y_of(low)) + slope * (std::log(x) - std::log(x_of(low))));
}

double transfer_seconds(const DeviceCurves& device, double bytes, double Transfer::*time) {
  if (device.transfers.empty() || bytes == 0) return 0;
  return interpolate(device.transfers, [](const Transfer& t) { return t.bytes; },
                     [time](const Transfer& t) { return t.*time; }, bytes);
}

}  // namespace

const Curve* DeviceCurves::find(const std::string& name) const {
  const auto found = std::find_if(curves.begin(), curves.end(), [&](const Curve& c) { return c.name == name; });
  return found == curves.end() ? nullptr : &*found;
}

const DeviceCurves* Measurements::find(const std::string& device) const {
  const auto found =
      std::find_if(devices.begin(), devices.end(), [&](const DeviceCurves& d) { return d.device == device; });
  return found == devices.end() ? nullptr : &*found;
}

Measurements measure_devices(const std::vector<Device>& devices, const MeasureOptions& options) {
  const std::regex only(options.only);
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::localtime(&now));
  Measurements all{version(), date, {}};
  double done = 0;
  const double total = double(devices.size() * (cases().size() + 1) * case_sizes().size());
  const auto next = [&](const std::string& text) {
    if (options.progress) options.progress(done / total, text);
  };
  const Device before;
  for (const Device& device : devices) {
    set_default_device(device);
    DeviceCurves curves{device.name(), facts_of(device), 0, {}, {}};
    next(device.name() + " copies");
    if (!device.shares_host_memory()) curves.transfers = measure_transfers(device, options);
    done += double(case_sizes().size());
    for (const Case& one : cases()) {
      const double begin = done;
      if (std::regex_search(one.name, only))
        curves.curves.push_back(measure_case(one, device, options, [&](std::int64_t n) {
          next(device.name() + " " + one.name + " " + std::to_string(n));
          ++done;
        }));
      done = begin + double(case_sizes().size());
    }
    curves.copy_rate = measure_copy_rate(device, options);  // last: the first allocations of a process are slow
    all.devices.push_back(std::move(curves));
  }
  set_default_device(before);
  next("");
  return all;
}

double to_device_seconds(const DeviceCurves& device, double bytes) {
  return transfer_seconds(device, bytes, &Transfer::to_device);
}
double to_host_seconds(const DeviceCurves& device, double bytes) {
  return transfer_seconds(device, bytes, &Transfer::to_host);
}

std::string to_json(const Measurements& measurements) { return nlohmann::json(measurements).dump(1) + "\n"; }

Measurements read_measurements(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  try {
    return nlohmann::json::parse(in).get<Measurements>();
  } catch (const nlohmann::json::exception& problem) {
    throw std::runtime_error(file + " holds no measurements: " + problem.what());
  }
}

}  // namespace tandem::bench
