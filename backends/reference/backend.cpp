// The table of the reference backend: one device, the host, executing every verb one element at a time before it
// returns. It is the readable statement of what the verbs mean; other backends are compared with it.
#include <chrono>
#include <cstdio>

#include <unistd.h>

#include <xtensor/xtensor_config.hpp>

#include "failure.hpp"
#include "verbs.hpp"

struct td_event {
  std::chrono::steady_clock::time_point time;
};

namespace tandem::reference {

namespace {

td_status device_count(int32_t* count, td_error*) {
  *count = 1;
  return TD_OK;
}

td_status device_info(td_device*, td_device_info* info, td_error*) {
  *info = {};
  std::snprintf(info->name, sizeof info->name, "reference (one element at a time)");
  info->total_memory = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  info->units = 1;
  info->shares_host_memory = 1;
  return TD_OK;
}

td_status describe(td_info_sink sink, void* user, td_error*) {
  sink(user, "threads", "1");
  char version[32];
  std::snprintf(version, sizeof version, "%d.%d.%d", XTENSOR_VERSION_MAJOR, XTENSOR_VERSION_MINOR,
                XTENSOR_VERSION_PATCH);
  sink(user, "xtensor", version);
  return TD_OK;
}

// Every verb has finished when it returns.
td_status synchronize(td_device*, td_error*) { return TD_OK; }

td_status event_create(td_device*, td_event** event, td_error* error) {
  return guarded(error, [&] { *event = new td_event{}; });
}

void event_destroy(td_device*, td_event* event) { delete event; }

td_status event_record(td_device*, td_event* event, td_error*) {
  event->time = std::chrono::steady_clock::now();
  return TD_OK;
}

td_status event_synchronize(td_device*, td_event*, td_error*) { return TD_OK; }

td_status event_elapsed(td_device*, td_event* begin, td_event* end, double* seconds, td_error*) {
  *seconds = std::chrono::duration<double>(end->time - begin->time).count();
  return TD_OK;
}

constexpr td_backend table = {
    .abi_version = TD_ABI_VERSION,
    .struct_size = sizeof(td_backend),
    .name = "reference",
    .version = "0.1.0",
#define X(result, verb, arguments) .verb = verb,
    TD_ALL_VERBS(X, X)
#undef X
};

}  // namespace

}  // namespace tandem::reference

extern "C" const td_backend* tandem_backend(const td_host*) { return &tandem::reference::table; }
