#include <tandem/device.hpp>

#include <atomic>
#include <charconv>
#include <mutex>
#include <ostream>
#include <utility>

#include "../layers/stack.hpp"
#include "environment.hpp"
#include "loader.hpp"

namespace tandem {
namespace detail {
namespace {

std::atomic<DeviceState*> default_state{nullptr};

/// Opens the device at its first use.
DeviceState& opened(DeviceState& state) {
  static std::mutex& mutex = *new std::mutex;
  std::lock_guard lock(mutex);
  if (state.handle) return state;
  requested_layers();  // a mistake in TANDEM_LAYERS shows before anything is opened
  td_device* handle = nullptr;
  call("Device", state.table->open_device, std::int32_t{state.index}, &handle);
  td_device_info info{};
  call("Device", state.table->device_info, handle, &info);
  state.shares_host_memory = info.shares_host_memory != 0;
  put_layers(state, handle);
  return state;
}

/// Whether the text is NAME or NAME:INDEX.
bool parse_device(std::string_view text, std::string& name, int& index) {
  const std::size_t colon = text.find(':');
  name = text.substr(0, colon);
  index = 0;
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  if (name.empty() || name.find_first_not_of(letters) != std::string::npos) return false;
  if (colon == std::string_view::npos) return true;
  const std::string_view digits = text.substr(colon + 1);
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  return failure == std::errc() && end == digits.data() + digits.size() && index >= 0;
}

/// The device of that name, opened; `start` begins the message if there is none.
DeviceState& named_device(std::string_view text, const std::string& start) {
  return opened(locate_device(text, start));
}

std::string one_line(std::string text) {
  for (std::size_t at = 0; (at = text.find("\n  ", at)) != std::string::npos;) text.replace(at, 3, " ");
  return text;
}

/// What TANDEM_BACKEND names; "auto" is CUDA where a device works, else the CPU.
DeviceState& chosen_device() {
  requested_layers();  // no reason to take another device
  const std::string wanted = environment("TANDEM_BACKEND");
  if (!wanted.empty() && wanted != "auto") return named_device(wanted, "Device: TANDEM_BACKEND=" + wanted + ": ");
  Backend& cuda = find_backend("cuda");
  if (cuda.devices.empty()) {
    log(TD_LOG_INFO, "using the cpu backend; cuda cannot be used: " + one_line(cuda.problem));
  } else {
    try {
      return opened(*cuda.devices.front());
    } catch (const Error& error) {  // a device is there but does not work: worth more than an info line
      log(TD_LOG_WARNING, std::string("using the cpu backend; cuda:0 cannot be opened: ") + error.what());
    }
  }
  return named_device("cpu", "Device: ");
}

}  // namespace

DeviceState& locate_device(std::string_view text, const std::string& start) {
  std::string name;
  int index;
  if (!parse_device(text, name, index))
    throw Error(start + "\"" + std::string(text) + "\" is no device; \"cpu\", \"cuda\" or \"cuda:1\" would be");
  Backend& backend = find_backend(name);
  if (backend.devices.empty())
    throw BackendUnavailable(start + "backend " + name + " cannot be used: " + backend.problem);
  if (index >= int(backend.devices.size()))
    throw BackendUnavailable(start + "there is no " + std::string(text) + "; backend " + name + " has " +
                             std::to_string(backend.devices.size()) +
                             (backend.devices.size() == 1 ? " device" : " devices"));
  return *backend.devices[std::size_t(index)];
}

DeviceState& find_device(std::string_view text) { return named_device(text, "Device: "); }

DeviceState& default_device() {
  if (DeviceState* state = default_state.load(std::memory_order_acquire)) return *state;
  DeviceState& chosen = chosen_device();
  DeviceState* expected = nullptr;
  default_state.compare_exchange_strong(expected, &chosen, std::memory_order_acq_rel);
  return expected ? *expected : chosen;
}

void throw_status(td_status status, const td_error& error, const char* function) {
  const std::string text = error.message[0] ? error.message : "the backend failed";
  switch (status) {
    case TD_OUT_OF_MEMORY: fail<OutOfMemory>(function, text);
    case TD_NOT_SUPPORTED: fail<NotSupported>(function, text);
    case TD_UNAVAILABLE:
    case TD_DEVICE_LOST: fail<BackendUnavailable>(function, text);
    case TD_SINGULAR: fail<LinAlgError>(function, text);
    default: fail(function, text);
  }
}

}  // namespace detail

Device::Device() : state_(&detail::default_device()) {}
Device::Device(std::string_view name) : state_(&detail::find_device(name)) {}

const std::string& Device::name() const noexcept { return state_->name; }
std::string_view Device::backend() const noexcept { return state_->backend; }
int Device::index() const noexcept { return state_->index; }

bool Device::shares_host_memory() const noexcept { return state_->shares_host_memory; }
void Device::synchronize() const { detail::call("synchronize", state_->table->synchronize, state_->handle); }

Device::Memory Device::memory() const {
  td_memory_stats stats{};
  detail::call("memory", state_->table->memory_stats, state_->handle, &stats);
  return {stats.used_bytes,  stats.cached_bytes, stats.peak_bytes,
          stats.limit_bytes, stats.allocations,  stats.cache_hits};
}

void Device::trim() const { detail::call("trim", state_->table->trim, state_->handle); }

void Device::set_memory_limit(long long bytes) const {
  detail::call("set_memory_limit", state_->table->set_memory_limit, state_->handle, std::int64_t{bytes});
}

std::ostream& operator<<(std::ostream& out, const Device& device) { return out << device.name(); }

void set_default_device(const Device& device) {
  detail::default_state.store(device.state(), std::memory_order_release);
}

std::vector<Device> devices() {
  std::vector<Device> list{Device()};
  for (const char* name : {"cuda", "cpu"}) {
    for (detail::DeviceState* state : detail::find_backend(name).devices) {
      try {
        if (const Device device(state->name); device != list.front()) list.push_back(device);
      } catch (const Error& error) {
        detail::log(TD_LOG_WARNING, state->name + " does not work: " + error.what());
      }
    }
  }
  return list;
}

Event::Event(const Device& device) : device_(device.state()), event_(nullptr) {
  td_event* event = nullptr;
  detail::call("Event", device_->table->event_create, device_->handle, &event);
  event_ = event;
}

Event::Event(Event&& other) noexcept
    : device_(other.device_), event_(std::exchange(other.event_, nullptr)), recorded_(other.recorded_) {}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(event_, other.event_);
  std::swap(recorded_, other.recorded_);
  return *this;
}

Event::~Event() {
  if (event_) device_->table->event_destroy(device_->handle, static_cast<td_event*>(event_));
}

void Event::record() {
  detail::call("Event", device_->table->event_record, device_->handle, static_cast<td_event*>(event_));
  recorded_ = true;
}

void Event::synchronize() {
  detail::call("Event", device_->table->event_synchronize, device_->handle, static_cast<td_event*>(event_));
}

double Event::seconds_since(Event& begin) {
  if (device_ != begin.device_)
    detail::fail("Event", "events of different devices, " + begin.device_->name + " and " + device_->name);
  if (!recorded_ || !begin.recorded_) detail::fail("Event", "seconds_since an event that was never recorded");
  begin.synchronize();
  synchronize();
  double seconds = 0;
  detail::call("Event", device_->table->event_elapsed, device_->handle, static_cast<td_event*>(begin.event_),
               static_cast<td_event*>(event_), &seconds);
  return seconds;
}

}  // namespace tandem
