// Elementwise operations on complex128.
#include "elementwise_kernels.hpp"

namespace tandem::cpu::TD_ISA {

const Map* const maps_c128 = Maps<c128>::table;

}  // namespace tandem::cpu::TD_ISA
