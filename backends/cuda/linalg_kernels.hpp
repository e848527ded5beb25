// What linear algebra by cuBLAS and cuSOLVER leaves to do.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include <tandem/backend.h>

namespace tandem::cuda {

/// addresses[i] = data + i * bytes
cudaError_t make_addresses(cudaStream_t stream, void* data, std::int64_t bytes, std::int64_t count, void** addresses);

/// to[i] = from[i]
cudaError_t narrow(cudaStream_t stream, const std::int64_t* from, std::int32_t* to, std::int64_t count);

/// `count` contiguous (n, n) matrices become their conjugate transposes.
cudaError_t conjugate_transpose(cudaStream_t stream, td_dtype dtype, std::int64_t n, std::int64_t count,
                                const void* from, void* to);

/// x = |x| for `count` real values of matrices of this dtype.
cudaError_t drop_signs(cudaStream_t stream, td_dtype dtype, std::int64_t count, void* values);

/// Complex eigenvectors, column by column, of `count` real (n, n) matrices. Conjugate pairs of the eigenvalues w stand
/// side by side, and the columns of `packed` that belong to them hold the real and the imaginary part of the first
/// one's eigenvector. dtype is that of packed.
cudaError_t join_eigenvectors(cudaStream_t stream, td_dtype dtype, std::int64_t n, std::int64_t count,
                              const void* packed, const void* w, void* v);

}  // namespace tandem::cuda
