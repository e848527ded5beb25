// Whether CUDA can be used at all by this process, and if not, why: each reason is a sentence of its own.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include <tandem/backend.h>

namespace tandem::cuda {

/// Where log() writes to; until then nowhere.
void set_host(const td_host* host) noexcept;

/// What the runtime says about the machine, before any context exists.
struct Probe {
  cudaError_t result;   // of counting the devices
  int driver_version;   // 1000 * major + 10 * minor; 0 without a driver
  int runtime_version;  // the one that the plugin was built with
  std::vector<int> architectures;  // of each device, 10 * major + minor
};

/// Asks the runtime. Makes no context, but where there is a driver, refuse_after_fork().
Probe probe();

/// TD_OK and the ordinals of the devices that can be used, or TD_UNAVAILABLE and the reason.
td_status judge(const Probe& probe, std::vector<int>* usable, td_error* error);

/// TD_OK until an error has ended this process's use of CUDA or the process is the child of a fork after CUDA was
/// used; from then on the first reason, again and again.
td_status still_usable(td_error* error) noexcept;

/// From now on a child made by fork refuses to use CUDA, as the driver's state does not survive it.
void refuse_after_fork();

}  // namespace tandem::cuda
