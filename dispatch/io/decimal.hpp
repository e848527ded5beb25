// Decimal digits of floating-point numbers: the shortest that identify a number among those of its dtype, or a number
// of correctly rounded ones.
#pragma once

#include <string>

#include <tandem/dtype.hpp>

namespace tandem::detail {

/// A float as text has it, "d.ddd" and "e+dd" or "ddd.ddd"; the point is always there.
struct DecimalText {
  std::string whole;     // sign and digits before the point
  std::string fraction;  // digits after it, maybe none
  std::string exponent;  // sign and at least two digits, only in scientific notation
};

/// Scientific notation of a finite number of a real floating dtype: as many digits after the point as make it unique,
/// at least min_digits (the further ones are those of the exact value), at most max_digits (rounded half to even).
DecimalText scientific(double value, DType dtype, int min_digits, int max_digits);

/// Positional notation of a finite number: as many digits after the point as make it unique, at most max_digits.
DecimalText positional(double value, DType dtype, int max_digits);

}  // namespace tandem::detail
