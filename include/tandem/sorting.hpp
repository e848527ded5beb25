// Order: sorting, and searching in what is sorted. Quantiles are in statistics.hpp.
#pragma once

#include <tandem/array.hpp>

namespace tandem {

/// Options of sort and argsort. NaN comes last in either direction.
struct SortOptions {
  int axis = -1;
  bool descending = false;
  bool stable = true;  // equal elements keep their order; they do without it, too
};
/// A sorted copy. Complex numbers order by real part, then imaginary part. Throws IndexError for an axis outside, so
/// also for 0-d x.
TANDEM_API Array sort(const Array& x, const SortOptions& options = {});
/// int64 positions that sort x.
TANDEM_API Array argsort(const Array& x, const SortOptions& options = {});

/// Before or behind the elements that are equal to a value.
enum class Side { left, right };

/// Options of searchsorted: `sorter` holds the positions that sort the first argument, as argsort gives them.
struct SearchOptions {
  Side side = Side::left;
  std::optional<Array> sorter = {};
};
/// int64 positions at which values belong in a sorted 1-d array, so that it stays sorted: the number of elements that
/// come before the value, or with side right before or with it. The shape is that of values; the order is sort's, so
/// NaN is the largest number; dtypes promote. Throws Error if `sorted` or `sorter` is not 1-d.
TANDEM_API Array searchsorted(const Array& sorted, const Array& values, const SearchOptions& options = {});
/// One number, with the dtype that it has alone: the result is 0-d.
TANDEM_API Array searchsorted(const Array& sorted, const Scalar& value, const SearchOptions& options = {});

/// Options of partition and argpartition.
struct PartitionOptions {
  int axis = -1;
};
/// x with the element at position kth where sort puts it, those that sort puts before it in front of it, the others
/// behind it, either in the order that they have in x: so all backends return the same. NaN is the largest number. Takes
/// the time of a few passes where the backend can select, else that of sort. Throws IndexError for kth outside.
TANDEM_API Array partition(const Array& x, std::int64_t kth, const PartitionOptions& options = {});
/// Likewise for several places: what lies between two of them is in x's order.
TANDEM_API Array partition(const Array& x, const std::vector<std::int64_t>& kth, const PartitionOptions& options = {});
/// int64 positions that partition x.
TANDEM_API Array argpartition(const Array& x, std::int64_t kth, const PartitionOptions& options = {});
TANDEM_API Array argpartition(const Array& x, const std::vector<std::int64_t>& kth,
                              const PartitionOptions& options = {});

/// Options of topk.
struct TopkOptions {
  int axis = -1;
  bool largest = true;
};
struct Topk {
  Array values, indices;
};
/// The k largest (or smallest) elements along an axis in order, and their positions, int64; NaN after all numbers.
/// Throws Error unless 0 <= k <= length.
TANDEM_API Topk topk(const Array& x, std::int64_t k, const TopkOptions& options = {});

/// int64 positions that sort by several keys of one shape along the last axis, the last key first. Throws Error for no
/// keys or other shapes.
TANDEM_API Array lexsort(std::span<const Array> keys);
inline Array lexsort(std::initializer_list<Array> keys) {
  return lexsort(std::span<const Array>(keys.begin(), keys.size()));
}

}  // namespace tandem
