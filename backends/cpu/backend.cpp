// The CPU backend's table.
#include <sys/sysinfo.h>

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "isa.hpp"
#include "verbs.hpp"

namespace tandem::cpu {
namespace {

td_status device_count(int32_t* count, td_error*) {
  *count = 1;
  return TD_OK;
}

char the_device;

td_status open_device(int32_t, td_device** device, td_error*) {
  *device = reinterpret_cast<td_device*>(&the_device);
  return TD_OK;
}

/// The value behind "model name" in /proc/cpuinfo.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "x86-64 processor";
}

td_status device_info(td_device*, td_device_info* info, td_error*) {
  struct sysinfo system {};
  sysinfo(&system);
  *info = {};
  std::snprintf(info->name, sizeof info->name, "%s", processor_name().c_str());
  info->total_memory = int64_t(system.totalram) * int64_t(system.mem_unit);
  info->units = thread_count();
  info->shares_host_memory = 1;
  return TD_OK;
}

td_status describe(td_info_sink sink, void* user, td_error*) {
  sink(user, "processor", processor_name().c_str());
  sink(user, "instruction set", (std::string("x86-64-") + name(isa())).c_str());
  sink(user, "threads", std::to_string(thread_count()).c_str());
  describe_blas(sink, user);
  return TD_OK;
}

// Everything has finished when its verb returns.
td_status synchronize(td_device*, td_error*) { return TD_OK; }

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

td_status event_create(td_device*, td_event** event, td_error*) {
  *event = reinterpret_cast<td_event*>(new double(0));
  return TD_OK;
}

void event_destroy(td_device*, td_event* event) { delete reinterpret_cast<double*>(event); }

td_status event_record(td_device*, td_event* event, td_error*) {
  *reinterpret_cast<double*>(event) = now();
  return TD_OK;
}

td_status event_synchronize(td_device*, td_event*, td_error*) { return TD_OK; }

td_status event_elapsed(td_device*, td_event* begin, td_event* end, double* seconds, td_error*) {
  *seconds = *reinterpret_cast<double*>(end) - *reinterpret_cast<double*>(begin);
  return TD_OK;
}

}  // namespace

td_status fail(td_error* error, td_status status, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return status;
}

}  // namespace tandem::cpu

extern "C" const td_backend* tandem_backend(const td_host*) {
  using namespace tandem::cpu;
  static const td_backend table{
      .abi_version = TD_ABI_VERSION,
      .struct_size = sizeof(td_backend),
      .name = "cpu",
      .version = TANDEM_VERSION,
#define X(result, verb, arguments) .verb = verb,
      TD_VERBS(X)
#undef X
  };
  return &table;
}
