// The verb select. Threads count what they will find, so that each knows where its results begin. Conditions are bytes 0
// or 1.
#include <algorithm>
#include <cstring>

#include "elements.hpp"
#include "places.hpp"
#include "verbs.hpp"

namespace tandem::cpu {
namespace {

constexpr int64_t grain = 65536;  // elements of a thread's smallest share

constexpr int64_t word = 8;       // conditions looked at together

uint64_t word_at(const uint8_t* mask) noexcept {
  uint64_t conditions;
  std::memcpy(&conditions, mask, sizeof conditions);
  return conditions;
}

int64_t count_true(const uint8_t* mask, int64_t n) noexcept {
  constexpr uint64_t every_second = 0x00ff00ff00ff00ff, ones = 0x0001000100010001;
  constexpr int64_t most = 255;  // words whose bytes add up without overflow
  int64_t count = 0, i = 0;
  while (i + word <= n) {
    uint64_t sums = 0;
    for (const int64_t end = std::min(n - word, i + (most - 1) * word); i <= end; i += word) sums += word_at(mask + i);
    count += int64_t(((sums & every_second) + (sums >> 8 & every_second)) * ones >> 48);
  }
  for (; i < n; ++i) count += mask[i];
  return count;
}

/// Writes value(i) for those i < n where the mask holds, at most `count`; returns how many. Without branches but for
/// words of no true condition, and nothing behind the last one.
template <class T, class Value>
int64_t pick(const uint8_t* mask, int64_t n, T* out, int64_t count, Value value) noexcept {
  int64_t done = 0, i = 0;
  for (; i + word <= n && done + word <= count; i += word) {
    if (word_at(mask + i) == 0) continue;
    for (int64_t j = i; j < i + word; ++j) {
      out[done] = value(j);
      done += mask[j];
    }
  }
  for (; i < n && done < count; ++i) {
    out[done] = value(i);
    done += mask[i];
  }
  return done;
}

template <class T>
void pick_range(const td_view& x, const uint8_t* mask, void* out, int64_t begin, int64_t end, int64_t count) noexcept {
  const T* from = static_cast<const T*>(x.data) + begin;
  pick(mask + begin, end - begin, static_cast<T*>(out), count, [=](int64_t i) { return from[i]; });
}

/// Elements of the index array.
void pick_positions(const td_view& x, const uint8_t* mask, void* out, int64_t begin, int64_t end,
                    int64_t count) noexcept {
  int64_t* to = static_cast<int64_t*>(out);
  mask += begin;
  Places(x, 0).for_rows(begin, end - begin, [&](int64_t first, int64_t step, int64_t n) {
    const int64_t found = pick(mask, n, to, count, [=](int64_t i) { return first + i * step; });
    mask += n;
    to += found;
    count -= found;
  });
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
