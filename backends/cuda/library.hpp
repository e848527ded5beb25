// NVIDIA's libraries, opened when they are first needed: the plugin itself links none of them.
#pragma once

#include <initializer_list>
#include <string>

#include <tandem/backend.h>

namespace tandem::cuda {

/// A library that stays open for the life of the process.
struct Library {
  void* handle = nullptr;
  std::string path;  // of the file that the loader took
};

/// Opens lib<name>.so.<version> for the first version that is found: in lib64 and lib of $CUDA_HOME, of $CUDA_PATH and
/// of /usr/local/cuda, in the bundle beside the plugin, then where the loader looks. TD_UNAVAILABLE names the library
/// and where it was looked for.
td_status open_library(const char* name, std::initializer_list<int> versions, Library* library, td_error* error);

/// The file of lib<name>.so.<version> that open_library() tries first, if that can be told without the loader; empty if
/// not.
std::string library_file(const char* name, int version);

/// The function `symbol` of a library, for `if ((status = find_symbol(...)) != TD_OK)`; TD_UNAVAILABLE if it lacks it.
td_status find_symbol(const Library& library, const char* symbol, void** address, td_error* error);

template <class Function>
td_status find_symbol(const Library& library, const char* symbol, Function** function, td_error* error) {
  void* address = nullptr;
  const td_status status = find_symbol(library, symbol, &address, error);
  *function = reinterpret_cast<Function*>(address);
  return status;
}

}  // namespace tandem::cuda
