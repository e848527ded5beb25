// Integer and bool products, compiled once per instruction set level.
#pragma once

#include <cstdint>

namespace tandem::cpu {

/// c (m, n) = a (m, k) b (k, n), all contiguous; bytes 1, 2, 4 or 8 wide integers that wrap.
using IntegerProduct = void (*)(const void* a, const void* b, void* c, std::int64_t m, std::int64_t n, std::int64_t k);

struct MatmulKernels {
  IntegerProduct bytes1, bytes2, bytes4, bytes8;
  IntegerProduct boolean;
};

namespace v2 { extern const MatmulKernels matmul_kernels; }
namespace v3 { extern const MatmulKernels matmul_kernels; }
namespace v4 { extern const MatmulKernels matmul_kernels; }

}  // namespace tandem::cpu
