#include "blas.hpp"

#include "library.hpp"
#include "verbs.hpp"

namespace tandem::cuda {

/// The libraries of one device. Never destroyed: at the end of the process their state may be gone already.
struct Libraries {
  std::mutex blas_mutex, solver_mutex;
  Blas blas{};      // with a handle once it is ready
  Solver solver{};  // the same
};

namespace {

constexpr std::size_t workspace_bytes = std::size_t{32} << 20;  // what cuBLAS asks for on the newest devices

Libraries& libraries_of(Device& device) {
  static std::mutex& mutex = *new std::mutex;
  std::lock_guard lock(mutex);
  if (device.libraries == nullptr) device.libraries = new Libraries;
  return *device.libraries;
}

td_status load(Blas& blas, td_error* error) {
  Library library;
  td_status status = open_library("cublas", {13, 12}, &library, error);
  const auto find = [&](const char* symbol, auto** function) {
    if (status == TD_OK) status = find_symbol(library, symbol, function, error);
  };
  find("cublasCreate_v2", &blas.create);
  find("cublasDestroy_v2", &blas.destroy);
  find("cublasSetStream_v2", &blas.set_stream);
  find("cublasSetWorkspace_v2", &blas.set_workspace);
  find("cublasSetMathMode", &blas.set_math_mode);
  find("cublasGetStatusString", &blas.status_string);
  find("cublasGemmEx_64", &blas.gemm);
  find("cublasGemmStridedBatchedEx_64", &blas.gemm_batched);
  const auto find_of = [&](const char* type, auto& functions) {
    const auto name = [&](const char* end) { return std::string("cublas") + type + end; };
    find(name("getrfBatched").c_str(), &functions.getrf_batched);
    find(name("getrsBatched").c_str(), &functions.getrs_batched);
    find(name("trsm_v2_64").c_str(), &functions.trsm);
    find(name("trsmBatched").c_str(), &functions.trsm_batched);
  };
  find_of("S", blas.s);
  find_of("D", blas.d);
  find_of("C", blas.c);
  find_of("Z", blas.z);
  return status;
}

td_status load(Solver& solver, td_error* error) {
  Library library;
  td_status status = open_library("cusolver", {12, 11}, &library, error);
  const auto find = [&](const char* symbol, auto** function) {
    if (status == TD_OK) status = find_symbol(library, symbol, function, error);
  };
  find("cusolverDnCreate", &solver.create);
  find("cusolverDnDestroy", &solver.destroy);
  find("cusolverDnSetStream", &solver.set_stream);
  find("cusolverDnCreateParams", &solver.create_parameters);
  find("cusolverDnXpotrf_bufferSize", &solver.potrf_memory);
  find("cusolverDnXpotrf", &solver.potrf);
  find("cusolverDnSpotrfBatched", &solver.spotrf_batched);
  find("cusolverDnDpotrfBatched", &solver.dpotrf_batched);
  find("cusolverDnCpotrfBatched", &solver.cpotrf_batched);
  find("cusolverDnZpotrfBatched", &solver.zpotrf_batched);
  find("cusolverDnXgetrf_bufferSize", &solver.getrf_memory);
  find("cusolverDnXgetrf", &solver.getrf);
  find("cusolverDnXgetrs", &solver.getrs);
  find("cusolverDnXgeqrf_bufferSize", &solver.geqrf_memory);
  find("cusolverDnXgeqrf", &solver.geqrf);
  find("cusolverDnXgesvd_bufferSize", &solver.gesvd_memory);
  find("cusolverDnXgesvd", &solver.gesvd);
  find("cusolverDnXgesvdp_bufferSize", &solver.gesvdp_memory);
  find("cusolverDnXgesvdp", &solver.gesvdp);
  find("cusolverDnXsyevd_bufferSize", &solver.syevd_memory);
  find("cusolverDnXsyevd", &solver.syevd);
  find("cusolverDnCreateGesvdjInfo", &solver.create_jacobi);
  const auto find_of = [&](const char* type, const char* q, auto& functions) {
    const auto name = [&](const char* end) { return std::string("cusolverDn") + type + end; };
    find((name(q) + "_bufferSize").c_str(), &functions.orgqr_memory);
    find(name(q).c_str(), &functions.orgqr);
    find(name("gesvdjBatched_bufferSize").c_str(), &functions.gesvdj_memory);
    find(name("gesvdjBatched").c_str(), &functions.gesvdj);
  };
  find_of("S", "orgqr", solver.s);
  find_of("D", "orgqr", solver.d);
  find_of("C", "ungqr", solver.c);
  find_of("Z", "ungqr", solver.z);
  const auto find_if_there = [&](const char* symbol, auto** function) {
    td_error ignored;
    if (status == TD_OK) (void)find_symbol(library, symbol, function, &ignored);
  };
  find_if_there("cusolverDnXsyevBatched_bufferSize", &solver.syev_batched_memory);
  find_if_there("cusolverDnXsyevBatched", &solver.syev_batched);
  find_if_there("cusolverDnXgeev_bufferSize", &solver.geev_memory);
  find_if_there("cusolverDnXgeev", &solver.geev);
  return status;
}

/// Calls make(), and once more after giving memory back if there was none.
template <class Make>
td_status with_memory(Device& device, td_error* error, Make make) {
  const td_status status = make();
  if (status != TD_OUT_OF_MEMORY) return status;
  const td_status trimmed = trim(reinterpret_cast<td_device*>(&device), error);
  return trimmed == TD_OK ? make() : trimmed;
}

/// The workspace is no array of the user's, so it does not count in the statistics, and lives as long as the handle.
td_status make_handle(Device& device, Blas& blas, td_error* error) {
  cublasHandle_t handle = nullptr;
  void* workspace = nullptr;
  td_status status = with_memory(device, error, [&] { return check(blas, blas.create(&handle), "starting", error); });
  if (status != TD_OK) return status;
  status = with_memory(device, error, [&] {
    return check(cudaMalloc(&workspace, workspace_bytes), "allocating the workspace of cuBLAS", error);
  });
  // Setting the stream undoes the setting of a workspace.
  if (status == TD_OK) status = check(blas, blas.set_stream(handle, device.stream), "setting the stream", error);
  if (status == TD_OK)
    status = check(blas, blas.set_workspace(handle, workspace, workspace_bytes), "setting the workspace", error);
  const auto mode = cublasMath_t(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  if (status == TD_OK) status = check(blas, blas.set_math_mode(handle, mode), "setting the precision", error);
  if (status == TD_OK) {
    blas.handle = handle;
  } else {
    (void)blas.destroy(handle);
    (void)cudaFree(workspace);
  }
  return status;
}

td_status make_handle(Device& device, Solver& solver, td_error* error) {
  cusolverDnHandle_t handle = nullptr;
  td_status status = with_memory(device, error, [&] { return check(solver.create(&handle), "starting", error); });
  if (status != TD_OK) return status;
  status = check(solver.set_stream(handle, device.stream), "setting the stream", error);
  if (status == TD_OK) status = check(solver.create_parameters(&solver.parameters), "setting parameters", error);
  if (status == TD_OK) status = check(solver.create_jacobi(&solver.jacobi), "setting parameters", error);
  if (status == TD_OK)
    solver.handle = handle;
  else
    (void)solver.destroy(handle);
  return status;
}

td_status report(td_status status, const char* library, const char* what, const char* reason, td_error* error) {
  // A kernel's failure shows as an error of CUDA's, too, which may be the end of the context.
  if (const td_status cuda = check(cudaGetLastError(), what, error); cuda != TD_OK) return cuda;
  return fail(error, status, "%s: %s failed: %s", library, what, reason);
}

}  // namespace

td_status check(const Blas& blas, cublasStatus_t result, const char* what, td_error* error) {
  if (result == CUBLAS_STATUS_SUCCESS) return TD_OK;
  const td_status status = result == CUBLAS_STATUS_ALLOC_FAILED     ? TD_OUT_OF_MEMORY
                           : result == CUBLAS_STATUS_NOT_SUPPORTED  ? TD_NOT_SUPPORTED
                           : result == CUBLAS_STATUS_ARCH_MISMATCH  ? TD_NOT_SUPPORTED
                           : result == CUBLAS_STATUS_NOT_INITIALIZED ? TD_UNAVAILABLE
                                                                    : TD_INTERNAL;
  return report(status, "cuBLAS", what, blas.status_string(result), error);
}

td_status check(cusolverStatus_t result, const char* what, td_error* error) {
  if (result == CUSOLVER_STATUS_SUCCESS) return TD_OK;
  const td_status status = result == CUSOLVER_STATUS_ALLOC_FAILED      ? TD_OUT_OF_MEMORY
                           : result == CUSOLVER_STATUS_NOT_SUPPORTED   ? TD_NOT_SUPPORTED
                           : result == CUSOLVER_STATUS_ARCH_MISMATCH   ? TD_NOT_SUPPORTED
                           : result == CUSOLVER_STATUS_NOT_INITIALIZED ? TD_UNAVAILABLE
                                                                       : TD_INTERNAL;
  const std::string number = "status " + std::to_string(int(result));
  return report(status, "cuSOLVER", what, number.c_str(), error);
}

template <>
InUse<Blas>::InUse(Device& device, td_status* status, td_error* error) : lock_(libraries_of(device).blas_mutex) {
  Blas& blas = device.libraries->blas;
  *status = blas.handle ? TD_OK : load(blas, error);
  if (*status == TD_OK && !blas.handle) *status = make_handle(device, blas, error);
  if (*status == TD_OK) library_ = &blas;
}

template <>
InUse<Solver>::InUse(Device& device, td_status* status, td_error* error) : lock_(libraries_of(device).solver_mutex) {
  Solver& solver = device.libraries->solver;
  *status = solver.handle ? TD_OK : load(solver, error);
  if (*status == TD_OK && !solver.handle) *status = make_handle(device, solver, error);
  if (*status == TD_OK) library_ = &solver;
}

}  // namespace tandem::cuda
