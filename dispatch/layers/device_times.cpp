#include "device_times.hpp"

#include <utility>

namespace tandem::detail {
namespace {
constexpr std::size_t most_pending = 1024;
}

td_event* DeviceTimes::take() {
  if (!spare_.empty()) {
    td_event* event = spare_.back();
    spare_.pop_back();
    return event;
  }
  td_event* event = nullptr;
  td_error ignored;
  return layer_.inner().event_create(layer_.device(), &event, &ignored) == TD_OK ? event : nullptr;
}

/// Where the two clocks meet: a mark that the device has just passed.
bool DeviceTimes::find_origin() {
  td_error ignored;
  td_event* event = take();
  if (!event || layer_.inner().event_record(layer_.device(), event, &ignored) != TD_OK ||
      layer_.inner().event_synchronize(layer_.device(), event, &ignored) != TD_OK)
    return false;
  origin_ = event;
  origin_seconds_ = host_seconds();
  return true;
}

td_event* DeviceTimes::mark() {
  std::lock_guard lock(mutex_);
  if (available_ && !origin_) available_ = find_origin();
  if (!available_) return nullptr;
  td_event* event = take();
  td_error ignored;
  if (event && layer_.inner().event_record(layer_.device(), event, &ignored) == TD_OK) return event;
  if (event) spare_.push_back(event);
  return nullptr;
}

void DeviceTimes::add(td_event* begin, td_event* end, Done done) {
  std::lock_guard lock(mutex_);
  if (begin && end) {
    pending_.push_back({begin, end, std::move(done)});
  } else {
    for (td_event* event : {begin, end})
      if (event) spare_.push_back(event);
  }
  if (pending_.size() > most_pending)
    while (pending_.size() > most_pending / 2) read_front();
}

double DeviceTimes::elapsed(td_event* from, td_event* to) const {
  double seconds = 0;
  td_error ignored;
  return layer_.inner().event_elapsed(layer_.device(), from, to, &seconds, &ignored) == TD_OK ? seconds : 0;
}

void DeviceTimes::read_front() {
  Pending pending = std::move(pending_.front());
  pending_.pop_front();
  td_error ignored;
  layer_.inner().event_synchronize(layer_.device(), pending.end, &ignored);
  const double begin = origin_seconds_ + elapsed(origin_, pending.begin);
  const double seconds = elapsed(pending.begin, pending.end);
  pending.done(begin, seconds);
  // From mark to mark: single precision, in which drivers measure, is too little for the age of a process.
  spare_.push_back(std::exchange(origin_, pending.begin));
  origin_seconds_ = begin;
  spare_.push_back(pending.end);
}

void DeviceTimes::drain() {
  std::lock_guard lock(mutex_);
  while (!pending_.empty()) read_front();
}

}  // namespace tandem::detail
