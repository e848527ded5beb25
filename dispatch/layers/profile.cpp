// The layer profile: what each verb and each fused program cost.
#include "profile.hpp"

#include <tandem/info.hpp>
#include <tandem/profile.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "built_in.hpp"
#include "device_times.hpp"
#include "elements.hpp"
#include "load.hpp"
#include "work.hpp"

namespace tandem::detail {
namespace {

using profile::Load;
using profile::Operation;

/// Calls that are counted together: of one operation, with features that differ by an eighth of an octave at most. The
/// texts have one place each.
using LoadKey = std::tuple<const char*, const char*, const char*, int, int, int, int>;
int eighth_of_octave(double size) { return int(std::lround(8 * std::log2(std::max(size, 1e-6)))); }

/// What is counted for one scope, or for the process. Everything is under profile_mutex().
struct Collector {
  std::map<LoadKey, Load> loads;
  std::map<std::string, long long> peaks;  // by device
};

std::mutex& profile_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

using Collectors = std::vector<std::shared_ptr<Collector>>;
Collectors& active_collectors() {
  static auto& list = *new Collectors;
  return list;
}

/// The layer in front of one device.
class Profile : public Layer {
 public:
  explicit Profile(td_layer& layer) : Layer(layer), times_(*this) {}
  static Profile& of(td_device* device) { return layer_state<Profile>(device); }

  template <Verb verb, class... Arguments>
  auto call(Tag<verb> tag, Arguments... arguments) {
    constexpr bool counted = is_work<verb>() || verb == Verb::allocate || verb == Verb::free ||
                             verb == Verb::synchronize || verb == Verb::trim;
    if constexpr (!counted) {
      return forward(tag, arguments...);
    } else if constexpr (verb == Verb::free) {
      const double before = host_seconds();
      forward(tag, arguments...);
      count(host_seconds() - before, tag, arguments...);
    } else {
      td_event* begin = is_work<verb>() ? times_.mark() : nullptr;
      const double before = host_seconds();
      const td_status status = forward(tag, arguments...);
      const double seconds = host_seconds() - before;
      td_event* end = begin ? times_.mark() : nullptr;
      const auto entries = count(seconds, tag, arguments...);
      if constexpr (is_work<verb>()) {
        const auto add_device_time = [entries](double, double time) {
          std::lock_guard lock(profile_mutex());
          for (const auto& [collector, load] : entries) load->device_seconds += time;
        };
        if (begin && end)
          times_.add(begin, end, add_device_time);
        else
          add_device_time(0, seconds);
      }
      if constexpr (verb == Verb::allocate) note_peak();
      return status;
    }
  }

  /// The same for collectors that need it now.
  void drain() { times_.drain(); }

  /// Bytes per second of copying within the device; measured at the first call.
  double ceiling() {
    static std::mutex& mutex = *new std::mutex;
    std::lock_guard lock(mutex);
    if (ceiling_ < 0) ceiling_ = measure_ceiling();
    return ceiling_;
  }

 private:
  using Entries = std::vector<std::pair<std::shared_ptr<Collector>, Load*>>;

  template <Verb verb, class... Arguments>
  Entries count(double seconds, Tag<verb> tag, Arguments... arguments) {
    const char* name = work_name(tag, arguments...);
    double bytes = 0;
    Features features;
    if constexpr (verb != Verb::free) bytes = bytes_of(tag, arguments...);
    if constexpr (is_work<verb>()) features = features_of(tag, arguments...);
    const LoadKey key(device_name(), name, features.variant, int(features.dtype), eighth_of_octave(features.count),
                      eighth_of_octave(features.size), eighth_of_octave(features.width));
    Entries entries;
    std::lock_guard lock(profile_mutex());
    for (const std::shared_ptr<Collector>& collector : active_collectors()) {
      Load& load = collector->loads[key];
      if (load.calls++ == 0) {
        load.device = device_name();
        load.operation = name;
        if constexpr (is_work<verb>()) {
          load.kind = kind_text(verb, name, features);
          load.steps = steps_of(tag, arguments...);
        }
        load.count = features.count;
        load.size = features.size;
        load.width = features.width;
      }
      load.host_seconds += seconds;
      load.bytes += bytes;
      entries.emplace_back(collector, &load);
    }
    return entries;
  }

  void note_peak() {
    td_memory_stats stats{};
    td_error ignored;
    if (inner().memory_stats(device(), &stats, &ignored) != TD_OK) return;
    std::lock_guard lock(profile_mutex());
    for (const std::shared_ptr<Collector>& collector : active_collectors()) {
      long long& peak = collector->peaks[device_name()];
      peak = std::max<long long>(peak, stats.used_bytes);
    }
  }

  /// The best of a few copies by run_program, of as much as 0.1 s allow, up to 128 MiB.
  double measure_ceiling() const {
    try {
      const Target target = make_target(inner(), device());
      double best = 0;
      for (std::int64_t n = std::int64_t{1} << 20; n <= std::int64_t{1} << 25; n *= 4) {
        const DeviceBuffer from(target, 4 * n), to(target, 4 * n);
        from.fill_from_host(std::vector<std::byte>(std::size_t(4 * n)).data());  // memory that the layer check knows
        double seconds = 1e30;
        for (int i = 0; i < 4; ++i) {
          const double before = host_seconds();
          copy_floats(target, from.data(), to.data(), n);
          target.call(&td_backend::synchronize);
          seconds = std::min(seconds, host_seconds() - before);
        }
        best = 8 * double(n) / seconds;  // of the largest: what fits into caches says nothing of memory
        if (seconds > 0.005) break;
      }
      return best;
    } catch (const std::exception&) {  // a backend that cannot copy, or has no memory left
      return 0;
    }
  }

  static void copy_floats(const Target& target, void* from, void* to, std::int64_t n) {
    const std::uint8_t dtype = TD_FLOAT32, output = 1;
    const td_instruction copy{TD_MAP, TD_OP_positive, dtype, dtype, {0}};
    const std::int64_t stride = 1;
    const td_program program{1, 0, 1, 1, &dtype, nullptr, nullptr, &copy, &output, 1, 0, &n};
    const td_operand in{from, &stride}, out{to, &stride};
    target.call(&td_backend::run_program, &program, &in, &out);
  }

  DeviceTimes times_;
  double ceiling_ = -1;
};

/// A device that was opened, and the profile in front of it once there was one.
struct Opened {
  DeviceState* state;
  td_device* handle;
  const td_backend* plain;     // its table without a scope's profile
  const td_backend* profiled;  // and with it; null if TANDEM_LAYERS has put a profile there, or before the first scope
  Profile* profile;
  bool by_environment;
};

std::vector<Opened>& opened_devices() {
  static auto& list = *new std::vector<Opened>;
  return list;
}

/// What scopes put in front of a device keeps its handle, so that one store turns it on or off while others compute. Its
/// functions therefore look their device up.
constexpr int most_devices = 64;
struct Found {
  std::atomic<td_device*> handle{nullptr};
  Profile* profile = nullptr;
};
Found found[most_devices];

struct Scoped {
  static Profile& of(td_device* device) {
    int i = 0;
    while (found[i].handle.load(std::memory_order_acquire) != device) ++i;
    return *found[i].profile;
  }
};

int live_scopes = 0;  // under profile_mutex()

void switch_on(Opened& device) {
  if (device.by_environment) return;
  if (!device.profiled) {
    Found* place = std::find_if(std::begin(found), std::end(found), [](const Found& f) { return !f.profile; });
    if (place == std::end(found)) return;
    auto* layer = new td_layer{device.plain, device.handle, device.state->name.c_str(), nullptr};
    device.profile = new Profile(*layer);
    auto* table = new td_backend(*device.plain);
    wrap_all<Scoped>(*table);
    place->profile = device.profile;
    place->handle.store(device.handle, std::memory_order_release);
    device.profiled = table;
  }
  device.state->table = device.profiled;
}

/// The profile of a device that TANDEM_LAYERS asks for, between being made and profile_opened().
std::map<std::string, Profile*>& environment_profiles() {
  static auto& map = *new std::map<std::string, Profile*>;
  return map;
}

std::vector<long long> flush_numbers() {
  std::vector<long long> numbers;
  for (const FlushCount& flush : flush_counts()) numbers.push_back(flush.count);
  return numbers;
}

profile::Report make_report(const Collector& collector, const std::vector<long long>& flushes_before) {
  std::vector<Opened> devices;
  {
    std::lock_guard lock(profile_mutex());
    devices = opened_devices();
  }
  for (const Opened& device : devices)
    if (device.profile) device.profile->drain();
  profile::Report report;
  {
    std::lock_guard lock(profile_mutex());
    for (const auto& [key, load] : collector.loads) {  // those of one operation follow one another
      if (!load.kind.empty()) report.loads.push_back(load);
      const bool same = !report.operations.empty() && report.operations.back().device == load.device &&
                        report.operations.back().name == load.operation;
      Operation& sum = same ? report.operations.back() : report.operations.emplace_back();
      sum.device = load.device;
      sum.name = load.operation;
      sum.calls += load.calls;
      sum.device_seconds += load.device_seconds;
      sum.host_seconds += load.host_seconds;
      sum.bytes += load.bytes;
    }
    for (const auto& [device, peak] : collector.peaks) report.devices.push_back({device, peak, 0});
  }
  std::stable_sort(report.operations.begin(), report.operations.end(), [](const Operation& a, const Operation& b) {
    return std::pair(a.device_seconds, a.host_seconds) > std::pair(b.device_seconds, b.host_seconds);
  });
  for (profile::DeviceMemory& memory : report.devices)
    for (const Opened& device : devices)
      if (device.profile && device.state->name == memory.device) memory.ceiling = device.profile->ceiling();
  const std::vector<FlushCount> flushes = flush_counts();
  for (std::size_t i = 0; i < flushes.size(); ++i)
    if (const long long n = flushes[i].count - flushes_before[i]) report.flushes.emplace_back(flushes[i].reason, n);
  return report;
}

/// The whole process's profile, if TANDEM_LAYERS asks for it.
Collector* whole_process = nullptr;
std::string& output_file() {
  static auto& file = *new std::string;
  return file;
}

void report_at_exit() {
  try {
    const profile::Report report = make_report(*whole_process, std::vector<long long>(flush_counts().size(), 0));
    const bool json = output_file().ends_with(".json");
    if (!json) std::fputs(report.text().c_str(), stderr);
    if (output_file().empty()) return;
    std::ofstream file(output_file());
    if (!(file << (json ? report.json() : report.html()) << std::flush))
      log(TD_LOG_ERROR, "profile: cannot write " + output_file());
  } catch (const std::exception& problem) {
    log(TD_LOG_ERROR, std::string("profile: ") + problem.what());
  }
}

}  // namespace

void wrap_profile(td_layer& layer, const std::string& options, td_backend& table) {
  if (!options.empty() && !options.ends_with(".html") && !options.ends_with(".json"))
    fail("Device", "TANDEM_LAYERS: profile has no option \"" + options +
                       "\"; it takes the name of a page, \"FILE.html\", or of a file for programs, \"FILE.json\"");
  auto* profile = new Profile(layer);
  layer.state = profile;
  wrap_all<Profile>(table);
  std::lock_guard lock(profile_mutex());
  environment_profiles()[layer.device_name] = profile;
  if (whole_process) return;
  auto collector = std::make_shared<Collector>();
  whole_process = collector.get();
  active_collectors().push_back(std::move(collector));
  output_file() = options;
  std::atexit(report_at_exit);
}

void profile_opened(DeviceState& state) {
  std::lock_guard lock(profile_mutex());
  const auto own = environment_profiles().find(state.name);
  const bool by_environment = own != environment_profiles().end();
  opened_devices().push_back(
      {&state, state.handle, state.table, nullptr, by_environment ? own->second : nullptr, by_environment});
  if (live_scopes > 0) switch_on(opened_devices().back());
}

}  // namespace tandem::detail

namespace tandem::profile {

struct Scope::State {
  std::shared_ptr<detail::Collector> collector = std::make_shared<detail::Collector>();
  std::vector<long long> flushes = detail::flush_numbers();
};

Scope::Scope() : state_(new State) {
  try {
    std::lock_guard lock(detail::profile_mutex());
    detail::active_collectors().push_back(state_->collector);
    if (detail::live_scopes++ == 0)
      for (detail::Opened& device : detail::opened_devices()) detail::switch_on(device);
  } catch (...) {
    delete state_;
    throw;
  }
}

Scope::~Scope() {
  const std::unique_ptr<State> owned(state_);
  std::lock_guard lock(detail::profile_mutex());
  std::erase(detail::active_collectors(), state_->collector);
  if (--detail::live_scopes == 0)
    for (const detail::Opened& device : detail::opened_devices())
      if (device.profiled) device.state->table = device.plain;
}

Report Scope::report() const { return detail::make_report(*state_->collector, state_->flushes); }

}  // namespace tandem::profile
