// Errors inside the reference backend are exceptions; they end at the boundary of the plugin.
#pragma once

#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include <tandem/backend.h>

namespace tandem::reference {

/// A verb that cannot do what it was asked for: its status and the sentence for td_error.
class Failure : public std::runtime_error {
 public:
  Failure(td_status status, const std::string& message) : std::runtime_error(message), status(status) {}
  const td_status status;
};

inline td_status report(td_error* error, td_status status, const char* message) noexcept {
  if (error != nullptr) std::snprintf(error->message, sizeof error->message, "%s", message);
  return status;
}

/// Runs the body of a verb and turns exceptions into a status.
template <class Body>
td_status guarded(td_error* error, Body body) noexcept {
  try {
    body();
    return TD_OK;
  } catch (const Failure& failure) {
    return report(error, failure.status, failure.what());
  } catch (const std::bad_alloc&) {
    return report(error, TD_OUT_OF_MEMORY, "the host has no memory left for temporaries");
  } catch (const std::exception& exception) {
    return report(error, TD_INTERNAL, exception.what());
  }
}

}  // namespace tandem::reference
