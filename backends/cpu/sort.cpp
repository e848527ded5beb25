// The verb sort: rows become keys (with positions if these are asked for), the keys are sorted, the results written.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "sort_algorithms.hpp"
#include "verbs.hpp"

namespace tandem::cpu {
namespace {

using namespace sorting;

constexpr int64_t shared_row_length = 1 << 16;  // rows at least this long are sorted by all threads together
constexpr int64_t rows_grain_elements = 4096;   // elements of a thread's smallest share of many rows
constexpr int64_t tile_bytes = int64_t{1} << 20;

/// What one call sorts. The last axis is the row; values and indices may be null.
struct Job {
  const td_view* x;
  int64_t n, rows;
  bool descending;
  void* values;
  int64_t* indices;
};

/// Place of the first element of a row.
template <class T>
const T* row_of(const Job& job, int64_t row) noexcept {
  int64_t offset = 0;
  for (int32_t axis = job.x->ndim - 2; axis > 0; --axis) {
    offset += row % job.x->shape[axis] * job.x->strides[axis];
    row /= job.x->shape[axis];
  }
  if (job.x->ndim > 1) offset += row * job.x->strides[0];
  return static_cast<const T*>(job.x->data) + offset;
}

template <class Body>
void for_parts(int64_t n, int64_t parts, Body body) noexcept {
  parallel_for(parts, 1, [=](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part) body(part_begin(n, part, parts), part_end(n, part, parts), part);
  });
}

/// Sorts rows of T through entries E: keys alone if the positions do not matter, else keys with positions.
template <class T, class E>
class RowSorter {
 public:
  using Key = typename Order<T>::Key;         // of the dtype
  using EntryKey = typename KeyOf<E>::type;   // of the entry, at least as wide
  static constexpr bool with_index = !std::is_same_v<E, EntryKey>;
  static constexpr int64_t max_parts = 256;

  RowSorter(const Job& job, int64_t parts) noexcept
      : job_(job), parts_(parts), memory_(bytes(job.n, parts)) {
    if (!memory_) return;
    entries_ = memory_.template as<E>();
    spare_ = entries_ + job.n;
    counts_ = reinterpret_cast<int64_t*>(memory_.template as<char>() + entry_bytes(job.n));
    varying_ = reinterpret_cast<EntryKey*>(counts_ + parts * digit_values);
  }
  explicit operator bool() const noexcept { return entries_ != nullptr; }

  /// Sorts the n elements at x into the outputs' row `row`.
  void operator()(const T* x, int64_t stride, int64_t row) noexcept {
    const bool special = make_keys(x, stride);
    const E* sorted = sort_entries();
    if constexpr (with_index) {
      write_indexed(sorted, x, stride, row);
    } else {
      write_values(sorted, x, stride, row, special);
    }
  }

 private:
  static int64_t entry_bytes(int64_t n) noexcept { return (2 * n * int64_t{sizeof(E)} + 63) / 64 * 64; }
  static int64_t bytes(int64_t n, int64_t parts) noexcept {
    return entry_bytes(n) + parts * (digit_values * int64_t{sizeof(int64_t)} + int64_t{sizeof(EntryKey)});
  }

  Key flip() const noexcept { return job_.descending ? Key(~Key(0)) : Key(0); }

  /// Fills entries_ and varying_; returns whether an element needs more than its key.
  bool make_keys(const T* x, int64_t stride) noexcept {
    std::atomic<bool> special = false;
    const Key flip = this->flip(), first_key = Order<T>::key(x[0], flip);
    for_parts(job_.n, parts_, [&, this](int64_t begin, int64_t end, int64_t part) {
      Key varying = 0;
      bool any_special = false;
      for (int64_t i = begin; i < end; ++i) {
        const T element = x[i * stride];
        const Key key = Order<T>::key(element, flip);
        varying |= Key(key ^ first_key);
        if constexpr (with_index) {
          entries_[i] = E{key, static_cast<typename E::Index>(i)};
        } else {
          any_special |= Order<T>::special(element);
          entries_[i] = key;
        }
      }
      varying_[part] = varying;
      if (any_special) special.store(true, std::memory_order_relaxed);
    });
    return special.load(std::memory_order_relaxed);
  }

  E* sort_entries() noexcept {
    EntryKey varying = 0;
    for (int64_t part = 0; part < parts_; ++part) varying |= varying_[part];
    return stable_sort(entries_, spare_, job_.n, varying, parts_, counts_);
  }

  void write_indexed(const E* sorted, const T* x, int64_t stride, int64_t row) noexcept
    requires with_index
  {
    T* values = job_.values == nullptr ? nullptr : static_cast<T*>(job_.values) + row * job_.n;
    int64_t* indices = job_.indices == nullptr ? nullptr : job_.indices + row * job_.n;
    for_parts(job_.n, parts_, [=](int64_t begin, int64_t end, int64_t) {
      for (int64_t i = begin; values != nullptr && i < end; ++i) {
        values[i] = x[static_cast<int64_t>(sorted[i].index) * stride];
      }
      for (int64_t i = begin; indices != nullptr && i < end; ++i) indices[i] = static_cast<int64_t>(sorted[i].index);
    });
  }

  void write_values(const E* sorted, const T* x, int64_t stride, int64_t row, bool special) noexcept
    requires(!with_index)
  {
    T* values = static_cast<T*>(job_.values) + row * job_.n;
    const Key flip = this->flip();
    for_parts(job_.n, parts_, [=](int64_t begin, int64_t end, int64_t) {
      for (int64_t i = begin; i < end; ++i) values[i] = Order<T>::value(sorted[i], flip);
    });
    if (special) write_special(sorted, x, stride, values);
  }

  /// Zeros and NaNs have one key each, so their signs and payloads come from x, in its order.
  void write_special(const E* sorted, const T* x, int64_t stride, T* values) noexcept {
    if constexpr (requires { Order<T>::nan; }) {
      const int64_t n = job_.n;
      T* zero = values + (std::lower_bound(sorted, sorted + n, Order<T>::key(T{}, flip())) - sorted);
      T* nan = values + (std::lower_bound(sorted, sorted + n, Order<T>::nan) - sorted);
      for (int64_t i = 0; i < n; ++i) {
        const T element = x[i * stride];
        if (Order<T>::is_zero(element)) *zero++ = element;
        if (Order<T>::is_nan(element)) *nan++ = element;
      }
    }
  }

  const Job& job_;
  int64_t parts_;
  Scratch memory_;
  E *entries_ = nullptr, *spare_ = nullptr;
  int64_t* counts_ = nullptr;
  EntryKey* varying_ = nullptr;
};

/// Rows that lie closer together than the elements of one row are copied a tile at a time, so that no cache line is
/// read for a single element.
template <class T>
int64_t tile_rows(const Job& job) noexcept {
  const td_view& x = *job.x;
  if (x.ndim < 2) return 1;
  const int64_t row_stride = std::abs(x.strides[x.ndim - 2]), stride = std::abs(x.strides[x.ndim - 1]);
  if (stride <= row_stride || row_stride == 0) return 1;
  const int64_t fitting = tile_bytes / (job.n * int64_t{sizeof(T)});
  return std::clamp<int64_t>(fitting, 1, 64 / int64_t{sizeof(T)} * 2);
}

template <class T, class E>
bool sort_row_range(const Job& job, int64_t begin, int64_t end, int64_t parts) noexcept {
  RowSorter<T, E> sorter(job, parts);
  if (!sorter) return false;
  const int64_t stride = job.x->strides[job.x->ndim - 1];
  const int64_t tile = std::min(tile_rows<T>(job), end - begin);
  if (tile == 1) {
    for (int64_t row = begin; row < end; ++row) sorter(row_of<T>(job, row), stride, row);
    return true;
  }
  Scratch memory(tile * job.n * int64_t{sizeof(T)});
  if (!memory) return false;
  T* copy = memory.as<T>();
  for (int64_t first = begin; first < end; first += tile) {
    const int64_t rows = std::min(tile, end - first);
    const T* sources[128];
    for (int64_t row = 0; row < rows; ++row) sources[row] = row_of<T>(job, first + row);
    for (int64_t i = 0; i < job.n; ++i) {
      for (int64_t row = 0; row < rows; ++row) copy[row * job.n + i] = sources[row][i * stride];
    }
    for (int64_t row = 0; row < rows; ++row) sorter(copy + row * job.n, 1, first + row);
  }
  return true;
}

template <class T, class E>
td_status sort_rows(const Job& job, td_error* error) noexcept {
  const int64_t threads = thread_count();
  const bool shared = job.rows < threads && job.n >= shared_row_length;
  bool enough = true;
  if (shared) {
    enough = sort_row_range<T, E>(job, 0, job.rows, threads);
  } else {
    std::atomic<bool> all_enough = true;
    parallel_for(job.rows, std::max<int64_t>(1, rows_grain_elements / job.n), [&](int64_t begin, int64_t end) {
      if (!sort_row_range<T, E>(job, begin, end, 1)) all_enough.store(false, std::memory_order_relaxed);
    });
    enough = all_enough.load(std::memory_order_relaxed);
  }
  if (enough) return TD_OK;
  return fail(error, TD_OUT_OF_MEMORY, "no memory for sorting rows of %lld elements of %d bytes",
              static_cast<long long>(job.n), static_cast<int>(sizeof(T)));
}

template <class T>
td_status sort_dtype(const Job& job, td_error* error) noexcept {
  using Key = typename Order<T>::Key;
  if constexpr (Order<T>::invertible) {
    if (job.indices == nullptr) return sort_rows<T, Key>(job, error);
  }
  if constexpr (sizeof(Key) <= 4) {
    if (job.n <= int64_t{UINT32_MAX}) return sort_rows<T, Entry<u32, u32>>(job, error);
  }
  return sort_rows<T, Entry<std::conditional_t<sizeof(Key) <= 8, u64, u128>, i64>>(job, error);
}

}  // namespace

td_status sort(td_device*, const td_view* x, int32_t descending, const td_view* values, const td_view* indices,
               td_error* error) {
  if (x->ndim < 1) return fail(error, TD_INVALID_ARGUMENT, "a 0-d array has no axis to sort along");
  Job job{.x = x,
          .n = x->shape[x->ndim - 1],
          .rows = 1,
          .descending = descending != 0,
          .values = values == nullptr ? nullptr : values->data,
          .indices = indices == nullptr ? nullptr : static_cast<int64_t*>(indices->data)};
  for (int32_t axis = 0; axis + 1 < x->ndim; ++axis) job.rows *= x->shape[axis];
  if (job.n == 0 || job.rows == 0 || (job.values == nullptr && job.indices == nullptr)) return TD_OK;
  switch (x->dtype) {
#define X(NAME, type, text, bytes) \
  case TD_##NAME: return sort_dtype<type>(job, error);
    TD_DTYPES(X)
#undef X
    case TD_DTYPE_COUNT: break;
  }
  return fail(error, TD_NOT_SUPPORTED, "no order for dtype %d", x->dtype);
}

}  // namespace tandem::cpu
