// Random numbers, once per instruction set.
#pragma once

#include <tandem/backend.h>

namespace tandem::cpu {

#define TANDEM_RANDOM_KERNELS(isa)                                                                              \
  namespace isa {                                                                                               \
  /* Writes the elements [begin, end) of a draw into out[begin, end). False if the dtype does not fit. `stream` \
     asks for stores that bypass the cache. */                                                                  \
  bool fill_random(const td_random& random, td_dtype dtype, int64_t begin, int64_t end, void* out, bool stream); \
  }
TANDEM_RANDOM_KERNELS(v2)
TANDEM_RANDOM_KERNELS(v3)
TANDEM_RANDOM_KERNELS(v4)
#undef TANDEM_RANDOM_KERNELS

}  // namespace tandem::cpu
