// The verb partition: what sort would put at some ranks of each row, without sorting the rest.
//
// A sorted sample of a long row gives for each rank a bracket: two keys between which it lies but for bad luck (Floyd
// and Rivest: Expected time bounds for selection, 1975). One pass counts the elements that come before the bracket and
// collects those in it, and only these are looked at again. If a rank lies outside of its bracket, or brackets of a row
// would hold much of it, all elements are collected. Of what is collected many ranks are found by sorting, few by
// partitioning around single elements. The shortest rows are sorted.
#include <algorithm>
#include <cmath>

#include "isa.hpp"
#include "partition_kernels.hpp"
#include "sort_rows.hpp"
#include "sort_select.hpp"

namespace tandem::cpu {
namespace {

using namespace sorting;

constexpr int64_t longest_sorted = 128;   // of rows that are sorted also for few ranks
constexpr int64_t few_ranks = 8;
constexpr int64_t longest_selected = 16384;  // of rows without brackets if ranks are few
constexpr int64_t shortest_sampled = 1024;
constexpr int64_t largest_sample = 1 << 15;
constexpr int most_brackets = 16;
constexpr double largest_share = 0.25;  // of a row in brackets; beyond it sorting all is faster
constexpr double deviations = 4;        // standard deviations of a rank in the sample that a bracket reaches out
constexpr int64_t most_pivots = 255;    // segments of one arrangement are numbered in a byte

/// What one call finds. The last axis is the row; values and indices may be null.
struct Job {
  const td_view *x, *ranks;
  int64_t n, rows, n_ranks;
  bool descending, arranged;
  void* values;
  int64_t* indices;
};

/// The ranks of a row.
class Ranks {
 public:
  Ranks() = default;
  Ranks(const Job& job, int64_t row) noexcept
      : first_(row_of<int64_t>(*job.ranks, row)), stride_(job.ranks->strides[job.ranks->ndim - 1]) {}
  int64_t operator[](int64_t i) const noexcept { return first_[i * stride_]; }

 private:
  const int64_t* first_ = nullptr;
  int64_t stride_ = 0;
};

template <class T>
PartitionKernels<T> kernels() noexcept {
  switch (isa()) {
    case Isa::v4: return v4::partition_kernels<T>();
    case Isa::v3: return v3::partition_kernels<T>();
    case Isa::v2: break;
  }
  return v2::partition_kernels<T>();
}

/// An element that sort puts at a rank.
template <class Key>
struct Pivot {
  Key key;
  int64_t index, rank;
};

/// Moves the elements of a row to their segments: those before the first pivot, between the first and the second, ...
/// and the pivots to their ranks.
template <class T>
class Arranger {
 public:
  using Key = typename Order<T>::Key;

  /// `places` has room for most_pivots + 1 numbers for each part.
  Arranger(const Job& job, int64_t parts, int64_t* places) noexcept
      : job_(job), parts_(parts), places_(places), kernels_(kernels<T>()) {}

  /// `pivots` in the order of their ranks.
  void operator()(const T* x, int64_t stride, int64_t row, const Pivot<Key>* pivots, int64_t count) noexcept {
    x_ = x, stride_ = stride, pivots_ = pivots, count_ = count;
    T* values = job_.values == nullptr ? nullptr : static_cast<T*>(job_.values) + row * job_.n;
    int64_t* indices = job_.indices == nullptr ? nullptr : job_.indices + row * job_.n;
    find_places();
    for_parts(job_.n, parts_, [=, this](Part mine, int64_t part) {
      int64_t* places = places_of(part);
      for_segments(mine, [=](int64_t i, int64_t n, const uint8_t* segments) {
        if (count != 1) return put(x + i * stride, stride, i, n, values, indices, [=](int64_t j) {
          return places[segments[j]]++;
        });
        int64_t low = places[0], high = places[1];  // in registers
        put(x + i * stride, stride, i, n, values, indices, [&](int64_t j) {
          const bool is_high = segments[j] != 0;
          const int64_t at = is_high ? high : low;
          high += is_high;
          low += !is_high;
          return at;
        });
        places[0] = low;
        places[1] = high;
      });
    });
    for (int64_t p = 0; p < count; ++p) {
      if (values != nullptr) values[pivots[p].rank] = x[pivots[p].index * stride];
      if (indices != nullptr) indices[pivots[p].rank] = pivots[p].index;
    }
  }

 private:
  /// Writes n elements at x, which are at `first` and behind in the row, to next(0), next(1), ...
  template <class Next>
  static void put(const T* x, int64_t stride, int64_t first, int64_t n, T* values, int64_t* indices,
                  Next next) noexcept {
    if (indices == nullptr) {
      for (int64_t j = 0; j < n; ++j) values[next(j)] = x[j * stride];
    } else if (values == nullptr) {
      for (int64_t j = 0; j < n; ++j) indices[next(j)] = first + j;
    } else {
      for (int64_t j = 0; j < n; ++j) {
        const int64_t at = next(j);
        values[at] = x[j * stride];
        indices[at] = first + j;
      }
    }
  }

  int64_t* places_of(int64_t part) const noexcept { return places_ + part * (most_pivots + 1); }

  /// Where each part puts its first element of each segment.
  void find_places() noexcept {
    for_parts(job_.n, parts_, [=, this](Part mine, int64_t part) {
      int64_t* counts = places_of(part);
      std::fill(counts, counts + count_ + 1, 0);
      if (part + 1 == parts_) return;  // nobody comes after it
      for_segments(mine, [=](int64_t, int64_t n, const uint8_t* segments) {
        for (int64_t j = 0; j < n; ++j) ++counts[segments[j]];
      });
    });
    for (int64_t segment = 0; segment <= count_; ++segment) {
      int64_t place = segment == 0 ? 0 : pivots_[segment - 1].rank + 1;
      for (int64_t part = 0; part < parts_; ++part) place += std::exchange(places_of(part)[segment], place);
    }
  }

  /// Calls body(i, n, segments) for the elements i, ..., i + n - 1 of blocks that hold no pivot.
  template <class Body>
  void for_segments(Part mine, Body body) const noexcept {
    const Key flip = flip_of<Key>(job_.descending);
    Key keys[partition_block];
    uint8_t segments[partition_block];
    for (int64_t i = mine.begin; i < mine.end; ++i) {  // steps over the pivot that ends a block
      int64_t stop = mine.end;
      for (int64_t p = 0; p < count_; ++p)
        if (pivots_[p].index >= i) stop = std::min(stop, pivots_[p].index);
      for (int64_t n; i < stop; i += n) {
        n = std::min(partition_block, stop - i);
        kernels_.make_keys(x_ + i * stride_, stride_, n, flip, keys);
        std::fill(segments, segments + n, uint8_t{0});
        for (int64_t p = 0; p < count_; ++p) {
          kernels_.add_above(keys, n, pivots_[p].key, pivots_[p].index < i, segments);
        }
        body(i, n, segments);
      }
    }
  }

  const Job& job_;
  int64_t parts_;
  int64_t* places_;
  PartitionKernels<T> kernels_;
  const T* x_ = nullptr;
  int64_t stride_ = 0;
  const Pivot<Key>* pivots_ = nullptr;
  int64_t count_ = 0;
};

/// Finds the ranks of rows of T, each by `parts` threads, through entries E: keys alone if the positions do not matter,
/// else keys with positions.
template <class T, class E>
class RowSelector {
 public:
  using Key = typename Order<T>::Key;
  using EntryKey = typename KeyOf<E>::type;  // at least as wide
  static constexpr bool with_index = !std::is_same_v<E, EntryKey>;

  RowSelector(const Job& job, int64_t parts) noexcept
      : job_(job), parts_(parts), kernels_(kernels<T>()), radix_bytes_(RadixSort<E>::memory_bytes(job.n, parts)),
        memory_(radix_bytes_ + 2 * entry_bytes() + parts * (part_bytes + places_bytes()) +
                job.n_ranks * int64_t{sizeof(Pivot<Key>)}) {
    if (!memory_) return;
    char* place = memory_.template as<char>() + radix_bytes_;
    entries_ = reinterpret_cast<E*>(place);
    spare_ = reinterpret_cast<E*>(place + entry_bytes());
    found_ = reinterpret_cast<Found*>(place + 2 * entry_bytes());  // first: aligned to lines, as all before it
    places_ = reinterpret_cast<int64_t*>(found_ + parts);
    pivots_ = reinterpret_cast<Pivot<Key>*>(place + 2 * entry_bytes() + parts * (part_bytes + places_bytes()));
  }
  explicit operator bool() const noexcept { return entries_ != nullptr; }

  void operator()(const T* x, int64_t stride, int64_t row) noexcept {
    x_ = x, stride_ = stride, row_ = row, ranks_ = Ranks(job_, row);
    const bool few = job_.n_ranks <= few_ranks;
    const bool at_once = few && !with_index && job_.n <= longest_selected;
    if (at_once || !make_brackets() || !collect()) {
      brackets_[0] = {Key(0), Key(~Key(0)), 0, job_.n_ranks};
      n_brackets_ = 1;
      if (few && parts_ == 1)
        take_all();
      else
        collect();
    }
    const E* ordered = few ? select() : sort();
    if (job_.arranged) {
      arrange(ordered);
    } else {
      write(ordered);
    }
  }

 private:
  /// Keys between which the ranks [first, last) of the row lie, and how many elements come before these keys.
  struct Bracket {
    Key low, high;
    int64_t first, last;
    int64_t below = 0, inside = 0;
  };
  /// What a part finds.
  struct alignas(line_bytes) Found {
    int64_t below[most_brackets], inside[most_brackets], collected;
    EntryKey varying;
  };
  static constexpr int64_t part_bytes = sizeof(Found);

  int64_t places_bytes() const noexcept { return job_.arranged ? (most_pivots + 1) * int64_t{sizeof(int64_t)} : 0; }
  int64_t entry_bytes() const noexcept {
    return (job_.n * int64_t{sizeof(E)} + line_bytes - 1) / line_bytes * line_bytes;
  }
  Key key_of_element(int64_t i) const noexcept {
    return Order<T>::key(x_[i * stride_], flip_of<Key>(job_.descending));
  }

  /// Sorts a sample: one element out of each stretch of the row, where in it is hard to guess. Its memory is that of
  /// the entries.
  const Key* sample(int64_t size) noexcept {
    Key* keys = reinterpret_cast<Key*>(entries_);
    Key varying = 0;
    uint64_t state = 0;
    for (int64_t i = 0; i < size; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const double within = static_cast<double>(state >> 11) * 0x1p-53;
      const auto at = static_cast<int64_t>((static_cast<double>(i) + within) * (static_cast<double>(job_.n) / size));
      keys[i] = key_of_element(std::min(at, job_.n - 1));
      varying |= Key(keys[i] ^ keys[0]);
    }
    return RadixSort<Key>(memory_.template as<void>(), 1).sort(keys, reinterpret_cast<Key*>(spare_), size, varying);
  }

  /// False if the row is short or brackets would hold too much of it.
  bool make_brackets() noexcept {
    if (job_.n < shortest_sampled || job_.n_ranks > job_.n / 8) return false;
    const auto n = static_cast<double>(job_.n);
    const auto size = std::min(static_cast<int64_t>(std::pow(n, 2.0 / 3)), largest_sample);
    const Key* keys = sample(size);
    n_brackets_ = 0;
    int64_t held = 0, previous_end = -1;  // places of the sample
    for (int64_t i = 0; i < job_.n_ranks; ++i) {
      const double share = (static_cast<double>(ranks_[i]) + 0.5) / n;
      const double place = share * static_cast<double>(size);
      const double reach = deviations * std::sqrt(place * (1 - share)) + deviations - 1;
      const auto begin = static_cast<int64_t>(std::floor(place - reach));
      const auto end = static_cast<int64_t>(std::ceil(place + reach));
      const Key low = begin < 0 ? Key(0) : keys[begin], high = end >= size ? Key(~Key(0)) : keys[end];
      held += std::min(end, size) - std::max({begin, previous_end, int64_t{0}});
      previous_end = end;
      if (static_cast<double>(held) > largest_share * static_cast<double>(size)) return false;
      if (n_brackets_ > 0 && low <= brackets_[n_brackets_ - 1].high) {
        brackets_[n_brackets_ - 1].high = high;
        brackets_[n_brackets_ - 1].last = i + 1;
      } else {
        if (n_brackets_ == most_brackets) return false;
        brackets_[n_brackets_++] = {low, high, i, i + 1};
      }
    }
    return true;
  }

  /// Collects the elements in brackets, in x's order; false if a rank is not among them.
  bool collect() noexcept {
    const Key reference = key_of_element(0);
    for_parts(job_.n, parts_, [=, this](Part mine, int64_t part) { collect_part(mine, reference, found_[part]); });
    collected_ = 0;
    varying_ = 0;
    for (int64_t part = 0; part < parts_; ++part) {
      const Found& found = found_[part];
      const E* from = entries_ + Part(0, job_.n, part, parts_).begin;
      if (from != entries_ + collected_) std::copy(from, from + found.collected, entries_ + collected_);
      collected_ += found.collected;
      varying_ |= found.varying;
      for (int b = 0; b < n_brackets_; ++b) {
        brackets_[b].below += found.below[b];
        brackets_[b].inside += found.inside[b];
      }
    }
    if (collected_ == 0) return false;
    for (int b = 0; b < n_brackets_; ++b) {
      const Bracket& bracket = brackets_[b];
      const int64_t first = ranks_[bracket.first], last = ranks_[bracket.last - 1];
      if (first < bracket.below || last >= bracket.below + bracket.inside) return false;
    }
    return true;
  }

  void collect_part(Part mine, Key reference, Found& found) noexcept {
    const Key flip = flip_of<Key>(job_.descending);
    found = {};
    Key keys[partition_block], varying = 0;
    alignas(8) uint8_t marks[partition_block];
    E* to = entries_ + mine.begin;
    for (int64_t i = mine.begin, n; i < mine.end; i += n) {
      n = std::min(partition_block, mine.end - i);
      kernels_.make_keys(x_ + i * stride_, stride_, n, flip, keys);
      std::fill(marks, marks + partition_block, uint8_t{0});
      for (int b = 0; b < n_brackets_; ++b) {
        kernels_.mark(keys, n, brackets_[b].low, brackets_[b].high, marks, found.below + b, found.inside + b);
      }
      for (int64_t j = 0; j < n; j += 8) {
        uint64_t any;
        std::memcpy(&any, marks + j, 8);
        if (any == 0) continue;
        for (int64_t k = j; k < std::min(j + 8, n); ++k) {
          if constexpr (with_index) {
            *to = E{keys[k], static_cast<typename E::Index>(i + k)};
          } else {
            *to = keys[k];
          }
          varying |= marks[k] != 0 ? Key(keys[k] ^ reference) : Key(0);
          to += marks[k];
        }
      }
    }
    found.collected = to - (entries_ + mine.begin);
    found.varying = varying;
  }

  /// Collects all elements into one bracket, without a look at them.
  void take_all() noexcept {
    const Key flip = flip_of<Key>(job_.descending);
    if constexpr (with_index) {
      Key keys[partition_block];
      for (int64_t i = 0, n; i < job_.n; i += n) {
        n = std::min(partition_block, job_.n - i);
        kernels_.make_keys(x_ + i * stride_, stride_, n, flip, keys);
        for (int64_t j = 0; j < n; ++j) entries_[i + j] = E{keys[j], static_cast<typename E::Index>(i + j)};
      }
    } else {
      kernels_.make_keys(x_, stride_, job_.n, flip, entries_);
    }
    brackets_[0].inside = collected_ = job_.n;
  }

  const E* sort() noexcept {
    const int64_t parts = collected_ >= shared_row_length ? parts_ : 1;
    return RadixSort<E>(memory_.template as<void>(), parts).sort(entries_, spare_, collected_, varying_);
  }

  /// Puts those entries at their places that are at ranks.
  const E* select() noexcept {
    int64_t begin = 0;
    for_ranks(entries_, [&](int64_t, const E&, int64_t place) {
      if (place < begin) return;  // this rank again
      select_place(entries_ + begin, collected_ - begin, place - begin);
      begin = place + 1;
    });
    return entries_;
  }

  /// Calls body(i, entry, place among the collected entries in order) for each rank i.
  template <class Body>
  void for_ranks(const E* ordered, Body body) const noexcept {
    int64_t before = 0;  // entries of earlier brackets
    for (int b = 0; b < n_brackets_; ++b) {
      for (int64_t i = brackets_[b].first; i < brackets_[b].last; ++i) {
        const int64_t place = before + ranks_[i] - brackets_[b].below;
        body(i, ordered[place], place);
      }
      before += brackets_[b].inside;
    }
  }

  void arrange(const E* ordered) noexcept {
    for_ranks(ordered, [&](int64_t i, const E& entry, int64_t place) {
      if constexpr (with_index) {
        pivots_[i] = {static_cast<Key>(entry.key), static_cast<int64_t>(entry.index), ranks_[i]};
      } else {
        pivots_[i] = {entry, position_of(ordered, entry, place), ranks_[i]};
      }
    });
    Arranger<T>(job_, parts_, places_)(x_, stride_, row_, pivots_, job_.n_ranks);
  }

  void write(const E* ordered) noexcept {
    T* values = job_.values == nullptr ? nullptr : static_cast<T*>(job_.values) + row_ * job_.n_ranks;
    int64_t* indices = job_.indices == nullptr ? nullptr : job_.indices + row_ * job_.n_ranks;
    for_ranks(ordered, [&](int64_t i, const E& entry, int64_t place) {
      if constexpr (with_index) {
        const auto index = static_cast<int64_t>(entry.index);
        if (values != nullptr) values[i] = x_[index * stride_];
        if (indices != nullptr) indices[i] = index;
      } else if constexpr (Order<T>::invertible) {
        values[i] = value_of(ordered, entry, place);
      }
    });
  }

  /// Where in the row the element is that sort puts at a place: as many of its key come before it as in order.
  int64_t position_of(const E* ordered, Key key, int64_t place) const noexcept
    requires(!with_index)
  {
    const Key flip = flip_of<Key>(job_.descending);
    auto earlier = static_cast<int64_t>(std::count(ordered, ordered + place, key));
    Key keys[partition_block];
    for (int64_t i = 0;; i += partition_block) {
      const int64_t n = std::min(partition_block, job_.n - i);
      kernels_.make_keys(x_ + i * stride_, stride_, n, flip, keys);
      const auto equal = static_cast<int64_t>(std::count(keys, keys + n, key));
      if (earlier >= equal) {
        earlier -= equal;
        continue;
      }
      for (int64_t j = 0;; ++j) {
        if (keys[j] == key && earlier-- == 0) return i + j;
      }
    }
  }

  /// The element of a key. Zeros and NaNs have one key each, so their signs and payloads come from x, in its order.
  T value_of(const E* ordered, Key key, int64_t place) const noexcept
    requires(!with_index)
  {
    const Key flip = flip_of<Key>(job_.descending);
    if constexpr (requires { Order<T>::nan; }) {
      if (key == Order<T>::nan || key == Order<T>::key(T{}, flip)) {
        return x_[position_of(ordered, key, place) * stride_];
      }
    }
    return Order<T>::value(key, flip);
  }

  const Job& job_;
  int64_t parts_;
  PartitionKernels<T> kernels_;
  int64_t radix_bytes_;
  Scratch memory_;
  E *entries_ = nullptr, *spare_ = nullptr;
  Pivot<Key>* pivots_ = nullptr;
  Found* found_ = nullptr;
  int64_t* places_ = nullptr;
  const T* x_ = nullptr;
  int64_t stride_ = 0, row_ = 0, collected_ = 0;
  Ranks ranks_;
  EntryKey varying_ = 0;  // bits in which the collected keys differ
  int n_brackets_ = 0;
  Bracket brackets_[most_brackets];
};

template <class T, class E>
td_status select_rows(const Job& job, td_error* error) noexcept {
  const bool enough = for_row_ranges(job.rows, job.n, [&](int64_t begin, int64_t end, int64_t parts) {
    RowSelector<T, E> selector(job, parts);
    return selector && for_each_row<T>(*job.x, begin, end, selector);
  });
  if (enough) return TD_OK;
  return fail(error, TD_OUT_OF_MEMORY, "no memory for partitioning rows of %lld elements of %d bytes",
              static_cast<long long>(job.n), static_cast<int>(sizeof(T)));
}

// ---- short rows -------------------------------------------------------------------------------------------------

/// Writes rows from the positions that sort them, `order`.
template <class T>
class ShortRows {
 public:
  ShortRows(const Job& job, const int64_t* order) noexcept : job_(job), order_(order) {}

  void operator()(const T* x, int64_t stride, int64_t row) noexcept {
    const int64_t* order = order_ + row * job_.n;
    const Ranks ranks(job_, row);
    const int64_t length = job_.arranged ? job_.n : job_.n_ranks;
    T* values = job_.values == nullptr ? nullptr : static_cast<T*>(job_.values) + row * length;
    int64_t* indices = job_.indices == nullptr ? nullptr : job_.indices + row * length;
    const auto write = [=](int64_t to, int64_t index) {
      if (values != nullptr) values[to] = x[index * stride];
      if (indices != nullptr) indices[to] = index;
    };
    if (!job_.arranged) {
      for (int64_t i = 0; i < length; ++i) write(i, order[ranks[i]]);
      return;
    }
    // By position the first rank of its segment, and by that the place of the segment's next element.
    int32_t segments[shortest_sampled], next[shortest_sampled];
    int64_t begin = 0;
    for (int64_t i = 0; i <= job_.n_ranks; ++i) {
      const int64_t end = i < job_.n_ranks ? ranks[i] : job_.n;
      for (int64_t rank = begin; rank < end; ++rank) segments[order[rank]] = static_cast<int32_t>(begin);
      if (begin < job_.n) next[begin] = static_cast<int32_t>(begin);
      if (end < job_.n) segments[order[end]] = next[end] = static_cast<int32_t>(end);
      begin = end + 1;
    }
    for (int64_t i = 0; i < job_.n; ++i) write(next[segments[i]]++, i);
  }

 private:
  const Job& job_;
  const int64_t* order_;
};

/// Values alone, from sorted ones.
template <class T>
void pick_values(const Job& job, const T* sorted) noexcept {
  parallel_for(job.rows, std::max<int64_t>(1, grain_elements / job.n_ranks), [&](int64_t begin, int64_t end) {
    T* to = static_cast<T*>(job.values) + begin * job.n_ranks;
    for (int64_t row = begin; row < end; ++row) {
      const Ranks ranks(job, row);
      for (int64_t i = 0; i < job.n_ranks; ++i) *to++ = sorted[row * job.n + ranks[i]];
    }
  });
}

template <class T>
td_status sort_short_rows(const Job& job, td_error* error) noexcept {
  const bool positions = job.arranged || job.indices != nullptr;
  const int64_t bytes = job.rows * job.n * (positions ? int64_t{sizeof(int64_t)} : int64_t{sizeof(T)});
  Scratch memory(bytes);
  if (!memory)
    return fail(error, TD_OUT_OF_MEMORY, "no memory for partitioning: %lld bytes", static_cast<long long>(bytes));
  td_view sorted = *job.x;  // of which sort uses the data alone
  sorted.data = memory.as<void>();
  const td_status status = sort(nullptr, job.x, job.descending, positions ? nullptr : &sorted,
                                positions ? &sorted : nullptr, error);
  if (status != TD_OK) return status;
  if (!positions) {
    pick_values(job, memory.as<T>());
    return TD_OK;
  }
  const bool enough = for_row_ranges(job.rows, job.n, [&](int64_t begin, int64_t end, int64_t) {
    ShortRows<T> rows(job, memory.as<int64_t>());
    return for_each_row<T>(*job.x, begin, end, rows);
  });
  return enough ? TD_OK : fail(error, TD_OUT_OF_MEMORY, "no memory for partitioning short rows");
}

template <class T>
td_status partition_dtype(const Job& job, td_error* error) noexcept {
  if (job.n <= longest_sorted || (job.n < shortest_sampled && job.n_ranks > few_ranks))
    return sort_short_rows<T>(job, error);
  const bool positions = job.arranged || job.indices != nullptr;
  if (job.arranged && job.n_ranks <= few_ranks && job.n <= longest_selected)
    return select_rows<T, typename Order<T>::Key>(job, error);
  return with_entries<T>(job.n, positions, [&]<class E>() { return select_rows<T, E>(job, error); });
}

}  // namespace

td_status partition(td_device*, const td_view* x, int32_t descending, const td_view* ranks, const td_view* values,
                    const td_view* indices, td_error* error) {
  const td_view* out = values != nullptr ? values : indices;
  if (x->ndim < 1 || out == nullptr)
    return fail(error, TD_INVALID_ARGUMENT, "no axis to partition along, or no output");
  const int32_t last = x->ndim - 1;
  const Job job{.x = x,
                .ranks = ranks,
                .n = x->shape[last],
                .rows = row_count(*x),
                .n_ranks = ranks->shape[last],
                .descending = descending != 0,
                .arranged = out->shape[last] == x->shape[last],
                .values = values == nullptr ? nullptr : values->data,
                .indices = indices == nullptr ? nullptr : static_cast<int64_t*>(indices->data)};
  if (job.n == 0 || job.rows == 0) return TD_OK;
  if (job.arranged && job.n_ranks > most_pivots)
    return fail(error, TD_NOT_SUPPORTED, "%lld ranks in one partition", static_cast<long long>(job.n_ranks));
  switch (x->dtype) {
#define X(NAME, type, text, bytes) \
  case TD_##NAME: return partition_dtype<type>(job, error);
    TD_DTYPES(X)
#undef X
    case TD_DTYPE_COUNT: break;
  }
  return fail(error, TD_NOT_SUPPORTED, "no order for dtype %d", x->dtype);
}

}  // namespace tandem::cpu
