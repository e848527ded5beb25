#include <tandem/info.hpp>

#include <algorithm>
#include <sstream>

#include "../json.hpp"
#include "../layers/stack.hpp"
#include "../program/expression.hpp"
#include "environment.hpp"
#include "loader.hpp"

extern char** environ;

namespace tandem {
namespace {

/// Variables of ours that are set, and TANDEM_ ones that we do not know.
struct Environment {
  std::vector<std::pair<std::string, std::string>> known;
  std::vector<std::string> unknown;
};

Environment environment_in_effect() {
  Environment result;
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "CUDA_VISIBLE_DEVICES"})
    if (const std::string value = detail::environment(name); !value.empty()) result.known.emplace_back(name, value);
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    if (!name.starts_with("TANDEM_")) continue;
    const auto& ours = detail::environment_variables;
    const bool known = std::find(std::begin(ours), std::end(ours), name) != std::end(ours);
    if (known)
      result.known.emplace_back(name, text.substr(std::min(text.size(), name.size() + 1)));
    else
      result.unknown.push_back(name);
  }
  std::sort(result.known.begin(), result.known.end());
  return result;
}

std::string default_device_name() {
  try {
    return Device().name();
  } catch (const Error& error) {
    return std::string("none: ") + error.what();
  }
}

/// One line for each layer in effect, or why there is none although TANDEM_LAYERS names some.
std::vector<std::string> layers_in_effect() {
  std::vector<std::string> list;
  try {
    for (const detail::LayerRequest& layer : detail::requested_layers())
      list.push_back(layer.name + (layer.options.empty() ? "" : ":" + layer.options) +
                     (layer.path.empty() ? "" : " (" + layer.path + ")"));
  } catch (const Error& error) {
    list.push_back(std::string("none: ") + error.what());
  }
  return list;
}

std::string info_text(const std::vector<BackendInfo>& list) {
  std::ostringstream out;
  out << "tandem " << version() << ", backend interface " << TD_ABI_VERSION << "\n";
  out << "default device: " << default_device_name() << "\n";
  for (const std::string& layer : layers_in_effect()) out << "layer: " << layer << "\n";
  for (const BackendInfo& backend : list) {
    out << "\nbackend " << backend.name << "\n";
    if (!backend.path.empty()) out << "  library: " << backend.path << "\n";
    if (!backend.problem.empty()) out << "  cannot be used: " << backend.problem << "\n";
    for (const std::string& device : backend.devices) out << "  device: " << device << "\n";
    for (const auto& [key, value] : backend.facts) out << "  " << key << ": " << value << "\n";
  }
  const Environment environment = environment_in_effect();
  out << "\nenvironment" << (environment.known.empty() ? ": nothing set" : "") << "\n";
  for (const auto& [name, value] : environment.known) out << "  " << name << "=" << value << "\n";
  for (const std::string& name : environment.unknown) out << "  " << name << " is not a variable of tandem\n";
  return out.str();
}

std::string info_json(const std::vector<BackendInfo>& list) {
  std::ostringstream out;
  out << "{\"version\": " << detail::json_text(version()) << ", \"abi\": " << TD_ABI_VERSION
      << ", \"default_device\": " << detail::json_text(default_device_name()) << ", \"layers\": [";
  const std::vector<std::string> layers = layers_in_effect();
  for (std::size_t i = 0; i < layers.size(); ++i) out << (i ? ", " : "") << detail::json_text(layers[i]);
  out << "], \"backends\": [";
  const char* separator = "";
  for (const BackendInfo& backend : list) {
    out << separator << "{\"name\": " << detail::json_text(backend.name) << ", \"path\": " << detail::json_text(backend.path)
        << ", \"problem\": " << detail::json_text(backend.problem) << ", \"devices\": [";
    for (std::size_t i = 0; i < backend.devices.size(); ++i) out << (i ? ", " : "") << detail::json_text(backend.devices[i]);
    out << "], \"facts\": {";
    for (std::size_t i = 0; i < backend.facts.size(); ++i)
      out << (i ? ", " : "") << detail::json_text(backend.facts[i].first) << ": " << detail::json_text(backend.facts[i].second);
    out << "}}";
    separator = ", ";
  }
  out << "], \"environment\": {";
  const Environment environment = environment_in_effect();
  for (std::size_t i = 0; i < environment.known.size(); ++i)
    out << (i ? ", " : "") << detail::json_text(environment.known[i].first) << ": " << detail::json_text(environment.known[i].second);
  out << "}, \"unknown_variables\": [";
  for (std::size_t i = 0; i < environment.unknown.size(); ++i) out << (i ? ", " : "") << detail::json_text(environment.unknown[i]);
  out << "]}\n";
  return out.str();
}

}  // namespace

const char* version() noexcept { return TANDEM_VERSION; }

std::vector<BackendInfo> backends() {
  std::vector<std::string> names{"cpu", "cuda", "reference"};
  for (const std::string& name : detail::installed_backends()) names.push_back(name);
  const std::string wanted = detail::environment("TANDEM_BACKEND");
  if (!wanted.empty() && wanted != "auto") names.push_back(wanted.substr(0, wanted.find(':')));
  std::vector<BackendInfo> list;
  for (const std::string& name : names) {
    if (std::any_of(list.begin(), list.end(), [&](const BackendInfo& b) { return b.name == name; })) continue;
    const detail::Backend& backend = detail::find_backend(name);
    BackendInfo info{name, backend.path, backend.problem, {}, {}};
    for (const detail::DeviceState* device : backend.devices) info.devices.push_back(device->name);
    if (backend.table) {
      td_error error;
      const td_info_sink sink = [](void* user, const char* key, const char* value) {
        static_cast<BackendInfo*>(user)->facts.emplace_back(key, value);
      };
      backend.table->describe(sink, &info, &error);
    }
    list.push_back(std::move(info));
  }
  return list;
}

std::string info(bool json) { return json ? info_json(backends()) : info_text(backends()); }

std::vector<FlushCount> flush_counts() {
  std::vector<FlushCount> list;
  for (int i = 0; i < int(detail::FlushReason::count); ++i) {
    const auto reason = detail::FlushReason(i);
    list.push_back({name(reason), detail::flush_count(reason)});
  }
  return list;
}

}  // namespace tandem
