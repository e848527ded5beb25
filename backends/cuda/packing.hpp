// Contiguous copies of views, for what takes no strides.
#pragma once

#include "device.hpp"

namespace tandem::cuda {

/// Bytes of an element.
std::int64_t item_bytes(td_dtype dtype);
/// Product of the lengths.
std::int64_t element_count(const td_view& view);
/// Whether the elements lie one after the other in row-major order.
bool is_contiguous(const td_view& view);

/// Copies the elements of a view, which is not empty, to `to` in row-major order.
td_status pack(Device& device, const td_view& view, void* to, td_error* error);

}  // namespace tandem::cuda
