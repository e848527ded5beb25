// Maps of few elements.
#pragma once

#include <tandem/backend.h>

namespace tandem::cpu {

/// Runs a map of one axis and up to 512 elements whose outputs are contiguous and whose inputs are contiguous or
/// repeat one element; false, with nothing written, if the program is another one or needs the general way.
bool run_small(const td_program& program, const td_operand* inputs, const td_operand* outputs) noexcept;

}  // namespace tandem::cpu
