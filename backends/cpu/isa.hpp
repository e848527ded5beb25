// Instruction sets. Kernels are compiled once per level, into separate translation units, and chosen at run time.
#pragma once

namespace tandem::cpu {

enum class Isa { v2, v3, v4 };  // x86-64-v2 (SSE4.2), -v3 (AVX2, FMA), -v4 (AVX-512)

/// The best level of this processor, capped by TANDEM_CPU_ISA (v2, v3 or v4); decided once.
Isa isa() noexcept;
const char* name(Isa isa) noexcept;

}  // namespace tandem::cpu
