// What a Cholesky factorization by cuSOLVER leaves to do.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include <tandem/backend.h>

namespace tandem::cuda {

/// `count` contiguous (n, n) matrices of float32, float64, complex64 or complex128.
struct Matrices {
  void* data;
  td_dtype dtype;
  std::int64_t n, count;
};

/// Makes diagonals real, which for Hermitian matrices they are, and puts the addresses of the matrices into
/// `addresses`.
cudaError_t prepare_factors(cudaStream_t stream, const Matrices& matrices, void** addresses);

/// The first matrix without a factor, and the order of its first leading minor that is not positive: the smallest of
/// the numbers matrix << 32 | minor.
using Failure = std::uint64_t;
inline constexpr Failure no_failure = ~Failure{0};

/// Clears the triangle that is not of the factors. Lowers *failure to what infos, the factorization's own report by
/// matrix, and NaN on the diagonals tell.
cudaError_t finish_factors(cudaStream_t stream, const Matrices& matrices, bool upper, const int* infos,
                           Failure* failure);

}  // namespace tandem::cuda
