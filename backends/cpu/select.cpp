// The verb select. Threads count what they will find, so that each knows where its results begin.
#include <algorithm>
#include <cstring>

#include "elements.hpp"
#include "places.hpp"
#include "verbs.hpp"

namespace tandem::cpu {
namespace {

constexpr int64_t grain = 65536;  // elements of a thread's smallest share
constexpr int64_t block = 1024;

int64_t count_true(const uint8_t* mask, int64_t n) noexcept {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += mask[i] != 0;
  return count;
}

/// Writes the first `count` elements of x where the mask holds. Without branches, and nothing behind the last one.
template <class T>
void pick(const T* x, const uint8_t* mask, T* out, int64_t count) noexcept {
  int64_t done = 0;
  for (int64_t i = 0; done < count; ++i) {
    out[done] = x[i];
    done += mask[i] != 0;
  }
}

template <class T>
void pick_range(const td_view& x, const uint8_t* mask, void* out, int64_t begin, int64_t, int64_t count) noexcept {
  pick(static_cast<const T*>(x.data) + begin, mask + begin, static_cast<T*>(out), count);
}

/// Elements of the index array.
void pick_positions(const td_view& x, const uint8_t* mask, void* out, int64_t begin, int64_t end,
                    int64_t count) noexcept {
  const Places places(x, 0);
  int64_t offsets[block];
  int64_t* to = static_cast<int64_t*>(out);
  for (int64_t first = begin; count > 0 && first < end; first += block) {
    const int64_t n = std::min(block, end - first), found = count_true(mask + first, n);
    if (found == 0) continue;
    places.offsets(first, n, offsets);
    pick(offsets, mask + first, to, found);
    to += found;
    count -= found;
  }
}

using Pick = void (*)(const td_view&, const uint8_t*, void*, int64_t, int64_t, int64_t) noexcept;

Pick pick_for(const td_view& x) noexcept {
  Pick pick = pick_positions;
  if (x.data) with_element(x.dtype, [&](auto element) { pick = pick_range<decltype(element)>; });
  return pick;
}

}  // namespace

td_status select(td_device*, const td_view* x, const td_view* mask, const td_view* out, td_error* error) {
  int64_t n = 1;
  for (int32_t axis = 0; axis < mask->ndim; ++axis) n *= mask->shape[axis];
  const uint8_t* conditions = static_cast<const uint8_t*>(mask->data);
  const Pick pick = pick_for(*x);
  const int64_t parts = std::min<int64_t>(thread_count(), (n + grain - 1) / grain);
  Scratch memory((parts + 1) * int64_t{sizeof(int64_t)});
  if (!memory) return fail(error, TD_OUT_OF_MEMORY, "no memory for counting");
  int64_t* places = memory.as<int64_t>();
  const auto part_begin = [&](int64_t part) { return n / parts * part + std::min(part, n % parts); };
  places[0] = 0;
  places[parts] = out->shape[0];
  if (parts > 1) {
    parallel_for(parts, 1, [&](int64_t first, int64_t last) {
      for (int64_t part = first; part < last; ++part)
        places[part + 1] = count_true(conditions + part_begin(part), part_begin(part + 1) - part_begin(part));
    });
    for (int64_t part = 0; part < parts; ++part) places[part + 1] += places[part];
  }
  parallel_for(parts, 1, [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part)
      pick(*x, conditions, static_cast<char*>(out->data) + places[part] * item_bytes(x->dtype), part_begin(part),
           part_begin(part + 1), places[part + 1] - places[part]);
  });
  return TD_OK;
}

}  // namespace tandem::cpu
