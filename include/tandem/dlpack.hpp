// Arrays to and from other libraries without a copy, through DLPack. The structures are declared by DLPack's own
// dlpack/dlpack.h or by <tandem/dlpack_abi.h>.
//
//     DLManagedTensorVersioned* tensor = td::to_dlpack(x);   // for a consumer, who calls tensor->deleter(tensor)
//     td::Array y = td::from_dlpack(tensor);                 // y has taken the tensor over
#pragma once

#include <optional>

#include <tandem/array.hpp>

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace tandem {

/// The array as a tensor of DLPack 1.x that shares its memory and keeps it alive; its strides are the array's. The array
/// is evaluated and its device has finished. The tensor is marked read-only, since arrays are values that nobody else may
/// change, unless it has the memory for itself: `to_dlpack(x.copy())`, or `to_dlpack(std::move(x))` of an array that
/// shares its memory with no other. The consumer calls the deleter once. Throws NotSupported for devices that DLPack does
/// not know.
TANDEM_API DLManagedTensorVersioned* to_dlpack(Array array);
/// Likewise as a tensor of the form before version 1, which cannot say that it is read-only: throws Error for memory that
/// the tensor would not have for itself.
TANDEM_API DLManagedTensor* to_dlpack_unversioned(Array array);

/// An array on a tensor's memory, with its strides. The tensor is taken over, also if this throws: its deleter is called
/// once, when the last array lets go of the memory and the device has finished. Writing to the array writes to the
/// memory, unless the tensor is read-only: then the array is copied first. Host memory comes to the default device if
/// that works in host memory, else to "cpu"; CUDA memory to "cuda:N". With `device` given, an array elsewhere is copied
/// there. What was issued to the memory must have finished. Throws Error for another major version, vectors as elements
/// (lanes), dtypes and devices that Tandem lacks, and null, misaligned or overflowing figures.
TANDEM_API Array from_dlpack(DLManagedTensorVersioned* tensor, const std::optional<Device>& device = {});
TANDEM_API Array from_dlpack(DLManagedTensor* tensor, const std::optional<Device>& device = {});

/// Options of from_dlpack. copy: true asks for memory of its own, so that the tensor is let go; false throws Error if
/// elements would have to be copied; unset, memory is shared where it can be.
struct FromDLPackOptions {
  std::optional<Device> device = {};
  std::optional<bool> copy = {};
};
TANDEM_API Array from_dlpack(DLManagedTensorVersioned* tensor, const FromDLPackOptions& options);
TANDEM_API Array from_dlpack(DLManagedTensor* tensor, const FromDLPackOptions& options);

}  // namespace tandem
