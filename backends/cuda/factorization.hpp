// What the factorizations by cuBLAS and cuSOLVER share. Both take and give matrices column by column.
#pragma once

#include <algorithm>
#include <vector>

#include "blas.hpp"
#include "linalg_kernels.hpp"
#include "packing.hpp"
#include "verbs.hpp"

namespace tandem::cuda {

inline constexpr std::int64_t largest_batched = 256;   // order up to which matrices are treated side by side
inline constexpr std::int64_t longest_batch = 65535;  // what the hardware counts with 16 bits

/// The types of elements and of their parts, as the libraries name them.
cudaDataType data_type(td_dtype dtype);
cudaDataType real_type(td_dtype dtype);
/// Bytes of a part.
std::int64_t real_bytes(td_dtype dtype);

/// Calls body(T()) with the libraries' type of the elements of a.
template <class Body>
td_status with_elements(const td_view& a, td_error* error, Body body) {
  switch (a.dtype) {
    case TD_FLOAT32: return body(float());
    case TD_FLOAT64: return body(double());
    case TD_COMPLEX64: return body(cuComplex());
    case TD_COMPLEX128: return body(cuDoubleComplex());
    default: return fail(error, TD_NOT_SUPPORTED, "only for float32, float64, complex64 and complex128");
  }
}

/// A stack of (m, n) matrices that are read.
struct Stack {
  explicit Stack(const td_view& view);
  td_dtype dtype;
  std::int64_t m, n, count;
  std::int64_t bytes;  // of one matrix
};

/// TD_NOT_SUPPORTED for what is counted in 32 bits.
td_status check_lengths(const Stack& stack, td_error* error);

/// Copies the matrices of a view to `to`, column by column.
td_status pack_columns(Device& device, const td_view& view, void* to, td_error* error);

/// Matrix `number` of a stack of such copies.
inline void* matrix_at(void* data, std::int64_t bytes, std::int64_t number) {
  return static_cast<char*>(data) + number * bytes;
}

/// Calls run(first, count) for batches of at most `longest` out of all matrices until one fails.
template <class Run>
td_status for_batches(std::int64_t all, std::int64_t longest, Run run) {
  for (std::int64_t first = 0; first < all; first += longest)
    if (const td_status status = run(first, int(std::min(longest, all - first))); status != TD_OK) return status;
  return TD_OK;
}

/// What each matrix's call reports: 0, or that the matrix has no result.
class Infos {
 public:
  Infos(Device& device, std::int64_t count, td_error* error)
      : device_(device), count_(count), memory_(device, count * std::int64_t{sizeof(int)}, error) {}
  explicit operator bool() const noexcept { return bool(memory_); }
  int* at(std::int64_t number) { return memory_.as<int>() + number; }
  /// Waits for the device. TD_SINGULAR says "matrix 3 of the batch <problem>" of the first one without a result; a null
  /// problem means that there is none.
  td_status finish(const td_view& stack, const char* problem, td_error* error);

 private:
  Device& device_;
  const std::int64_t count_;
  Scratch memory_;
};

}  // namespace tandem::cuda
