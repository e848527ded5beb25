#include "kernel_cache.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tandem::cuda {
namespace {

/// A kernel of one device. Whoever needs it first compiles it, under its own lock; others wait for that one alone.
struct Entry {
  std::mutex mutex;
  cudaKernel_t kernel = nullptr;
};

struct MemoryCache {
  std::mutex mutex;
  std::unordered_map<std::string, std::unique_ptr<Entry>> entries;  // by the device's ordinal, the name and the source
};

Entry& find_entry(const Device& device, std::string_view source, const char* name) {
  static MemoryCache& cache = *new MemoryCache;
  std::string key = std::to_string(device.ordinal);
  key.append(1, '\n').append(name).append(1, '\n').append(source);
  std::lock_guard lock(cache.mutex);
  std::unique_ptr<Entry>& entry = cache.entries[std::move(key)];
  if (!entry) entry = std::make_unique<Entry>();
  return *entry;
}

const DiskCache& disk_cache() {
  static const DiskCache& cache = *new DiskCache(cache_folder());
  return cache;
}

/// Loads an image; the library stays for the life of the process.
td_status load_kernel(const std::string& image, const char* name, cudaKernel_t* kernel, td_error* error) {
  cudaLibrary_t library = nullptr;
  td_status status = check(cudaLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
                           "loading a kernel", error);
  if (status != TD_OK) return status;
  status = check(cudaLibraryGetKernel(kernel, library, name), "finding a kernel", error);
  if (status != TD_OK) (void)cudaLibraryUnload(library);
  return status;
}

td_status make_kernel(Device& device, std::string_view source, const char* name, cudaKernel_t* kernel,
                      td_error* error) {
  Target target;
  if (const td_status status = find_target(device.architecture, &target, error); status != TD_OK) return status;
  const KernelKey key = kernel_key(source, target);
  std::string image;
  // A stored image that the driver does not take is compiled again, like one that is not there.
  td_error ignored;
  if (disk_cache().load(key, &image) && load_kernel(image, name, kernel, &ignored) == TD_OK) return TD_OK;
  if (const td_status status = compile(source, target, &image, error); status != TD_OK) return status;
  const td_status status = load_kernel(image, name, kernel, error);
  if (status == TD_OK) disk_cache().store(key, image);
  return status;
}

}  // namespace

td_status get_kernel(Device& device, std::string_view source, const char* name, cudaKernel_t* kernel, td_error* error) {
  Entry& entry = find_entry(device, source, name);
  std::lock_guard lock(entry.mutex);
  if (entry.kernel == nullptr) {
    const Current current(device);
    if (const td_status status = make_kernel(device, source, name, &entry.kernel, error); status != TD_OK) {
      entry.kernel = nullptr;
      return status;
    }
  }
  *kernel = entry.kernel;
  return TD_OK;
}

td_status compile(std::string_view source, int architecture, std::string* cubin, td_error* error) {
  Target target;
  const td_status status = find_target(architecture, &target, error);
  return status == TD_OK ? compile(source, target, cubin, error) : status;
}

KernelKey kernel_key(std::string_view source, const Target& target) {
  CompilerInfo compiler;
  td_error ignored;
  (void)compiler_info(&compiler, &ignored);
  KernelKey key{std::string(source), "",
                "NVRTC " + std::to_string(compiler.major) + "." + std::to_string(compiler.minor)};
  for (const std::string& option : compiler_options(target)) key.options += option + "\n";
  return key;
}

}  // namespace tandem::cuda
