#include "library.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "device.hpp"

namespace tandem::cuda {
namespace {

/// Folders of CUDA installations, in order; the last, empty one stands for the loader's own search.
std::vector<std::string> folders() {
  std::vector<std::string> roots, list;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = secure_getenv(variable); root != nullptr && root[0] == '/') roots.push_back(root);
  roots.push_back("/usr/local/cuda");
  for (const std::string& root : roots)
    for (const char* folder : {"/lib64/", "/lib/"}) list.push_back(root + folder);
  Dl_info plugin;
  if (dladdr(reinterpret_cast<const void*>(&folders), &plugin) != 0 && plugin.dli_fname != nullptr)
    if (const std::string_view file = plugin.dli_fname; file.rfind('/') != file.npos)
      list.push_back(std::string(file.substr(0, file.rfind('/'))) + "/bundle/");
  list.push_back("");
  return list;
}

/// The file behind an open library, as one of its symbols or the loader's list tells; the name that was asked for if
/// not.
std::string file_of(void* handle, const std::string& asked) {
  char folder[4096];
  if (asked.find('/') != std::string::npos || dlinfo(handle, RTLD_DI_ORIGIN, folder) != 0) return asked;
  return std::string(folder) + "/" + asked;
}

std::string file_name(const char* name, int version) {
  return "lib" + std::string(name) + ".so." + std::to_string(version);
}

}  // namespace

std::string library_file(const char* name, int version) {
  for (const std::string& folder : folders())
    if (!folder.empty() && access((folder + file_name(name, version)).c_str(), R_OK) == 0)
      return folder + file_name(name, version);
  return "";
}

td_status open_library(const char* name, std::initializer_list<int> versions, Library* library, td_error* error) {
  std::string files, problem;
  for (const int version : versions) {
    const std::string file = file_name(name, version);
    for (const std::string& folder : folders()) {
      if (!folder.empty() && access((folder + file).c_str(), R_OK) != 0) continue;
      if (void* handle = dlopen((folder + file).c_str(), RTLD_NOW | RTLD_LOCAL)) {
        *library = {handle, file_of(handle, folder + file)};
        return TD_OK;
      }
      const char* reason = dlerror();
      if (!folder.empty() && reason != nullptr) problem = std::string(": ") + reason;
    }
    files += (files.empty() ? "" : " or ") + file;
  }
  return fail(
      error, TD_UNAVAILABLE,
      "%s cannot be loaded%s; it was looked for in $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, the "
      "bundle beside the plugin and the loader's folders",
      files.c_str(), problem.c_str());
}

td_status find_symbol(const Library& library, const char* symbol, void** address, td_error* error) {
  *address = dlsym(library.handle, symbol);
  return *address ? TD_OK : fail(error, TD_UNAVAILABLE, "%s has no function %s", library.path.c_str(), symbol);
}

}  // namespace tandem::cuda
