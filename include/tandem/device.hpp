// Devices: where an array lives and who computes on it.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include <tandem/export.hpp>

namespace tandem {

namespace detail {
struct DeviceState;
}

/// One executor of a backend: "cpu", "cuda:0", "reference". Cheap to copy; two devices are equal if they are the same
/// executor.
class TANDEM_API Device {
 public:
  /// The default device: set_default_device's, else what TANDEM_BACKEND names ("auto" if unset: CUDA if it works, else
  /// the CPU). Throws BackendUnavailable with every path tried if there is none.
  Device();
  /// "cpu", "cuda", "cuda:1", "reference" or a third party's backend; the backend is loaded at first use. Throws
  /// BackendUnavailable if it cannot be used, Error for a name that makes no sense.
  Device(std::string_view name);
  Device(const char* name) : Device(std::string_view(name)) {}
  Device(const std::string& name) : Device(std::string_view(name)) {}
  explicit Device(detail::DeviceState* state) noexcept : state_(state) {}

  /// "cpu", "cuda:0", ...: with the index for every backend that has more than one device or is "cuda".
  const std::string& name() const noexcept;
  /// The backend's name: "cpu", "cuda", "reference", ...
  std::string_view backend() const noexcept;
  /// Which of the backend's devices.
  int index() const noexcept;

  /// Whether the host may read and write the device's memory in place, after synchronize().
  bool shares_host_memory() const noexcept;

  /// Waits until everything issued to the device has finished.
  void synchronize() const;

  /// Bytes in use, cached, at the peak, and the limit (0: none), and how often memory was asked for.
  struct Memory {
    long long used_bytes, cached_bytes, peak_bytes, limit_bytes, allocations, cache_hits;
  };
  Memory memory() const;
  /// Gives cached memory back to the system.
  void trim() const;
  /// Makes allocations beyond `bytes` throw OutOfMemory; 0 takes the limit away.
  void set_memory_limit(long long bytes) const;

  detail::DeviceState* state() const noexcept { return state_; }
  friend bool operator==(const Device& a, const Device& b) noexcept { return a.state_ == b.state_; }

 private:
  detail::DeviceState* state_;
};

TANDEM_API std::ostream& operator<<(std::ostream& out, const Device& device);

/// The device that creation functions use in this process from now on.
TANDEM_API void set_default_device(const Device& device);

/// Every device that works here, the default first.
TANDEM_API std::vector<Device> devices();

/// A mark in a device's order of execution, for timing without guessing: record() two and ask for the seconds between.
class TANDEM_API Event {
 public:
  explicit Event(const Device& device = Device());
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;
  ~Event();
  void record();
  /// Waits until the device has passed the mark.
  void synchronize();
  /// Seconds from `begin` to this event; waits for both. Throws Error if one was never recorded or they belong to
  /// different devices.
  double seconds_since(Event& begin);

 private:
  detail::DeviceState* device_;
  void* event_;
  bool recorded_ = false;
};

}  // namespace tandem
