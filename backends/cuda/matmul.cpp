// The verb matmul: floats by cuBLAS, which is column-major and so computes the transposed product of the transposed
// factors in the same memory; integers and bool by own kernels.
#include <algorithm>
#include <utility>

#include "blas.hpp"
#include "matmul_kernels.hpp"
#include "packing.hpp"
#include "verbs.hpp"

namespace tandem::cuda {
namespace {

/// A factor as cuBLAS sees its matrices without a copy, if it can.
struct Operand {
  cublasOperation_t operation;
  std::int64_t leading;  // 0: it cannot
};

Operand as_operand(const Factor& x, std::int64_t rows, std::int64_t columns) {
  if ((x.column_stride == 1 || columns == 1) && (x.row_stride >= columns || rows == 1))
    return {CUBLAS_OP_N, rows == 1 ? columns : x.row_stride};
  if ((x.row_stride == 1 || rows == 1) && (x.column_stride >= rows || columns == 1))
    return {CUBLAS_OP_T, columns == 1 ? rows : x.column_stride};
  return {CUBLAS_OP_N, 0};
}

Factor factor_of(const td_view& view) {
  Factor factor{view.data, view.strides[view.ndim - 2], view.strides[view.ndim - 1], {}};
  std::copy_n(view.strides, view.ndim - 2, factor.batch_strides);
  return factor;
}

Products products_of(const td_view& a, const td_view& b, const td_view& c) {
  Products products{.m = c.shape[c.ndim - 2],
                    .n = c.shape[c.ndim - 1],
                    .k = a.shape[a.ndim - 1],
                    .batch_ndim = c.ndim - 2,
                    .batch_shape = {},
                    .a = factor_of(a),
                    .b = factor_of(b),
                    .c = c.data};
  std::copy_n(c.shape, products.batch_ndim, products.batch_shape);
  return products;
}

/// Leaves out batch axes of length 1 and merges neighbours where both factors allow.
void collapse(Products& products) {
  Factor &a = products.a, &b = products.b;
  int kept = 0;
  for (int axis = 0; axis < products.batch_ndim; ++axis) {
    const std::int64_t length = products.batch_shape[axis];
    const std::int64_t stride_a = a.batch_strides[axis], stride_b = b.batch_strides[axis];
    if (length == 1) continue;
    const bool merges = kept > 0 && a.batch_strides[kept - 1] == stride_a * length &&
                        b.batch_strides[kept - 1] == stride_b * length;
    if (!merges) products.batch_shape[kept++] = 1;
    products.batch_shape[kept - 1] *= length;
    a.batch_strides[kept - 1] = stride_a;
    b.batch_strides[kept - 1] = stride_b;
  }
  products.batch_ndim = kept;
}

/// The matrices of a along the last batch axis are one, if they lie below one another and b is the same for all.
void move_batch_into_rows(Products& products) {
  if (products.batch_ndim == 0) return;
  const int axis = products.batch_ndim - 1;
  const std::int64_t stride = products.a.batch_strides[axis], rows = products.m * products.batch_shape[axis];
  Factor a = products.a;
  if (products.m == 1) a.row_stride = stride;
  const bool below = products.b.batch_strides[axis] == 0 && stride == products.m * a.row_stride;
  if (!below || as_operand(a, rows, products.k).leading == 0) return;
  products.a = a;
  products.m = rows;
  products.batch_ndim = axis;
}

/// Copies of factors that cuBLAS cannot take as they lie.
class Packed {
 public:
  Packed(Device& device, const td_view& view, Factor& factor, td_status* status, td_error* error)
      : memory_(device, needed(view, factor) ? bytes(view) : 0, error) {
    if (!memory_) *status = TD_OUT_OF_MEMORY;
    if (*status != TD_OK || !needed(view, factor)) return;
    std::int64_t shape[TD_MAX_NDIM];
    const td_view once = without_repetition(view, shape);
    *status = pack(device, once, memory_.as<void>(), error);
    factor.data = memory_.as<void>();
    std::int64_t stride = 1;
    for (int axis = view.ndim - 1; axis >= 0; stride *= shape[axis--]) {
      if (axis < view.ndim - 2) factor.batch_strides[axis] = shape[axis] == view.shape[axis] ? stride : 0;
    }
    factor.row_stride = view.shape[view.ndim - 1];
    factor.column_stride = 1;
  }

 private:
  static bool needed(const td_view& view, const Factor& factor) {
    const std::int64_t* const end = view.strides + view.ndim - 2;
    const bool backwards = std::any_of(view.strides, end, [](std::int64_t stride) { return stride < 0; });
    return backwards || as_operand(factor, view.shape[view.ndim - 2], view.shape[view.ndim - 1]).leading == 0;
  }
  /// The view with one matrix where all along a batch axis are the same.
  static td_view without_repetition(const td_view& view, std::int64_t* shape) {
    for (int axis = 0; axis < view.ndim; ++axis)
      shape[axis] = axis < view.ndim - 2 && view.strides[axis] == 0 ? 1 : view.shape[axis];
    return {view.data, view.dtype, view.ndim, shape, view.strides};
  }
  static std::int64_t bytes(const td_view& view) {
    std::int64_t shape[TD_MAX_NDIM];
    return element_count(without_repetition(view, shape)) * item_bytes(view.dtype);
  }

  Scratch memory_;
};

/// A dtype in cuBLAS's terms. Factors 1 and 0 of the sums have the type that products are added in.
struct Arithmetic {
  cudaDataType_t type;
  cublasComputeType_t compute;
  const void *one, *zero;
};

Arithmetic arithmetic_of(td_dtype dtype, td_precision precision) {
  static constexpr float floats[2][2] = {{1, 0}, {0, 0}};  // real parts, imaginary ones
  static constexpr double doubles[2][2] = {{1, 0}, {0, 0}};
  switch (dtype) {
    case TD_FLOAT16: return {CUDA_R_16F, CUBLAS_COMPUTE_32F, floats[0], floats[1]};
    case TD_BFLOAT16: return {CUDA_R_16BF, CUBLAS_COMPUTE_32F, floats[0], floats[1]};
    case TD_FLOAT32:
      return {CUDA_R_32F, precision == TD_PRECISION_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, floats[0],
              floats[1]};
    case TD_FLOAT64: return {CUDA_R_64F, CUBLAS_COMPUTE_64F, doubles[0], doubles[1]};
    case TD_COMPLEX64: return {CUDA_C_32F, CUBLAS_COMPUTE_32F, floats[0], floats[1]};
    default: return {CUDA_C_64F, CUBLAS_COMPUTE_64F, doubles[0], doubles[1]};
  }
}

/// Products whose factors cuBLAS can take.
class Multiplication {
 public:
  Multiplication(const Products& products, td_dtype dtype, td_precision precision)
      : products_(products), arithmetic_(arithmetic_of(dtype, precision)), item_(item_bytes(dtype)),
        a_(as_operand(products.a, products.m, products.k)), b_(as_operand(products.b, products.k, products.n)) {
    std::int64_t stride = products.m * products.n;
    for (int axis = products.batch_ndim - 1; axis >= 0; stride *= products.batch_shape[axis--])
      c_strides_[axis] = stride;
  }

  /// One call for the longest batch axis, for each position of the others.
  td_status run(const Blas& blas, td_error* error) const {
    const std::int64_t* const shape = products_.batch_shape;
    const int ndim = products_.batch_ndim, longest = int(std::max_element(shape, shape + ndim) - shape);
    const std::int64_t length = ndim == 0 ? 1 : shape[longest];
    for (std::int64_t other = 0; other < products_.count() / length; ++other) {
      Place place{};
      std::int64_t rest = other;
      for (int axis = ndim - 1; axis >= 0; --axis) {
        if (axis == longest) continue;
        move(place, axis, rest % shape[axis]);
        rest /= shape[axis];
      }
      // The hardware counts blocks in this direction with 16 bits.
      for (std::int64_t first = 0; first < length; first += longest_batch) {
        const std::int64_t count = std::min(longest_batch, length - first);
        if (const td_status status = call(blas, place, longest, count, error); status != TD_OK) return status;
        if (ndim > 0) move(place, longest, count);
      }
    }
    return TD_OK;
  }

 private:
  static constexpr std::int64_t longest_batch = 65535;
  struct Place {
    std::int64_t a, b, c;
  };

  void move(Place& place, int axis, std::int64_t steps) const {
    place.a += steps * products_.a.batch_strides[axis];
    place.b += steps * products_.b.batch_strides[axis];
    place.c += steps * c_strides_[axis];
  }

  td_status call(const Blas& blas, const Place& place, int axis, std::int64_t count, td_error* error) const {
    const auto [type, compute, one, zero] = arithmetic_;
    const std::int64_t m = products_.m, n = products_.n, k = products_.k;
    const void* const a = static_cast<const char*>(products_.a.data) + place.a * item_;
    const void* const b = static_cast<const char*>(products_.b.data) + place.b * item_;
    void* const c = static_cast<char*>(products_.c) + place.c * item_;
    const cublasStatus_t result =
        count == 1
            ? blas.gemm(blas.handle, b_.operation, a_.operation, n, m, k, one, b, type, b_.leading, a, type, a_.leading,
                        zero, c, type, n, compute, CUBLAS_GEMM_DEFAULT)
            : blas.gemm_batched(blas.handle, b_.operation, a_.operation, n, m, k, one, b, type, b_.leading,
                                products_.b.batch_strides[axis], a, type, a_.leading, products_.a.batch_strides[axis],
                                zero, c, type, n, c_strides_[axis], count, compute, CUBLAS_GEMM_DEFAULT);
    return check(blas, result, "a matrix product", error);
  }

  const Products& products_;
  const Arithmetic arithmetic_;
  const std::int64_t item_;
  const Operand a_, b_;
  std::int64_t c_strides_[TD_MAX_NDIM] = {};
};

td_status multiply_floats(Device& device, Products& products, const td_view& a, const td_view& b,
                          td_precision precision, td_error* error) {
  td_status status = TD_OK;
  const Packed packed_a(device, a, products.a, &status, error), packed_b(device, b, products.b, &status, error);
  if (status != TD_OK) return status;
  collapse(products);
  move_batch_into_rows(products);
  const InUse<Blas> blas(device, &status, error);
  if (!blas) return status;
  return Multiplication(products, a.dtype, precision).run(*blas, error);
}

td_status multiply_integers(Device& device, Products& products, td_dtype dtype, td_error* error) {
  collapse(products);
  move_batch_into_rows(products);
  const std::int64_t item = item_bytes(dtype), splits = integer_splits(products, item, device.multiprocessors);
  const std::int64_t sums_bytes = integer_sums_bytes(products, item, splits);
  Scratch sums(device, sums_bytes, error);
  if (!sums) return TD_OUT_OF_MEMORY;
  if (sums_bytes != 0) {
    const cudaError_t cleared = cudaMemsetAsync(sums.as<void>(), 0, std::size_t(sums_bytes), device.stream);
    if (const td_status status = check(cleared, "clearing memory", error); status != TD_OK) return status;
  }
  return check(multiply_integers(device.stream, products, dtype == TD_BOOL, item, splits, sums.as<void>()),
               "launch of a matrix product", error);
}

}  // namespace

td_status matmul(td_device* handle, const td_view* a, const td_view* b, const td_view* c, td_precision precision,
                 td_error* error) {
  Device& device = device_of(handle);
  const Current current(device);
  Products products = products_of(*a, *b, *c);
  if (c->dtype < TD_FLOAT16) return multiply_integers(device, products, c->dtype, error);
  return multiply_floats(device, products, *a, *b, precision, error);
}

}  // namespace tandem::cuda
