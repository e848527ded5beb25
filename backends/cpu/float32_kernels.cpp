// Elementwise operations on float32, and what float16 and bfloat16 do not leave to it.
#include "elementwise_kernels.hpp"

namespace tandem::cpu::TD_ISA {

const Map* const maps_f16 = Maps<f16>::table;
const Map* const maps_bf16 = Maps<bf16>::table;
const Map* const maps_f32 = Maps<f32>::table;

}  // namespace tandem::cpu::TD_ISA
