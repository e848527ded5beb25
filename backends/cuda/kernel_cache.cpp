#include "kernel_cache.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tandem::cuda {
namespace {

/// The code of a source for one device. Whoever needs it first compiles it, under its own lock; others wait for that
/// one alone.
struct Entry {
  std::mutex mutex;
  cudaLibrary_t library = nullptr;
};

struct MemoryCache {
  std::mutex mutex;
  std::unordered_map<std::string, std::unique_ptr<Entry>> entries;  // by the device's ordinal and the source
};

Entry& find_entry(const Device& device, std::string_view source) {
  static MemoryCache& cache = *new MemoryCache;
  std::string key = std::to_string(device.ordinal);
  key.append(1, '\n').append(source);
  std::lock_guard lock(cache.mutex);
  std::unique_ptr<Entry>& entry = cache.entries[std::move(key)];
  if (!entry) entry = std::make_unique<Entry>();
  return *entry;
}

const DiskCache& disk_cache() {
  static const DiskCache& cache = *new DiskCache(cache_folder());
  return cache;
}

/// Loads an image, and makes sure that it has the kernel; the library stays for the life of the process.
td_status load_image(const std::string& image, const char* name, cudaLibrary_t* library, td_error* error) {
  td_status status = check(cudaLibraryLoadData(library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
                           "loading a kernel", error);
  cudaKernel_t kernel;
  if (status == TD_OK) {
    status = check(cudaLibraryGetKernel(&kernel, *library, name), "finding a kernel", error);
    if (status != TD_OK) (void)cudaLibraryUnload(*library);
  }
  if (status != TD_OK) *library = nullptr;
  return status;
}

td_status make_library(Device& device, std::string_view source, const char* name, cudaLibrary_t* library,
                       td_error* error) {
  Stopwatch watch;
  const KernelKey key = kernel_key(source, device.architecture);
  std::string image;
  // A stored image that the driver does not take is compiled again, like one that is not there.
  td_error ignored;
  const bool found = disk_cache().load(key, &image);
  const double looking = watch.lap();
  if (found && load_image(image, name, library, &ignored) == TD_OK) {
    log(TD_LOG_DEBUG, "a kernel from disk: %.2f ms to read it, %.2f ms to load it", looking, watch.lap());
    return TD_OK;
  }
  Target target;
  if (const td_status status = find_target(device.architecture, &target, error); status != TD_OK) return status;
  const double finding = watch.lap();
  if (const td_status status = compile(source, target, &image, error); status != TD_OK) return status;
  const double compiling = watch.lap();
  if (const td_status status = load_image(image, name, library, error); status != TD_OK) return status;
  const double loading = watch.lap();
  disk_cache().store(key, image);
  log(TD_LOG_DEBUG,
      "a new kernel: %.2f ms to look for it on disk, %.2f ms to find the compiler, %.2f ms to compile it, %.2f ms to "
      "load it, %.2f ms to store it",
      looking, finding, compiling, loading, watch.lap());
  return TD_OK;
}

}  // namespace

td_status get_kernel(Device& device, std::string_view source, const char* name, cudaKernel_t* kernel, td_error* error) {
  Entry& entry = find_entry(device, source);
  std::lock_guard lock(entry.mutex);
  const Current current(device);
  if (entry.library == nullptr)
    if (const td_status status = make_library(device, source, name, &entry.library, error); status != TD_OK)
      return status;
  return check(cudaLibraryGetKernel(kernel, entry.library, name), "finding a kernel", error);
}

td_status compile(std::string_view source, int architecture, std::string* cubin, td_error* error) {
  Target target;
  const td_status status = find_target(architecture, &target, error);
  return status == TD_OK ? compile(source, target, cubin, error) : status;
}

KernelKey kernel_key(std::string_view source, int architecture) {
  KernelKey key{std::string(source), "for sm_" + std::to_string(architecture) + "\n", compiler_identity()};
  for (const std::string& option : common_options()) key.options += option + "\n";
  return key;
}

}  // namespace tandem::cuda
