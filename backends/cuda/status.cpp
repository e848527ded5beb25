#include "status.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

#include "device.hpp"

namespace tandem::cuda {
namespace {

/// The reason for which this process can use CUDA no more. Its text is written once, before `known` says so.
struct End {
  std::atomic<bool> claimed{false}, known{false};
  td_status status = TD_OK;
  char message[sizeof(td_error::message)] = {};

  void set(td_status why, const char* text) noexcept {
    if (claimed.exchange(true)) return;
    status = why;
    std::snprintf(message, sizeof message, "%s", text);
    known.store(true, std::memory_order_release);
  }
};
constinit End end;
std::atomic<const td_host*> the_host{nullptr};

void in_child() {
  end.claimed.store(false);  // a thread that the child lacks may have been at it
  end.set(
      TD_UNAVAILABLE,
      "this process was forked from one that had used CUDA, and the driver does not survive a fork; start the child "
      "with exec, or fork before CUDA is first used");
}

/// Errors after which every call of the process fails.
bool ends_context(cudaError_t result) {
  switch (result) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice:
    case cudaErrorUnknown: return true;
    default: return false;
  }
}

bool never_began(cudaError_t result) {
  switch (result) {
    case cudaErrorInitializationError:
    case cudaErrorInsufficientDriver:
    case cudaErrorNoDevice:
    case cudaErrorStubLibrary:
    case cudaErrorDevicesUnavailable:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorMpsConnectionFailed:
    case cudaErrorMpsServerNotReady: return true;
    default: return false;
  }
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string architecture_text(int architecture) {
  return std::to_string(architecture / 10) + "." + std::to_string(architecture % 10);
}

}  // namespace

td_status fail(td_error* error, td_status status, const char* format, ...) noexcept {
  if (error == nullptr) return status;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return status;
}

void set_host(const td_host* host) noexcept { the_host.store(host, std::memory_order_release); }

void log(td_log_level level, const char* format, ...) noexcept {
  const td_host* const host = the_host.load(std::memory_order_acquire);
  if (host == nullptr) return;
  char message[sizeof(td_error::message)];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  host->log(level, message);
}

td_status still_usable(td_error* error) noexcept {
  if (!end.known.load(std::memory_order_acquire)) [[likely]]
    return TD_OK;
  return fail(error, end.status, "%s", end.message);
}

td_status check(cudaError_t result, const char* what, td_error* error) noexcept {
  if (result == cudaSuccess) [[likely]]
    return TD_OK;
  if (const td_status status = still_usable(error); status != TD_OK) return status;
  (void)cudaGetLastError();
  char text[sizeof(td_error::message)];
  std::snprintf(text, sizeof text, "%s failed: %s (%s)", what, cudaGetErrorString(result), cudaGetErrorName(result));
  if (ends_context(result)) {
    end.set(TD_DEVICE_LOST,
            (std::string(text) + "; CUDA can no longer be used by this process, which must be started again").c_str());
    return still_usable(error);
  }
  const td_status status = result == cudaErrorMemoryAllocation ? TD_OUT_OF_MEMORY
                           : never_began(result)               ? TD_UNAVAILABLE
                           : result == cudaErrorCudartUnloading ? TD_DEVICE_LOST
                                                                : TD_INTERNAL;
  return fail(error, status, "%s", text);
}

void refuse_after_fork() {
  static const int registered = pthread_atfork(nullptr, nullptr, in_child);
  (void)registered;
}

Probe probe() {
  Probe found{cudaSuccess, 0, CUDART_VERSION, {}};
  (void)cudaDriverGetVersion(&found.driver_version);
  if (found.driver_version != 0) refuse_after_fork();  // the next call initializes the driver
  int count = 0;  // stays as it is if there is no driver
  found.result = cudaGetDeviceCount(&count);
  for (int i = 0; found.result == cudaSuccess && i < count; ++i) {
    int major = 0, minor = 0;
    found.result = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, i);
    if (found.result == cudaSuccess)
      found.result = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, i);
    found.architectures.push_back(10 * major + minor);
  }
  (void)cudaGetLastError();
  return found;
}

td_status judge(const Probe& probe, std::vector<int>* usable, td_error* error) {
  usable->clear();
  if (probe.driver_version == 0 || probe.result == cudaErrorStubLibrary)
    return fail(error, TD_UNAVAILABLE, "no NVIDIA driver is installed (there is no libcuda.so.1 that works)");
  if (probe.result == cudaErrorInsufficientDriver || probe.result == cudaErrorCallRequiresNewerDriver)
    return fail(error, TD_UNAVAILABLE, "the NVIDIA driver is too old: it supports CUDA %s, and CUDA %s is needed",
                version_text(probe.driver_version).c_str(), version_text(probe.runtime_version).c_str());
  if (probe.result == cudaErrorNoDevice || (probe.result == cudaSuccess && probe.architectures.empty()))
    return fail(
        error, TD_UNAVAILABLE,
        "there is a driver (CUDA %s) but no device that it shows to this process (is CUDA_VISIBLE_DEVICES set?)",
        version_text(probe.driver_version).c_str());
  if (probe.result != cudaSuccess)
    return fail(error, TD_UNAVAILABLE, "CUDA cannot be initialized: error %d, %s (%s)", int(probe.result),
                cudaGetErrorString(probe.result), cudaGetErrorName(probe.result));
  for (int i = 0; i < int(probe.architectures.size()); ++i)
    if (probe.architectures[std::size_t(i)] >= lowest_architecture) usable->push_back(i);
  if (!usable->empty()) return TD_OK;
  const int best = *std::max_element(probe.architectures.begin(), probe.architectures.end());
  return fail(error, TD_UNAVAILABLE, "no device is new enough: compute capability %s, and %s is the lowest supported",
              architecture_text(best).c_str(), architecture_text(lowest_architecture).c_str());
}

}  // namespace tandem::cuda
