// Products of integer and bool matrices, which cuBLAS does not have.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include <tandem/backend.h>

namespace tandem::cuda {

/// One factor of a stack of products: where its first matrix begins, and strides in elements.
struct Factor {
  const void* data;
  std::int64_t row_stride, column_stride;
  std::int64_t batch_strides[TD_MAX_NDIM];
};

/// Products c = a b of (m, k) and (k, n) matrices at all positions of the batch axes; c is contiguous.
struct Products {
  std::int64_t m, n, k;
  int batch_ndim;
  std::int64_t batch_shape[TD_MAX_NDIM];
  Factor a, b;
  void* c;

  std::int64_t count() const {
    std::int64_t product = 1;
    for (int axis = 0; axis < batch_ndim; ++axis) product *= batch_shape[axis];
    return product;
  }
};

/// Into how many parts to split the sums, so that the device has enough to do; each is added by atomic operations,
/// which integers allow without a trace.
std::int64_t integer_splits(const Products& products, std::int64_t item_bytes, int multiprocessors);

/// Bytes of memory, cleared, that a product in so many parts needs for its sums: none if there is one part.
std::int64_t integer_sums_bytes(const Products& products, std::int64_t item_bytes, std::int64_t splits);

/// Launches the products of matrices of bool, or of integers of that many bytes.
cudaError_t multiply_integers(cudaStream_t stream, const Products& products, bool boolean, std::int64_t item_bytes,
                              std::int64_t splits, void* sums);

}  // namespace tandem::cuda
