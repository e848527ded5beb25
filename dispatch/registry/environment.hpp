// The environment variables of Tandem. docs/environment.md describes them.
#pragma once

#include <string>

namespace tandem::detail {

/// All of them: `tandem info` warns of others that start like these.
inline constexpr const char* environment_variables[] = {
    "TANDEM_BACKEND", "TANDEM_BACKEND_DIR", "TANDEM_LAYERS",     "TANDEM_PARITY", "TANDEM_EAGER",
    "TANDEM_CPU_ISA", "TANDEM_CACHE_DIR",   "TANDEM_CUDA_CHECK", "TANDEM_LOG"};

/// The variable's value, or an empty string if it is not set.
std::string environment(const char* name);

}  // namespace tandem::detail
