// Calls whose times, on a device, tell the times of others: what `tandem calibrate` measures.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tandem/tandem.hpp>

namespace tandem::bench {

struct Probe {
  std::string name;
  /// Inputs on the default device.
  std::function<std::vector<Array>()> make;
  std::function<Array(const std::vector<Array>& in)> call;
  bool on_small_devices_only = false;  // not where each new program has to be compiled first
};

/// All probes, those of one name from the cheapest on.
std::vector<Probe> probes();

/// The sizes at which every operation is measured: one that a core has in its caches, one that takes all of a device.
constexpr std::int64_t cached_elements = 1 << 13, many_elements = 1 << 20;

}  // namespace tandem::bench
