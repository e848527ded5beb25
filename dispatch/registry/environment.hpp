// The environment variables of Tandem. docs/environment.md describes them.
#pragma once

#include <string>

namespace tandem::detail {

struct EnvironmentVariable {
  const char* name;
  const char* meaning;
};

inline constexpr EnvironmentVariable environment_variables[] = {
    {"TANDEM_BACKEND", "backend or device of new arrays: auto, cpu, cuda, cuda:1, reference, or another backend's name"},
    {"TANDEM_BACKEND_DIR", "folders searched first for backends, separated by colons"},
    {"TANDEM_EAGER", "1: run every operation by itself, without fusion"},
    {"TANDEM_CPU_ISA", "highest instruction set of the cpu backend: v2, v3 or v4"},
    {"TANDEM_CACHE_DIR", "folder of compiled kernels"},
    {"TANDEM_LOG", "messages on stderr: error, warning (default), info or debug"},
};

/// The variable's value, or an empty string if it is not set.
std::string environment(const char* name);

}  // namespace tandem::detail
