// Which layers stand in front of the devices: TANDEM_LAYERS.
#pragma once

#include <string>
#include <vector>

#include <tandem/layer.h>

#include "../registry/registry.hpp"

namespace tandem::detail {

/// One entry of TANDEM_LAYERS, `name` or `name:options`.
struct LayerRequest {
  std::string name, options;
  const td_layer_plugin* plugin = nullptr;  // a third party's
  std::string path;                         // and its library's
};

/// The layers that TANDEM_LAYERS names, the outermost one first. Throws Error for one that there is not.
const std::vector<LayerRequest>& requested_layers();

/// Puts them in front of a device that was just opened: sets its table and its handle. Throws Error if one refuses.
void put_layers(DeviceState& state, td_device* handle);

}  // namespace tandem::detail
