// CUDA C++ of programs. The text of a kernel is device.cuh, scalar.h, quick.cuh, prelude.cuh, the operations that occur,
// the structure of the arguments, and the kernel itself, `tandem_kernel`.
#pragma once

#include <string>

#include "plan.hpp"

namespace tandem::cuda {

constexpr const char* kernel_name = "tandem_kernel";

/// The kernel of a plan. A function of what encode() puts into the key, and of nothing else.
std::string generate(const Work& work, const Roles& roles, const Plan& plan);

/// The same without the parts that all kernels have in common, for tests that put their own in front; `name` is the
/// kernel's.
std::string generate_kernel(const Work& work, const Roles& roles, const Plan& plan, const std::string& name);

/// The texts of device.cuh, scalar.h, quick.cuh and prelude.cuh.
extern const char* const device_text;
extern const char* const scalar_text;
extern const char* const quick_text;
extern const char* const prelude_text;

}  // namespace tandem::cuda
