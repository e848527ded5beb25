#include "factorization.hpp"

#include <climits>

namespace tandem::cuda {

cudaDataType data_type(td_dtype dtype) {
  return dtype == TD_FLOAT32     ? CUDA_R_32F
         : dtype == TD_FLOAT64   ? CUDA_R_64F
         : dtype == TD_COMPLEX64 ? CUDA_C_32F
                                 : CUDA_C_64F;
}

cudaDataType real_type(td_dtype dtype) { return real_bytes(dtype) == 4 ? CUDA_R_32F : CUDA_R_64F; }

std::int64_t real_bytes(td_dtype dtype) { return dtype == TD_FLOAT32 || dtype == TD_COMPLEX64 ? 4 : 8; }

Stack::Stack(const td_view& view)
    : dtype(view.dtype), m(view.shape[view.ndim - 2]), n(view.shape[view.ndim - 1]),
      count(element_count(view) / (m * n)), bytes(m * n * item_bytes(dtype)) {}

td_status check_lengths(const Stack& stack, td_error* error) {
  if (std::max({stack.m, stack.n, stack.count}) <= INT_MAX) return TD_OK;
  return fail(error, TD_NOT_SUPPORTED, "%lld matrices of shape (%lld, %lld): all are counted in 32 bits",
              static_cast<long long>(stack.count), static_cast<long long>(stack.m), static_cast<long long>(stack.n));
}

td_status pack_columns(Device& device, const td_view& view, void* to, td_error* error) {
  std::int64_t shape[TD_MAX_NDIM], strides[TD_MAX_NDIM];
  std::copy_n(view.shape, view.ndim, shape);
  std::copy_n(view.strides, view.ndim, strides);
  std::swap(shape[view.ndim - 2], shape[view.ndim - 1]);
  std::swap(strides[view.ndim - 2], strides[view.ndim - 1]);
  return pack(device, {view.data, view.dtype, view.ndim, shape, strides}, to, error);
}

td_status Infos::finish(const td_view& stack, const char* problem, td_error* error) {
  std::vector<int> infos(static_cast<std::size_t>(count_));
  const td_status status = copy(reinterpret_cast<td_device*>(&device_), TD_DEVICE_TO_HOST, infos.data(),
                                memory_.as<void>(), count_ * std::int64_t{sizeof(int)}, error);
  if (status != TD_OK) return status;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i] < 0) return fail(error, TD_INTERNAL, "argument %d of a factorization was refused", -infos[i]);
    if (infos[i] == 0 || problem == nullptr) continue;
    if (stack.ndim == 2) return fail(error, TD_SINGULAR, "the matrix %s", problem);
    return fail(error, TD_SINGULAR, "matrix %lld of the batch %s", static_cast<long long>(i), problem);
  }
  return TD_OK;
}

}  // namespace tandem::cuda
