// Mathematical constants, as double; with an array they take its dtype like any C++ number. newaxis is in array.hpp.
#pragma once

#include <limits>

namespace tandem {

/// Euler's number.
inline constexpr double e = 2.718281828459045;
/// The ratio of a circle's circumference to its diameter.
inline constexpr double pi = 3.141592653589793;
/// Positive infinity.
inline constexpr double inf = std::numeric_limits<double>::infinity();
/// Not a number.
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace tandem
