// QR factors: of matrices that fit into shared memory by a kernel of our own, a block each; of others by cuSOLVER's
// geqrf and orgqr, one matrix after the other.
#include "factorization.hpp"
#include "qr_kernels.hpp"

namespace tandem::cuda {
namespace {

template <class T>
td_status factorize(Device& device, const Solver& solver, const Stack& stack, void* matrices, const td_view& q,
                    const td_view& r, Infos& infos, std::vector<char>& host_memory, td_error* error) {
  const cudaDataType type = data_type(stack.dtype);
  const std::int64_t m = stack.m, n = stack.n, reflections = std::min(m, n), inner = q.shape[q.ndim - 1];
  Scratch tau(device, reflections * std::int64_t{sizeof(T)}, error);
  if (!tau) return TD_OUT_OF_MEMORY;
  std::size_t device_bytes = 0, host_bytes = 0;
  td_status status = check(solver.geqrf_memory(solver.handle, solver.parameters, m, n, type, matrices, m, type,
                                               tau.as<void>(), type, &device_bytes, &host_bytes),
                           "asking for a factorization's memory", error);
  if (status != TD_OK) return status;
  int length = 0;
  status = check(solver.of<T>().orgqr_memory(solver.handle, int(m), int(inner), int(reflections),
                                             static_cast<const T*>(q.data), int(m), tau.as<T>(), &length),
                 "asking for a factorization's memory", error);
  if (status != TD_OK) return status;
  const std::int64_t bytes = std::max({std::int64_t(device_bytes), length * std::int64_t{sizeof(T)}, std::int64_t{1}});
  Scratch memory(device, bytes, error);
  if (!memory) return TD_OUT_OF_MEMORY;
  host_memory.resize(host_bytes);
  for (std::int64_t i = 0; i < stack.count && status == TD_OK; ++i) {
    void* matrix = matrix_at(matrices, stack.bytes, i);
    T* orthogonal = static_cast<T*>(q.data) + i * m * inner;
    T* triangular = static_cast<T*>(r.data) + i * inner * n;
    status = check(solver.geqrf(solver.handle, solver.parameters, m, n, type, matrix, m, type, tau.as<void>(), type,
                                memory.as<void>(), device_bytes, host_memory.data(), host_bytes, infos.at(i)),
                   "a factorization", error);
    if (status == TD_OK)
      status = check(cudaMemcpy2DAsync(triangular, std::size_t(inner) * sizeof(T), matrix, std::size_t(m) * sizeof(T),
                                       std::size_t(inner) * sizeof(T), std::size_t(n), cudaMemcpyDeviceToDevice,
                                       device.stream),
                     "copying factors", error);
    if (status == TD_OK)
      status = check(cudaMemcpyAsync(orthogonal, matrix, std::size_t(m * std::min(n, inner)) * sizeof(T),
                                     cudaMemcpyDeviceToDevice, device.stream),
                     "copying factors", error);
    if (status == TD_OK)
      status = check(solver.of<T>().orgqr(solver.handle, int(m), int(inner), int(reflections), orthogonal, int(m),
                                          tau.as<T>(), memory.as<T>(), length, infos.at(i)),
                     "an orthogonal factor", error);
  }
  return status;
}

}  // namespace

td_status qr(td_device* handle, const td_view* a, const td_view* q, const td_view* r, td_error* error) {
  Device& device = device_of(handle);
  const Current current(device);
  const Stack stack(*a);
  td_status status = check_lengths(stack, error);
  if (status != TD_OK) return status;
  Scratch matrices(device, stack.count * stack.bytes, error);
  if (!matrices) return TD_OUT_OF_MEMORY;
  status = pack_columns(device, *a, matrices.as<void>(), error);
  if (status != TD_OK) return status;
  const QrShape shape{stack.m, stack.n, q->shape[q->ndim - 1], stack.count};
  if (fits_a_block(shape, a->dtype))
    return check(factorize_qr(device.stream, shape, a->dtype, matrices.as<void>(), q->data, r->data),
                 "launch of a factorization", error);
  Infos infos(device, stack.count, error);
  if (!infos) return TD_OUT_OF_MEMORY;
  std::vector<char> host_memory;
  {
    const InUse<Solver> solver(device, &status, error);
    if (!solver) return status;
    status = with_elements(*a, error, [&](auto zero) {
      return factorize<decltype(zero)>(device, *solver, stack, matrices.as<void>(), *q, *r, infos, host_memory, error);
    });
  }
  const td_status finished = infos.finish(*a, nullptr, error);
  return status != TD_OK ? status : finished;
}

}  // namespace tandem::cuda
