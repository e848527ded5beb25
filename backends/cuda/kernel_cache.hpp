// Kernels compiled at run time: from source text to a launchable kernel, through memory and disk.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

#include "device.hpp"
#include "disk_cache.hpp"
#include "nvrtc.hpp"

namespace tandem::cuda {

/// The kernel `name` (extern "C"), which may be one of several, of a source text, compiled by NVRTC to a cubin for the
/// device, found in memory by the whole text, or on disk under $TANDEM_CACHE_DIR, else $XDG_CACHE_HOME/tandem, else
/// ~/.cache/tandem. Thread-safe. The compiler's log is in the message if it fails.
td_status get_kernel(Device& device, std::string_view source, const char* name, cudaKernel_t* kernel, td_error* error);

/// Compiles a source for an architecture without needing a device; the cubin's bytes. For tests.
td_status compile(std::string_view source, int architecture, std::string* cubin, td_error* error);

/// What the image of a source for a card is kept under on disk.
KernelKey kernel_key(std::string_view source, int architecture);

}  // namespace tandem::cuda
