// The verbs select and searchsorted.
#include "packing.hpp"
#include "select_kernels.hpp"
#include "sort_words.hpp"
#include "verbs.hpp"

namespace tandem::cuda {

td_status select(td_device* handle, const td_view* x, const td_view* mask, const td_view* out, td_error* error) {
  Device& device = device_of(handle);
  const Current current(device);
  const std::int64_t count = element_count(*mask);
  const auto* const conditions = static_cast<const std::uint8_t*>(mask->data);
  Scratch found(device, sizeof(std::int64_t), error);
  if (!found) return TD_OUT_OF_MEMORY;
  auto* const positions = static_cast<std::int64_t*>(out->data);
  const td_status status = with_memory(device, "a selection", error, [&](void* memory, std::size_t* bytes) {
    return x->data != nullptr
               ? select_elements(device.stream, memory, bytes, int(item_bytes(x->dtype)), x->data, conditions, count,
                                 out->data, found.as<std::int64_t>())
               : select_positions(device.stream, memory, bytes, conditions, count, positions, found.as<std::int64_t>());
  });
  if (status != TD_OK || x->data != nullptr || is_contiguous(*x)) return status;
  Axes axes;
  for (int i = 0; i < x->ndim; ++i) axes.add(x->shape[i], x->strides[i]);
  return check(positions_to_offsets(device.stream, axes, positions, out->shape[0]), "launch of index arithmetic", error);
}

td_status searchsorted(td_device* handle, const td_view* sorted, const td_view* values, int32_t right,
                       const td_view* out, td_error* error) {
  Device& device = device_of(handle);
  const Current current(device);
  return check(search_sorted(device.stream, values->dtype, sorted->data, sorted->shape[0], values->data,
                             element_count(*values), right != 0, static_cast<std::int64_t*>(out->data)),
               "launch of a search", error);
}

}  // namespace tandem::cuda
