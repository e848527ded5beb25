// Reductions: over all axes or some of them. A pending elementwise expression is computed on the way, without a
// temporary, and what follows over the same rows may join the same pass.
//
// The order of additions depends on shape, axes and dtype alone (docs/reductions.md): the same bits on every backend,
// thread count and instruction set.
#pragma once

#include <tandem/array.hpp>

namespace tandem {

/// Which axes (none: all of them), whether they stay as length 1, and the dtype to accumulate in and return
/// (sum and prod only).
struct ReduceOptions {
  Axes axis = {};
  bool keepdims = false;
  std::optional<DType> dtype = {};
};

/// Which axes, and whether they stay as length 1.
struct RowOptions {
  Axes axis = {};
  bool keepdims = false;
};

/// Options of var and std: the divisor is N - correction.
struct VarOptions {
  Axes axis = {};
  double correction = 0;
  bool keepdims = false;
};

/// Sum. bool and integers sum in int64 or uint64 and wrap; float16 and bfloat16 accumulate in float32. Empty: 0.
TANDEM_API Array sum(Array x, const ReduceOptions& options = {});
/// Product, with sum's dtypes. Empty: 1.
TANDEM_API Array prod(Array x, const ReduceOptions& options = {});
/// Largest element; NaN if any is. Throws Error for an empty row.
TANDEM_API Array max(Array x, const ReduceOptions& options = {});
/// Smallest element; NaN if any is. Throws Error for an empty row.
TANDEM_API Array min(Array x, const ReduceOptions& options = {});
/// Whether any element is not zero; bool. Empty: false. (The reduction `all` is declared in array.hpp.)
TANDEM_API Array any(Array x, const ReduceOptions& options = {});
/// Position of the first largest element, or of the first NaN, along one axis or in the flattened array; int64. Throws
/// Error for more than one axis and for an empty row.
TANDEM_API Array argmax(Array x, const ReduceOptions& options = {});
/// Position of the first smallest element; otherwise as argmax.
TANDEM_API Array argmin(Array x, const ReduceOptions& options = {});
/// Number of elements that are not zero; int64.
TANDEM_API Array count_nonzero(Array x, const ReduceOptions& options = {});
/// Mean: sum / N. bool and integers in float64, float16 and bfloat16 computed in float32. Empty: NaN.
TANDEM_API Array mean(Array x, const ReduceOptions& options = {});
/// Variance: the mean of |x - mean|^2, with N - correction as divisor. Real also for complex x. Two passes over the
/// data, which join into one where a row fits in cache. N <= correction: NaN or inf, as the division gives.
TANDEM_API Array var(Array x, const VarOptions& options = {});
/// Standard deviation: sqrt(var).
TANDEM_API Array std(Array x, const VarOptions& options = {});

}  // namespace tandem
