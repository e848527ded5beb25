// Copies. The verb stands in verbs.hpp.
#pragma once

#include "device.hpp"

namespace tandem::cuda {

/// The way of large copies between the device and ordinary host memory; nothing is made before the first of them.
Ring* make_ring(const Device& device);

}  // namespace tandem::cuda
