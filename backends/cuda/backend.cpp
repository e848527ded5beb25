// The CUDA backend's table.
#include <library_types.h>

#include <exception>
#include <new>
#include <string>
#include <tuple>
#include <vector>

#include "disk_cache.hpp"
#include "library.hpp"
#include "nvrtc.hpp"
#include "status.hpp"
#include "verbs.hpp"

namespace tandem::cuda {
namespace {

/// A verb as the table has it: refuses once CUDA has come to its end, and lets no exception out.
template <auto verb> struct Guarded;

template <class... Arguments, td_status (*verb)(Arguments...)>
struct Guarded<verb> {
  static td_status call(Arguments... arguments) noexcept {
    td_error* const error = std::get<sizeof...(Arguments) - 1>(std::tie(arguments...));
    if (const td_status status = still_usable(error); status != TD_OK) return status;
    try {
      return verb(arguments...);
    } catch (const std::bad_alloc&) {
      return fail(error, TD_OUT_OF_MEMORY, "the host has no memory left");
    } catch (const std::exception& exception) {
      return fail(error, TD_INTERNAL, "%s", exception.what());
    } catch (...) {
      return fail(error, TD_INTERNAL, "an exception of an unknown type");
    }
  }
};

template <class... Arguments, void (*verb)(Arguments...)>
struct Guarded<verb> {
  static void call(Arguments... arguments) noexcept {
    if (still_usable(nullptr) == TD_OK) verb(arguments...);
  }
};

std::string version_text(int version) {
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void describe_compiler(td_info_sink sink, void* user) {
  CompilerInfo compiler;
  td_error error;
  if (compiler_info(&compiler, &error) == TD_OK)
    sink(user, "NVRTC",
         (std::to_string(compiler.major) + "." + std::to_string(compiler.minor) + ", " + compiler.path).c_str());
  else
    sink(user, "NVRTC", error.message);
}

/// A library's version, as its function `symbol` tells it, and file.
void describe_library(td_info_sink sink, void* user, const char* key, const char* name,
                      std::initializer_list<int> versions, const char* symbol) {
  Library library;
  td_error error;
  int (*get)(libraryPropertyType, int*) = nullptr;
  td_status status = open_library(name, versions, &library, &error);
  if (status == TD_OK) status = find_symbol(library, symbol, &get, &error);
  if (status != TD_OK) return sink(user, key, error.message);
  std::string version;
  for (const auto part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int number = 0;
    (void)get(part, &number);
    version += (version.empty() ? "" : ".") + std::to_string(number);
  }
  sink(user, key, (version + ", " + library.path).c_str());
}

void describe_devices(td_info_sink sink, void* user, const std::vector<int>& ordinals) {
  for (std::size_t i = 0; i < ordinals.size(); ++i) {
    cudaDeviceProp properties;
    td_error error;
    std::string text;
    if (check(cudaGetDeviceProperties(&properties, ordinals[i]), "asking for the device's properties", &error) == TD_OK)
      text = std::string(properties.name) + ", compute capability " + std::to_string(properties.major) + "." +
             std::to_string(properties.minor) + ", " + std::to_string(properties.multiProcessorCount) +
             " multiprocessors, " + std::to_string(properties.totalGlobalMem >> 20) + " MiB";
    sink(user, ("cuda:" + std::to_string(i)).c_str(), text.empty() ? error.message : text.c_str());
  }
}

td_status describe(td_info_sink sink, void* user, td_error* error) noexcept {
  try {
    std::vector<int> ordinals;
    td_error reason;
    sink(user, "runtime", (version_text(CUDART_VERSION) + ", built in").c_str());
    if (still_usable(&reason) != TD_OK) {
      sink(user, "state", reason.message);
      return TD_OK;
    }
    const Probe found = probe();
    sink(user, "driver", found.driver_version == 0 ? "none" : version_text(found.driver_version).c_str());
    describe_compiler(sink, user);
    const std::string folder = cache_folder();
    sink(user, "kernel cache", folder.empty() ? "none" : folder.c_str());
    if (judge(found, &ordinals, &reason) != TD_OK) {
      sink(user, "state", reason.message);
      return TD_OK;
    }
    // These take half a second to load, and serve nobody without a device.
    describe_library(sink, user, "cuBLAS", "cublas", {13, 12}, "cublasGetProperty");
    describe_library(sink, user, "cuFFT", "cufft", {12, 11}, "cufftGetProperty");
    describe_devices(sink, user, ordinals);
    return TD_OK;
  } catch (...) {
    return fail(error, TD_OUT_OF_MEMORY, "the host has no memory left");
  }
}

}  // namespace
}  // namespace tandem::cuda

extern "C" const td_backend* tandem_backend(const td_host* host) {
  using namespace tandem::cuda;
#define TD_GUARDED(verb) .verb = Guarded<tandem::cuda::verb>::call
  static const td_backend table{
      .abi_version = TD_ABI_VERSION,
      .struct_size = sizeof(td_backend),
      .name = "cuda",
      .version = TANDEM_VERSION,
      TD_GUARDED(device_count),
      TD_GUARDED(open_device),
      TD_GUARDED(device_info),
      .describe = describe,
      TD_GUARDED(allocate),
      TD_GUARDED(free),
      TD_GUARDED(copy),
      TD_GUARDED(memory_stats),
      TD_GUARDED(trim),
      TD_GUARDED(set_memory_limit),
      TD_GUARDED(synchronize),
      TD_GUARDED(event_create),
      TD_GUARDED(event_destroy),
      TD_GUARDED(event_record),
      TD_GUARDED(event_synchronize),
      TD_GUARDED(event_elapsed),
      TD_GUARDED(run_program),
      TD_GUARDED(matmul),
      TD_GUARDED(sort),
      TD_GUARDED(random),
      TD_GUARDED(cholesky),
      TD_GUARDED(gather),
      TD_GUARDED(scatter),
      TD_GUARDED(select),
      TD_GUARDED(scan),
      TD_GUARDED(searchsorted),
      TD_GUARDED(lu),
      TD_GUARDED(solve),
      TD_GUARDED(qr),
      TD_GUARDED(svd),
      TD_GUARDED(eigh),
      TD_GUARDED(eig),
      TD_GUARDED(fft),
      TD_GUARDED(gather_checked),
  };
#undef TD_GUARDED
  set_host(host);
  return &table;
}
