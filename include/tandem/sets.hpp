// Sets: the different elements of an array, and membership. All of it sorts; the time is that of sort.
//
// Elements are equal as == has it: 0 and -0 are one, and each NaN is an element of its own unless equal_nan says that
// all are one. The flattened array counts.
#pragma once

#include <tandem/array.hpp>

namespace tandem {

/// Options of the functions unique_...
struct UniqueOptions {
  bool equal_nan = false;
};
/// The different elements, sorted; of equal ones the first.
TANDEM_API Array unique_values(const Array& x, const UniqueOptions& options = {});
/// unique_values with all NaNs as one: NumPy's unique.
TANDEM_API Array unique(const Array& x);

struct UniqueCounts {
  Array values, counts;
};
/// And how often each occurs, int64.
TANDEM_API UniqueCounts unique_counts(const Array& x, const UniqueOptions& options = {});

struct UniqueInverse {
  Array values, inverse_indices;
};
/// And for each element of x its position among them, int64 in the shape of x.
TANDEM_API UniqueInverse unique_inverse(const Array& x, const UniqueOptions& options = {});

struct UniqueAll {
  Array values, indices, inverse_indices, counts;
};
/// All of these, and where each occurs first in the flattened x.
TANDEM_API UniqueAll unique_all(const Array& x, const UniqueOptions& options = {});

/// Options of isin.
struct IsinOptions {
  bool invert = false;  // whether it is not
};
/// Whether each element of x1 is one of x2's; NaN is in no set. bool in the shape of x1. One operand may be a number.
TANDEM_API Array isin(const Operand& x1, const Operand& x2, const IsinOptions& options = {});

/// Sorted different elements of both arrays, of either, of the first but not the second, of one alone; dtypes promote,
/// and all NaNs are one for union1d only.
TANDEM_API Array intersect1d(const Array& x1, const Array& x2);
TANDEM_API Array union1d(const Array& x1, const Array& x2);
TANDEM_API Array setdiff1d(const Array& x1, const Array& x2);
TANDEM_API Array setxor1d(const Array& x1, const Array& x2);

}  // namespace tandem
