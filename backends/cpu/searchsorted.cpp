// The verb searchsorted: a binary search for each value, by the keys that sort orders by.
#include <math.h>

#include <tandem/sort_keys.h>

#include "verbs.hpp"

namespace tandem::cpu {
namespace {

using namespace sorting;

constexpr int64_t grain = 1024;  // values of a thread's smallest share

/// Number of elements whose key is less than `key`, or with `right` not greater. Without branches, of which half would be
/// foreseen wrongly.
template <class T>
int64_t count_before(const T* sorted, int64_t n, typename Order<T>::Key key, bool right) noexcept {
  const auto before = [&](int64_t i) {
    const auto own = Order<T>::key(sorted[i], 0);
    return right ? own <= key : own < key;
  };
  int64_t first = 0;
  while (n > 1) {
    const int64_t half = n / 2;
    first += before(first + half - 1) ? half : 0;
    n -= half;
  }
  return first + (n == 1 && before(first));
}

template <class T>
void search(const td_view& sorted, const td_view& values, bool right, int64_t* out) noexcept {
  const T *places = static_cast<const T*>(sorted.data), *wanted = static_cast<const T*>(values.data);
  int64_t count = 1;
  for (int32_t axis = 0; axis < values.ndim; ++axis) count *= values.shape[axis];
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      out[i] = count_before(places, sorted.shape[0], Order<T>::key(wanted[i], 0), right);
  });
}

}  // namespace

td_status searchsorted(td_device*, const td_view* sorted, const td_view* values, int32_t right, const td_view* out,
                       td_error* error) {
  int64_t* to = static_cast<int64_t*>(out->data);
  switch (values->dtype) {
#define X(NAME, type, ...) \
  case TD_##NAME: search<type>(*sorted, *values, right != 0, to); return TD_OK;
    TD_DTYPES(X)
#undef X
    case TD_DTYPE_COUNT: break;
  }
  return fail(error, TD_NOT_SUPPORTED, "no order for dtype %d", values->dtype);
}

}  // namespace tandem::cpu
