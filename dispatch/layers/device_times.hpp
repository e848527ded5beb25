// When a device did what: pairs of events around calls, read when the device has passed them.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "wrap.hpp"

namespace tandem::detail {

/// Seconds of the host's clock, which never goes back.
inline double host_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class DeviceTimes {
 public:
  /// Gets the host's time at which the device began, and how long it took.
  using Done = std::function<void(double begin, double seconds)>;

  explicit DeviceTimes(const Layer& layer) : layer_(layer) {}

  /// A mark in the device's order of execution; null if the backend has no events.
  td_event* mark();
  /// Has `done` called with the times between two marks, at the latest by drain().
  void add(td_event* begin, td_event* end, Done done);
  /// Waits for the device and reads all marks.
  void drain();

 private:
  struct Pending {
    td_event *begin, *end;
    Done done;
  };
  td_event* take();
  void read_front();
  bool find_origin();
  double elapsed(td_event* from, td_event* to) const;

  const Layer& layer_;
  std::mutex mutex_;
  bool available_ = true;
  std::vector<td_event*> spare_;
  std::deque<Pending> pending_;
  td_event* origin_ = nullptr;  // the last mark read, and its time
  double origin_seconds_ = 0;
};

}  // namespace tandem::detail
