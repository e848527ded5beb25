// sort: std::stable_sort of the positions in a row by the elements that they point to. searchsorted: the standard
// library's binary search in the same order. partition: from the sorted positions; those between two ranks go back into
// their order in the row.
#include <algorithm>
#include <numeric>
#include <vector>

#include "strided.hpp"
#include "types.hpp"
#include "verbs.hpp"

namespace tandem::reference {

namespace {

template <class T>
bool in_order(T a, T b, bool descending) {
  return descending ? less(b, a) : less(a, b);
}

/// Whether a comes before b: NaN last, whichever the direction.
template <class T>
bool before(T a, T b, bool descending) {
  if (isnan(a) || isnan(b)) return !isnan(a);
  return in_order(a, b, descending);
}

/// Complex numbers without a NaN come first, then R + NaN i, NaN + R i, and NaN + NaN i; within the first group they
/// are ordered by real part, then imaginary part, within the two others by the part that is no NaN.
template <class F>
bool before(complex<F> a, complex<F> b, bool descending) {
  const auto group = [](complex<F> z) { return 2 * isnan(z.re) + isnan(z.im); };
  if (group(a) != group(b)) return group(a) < group(b);
  if (in_order(a.re, b.re, descending)) return true;
  if (in_order(b.re, a.re, descending)) return false;
  return in_order(a.im, b.im, descending);
}

template <class T>
std::vector<i64> sorted_positions(const td_view& x, int64_t offset, bool descending) {
  const auto row = last_axes<T, 1>(x, offset);
  std::vector<i64> positions(row.shape(0));
  std::iota(positions.begin(), positions.end(), 0);
  std::stable_sort(positions.begin(), positions.end(), [&](i64 a, i64 b) {
    return before(cast<compute_t<T>>(row(a)), cast<compute_t<T>>(row(b)), descending);
  });
  return positions;
}

/// Row r of the outputs, either of which may be null: the elements at `positions` of the row at `offset`, and these.
template <class T>
void write_row(const td_view& x, int64_t offset, const std::vector<i64>& positions, int64_t r, const td_view* values,
               const td_view* indices) {
  const auto begin = r * static_cast<int64_t>(positions.size());
  if (indices != nullptr) {
    std::copy(positions.begin(), positions.end(), static_cast<i64*>(indices->data) + begin);
  }
  if (values != nullptr) {
    const auto row = last_axes<T, 1>(x, offset);
    std::transform(positions.begin(), positions.end(), static_cast<T*>(values->data) + begin,
                   [&](i64 position) { return row(position); });
  }
}

template <class T>
void sort_rows(const td_view& x, bool descending, const td_view* values, const td_view* indices) {
  Walk rows(x.shape, x.strides, 0, x.ndim - 1);
  for (int64_t r = 0; r < rows.size(); ++r, rows.next()) {
    const std::vector<i64> positions = sorted_positions<T>(x, rows.offset(), descending);
    write_row<T>(x, rows.offset(), positions, r, values, indices);
  }
}

template <class T>
void partition_rows(const td_view& x, bool descending, const td_view& ranks, const td_view* values,
                    const td_view* indices) {
  Walk rows(x.shape, x.strides, 0, x.ndim - 1), rank_rows(ranks.shape, ranks.strides, 0, ranks.ndim - 1);
  const int64_t length = x.shape[x.ndim - 1], out_length = (values != nullptr ? values : indices)->shape[x.ndim - 1];
  for (int64_t r = 0; r < rows.size(); ++r, rows.next(), rank_rows.next()) {
    std::vector<i64> positions = sorted_positions<T>(x, rows.offset(), descending);
    const auto rank = last_axes<i64, 1>(ranks, rank_rows.offset());
    if (out_length < length) {
      std::vector<i64> ranked;
      for (const i64 each : rank) ranked.push_back(positions[std::size_t(each)]);
      positions = ranked;
    } else {
      auto begin = positions.begin();
      for (const i64 each : rank) {
        std::sort(begin, positions.begin() + each);
        begin = positions.begin() + each + 1;
      }
      std::sort(begin, positions.end());
    }
    write_row<T>(x, rows.offset(), positions, r, values, indices);
  }
}

template <class T>
void search_all(const td_view& sorted, const td_view& values, bool right, i64* out) {
  const T* const first = static_cast<const T*>(sorted.data);
  const T* const last = first + sorted.shape[0];
  const auto comes_before = [](T a, T b) {
    return before(cast<compute_t<T>>(a), cast<compute_t<T>>(b), false);
  };
  Walk places(values.shape, values.strides, 0, values.ndim);
  for (int64_t i = 0; i < places.size(); ++i, places.next()) {
    const T value = static_cast<const T*>(values.data)[places.offset()];
    const T* const found = right ? std::upper_bound(first, last, value, comes_before)
                                 : std::lower_bound(first, last, value, comes_before);
    out[i] = found - first;
  }
}

}  // namespace

td_status searchsorted(td_device*, const td_view* sorted, const td_view* values, int32_t right, const td_view* out,
                       td_error* error) {
  return guarded(error, [&] {
    with_type(values->dtype, [&](auto type) {
      search_all<typename decltype(type)::type>(*sorted, *values, right != 0, static_cast<i64*>(out->data));
    });
  });
}

td_status partition(td_device*, const td_view* x, int32_t descending, const td_view* ranks, const td_view* values,
                    const td_view* indices, td_error* error) {
  return guarded(error, [&] {
    with_type(x->dtype, [&](auto type) {
      partition_rows<typename decltype(type)::type>(*x, descending != 0, *ranks, values, indices);
    });
  });
}

td_status sort(td_device*, const td_view* x, int32_t descending, const td_view* values, const td_view* indices,
               td_error* error) {
  return guarded(error, [&] {
    with_type(x->dtype, [&](auto type) {
      sort_rows<typename decltype(type)::type>(*x, descending != 0, values, indices);
    });
  });
}

}  // namespace tandem::reference
