#include "loader.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <utility>

#include "environment.hpp"
#include "missing_verbs.hpp"

namespace tandem::detail {
namespace {

namespace fs = std::filesystem;

/// The folder of the core's own library, once and for all: a relative path would break with the first chdir.
const std::string& own_folder() {
  static const std::string& folder = *new std::string([]() -> std::string {
    Dl_info info;
    if (!dladdr(reinterpret_cast<const void*>(&find_backend), &info) || !info.dli_fname) return "";
    std::error_code ignored;
    const fs::path path = fs::canonical(info.dli_fname, ignored);
    return ignored ? "" : path.parent_path().string();
  }());
  return folder;
}

void host_log(td_log_level level, const char* message) {
  try {
    log(level, message);
  } catch (...) {  // no exception crosses the boundary, and a lost line is no reason to stop
  }
}

const td_host& host() {
  static const td_host& services = *new td_host{TD_ABI_VERSION, sizeof(td_host), host_log};
  return services;
}

/// What dlopen has to say about a path, without the path.
std::string dlopen_problem(const std::string& path) {
  const char* reason = dlerror();
  std::string text = reason ? reason : "dlopen gives no reason";
  if (text.starts_with(path + ": ")) text.erase(0, path.size() + 2);
  return "cannot be loaded: " + text;
}

/// What a file offers under its one exported symbol, `kind` being "backend" or "layer"; null and the reason why it is
/// none that this core can use.
template <class Entry>
auto load_file(const std::string& path, const std::string& name, const char* kind, const char* symbol,
               std::size_t least_size, std::string& problem) -> decltype(std::declval<Entry>()(nullptr)) {
  std::error_code ignored;
  problem = "no such file";
  if (!fs::exists(path, ignored)) return nullptr;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  problem = library ? "" : dlopen_problem(path);
  if (!library) return nullptr;
  const auto entry = reinterpret_cast<Entry>(dlsym(library, symbol));
  problem = std::string("is no ") + kind + "; it has no symbol " + symbol;
  if (!entry) return nullptr;
  const auto* offered = entry(&host());
  if (!offered)
    problem = std::string(symbol) + " returned no table";
  else if (offered->abi_version != TD_ABI_VERSION)
    problem = "was built for ABI version " + std::to_string(offered->abi_version) + ", this is version " +
              std::to_string(TD_ABI_VERSION);
  else if (offered->struct_size < least_size)
    problem = "has a table that is too short";
  else if (!offered->name || !offered->name[0])
    problem = "does not say its name";
  else if (name != offered->name)
    problem = "calls itself " + std::string(offered->name) + ", not " + name;
  else
    return offered;
  return nullptr;
}

void open_devices(Backend& backend) {
  td_error error;
  error.message[0] = 0;
  std::int32_t count = 0;
  const td_status status = backend.table->device_count(&count, &error);
  if (status != TD_OK || count <= 0) {
    backend.problem = backend.path + ": " + (error.message[0] ? error.message : "no device");
    return;
  }
  const bool indexed = count > 1 || backend.name == "cuda";
  for (int i = 0; i < count; ++i) {
    const std::string name = indexed ? backend.name + ":" + std::to_string(i) : backend.name;
    backend.devices.push_back(new DeviceState{backend.table, nullptr, name, backend.name, i, false});
  }
}

Backend& load(const std::string& name) {
  auto* backend = new Backend{.name = name};
  std::string tried;
  for (const std::string& folder : search_path()) {
    const std::string path = folder + "/libtandem_" + name + ".so";
    std::string reason;
    const td_backend* table = load_file<td_backend_entry>(path, name, "backend", TD_BACKEND_ENTRY_NAME,
                                                          offsetof(td_backend, device_count), reason);
    if (table) {
      backend->table = complete_table(*table, path);
      backend->path = path;
      log(TD_LOG_DEBUG, "backend " + name + " loaded from " + path);
      open_devices(*backend);
      return *backend;
    }
    tried += "\n  " + path + ": " + reason;
  }
  backend->problem = "no usable library:" + (tried.empty() ? " there is no folder to search" : tried);
  return *backend;
}

}  // namespace

std::vector<std::string> search_path() {
  std::vector<std::string> folders;
  std::istringstream list(environment("TANDEM_BACKEND_DIR"));
  for (std::string folder; std::getline(list, folder, ':');)
    if (!folder.empty()) folders.push_back(folder);
  if (!own_folder().empty()) folders.push_back(own_folder() + "/" TANDEM_PLUGIN_DIR);
  return folders;
}

std::vector<std::string> installed_backends() {
  std::vector<std::string> names;
  for (const std::string& folder : search_path()) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const std::string file = entry.path().filename().string();
      constexpr std::string_view prefix = "libtandem_", suffix = ".so";
      if (!file.starts_with(prefix) || !file.ends_with(suffix) || file.starts_with("libtandem_layer_")) continue;
      names.push_back(file.substr(prefix.size(), file.size() - prefix.size() - suffix.size()));
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Backend& find_backend(const std::string& name) {
  static std::mutex& mutex = *new std::mutex;
  static auto& backends = *new std::map<std::string, Backend*>;
  std::lock_guard lock(mutex);
  Backend*& slot = backends[name];
  if (!slot) slot = &load(name);
  return *slot;
}

const td_layer_plugin* find_layer(const std::string& name, std::string& text) {
  std::string tried;
  for (const std::string& folder : search_path()) {
    const std::string path = folder + "/libtandem_layer_" + name + ".so";
    std::string reason;
    const td_layer_plugin* plugin =
        load_file<td_layer_entry>(path, name, "layer", TD_LAYER_ENTRY_NAME, offsetof(td_backend, device_count), reason);
    if (plugin) {
      text = path;
      return plugin;
    }
    tried += "\n  " + path + ": " + reason;
  }
  text = tried;
  return nullptr;
}

}  // namespace tandem::detail
