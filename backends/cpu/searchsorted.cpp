// The verb searchsorted: a binary search for each value, by the keys that sort orders by.
#include <math.h>

#include <tandem/sort_keys.h>

#include "verbs.hpp"

namespace tandem::cpu {
namespace {

using namespace sorting;

constexpr int64_t grain = 1024;  // values of a thread's smallest share

/// For each of `count` values the number of elements whose key is less than its own, or with `right` not greater. The
/// searches run side by side, so that none waits for memory alone, and without branches, of which half would be
/// foreseen wrongly.
template <int count, bool right, class T>
void count_before(const T* sorted, int64_t n, const T* values, int64_t* out) noexcept {
  typename Order<T>::Key keys[count];
  int64_t first[count];
  for (int k = 0; k < count; ++k) keys[k] = Order<T>::key(values[k], 0), first[k] = 0;
  const auto before = [&](int64_t i, int k) {
    const auto own = Order<T>::key(sorted[i], 0);
    return int64_t(right ? own <= keys[k] : own < keys[k]);
  };
  for (; n > 1; n -= n / 2) {
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k) first[k] += n / 2 & -before(first[k] + n / 2 - 1, k);
  }
  for (int k = 0; k < count; ++k) out[k] = first[k] + (n == 1 ? before(first[k], k) : 0);
}

template <bool right, class T>
void search(const td_view& sorted, const td_view& values, int64_t* out) noexcept {
  const T *places = static_cast<const T*>(sorted.data), *wanted = static_cast<const T*>(values.data);
  int64_t count = 1;
  for (int32_t axis = 0; axis < values.ndim; ++axis) count *= values.shape[axis];
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    constexpr int together = 8;
    int64_t i = begin;
    for (; i + together <= end; i += together)
      count_before<together, right>(places, sorted.shape[0], wanted + i, out + i);
    for (; i < end; ++i) count_before<1, right>(places, sorted.shape[0], wanted + i, out + i);
  });
}

}  // namespace

td_status searchsorted(td_device*, const td_view* sorted, const td_view* values, int32_t right, const td_view* out,
                       td_error* error) {
  int64_t* to = static_cast<int64_t*>(out->data);
  switch (values->dtype) {
#define X(NAME, type, ...) \
  case TD_##NAME: (right ? search<true, type> : search<false, type>)(*sorted, *values, to); return TD_OK;
    TD_DTYPES(X)
#undef X
    case TD_DTYPE_COUNT: break;
  }
  return fail(error, TD_NOT_SUPPORTED, "no order for dtype %d", values->dtype);
}

}  // namespace tandem::cpu
