#include "calibration.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>

#include "cost_model.hpp"
#include "probes.hpp"
#include "timing.hpp"
#include "workloads.hpp"

namespace tandem::profile {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Operation, device, name, calls, device_seconds, host_seconds, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Load, device, operation, kind, count, size, width, steps, calls, device_seconds,
                                   host_seconds, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceMemory, device, peak_bytes, ceiling)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Report, operations, loads, devices, flushes)
}  // namespace tandem::profile

namespace tandem::bench {

// Of a sample's load those members alone that a prediction needs.
void to_json(nlohmann::json& json, const Sample& sample) {
  json = {{"kind", sample.load.kind},   {"count", sample.load.count}, {"size", sample.load.size},
          {"width", sample.load.width}, {"bytes", sample.load.bytes}, {"seconds", sample.seconds}};
  if (!sample.load.steps.empty()) json["steps"] = sample.load.steps;
}
void from_json(const nlohmann::json& json, Sample& sample) {
  json.at("kind").get_to(sample.load.kind);
  json.at("count").get_to(sample.load.count);
  json.at("size").get_to(sample.load.size);
  json.at("width").get_to(sample.load.width);
  json.at("bytes").get_to(sample.load.bytes);
  json.at("seconds").get_to(sample.seconds);
  if (json.contains("steps")) json.at("steps").get_to(sample.load.steps);
  sample.load.calls = 1;
}
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Prediction, name, measured, predicted)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceCalibration, device, facts, start, samples, checks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Calibration, version, date, host, devices)

namespace {

constexpr double probe_budget = 0.003, longest_call = 0.05;

/// The load that a call is about, if there is one, and its seconds.
std::optional<Sample> measure(const Device& device, const std::function<Array()>& call) {
  call().eval();  // compiles what has to be compiled
  profile::Report report;
  {
    const profile::Scope scope;
    call().eval();
    report = scope.report();
  }
  std::erase_if(report.loads, [&](const profile::Load& load) { return load.device != device.name(); });
  double total = 0;
  for (const profile::Load& load : report.loads) total += load.device_seconds;
  const double seconds = time_call(device, call, 0, probe_budget, longest_call).fastest;
  // What else a function does on its way is little beside the call that it is about.
  const auto most = std::max_element(report.loads.begin(), report.loads.end(), [](const auto& a, const auto& b) {
    return a.device_seconds < b.device_seconds;
  });
  if (most == report.loads.end()) return {};
  const double calls = double(most->calls), share = report.loads.size() > 1 ? most->device_seconds / total : 1;
  if (share < 0.5) return {};
  Sample sample{*most, share * seconds / calls};
  sample.load.bytes /= calls;
  sample.load.calls = 1;
  return sample;
}

std::map<std::string, std::string> facts_of(const Device& device) {
  std::map<std::string, std::string> facts;
  for (const BackendInfo& backend : backends())
    if (backend.name == device.backend()) facts = {backend.facts.begin(), backend.facts.end()};
  facts["shares host memory"] = device.shares_host_memory() ? "yes" : "no";
  return facts;
}

template <class T>
T read_file(const std::string& file, const char* what) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  try {
    return nlohmann::json::parse(in).get<T>();
  } catch (const nlohmann::json::exception& problem) {
    throw std::runtime_error(file + " holds no " + what + ": " + problem.what());
  }
}

}  // namespace

const DeviceCalibration* Calibration::find(const std::string& device) const {
  const auto found =
      std::find_if(devices.begin(), devices.end(), [&](const DeviceCalibration& d) { return d.device == device; });
  return found == devices.end() ? nullptr : &*found;
}

Calibration calibrate(const std::vector<Device>& devices, double seconds, const Progress& progress) {
  char date[32], host[256] = "";
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::localtime(&now));
  gethostname(host, sizeof host - 1);
  Calibration all{version(), date, host, {}};
  const std::vector<Probe> list = probes();
  const Device before;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const Device& device = devices[d];
    const auto begin = Clock::now();
    set_default_device(device);
    DeviceCalibration calibration{device.name(), facts_of(device), 0, {}, {}};
    ones({16}).eval();
    device.synchronize();
    calibration.start = seconds_since(begin);
    measure(device, [] { return ones({16}); });  // the first report of a process takes its time
    std::set<std::string> slow;  // probes whose last call took too long for larger ones
    for (std::size_t i = 0; i < list.size() && seconds_since(begin) < seconds; ++i) {
      const Probe& probe = list[i];
      const double done = (double(d) + double(i) / double(list.size())) / double(devices.size());
      if (progress) progress(done, device.name() + " " + probe.name);
      if (slow.contains(probe.name) || (probe.on_small_devices_only && !device.shares_host_memory())) continue;
      const std::vector<Array> in = probe.make();
      device.synchronize();
      if (auto sample = measure(device, [&] { return probe.call(in); })) {
        if (sample->seconds > longest_call / 3) slow.insert(probe.name);
        calibration.samples.push_back(std::move(*sample));
      }
    }
    all.devices.push_back(std::move(calibration));
  }
  for (DeviceCalibration& calibration : all.devices) {
    set_default_device(Device(calibration.device));
    calibration.checks = check_predictions(CostModel(calibration), Device(calibration.device));
  }
  set_default_device(before);
  if (progress) progress(1, "");
  return all;
}

std::string to_json(const Calibration& calibration) { return nlohmann::json(calibration).dump() + "\n"; }

Calibration read_calibration(const std::string& file) { return read_file<Calibration>(file, "calibration"); }

profile::Report read_report(const std::string& file) { return read_file<profile::Report>(file, "profile"); }

std::string calibration_file() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const std::string folder = cache && *cache ? cache : std::string(home ? home : "") + "/.cache";
  return folder + "/tandem/calibration-" + host + ".json";
}

}  // namespace tandem::bench
