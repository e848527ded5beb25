// What the library offers, as the Array API's namespace info tells it.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include <tandem/data_types.hpp>

namespace tandem {

/// The edition of the Array API standard that the functions follow.
inline constexpr std::string_view array_api_version = "2025.12";

/// What depends on the library in the standard.
struct Capabilities {
  bool boolean_indexing = true;
  bool data_dependent_shapes = true;
  int max_dimensions = Shape::max_ndim;
};

/// dtypes of numbers and positions where nothing else says which.
struct DefaultDTypes {
  DType real_floating = float64;
  DType complex_floating = complex128;
  DType integral = int64;
  DType indexing = int64;
};

/// Which dtypes to list: of one of these kinds, all without any.
struct DTypesOptions {
  std::optional<Device> device = {};
  std::vector<DTypeKind> kind = {};
};

/// The standard's __array_namespace_info__().
class TANDEM_API NamespaceInfo {
 public:
  Capabilities capabilities() const noexcept { return {}; }
  Device default_device() const { return {}; }
  /// The same on every device.
  DefaultDTypes default_dtypes(const std::optional<Device>& = {}) const noexcept { return {}; }
  std::vector<Device> devices() const { return tandem::devices(); }
  /// The standard's thirteen dtypes by name, which every device has; float16 and bfloat16 come on top of these.
  std::vector<std::pair<std::string_view, DType>> dtypes(const DTypesOptions& options = {}) const;
};
inline NamespaceInfo array_namespace_info() noexcept { return {}; }

}  // namespace tandem
