// The layer trace: a time line of the host's threads, the device and its transfers, as the Chrome trace format has it,
// which Perfetto opens.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include "../registry/registry.hpp"
#include "built_in.hpp"
#include "device_times.hpp"
#include "work.hpp"

namespace tandem::detail {
namespace {

enum class Lane { execution, transfers };

/// A bar of the time line; seconds of the host's clock.
struct Bar {
  const char* name;
  int process;  // 0 is the host, devices follow
  int lane;     // a thread of the host; of a device its execution and its transfers
  double begin, seconds, bytes;
};

class Trace;

/// Everything that was recorded. Lives as long as the process.
struct Recording {
  std::mutex mutex;
  std::string file;
  double begin = host_seconds();
  std::vector<Bar> bars;
  std::vector<Trace*> devices;
  int threads = 0;
};
Recording& recording() {
  static auto& all = *new Recording;
  return all;
}

/// The number of the calling thread, in the order of their first calls.
int thread_number() {
  thread_local const int number = [] {
    std::lock_guard lock(recording().mutex);
    return recording().threads++;
  }();
  return number;
}

void add(const Bar& bar) {
  std::lock_guard lock(recording().mutex);
  recording().bars.push_back(bar);
}

class Trace : public Layer {
 public:
  Trace(td_layer& layer, int process) : Layer(layer), times_(*this), process_(process) {}
  static Trace& of(td_device* device) { return layer_state<Trace>(device); }

  template <Verb verb, class... Arguments>
  auto call(Tag<verb> tag, Arguments... arguments) {
    constexpr bool shown = is_work<verb>() || verb == Verb::synchronize || verb == Verb::allocate;
    if constexpr (!shown) {
      return forward(tag, arguments...);
    } else {
      const char* name = work_name(tag, arguments...);
      const double bytes = bytes_of(tag, arguments...);
      td_event* begin = is_work<verb>() ? times_.mark() : nullptr;
      const double before = host_seconds();
      const td_status status = forward(tag, arguments...);
      const double seconds = host_seconds() - before;
      td_event* end = begin ? times_.mark() : nullptr;
      add({name, 0, thread_number(), before, seconds, bytes});
      if constexpr (is_work<verb>())
        times_.add(begin, end, [name, bytes, process = process_](double at, double time) {
          add({name, process, int(verb == Verb::copy ? Lane::transfers : Lane::execution), at, time, bytes});
        });
      return status;
    }
  }

  void drain() { times_.drain(); }

 private:
  DeviceTimes times_;
  int process_;
};

void write_name(std::ofstream& out, const char* kind, int process, int thread, const std::string& name) {
  out << "{\"ph\": \"M\", \"name\": \"" << kind << "\", \"pid\": " << process << ", \"tid\": " << thread
      << ", \"args\": {\"name\": \"" << name << "\"}},\n";
}

void write_file() {
  Recording& all = recording();
  for (Trace* device : all.devices) device->drain();
  std::lock_guard lock(all.mutex);
  std::ofstream out(all.file);
  out << "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";
  for (std::size_t i = 0; i < all.devices.size(); ++i) {
    const int process = int(i) + 1;
    write_name(out, "process_name", process, 0, all.devices[i]->device_name());
    write_name(out, "thread_name", process, int(Lane::execution), "execution");
    write_name(out, "thread_name", process, int(Lane::transfers), "transfers");
  }
  for (int thread = 0; thread < all.threads; ++thread)
    write_name(out, "thread_name", 0, thread, "thread " + std::to_string(thread));
  for (const Bar& bar : all.bars) {
    char times[96];
    std::snprintf(times, sizeof times, "\"ts\": %.3f, \"dur\": %.3f", (bar.begin - all.begin) * 1e6, bar.seconds * 1e6);
    out << "{\"ph\": \"X\", \"name\": \"" << bar.name << "\", \"pid\": " << bar.process << ", \"tid\": " << bar.lane << ", "
        << times << ", \"args\": {\"bytes\": " << static_cast<long long>(bar.bytes) << "}},\n";
  }
  write_name(out, "process_name", 0, 0, "host");
  out.seekp(-2, std::ios::cur);  // JSON has no comma behind the last one
  out << "\n]}\n";
  if (!out.flush()) log(TD_LOG_ERROR, "trace: cannot write " + all.file);
}

}  // namespace

void wrap_trace(td_layer& layer, const std::string& options, td_backend& table) {
  Recording& all = recording();
  std::lock_guard lock(all.mutex);
  if (all.devices.empty()) {
    all.file = options.empty() ? "tandem-trace-" + std::to_string(getpid()) + ".json" : options;
    std::atexit(write_file);
  }
  auto* trace = new Trace(layer, int(all.devices.size()) + 1);
  all.devices.push_back(trace);
  layer.state = trace;
  wrap_all<Trace>(table);
}

}  // namespace tandem::detail
