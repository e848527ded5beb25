// cuBLAS and cuSOLVER, opened when a product or factorization first needs them, with one handle per device.
#pragma once

#include <cublas_v2.h>
#include <cusolverDn.h>

#include <mutex>

#include "device.hpp"

namespace tandem::cuda {

/// cuBLAS with a handle on the device's stream. The handle has its own workspace, so that results repeat, computes
/// float32 in float32 and float16 and bfloat16 in float32 throughout. The environment variable NVIDIA_TF32_OVERRIDE=1
/// is the user's own way to overrule that.
struct Blas {
  decltype(&cublasCreate_v2) create;
  decltype(&cublasDestroy_v2) destroy;
  decltype(&cublasSetStream_v2) set_stream;
  decltype(&cublasSetWorkspace_v2) set_workspace;
  decltype(&cublasSetMathMode) set_math_mode;
  decltype(&cublasGetStatusString) status_string;
  decltype(&cublasGemmEx_64) gemm;
  decltype(&cublasGemmStridedBatchedEx_64) gemm_batched;
  cublasHandle_t handle;
};

/// cuSOLVER with a handle on the device's stream.
struct Solver {
  decltype(&cusolverDnCreate) create;
  decltype(&cusolverDnDestroy) destroy;
  decltype(&cusolverDnSetStream) set_stream;
  decltype(&cusolverDnCreateParams) create_parameters;
  decltype(&cusolverDnXpotrf_bufferSize) potrf_memory;
  decltype(&cusolverDnXpotrf) potrf;
  decltype(&cusolverDnSpotrfBatched) spotrf_batched;
  decltype(&cusolverDnDpotrfBatched) dpotrf_batched;
  decltype(&cusolverDnCpotrfBatched) cpotrf_batched;
  decltype(&cusolverDnZpotrfBatched) zpotrf_batched;
  cusolverDnHandle_t handle;
  cusolverDnParams_t parameters;
};

/// A handle in use: one thread at a time may have it, until the object ends. Null if the library cannot be used, with
/// the status and the reason.
template <class Library>
class InUse {
 public:
  InUse(Device& device, td_status* status, td_error* error);
  explicit operator bool() const noexcept { return library_ != nullptr; }
  const Library* operator->() const noexcept { return library_; }
  const Library& operator*() const noexcept { return *library_; }

 private:
  std::unique_lock<std::mutex> lock_;
  const Library* library_ = nullptr;
};

/// The status of a call into the libraries; `what` was tried.
td_status check(const Blas& blas, cublasStatus_t result, const char* what, td_error* error);
td_status check(cusolverStatus_t result, const char* what, td_error* error);

}  // namespace tandem::cuda
