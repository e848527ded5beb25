// Device memory: lists of free blocks by size, which answer without the driver, in front of a memory pool of the
// driver, which joins and splits what the lists cannot use. All of a device's work is on one stream, so a freed block
// may be handed out again at once.
#include "memory.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "status.hpp"
#include "verbs.hpp"

namespace tandem::cuda {

/// Guarded by the mutex.
struct MemoryPool {
  std::mutex mutex;
  cudaMemPool_t pool = nullptr;
  std::unordered_map<int64_t, std::vector<void*>> free_blocks;  // by block_size
  int64_t free_bytes = 0;      // in the lists
  int64_t occupied_bytes = 0;  // block sizes of live arrays
  int64_t lists_limit = 0;     // of free_bytes
  int64_t device_bytes = 0;    // all that the device has
  td_memory_stats stats{};     // cached_bytes is worked out when asked for
};

namespace {

constexpr int64_t largest_request = int64_t{1} << 60;

/// Whether blocks are to be as compute-sanitizer wants them: none is handed out twice, padding is cleared.
bool checked() noexcept {
  static const bool is_checked = [] {
    const char* value = std::getenv("TANDEM_CUDA_CHECK");
    return value != nullptr && std::string_view(value) == "1";
  }();
  return is_checked;
}

/// Gives the lists' blocks to the driver's pool.
void drop_lists(const Device& device, MemoryPool& memory) {
  for (auto& [size, blocks] : memory.free_blocks)
    for (void* block : blocks)
      if (cudaFreeAsync(block, device.stream) != cudaSuccess) (void)cudaGetLastError();
  memory.free_blocks.clear();
  memory.free_bytes = 0;
}

/// Gives everything that is not in use back to the system.
cudaError_t release_all(const Device& device, MemoryPool& memory) {
  drop_lists(device, memory);
  if (const cudaError_t result = cudaStreamSynchronize(device.stream); result != cudaSuccess) return result;
  return cudaMemPoolTrimTo(memory.pool, 0);
}

int64_t reserved_bytes(const MemoryPool& memory) {
  std::uint64_t reserved = 0;
  if (cudaMemPoolGetAttribute(memory.pool, cudaMemPoolAttrReservedMemCurrent, &reserved) != cudaSuccess) {
    (void)cudaGetLastError();
    return memory.occupied_bytes + memory.free_bytes;
  }
  return int64_t(reserved);
}

td_status out_of_memory(const MemoryPool& memory, int64_t bytes, td_error* error) {
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) (void)cudaGetLastError();
  return fail(
      error, TD_OUT_OF_MEMORY,
      "out of memory: %lld bytes requested, %lld in use, %lld cached, limit %lld; the device has %zu of %zu bytes "
      "free",
      static_cast<long long>(bytes), static_cast<long long>(memory.stats.used_bytes),
      static_cast<long long>(std::max<int64_t>(reserved_bytes(memory) - memory.occupied_bytes, 0)),
      static_cast<long long>(memory.stats.limit_bytes), free, total);
}

/// A block that no list has, from the driver: what is cached goes first, if it stands in the way.
td_status allocate_block(const Device& device, MemoryPool& memory, int64_t size, void** pointer, int64_t bytes,
                         td_error* error) {
  // The driver's pool would first take all that there is, from other processes, too.
  if (size > memory.device_bytes) return out_of_memory(memory, bytes, error);
  const int64_t limit = memory.stats.limit_bytes;
  if (limit != 0 && memory.free_bytes > 0 && memory.occupied_bytes + memory.free_bytes + size > limit)
    if (const td_status status = check(release_all(device, memory), "giving back memory", error); status != TD_OK)
      return status;
  Stopwatch watch;
  const auto attempt = [&] { return cudaMallocFromPoolAsync(pointer, std::size_t(size), memory.pool, device.stream); };
  cudaError_t result = attempt();
  if (result == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    if (const td_status status = check(release_all(device, memory), "giving back memory", error); status != TD_OK)
      return status;
    result = attempt();
  }
  if (result == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    *pointer = nullptr;
    return out_of_memory(memory, bytes, error);
  }
  if (result == cudaSuccess)
    log(TD_LOG_DEBUG, "%lld bytes from the driver: %.2f ms", static_cast<long long>(size), watch.lap());
  if (result == cudaSuccess && checked())
    result = cudaMemsetAsync(static_cast<char*>(*pointer) + bytes, 0, std::size_t(size - bytes), device.stream);
  return check(result, "allocating memory", error);
}

}  // namespace

int64_t block_size(int64_t bytes) {
  const int64_t size = bytes + TD_PADDING;
  const int log2 = int(std::bit_width(std::uint64_t(size - 1))) - 1;  // 2^log2 < size <= 2^(log2 + 1)
  const int64_t step = std::clamp(int64_t{1} << std::max(log2 - 3, 0), int64_t{512}, int64_t{2} << 20);
  return (size + step - 1) / step * step;
}

td_status make_memory_pool(const Device& device, MemoryPool** pool, td_error* error) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypeNone;
  properties.location = {.type = cudaMemLocationTypeDevice, .id = device.ordinal};
  auto* memory = new MemoryPool;
  td_status status = check(cudaMemPoolCreate(&memory->pool, &properties), "making the memory pool", error);
  if (status == TD_OK) {
    std::uint64_t keep_all = UINT64_MAX;
    status = check(cudaMemPoolSetAttribute(memory->pool, cudaMemPoolAttrReleaseThreshold, &keep_all),
                   "setting up the memory pool", error);
  }
  std::size_t free = 0, total = 0;
  if (status == TD_OK) status = check(cudaMemGetInfo(&free, &total), "asking for the device's memory", error);
  if (status != TD_OK) {
    if (memory->pool) (void)cudaMemPoolDestroy(memory->pool);
    delete memory;
    return status;
  }
  memory->lists_limit = checked() ? 0 : int64_t(total / 4);
  memory->device_bytes = int64_t(total);
  *pool = memory;
  return TD_OK;
}

td_status allocate(td_device* handle, int64_t bytes, void** pointer, td_error* error) {
  Device& device = device_of(handle);
  MemoryPool& memory = *device.memory;
  *pointer = nullptr;
  if (bytes < 0) return fail(error, TD_INVALID_ARGUMENT, "%lld bytes requested", static_cast<long long>(bytes));
  std::lock_guard lock(memory.mutex);
  td_memory_stats& stats = memory.stats;
  const bool too_much = stats.limit_bytes != 0 && bytes > stats.limit_bytes - stats.used_bytes;
  if (bytes > largest_request || too_much) {
    const Current current(device);
    return out_of_memory(memory, bytes, error);
  }
  const int64_t size = block_size(bytes);
  if (const auto found = memory.free_blocks.find(size); found != memory.free_blocks.end() && !found->second.empty()) {
    *pointer = found->second.back();
    found->second.pop_back();
    memory.free_bytes -= size;
    ++stats.cache_hits;
  } else {
    const Current current(device);
    if (const td_status status = allocate_block(device, memory, size, pointer, bytes, error); status != TD_OK)
      return status;
  }
  memory.occupied_bytes += size;
  stats.used_bytes += bytes;
  stats.peak_bytes = std::max(stats.peak_bytes, stats.used_bytes);
  ++stats.allocations;
  return TD_OK;
}

void free(td_device* handle, void* pointer, int64_t bytes) {
  if (pointer == nullptr) return;
  Device& device = device_of(handle);
  MemoryPool& memory = *device.memory;
  const int64_t size = block_size(bytes);
  std::lock_guard lock(memory.mutex);
  memory.occupied_bytes -= size;
  memory.stats.used_bytes -= bytes;
  if (memory.free_bytes + size <= memory.lists_limit) {
    try {
      memory.free_blocks[size].push_back(pointer);
      memory.free_bytes += size;
      return;
    } catch (const std::bad_alloc&) {  // then the driver keeps it
    }
  }
  const Current current(device);
  if (cudaFreeAsync(pointer, device.stream) != cudaSuccess) (void)cudaGetLastError();
}

td_status memory_stats(td_device* handle, td_memory_stats* stats, td_error*) {
  MemoryPool& memory = *device_of(handle).memory;
  const Current current(device_of(handle));
  std::lock_guard lock(memory.mutex);
  *stats = memory.stats;
  stats->cached_bytes = std::max<int64_t>(reserved_bytes(memory) - memory.occupied_bytes, 0);
  return TD_OK;
}

td_status trim(td_device* handle, td_error* error) {
  MemoryPool& memory = *device_of(handle).memory;
  const Current current(device_of(handle));
  std::lock_guard lock(memory.mutex);
  return check(release_all(device_of(handle), memory), "giving back memory", error);
}

td_status set_memory_limit(td_device* handle, int64_t bytes, td_error*) {
  MemoryPool& memory = *device_of(handle).memory;
  std::lock_guard lock(memory.mutex);
  memory.stats.limit_bytes = std::max<int64_t>(bytes, 0);
  return TD_OK;
}

Scratch::Scratch(Device& device, std::int64_t bytes, td_error* error) noexcept : device_(device), bytes_(bytes) {
  (void)allocate(reinterpret_cast<td_device*>(&device), bytes, &data_, error);
}

Scratch::~Scratch() {
  if (data_) free(reinterpret_cast<td_device*>(&device_), data_, bytes_);
}

}  // namespace tandem::cuda
