#include "lane_kernels.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "vector_width.hpp"

namespace tandem::cpu::TD_ISA {
namespace {

using std::int64_t;

template <class T>
constexpr int lanes = vector_bytes / int{sizeof(T)};

/// One element of each matrix, and what comparing them gives.
template <class T>
using Lanes = typename Vector<T, lanes<T>>::type;
template <class T>
using Integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
template <class T>
using Mask = typename Vector<Integer<T>, lanes<T>>::type;

// ---- between matrices and matrices of vectors ----

/// Exchanges blocks of `step` x `step` elements across the diagonal of each block of twice that size (J. O. Eklundh: A
/// fast computer method for matrix transposing, 1972).
template <class T, int step = 1>
[[gnu::always_inline]] inline void transpose(Lanes<T>* rows) {
  Mask<T> upper, lower;  // elements of two rows in a row
#pragma GCC unroll 16
  for (int i = 0; i < lanes<T>; ++i) {
    upper[i] = i & step ? lanes<T> + i - step : i;
    lower[i] = i & step ? lanes<T> + i : i + step;
  }
#pragma GCC unroll 16
  for (int i = 0; i < lanes<T>; ++i) {
    if (i & step) continue;
    const Lanes<T> x = rows[i], y = rows[i + step];
    rows[i] = __builtin_shuffle(x, y, upper);
    rows[i + step] = __builtin_shuffle(x, y, lower);
  }
  if constexpr (2 * step < lanes<T>) transpose<T, 2 * step>(rows);
}

/// to[j * step] = elements `first + j * from_step` of all lanes
template <class T>
void gather_row(const T* const* from, int64_t first, int64_t from_step, int64_t count, Lanes<T>* to, int64_t step) {
  int64_t j = 0;
  for (; from_step == 1 && j + lanes<T> <= count; j += lanes<T>) {
    Lanes<T> rows[lanes<T>];
#pragma GCC unroll 16
    for (int lane = 0; lane < lanes<T>; ++lane) std::memcpy(&rows[lane], from[lane] + first + j, sizeof rows[lane]);
    transpose<T>(rows);
#pragma GCC unroll 16
    for (int i = 0; i < lanes<T>; ++i) to[(j + i) * step] = rows[i];
  }
  for (; j < count; ++j) {
    T elements[lanes<T>];
    for (int lane = 0; lane < lanes<T>; ++lane) elements[lane] = from[lane][first + j * from_step];
    std::memcpy(&to[j * step], elements, sizeof elements);
  }
}

template <class T>
void gather(const T* const* from, Places places, int64_t rows, int64_t columns, T* elements) {
  Lanes<T>* to = reinterpret_cast<Lanes<T>*>(elements);
  const int64_t width = row_pitch(columns);
  if (places.column_stride == 1 && places.row_stride == columns && width == columns)
    return gather_row(from, 0, 1, rows * columns, to, 1);
  if (places.row_stride == 1) {
    for (int64_t j = 0; j < columns; ++j) gather_row(from, j * places.column_stride, 1, rows, to + j, width);
    return;
  }
  for (int64_t i = 0; i < rows; ++i)
    gather_row(from, i * places.row_stride, places.column_stride, columns, to + i * width, 1);
}

template <class T>
void scatter_row(const Lanes<T>* from, int64_t step, int64_t elements, T* const* to, int64_t first, int64_t to_step,
                 int64_t count) {
  int64_t j = 0;
  for (; to_step == 1 && j + lanes<T> <= elements; j += lanes<T>) {
    Lanes<T> rows[lanes<T>];
#pragma GCC unroll 16
    for (int i = 0; i < lanes<T>; ++i) rows[i] = from[(j + i) * step];
    transpose<T>(rows);
    for (int64_t lane = 0; lane < count; ++lane) std::memcpy(to[lane] + first + j, &rows[lane], sizeof rows[lane]);
  }
  for (; j < elements; ++j) {
    T row[lanes<T>];
    std::memcpy(row, &from[j * step], sizeof row);
    for (int64_t lane = 0; lane < count; ++lane) to[lane][first + j * to_step] = row[lane];
  }
}

template <class T>
void scatter(const T* elements, int64_t rows, int64_t columns, T* const* to, Places places, int64_t count) {
  const Lanes<T>* from = reinterpret_cast<const Lanes<T>*>(elements);
  const int64_t width = row_pitch(columns);
  if (places.column_stride == 1 && places.row_stride == columns && width == columns)
    return scatter_row(from, 1, rows * columns, to, 0, 1, count);
  if (places.row_stride == 1) {
    for (int64_t j = 0; j < columns; ++j)
      scatter_row(from + j, width, rows, to, j * places.column_stride, 1, count);
    return;
  }
  for (int64_t i = 0; i < rows; ++i)
    scatter_row(from + i * width, 1, columns, to, i * places.row_stride, places.column_stride, count);
}

// ---- elimination ----

/// A bit for each lane.
template <class T>
std::uint32_t bits(const Mask<T>& mask) {
  std::uint32_t result = 0;
  for (int lane = 0; lane < lanes<T>; ++lane) result |= std::uint32_t(mask[lane] & 1) << lane;
  return result;
}

/// Rows of vectors.
template <class V>
struct Rows {
  V* first;
  int64_t pitch;
  V* operator[](int64_t i) const { return first + i * pitch; }
  /// From element (i, j) on.
  Rows from(int64_t i, int64_t j) const { return {first + i * pitch + j, pitch}; }
};

constexpr int block = 4;  // rows that are subtracted in one pass

/// Subtracts from `height` rows the first `depth` of others times factors, one after the other.
template <int height, int depth, class V>
void subtract_products(Rows<V> to, const V* factors, int64_t factor_row, int64_t factor_step, Rows<V> others,
                       int64_t count) {
  V f[height][depth];
  for (int i = 0; i < height; ++i)
    for (int p = 0; p < depth; ++p) f[i][p] = factors[i * factor_row + p * factor_step];
  V* __restrict first = to.first;
  for (int64_t j = 0; j < count; ++j) {
#pragma GCC unroll 4
    for (int i = 0; i < height; ++i) {
      V x = first[i * to.pitch + j];
#pragma GCC unroll 4
      for (int p = 0; p < depth; ++p) x = x - f[i][p] * others[p][j];
      first[i * to.pitch + j] = x;
    }
  }
}

/// The same of any number of rows and a block of others.
template <class V>
void subtract_block(Rows<V> to, int64_t rows, const V* factors, int64_t factor_row, int64_t factor_step, Rows<V> others,
                    int64_t count) {
  int64_t i = 0;
  for (; i + 2 <= rows; i += 2)
    subtract_products<2, block>(to.from(i, 0), factors + i * factor_row, factor_row, factor_step, others, count);
  if (i < rows)
    subtract_products<1, block>(to.from(i, 0), factors + i * factor_row, factor_row, factor_step, others, count);
}

/// Rows other than `row` that are the pivot of a lane, as bits.
template <class T>
std::uint32_t other_rows(int64_t row, int64_t n, const Mask<T>& pivot) {
  constexpr int64_t few = 8;  // it takes less time to ask all of a few rows than to find out which ones
  std::uint32_t rows = ~std::uint32_t{0} >> (32 - n) & ~std::uint32_t{0} << row;
  if (n > few) {
    rows = 0;
    for (int lane = 0; lane < lanes<T>; ++lane) rows |= std::uint32_t{1} << pivot[lane];
  }
  return rows & ~(std::uint32_t{1} << row);
}

/// Exchanges elements [begin, end) of a row with those of each lane's pivot among the others.
template <class T>
void exchange_rows(Rows<Lanes<T>> rows, int64_t begin, int64_t end, int64_t row, std::uint32_t others,
                   const Mask<T>& pivot) {
  Lanes<T>* one = rows[row];
  while (others) {  // two at a time, so that the row itself is loaded and stored half as often
    const int first = std::countr_zero(others);
    others &= others - 1;
    const int second = others ? std::countr_zero(others) : first;
    others &= others - 1;
    const Mask<T> in_first = pivot == Integer<T>(first), in_second = pivot == Integer<T>(second);
    Lanes<T> *x = rows[first], *y = rows[second];
    for (int64_t j = begin; j < end; ++j) {
      const Lanes<T> before = one[j], from_first = x[j], from_second = y[j];
      x[j] = in_first ? before : from_first;
      y[j] = in_second ? before : from_second;
      one[j] = in_second ? from_second : in_first ? from_first : before;
    }
  }
}

template <class T>
std::uint32_t eliminate(T* matrix, int64_t n, T* right, int64_t k, std::int32_t* pivots) {
  using V = Lanes<T>;
  const Rows<V> a{reinterpret_cast<V*>(matrix), row_pitch(n)}, b{reinterpret_cast<V*>(right), row_pitch(k)};
  Mask<T> singular{};
  for (int64_t first = 0; first < n; first += block) {
    const int64_t end = first + block < n ? first + block : n, rest = n - end;
    for (int64_t column = first; column < end; ++column) {
      const V* row = a[column];
      V largest = row[column] < 0 ? -row[column] : row[column];
      Mask<T> pivot = Mask<T>{} + Integer<T>(column);
      for (int64_t i = column + 1; i < n; ++i) {
        const V x = a[i][column], candidate = x < 0 ? -x : x;
        const Mask<T> larger = candidate > largest;
        largest = larger ? candidate : largest;
        pivot = larger ? Mask<T>{} + Integer<T>(i) : pivot;
      }
      singular |= largest == 0;
      if (pivots)
        for (int lane = 0; lane < lanes<T>; ++lane)
          pivots[column * lanes<T> + lane] = std::int32_t(pivot[lane] + 1);
      const std::uint32_t others = other_rows<T>(column, n, pivot);
      exchange_rows<T>(a, pivots ? 0 : first, n, column, others, pivot);
      exchange_rows<T>(b, 0, k, column, others, pivot);
      for (int64_t i = column + 1; i < n; ++i) {
        V* below = a[i];
        const V factor = below[column] / row[column];
        below[column] = factor;
        for (int64_t j = column + 1; j < end; ++j) below[j] = below[j] - factor * row[j];
      }
    }
    for (int64_t i = first + 1; i < end; ++i)
      for (int64_t p = first; p < i; ++p) {
        subtract_products<1, 1>(a.from(i, end), a[i] + p, 0, 0, a.from(p, end), rest);
        subtract_products<1, 1>(b.from(i, 0), a[i] + p, 0, 0, b.from(p, 0), k);
      }
    const V* factors = a[end] + first;
    subtract_block(a.from(end, end), rest, factors, a.pitch, 1, a.from(first, end), rest);
    subtract_block(b.from(end, 0), rest, factors, a.pitch, 1, b.from(first, 0), k);
  }
  return bits<T>(singular);
}

template <class T>
void substitute(const T* matrix, int64_t n, T* right, int64_t k) {
  using V = Lanes<T>;
  const Rows<const V> a{reinterpret_cast<const V*>(matrix), row_pitch(n)};
  const Rows<V> b{reinterpret_cast<V*>(right), row_pitch(k)};
  for (int64_t end = n; end > 0; end -= block) {
    const int64_t first = end > block ? end - block : 0, last = end - 1;
    for (int64_t i = last; i >= first; --i) {
      for (int64_t j = 0; j < k; ++j) b[i][j] = b[i][j] / a[i][i];
      for (int64_t p = first; p < i; ++p) subtract_products<1, 1>(b.from(p, 0), a[p] + i, 0, 0, b.from(i, 0), k);
    }
    subtract_block(b, first, a[0] + last, a.pitch, -1, Rows<V>{b[last], -b.pitch}, k);
  }
}

template <class T>
void cholesky(T* matrix, int64_t n, std::int32_t* minors) {
  using V = Lanes<T>;
  const Rows<V> a{reinterpret_cast<V*>(matrix), row_pitch(n)};
  Mask<T> found{};
  for (int64_t first = 0; first < n; first += block) {
    const int64_t end = first + block < n ? first + block : n;
    for (int64_t i = first; i < end; ++i) {
      V* row = a[i];
      const Mask<T> is_first = ~(row[i] > 0) & (found == 0);
      found = is_first ? Mask<T>{} + Integer<T>(i + 1) : found;
      V root;
      for (int lane = 0; lane < lanes<T>; ++lane) root[lane] = std::sqrt(row[i][lane]);
      row[i] = root;
      for (int64_t j = i + 1; j < n; ++j) row[j] = row[j] / root;
      for (int64_t p = i + 1; p < end; ++p)
        subtract_products<1, 1>(a.from(p, p), row + p, 0, 0, a.from(i, p), n - p);
    }
    for (int64_t i = end; i < n; i += 2)  // the second row's first element lies below the diagonal
      subtract_block(a.from(i, i), n - i < 2 ? 1 : 2, a[first] + i, 1, a.pitch, a.from(first, i), n - i);
  }
  for (int64_t i = 1; i < n; ++i)
    for (int64_t j = 0; j < i; ++j) a[i][j] = V{};
  for (int lane = 0; lane < lanes<T>; ++lane) minors[lane] = std::int32_t(found[lane]);
}

template <class T>
constexpr LaneKernels<T> kernels_of{lanes<T>, gather<T>, scatter<T>, eliminate<T>, substitute<T>, cholesky<T>};

}  // namespace

extern const LaneTable lane_table;
const LaneTable lane_table{kernels_of<float>, kernels_of<double>};

}  // namespace tandem::cpu::TD_ISA
