#include <tandem/dlpack_abi.h>

#include <tandem/dlpack.hpp>

#include <cstdlib>
#include <memory>

#include "../array/node.hpp"
#include "../array/shape_rules.hpp"
#include "../functions/common.hpp"

namespace tandem {
namespace {

using detail::fail;
using detail::FunctionName;

struct TypeRow {
  DType dtype;
  DLDataTypeCode code;
};
constexpr TypeRow types[] = {{bool_, kDLBool},     {int8, kDLInt},      {int16, kDLInt},        {int32, kDLInt},
                             {int64, kDLInt},      {uint8, kDLUInt},    {uint16, kDLUInt},      {uint32, kDLUInt},
                             {uint64, kDLUInt},    {float16, kDLFloat}, {bfloat16, kDLBfloat},  {float32, kDLFloat},
                             {float64, kDLFloat},  {complex64, kDLComplex}, {complex128, kDLComplex}};

// ---- export ----

/// What an exported tensor shows and owns.
template <class Tensor> struct Exported {
  Array array;
  Shape shape, strides;
  Tensor tensor{};
};

DLDevice dlpack_device(const Device& device) {
  if (device.shares_host_memory()) return {kDLCPU, 0};
  if (device.backend() == "cuda") return {kDLCUDA, device.index()};
  fail<NotSupported>("to_dlpack", "DLPack knows no device like " + device.name());
}

template <class Tensor> Exported<Tensor>& make_exported(Array&& array) {
  const DLDevice device = dlpack_device(array.device());
  const Shape shape = array.shape(), strides = array.strides();
  std::unique_ptr<Exported<Tensor>> exported(new Exported<Tensor>{std::move(array), shape, strides});
  exported->array.device().synchronize();
  DLTensor& shown = exported->tensor.dl_tensor;
  shown.data = const_cast<void*>(exported->array.data());
  shown.device = device;
  shown.ndim = exported->shape.size();
  for (const TypeRow& row : types)
    if (row.dtype == exported->array.dtype())
      shown.dtype = {static_cast<std::uint8_t>(row.code), static_cast<std::uint8_t>(8 * itemsize(row.dtype)), 1};
  shown.shape = exported->shape.data();
  shown.strides = exported->strides.data();
  exported->tensor.manager_ctx = exported.get();
  exported->tensor.deleter = [](Tensor* self) { delete static_cast<Exported<Tensor>*>(self->manager_ctx); };
  return *exported.release();
}

// ---- import ----

const char* code_name(int code) {
  constexpr const char* names[] = {"int", "uint", "float", "opaque handle", "bfloat", "complex", "bool"};
  return code < static_cast<int>(std::size(names)) ? names[code] : "unknown";
}

DType dtype_of_tensor(const DLDataType& type) {
  if (type.lanes != 1)
    fail("from_dlpack", "elements are vectors of " + std::to_string(type.lanes) + " lanes; Tandem has numbers");
  for (const TypeRow& row : types)
    if (row.code == type.code && 8 * itemsize(row.dtype) == type.bits) return row.dtype;
  fail("from_dlpack", "dtype " + std::string(code_name(type.code)) + " (code " + std::to_string(type.code) + ") of " +
                          std::to_string(type.bits) + " bits is none of Tandem's");
}

Device device_of_tensor(const DLDevice& device, const std::optional<Device>& wanted) {
  switch (device.device_type) {
    case kDLCPU:
    case kDLCUDAHost: {
      if (wanted && wanted->shares_host_memory()) return *wanted;
      const Device standard;
      return standard.shares_host_memory() ? standard : Device("cpu");
    }
    case kDLCUDA:
    case kDLCUDAManaged: return Device("cuda:" + std::to_string(device.device_id));
    default:
      fail("from_dlpack", "device type " + std::to_string(static_cast<int>(device.device_type)) +
                              " is none of Tandem's; host memory and CUDA's are");
  }
}

Shape lengths(const char* what, const std::int64_t* values, int ndim) {
  if (ndim > 0 && !values) fail("from_dlpack", std::string(what) + " is null with " + std::to_string(ndim) + " axes");
  return Shape(values, ndim);
}

/// Throws unless all elements lie within what addresses can reach from the first one.
void check_reach(DType dtype, const Shape& shape, const Shape& strides) {
  std::int64_t reach = itemsize(dtype);
  for (int axis = 0; axis < shape.size(); ++axis) {
    std::int64_t extent;
    if (strides[axis] == INT64_MIN || __builtin_mul_overflow(shape[axis] - 1, std::abs(strides[axis]), &extent) ||
        __builtin_mul_overflow(extent, itemsize(dtype), &extent) || __builtin_add_overflow(reach, extent, &reach))
      fail("from_dlpack", "shape " + to_string(shape) + " with strides " + to_string(strides) + " of " +
                              std::string(name(dtype)) + " has more bytes than can be counted");
  }
}

/// Calls a tensor's deleter when it goes, after what the device still does with the memory.
template <class Tensor> class Owner {
 public:
  explicit Owner(Tensor* tensor) noexcept : tensor_(tensor) {}
  Owner(const Owner&) = delete;
  ~Owner() {
    if (device_) {
      td_error ignored;
      device_->table->synchronize(device_->handle, &ignored);
    }
    if (tensor_->deleter) tensor_->deleter(tensor_);
  }
  void used_on(const Device& device) noexcept { device_ = device.state(); }

 private:
  Tensor* tensor_;
  detail::DeviceState* device_ = nullptr;
};

template <class Tensor>
Array adopt_tensor(std::shared_ptr<Owner<Tensor>> owner, const DLTensor& tensor, bool writable,
                   const std::optional<Device>& wanted) {
  const DType dtype = dtype_of_tensor(tensor.dtype);
  if (tensor.ndim < 0 || tensor.ndim > Shape::max_ndim)
    fail("from_dlpack", std::to_string(tensor.ndim) + " axes; Tandem has 0 to " + std::to_string(Shape::max_ndim));
  const Shape shape = lengths("shape", tensor.shape, tensor.ndim);
  const std::int64_t count = detail::element_count("from_dlpack", shape);
  const Shape strides = tensor.strides ? Shape(tensor.strides, tensor.ndim) : detail::contiguous_strides(shape);
  const Device device = device_of_tensor(tensor.device, wanted);
  if (count == 0) return Array(detail::allocate_node("from_dlpack", *wanted.value_or(device).state(), dtype, shape));
  check_reach(dtype, shape, strides);
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset;
  if (!tensor.data || address % static_cast<std::uintptr_t>(itemsize(real_dtype(dtype))) != 0)
    fail("from_dlpack", tensor.data ? "the elements of " + std::string(name(dtype)) + " are not aligned" : "data is null");
  owner->used_on(device);
  const Array array = detail::adopt_elements(reinterpret_cast<void*>(address), dtype, shape, strides, std::move(owner),
                                             device, writable);
  return wanted ? array.to(*wanted) : array;
}

}  // namespace

DLManagedTensorVersioned* to_dlpack(Array array) {
  const FunctionName function("to_dlpack");
  auto& exported = make_exported<DLManagedTensorVersioned>(std::move(array));
  exported.tensor.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  exported.tensor.flags = is_writable(*exported.array.node()) ? 0 : DLPACK_FLAG_BITMASK_READ_ONLY;
  return &exported.tensor;
}

DLManagedTensor* to_dlpack_unversioned(Array array) {
  const FunctionName function("to_dlpack_unversioned");
  auto& exported = make_exported<DLManagedTensor>(std::move(array));
  if (!is_writable(*exported.array.node())) {
    exported.tensor.deleter(&exported.tensor);
    fail(function, "the array's memory is not its own, and a tensor of this form cannot say that it is "
                       "read-only; pass a copy(), or use to_dlpack");
  }
  return &exported.tensor;
}

Array from_dlpack(DLManagedTensorVersioned* tensor, const std::optional<Device>& device) {
  const FunctionName function("from_dlpack");
  if (!tensor) fail(function, "the tensor is null");
  auto owner = std::make_shared<Owner<DLManagedTensorVersioned>>(tensor);
  if (tensor->version.major != DLPACK_MAJOR_VERSION)
    fail(function, "the tensor has version " + std::to_string(tensor->version.major) + "." +
                       std::to_string(tensor->version.minor) + " of DLPack; 1.x is known");
  return adopt_tensor(std::move(owner), tensor->dl_tensor, !(tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY), device);
}

Array from_dlpack(DLManagedTensor* tensor, const std::optional<Device>& device) {
  const FunctionName function("from_dlpack");
  if (!tensor) fail(function, "the tensor is null");
  return adopt_tensor(std::make_shared<Owner<DLManagedTensor>>(tensor), tensor->dl_tensor, true, device);
}

namespace {

template <class Tensor> Array import_as(Tensor* tensor, const FromDLPackOptions& options) {
  const FunctionName function("from_dlpack");
  const auto address =
      tensor ? reinterpret_cast<std::uintptr_t>(tensor->dl_tensor.data) + tensor->dl_tensor.byte_offset : 0;
  const Array array = from_dlpack(tensor, options.device);
  const bool shared = array.size() == 0 || reinterpret_cast<std::uintptr_t>(array.data()) == address;
  if (options.copy == false && !shared)
    fail(function, "the elements come to " + array.device().name() + " by a copy only");
  return options.copy == true && shared ? array.copy() : array;
}

}  // namespace

Array from_dlpack(DLManagedTensorVersioned* tensor, const FromDLPackOptions& options) {
  return import_as(tensor, options);
}

Array from_dlpack(DLManagedTensor* tensor, const FromDLPackOptions& options) { return import_as(tensor, options); }

}  // namespace tandem
