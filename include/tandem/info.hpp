// What Tandem found on this machine.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tandem/export.hpp>

namespace tandem {

/// Version of the library, "major.minor.patch".
TANDEM_API const char* version() noexcept;

/// A backend's library as the loader met it.
struct BackendInfo {
  std::string name;
  std::string path;                    // empty if no library was found
  std::string problem;                 // why it cannot be used; empty if it can
  std::vector<std::string> devices;    // names of its working devices
  std::vector<std::pair<std::string, std::string>> facts;  // versions, libraries, threads
};

/// Looks for the known backends, those in the search path and the one TANDEM_BACKEND names, loads them and asks them.
TANDEM_API std::vector<BackendInfo> backends();

/// The text of `tandem info`: version, backends found or why not, devices, cache folder, layers and environment variables
/// in effect. With json, one JSON object.
TANDEM_API std::string info(bool json = false);

/// Why pending expressions were run, and how often in this process (see docs/fusion.md).
struct FlushCount {
  const char* reason;
  long long count;
};
TANDEM_API std::vector<FlushCount> flush_counts();

}  // namespace tandem
