// LU and Cholesky factorizations of a small matrix, compiled once per instruction set level. Real ones do the same
// operations in the same order as lane_kernels.hpp: the same bits.
#pragma once

#include <complex>
#include <cstdint>

namespace tandem::cpu {

/// Order up to which these are faster than LAPACK: microseconds for n = 32 in float64, solve 6.1 against 8, cholesky
/// 1.9 against 3.0.
inline constexpr std::int64_t largest_small_order = 32;

template <class T>
struct SingleLu {
  /// Elimination with partial pivoting of the first n columns of n rows of `width` elements: unit lower and upper
  /// triangular factors, and what the rows' further elements become. Returns whether no pivot is 0.
  bool (*eliminate)(T* rows, std::int64_t n, std::int64_t width, std::int32_t* pivots);
  /// What stands behind the first n columns, divided by the upper triangular matrix in them.
  void (*substitute)(T* rows, std::int64_t n, std::int64_t width);
};

/// U with a = U^T U in place of the upper triangle of n rows, zeros below. Returns the order of the first leading minor
/// that is not positive, 0 for none.
template <class T>
using SingleCholesky = std::int32_t (*)(T* rows, std::int64_t n);

struct SingleKernels {
  SingleLu<float> lu_s;
  SingleLu<double> lu_d;
  SingleLu<std::complex<float>> lu_c;
  SingleLu<std::complex<double>> lu_z;
  SingleCholesky<float> cholesky_s;
  SingleCholesky<double> cholesky_d;
};

namespace v2 { extern const SingleKernels single_kernels; }
namespace v3 { extern const SingleKernels single_kernels; }
namespace v4 { extern const SingleKernels single_kernels; }

}  // namespace tandem::cpu
