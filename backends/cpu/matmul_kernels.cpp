#include "matmul_kernels.hpp"

namespace tandem::cpu::TD_ISA {
namespace {

// A panel of b stays in cache while all rows of c pass over it; the innermost loop runs along contiguous rows.
constexpr std::int64_t panel_columns = 1024, panel_rows = 128;

template <class T>
void product(const void* a_data, const void* b_data, void* c_data, std::int64_t m, std::int64_t n, std::int64_t k) {
  const T* a = static_cast<const T*>(a_data);
  const T* b = static_cast<const T*>(b_data);
  T* c = static_cast<T*>(c_data);
  for (std::int64_t i = 0; i < m * n; ++i) c[i] = 0;
  for (std::int64_t j0 = 0; j0 < n; j0 += panel_columns) {
    const std::int64_t width = n - j0 < panel_columns ? n - j0 : panel_columns;
    for (std::int64_t p0 = 0; p0 < k; p0 += panel_rows) {
      const std::int64_t p1 = p0 + panel_rows < k ? p0 + panel_rows : k;
      for (std::int64_t i = 0; i < m; ++i) {
        T* __restrict row = c + i * n + j0;
        for (std::int64_t p = p0; p < p1; ++p) {
          const T factor = a[i * k + p];
          const T* __restrict from = b + p * n + j0;
          for (std::int64_t j = 0; j < width; ++j) row[j] = T(row[j] + T(1u * factor * from[j]));
        }
      }
    }
  }
}

void boolean_product(const void* a_data, const void* b_data, void* c_data, std::int64_t m, std::int64_t n,
                     std::int64_t k) {
  const auto* a = static_cast<const std::uint8_t*>(a_data);
  const auto* b = static_cast<const std::uint8_t*>(b_data);
  auto* c = static_cast<std::uint8_t*>(c_data);
  for (std::int64_t i = 0; i < m; ++i) {
    std::uint8_t* __restrict row = c + i * n;
    for (std::int64_t j = 0; j < n; ++j) row[j] = 0;
    for (std::int64_t p = 0; p < k; ++p) {
      const std::uint8_t factor = a[i * k + p];
      const std::uint8_t* __restrict from = b + p * n;
      for (std::int64_t j = 0; j < n; ++j) row[j] |= factor & from[j];
    }
  }
}

}  // namespace

extern const MatmulKernels matmul_kernels;
const MatmulKernels matmul_kernels = {product<std::uint8_t>, product<std::uint16_t>, product<std::uint32_t>,
                                      product<std::uint64_t>, boolean_product};

}  // namespace tandem::cpu::TD_ISA
