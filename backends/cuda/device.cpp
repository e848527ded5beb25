// Finding and opening devices; their order of execution, and events in it.
#include "device.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include "memory.hpp"
#include "status.hpp"
#include "transfer.hpp"
#include "verbs.hpp"

namespace tandem::cuda {
namespace {

/// The usable ordinals, asked for again until there are some.
td_status usable_ordinals(std::vector<int>* ordinals, td_error* error) {
  static std::mutex& mutex = *new std::mutex;
  static std::vector<int>& known = *new std::vector<int>;
  if (const td_status status = still_usable(error); status != TD_OK) return status;
  std::lock_guard lock(mutex);
  if (known.empty())
    if (const td_status status = judge(probe(), &known, error); status != TD_OK) return status;
  *ordinals = known;
  return TD_OK;
}

/// What the runtime lacks, or only has among properties that take long to find out: a thread's current context, which
/// may be none, and what a device is called and has.
struct Driver {
  CUresult (*get_current)(CUcontext*) = nullptr;
  CUresult (*set_current)(CUcontext) = nullptr;
  CUresult (*get_device)(CUdevice*, int) = nullptr;
  CUresult (*get_name)(char*, int, CUdevice) = nullptr;
  CUresult (*total_memory)(std::size_t*, CUdevice) = nullptr;
};
Driver driver;  // filled before the first device is opened

template <class Function>
td_status find_in_driver(const char* name, Function* function, td_error* error) {
  constexpr unsigned since = 12000;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  void* address = nullptr;
  const cudaError_t result = cudaGetDriverEntryPointByVersion(name, &address, since, cudaEnableDefault, &found);
  if (const td_status status = check(result, "looking into the driver", error); status != TD_OK) return status;
  if (found != cudaDriverEntryPointSuccess) return fail(error, TD_UNAVAILABLE, "the NVIDIA driver has no %s", name);
  *function = reinterpret_cast<Function>(address);
  return TD_OK;
}

td_status load_driver(td_error* error) {
  if (driver.set_current) return TD_OK;
  td_status status = find_in_driver("cuCtxGetCurrent", &driver.get_current, error);
  if (status == TD_OK) status = find_in_driver("cuDeviceGet", &driver.get_device, error);
  if (status == TD_OK) status = find_in_driver("cuDeviceGetName", &driver.get_name, error);
  if (status == TD_OK) status = find_in_driver("cuDeviceTotalMem", &driver.total_memory, error);
  return status == TD_OK ? find_in_driver("cuCtxSetCurrent", &driver.set_current, error) : status;
}

/// Restores the calling thread's context.
class Previous {
 public:
  Previous() noexcept { (void)driver.get_current(&context_); }
  ~Previous() { (void)driver.set_current(context_); }
  Previous(const Previous&) = delete;
  Previous& operator=(const Previous&) = delete;

 private:
  CUcontext context_ = nullptr;
};

td_status attribute(const Device& device, cudaDeviceAttr which, int* value, td_error* error) {
  return check(cudaDeviceGetAttribute(value, which, device.ordinal), "asking for an attribute of the device", error);
}

td_status read_attributes(Device& device, td_error* error) {
  int major = 0, minor = 0, l2 = 0, shared = 0, pools = 0;
  const std::pair<cudaDeviceAttr, int*> wanted[] = {{cudaDevAttrComputeCapabilityMajor, &major},
                                                    {cudaDevAttrComputeCapabilityMinor, &minor},
                                                    {cudaDevAttrMultiProcessorCount, &device.multiprocessors},
                                                    {cudaDevAttrL2CacheSize, &l2},
                                                    {cudaDevAttrMaxSharedMemoryPerBlockOptin, &shared},
                                                    {cudaDevAttrMemoryPoolsSupported, &pools}};
  for (const auto& [which, value] : wanted)
    if (const td_status status = attribute(device, which, value, error); status != TD_OK) return status;
  device.architecture = 10 * major + minor;
  device.l2_bytes = l2;
  device.shared_bytes_per_block = shared;
  return pools ? TD_OK : fail(error, TD_UNAVAILABLE, "device %d has no memory pools, which are needed", device.ordinal);
}

td_status make_device(int ordinal, Device** made, td_error* error) {
  Stopwatch watch;
  if (const td_status status = load_driver(error); status != TD_OK) return status;
  const Previous restored;
  if (const td_status status = check(cudaSetDevice(ordinal), "opening the device", error); status != TD_OK)
    return status;
  auto* device = new Device{};
  device->ordinal = ordinal;
  (void)driver.get_current(&device->context);
  const double context = watch.lap();
  td_status status = read_attributes(*device, error);
  if (status == TD_OK)
    status = check(cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking), "making the stream", error);
  const double stream = watch.lap();
  if (status == TD_OK) status = make_memory_pool(*device, &device->memory, error);
  if (status == TD_OK) {
    log(TD_LOG_DEBUG,
        "device %d opened: %.2f ms for the context, %.2f ms for attributes and stream, %.2f ms for the pool", ordinal,
        context, stream, watch.lap());
    device->ring = make_ring(*device);
    *made = device;
    return TD_OK;
  }
  if (device->stream) (void)cudaStreamDestroy(device->stream);
  delete device;
  return status;
}

cudaEvent_t event_of(td_event* event) { return reinterpret_cast<cudaEvent_t>(event); }

}  // namespace

Current::Current(const Device& device) noexcept {
  if (driver.get_current(&previous_) != CUDA_SUCCESS || previous_ == device.context) return;
  changed_ = driver.set_current(device.context) == CUDA_SUCCESS;
}

Current::~Current() {
  if (changed_) (void)driver.set_current(previous_);
}

td_status device_count(int32_t* count, td_error* error) {
  std::vector<int> ordinals;
  *count = 0;
  if (const td_status status = usable_ordinals(&ordinals, error); status != TD_OK) return status;
  *count = int32_t(ordinals.size());
  return TD_OK;
}

td_status open_device(int32_t index, td_device** device, td_error* error) {
  static std::mutex& mutex = *new std::mutex;
  static std::vector<Device*>& opened = *new std::vector<Device*>;
  std::vector<int> ordinals;
  if (const td_status status = usable_ordinals(&ordinals, error); status != TD_OK) return status;
  if (index < 0 || std::size_t(index) >= ordinals.size())
    return fail(error, TD_INVALID_ARGUMENT, "there is no device %d; there are %zu", int(index), ordinals.size());
  std::lock_guard lock(mutex);
  opened.resize(ordinals.size());
  Device*& slot = opened[std::size_t(index)];
  if (!slot)
    if (const td_status status = make_device(ordinals[std::size_t(index)], &slot, error); status != TD_OK)
      return status;
  *device = reinterpret_cast<td_device*>(slot);
  return TD_OK;
}

td_status device_info(td_device* device, td_device_info* info, td_error* error) {
  const Device& opened = device_of(device);
  CUdevice number = 0;
  std::size_t memory = 0;
  *info = {};
  if (driver.get_device(&number, opened.ordinal) != CUDA_SUCCESS ||
      driver.get_name(info->name, int(sizeof info->name), number) != CUDA_SUCCESS ||
      driver.total_memory(&memory, number) != CUDA_SUCCESS)
    return fail(error, TD_INTERNAL, "the driver does not say what device %d is", opened.ordinal);
  info->total_memory = int64_t(memory);
  info->units = opened.multiprocessors;
  info->shares_host_memory = 0;
  return TD_OK;
}

td_status synchronize(td_device* device, td_error* error) {
  const Current current(device_of(device));
  return check(cudaStreamSynchronize(device_of(device).stream), "waiting for the device", error);
}

td_status event_create(td_device* device, td_event** event, td_error* error) {
  const Current current(device_of(device));
  cudaEvent_t made = nullptr;
  const td_status status = check(cudaEventCreateWithFlags(&made, cudaEventDefault), "making an event", error);
  *event = reinterpret_cast<td_event*>(made);
  return status;
}

void event_destroy(td_device*, td_event* event) {
  if (event != nullptr && cudaEventDestroy(event_of(event)) != cudaSuccess) (void)cudaGetLastError();
}

td_status event_record(td_device* device, td_event* event, td_error* error) {
  const Current current(device_of(device));
  return check(cudaEventRecord(event_of(event), device_of(device).stream), "recording an event", error);
}

td_status event_synchronize(td_device* device, td_event* event, td_error* error) {
  const Current current(device_of(device));
  return check(cudaEventSynchronize(event_of(event)), "waiting for an event", error);
}

td_status event_elapsed(td_device* device, td_event* begin, td_event* end, double* seconds, td_error* error) {
  const Current current(device_of(device));
  float milliseconds = 0;
  const td_status status = check(cudaEventElapsedTime(&milliseconds, event_of(begin), event_of(end)),
                                 "measuring the time between events", error);
  *seconds = milliseconds * 1e-3;
  return status;
}

}  // namespace tandem::cuda
