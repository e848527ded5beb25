// Elementwise operations on complex64.
#include "elementwise_kernels.hpp"

namespace tandem::cpu::TD_ISA {

const Map* const maps_c64 = Maps<c64>::table;

}  // namespace tandem::cpu::TD_ISA
