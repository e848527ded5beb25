// Reductions: the steps of the tree in docs/reductions.md, and the search for the first best.
#include "kernel_types.hpp"

namespace tandem::cpu::TD_ISA {
namespace {

#define TD_REDUCTION(name, dtypes, outcome, expression, ...)        \
  struct name##_row {                                               \
    static constexpr int result = outcome;                          \
    static constexpr unsigned types = dtypes;                       \
    static constexpr bool largest = TD_REDUCE_##name == TD_REDUCE_argmax || TD_REDUCE_##name == TD_REDUCE_max; \
    static constexpr bool extreme = TD_REDUCE_##name == TD_REDUCE_max || TD_REDUCE_##name == TD_REDUCE_min; \
    template <class T>                                              \
    TD_FN T combine([[maybe_unused]] T a, [[maybe_unused]] T b) {   \
      return expression;                                            \
    }                                                               \
  };
#include <tandem/ops.def>

// ---- the tree ----

template <class Row, class T>
void combine(void* lanes, const void* values, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) store(lanes, i, Row::combine(load<T>(lanes, i), load<T>(values, i)));
}

// The largest or smallest of floats by plain comparisons, which agree with the rule of ops.def but for NaN and for the
// sign of a zero result: false, with nothing changed, if one of these occurs among the lanes.
template <class Row, class T>
TD_FN bool accumulate_plainly(T* lanes, const T* from, int64_t width, int64_t stride) {
  constexpr int64_t most = 128;
  T kept[most];
  int special = 0;
  const auto better = [](T a, T b) { return Row::largest ? (a > b ? a : b) : (a < b ? a : b); };
  for (int64_t i = 0; i < width; ++i) {
    const T a = from[i], b = from[stride + i], c = from[2 * stride + i], d = from[3 * stride + i];
    const T x = better(better(better(a, b), better(c, d)), lanes[i]);
    special |= __builtin_isunordered(a, b) | __builtin_isunordered(c, d) | __builtin_isunordered(x, x) | (x == 0);
    kept[i] = x;
  }
  if (special) return false;
  for (int64_t i = 0; i < width; ++i) lanes[i] = kept[i];
  return true;
}

// Asks for the values of the next four steps, or further ahead where the steps are one run of memory: the processor's
// own prefetching, which stops at pages, reads about a fifth slower. The addresses may lie behind the array, so they are
// numbers.
template <class T>
TD_FN void fetch_ahead(const Stored<T>* from, int64_t width, int64_t stride) {
  constexpr int64_t size = sizeof(Stored<T>), line = 64, far = 8192;
  const int64_t step_bytes = stride * size, four = 4 * step_bytes;
  const int64_t next = reinterpret_cast<int64_t>(from) + (stride == width && four < far ? far : four);
  for (int64_t step = 0; step < 4; ++step)
    for (int64_t i = 0; i < width * size; i += line)
      __builtin_prefetch(reinterpret_cast<const void*>(next + step * step_bytes + i));
}

template <class Row, class T>
void accumulate(void* lanes, const void* values, int64_t width, int64_t stride, int64_t steps) {
  const Stored<T>* from = static_cast<const Stored<T>*>(values);
  if constexpr (Row::extreme && (is_same<T, f32> || is_same<T, f64>)) {
    for (int64_t begin = 0; width > 128 && begin < width; begin += 128) {
      const int64_t part = width - begin < 128 ? width - begin : 128;
      accumulate<Row, T>(static_cast<T*>(lanes) + begin, from + begin, part, stride, steps);
    }
    if (width > 128) return;
    for (; steps >= 4; steps -= 4, from += 4 * stride) {
      fetch_ahead<T>(from, width, stride);
      if (!accumulate_plainly<Row>(static_cast<T*>(lanes), from, width, stride))
        for (int64_t step = 0; step < 4; ++step) combine<Row, T>(lanes, from + step * stride, width);
    }
  }
  for (; steps >= 4; steps -= 4, from += 4 * stride) {
    fetch_ahead<T>(from, width, stride);
#pragma GCC ivdep
    for (int64_t i = 0; i < width; ++i) {
      T x = Row::combine(load<T>(lanes, i), load<T>(from, i));
      x = Row::combine(x, load<T>(from, stride + i));
      x = Row::combine(x, load<T>(from, 2 * stride + i));
      store(lanes, i, Row::combine(x, load<T>(from, 3 * stride + i)));
    }
  }
  for (; steps > 0; --steps, from += stride) combine<Row, T>(lanes, from, width);
}

template <class Row, class T, int half>
TD_FN void fold_to(T* lanes) {
#pragma GCC ivdep
  for (int i = 0; i < half; ++i) lanes[i] = Row::combine(lanes[i], lanes[i + half]);
  if constexpr (half > 1) fold_to<Row, T, half / 2>(lanes);
}

template <class Row, class T>
void fold(void* lanes) {
  alignas(64) T x[64];
  for (int i = 0; i < 64; ++i) x[i] = Row::combine(load<T>(lanes, i), load<T>(lanes, i + 64));
  fold_to<Row, T, 32>(x);
  store(lanes, 0, x[0]);
}

template <class Row, class T>
constexpr Combiner combiner() {
  if constexpr (Row::result != TD_INDEX && (Row::types & kind_of<T>) != 0 && !is_half<T>)
    return {combine<Row, T>, accumulate<Row, T>, fold<Row, T>};
  else
    return {};
}

// ---- the first best ----

// Whether x takes the place of an earlier `best`: a NaN beats everything but a NaN.
template <class Row, class T>
TD_FN bool beats(T x, T best) {
  const bool better = Row::largest ? less(best, x) : less(x, best);
  return (better | isnan(x)) & !isnan(best);
}

// The best value of a block, whichever of equal ones.
template <class Row, class T>
T best_of(const void* values, int64_t count) {
  constexpr int64_t lanes = 128;
  const auto better = [](T a, T b) { return Row::largest ? maximum(a, b) : minimum(a, b); };
  T best = load<T>(values, 0);
  int64_t i = 0;
  if (count >= lanes) {
    alignas(64) T x[lanes];
    for (; i < lanes; ++i) x[i] = load<T>(values, i);
    for (; i + lanes <= count; i += lanes) {
      fetch_ahead<T>(static_cast<const Stored<T>*>(values) + i, lanes / 4, lanes / 4);
      for (int64_t j = 0; j < lanes; ++j) x[j] = better(x[j], load<T>(values, i + j));
    }
    for (int64_t half = lanes / 2; half > 0; half /= 2)
      for (int64_t j = 0; j < half; ++j) x[j] = better(x[j], x[j + half]);
    best = x[0];
  }
  for (; i < count; ++i) best = better(best, load<T>(values, i));
  return best;
}

template <class Row, class T>
void search_row(void* best, int64_t* position, const void* values, int64_t count, int64_t first) {
  const T found = best_of<Row, T>(values, count);
  if (*position >= 0 && !beats<Row>(found, load<T>(best, 0))) return;
  int64_t i = 0;
  while (isnan(found) ? !isnan(load<T>(values, i)) : !equal(found, load<T>(values, i))) ++i;
  store(best, 0, found);
  *position = first + i;
}

template <class Row, class T>
void search(void* best, int64_t* positions, const void* values, int64_t width, int64_t count, int64_t first) {
  if (width == 1) return search_row<Row, T>(best, positions, values, count, first);
  for (int64_t p = 0; p < count; ++p) {
    const Stored<T>* row = static_cast<const Stored<T>*>(values) + p * width;
#pragma GCC ivdep
    for (int64_t w = 0; w < width; ++w) {
      const T x = load<T>(row, w), old = load<T>(best, w);
      const bool takes = (positions[w] < 0) | beats<Row>(x, old);
      store(best, w, select(takes, x, old));
      positions[w] = takes ? first + p : positions[w];
    }
  }
}

template <class Row, class T>
void combine_searches(void* best, int64_t* positions, const void* later, const int64_t* later_positions,
                      int64_t width) {
  for (int64_t w = 0; w < width; ++w) {
    const T x = load<T>(later, w), old = load<T>(best, w);
    if (!beats<Row>(x, old)) continue;
    store(best, w, x);
    positions[w] = later_positions[w];
  }
}

template <class Row, class T>
constexpr Searcher searcher() {
  if constexpr (Row::result == TD_INDEX && (Row::types & kind_of<T>) != 0 && !is_half<T>)
    return {search<Row, T>, combine_searches<Row, T>};
  else
    return {};
}

template <class Row>
struct Table {
  static constexpr Combiner combiners[TD_DTYPE_COUNT] = {
#define X(NAME, type, ...) combiner<Row, type>(),
      TD_DTYPES(X)
#undef X
  };
  static constexpr Searcher searchers[TD_DTYPE_COUNT] = {
#define X(NAME, type, ...) searcher<Row, type>(),
      TD_DTYPES(X)
#undef X
  };
};

}  // namespace

const Combiner* const combiners[TD_REDUCTION_COUNT] = {
#define TD_REDUCTION(name, ...) Table<name##_row>::combiners,
#include <tandem/ops.def>
};

const Searcher* const searchers[TD_REDUCTION_COUNT] = {
#define TD_REDUCTION(name, ...) Table<name##_row>::searchers,
#include <tandem/ops.def>
};

}  // namespace tandem::cpu::TD_ISA
