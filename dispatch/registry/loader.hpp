// Finding and loading backends, and the layers of third parties.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tandem/layer.h>

#include "registry.hpp"

namespace tandem::detail {

/// A backend as the loader met it; loaded once and never unloaded.
struct Backend {
  std::string name;
  std::string path;                   // of the library that was loaded
  const td_backend* table = nullptr;  // null if there is a problem
  std::string problem;                // every path tried and why it failed, or what the backend itself lacks
  std::vector<DeviceState*> devices;
};

/// The backend of that name, loaded and asked for its devices at the first call. Never throws for a missing one: see
/// `problem`.
Backend& find_backend(const std::string& name);

/// The device of that name, which may not be open yet. Throws Error or BackendUnavailable, whose message begins with
/// `start`, if there is none.
DeviceState& locate_device(std::string_view text, const std::string& start);

/// A third party's layer, and in `text` its path; null and every path tried with the reason if there is none.
const td_layer_plugin* find_layer(const std::string& name, std::string& text);

/// Folders in which backends and layers are looked for, in order.
std::vector<std::string> search_path();

/// Names of all libraries libtandem_<name>.so in the search path that are not named like layers.
std::vector<std::string> installed_backends();

}  // namespace tandem::detail
