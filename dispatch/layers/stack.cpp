#include "stack.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <sstream>

#include "../registry/environment.hpp"
#include "../registry/loader.hpp"
#include "built_in.hpp"
#include "profile.hpp"
#include "wrap.hpp"

namespace tandem::detail {
namespace {

const BuiltInLayer* built_in(const std::string& name) {
  const auto at = std::find_if(std::begin(built_in_layers), std::end(built_in_layers),
                               [&](const BuiltInLayer& layer) { return name == layer.name; });
  return at == std::end(built_in_layers) ? nullptr : at;
}

std::string built_in_names() {
  std::string text;
  for (const BuiltInLayer& layer : built_in_layers) text += (text.empty() ? "" : ", ") + std::string(layer.name);
  return text;
}

std::vector<LayerRequest> parse(const std::string& variable) {
  const std::string start = "TANDEM_LAYERS=" + variable + ": ";
  std::vector<LayerRequest> list;
  std::istringstream entries(variable);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const std::size_t colon = entry.find(':');
    LayerRequest request{entry.substr(0, colon), colon == entry.npos ? "" : entry.substr(colon + 1)};
    if (request.name.empty()) continue;
    for (const LayerRequest& other : list)
      if (other.name == request.name) fail("Device", start + "the layer " + request.name + " stands there twice");
    if (!built_in(request.name)) {
      if (request.name.find('/') == request.name.npos) request.plugin = find_layer(request.name, request.path);
      if (!request.plugin)
        fail("Device", start + "there is no layer " + request.name + "; Tandem has " + built_in_names() +
                           (request.path.empty() ? "" : ", and others were looked for in" + request.path));
    }
    list.push_back(std::move(request));
  }
  return list;
}

/// A layer that changes nothing: what a third party's table begins with.
struct PassOn : Layer {
  using Layer::Layer;
  static PassOn of(td_device* device) { return PassOn(*td_layer_of(device)); }
  template <Verb verb, class... Arguments>
  auto call(Tag<verb> tag, Arguments... arguments) const {
    return forward(tag, arguments...);
  }
};

/// A copy of the table with room for one of `bytes`.
td_backend* copied(const td_backend& table, std::size_t bytes) {
  void* memory = ::operator new(std::max(bytes, sizeof table));
  std::memset(memory, 0, std::max(bytes, sizeof table));
  return new (memory) td_backend(table);
}

/// The table with the layer in front.
const td_backend* wrapped(const LayerRequest& request, td_layer& layer) {
  if (const BuiltInLayer* own = built_in(request.name)) {
    td_backend* table = copied(*layer.inner, 0);
    own->wrap(layer, request.options, *table);
    return table;
  }
  td_backend* table = copied(*layer.inner, request.plugin->struct_size);  // it may know verbs that we do not
  wrap_all<PassOn>(*table);
  td_error error;
  error.message[0] = 0;
  if (request.plugin->wrap(&layer, request.options.c_str(), table, &error) != TD_OK)
    fail("Device",
         "layer " + request.name + ": " + (error.message[0] ? error.message : "it does not say why it fails"));
  return table;
}

}  // namespace

const std::vector<LayerRequest>& requested_layers() {
  static const auto& list = *new std::vector<LayerRequest>(parse(environment("TANDEM_LAYERS")));
  return list;
}

void put_layers(DeviceState& state, td_device* handle) {
  const td_backend* table = state.table;
  const std::vector<LayerRequest>& list = requested_layers();
  for (auto request = list.rbegin(); request != list.rend(); ++request) {
    auto* layer = new td_layer{table, handle, state.name.c_str(), nullptr};
    table = wrapped(*request, *layer);
    handle = reinterpret_cast<td_device*>(layer);
  }
  state.table = table;
  state.handle = handle;
  profile_opened(state);
}

}  // namespace tandem::detail
