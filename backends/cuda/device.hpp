// What the CUDA backend keeps per device, and the small helpers that every file of it uses.
#pragma once

#include <cuda.h>  // types alone: nothing is linked with the driver
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <utility>

#include <tandem/backend.h>

namespace tandem::cuda {

struct MemoryPool;
class Ring;        // of pinned slots, for copies to and from ordinary host memory, made at first use
struct Libraries;  // cuBLAS, cuSOLVER handles of this device, made at first use

/// The lowest compute capability, 10 * major + minor, that the plugin's own kernels are built for.
inline constexpr int lowest_architecture = TANDEM_CUDA_LOWEST_ARCHITECTURE;

/// One card. Created by open_device and never destroyed.
struct Device {
  int ordinal;
  CUcontext context;       // the primary one
  int architecture;        // 10 * major + minor, e.g. 90
  int multiprocessors;
  std::int64_t l2_bytes;
  std::int64_t shared_bytes_per_block;  // opt-in maximum
  cudaStream_t stream;     // non-blocking; all work of the device
  MemoryPool* memory;
  Ring* ring;
  Libraries* libraries;
};

inline Device& device_of(td_device* device) { return *reinterpret_cast<Device*>(device); }

/// Writes a printf-style message and returns the status, for `return fail(...)`.
[[gnu::format(printf, 3, 4)]] td_status fail(td_error* error, td_status status, const char* format, ...) noexcept;

/// Writes a printf-style line through the core.
[[gnu::format(printf, 2, 3)]] void log(td_log_level level, const char* format, ...) noexcept;

/// Times between events, for what is written at the level debug.
class Stopwatch {
 public:
  /// Milliseconds since the last call, or since the beginning.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::milli>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// The status of a CUDA call: TD_OK, or a message with `what`, the error's name and its text. Out of memory becomes
/// TD_OUT_OF_MEMORY; errors after which a context is dead become TD_DEVICE_LOST, from then on for every call, with the
/// first failure's text. Clears the runtime's last error.
td_status check(cudaError_t result, const char* what, td_error* error) noexcept;

/// Makes a device current for the calling thread and restores what was current before, also if that was nothing:
/// setting a device back through the runtime would make a context on a card that the program never uses.
class Current {
 public:
  explicit Current(const Device& device) noexcept;
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  CUcontext previous_ = nullptr;
  bool changed_ = false;
};

/// Device memory for the length of a verb, ordered on the device's stream; null if there is none.
class Scratch {
 public:
  Scratch(Device& device, std::int64_t bytes, td_error* error) noexcept;
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  template <class T> T* as() noexcept { return static_cast<T*>(data_); }
  explicit operator bool() const noexcept { return data_ != nullptr; }

 private:
  Device& device_;
  void* data_ = nullptr;
  std::int64_t bytes_;
};

}  // namespace tandem::cuda
