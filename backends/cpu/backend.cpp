// The CPU backend's table.
#include <omp.h>

#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <tuple>

#include "isa.hpp"
#include "machine.hpp"
#include "verbs.hpp"

namespace tandem::cpu {
namespace {

std::atomic<const td_host*> the_host{nullptr};
char the_device;

td_status device_count(int32_t* count, td_error*) {
  *count = 1;
  return TD_OK;
}

td_status open_device(int32_t index, td_device** device, td_error* error) {
  if (index != 0) return fail(error, TD_INVALID_ARGUMENT, "cpu:%d does not exist: there is one CPU device", int(index));
  *device = reinterpret_cast<td_device*>(&the_device);
  return TD_OK;
}

td_status device_info(td_device*, td_device_info* info, td_error*) {
  *info = {};
  std::snprintf(info->name, sizeof info->name, "%s", processor_name().c_str());
  info->total_memory = machine_memory();
  info->units = thread_count();
  info->shares_host_memory = 1;
  return TD_OK;
}

td_status describe(td_info_sink sink, void* user, td_error*) {
  const auto line = [&](const char* key, const std::string& value) { sink(user, key, value.c_str()); };
  line("processor", processor_name());
  line("memory", std::to_string(machine_memory() >> 20) + " MiB");
  line("huge pages", huge_pages());
  line("instruction set", std::string("x86-64-") + name(isa()));
  line("threads", std::to_string(thread_count()) + " of " + std::to_string(omp_get_num_procs()));
  line("OpenMP", std::to_string(_OPENMP));
  describe_blas(sink, user);
  return TD_OK;
}

// Everything has finished when its verb returns.
td_status synchronize(td_device*, td_error*) { return TD_OK; }

using Clock = std::chrono::steady_clock;

Clock::time_point& time_of(td_event* event) { return *reinterpret_cast<Clock::time_point*>(event); }

td_status event_create(td_device*, td_event** event, td_error*) {
  *event = reinterpret_cast<td_event*>(new Clock::time_point);
  return TD_OK;
}

void event_destroy(td_device*, td_event* event) { delete reinterpret_cast<Clock::time_point*>(event); }

td_status event_record(td_device*, td_event* event, td_error*) {
  time_of(event) = Clock::now();
  return TD_OK;
}

td_status event_synchronize(td_device*, td_event*, td_error*) { return TD_OK; }

td_status event_elapsed(td_device*, td_event* begin, td_event* end, double* seconds, td_error*) {
  *seconds = std::chrono::duration<double>(time_of(end) - time_of(begin)).count();
  return TD_OK;
}

/// A verb for the table: exceptions end here.
template <auto verb>
struct Guarded;

template <class... Arguments, td_status (*verb)(Arguments...)>
struct Guarded<verb> {
  static td_status call(Arguments... arguments) {
    td_error* error = std::get<sizeof...(Arguments) - 1>(std::tie(arguments...));
    try {
      return verb(arguments...);
    } catch (const std::bad_alloc&) {
      return fail(error, TD_OUT_OF_MEMORY, "out of memory");
    } catch (const std::exception& problem) {
      return fail(error, TD_INTERNAL, "%s", problem.what());
    }
  }
};

template <class... Arguments, void (*verb)(Arguments...)>
struct Guarded<verb> {
  static constexpr auto call = verb;
};

}  // namespace

td_status fail(td_error* error, td_status status, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return status;
}

void log(td_log_level level, const char* format, ...) noexcept {
  const td_host* host = the_host.load(std::memory_order_acquire);
  if (!host) return;
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  host->log(level, message);
}

}  // namespace tandem::cpu

extern "C" const td_backend* tandem_backend(const td_host* host) {
  using namespace tandem::cpu;
  static const td_backend table{
      .abi_version = TD_ABI_VERSION,
      .struct_size = sizeof(td_backend),
      .name = "cpu",
      .version = TANDEM_VERSION,
#define X(result, verb, arguments) .verb = Guarded<tandem::cpu::verb>::call,
      TD_VERBS(X)
#undef X
  };
  the_host.store(host, std::memory_order_release);
  return &table;
}
