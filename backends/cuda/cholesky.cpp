// The verb cholesky, by cuSOLVER's potrf. It is column-major: what it calls the upper triangle is our lower one, and
// its factor of the transposed (for complex matrices the conjugate) matrix is the transpose of ours.
#include <algorithm>
#include <climits>
#include <vector>

#include "cholesky_kernels.hpp"
#include "factorization.hpp"

namespace tandem::cuda {
namespace {

/// Matrices that become their factors.
class Factorization {
 public:
  Factorization(Device& device, const Matrices& matrices, bool upper, td_error* error)
      : device_(device), matrices_(matrices), upper_(upper), error_(error),
        addresses_(device, matrices.count * std::int64_t{sizeof(void*)}, error),
        infos_(device, matrices.count * std::int64_t{sizeof(int)}, error), failure_(device, sizeof(Failure), error) {}

  td_status run(Failure* failure) {
    if (!addresses_ || !infos_ || !failure_) return TD_OUT_OF_MEMORY;
    const cudaStream_t stream = device_.stream;
    // Every byte of no_failure is 0xff.
    td_status status =
        check(cudaMemsetAsync(failure_.as<void>(), 0xff, sizeof(Failure), stream), "clearing memory", error_);
    if (status == TD_OK)
      status = check(prepare_factors(stream, matrices_, addresses_.as<void*>()), "preparing matrices", error_);
    if (status == TD_OK) status = factorize();
    if (status == TD_OK)
      status = check(finish_factors(stream, matrices_, upper_, infos_.as<int>(), failure_.as<Failure>()),
                     "finishing factors", error_);
    if (status != TD_OK) return status;
    return copy(reinterpret_cast<td_device*>(&device_), TD_DEVICE_TO_HOST, failure, failure_.as<void>(),
                sizeof(Failure), error_);
  }

 private:
  cublasFillMode_t triangle() const { return upper_ ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER; }

  td_status factorize() {
    td_status status;
    const InUse<Solver> solver(device_, &status, error_);
    if (!solver) return status;
    return matrices_.count > 1 && matrices_.n <= largest_batched ? factorize_batches(*solver) : factorize_each(*solver);
  }

  template <class T, class Function>
  td_status factorize_batches(const Solver& solver, Function potrf) {
    for (std::int64_t first = 0; first < matrices_.count; first += longest_batch) {
      const int count = int(std::min(longest_batch, matrices_.count - first)), n = int(matrices_.n);
      const cusolverStatus_t result =
          potrf(solver.handle, triangle(), n, addresses_.as<T*>() + first, n, infos_.as<int>() + first, count);
      if (const td_status status = check(result, "a factorization", error_); status != TD_OK) return status;
    }
    return TD_OK;
  }

  td_status factorize_batches(const Solver& solver) {
    switch (matrices_.dtype) {
      case TD_FLOAT32: return factorize_batches<float>(solver, solver.spotrf_batched);
      case TD_FLOAT64: return factorize_batches<double>(solver, solver.dpotrf_batched);
      case TD_COMPLEX64: return factorize_batches<cuComplex>(solver, solver.cpotrf_batched);
      default: return factorize_batches<cuDoubleComplex>(solver, solver.zpotrf_batched);
    }
  }

  td_status factorize_each(const Solver& solver) {
    const cudaDataType type = data_type(matrices_.dtype);
    const std::int64_t n = matrices_.n, bytes = n * n * item_bytes(matrices_.dtype);
    std::size_t device_bytes = 0, host_bytes = 0;
    td_status status = check(solver.potrf_memory(solver.handle, solver.parameters, triangle(), n, type, matrices_.data,
                                                 n, type, &device_bytes, &host_bytes),
                             "asking for a factorization's memory", error_);
    if (status != TD_OK) return status;
    Scratch memory(device_, std::int64_t(device_bytes), error_);
    if (!memory) return TD_OUT_OF_MEMORY;
    host_memory_.resize(host_bytes);
    for (std::int64_t i = 0; i < matrices_.count; ++i) {
      const cusolverStatus_t result = solver.potrf(solver.handle, solver.parameters, triangle(), n, type,
                                                   static_cast<char*>(matrices_.data) + i * bytes, n, type,
                                                   memory.as<void>(), device_bytes, host_memory_.data(), host_bytes,
                                                   infos_.as<int>() + i);
      if (status = check(result, "a factorization", error_); status != TD_OK) return status;
    }
    return TD_OK;
  }

  Device& device_;
  const Matrices matrices_;
  const bool upper_;
  td_error* const error_;
  Scratch addresses_, infos_, failure_;
  std::vector<char> host_memory_;  // of cuSOLVER, until run() has waited
};

}  // namespace

td_status cholesky(td_device* handle, const td_view* a, int32_t upper, const td_view* l, td_error* error) {
  Device& device = device_of(handle);
  const Current current(device);
  if (a->dtype != TD_FLOAT32 && a->dtype != TD_FLOAT64 && a->dtype != TD_COMPLEX64 && a->dtype != TD_COMPLEX128)
    return fail(error, TD_NOT_SUPPORTED, "only for float32, float64, complex64 and complex128");
  const std::int64_t n = a->shape[a->ndim - 1], count = element_count(*a) / (n * n);
  if (n > INT_MAX || count > INT_MAX)
    return fail(error, TD_NOT_SUPPORTED, "%lld matrices of order %lld: both are counted in 32 bits",
                static_cast<long long>(count), static_cast<long long>(n));
  if (const td_status status = pack(device, *a, l->data, error); status != TD_OK) return status;
  Failure failure = no_failure;
  const td_status status = Factorization(device, {l->data, l->dtype, n, count}, upper != 0, error).run(&failure);
  if (status != TD_OK || failure == no_failure) return status;
  const long long matrix = static_cast<long long>(failure >> 32), minor = static_cast<long long>(failure & 0xffffffffu);
  if (a->ndim == 2)
    return fail(error, TD_SINGULAR, "the matrix is not positive definite (leading minor %lld)", minor);
  return fail(error, TD_SINGULAR, "matrix %lld of the batch is not positive definite (leading minor %lld)", matrix,
              minor);
}

}  // namespace tandem::cuda
