// The verb random: blocks of elements over threads. docs/random.md states the numbers.
#include "isa.hpp"
#include "random_kernels.hpp"
#include "verbs.hpp"

namespace tandem::cpu {
namespace {

constexpr int64_t grain = 16384;                   // elements of a thread's smallest share
constexpr int64_t streaming_bytes = int64_t{4} << 20;  // from here on the result is not read back from the cache

constexpr int64_t dtype_bytes[] = {
#define X(NAME, type, text, bytes) bytes,
    TD_DTYPES(X)
#undef X
};

auto fill_random() noexcept {
  switch (isa()) {
    case Isa::v4: return v4::fill_random;
    case Isa::v3: return v3::fill_random;
    case Isa::v2: break;
  }
  return v2::fill_random;
}

}  // namespace

td_status random(td_device*, const td_random* random, const td_view* out, td_error* error) {
  int64_t count = 1;
  for (int32_t axis = 0; axis < out->ndim; ++axis) count *= out->shape[axis];
  const auto fill = fill_random();
  if (!fill(*random, out->dtype, 0, 0, out->data, false)) {
    return fail(error, TD_NOT_SUPPORTED, "distribution %d does not exist for dtype %d", random->distribution,
                out->dtype);
  }
  const bool streaming = count >= streaming_bytes / dtype_bytes[out->dtype];
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    fill(*random, out->dtype, begin, end, out->data, streaming);
  });
  return TD_OK;
}

}  // namespace tandem::cpu
