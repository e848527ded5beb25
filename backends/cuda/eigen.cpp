// Eigenvalues by cuSOLVER: Hermitian matrices by syevd, a stack side by side where the library can; others by geev.
#include <climits>

#include "factorization.hpp"

namespace tandem::cuda {
namespace {

td_status hermitian_batches(Device& device, const Solver& solver, const Stack& stack, cusolverEigMode_t mode,
                            cublasFillMode_t triangle, void* matrices, void* values, Infos& infos,
                            std::vector<char>& host_memory, td_error* error) {
  const cudaDataType type = data_type(stack.dtype), real = real_type(stack.dtype);
  const std::int64_t n = stack.n, longest = std::clamp<std::int64_t>(INT_MAX / (n * n), 1, longest_batch);
  return for_batches(stack.count, longest, [&](std::int64_t first, int count) {
    void* a = matrix_at(matrices, stack.bytes, first);
    void* w = matrix_at(values, n * real_bytes(stack.dtype), first);
    std::size_t device_bytes = 0, host_bytes = 0;
    td_status status = check(solver.syev_batched_memory(solver.handle, solver.parameters, mode, triangle, n, type, a, n,
                                                        real, w, type, &device_bytes, &host_bytes, count),
                             "asking for a factorization's memory", error);
    if (status != TD_OK) return status;
    Scratch memory(device, std::int64_t(std::max<std::size_t>(device_bytes, 1)), error);
    if (!memory) return TD_OUT_OF_MEMORY;
    if (host_memory.size() < host_bytes) {  // the batch before may still use it
      status = check(cudaStreamSynchronize(device.stream), "waiting for a factorization", error);
      if (status != TD_OK) return status;
      host_memory.resize(host_bytes);
    }
    return check(solver.syev_batched(solver.handle, solver.parameters, mode, triangle, n, type, a, n, real, w, type,
                                     memory.as<void>(), device_bytes, host_memory.data(), host_bytes, infos.at(first),
                                     count),
                 "a factorization", error);
  });
}

td_status hermitian_each(Device& device, const Solver& solver, const Stack& stack, cusolverEigMode_t mode,
                         cublasFillMode_t triangle, void* matrices, void* values, Infos& infos,
                         std::vector<char>& host_memory, td_error* error) {
  const cudaDataType type = data_type(stack.dtype), real = real_type(stack.dtype);
  const std::int64_t n = stack.n;
  std::size_t device_bytes = 0, host_bytes = 0;
  td_status status = check(solver.syevd_memory(solver.handle, solver.parameters, mode, triangle, n, type, matrices, n,
                                               real, values, type, &device_bytes, &host_bytes),
                           "asking for a factorization's memory", error);
  if (status != TD_OK) return status;
  Scratch memory(device, std::int64_t(std::max<std::size_t>(device_bytes, 1)), error);
  if (!memory) return TD_OUT_OF_MEMORY;
  host_memory.resize(host_bytes);
  for (std::int64_t i = 0; i < stack.count && status == TD_OK; ++i)
    status = check(
        solver.syevd(solver.handle, solver.parameters, mode, triangle, n, type, matrix_at(matrices, stack.bytes, i), n,
                     real, matrix_at(values, n * real_bytes(stack.dtype), i), type, memory.as<void>(), device_bytes,
                     host_memory.data(), host_bytes, infos.at(i)),
        "a factorization", error);
  return status;
}

td_status general_each(Device& device, const Solver& solver, const Stack& stack, void* matrices, void* values,
                       void* vectors, Infos& infos, std::vector<char>& host_memory, td_error* error) {
  // Eigenvalues are complex, eigenvectors of real matrices are real: see join_eigenvectors.
  const cudaDataType type = data_type(stack.dtype), complex = real_bytes(stack.dtype) == 4 ? CUDA_C_32F : CUDA_C_64F;
  const std::int64_t n = stack.n, value_bytes = n * 2 * real_bytes(stack.dtype);
  const cusolverEigMode_t mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  std::size_t device_bytes = 0, host_bytes = 0;
  td_status status = check(solver.geev_memory(solver.handle, solver.parameters, CUSOLVER_EIG_MODE_NOVECTOR, mode, n,
                                              type, matrices, n, complex, values, type, nullptr, n, type, vectors, n,
                                              type, &device_bytes, &host_bytes),
                           "asking for a factorization's memory", error);
  if (status != TD_OK) return status;
  Scratch memory(device, std::int64_t(std::max<std::size_t>(device_bytes, 1)), error);
  if (!memory) return TD_OUT_OF_MEMORY;
  host_memory.resize(host_bytes);
  for (std::int64_t i = 0; i < stack.count && status == TD_OK; ++i)
    status = check(solver.geev(solver.handle, solver.parameters, CUSOLVER_EIG_MODE_NOVECTOR, mode, n, type,
                               matrix_at(matrices, stack.bytes, i), n, complex, matrix_at(values, value_bytes, i), type,
                               nullptr, n, type, vectors ? matrix_at(vectors, stack.bytes, i) : nullptr, n, type,
                               memory.as<void>(), device_bytes, host_memory.data(), host_bytes, infos.at(i)),
                   "a factorization", error);
  return status;
}

}  // namespace

td_status eigh(td_device* handle, const td_view* a, int32_t upper, const td_view* w, const td_view* v,
               td_error* error) {
  Device& device = device_of(handle);
  const Current current(device);
  const Stack stack(*a);
  td_status status = check_lengths(stack, error);
  if (status != TD_OK) return status;
  Scratch copies(device, v ? 1 : stack.count * stack.bytes, error);
  Infos infos(device, stack.count, error);
  if (!copies || !infos) return TD_OUT_OF_MEMORY;
  void* matrices = v ? v->data : copies.as<void>();
  status = pack_columns(device, *a, matrices, error);
  if (status != TD_OK) return status;
  std::vector<char> host_memory;
  {
    const InUse<Solver> solver(device, &status, error);
    if (!solver) return status;
    const bool batched = stack.count > 1 && solver->syev_batched && solver->syev_batched_memory;
    status = (batched ? hermitian_batches : hermitian_each)(
        device, *solver, stack, v ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR,
        upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER, matrices, w->data, infos, host_memory, error);
  }
  if (status != TD_OK) {
    (void)infos.finish(*a, nullptr, nullptr);  // the host's memory is in use
    return status;
  }
  return infos.finish(*a, "did not converge", error);
}

td_status eig(td_device* handle, const td_view* a, const td_view* w, const td_view* v, td_error* error) {
  Device& device = device_of(handle);
  const Current current(device);
  const Stack stack(*a);
  td_status status = check_lengths(stack, error);
  if (status != TD_OK) return status;
  const bool real = a->dtype == TD_FLOAT32 || a->dtype == TD_FLOAT64;
  Scratch matrices(device, stack.count * stack.bytes, error);
  Scratch packed(device, real && v ? stack.count * stack.bytes : 1, error);
  Infos infos(device, stack.count, error);
  if (!matrices || !packed || !infos) return TD_OUT_OF_MEMORY;
  status = pack_columns(device, *a, matrices.as<void>(), error);
  if (status != TD_OK) return status;
  void* vectors = !v ? nullptr : real ? packed.as<void>() : v->data;
  std::vector<char> host_memory;
  {
    const InUse<Solver> solver(device, &status, error);
    if (!solver) return status;
    if (!solver->geev || !solver->geev_memory)
      return fail(error, TD_NOT_SUPPORTED, "needs the cuSOLVER of CUDA 12.8 or newer, which has cusolverDnXgeev");
    status = general_each(device, *solver, stack, matrices.as<void>(), w->data, vectors, infos, host_memory, error);
  }
  if (status == TD_OK && real && v)
    status = check(join_eigenvectors(device.stream, a->dtype, stack.n, stack.count, vectors, w->data, v->data),
                   "joining eigenvectors", error);
  if (status != TD_OK) {
    (void)infos.finish(*a, nullptr, nullptr);  // the host's memory is in use
    return status;
  }
  return infos.finish(*a, "did not converge", error);
}

}  // namespace tandem::cuda
