// The layer profile as the rest of the core meets it.
#pragma once

#include "../registry/registry.hpp"

namespace tandem::detail {

/// Tells profile::Scope of a device that was opened.
void profile_opened(DeviceState& state);

}  // namespace tandem::detail
