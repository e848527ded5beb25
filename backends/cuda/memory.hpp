// Device memory. The verbs stand in verbs.hpp.
#pragma once

#include <tandem/backend.h>

#include "device.hpp"

namespace tandem::cuda {

/// The memory of the current device, of which `device` has its ordinal and stream.
td_status make_memory_pool(const Device& device, MemoryPool** pool, td_error* error);

/// Bytes that a request occupies, padding included: multiples of 512, from 4 KiB on eight sizes a power of two, from
/// 16 MiB on multiples of 2 MiB; so at most an eighth is wasted.
int64_t block_size(int64_t bytes);

}  // namespace tandem::cuda
