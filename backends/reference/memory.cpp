// The one device and its memory: the host's, with a count of what is in use. Nothing is cached.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>

#include "failure.hpp"
#include "verbs.hpp"

struct td_device {
  std::mutex mutex;
  td_memory_stats stats{};
};

namespace tandem::reference {

td_status open_device(int32_t index, td_device** device, td_error* error) {
  return guarded(error, [&] {
    if (index != 0) {
      throw Failure(TD_INVALID_ARGUMENT, "there is no device " + std::to_string(index) + ", only device 0");
    }
    static td_device* const only = new td_device;  // lives as long as the process
    *device = only;
  });
}

td_status allocate(td_device* device, int64_t bytes, void** pointer, td_error* error) {
  return guarded(error, [&] {
    const std::string request = std::to_string(bytes) + " bytes";
    if (bytes < 0) throw Failure(TD_INVALID_ARGUMENT, "cannot allocate " + request);
    if (bytes > std::numeric_limits<int64_t>::max() / 2) {
      throw Failure(TD_OUT_OF_MEMORY, request + " exceed the address space");
    }
    const int64_t units = (bytes + TD_PADDING + TD_ALIGNMENT - 1) / TD_ALIGNMENT;

    const std::lock_guard lock(device->mutex);
    td_memory_stats& stats = device->stats;
    const std::string used = std::to_string(stats.used_bytes) + " are in use";
    if (stats.limit_bytes > 0 && bytes > stats.limit_bytes - stats.used_bytes) {
      throw Failure(TD_OUT_OF_MEMORY, request + " do not fit: " + used + " and the limit is " +
                                          std::to_string(stats.limit_bytes) + " bytes");
    }
    *pointer = std::aligned_alloc(TD_ALIGNMENT, static_cast<std::size_t>(units) * TD_ALIGNMENT);
    if (*pointer == nullptr) throw Failure(TD_OUT_OF_MEMORY, "the system has no " + request + " left: " + used);
    stats.used_bytes += bytes;
    stats.peak_bytes = std::max(stats.peak_bytes, stats.used_bytes);
    ++stats.allocations;
  });
}

void free(td_device* device, void* pointer, int64_t bytes) {
  if (pointer == nullptr) return;
  std::free(pointer);
  const std::lock_guard lock(device->mutex);
  device->stats.used_bytes -= bytes;
}

td_status copy(td_device*, td_copy_kind, void* to, const void* from, int64_t bytes, td_error*) {
  if (bytes > 0) std::memmove(to, from, static_cast<std::size_t>(bytes));
  return TD_OK;
}

td_status memory_stats(td_device* device, td_memory_stats* stats, td_error*) {
  const std::lock_guard lock(device->mutex);
  *stats = device->stats;
  return TD_OK;
}

td_status trim(td_device*, td_error*) { return TD_OK; }

td_status set_memory_limit(td_device* device, int64_t bytes, td_error* error) {
  return guarded(error, [&] {
    if (bytes < 0) throw Failure(TD_INVALID_ARGUMENT, "the memory limit is negative: " + std::to_string(bytes));
    const std::lock_guard lock(device->mutex);
    device->stats.limit_bytes = bytes;
  });
}

}  // namespace tandem::reference
