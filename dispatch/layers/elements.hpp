// Elements of arrays as layers look at them: on the host, whatever the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <tandem/backend.h>
#include <tandem/dtype.hpp>
#include <tandem/shape.hpp>

#include "../registry/verbs.hpp"

namespace tandem::detail {

/// A device whose verbs a layer calls by itself; what fails is thrown as std::runtime_error.
struct Target {
  const td_backend* table;
  td_device* device;
  bool shares_host_memory;

  template <class Member, class... Arguments>
  void call(Member member, Arguments... arguments) const {
    td_error error;
    error.message[0] = 0;
    if ((table->*member)(device, arguments..., &error) != TD_OK)
      throw std::runtime_error(error.message[0] ? error.message : "a verb that the layer called failed");
  }
};

/// Asks the device whether it shares the host's memory.
Target make_target(const td_backend& table, td_device* device);

/// Memory of a device for the time of a call.
class DeviceBuffer {
 public:
  DeviceBuffer(const Target& target, std::int64_t bytes);
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer(const DeviceBuffer&) = delete;
  ~DeviceBuffer();
  std::byte* data() const noexcept { return data_; }
  void fill_from_host(const void* values) const;
  std::vector<std::byte> to_host() const;

 private:
  Target target_;
  std::int64_t bytes_;
  std::byte* data_ = nullptr;
};

/// Where a view's elements lie: bytes from `data`, from the first one's begin to the last one's end.
struct Extent {
  std::int64_t begin, end;
};
Extent extent_of(const td_view& view);

std::int64_t element_count(const td_view& view);
/// Bytes that reading every element takes, those of repeated ones once.
std::int64_t memory_bytes(const td_view& view);

/// The elements of a view, where the host can read them; waits for the device.
class HostElements {
 public:
  HostElements(const Target& target, const td_view& view);
  /// Of a view of the host's own memory.
  explicit HostElements(const td_view& view) : view_(view), first_(static_cast<const std::byte*>(view.data)) {}

  /// Calls function(const std::byte* element, std::int64_t position) in row-major order until it returns false.
  template <class Function>
  void for_each(Function&& function) const {
    std::int64_t index[TD_MAX_NDIM] = {};
    const std::byte* at = first_;
    const std::int64_t size = itemsize(DType(view_.dtype));
    for (std::int64_t position = 0, n = element_count(view_); position < n; ++position) {
      if (!function(at, position)) return;
      for (int axis = view_.ndim - 1; axis >= 0; --axis) {
        at += view_.strides[axis] * size;
        if (++index[axis] < view_.shape[axis]) break;
        at -= view_.strides[axis] * size * view_.shape[axis];
        index[axis] = 0;
      }
    }
  }

 private:
  td_view view_;
  std::vector<std::byte> copy_;
  const std::byte* first_;
};

bool is_finite(DType dtype, const void* element) noexcept;

/// What the check layer fills new memory with: NaN in every floating-point dtype.
inline constexpr unsigned char poison = 0xff;
bool is_poison(DType dtype, const void* element) noexcept;

/// The shortest text that tells the value from its neighbours.
std::string element_text(DType dtype, const void* element);

/// "(3, 4)" for the row-major position in a shape.
std::string index_text(std::int64_t position, const Shape& shape);

}  // namespace tandem::detail
