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

/// The same for several matrices at once, as many as elements fill a vector: element (i, j) of all stands together, and
/// so do their pivots i. The same operations in the same order as for one: the same bits. Memory is aligned to vectors.
template <class T>
struct LaneLu {
  std::int64_t lanes;
  /// What follows a pivot that is 0 is undefined.
  void (*eliminate)(T* rows, std::int64_t n, std::int64_t width, std::int32_t* pivots);
  void (*substitute)(T* rows, std::int64_t n, std::int64_t width);
};
inline constexpr std::int64_t most_lanes = 16;

struct LuKernels {
  SmallLu<float> s;
  SmallLu<double> d;
  SmallLu<std::complex<float>> c;
  SmallLu<std::complex<double>> z;
  LaneLu<float> s_lanes;
  LaneLu<double> d_lanes;
};

namespace v2 { extern const LuKernels lu_kernels; }
namespace v3 { extern const LuKernels lu_kernels; }
namespace v4 { extern const LuKernels lu_kernels; }

}  // namespace tandem::cpu
