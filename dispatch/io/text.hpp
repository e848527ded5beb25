// From host values to NumPy's text of an array. Knows nothing of devices: print.cpp fetches what is shown.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <tandem/array.hpp>

namespace tandem::detail {

/// The elements that are shown, in row-major order, in the widest type of their kind.
using Cells = std::variant<std::vector<bool>, std::vector<std::int64_t>, std::vector<std::uint64_t>,
                           std::vector<double>, std::vector<std::complex<double>>>;

/// The text of one element alone, as NumPy writes a scalar: independent of the print options.
std::string scalar_text(const Cells& cell, DType dtype);

/// The text of an array of at least one axis. `cells` holds all elements or, if `summarized`, the first and last
/// `edgeitems` along each axis longer than twice that.
std::string array_text(const Cells& cells, DType dtype, const Shape& shape, bool summarized,
                       const PrintOptions& options);

}  // namespace tandem::detail
