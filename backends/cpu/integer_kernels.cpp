// Elementwise operations on bool and integers.
#include "elementwise_kernels.hpp"

namespace tandem::cpu::TD_ISA {

const Map* const maps_bool = Maps<bool>::table;
const Map* const maps_i8 = Maps<i8>::table;
const Map* const maps_i16 = Maps<i16>::table;
const Map* const maps_i32 = Maps<i32>::table;
const Map* const maps_i64 = Maps<i64>::table;
const Map* const maps_u8 = Maps<u8>::table;
const Map* const maps_u16 = Maps<u16>::table;
const Map* const maps_u32 = Maps<u32>::table;
const Map* const maps_u64 = Maps<u64>::table;

}  // namespace tandem::cpu::TD_ISA
