// The verb sort: rows become keys (with positions if these are asked for), the keys are sorted, the results written.
#include <algorithm>
#include <type_traits>

#include "isa.hpp"
#include "sort_kernels.hpp"
#include "sort_rows.hpp"
#include "verbs.hpp"

namespace tandem::cpu {
namespace {

using namespace sorting;

constexpr int64_t longest_network = 128;  // row length up to which networks are faster
constexpr int64_t fewest_network_rows = 4;

/// What one call sorts. The last axis is the row; values and indices may be null.
struct Job {
  const td_view* x;
  int64_t n, rows;
  bool descending;
  void* values;
  int64_t* indices;
};

/// The outputs of a row; null where not asked for.
template <class T>
struct RowOut {
  T* values;
  int64_t* indices;

  RowOut(const Job& job, int64_t row) noexcept
      : values(job.values == nullptr ? nullptr : static_cast<T*>(job.values) + row * job.n),
        indices(job.indices == nullptr ? nullptr : job.indices + row * job.n) {}
};

/// Sorts rows of T, each by `parts` threads, through entries E: keys alone if the positions do not matter, else keys
/// with positions.
template <class T, class E>
class RowSorter {
 public:
  using Key = typename Order<T>::Key;       // of the dtype
  using EntryKey = typename KeyOf<E>::type;  // of the entry, at least as wide
  static constexpr bool with_index = !std::is_same_v<E, EntryKey>;

  RowSorter(const Job& job, int64_t parts) noexcept
      : job_(job), parts_(parts), radix_bytes_(RadixSort<E>::memory_bytes(job.n, parts)),
        memory_(radix_bytes_ + 2 * entry_bytes() + parts * (int64_t{sizeof(EntryKey)} + 1)) {
    if (!memory_) return;
    char* place = memory_.template as<char>() + radix_bytes_;
    entries_ = reinterpret_cast<E*>(place);
    spare_ = reinterpret_cast<E*>(place + entry_bytes());
    varying_ = reinterpret_cast<EntryKey*>(place + 2 * entry_bytes());
    special_ = reinterpret_cast<bool*>(varying_ + parts);
  }
  explicit operator bool() const noexcept { return entries_ != nullptr; }

  /// Sorts the n elements at x into the outputs' row `row`.
  void operator()(const T* x, int64_t stride, int64_t row) noexcept {
    make_keys(x, stride);
    EntryKey varying = 0;
    bool special = false;
    for (int64_t part = 0; part < parts_; ++part) varying |= varying_[part], special |= special_[part];
    const E* sorted = RadixSort<E>(memory_.template as<void>(), parts_).sort(entries_, spare_, job_.n, varying);
    const RowOut<T> out(job_, row);
    if constexpr (with_index) {
      write_indexed(sorted, x, stride, out);
    } else {
      write_values(sorted, out.values);
      if (special) write_special(sorted, x, stride, out.values);
    }
  }

 private:
  int64_t entry_bytes() const noexcept {
    return (job_.n * int64_t{sizeof(E)} + line_bytes - 1) / line_bytes * line_bytes;
  }

  void make_keys(const T* x, int64_t stride) noexcept {
    const Key flip = flip_of<Key>(job_.descending), first = Order<T>::key(x[0], flip);
    for_parts(job_.n, parts_, [=, this](Part mine, int64_t part) {
      Key varying = 0;
      bool special = false;
      for (int64_t i = mine.begin; i < mine.end; ++i) {
        const T element = x[i * stride];
        const Key key = Order<T>::key(element, flip);
        varying |= Key(key ^ first);
        if constexpr (with_index) {
          entries_[i] = E{key, static_cast<typename E::Index>(i)};
        } else {
          special |= Order<T>::special(element);
          entries_[i] = key;
        }
      }
      varying_[part] = varying;
      special_[part] = special;
    });
  }

  void write_indexed(const E* sorted, const T* x, int64_t stride, RowOut<T> out) noexcept
    requires with_index
  {
    for_parts(job_.n, parts_, [=](Part mine, int64_t) {
      for (int64_t i = mine.begin; out.values != nullptr && i < mine.end; ++i) {
        out.values[i] = x[static_cast<int64_t>(sorted[i].index) * stride];
      }
      for (int64_t i = mine.begin; out.indices != nullptr && i < mine.end; ++i) {
        out.indices[i] = static_cast<int64_t>(sorted[i].index);
      }
    });
  }

  void write_values(const E* sorted, T* values) noexcept
    requires(!with_index)
  {
    const Key flip = flip_of<Key>(job_.descending);
    for_parts(job_.n, parts_, [=](Part mine, int64_t) {
      for (int64_t i = mine.begin; i < mine.end; ++i) values[i] = Order<T>::value(sorted[i], flip);
    });
  }

  /// Zeros and NaNs have one key each, so their signs and payloads come from x, in its order.
  void write_special(const E* sorted, const T* x, int64_t stride, T* values) noexcept {
    if constexpr (requires { Order<T>::nan; }) {
      const int64_t n = job_.n;
      const Key zero_key = Order<T>::key(T{}, flip_of<Key>(job_.descending));
      T* zero = values + (std::lower_bound(sorted, sorted + n, zero_key) - sorted);
      T* nan = values + (std::lower_bound(sorted, sorted + n, Order<T>::nan) - sorted);
      for (int64_t i = 0; i < n; ++i) {
        const T element = x[i * stride];
        if (Order<T>::is_zero(element)) *zero++ = element;
        if (Order<T>::is_nan(element)) *nan++ = element;
      }
    }
  }

  const Job& job_;
  int64_t parts_, radix_bytes_;
  Scratch memory_;
  E *entries_ = nullptr, *spare_ = nullptr;
  EntryKey* varying_ = nullptr;  // by part: bits in which its keys differ from the row's first
  bool* special_ = nullptr;      // by part: whether an element is more than its key
};

// ---- short rows -------------------------------------------------------------------------------------------------

struct Networks {
  void (*keys32)(uint32_t*, int64_t);
  void (*keys64)(uint64_t*, int64_t);
  void (*pairs)(uint64_t*, uint64_t*, int64_t);
};

Networks networks() noexcept {
  switch (isa()) {
    case Isa::v4: return {v4::sort_network, v4::sort_network, v4::sort_network};
    case Isa::v3: return {v3::sort_network, v3::sort_network, v3::sort_network};
    case Isa::v2: break;
  }
  return {v2::sort_network, v2::sort_network, v2::sort_network};
}

/// Sorts rows of at most longest_network elements, network_rows of them at a time. Keys of up to 32 bits share a word
/// with their position; wider ones have a word each for both.
template <class T>
class ShortRows {
 public:
  using Key = typename Order<T>::Key;

  explicit ShortRows(const Job& job) noexcept : job_(job), networks_(networks()) {}

  void operator()(int64_t begin, int64_t end) noexcept {
    for (int64_t first = begin; first < end; first += network_rows) {
      rows_ = std::min<int64_t>(network_rows, end - first);
      for (int64_t row = 0; row < network_rows; ++row) {
        sources_[row] = row_of<T>(*job_.x, first + std::min(row, rows_ - 1));
      }
      if (job_.indices != nullptr || !sort_values(first)) sort_indices(first);
    }
  }

 private:
  static constexpr bool narrow = sizeof(Key) <= 4;

  /// Values alone, from keys alone; false if these do not suffice.
  bool sort_values(int64_t first) noexcept {
    if constexpr (!Order<T>::invertible) {
      return false;
    } else {
      using Word = std::conditional_t<narrow, uint32_t, uint64_t>;
      Word* words = reinterpret_cast<Word*>(words_);
      const Key flip = flip_of<Key>(job_.descending);
      bool special = false;
      for_elements([&](T element, int64_t at, int64_t) {
        special |= Order<T>::special(element);
        words[at] = Order<T>::key(element, flip);
      });
      if (special) return false;
      if constexpr (narrow) networks_.keys32(words, job_.n);
      else networks_.keys64(words, job_.n);
      for_rows(first, [&](int64_t, int64_t at, RowOut<T> out, int64_t i) {
        out.values[i] = Order<T>::value(static_cast<Key>(words[at]), flip);
      });
      return true;
    }
  }

  void sort_indices(int64_t first) noexcept {
    const Key flip = flip_of<Key>(job_.descending);
    uint64_t* indices = narrow ? words_ : indices_;
    for_elements([&](T element, int64_t at, int64_t i) {
      const uint64_t key = Order<T>::key(element, flip);
      words_[at] = narrow ? key << 32 | static_cast<uint64_t>(i) : key;
      if (!narrow) indices[at] = i;
    });
    if (narrow) networks_.keys64(words_, job_.n);
    else networks_.pairs(words_, indices, job_.n);
    const int64_t stride = job_.x->strides[job_.x->ndim - 1];
    for_rows(first, [&](int64_t row, int64_t at, RowOut<T> out, int64_t i) {
      const int64_t index = static_cast<uint32_t>(indices[at]);
      if (out.values != nullptr) out.values[i] = sources_[row][index * stride];
      if (out.indices != nullptr) out.indices[i] = index;
    });
  }

  /// Calls body(element, place in the network, position in the row).
  template <class Body>
  void for_elements(Body body) noexcept {
    const int64_t stride = job_.x->strides[job_.x->ndim - 1];
    for (int64_t i = 0; i < job_.n; ++i) {
      for (int64_t row = 0; row < network_rows; ++row) {
        body(sources_[row][i * stride], i * network_rows + row, i);
      }
    }
  }

  /// Calls body(row, place in the network, outputs, position in them).
  template <class Body>
  void for_rows(int64_t first, Body body) noexcept {
    for (int64_t row = 0; row < rows_; ++row) {
      const RowOut<T> out(job_, first + row);
      for (int64_t i = 0; i < job_.n; ++i) body(row, i * network_rows + row, out, i);
    }
  }

  const Job& job_;
  Networks networks_;
  int64_t rows_ = 0;
  const T* sources_[network_rows];
  alignas(64) uint64_t words_[longest_network * network_rows];
  alignas(64) uint64_t indices_[longest_network * network_rows];
};

// ---- rows -------------------------------------------------------------------------------------------------------

template <class T, class E>
bool sort_row_range(const Job& job, int64_t begin, int64_t end, int64_t parts) noexcept {
  RowSorter<T, E> sorter(job, parts);
  return sorter && for_each_row<T>(*job.x, begin, end, sorter);
}

template <class T>
void sort_short_rows(const Job& job) noexcept {
  const int64_t grain = std::max<int64_t>(1, grain_elements / (job.n * network_rows)) * network_rows;
  parallel_for(job.rows, grain, [&](int64_t begin, int64_t end) {
    ShortRows<T> sorter(job);
    sorter(begin, end);
  });
}

template <class T, class E>
td_status sort_rows(const Job& job, td_error* error) noexcept {
  const bool enough = for_row_ranges(job.rows, job.n, [&](int64_t begin, int64_t end, int64_t parts) {
    return sort_row_range<T, E>(job, begin, end, parts);
  });
  if (enough) return TD_OK;
  return fail(error, TD_OUT_OF_MEMORY, "no memory for sorting rows of %lld elements of %d bytes",
              static_cast<long long>(job.n), static_cast<int>(sizeof(T)));
}

template <class T>
td_status sort_dtype(const Job& job, td_error* error) noexcept {
  using Key = typename Order<T>::Key;
  if constexpr (sizeof(Key) <= 8) {
    if (job.n <= longest_network && job.rows >= fewest_network_rows) {
      sort_short_rows<T>(job);
      return TD_OK;
    }
  }
  return with_entries<T>(job.n, job.indices != nullptr, [&]<class E>() { return sort_rows<T, E>(job, error); });
}

}  // namespace

td_status sort(td_device*, const td_view* x, int32_t descending, const td_view* values, const td_view* indices,
               td_error* error) {
  if (x->ndim < 1) return fail(error, TD_INVALID_ARGUMENT, "a 0-d array has no axis to sort along");
  const Job job{.x = x,
                .n = x->shape[x->ndim - 1],
                .rows = row_count(*x),
                .descending = descending != 0,
                .values = values == nullptr ? nullptr : values->data,
                .indices = indices == nullptr ? nullptr : static_cast<int64_t*>(indices->data)};
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
