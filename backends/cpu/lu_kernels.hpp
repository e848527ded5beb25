// Elimination in small matrices, compiled once per instruction set level.
#pragma once

#include <complex>
#include <cstdint>

namespace tandem::cpu {

/// Order up to which these are faster than LAPACK.
inline constexpr std::int64_t largest_small_order = 32;

template <class T>
struct SmallLu {
  /// Elimination with partial pivoting of the first n columns of n rows of `width` elements: unit lower and upper
  /// triangular factors, and what the rows' further elements become. Returns whether no pivot is 0.
  bool (*eliminate)(T* rows, std::int64_t n, std::int64_t width, std::int32_t* pivots);
  /// What stands behind the first n columns, divided by the upper triangular matrix in them.
  void (*substitute)(T* rows, std::int64_t n, std::int64_t width);
};

struct LuKernels {
  SmallLu<float> s;
  SmallLu<double> d;
  SmallLu<std::complex<float>> c;
  SmallLu<std::complex<double>> z;
};

namespace v2 { extern const LuKernels lu_kernels; }
namespace v3 { extern const LuKernels lu_kernels; }
namespace v4 { extern const LuKernels lu_kernels; }

}  // namespace tandem::cpu
