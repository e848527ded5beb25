// Singular values by cuSOLVER: matrices of up to 32 rows side by side by Jacobi's method, others by gesvd, one after
// the other.
#include "factorization.hpp"

namespace tandem::cuda {
namespace {

constexpr std::int64_t largest_jacobi = 32;  // rows and columns that gesvdjBatched takes

struct Factors {
  const td_view *u, *s, *vh;  // u and vh may be null
  std::int64_t columns() const { return u ? u->shape[u->ndim - 1] : 0; }
};

template <class T>
td_status side_by_side(Device& device, const Solver& solver, const Stack& stack, void* matrices, const Factors& out,
                       Infos& infos, td_error* error) {
  const std::int64_t m = stack.m, n = stack.n, columns = out.columns();
  const cusolverEigMode_t mode = out.u ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  using Real = typename SolverOf<T>::Real;
  // U comes with all its columns, and V instead of its conjugate transpose. gesvdjBatched writes to both also where it is
  // asked for singular values alone.
  Scratch u(device, stack.count * m * m * std::int64_t{sizeof(T)}, error);
  Scratch v(device, stack.count * n * n * std::int64_t{sizeof(T)}, error);
  if (!u || !v) return TD_OUT_OF_MEMORY;
  td_status status = for_batches(stack.count, longest_batch, [&](std::int64_t first, int count) {
    T* a = static_cast<T*>(matrix_at(matrices, stack.bytes, first));
    Real* s = static_cast<Real*>(out.s->data) + first * n;
    T* left = u.as<T>() + first * m * m;
    T* right = v.as<T>() + first * n * n;
    int length = 0;
    td_status done = check(solver.of<T>().gesvdj_memory(solver.handle, mode, int(m), int(n), a, int(m), s, left, int(m),
                                                        right, int(n), &length, solver.jacobi, count),
                           "asking for a factorization's memory", error);
    if (done != TD_OK) return done;
    Scratch memory(device, std::max(1, length) * std::int64_t{sizeof(T)}, error);
    if (!memory) return TD_OUT_OF_MEMORY;
    return check(solver.of<T>().gesvdj(solver.handle, mode, int(m), int(n), a, int(m), s, left, int(m), right, int(n),
                                       memory.as<T>(), length, infos.at(first), solver.jacobi, count),
                 "a factorization", error);
  });
  if (status != TD_OK || !out.u) return status;
  status = check(cudaMemcpy2DAsync(out.u->data, std::size_t(m * columns) * sizeof(T), u.as<void>(),
                                   std::size_t(m * m) * sizeof(T), std::size_t(m * columns) * sizeof(T),
                                   std::size_t(stack.count), cudaMemcpyDeviceToDevice, device.stream),
                 "copying factors", error);
  if (status != TD_OK) return status;
  return check(conjugate_transpose(device.stream, stack.dtype, n, stack.count, v.as<void>(), out.vh->data),
               "transposing factors", error);
}

td_status one_by_one(Device& device, const Solver& solver, const Stack& stack, void* matrices, const Factors& out,
                     Infos& infos, std::vector<char>& host_memory, td_error* error) {
  const cudaDataType type = data_type(stack.dtype), real = real_type(stack.dtype);
  const std::int64_t m = stack.m, n = stack.n, item = item_bytes(stack.dtype);
  const auto job = static_cast<signed char>(!out.u ? 'N' : out.columns() > n ? 'A' : 'S');
  void *u = out.u ? out.u->data : nullptr, *vh = out.vh ? out.vh->data : nullptr;
  std::size_t device_bytes = 0, host_bytes = 0;
  td_status status =
      check(solver.gesvd_memory(solver.handle, solver.parameters, job, job, m, n, type, matrices, m, real, out.s->data,
                                type, u, m, type, vh, n, type, &device_bytes, &host_bytes),
            "asking for a factorization's memory", error);
  if (status != TD_OK) return status;
  Scratch memory(device, std::int64_t(std::max<std::size_t>(device_bytes, 1)), error);
  if (!memory) return TD_OUT_OF_MEMORY;
  host_memory.resize(host_bytes);
  for (std::int64_t i = 0; i < stack.count && status == TD_OK; ++i)
    status = check(solver.gesvd(solver.handle, solver.parameters, job, job, m, n, type,
                                matrix_at(matrices, stack.bytes, i), m, real,
                                matrix_at(out.s->data, n * real_bytes(stack.dtype), i), type,
                                u ? matrix_at(u, m * out.columns() * item, i) : nullptr, m, type,
                                vh ? matrix_at(vh, n * n * item, i) : nullptr, n, type, memory.as<void>(), device_bytes,
                                host_memory.data(), host_bytes, infos.at(i)),
                   "a factorization", error);
  return status;
}

}  // namespace

td_status svd(td_device* handle, const td_view* a, const td_view* u, const td_view* s, const td_view* vh,
              td_error* error) {
  Device& device = device_of(handle);
  const Current current(device);
  const Stack stack(*a);
  td_status status = check_lengths(stack, error);
  if (status != TD_OK) return status;
  Scratch matrices(device, stack.count * stack.bytes, error);
  Infos infos(device, stack.count, error);
  if (!matrices || !infos) return TD_OUT_OF_MEMORY;
  status = pack_columns(device, *a, matrices.as<void>(), error);
  if (status != TD_OK) return status;
  const Factors out{u, s, vh};
  std::vector<char> host_memory;
  {
    const InUse<Solver> solver(device, &status, error);
    if (!solver) return status;
    if (stack.count > 1 && stack.m <= largest_jacobi)
      status = with_elements(*a, error, [&](auto zero) {
        return side_by_side<decltype(zero)>(device, *solver, stack, matrices.as<void>(), out, infos, error);
      });
    else
      status = one_by_one(device, *solver, stack, matrices.as<void>(), out, infos, host_memory, error);
  }
  if (status != TD_OK) {
    (void)infos.finish(*a, nullptr, nullptr);  // the host's memory is in use
    return status;
  }
  return infos.finish(*a, "did not converge", error);
}

}  // namespace tandem::cuda
