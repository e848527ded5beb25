// Backends and their devices, and how the rest of the core calls them.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include <tandem/backend.h>

#include "../errors.hpp"

namespace tandem::detail {

/// Which table a device is called by: a profile::Scope exchanges it while other threads compute. Reading costs what
/// reading a plain pointer does.
class Table {
 public:
  Table(const td_backend* table) noexcept : table_(table) {}
  Table& operator=(const td_backend* table) noexcept {
    table_.store(table, std::memory_order_release);
    return *this;
  }
  operator const td_backend*() const noexcept { return table_.load(std::memory_order_acquire); }
  const td_backend* operator->() const noexcept { return *this; }

 private:
  std::atomic<const td_backend*> table_;
};

/// A device as the core sees it: a table and a handle, the backend's or the outermost layer's. Created once per device and
/// never destroyed.
struct DeviceState {
  Table table;
  td_device* handle;
  std::string name;     // "cpu", "cuda:0"
  std::string backend;  // "cpu", "cuda"
  int index;
  bool shares_host_memory;
};

/// The device of that name, its backend loaded at first use; throws BackendUnavailable or Error.
DeviceState& find_device(std::string_view name);

/// set_default_device's device, else what TANDEM_BACKEND says.
DeviceState& default_device();

/// Throws the exception that belongs to a status, with the message "function: text".
[[noreturn]] void throw_status(td_status status, const td_error& error, const char* function);

/// Calls a verb that returns a status and throws if it fails; `function` starts the message.
template <class Verb, class... Arguments>
void call(const char* function, Verb verb, Arguments... arguments) {
  td_error error;
  error.message[0] = 0;
  if (td_status status = verb(arguments..., &error); status != TD_OK) [[unlikely]]
    throw_status(status, error, function);
}

/// Writes a line to stderr if TANDEM_LOG (error, warning, info, debug; default warning) admits the level.
void log(td_log_level level, const std::string& message);

}  // namespace tandem::detail
