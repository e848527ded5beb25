#include "elements.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "../program/scalar_host.hpp"

namespace tandem::detail {

Target make_target(const td_backend& table, td_device* device) {
  Target target{&table, device, false};
  td_device_info info{};
  target.call(&td_backend::device_info, &info);
  target.shares_host_memory = info.shares_host_memory != 0;
  return target;
}

DeviceBuffer::DeviceBuffer(const Target& target, std::int64_t bytes) : target_(target), bytes_(bytes) {
  void* pointer = nullptr;
  if (bytes > 0) target.call(&td_backend::allocate, bytes, &pointer);
  data_ = static_cast<std::byte*>(pointer);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : target_(other.target_), bytes_(other.bytes_), data_(std::exchange(other.data_, nullptr)) {}

DeviceBuffer::~DeviceBuffer() {
  if (data_) target_.table->free(target_.device, data_, bytes_);
}

void DeviceBuffer::fill_from_host(const void* values) const {
  if (bytes_ > 0)
    target_.call(&td_backend::copy, TD_HOST_TO_DEVICE, static_cast<void*>(data_), values, bytes_);
}

std::vector<std::byte> DeviceBuffer::to_host() const {
  std::vector<std::byte> host(static_cast<std::size_t>(bytes_));
  if (bytes_ > 0)
    target_.call(&td_backend::copy, TD_DEVICE_TO_HOST, static_cast<void*>(host.data()),
                 static_cast<const void*>(data_), bytes_);
  return host;
}

std::int64_t element_count(const td_view& view) {
  std::int64_t n = 1;
  for (int axis = 0; axis < view.ndim; ++axis) n *= view.shape[axis];
  return n;
}

std::int64_t memory_bytes(const td_view& view) {
  if (!view.data) return 0;
  std::int64_t n = itemsize(DType(view.dtype));
  for (int axis = 0; axis < view.ndim; ++axis)
    if (view.strides[axis] != 0) n *= view.shape[axis];
  return n;
}

Extent extent_of(const td_view& view) {
  const std::int64_t size = itemsize(DType(view.dtype));
  Extent extent{0, size};
  for (int axis = 0; axis < view.ndim; ++axis) {
    if (view.shape[axis] == 0) return {0, 0};
    const std::int64_t reach = (view.shape[axis] - 1) * view.strides[axis] * size;
    (reach < 0 ? extent.begin : extent.end) += reach;
  }
  return extent;
}

HostElements::HostElements(const Target& target, const td_view& view) : view_(view) {
  const auto* data = static_cast<const std::byte*>(view.data);
  if (target.shares_host_memory) {
    target.call(&td_backend::synchronize);
    first_ = data;
    return;
  }
  const Extent extent = extent_of(view);
  copy_.resize(static_cast<std::size_t>(extent.end - extent.begin));
  if (!copy_.empty())
    target.call(&td_backend::copy, TD_DEVICE_TO_HOST, static_cast<void*>(copy_.data()),
                static_cast<const void*>(data + extent.begin), extent.end - extent.begin);
  first_ = copy_.data() - extent.begin;
}

bool is_finite(DType dtype, const void* element) noexcept {
  if (!is_inexact(dtype)) return true;
  return with_type(dtype, [&](auto x) {
    std::memcpy(&x, element, sizeof x);
    if constexpr (sizeof x == 2) return bool(scalar::isfinite(scalar::cast<float>(x)));
    else return bool(scalar::isfinite(x));
  });
}

bool is_poison(DType dtype, const void* element) noexcept {
  const auto* bytes = static_cast<const unsigned char*>(element);
  return std::all_of(bytes, bytes + itemsize(dtype), [](unsigned char byte) { return byte == poison; });
}

namespace {

std::string number_text(auto value) {
  char buffer[64];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

}  // namespace

std::string element_text(DType dtype, const void* element) {
  if (is_complex(dtype)) {
    const DType real = real_dtype(dtype);
    return "(" + element_text(real, element) + ", " +
           element_text(real, static_cast<const std::byte*>(element) + itemsize(real)) + ")";
  }
  if (is_bool(dtype)) return *static_cast<const unsigned char*>(element) ? "true" : "false";
  return with_type(dtype, [&](auto x) -> std::string {
    std::memcpy(&x, element, sizeof x);
    if constexpr (std::is_same_v<decltype(x), bool>) return "";  // above
    else if constexpr (std::is_integral_v<decltype(x)> || std::is_same_v<decltype(x), double>) return number_text(x);
    else return number_text(scalar::cast<float>(x));
  });
}

std::string index_text(std::int64_t position, const Shape& shape) {
  Shape index = shape;
  for (int axis = shape.size() - 1; axis >= 0; position /= shape[axis--]) index[axis] = position % shape[axis];
  return to_string(index);
}

}  // namespace tandem::detail
