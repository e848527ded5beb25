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
  // Complex elements are moved as wholes, which may want more alignment than their parts.
  const std::int64_t item = item_bytes(x->dtype);
  const bool misaligned = reinterpret_cast<std::uintptr_t>(x->data) % std::uintptr_t(item) != 0;
  Scratch found(device, sizeof(std::int64_t), error), copy(device, misaligned ? count * item : 0, error);
  if (!found || !copy) return TD_OUT_OF_MEMORY;
  if (misaligned)
    if (const td_status status = pack(device, *x, copy.as<void>(), error); status != TD_OK) return status;
  const void* const elements = misaligned ? copy.as<void>() : x->data;
  auto* const positions = static_cast<std::int64_t*>(out->data);
  const td_status status = with_memory(device, "a selection", error, [&](void* memory, std::size_t* bytes) {
    return x->data != nullptr
               ? select_elements(device.stream, memory, bytes, int(item), elements, conditions, count, out->data,
                                 found.as<std::int64_t>())
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
