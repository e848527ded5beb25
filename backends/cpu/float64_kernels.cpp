// Elementwise operations on float64.
#include "elementwise_kernels.hpp"

namespace tandem::cpu::TD_ISA {

const Map* const maps_f64 = Maps<f64>::table;

}  // namespace tandem::cpu::TD_ISA
