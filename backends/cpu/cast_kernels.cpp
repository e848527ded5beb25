// Casts between all dtypes.
#include "kernel_types.hpp"

namespace tandem::cpu::TD_ISA {
namespace {

template <class From, class To>
void convert(void* out, const void* a, const void*, const void*, const void*, int64_t n) {
  n &= -block_unit;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) store(out, i, cast<To>(load<From>(a, i)));
}

template <class From>
struct Casts {
  static constexpr Map table[TD_DTYPE_COUNT] = {
#define X(NAME, type, ...) convert<From, type>,
      TD_DTYPES(X)
#undef X
  };
};

}  // namespace

const Map* const casts[TD_DTYPE_COUNT] = {
#define X(NAME, type, ...) Casts<type>::table,
    TD_DTYPES(X)
#undef X
};

}  // namespace tandem::cpu::TD_ISA
