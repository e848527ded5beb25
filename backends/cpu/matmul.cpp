// Matrix products: floats by OpenBLAS, which is fast for small matrices, too; integers and bools by own kernels.
#include <algorithm>
#include <atomic>
#include <climits>
#include <optional>
#include <type_traits>
#include <utility>

#include "blas.hpp"
#include "isa.hpp"
#include "kernels.hpp"
#include "matmul_kernels.hpp"
#include "matrices.hpp"
#include "verbs.hpp"

namespace tandem::cpu {
namespace {

const MatmulKernels& own_kernels() {
  switch (isa()) {
    case Isa::v4: return v4::matmul_kernels;
    case Isa::v3: return v3::matmul_kernels;
    default: return v2::matmul_kernels;
  }
}

// ---- stacks ----

/// A stack of products c = a b of equal shape.
struct Stack {
  Matrix a, b;  // the first ones
  char* c;
  Batch batch;
  td_dtype dtype;
  int64_t item = item_size(dtype);

  Stack(const td_view& a_, const td_view& b_, const td_view& c_)
      : a(first_matrix(a_)), b(first_matrix(b_)), c(static_cast<char*>(c_.data)), batch(a_, b_), dtype(a_.dtype) {
    while (batch.move_into_rows(a)) {  // many matrices times one are one product
    }
  }

  int64_t m() const { return a.rows; }
  int64_t k() const { return a.columns; }
  int64_t n() const { return b.columns; }
  double work() const { return double(m()) * double(n()) * double(k()); }
};

/// All products of a stack by one(a, b, c), which returns false if there is no memory for what it packs.
template <class One>
td_status multiply_stack(const Stack& stack, const Blas* blas, One one, td_error* error) {
  std::atomic<bool> enough{true};
  const int64_t result_bytes = stack.m() * stack.n() * stack.item;
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto [a_offset, b_offset] = stack.batch.offsets(i);
      Matrix a = stack.a, b = stack.b;
      a.data += a_offset * stack.item;
      b.data += b_offset * stack.item;
      if (!one(a, b, stack.c + i * result_bytes)) enough.store(false, std::memory_order_relaxed);
    }
  };
  for_matrices(stack.batch.count(), stack.work(), blas, run);
  if (!enough) return fail(error, TD_OUT_OF_MEMORY, "out of memory: no room for packed operands");
  return TD_OK;
}

// ---- BLAS ----

/// How BLAS sees a matrix without a copy, if it can.
struct BlasOperand {
  BlasTranspose transposed;
  int64_t leading;  // 0: it cannot

  BlasOperand flipped() const { return {transposed == transpose ? no_transpose : transpose, leading}; }
};

BlasOperand as_operand(const Matrix& x) {
  const auto fits = [](int64_t unit, int64_t length, int64_t step, int64_t count) {
    return (unit == 1 || length == 1) && (count == 1 || (step >= length && step <= INT_MAX));
  };
  if (fits(x.column_stride, x.columns, x.row_stride, x.rows))
    return {no_transpose, x.rows == 1 ? x.columns : x.row_stride};
  if (fits(x.row_stride, x.rows, x.column_stride, x.columns))
    return {transpose, x.columns == 1 ? x.rows : x.column_stride};
  return {no_transpose, 0};
}

template <class T>
void gemm(const Blas& blas, BlasOperand a, BlasOperand b, int m, int n, int k, const T* x, const T* y, T* c) {
  const auto call = [&](auto function, auto one, auto zero) {
    function(row_major, a.transposed, b.transposed, m, n, k, one, x, int(a.leading), y, int(b.leading), zero, c, n);
  };
  const T one = 1, zero = 0;
  if constexpr (std::is_same_v<T, float>) call(blas.sgemm, one, zero);
  if constexpr (std::is_same_v<T, double>) call(blas.dgemm, one, zero);
  if constexpr (std::is_same_v<T, Complex64>) call(blas.cgemm, &one, &zero);
  if constexpr (std::is_same_v<T, Complex128>) call(blas.zgemm, &one, &zero);
}

/// y = matrix (rows, columns) times x.
template <class T>
void gemv(const Blas& blas, BlasOperand a, int rows, int columns, const T* matrix, const T* x, int step, T* y) {
  if (a.transposed == transpose) std::swap(rows, columns);  // BLAS asks for the shape in memory
  const auto call = [&](auto function, auto one, auto zero) {
    function(row_major, a.transposed, rows, columns, one, matrix, int(a.leading), x, step, zero, y, 1);
  };
  const T one = 1, zero = 0;
  if constexpr (std::is_same_v<T, float>) call(blas.sgemv, one, zero);
  if constexpr (std::is_same_v<T, double>) call(blas.dgemv, one, zero);
  if constexpr (std::is_same_v<T, Complex64>) call(blas.cgemv, &one, &zero);
  if constexpr (std::is_same_v<T, Complex128>) call(blas.zgemv, &one, &zero);
}

/// An operand where BLAS can read it: in place or packed.
template <class T>
class Operand {
 public:
  explicit Operand(const Matrix& x) : layout(as_operand(x)), data(reinterpret_cast<const T*>(x.data)) {
    if (layout.leading != 0) return;
    memory_.emplace(x.rows * x.columns * int64_t(sizeof(T)));
    data = memory_->template as<T>();
    if (!data) return;
    pack(x, sizeof(T), memory_->template as<void>());
    layout = {no_transpose, x.columns};
    packed = true;
  }
  BlasOperand layout;
  const T* data;  // null if there was no memory for a copy
  bool packed = false;

 private:
  std::optional<Scratch> memory_;
};

/// One product in T by BLAS; false if there is no memory for a packed operand.
template <class T>
bool multiply(const Blas& blas, const Matrix& a, const Matrix& b, T* c) {
  const Operand<T> x(a), y(b);
  if (!x.data || !y.data) return false;
  const int m = int(a.rows), k = int(a.columns), n = int(b.columns);
  const auto step = [](bool packed, int64_t length, int64_t stride) {  // of a vector; 0: BLAS cannot count so far
    return packed || length == 1 ? 1 : stride <= INT_MAX ? int(stride) : 0;
  };
  const int x_step = step(x.packed, k, a.column_stride), y_step = step(y.packed, k, b.row_stride);
  if ((n == 1 && y_step) || (m == 1 && x_step)) {
    std::fill(c, c + m * n, T(0));  // not every gemv leaves c unread where it is to be multiplied by 0
    if (n == 1)
      gemv(blas, x.layout, m, k, x.data, y.data, y_step, c);
    else
      gemv(blas, y.layout.flipped(), n, k, y.data, x.data, x_step, c);
  } else {
    gemm(blas, x.layout, y.layout, m, n, k, x.data, y.data, c);
  }
  return true;
}

template <class T>
td_status float_matmul(const Stack& stack, const Blas* blas, td_error* error) {
  return multiply_stack(stack, blas, [&](const Matrix& a, const Matrix& b, char* c) {
    return multiply(*blas, a, b, reinterpret_cast<T*>(c));
  }, error);
}

// ---- float16 and bfloat16 ----

/// Casts contiguous elements; the kernels take whole blocks, so the rest goes through one.
void convert(td_dtype from_dtype, const char* from, td_dtype to_dtype, char* to, int64_t n) {
  const Map cast = kernels().casts[from_dtype][to_dtype];
  const int64_t from_item = item_size(from_dtype), to_item = item_size(to_dtype);
  constexpr int64_t grain = 1 << 14;
  parallel_for(n, grain, [&](int64_t begin, int64_t end) {
    const int64_t whole = (end - begin) & -block_unit, rest = end - begin - whole, at = begin + whole;
    if (whole) cast(to + begin * to_item, from + begin * from_item, nullptr, nullptr, nullptr, whole);
    if (rest == 0) return;
    alignas(64) char in[block_unit * 4] = {}, out[block_unit * 4];
    std::copy_n(from + at * from_item, rest * from_item, in);
    cast(out, in, nullptr, nullptr, nullptr, block_unit);
    std::copy_n(out, rest * to_item, to + at * to_item);
  });
}

/// Widens a matrix of halves into contiguous rows of floats.
bool widen(const Matrix& x, td_dtype dtype, float* to) {
  if (x.is_contiguous()) {
    convert(dtype, x.data, TD_FLOAT32, reinterpret_cast<char*>(to), x.rows * x.columns);
    return true;
  }
  Scratch rows(x.rows * x.columns * 2);
  if (!rows) return false;
  pack(x, 2, rows.as<char>());
  convert(dtype, rows.as<char>(), TD_FLOAT32, reinterpret_cast<char*>(to), x.rows * x.columns);
  return true;
}

/// One product of float16 or bfloat16: operands as float32, the sum in float32, rounded once. Rows of c in blocks, so
/// that the copies stay small.
bool multiply_halves(const Blas& blas, td_dtype dtype, const Matrix& a, const Matrix& b, char* c) {
  const int64_t m = a.rows, k = a.columns, n = b.columns;
  constexpr int64_t block_elements = 8 << 20, fewest_rows = 256;
  const int64_t height = std::min(m, std::max(fewest_rows, block_elements / (n + k)));
  Scratch x(height * k * 4), y(k * n * 4), z(height * n * 4);
  if (!x || !y || !z || !widen(b, dtype, y.as<float>())) return false;
  for (int64_t i = 0; i < m; i += height) {
    const int64_t rows = std::min(height, m - i);
    const Matrix block{a.data + i * a.row_stride * 2, rows, k, a.row_stride, a.column_stride};
    if (!widen(block, dtype, x.as<float>())) return false;
    gemm(blas, {no_transpose, k}, {no_transpose, n}, int(rows), int(n), int(k), x.as<float>(), y.as<float>(),
         z.as<float>());
    convert(TD_FLOAT32, z.as<char>(), dtype, c + i * n * 2, rows * n);
  }
  return true;
}

// ---- integers ----

bool multiply_integers(IntegerProduct product, int64_t item, const Matrix& a, const Matrix& b, char* c) {
  const int64_t m = a.rows, k = a.columns, n = b.columns;
  std::optional<Scratch> x, y;
  const char *left = a.data, *right = b.data;
  const auto make_contiguous = [&](const Matrix& matrix, std::optional<Scratch>& memory, const char*& data) {
    if (matrix.is_contiguous()) return true;
    memory.emplace(matrix.rows * matrix.columns * item);
    if (!*memory) return false;
    pack(matrix, item, memory->as<char>());
    data = memory->as<char>();
    return true;
  };
  if (!make_contiguous(a, x, left) || !make_contiguous(b, y, right)) return false;
  // Rows of c are independent. Four at a time share what the kernel loads.
  const int64_t grain = std::max<int64_t>(4, (int64_t{1} << 18) / (n * k) / 4 * 4);
  parallel_for(m, grain, [&](int64_t begin, int64_t end) {
    product(left + begin * k * item, right, c + begin * n * item, end - begin, n, k);
  });
  return true;
}

td_status integer_matmul(const Stack& stack, IntegerProduct product, td_error* error) {
  return multiply_stack(stack, nullptr, [&](const Matrix& a, const Matrix& b, char* c) {
    return multiply_integers(product, stack.item, a, b, c);
  }, error);
}

}  // namespace

td_status matmul(td_device*, const td_view* a, const td_view* b, const td_view* c, td_precision, td_error* error) {
  const Stack stack(*a, *b, *c);
  constexpr double most = 0x1p58;  // elements of a packed operand; only broadcast ones can be larger
  if (double(stack.m()) * double(stack.k()) > most || double(stack.k()) * double(stack.n()) > most)
    return fail(error, TD_OUT_OF_MEMORY, "out of memory: no room for packed operands");
  const MatmulKernels& own = own_kernels();
  switch (stack.dtype) {
    case TD_BOOL: return integer_matmul(stack, own.boolean, error);
    case TD_INT8: case TD_UINT8: return integer_matmul(stack, own.bytes1, error);
    case TD_INT16: case TD_UINT16: return integer_matmul(stack, own.bytes2, error);
    case TD_INT32: case TD_UINT32: return integer_matmul(stack, own.bytes4, error);
    case TD_INT64: case TD_UINT64: return integer_matmul(stack, own.bytes8, error);
    default: break;
  }
  const Blas* library = blas(error);
  if (!library) return TD_UNAVAILABLE;
  if (std::max({stack.m(), stack.n(), stack.k()}) > INT_MAX)
    return fail(error, TD_NOT_SUPPORTED, "product of (%lld, %lld) and (%lld, %lld): OpenBLAS counts in 32 bits",
                static_cast<long long>(stack.m()), static_cast<long long>(stack.k()), static_cast<long long>(stack.k()),
                static_cast<long long>(stack.n()));
  switch (stack.dtype) {
    case TD_FLOAT32: return float_matmul<float>(stack, library, error);
    case TD_FLOAT64: return float_matmul<double>(stack, library, error);
    case TD_COMPLEX64: return float_matmul<Complex64>(stack, library, error);
    case TD_COMPLEX128: return float_matmul<Complex128>(stack, library, error);
    default:
      return multiply_stack(stack, library, [&](const Matrix& x, const Matrix& y, char* z) {
        return multiply_halves(*library, stack.dtype, x, y, z);
      }, error);
  }
}

}  // namespace tandem::cpu
