// A call of a backend that the layer parity has recorded, made again (docs/layers.md).
#pragma once

#include <string>
#include <vector>

#include <tandem/export.hpp>

namespace tandem::parity {

/// A verb of the backends that is compared, and what its results must agree on.
struct Level {
  std::string verb, agreement;
};
TANDEM_API std::vector<Level> levels();

/// Devices in place of those that the file names: "cpu", "cuda:1".
struct ReplayOptions {
  std::string backend;
  std::string parity;
};

struct Replay {
  bool agrees;       // whether both backends had a result that agrees as it must
  std::string text;  // the call, what must agree, and the first difference
};

/// Makes the call in a file on both backends, without layers, and compares. Throws Error for a file that is damaged or
/// no recorded call, and BackendUnavailable.
TANDEM_API Replay replay(const std::string& file, const ReplayOptions& options = {});

}  // namespace tandem::parity
