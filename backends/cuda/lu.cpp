// LU factors and systems of equations: small matrices of a stack side by side by cuBLAS, others by cuSOLVER's getrf and
// getrs one after the other; triangular ones by cuBLAS's trsm.
#include "factorization.hpp"

namespace tandem::cuda {
namespace {

bool is_batch(const Stack& stack) { return stack.count > 1 && stack.n <= largest_batched; }

/// The addresses of contiguous matrices.
td_status addresses_of(Device& device, void* data, std::int64_t bytes, std::int64_t count, Scratch& addresses,
                       td_error* error) {
  return check(make_addresses(device.stream, data, bytes, count, addresses.as<void*>()), "addressing matrices", error);
}

/// The matrices become their factors, side by side.
template <class T>
td_status factorize_batch(const Blas& blas, const Stack& stack, Scratch& addresses, std::int32_t* pivots, Infos& infos,
                          td_error* error) {
  const int n = int(stack.n);
  return for_batches(stack.count, longest_batch, [&](std::int64_t first, int count) {
    return check(blas,
                 blas.of<T>().getrf_batched(blas.handle, n, addresses.as<T*>() + first, n, pivots + first * n,
                                            infos.at(first), count),
                 "a factorization", error);
  });
}

/// One after the other; pivots are int64. after(number) queues what follows on each.
template <class After>
td_status factorize_each(Device& device, const Solver& solver, const Stack& stack, void* factors, std::int64_t* pivots,
                         Infos& infos, std::vector<char>& host_memory, td_error* error, After after) {
  const cudaDataType type = data_type(stack.dtype);
  std::size_t device_bytes = 0, host_bytes = 0;
  td_status status = check(solver.getrf_memory(solver.handle, solver.parameters, stack.n, stack.n, type, factors,
                                               stack.n, type, &device_bytes, &host_bytes),
                           "asking for a factorization's memory", error);
  if (status != TD_OK) return status;
  Scratch memory(device, std::int64_t(std::max<std::size_t>(device_bytes, 1)), error);
  if (!memory) return TD_OUT_OF_MEMORY;
  host_memory.resize(host_bytes);
  for (std::int64_t i = 0; i < stack.count; ++i) {
    status = check(solver.getrf(solver.handle, solver.parameters, stack.n, stack.n, type,
                                matrix_at(factors, stack.bytes, i), stack.n, pivots + i * stack.n, type,
                                memory.as<void>(), device_bytes, host_memory.data(), host_bytes, infos.at(i)),
                   "a factorization", error);
    if (status == TD_OK) status = after(i);
    if (status != TD_OK) return status;
  }
  return TD_OK;
}

/// x, which holds the right sides (n, k), becomes the solution.
class Solution {
 public:
  Solution(Device& device, const Stack& stack, std::int64_t k, Scratch& matrices, const td_view& x, td_error* error)
      : device_(device), stack_(stack), k_(k), right_bytes_(stack.n * k * item_bytes(stack.dtype)),
        matrices_(matrices), x_(x), error_(error) {}

  td_status general() {
    Infos infos(device_, stack_.count, error_);
    if (!infos) return TD_OUT_OF_MEMORY;
    return is_batch(stack_) ? with_elements(x_, error_, [&](auto zero) { return batch<decltype(zero)>(infos); })
                            : each(infos);
  }

  td_status triangular(bool lower, bool unit) {
    return with_elements(x_, error_, [&](auto zero) { return triangles<decltype(zero)>(lower, unit); });
  }

 private:
  template <class T>
  td_status batch(Infos& infos) {
    Scratch matrices(device_, stack_.count * std::int64_t{sizeof(T*)}, error_);
    Scratch right(device_, stack_.count * std::int64_t{sizeof(T*)}, error_);
    Scratch pivots(device_, stack_.count * stack_.n * std::int64_t{sizeof(int)}, error_);
    if (!matrices || !right || !pivots) return TD_OUT_OF_MEMORY;
    td_status status = prepare(matrices, right);
    if (status != TD_OK) return status;
    {
      const InUse<Blas> blas(device_, &status, error_);
      if (!blas) return status;
      const int n = int(stack_.n), k = int(k_);
      status = factorize_batch<T>(*blas, stack_, matrices, pivots.as<int>(), infos, error_);
      if (status != TD_OK) return status;
      status = for_batches(stack_.count, longest_batch, [&](std::int64_t first, int count) {
        int refused = 0;
        const td_status done =
            check(*blas,
                  blas->of<T>().getrs_batched(blas->handle, CUBLAS_OP_N, n, k, matrices.as<T*>() + first, n,
                                              pivots.as<int>() + first * n, right.as<T*>() + first, n, &refused, count),
                  "a solution", error_);
        if (done != TD_OK || refused == 0) return done;
        return fail(error_, TD_INTERNAL, "argument %d of a solution was refused", -refused);
      });
      if (status != TD_OK) return status;
    }
    return infos.finish(x_, "is singular", error_);
  }

  td_status each(Infos& infos) {
    Scratch pivots(device_, stack_.count * stack_.n * std::int64_t{sizeof(std::int64_t)}, error_);
    Infos ignored(device_, 1, error_);
    if (!pivots || !ignored) return TD_OUT_OF_MEMORY;
    std::vector<char> host_memory;
    const cudaDataType type = data_type(stack_.dtype);
    td_status status;
    {
      const InUse<Solver> solver(device_, &status, error_);
      if (!solver) return status;
      status = factorize_each(device_, *solver, stack_, matrices_.as<void>(), pivots.as<std::int64_t>(), infos,
                              host_memory, error_, [&](std::int64_t i) {
        return check(solver->getrs(solver->handle, solver->parameters, CUBLAS_OP_N, stack_.n, k_, type,
                                   matrix_at(matrices_.as<void>(), stack_.bytes, i), stack_.n,
                                   pivots.as<std::int64_t>() + i * stack_.n, type, matrix_at(x_.data, right_bytes_, i),
                                   stack_.n, ignored.at(0)),
                     "a solution", error_);
      });
    }
    const td_status finished = infos.finish(x_, "is singular", error_);  // also where a call failed: others still run
    return status != TD_OK ? status : finished;
  }

  template <class T>
  td_status triangles(bool lower, bool unit) {
    const cublasFillMode_t triangle = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
    const cublasDiagType_t diagonal = unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
    T one{};
    set_one(one);
    td_status status;
    Scratch matrices(device_, stack_.count * std::int64_t{sizeof(T*)}, error_);
    Scratch right(device_, stack_.count * std::int64_t{sizeof(T*)}, error_);
    if (!matrices || !right) return TD_OUT_OF_MEMORY;
    if (is_batch(stack_))
      if (status = prepare(matrices, right); status != TD_OK) return status;
    const InUse<Blas> blas(device_, &status, error_);
    if (!blas) return status;
    if (!is_batch(stack_)) {
      for (std::int64_t i = 0; i < stack_.count && status == TD_OK; ++i)
        status = check(*blas,
                       blas->of<T>().trsm(blas->handle, CUBLAS_SIDE_LEFT, triangle, CUBLAS_OP_N, diagonal, stack_.n, k_,
                                          &one, static_cast<T*>(matrix_at(matrices_.as<void>(), stack_.bytes, i)),
                                          stack_.n, static_cast<T*>(matrix_at(x_.data, right_bytes_, i)), stack_.n),
                       "a substitution", error_);
      return status;
    }
    const int n = int(stack_.n), k = int(k_);
    return for_batches(stack_.count, longest_batch, [&](std::int64_t first, int count) {
      return check(*blas,
                   blas->of<T>().trsm_batched(blas->handle, CUBLAS_SIDE_LEFT, triangle, CUBLAS_OP_N, diagonal, n, k,
                                              &one, matrices.as<T*>() + first, n, right.as<T*>() + first, n, count),
                   "a substitution", error_);
    });
  }

  static void set_one(float& x) { x = 1; }
  static void set_one(double& x) { x = 1; }
  static void set_one(cuComplex& x) { x.x = 1; }
  static void set_one(cuDoubleComplex& x) { x.x = 1; }

  td_status prepare(Scratch& matrices, Scratch& right) {
    const td_status status =
        addresses_of(device_, matrices_.as<void>(), stack_.bytes, stack_.count, matrices, error_);
    if (status != TD_OK) return status;
    return addresses_of(device_, x_.data, right_bytes_, stack_.count, right, error_);
  }

  Device& device_;
  const Stack stack_;
  const std::int64_t k_, right_bytes_;
  Scratch& matrices_;  // column by column, to be overwritten
  const td_view& x_;
  td_error* const error_;
};

}  // namespace

td_status lu(td_device* handle, const td_view* a, const td_view* lu, const td_view* pivots, td_error* error) {
  Device& device = device_of(handle);
  const Current current(device);
  const Stack stack(*a);
  td_status status = check_lengths(stack, error);
  if (status == TD_OK) status = pack_columns(device, *a, lu->data, error);
  if (status != TD_OK) return status;
  Infos infos(device, stack.count, error);
  if (!infos) return TD_OUT_OF_MEMORY;
  auto* rows = static_cast<std::int32_t*>(pivots->data);
  if (is_batch(stack)) {
    Scratch addresses(device, stack.count * std::int64_t{sizeof(void*)}, error);
    if (!addresses) return TD_OUT_OF_MEMORY;
    status = addresses_of(device, lu->data, stack.bytes, stack.count, addresses, error);
    if (status != TD_OK) return status;
    const InUse<Blas> blas(device, &status, error);
    if (!blas) return status;
    return with_elements(*a, error, [&](auto zero) {
      return factorize_batch<decltype(zero)>(*blas, stack, addresses, rows, infos, error);
    });
  }
  Scratch wide(device, stack.count * stack.n * std::int64_t{sizeof(std::int64_t)}, error);
  if (!wide) return TD_OUT_OF_MEMORY;
  std::vector<char> host_memory;
  {
    const InUse<Solver> solver(device, &status, error);
    if (!solver) return status;
    status = factorize_each(device, *solver, stack, lu->data, wide.as<std::int64_t>(), infos, host_memory, error,
                            [](std::int64_t) { return TD_OK; });
  }
  if (status == TD_OK)
    status =
        check(narrow(device.stream, wide.as<std::int64_t>(), rows, stack.count * stack.n), "converting pivots", error);
  const td_status finished = infos.finish(*a, nullptr, error);
  return status != TD_OK ? status : finished;
}

td_status solve(td_device* handle, const td_view* a, td_structure structure, const td_view* b, const td_view* x,
                td_error* error) {
  Device& device = device_of(handle);
  const Current current(device);
  const Stack stack(*a), right(*b);
  td_status status = check_lengths(stack, error);
  if (status == TD_OK) status = check_lengths(right, error);
  if (status != TD_OK) return status;
  Scratch matrices(device, stack.count * stack.bytes, error);
  if (!matrices) return TD_OUT_OF_MEMORY;
  status = pack_columns(device, *a, matrices.as<void>(), error);
  if (status == TD_OK) status = pack_columns(device, *b, x->data, error);
  if (status != TD_OK) return status;
  Solution solution(device, stack, right.n, matrices, *x, error);
  if (structure == TD_GENERAL) return solution.general();
  return solution.triangular(structure == TD_LOWER || structure == TD_UNIT_LOWER,
                             structure == TD_UNIT_LOWER || structure == TD_UNIT_UPPER);
}

}  // namespace tandem::cuda
