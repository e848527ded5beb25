#include "matmul_kernels.hpp"

namespace tandem::cpu::TD_ISA {
namespace {

using std::int64_t;

int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// A panel of b stays in cache while all rows of c pass over it.
constexpr int64_t panel_bytes = 2048, panel_rows = 64;

/// x + a b for integers that wrap.
struct MultiplyAdd {
  template <class T>
  static T combine(T x, T a, T b) {
    return T(x + T(1u * a * b));
  }
};
struct OrAnd {
  template <class T>
  static T combine(T x, T a, T b) {
    return T(x | (a & b));
  }
};

/// Adds to `height` rows of c the products with `depth` rows of b: what is loaded of b and c is used several times.
template <class Step, int height, int depth, class T>
void add_block(const T* a, int64_t a_row, const T* b, T* c, int64_t stride, int64_t width) {
  T factors[height][depth];
  for (int i = 0; i < height; ++i)
    for (int p = 0; p < depth; ++p) factors[i][p] = a[i * a_row + p];
#pragma GCC ivdep
  for (int64_t j = 0; j < width; ++j) {
#pragma GCC unroll 4
    for (int i = 0; i < height; ++i) {
      T sum = c[i * stride + j];
#pragma GCC unroll 4
      for (int p = 0; p < depth; ++p) sum = Step::combine(sum, factors[i][p], b[p * stride + j]);
      c[i * stride + j] = sum;
    }
  }
}

template <class Step, int height, class T>
void add_rows(const T* a, int64_t a_row, const T* b, T* c, int64_t stride, int64_t width, int64_t depth) {
  int64_t p = 0;
  for (; p + 4 <= depth; p += 4) add_block<Step, height, 4>(a + p, a_row, b + p * stride, c, stride, width);
  for (; p < depth; ++p) add_block<Step, height, 1>(a + p, a_row, b + p * stride, c, stride, width);
}

template <class T, class Step>
void product(const void* a_data, const void* b_data, void* c_data, int64_t m, int64_t n, int64_t k) {
  const T* a = static_cast<const T*>(a_data);
  const T* b = static_cast<const T*>(b_data);
  T* c = static_cast<T*>(c_data);
  constexpr int64_t columns = panel_bytes / int64_t{sizeof(T)};
  for (int64_t i = 0; i < m * n; ++i) c[i] = 0;
  for (int64_t j = 0; j < n; j += columns)
    for (int64_t p = 0; p < k; p += panel_rows) {
      const int64_t width = smaller(columns, n - j), depth = smaller(panel_rows, k - p);
      int64_t i = 0;
      for (; i + 4 <= m; i += 4)
        add_rows<Step, 4>(a + i * k + p, k, b + p * n + j, c + i * n + j, n, width, depth);
      for (; i < m; ++i) add_rows<Step, 1>(a + i * k + p, k, b + p * n + j, c + i * n + j, n, width, depth);
    }
}

}  // namespace

extern const MatmulKernels matmul_kernels;
const MatmulKernels matmul_kernels = {
    product<std::uint8_t, MultiplyAdd>,  product<std::uint16_t, MultiplyAdd>, product<std::uint32_t, MultiplyAdd>,
    product<std::uint64_t, MultiplyAdd>, product<std::uint8_t, OrAnd>};

}  // namespace tandem::cpu::TD_ISA
