#include "kernels.hpp"

#include "isa.hpp"

namespace tandem::cpu {

namespace {

#define TD_MAPS(NAME, type, ...) maps_##type,
#define TD_TABLE(level)                                                           \
  const Kernels* level##_kernels() noexcept {                                     \
    using namespace level;                                                        \
    static const Kernels table = {{TD_DTYPES(TD_MAPS)}, casts, combiners, searchers, &movers}; \
    return &table;                                                                \
  }
TD_TABLE(v2)
TD_TABLE(v3)
TD_TABLE(v4)
#undef TD_TABLE
#undef TD_MAPS

const Kernels* choose() noexcept {
  switch (isa()) {
    case Isa::v4: return v4_kernels();
    case Isa::v3: return v3_kernels();
    default: return v2_kernels();
  }
}

}  // namespace

const Kernels& kernels() noexcept {
  static const Kernels* const chosen = choose();
  return *chosen;
}

}  // namespace tandem::cpu
