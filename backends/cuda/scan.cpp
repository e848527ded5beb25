// The verb scan: one pass over memory, in which tiles wait for the totals of those before them (scan_plan.hpp).
#include "packing.hpp"
#include "scan_kernels.hpp"
#include "verbs.hpp"

namespace tandem::cuda {

td_status scan(td_device* handle, const td_view* x, int32_t axis, td_reduction reduction, const td_view* out,
               td_error* error) {
  Device& device = device_of(handle);
  const Current current(device);
  std::int64_t outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) outer *= x->shape[i];
  for (int i = axis + 1; i < x->ndim; ++i) inner *= x->shape[i];
  const ScanPlan plan = plan_scan(outer, x->shape[axis], inner, axis > 0 ? out->strides[axis - 1] : 0);

  const std::int64_t words = plan.strands() * plan.places * plan.width * (item_bytes(x->dtype) / 4);
  const std::int64_t bytes = (1 + words) * std::int64_t{sizeof(unsigned long long)};
  Scratch memory(device, bytes, error);
  if (!memory) return TD_OUT_OF_MEMORY;
  const ScanBoard board{memory.as<unsigned long long>() + 1, memory.as<unsigned long long>()};
  if (plan.tiles > 1) {
    const td_status status = check(cudaMemsetAsync(memory.as<void>(), 0, std::size_t(bytes), device.stream),
                                   "clearing memory", error);
    if (status != TD_OK) return status;
  }
  const cudaError_t result = scan(device.stream, plan, reduction, x->dtype, x->data, out->data, board);
  if (result == cudaErrorInvalidValue) {
    (void)cudaGetLastError();
    return fail(error, TD_NOT_SUPPORTED, "no scan %d of dtype %d", reduction, x->dtype);
  }
  return check(result, "launch of a scan", error);
}

}  // namespace tandem::cuda
