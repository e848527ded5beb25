// The verbs gather and scatter. Offsets of some positions at a time, then a loop that moves elements: what is loaded is
// known ahead, so that many cache misses are under way at once.
//
// Where several values may meet in one place, each thread owns a part of the target's memory, reads all indices and
// takes the values that belong there, in their order: no sorting, no atomics, and the same result for any number of
// threads. It costs a look at every index by every thread, little beside long runs and the cache misses of the writes.
// Short runs into a target that a cache holds are written faster than looked at: one thread does it. Sums of integers
// do not depend on their order: there each thread has sums of its own.
#include <math.h>

#include <algorithm>
#include <cstring>

#include "elements.hpp"
#include "places.hpp"
#include "verbs.hpp"

#include <tandem/scalar.h>

namespace tandem::cpu {
namespace {

constexpr int64_t block = 1024;        // runs whose offsets are worked out at a time
constexpr int64_t grain_bytes = 32768; // a thread's smallest share
constexpr int64_t cached_bytes = int64_t{1} << 20;  // of a target, at most, that stays in a core's cache
constexpr int64_t lane_bytes = 4096;   // of a target, at most, that is so small that the same element is often next
constexpr int lanes = 4;
constexpr int64_t short_run = 8;       // elements up to which a run is written as fast as its offset is looked at

int64_t grain_of(int64_t run_bytes) noexcept { return std::max<int64_t>(1, grain_bytes / (run_bytes + 8)); }

/// Calls body(first, n, offsets) for blocks of the runs [begin, end).
template <class Body>
void for_blocks(const Places& places, int64_t begin, int64_t end, Body body) noexcept {
  int64_t offsets[block];
  for (int64_t first = begin; first < end; first += block) {
    const int64_t n = std::min(block, end - first);
    places.offsets(first, n, offsets);
    body(first, n, offsets);
  }
}

/// to[j * run ...] = from[offsets[j] ...]
template <class T>
void take_runs(T* to, const T* from, const int64_t* offsets, int64_t n, int64_t run) noexcept {
  constexpr int64_t ahead = 8, longest_fetched = 4096;
  if (run == 1) {
    for (int64_t j = 0; j < n; ++j) to[j] = from[offsets[j]];
    return;
  }
  const int64_t bytes = run * int64_t{sizeof(T)}, fetched = std::min(bytes, longest_fetched);
  for (int64_t j = 0; j < n; ++j) {
    if (j + ahead < n) {
      const char* next = reinterpret_cast<const char*>(from + offsets[j + ahead]);
      for (int64_t i = 0; i < fetched; i += 64) __builtin_prefetch(next + i);
    }
    std::memcpy(to + j * run, from + offsets[j], size_t(bytes));
  }
}

/// to[j] = from[offset of index j], for single elements.
template <class T>
void take_list(T* to, const T* from, const Places::IndexArray list, int64_t begin, int64_t end) noexcept {
  for (int64_t j = begin; j < end; ++j) to[j] = from[list.offset(list.data[j])];
}

/// What a scatter does with n runs whose offsets in the target and in the values are given.
using PutRuns = void (*)(void* to, const int64_t* offsets, const void* from, const int64_t* from_offsets, int64_t n,
                         int64_t run);
/// The same for single elements: that at the offset of index j takes in from[j * step], for begin <= j < end.
using PutList = void (*)(void* to, Places::IndexArray list, const void* from, int64_t step, int64_t begin, int64_t end);

/// The same for all j < count whose target lies in [low, high).
using PutOwned = void (*)(void* to, Places::IndexArray list, const void* from, int64_t step, int64_t count, int64_t low,
                          int64_t high);

/// The same as PutList, to `lanes` targets of a length in turn, one behind the other: no addition waits for the one
/// before it.
using PutLanes = void (*)(void* to, int64_t length, Places::IndexArray list, const void* from, int64_t step,
                          int64_t begin, int64_t end);

struct Put {
  PutRuns runs;
  PutList list;
  PutLanes lanes;
  PutOwned owned;
};

struct Replacing {
  template <class T>
  static void put(T& target, const T& value) noexcept {
    target = value;
  }
  template <class T>
  static void put(T* target, const T* values, int64_t n) noexcept {
    std::memcpy(target, values, size_t(n) * sizeof(T));
  }
};

struct Adding {
  template <class T>
  static void put(T& target, const T& value) noexcept {
    using namespace scalar;
    target = cast<T>(add(cast<compute_t<T>>(target), cast<compute_t<T>>(value)));
  }
  template <class T>
  static void put(T* target, const T* values, int64_t n) noexcept {
    for (int64_t i = 0; i < n; ++i) put(target[i], values[i]);
  }
};

template <class How, class T>
void put_runs(void* to, const int64_t* offsets, const void* from, const int64_t* from_offsets, int64_t n, int64_t run) {
  T* target = static_cast<T*>(to);
  const T* source = static_cast<const T*>(from);
  if (run == 1)
    for (int64_t j = 0; j < n; ++j) How::put(target[offsets[j]], source[from_offsets[j]]);
  else
    for (int64_t j = 0; j < n; ++j) How::put(target + offsets[j], source + from_offsets[j], run);
}

template <class How, class T>
void put_list(void* to, Places::IndexArray list, const void* from, int64_t step, int64_t begin, int64_t end) {
  T* target = static_cast<T*>(to);
  const T* source = static_cast<const T*>(from);
  for (int64_t j = begin; j < end; ++j) How::put(target[list.offset(list.data[j])], source[j * step]);
}

template <class How, class T>
void put_lanes(void* to, int64_t length, Places::IndexArray list, const void* from, int64_t step, int64_t begin,
               int64_t end) {
  T* target = static_cast<T*>(to);
  const T* source = static_cast<const T*>(from);
  const auto put = [&](int64_t lane, int64_t j) {
    How::put(target[lane * length + list.offset(list.data[j])], source[j * step]);
  };
  int64_t j = begin;
  for (; j + lanes <= end; j += lanes)
    for (int lane = 0; lane < lanes; ++lane) put(lane, j + lane);
  for (; j < end; ++j) put(0, j);
}

template <class How, class T>
void put_owned(void* to, Places::IndexArray list, const void* from, int64_t step, int64_t count, int64_t low,
               int64_t high) {
  T* target = static_cast<T*>(to);
  const T* source = static_cast<const T*>(from);
  int64_t offsets[block], places[block];
  for (int64_t first = 0; first < count; first += block) {
    const int64_t last = std::min(first + block, count);
    int64_t owned = 0;
    for (int64_t j = first; j < last; ++j) {
      offsets[owned] = list.offset(list.data[j]);
      places[owned] = j;
      owned += uint64_t(offsets[owned] - low) < uint64_t(high - low);
    }
    for (int64_t j = 0; j < owned; ++j) How::put(target[offsets[j]], source[places[j] * step]);
  }
}

template <class How, class T>
constexpr Put put_by{put_runs<How, T>, put_list<How, T>, put_lanes<How, T>, put_owned<How, T>};

Put put_for(int dtype, td_scatter mode) noexcept {
  using namespace scalar;
  static constexpr Put adding[] = {
#define X(NAME, type, ...) put_by<Adding, type>,
      TD_DTYPES(X)
#undef X
  };
  if (mode == TD_SCATTER_ADD) return adding[dtype];
  Put put{};
  with_element(dtype, [&](auto element) { put = put_by<Replacing, decltype(element)>; });
  return put;
}

/// Lowest offset of a view, and how many offsets there are from it to the highest; how many of them are elements.
struct Extent {
  int64_t low = 0, length = 1, elements = 1;

  explicit Extent(const td_view& x) noexcept {
    for (int i = 0; i < x.ndim; ++i) {
      const int64_t reach = (x.shape[i] - 1) * x.strides[i];
      low += std::min<int64_t>(reach, 0);
      length += std::abs(reach);
      elements *= x.shape[i];
    }
  }
};

/// Whether the order of additions makes no difference.
bool sums_commute(const td_view& x, td_scatter mode) noexcept {
  return mode == TD_SCATTER_ADD && x.dtype >= TD_INT8 && x.dtype <= TD_UINT64;
}

/// One call of scatter.
struct Scatter {
  const Places &places, &sources;
  int64_t run;
  Put put;
  void* to;
  const void* from;

  /// The only index array if single elements are put that lie at one step from each other.
  const Places::IndexArray* list() const noexcept { return run == 1 && sources.step() ? places.list() : nullptr; }

  /// The runs [begin, end), in order.
  void put_range(int64_t begin, int64_t end) const noexcept {
    if (list()) return put.list(to, *list(), from, *sources.step(), begin, end);
    int64_t from_offsets[block];
    for_blocks(places, begin, end, [&](int64_t first, int64_t n, const int64_t* offsets) {
      sources.offsets(first, n, from_offsets);
      put.runs(to, offsets, from, from_offsets, n, run);
    });
  }

  /// All runs of integers, added to sums of each thread's own, and these to the target, which has `length` elements of
  /// `bytes` each from offset `low` on. False if there is no memory for the sums.
  bool add_apart(int64_t low, int64_t length, int64_t bytes) const noexcept {
    const int64_t parts = thread_count(), count = places.count();
    const int64_t tables = list() && length * bytes <= lane_bytes ? lanes : 1;  // of each part
    Scratch memory(parts * tables * length * bytes);
    if (!memory) return false;
    const auto sums_of = [&](int64_t table) { return memory.as<char>() + table * length * bytes; };
    parallel_for(parts, 1, [&](int64_t first, int64_t last) {
      for (int64_t part = first; part < last; ++part) {
        const int64_t begin = count * part / parts, end = count * (part + 1) / parts;
        Scatter apart = *this;
        apart.to = sums_of(part * tables) - low * bytes;
        std::memset(sums_of(part * tables), 0, size_t(tables * length * bytes));
        if (tables > 1)
          put.lanes(apart.to, length, *list(), from, *sources.step(), begin, end);
        else
          apart.put_range(begin, end);
      }
    });
    parallel_for(length, grain_bytes / bytes, [&](int64_t begin, int64_t end) {
      const int64_t target = low + begin;
      for (int64_t table = 0; table < parts * tables; ++table)
        put.runs(to, &target, sums_of(table), &begin, 1, end - begin);
    });
    return true;
  }

  /// Those of all runs whose target lies in [low, high), in order.
  void put_owned(int64_t low, int64_t high) const noexcept {
    if (list()) return put.owned(to, *list(), from, *sources.step(), places.count(), low, high);
    int64_t from_offsets[block];
    for_blocks(places, 0, places.count(), [&](int64_t first, int64_t n, int64_t* offsets) {
      sources.offsets(first, n, from_offsets);
      int64_t owned = 0;
      for (int64_t j = 0; j < n; ++j) {
        const int64_t offset = offsets[j];
        from_offsets[owned] = from_offsets[j];
        offsets[owned] = offset;
        owned += offset >= low && offset < high;
      }
      put.runs(to, offsets, from, from_offsets, owned, run);
    });
  }
};

}  // namespace

td_status gather(td_device*, const td_view* x, int32_t axis, int32_t n_indices, const td_view* indices,
                 const td_view* out, td_error*) {
  int64_t run;
  const int32_t run_axes = contiguous_axes(*x, x->ndim - axis - n_indices, &run);
  const Places places(*x, axis, n_indices, indices, run_axes);
  with_element(x->dtype, [&](auto element) {
    using T = decltype(element);
    const T* from = static_cast<const T*>(x->data);
    T* to = static_cast<T*>(out->data);
    const Places::IndexArray* list = run == 1 ? places.list() : nullptr;
    parallel_for(places.count(), grain_of(run * int64_t{sizeof(T)}), [&](int64_t begin, int64_t end) {
      if (list) return take_list(to, from, *list, begin, end);
      for_blocks(places, begin, end, [&](int64_t first, int64_t n, const int64_t* offsets) {
        take_runs(to + first * run, from, offsets, n, run);
      });
    });
  });
  return TD_OK;
}

td_status scatter(td_device*, const td_view* x, int32_t axis, int32_t n_indices, const td_view* indices,
                  const td_view* values, td_scatter mode, td_error*) {
  int64_t run, values_run;
  int32_t run_axes = contiguous_axes(*x, x->ndim - axis - n_indices, &run);
  run_axes = contiguous_axes(*values, run_axes, &values_run);
  run = values_run;
  const Places places(*x, axis, n_indices, indices, run_axes), sources(*values, run_axes);
  const Scatter scatter{places, sources, run, put_for(x->dtype, mode), x->data, values->data};
  const int64_t grain = grain_of(run * item_bytes(x->dtype));
  if (mode == TD_SCATTER_UNIQUE) {
    parallel_for(places.count(), grain, [&](int64_t begin, int64_t end) { scatter.put_range(begin, end); });
    return TD_OK;
  }
  const Extent extent(*x);
  const int64_t bytes = item_bytes(x->dtype), threads = thread_count();
  const bool is_cached = extent.length * bytes <= cached_bytes;
  const bool alone = threads == 1 || places.count() <= grain;
  if (!alone && is_cached && sums_commute(*x, mode) && extent.length == extent.elements &&
      extent.length <= places.count() / threads && scatter.add_apart(extent.low, extent.length, bytes))
    return TD_OK;
  if (alone || (is_cached && run < short_run)) {
    scatter.put_range(0, places.count());
  } else {
    parallel_for(extent.length, (extent.length + threads - 1) / threads, [&](int64_t begin, int64_t end) {
      scatter.put_owned(extent.low + begin, extent.low + end);
    });
  }
  return TD_OK;
}

}  // namespace tandem::cpu
