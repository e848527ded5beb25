// Singular values by cuSOLVER: matrices of up to 32 rows side by side by Jacobi's method, others one after the other,
// with vectors by gesvdp, the polar decomposition, and values alone by gesvd, as what gesvdp cannot do.
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

/// Matrices one after the other.
class OneByOne {
 public:
  OneByOne(Device& device, const Solver& solver, const Stack& stack, void* matrices, const Factors& out, Infos& infos,
           std::vector<char>& host_memory)
      : device_(device), solver_(solver), stack_(stack), matrices_(matrices), out_(out), infos_(infos),
        host_memory_(host_memory) {}

  td_status run(td_error* error) {
    std::size_t bytes = 0, host_bytes = 0, polar_bytes = 0, polar_host_bytes = 0;
    td_status status = check(
        solver_.gesvd_memory(solver_.handle, solver_.parameters, job_, job_, stack_.m, stack_.n, type_, matrices_,
                             stack_.m, real_, out_.s->data, type_, u(0), stack_.m, type_, vh(0), stack_.n, type_,
                             &bytes, &host_bytes),
        "asking for a factorization's memory", error);
    if (status == TD_OK && out_.u)
      status = check(
          solver_.gesvdp_memory(solver_.handle, solver_.parameters, CUSOLVER_EIG_MODE_VECTOR, economic_, stack_.m,
                                stack_.n, type_, matrices_, stack_.m, real_, out_.s->data, type_, u(0), stack_.m, type_,
                                vh(0), stack_.n, type_, &polar_bytes, &polar_host_bytes),
          "asking for a factorization's memory", error);
    if (status != TD_OK) return status;
    bytes_ = std::max(bytes, polar_bytes);
    host_memory_.resize(std::max(host_bytes, polar_host_bytes));
    Scratch memory(device_, std::int64_t(std::max<std::size_t>(bytes_, 1)), error);
    if (!memory) return TD_OUT_OF_MEMORY;
    if (!out_.u) return each([&](std::int64_t i) { return gesvd(i, memory, error); });
    Scratch copied(device_, stack_.bytes, error), v(device_, stack_.n * stack_.n * item_, error);
    if (!copied || !v) return TD_OUT_OF_MEMORY;
    status = each([&](std::int64_t i) {
      bool done = false;
      const td_status tried = gesvdp(i, memory, copied, v, &done, error);
      return tried != TD_OK || done ? tried : gesvd(i, memory, error);
    });
    if (status != TD_OK) return status;
    return check(drop_signs(device_.stream, stack_.dtype, stack_.count * stack_.n, out_.s->data),
                 "dropping signs of zeros", error);
  }

 private:
  template <class Run>
  td_status each(Run run) {
    for (std::int64_t i = 0; i < stack_.count; ++i)
      if (const td_status status = run(i); status != TD_OK) return status;
    return TD_OK;
  }
  void* u(std::int64_t i) { return out_.u ? matrix_at(out_.u->data, stack_.m * out_.columns() * item_, i) : nullptr; }
  void* vh(std::int64_t i) { return out_.vh ? matrix_at(out_.vh->data, stack_.n * stack_.n * item_, i) : nullptr; }
  void* s(std::int64_t i) { return matrix_at(out_.s->data, stack_.n * real_bytes(stack_.dtype), i); }
  void* matrix(std::int64_t i) { return matrix_at(matrices_, stack_.bytes, i); }

  td_status gesvd(std::int64_t i, Scratch& memory, td_error* error) {
    return check(solver_.gesvd(solver_.handle, solver_.parameters, job_, job_, stack_.m, stack_.n, type_, matrix(i),
                               stack_.m, real_, s(i), type_, u(i), stack_.m, type_, vh(i), stack_.n, type_,
                               memory.as<void>(), bytes_, host_memory_.data(), host_memory_.size(), infos_.at(i)),
                 "a factorization", error);
  }

  /// gesvdp of a copy. It moves nearly singular matrices away from where the polar decomposition does not exist and says
  /// by how much; the factors are then those of another matrix, and not done.
  td_status gesvdp(std::int64_t i, Scratch& memory, Scratch& copied, Scratch& v, bool* done, td_error* error) {
    double moved = 0;
    int info = 0;
    td_status status = check(cudaMemcpyAsync(copied.as<void>(), matrix(i), std::size_t(stack_.bytes),
                                             cudaMemcpyDeviceToDevice, device_.stream),
                             "copying a matrix", error);
    if (status == TD_OK)
      status = check(solver_.gesvdp(solver_.handle, solver_.parameters, CUSOLVER_EIG_MODE_VECTOR, economic_, stack_.m,
                                    stack_.n, type_, copied.as<void>(), stack_.m, real_, s(i), type_, u(i), stack_.m,
                                    type_, v.as<void>(), stack_.n, type_, memory.as<void>(), bytes_,
                                    host_memory_.data(), host_memory_.size(), infos_.at(i), &moved),
                     "a factorization", error);
    // What it says of the move is there when the device has done its work.
    if (status == TD_OK)
      status = copy(reinterpret_cast<td_device*>(&device_), TD_DEVICE_TO_HOST, &info, infos_.at(i), sizeof info, error);
    *done = info == 0 && moved == 0;
    if (status != TD_OK || !*done) return status;
    return check(conjugate_transpose(device_.stream, stack_.dtype, stack_.n, 1, v.as<void>(), vh(i)),
                 "transposing factors", error);
  }

  Device& device_;
  const Solver& solver_;
  const Stack& stack_;
  void* const matrices_;
  const Factors& out_;
  Infos& infos_;
  std::vector<char>& host_memory_;
  const cudaDataType type_ = data_type(stack_.dtype), real_ = real_type(stack_.dtype);
  const std::int64_t item_ = item_bytes(stack_.dtype);
  const int economic_ = out_.columns() <= stack_.n ? 1 : 0;
  const signed char job_ = !out_.u ? 'N' : economic_ ? 'S' : 'A';
  std::size_t bytes_ = 0;  // of the device's memory
};

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
      status = OneByOne(device, *solver, stack, matrices.as<void>(), out, infos, host_memory).run(error);
  }
  if (status != TD_OK) {
    (void)infos.finish(*a, nullptr, nullptr);  // the host's memory is in use
    return status;
  }
  return infos.finish(*a, "did not converge", error);
}

}  // namespace tandem::cuda
