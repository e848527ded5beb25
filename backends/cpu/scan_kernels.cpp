// Scans: a row alone is scanned by its runs of 16 elements, in registers; many columns side by side row by row.
#include "scan_kernels.hpp"

#include "kernel_types.hpp"
#include "vector_width.hpp"

#include <utility>

namespace tandem::cpu::TD_ISA {
namespace {

#define TD_REDUCTION(name, dtypes, outcome, expression, unit, ...)  \
  struct name##_row {                                               \
    static constexpr unsigned types = dtypes;                       \
    static constexpr bool is_sum = TD_REDUCE_##name == TD_REDUCE_sum; \
    template <class T>                                              \
    TD_FN T combine([[maybe_unused]] T a, [[maybe_unused]] T b) {   \
      return expression;                                            \
    }                                                               \
  };
#include <tandem/ops.def>

constexpr int children = int(scan_children);

// ---- one row ----

// Doubling within 16 values: each half of a group takes in the last one of the half before.
template <class Row, class T>
void double_up(T (&x)[children]) {
  for (int half = 1; half < children; half *= 2)
    for (int group = half; group < children; group += 2 * half) {
      const T last = x[group - 1];
      for (int i = group; i < group + half; ++i) x[i] = Row::combine(last, x[i]);
    }
}

template <class T>
constexpr bool sums_in_vectors = is_same<T, f32> || is_same<T, f64> || is_same<T, i64> || is_same<T, u64>;

// Integers wrap: sums of vectors are sums of unsigned ones.
template <class T> struct Wrapping { typedef T type; };
template <> struct Wrapping<i64> { typedef u64 type; };

template <class T>
constexpr int lanes_of = vector_bytes / int(sizeof(T));

// The doubling within a vector; lanes without the bit take in -0, which changes nothing.
template <class T, int half, int... i>
TD_FN void double_lanes(typename Vector<T, lanes_of<T>>::type& x, std::integer_sequence<int, i...> lanes) {
  typedef typename Vector<T, lanes_of<T>>::type V;
  if constexpr (half < int(sizeof...(i))) {
    const V zeros = -V{};
    x = __builtin_shufflevector(x, zeros, (i & half ? i / half * half - 1 : int(sizeof...(i)) + i)...) + x;
    double_lanes<T, half * 2>(x, lanes);
  }
}

template <class V, int... i>
TD_FN V repeat_last(V x, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(x, x, (i * 0 + int(sizeof...(i)) - 1)...);
}

template <class T>
TD_FN void sum_run(const T* from, T* to) {
  constexpr int lanes = lanes_of<T>, vectors = children / lanes;
  typedef typename Wrapping<T>::type Element;
  typedef typename Vector<Element, lanes>::type V;
  V x[vectors];
#pragma GCC unroll 16
  for (int v = 0; v < vectors; ++v) {
    __builtin_memcpy(&x[v], from + v * lanes, sizeof(V));
    double_lanes<Element, 1>(x[v], std::make_integer_sequence<int, lanes>());
  }
#pragma GCC unroll 4
  for (int half = 1; half < vectors; half *= 2)
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v)
      if (v & half) x[v] = repeat_last(x[v / half * half - 1], std::make_integer_sequence<int, lanes>()) + x[v];
#pragma GCC unroll 16
  for (int v = 0; v < vectors; ++v) __builtin_memcpy(to + v * lanes, &x[v], sizeof(V));
}

// Local prefixes of 16 elements; the last one is their total.
template <class Row, class T>
void scan_run(const Stored<T>* from, Stored<T>* to) {
  if constexpr (Row::is_sum && sums_in_vectors<T>) {
    sum_run<T>(from, to);
  } else {
    T x[children];
    for (int i = 0; i < children; ++i) x[i] = load<T>(from, i);
    double_up<Row>(x);
    for (int i = 0; i < children; ++i) store(to, i, x[i]);
  }
}

// Makes n <= 16 totals the local prefixes up to them.
template <class Row, class T>
void scan_children(T* totals, int n) {
  T x[children];
  for (int i = 0; i < children; ++i) x[i] = i < n ? totals[i] : T();
  double_up<Row>(x);
  for (int i = 0; i < n; ++i) totals[i] = x[i];
}

// A tile's blocks of levels 1 and 2: their totals, which become local prefixes.
template <class T>
struct Blocks {
  static constexpr int most = int(scan_tile) / children;
  T runs[most];                 // within segments
  T segments[most / children];  // within the tile
  int n_runs = 0;

  int n_segments() const { return (n_runs + children - 1) / children; }

  // Returns the tile's total.
  template <class Row>
  T scan() {
    for (int first = 0; first < n_runs; first += children) {
      const int n = n_runs - first < children ? n_runs - first : children;
      scan_children<Row>(runs + first, n);
      segments[first / children] = runs[first + n - 1];
    }
    scan_children<Row>(segments, n_segments());
    return segments[n_segments() - 1];
  }
};

// Local prefixes within the runs of a row's tile, into `to` (the same place for all runs if to_step is 0).
template <class Row, class T>
void scan_runs(const Stored<T>* from, Stored<T>* to, int64_t to_step, int64_t length, Blocks<T>& blocks) {
  int64_t i = 0;
  for (; i + children <= length; i += children, to += to_step) {
    scan_run<Row, T>(from + i, to);
    blocks.runs[blocks.n_runs++] = load<T>(to, children - 1);
  }
  if (i == length) return;
  // What is behind the end changes nothing before it.
  Stored<T> padded[children], scanned[children];
  for (int k = 0; k < children; ++k) padded[k] = from[i + k < length ? i + k : length - 1];
  scan_run<Row, T>(padded, scanned);
  for (int64_t k = 0; k < length - i; ++k) to[k] = scanned[k];
  blocks.runs[blocks.n_runs++] = load<T>(scanned, length - i - 1);
}

template <class Row, class T>
void total_of_row(const ScanTile& tile, void* total) {
  Blocks<T> blocks;
  Stored<T> scanned[children];
  scan_runs<Row, T>(static_cast<const Stored<T>*>(tile.x), scanned, 0, tile.length, blocks);
  store(total, 0, blocks.template scan<Row>());
}

template <class Row, class T>
void put_before(T before, Stored<T>* out, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) store(out, i, Row::combine(before, load<T>(out, i)));
}

template <class Row, class T>
void write_row(const ScanTile& tile, const void* before, void* total) {
  Blocks<T> blocks;
  Stored<T>* out = static_cast<Stored<T>*>(tile.out);
  scan_runs<Row, T>(static_cast<const Stored<T>*>(tile.x), out, children, tile.length, blocks);
  store(total, 0, blocks.template scan<Row>());
  for (int run = 0; run < blocks.n_runs; ++run) {
    const int segment = run / children;
    const bool any_segment = before != nullptr || segment > 0;
    if (!any_segment && run == 0) continue;
    T x = T();
    if (segment > 0) x = blocks.segments[segment - 1];
    if (before != nullptr) x = segment > 0 ? Row::combine(load<T>(before, 0), x) : load<T>(before, 0);
    if (run % children != 0) x = any_segment ? Row::combine(x, blocks.runs[run - 1]) : blocks.runs[run - 1];
    Stored<T>* place = out + run * children;
    if ((run + 1) * children <= tile.length) put_before<Row, T>(x, place, children);
    else put_before<Row, T>(x, place, tile.length - run * children);
  }
}

// ---- many columns ----

// to[i] = combine(a[i], b[i])
template <class Row, class T>
void combine_columns(Stored<T>* to, const Stored<T>* a, const Stored<T>* b, int64_t width) {
#pragma GCC ivdep
  for (int64_t i = 0; i < width; ++i) store(to, i, Row::combine(load<T>(a, i), load<T>(b, i)));
}

template <class T>
TD_FN void copy_columns(Stored<T>* to, const Stored<T>* from, int64_t width) {
  __builtin_memcpy(to, from, width * sizeof(T));
}

template <class T>
constexpr int most_columns = int(scan_column_bytes) / int(sizeof(T));

// The block of a level that is being filled. halves[b] is the total of the last whole group of 2^b children that some
// later child takes in.
template <class Row, class T>
struct Parent {
  Stored<T> halves[4][most_columns<T>];
  Stored<T> before[most_columns<T>];  // what comes before the block
  Stored<T> next[most_columns<T>];    // and before its next child
  bool has_before = false, has_next = false;
  int count = 0;

  void start(const Stored<T>* what, int64_t width) {
    count = 0;
    has_before = has_next = what != nullptr;
    if (what == nullptr) return;
    copy_columns<T>(before, what, width);
    copy_columns<T>(next, what, width);
  }
  // Makes x, a child's total, the local prefix up to it.
  void prefix(Stored<T>* x, int64_t width) {
    const int child = count++;
    for (int bit = 0; bit < 4; ++bit) {
      const int half = 1 << bit;
      if (child & half) combine_columns<Row, T>(x, halves[bit], x, width);
      else if ((child & (half - 1)) == half - 1) copy_columns<T>(halves[bit], x, width);
    }
  }
  // Takes in a child's total, which becomes the local prefix up to it.
  void add(Stored<T>* x, int64_t width) {
    prefix(x, width);
    has_next = true;
    if (has_before) combine_columns<Row, T>(next, before, x, width);
    else copy_columns<T>(next, x, width);
  }
};

template <class Row, class T>
void scan_columns(const ScanTile& tile, const void* before, void* total, bool writes) {
  Parent<Row, T> run, segment, whole;
  const int64_t width = tile.width;
  Stored<T>* last = static_cast<Stored<T>*>(total);
  whole.start(static_cast<const Stored<T>*>(before), width);
  segment.start(static_cast<const Stored<T>*>(before), width);
  for (int64_t row = 0; row < tile.length; ++row) {
    copy_columns<T>(last, static_cast<const Stored<T>*>(tile.x) + row * tile.step, width);
    run.prefix(last, width);
    if (writes) {
      Stored<T>* out = static_cast<Stored<T>*>(tile.out) + row * tile.step;
      if (segment.has_next) combine_columns<Row, T>(out, segment.next, last, width);
      else copy_columns<T>(out, last, width);
    }
    if (run.count < children && row + 1 < tile.length) continue;
    run.count = 0;
    segment.add(last, width);
    if (segment.count < children && row + 1 < tile.length) continue;
    whole.add(last, width);
    segment.start(whole.next, width);
  }
}

template <class Row, class T>
void total(const ScanTile& tile, void* total) {
  if (tile.width == 1) total_of_row<Row, T>(tile, total);
  else scan_columns<Row, T>(tile, nullptr, total, false);
}

template <class Row, class T>
void write(const ScanTile& tile, const void* before, void* total) {
  if (tile.width == 1) write_row<Row, T>(tile, before, total);
  else scan_columns<Row, T>(tile, before, total, true);
}

// Others arrive widened.
template <class Row, class T>
constexpr bool has_kernel = (Row::types & kind_of<T>) != 0 && !is_half<T> && sizeof(T) >= (is_integer<T> ? 8 : 4);

template <class Row>
const ScanKernel* find(td_dtype dtype) {
  switch (dtype) {
#define X(NAME, type, ...)                                                     \
  case TD_##NAME:                                                              \
    if constexpr (has_kernel<Row, type>) {                                     \
      static constexpr ScanKernel kernel = {total<Row, type>, write<Row, type>}; \
      return &kernel;                                                          \
    }                                                                          \
    break;
    TD_DTYPES(X)
#undef X
    default: break;
  }
  return nullptr;
}

}  // namespace

const ScanKernel* scan_kernel(td_reduction reduction, td_dtype dtype) {
  switch (reduction) {
    case TD_REDUCE_sum: return find<sum_row>(dtype);
    case TD_REDUCE_prod: return find<prod_row>(dtype);
    case TD_REDUCE_max: return find<max_row>(dtype);
    case TD_REDUCE_min: return find<min_row>(dtype);
    default: return nullptr;
  }
}

}  // namespace tandem::cpu::TD_ISA
