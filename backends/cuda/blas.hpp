// cuBLAS and cuSOLVER, opened when a product or factorization first needs them, with one handle per device.
#pragma once

#include <cublas_v2.h>
#include <cusolverDn.h>

#include <mutex>
#include <type_traits>

#include "device.hpp"

namespace tandem::cuda {

/// The functions of cuBLAS that each element type has of its own.
template <class T>
struct BlasOf {
  cublasStatus_t (*getrf_batched)(cublasHandle_t, int n, T* const a[], int lda, int* pivots, int* infos, int count);
  cublasStatus_t (*getrs_batched)(cublasHandle_t, cublasOperation_t, int n, int k, const T* const a[], int lda,
                                  const int* pivots, T* const b[], int ldb, int* info, int count);
  cublasStatus_t (*trsm)(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t,
                         std::int64_t m, std::int64_t n, const T* alpha, const T* a, std::int64_t lda, T* b,
                         std::int64_t ldb);
  cublasStatus_t (*trsm_batched)(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t,
                                 cublasDiagType_t, int m, int n, const T* alpha, const T* const a[], int lda,
                                 T* const b[], int ldb, int count);
};

/// Those of cuSOLVER.
template <class T>
struct SolverOf {
  using Real = std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, cuComplex>, float, double>;
  /// orgqr, ungqr
  cusolverStatus_t (*orgqr_memory)(cusolverDnHandle_t, int m, int n, int k, const T* a, int lda, const T* tau,
                                   int* length);
  cusolverStatus_t (*orgqr)(cusolverDnHandle_t, int m, int n, int k, T* a, int lda, const T* tau, T* work, int length,
                            int* info);
  /// gesvdjBatched
  cusolverStatus_t (*gesvdj_memory)(cusolverDnHandle_t, cusolverEigMode_t, int m, int n, const T* a, int lda,
                                    const Real* s, const T* u, int ldu, const T* v, int ldv, int* length,
                                    gesvdjInfo_t parameters, int count);
  cusolverStatus_t (*gesvdj)(cusolverDnHandle_t, cusolverEigMode_t, int m, int n, T* a, int lda, Real* s, T* u, int ldu,
                             T* v, int ldv, T* work, int length, int* infos, gesvdjInfo_t parameters, int count);
};

/// The member of a library that belongs to an element type.
template <class T, class S, class D, class C, class Z>
auto& member_of(S& s, D& d, C& c, Z& z) noexcept {
  if constexpr (std::is_same_v<T, float>) return s;
  else if constexpr (std::is_same_v<T, double>) return d;
  else if constexpr (std::is_same_v<T, cuComplex>) return c;
  else return z;
}

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
  BlasOf<float> s;
  BlasOf<double> d;
  BlasOf<cuComplex> c;
  BlasOf<cuDoubleComplex> z;
  cublasHandle_t handle;

  template <class T> const BlasOf<T>& of() const noexcept { return member_of<T>(s, d, c, z); }
};

/// cuSOLVER with a handle on the device's stream. What only newer versions have may be null, and is declared here: the
/// plugin builds with the headers of older ones.
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
  decltype(&cusolverDnXgetrf_bufferSize) getrf_memory;
  decltype(&cusolverDnXgetrf) getrf;
  decltype(&cusolverDnXgetrs) getrs;
  decltype(&cusolverDnXgeqrf_bufferSize) geqrf_memory;
  decltype(&cusolverDnXgeqrf) geqrf;
  decltype(&cusolverDnXgesvd_bufferSize) gesvd_memory;
  decltype(&cusolverDnXgesvd) gesvd;
  decltype(&cusolverDnXgesvdp_bufferSize) gesvdp_memory;
  decltype(&cusolverDnXgesvdp) gesvdp;
  decltype(&cusolverDnXsyevd_bufferSize) syevd_memory;
  decltype(&cusolverDnXsyevd) syevd;
  decltype(&cusolverDnCreateGesvdjInfo) create_jacobi;
  /// XsyevBatched, CUDA 12.6 update 2
  cusolverStatus_t (*syev_batched_memory)(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t, cublasFillMode_t,
                                          std::int64_t n, cudaDataType a_type, const void* a, std::int64_t lda,
                                          cudaDataType w_type, const void* w, cudaDataType compute_type,
                                          std::size_t* device_bytes, std::size_t* host_bytes, std::int64_t count);
  cusolverStatus_t (*syev_batched)(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t, cublasFillMode_t,
                                   std::int64_t n, cudaDataType a_type, void* a, std::int64_t lda, cudaDataType w_type,
                                   void* w, cudaDataType compute_type, void* device_memory, std::size_t device_bytes,
                                   void* host_memory, std::size_t host_bytes, int* infos, std::int64_t count);
  /// Xgeev, CUDA 12.8
  cusolverStatus_t (*geev_memory)(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t left,
                                  cusolverEigMode_t right, std::int64_t n, cudaDataType a_type, const void* a,
                                  std::int64_t lda, cudaDataType w_type, const void* w, cudaDataType vl_type,
                                  const void* vl, std::int64_t ldvl, cudaDataType vr_type, const void* vr,
                                  std::int64_t ldvr, cudaDataType compute_type, std::size_t* device_bytes,
                                  std::size_t* host_bytes);
  cusolverStatus_t (*geev)(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t left, cusolverEigMode_t right,
                           std::int64_t n, cudaDataType a_type, void* a, std::int64_t lda, cudaDataType w_type, void* w,
                           cudaDataType vl_type, void* vl, std::int64_t ldvl, cudaDataType vr_type, void* vr,
                           std::int64_t ldvr, cudaDataType compute_type, void* device_memory, std::size_t device_bytes,
                           void* host_memory, std::size_t host_bytes, int* info);
  SolverOf<float> s;
  SolverOf<double> d;
  SolverOf<cuComplex> c;
  SolverOf<cuDoubleComplex> z;
  cusolverDnHandle_t handle;
  cusolverDnParams_t parameters;
  gesvdjInfo_t jacobi;

  template <class T> const SolverOf<T>& of() const noexcept { return member_of<T>(s, d, c, z); }
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
