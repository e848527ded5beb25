// Matrix products: floats by OpenBLAS, integers and bool by own kernels.
#include <math.h>

#include <algorithm>
#include <climits>
#include <complex>
#include <cstring>
#include <type_traits>

#include <tandem/scalar.h>

#include "blas.hpp"
#include "isa.hpp"
#include "matmul_kernels.hpp"
#include "verbs.hpp"

namespace tandem::cpu {
namespace {

/// One matrix of a stack.
struct Matrix {
  const char* data;
  int64_t rows, columns, row_stride, column_stride;
};

/// A stack of products c = a b of equal shape.
struct Stack {
  const td_view &a, &b, &c;
  int64_t m, n, k, count;
  int64_t item;  // bytes of an element

  Stack(const td_view& a_, const td_view& b_, const td_view& c_, int64_t item_) : a(a_), b(b_), c(c_), item(item_) {
    const int ndim = a.ndim;
    m = a.shape[ndim - 2];
    k = a.shape[ndim - 1];
    n = b.shape[ndim - 1];
    count = 1;
    for (int i = 0; i < ndim - 2; ++i) count *= a.shape[i];
  }

  Matrix matrix(const td_view& view, int64_t index) const {
    int64_t offset = 0;
    for (int i = view.ndim - 3; i >= 0; --i) {
      offset += index % view.shape[i] * view.strides[i];
      index /= view.shape[i];
    }
    const int ndim = view.ndim;
    return {static_cast<const char*>(view.data) + offset * item, view.shape[ndim - 2], view.shape[ndim - 1],
            view.strides[ndim - 2], view.strides[ndim - 1]};
  }
  char* result(int64_t index) const { return static_cast<char*>(c.data) + index * m * n * item; }
};

/// Copies a strided matrix into contiguous rows, converting elements.
template <class From, class To, class Convert>
void pack(const Matrix& x, To* to, Convert convert) {
  const From* from = reinterpret_cast<const From*>(x.data);
  constexpr int64_t tile = 32;  // so that neither side misses the cache on every element
  for (int64_t i0 = 0; i0 < x.rows; i0 += tile)
    for (int64_t j0 = 0; j0 < x.columns; j0 += tile)
      for (int64_t i = i0; i < std::min(i0 + tile, x.rows); ++i)
        for (int64_t j = j0; j < std::min(j0 + tile, x.columns); ++j)
          to[i * x.columns + j] = convert(from[i * x.row_stride + j * x.column_stride]);
}

template <class T>
void pack(const Matrix& x, T* to) {
  pack<T>(x, to, [](const T& value) { return value; });
}

bool is_contiguous(const Matrix& x) {
  return (x.columns == 1 || x.column_stride == 1) && (x.rows == 1 || x.row_stride == x.columns);
}

/// How BLAS sees a matrix without a copy, if it can.
struct BlasOperand {
  BlasTranspose transposed;
  int64_t leading;  // 0: it cannot
};

BlasOperand as_operand(const Matrix& x) {
  if ((x.column_stride == 1 || x.columns == 1) && (x.row_stride >= x.columns || x.rows == 1))
    return {no_transpose, std::max(x.rows == 1 ? x.columns : x.row_stride, int64_t{1})};
  if ((x.row_stride == 1 || x.rows == 1) && (x.column_stride >= x.rows || x.columns == 1))
    return {transpose, std::max(x.columns == 1 ? x.rows : x.column_stride, int64_t{1})};
  return {no_transpose, 0};
}

template <class T>
void gemm(const Blas& blas, const BlasOperand& a, const BlasOperand& b, int m, int n, int k, const T* x, const T* y, T* c) {
  const int lda = int(a.leading), ldb = int(b.leading);
  if constexpr (std::is_same_v<T, float>) {
    blas.sgemm(row_major, a.transposed, b.transposed, m, n, k, 1, x, lda, y, ldb, 0, c, n);
  } else if constexpr (std::is_same_v<T, double>) {
    blas.dgemm(row_major, a.transposed, b.transposed, m, n, k, 1, x, lda, y, ldb, 0, c, n);
  } else {
    const T one = 1, zero = 0;
    (std::is_same_v<T, Complex64> ? blas.cgemm : blas.zgemm)(row_major, a.transposed, b.transposed, m, n, k, &one, x, lda,
                                                            y, ldb, &zero, c, n);
  }
}

/// matrix (rows, columns) times a vector; true if it was done.
template <class T>
bool gemv(const Blas& blas, const BlasOperand& a, int rows, int columns, const T* matrix, const T* x, int64_t stride, T* y) {
  if (stride <= 0 || stride > INT_MAX) return false;
  const bool transposed = a.transposed == transpose;
  const int stored_rows = transposed ? columns : rows, stored_columns = transposed ? rows : columns;
  std::fill(y, y + rows, T(0));  // beta = 0 does not keep every OpenBLAS from multiplying NaN by it
  if constexpr (std::is_same_v<T, float>)
    blas.sgemv(row_major, a.transposed, stored_rows, stored_columns, 1, matrix, int(a.leading), x, int(stride), 0, y, 1);
  else if constexpr (std::is_same_v<T, double>)
    blas.dgemv(row_major, a.transposed, stored_rows, stored_columns, 1, matrix, int(a.leading), x, int(stride), 0, y, 1);
  else
    return false;
  return true;
}

BlasOperand flipped(const BlasOperand& x) { return {x.transposed == transpose ? no_transpose : transpose, x.leading}; }

/// One product in T by BLAS; false if memory for a packed operand ran out.
template <class T>
bool multiply(const Blas& blas, const Matrix& a, const Matrix& b, T* c) {
  const int64_t m = a.rows, k = a.columns, n = b.columns;
  BlasOperand left = as_operand(a), right = as_operand(b);
  const bool pack_a = left.leading == 0 || left.leading > INT_MAX, pack_b = right.leading == 0 || right.leading > INT_MAX;
  Scratch a_copy(pack_a ? m * k * int64_t(sizeof(T)) : 1), b_copy(pack_b ? k * n * int64_t(sizeof(T)) : 1);
  if (!a_copy || !b_copy) return false;
  const T* x = reinterpret_cast<const T*>(a.data);
  const T* y = reinterpret_cast<const T*>(b.data);
  if (pack_a) {
    pack(a, a_copy.as<T>());
    x = a_copy.as<T>();
    left = {no_transpose, k};
  }
  if (pack_b) {
    pack(b, b_copy.as<T>());
    y = b_copy.as<T>();
    right = {no_transpose, n};
  }
  if (n == 1 && gemv(blas, left, int(m), int(k), x, y, pack_b || k == 1 ? 1 : b.row_stride, c)) return true;
  if (m == 1 && gemv(blas, flipped(right), int(n), int(k), y, x, pack_a || k == 1 ? 1 : a.column_stride, c)) return true;
  gemm(blas, left, right, int(m), int(n), int(k), x, y, c);
  return true;
}

/// One product of float16 or bfloat16: operands as float, the sum in float, rounded once.
template <class H>
bool multiply_halves(const Blas& blas, const Matrix& a, const Matrix& b, H* c) {
  const int64_t m = a.rows, k = a.columns, n = b.columns;
  Scratch x(m * k * 4), y(k * n * 4), z(m * n * 4);
  if (!x || !y || !z) return false;
  const auto widen = [](H value) { return scalar::cast<float>(value); };
  pack<H>(a, x.as<float>(), widen);
  pack<H>(b, y.as<float>(), widen);
  gemm(blas, {no_transpose, k}, {no_transpose, n}, int(m), int(n), int(k), x.as<float>(), y.as<float>(), z.as<float>());
  const float* from = z.as<float>();
  for (int64_t i = 0; i < m * n; ++i) c[i] = scalar::cast<H>(from[i]);
  return true;
}

template <class T>
bool multiply_integers(IntegerProduct product, const Matrix& a, const Matrix& b, void* c) {
  const int64_t m = a.rows, k = a.columns, n = b.columns;
  const bool pack_a = !is_contiguous(a), pack_b = !is_contiguous(b);
  Scratch x(pack_a ? m * k * int64_t(sizeof(T)) : 1), y(pack_b ? k * n * int64_t(sizeof(T)) : 1);
  if (!x || !y) return false;
  if (pack_a) pack(a, x.as<T>());
  if (pack_b) pack(b, y.as<T>());
  const char* left = pack_a ? x.as<char>() : a.data;
  const void* right = pack_b ? static_cast<const void*>(y.as<char>()) : b.data;
  // Rows of c are independent, and large products use all threads.
  const int64_t grain = std::max<int64_t>(1, (int64_t{1} << 18) / std::max<int64_t>(1, n * k));
  parallel_for(m, grain, [&](int64_t begin, int64_t end) {
    product(left + begin * k * int64_t(sizeof(T)), right, static_cast<char*>(c) + begin * n * int64_t(sizeof(T)), end - begin, n, k);
  });
  return true;
}

/// All products of a stack: many small ones in parallel, each by one thread; else one after another by all threads.
template <class One>
td_status multiply_stack(const Stack& stack, const Blas* blas, One one, td_error* error) {
  bool enough = true;
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      if (!one(stack.matrix(stack.a, i), stack.matrix(stack.b, i), stack.result(i)))
        __atomic_store_n(&enough, false, __ATOMIC_RELAXED);
  };
  const double work = double(stack.m) * double(stack.n) * double(stack.k);
  if (stack.count >= thread_count() && stack.count > 1 && work <= 256.0 * 256 * 256) {
    const auto grain = int64_t(std::max(1.0, 32768 / std::max(work, 1.0)));
    if (blas) {
      SingleThreadedBlas guard(*blas);
      parallel_for(stack.count, grain, run);
    } else {
      parallel_for(stack.count, grain, run);
    }
  } else {
    run(0, stack.count);
  }
  if (!enough) return fail(error, TD_OUT_OF_MEMORY, "no memory for a packed operand");
  return TD_OK;
}

const MatmulKernels& kernels() {
  switch (isa()) {
    case Isa::v4: return v4::matmul_kernels;
    case Isa::v3: return v3::matmul_kernels;
    default: return v2::matmul_kernels;
  }
}

}  // namespace

td_status matmul(td_device*, const td_view* a, const td_view* b, const td_view* c, td_precision, td_error* error) {
  constexpr int64_t sizes[] = {
#define X(NAME, type, text, bytes) bytes,
      TD_DTYPES(X)
#undef X
  };
  const Stack stack(*a, *b, *c, sizes[a->dtype]);
  const auto integers = [&]<class T>(T, IntegerProduct product) {
    return multiply_stack(
        stack, nullptr, [&](const Matrix& x, const Matrix& y, char* z) { return multiply_integers<T>(product, x, y, z); }, error);
  };
  switch (a->dtype) {
    case TD_BOOL: return integers(uint8_t{}, kernels().boolean);
    case TD_INT8: case TD_UINT8: return integers(uint8_t{}, kernels().bytes1);
    case TD_INT16: case TD_UINT16: return integers(uint16_t{}, kernels().bytes2);
    case TD_INT32: case TD_UINT32: return integers(uint32_t{}, kernels().bytes4);
    case TD_INT64: case TD_UINT64: return integers(uint64_t{}, kernels().bytes8);
    default: break;
  }
  const Blas* library = blas(error);
  if (!library) return TD_UNAVAILABLE;
  if (std::max({stack.m, stack.n, stack.k}) > INT_MAX)
    return fail(error, TD_NOT_SUPPORTED, "product of (%lld, %lld) and (%lld, %lld): OpenBLAS counts in 32 bits",
                static_cast<long long>(stack.m), static_cast<long long>(stack.k), static_cast<long long>(stack.k),
                static_cast<long long>(stack.n));
  const auto floats = [&]<class T>(T) {
    return multiply_stack(
        stack, library,
        [&](const Matrix& x, const Matrix& y, char* z) {
          if constexpr (std::is_same_v<T, scalar::f16> || std::is_same_v<T, scalar::bf16>)
            return multiply_halves(*library, x, y, reinterpret_cast<T*>(z));
          else
            return multiply(*library, x, y, reinterpret_cast<T*>(z));
        },
        error);
  };
  switch (a->dtype) {
    case TD_FLOAT16: return floats(scalar::f16{});
    case TD_BFLOAT16: return floats(scalar::bf16{});
    case TD_FLOAT32: return floats(float{});
    case TD_FLOAT64: return floats(double{});
    case TD_COMPLEX64: return floats(Complex64{});
    default: return floats(Complex128{});
  }
}

}  // namespace tandem::cpu
