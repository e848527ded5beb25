// QR factors of matrices that fit into the shared memory of a block.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include <tandem/backend.h>

namespace tandem::cuda {

/// A stack of (m, n) matrices, q (m, inner) and r (inner, n), all column by column.
struct QrShape {
  std::int64_t m, n, inner, count;
};

/// Whether a block can hold a matrix of that dtype.
bool fits_a_block(const QrShape& shape, td_dtype dtype);

/// The factors of matrices that fit, by Householder reflections, whose signs are LAPACK's.
cudaError_t factorize_qr(cudaStream_t stream, const QrShape& shape, td_dtype dtype, const void* matrices, void* q,
                         void* r);

}  // namespace tandem::cuda
