#include <tandem/sorting.hpp>

#include <tandem/creation.hpp>
#include <tandem/elementwise.hpp>
#include <tandem/indexing.hpp>

#include "../array/shape_rules.hpp"
#include "common.hpp"

namespace tandem {
namespace {

/// Sorts along an axis; the result is a view of a buffer in which that axis comes last.
Array sorted(const char* function, const Array& x, const SortOptions& options, bool positions) {
  const int axis = detail::normalize_axis(function, options.axis, x.ndim());
  detail::ready(function, x);
  const Array rows = x.moveaxis(axis, -1);
  const detail::Node& source = *rows.node();
  detail::NodePtr result = detail::allocate_node(function, *source.device, positions ? int64 : x.dtype(), source.shape);
  if (result->bytes) {
    const td_view in = detail::view_of(source), out = detail::view_of(*result);
    const td_view* none = nullptr;
    detail::call(function, source.device->table->sort, source.device->handle, &in, std::int32_t{options.descending},
                 positions ? none : &out, positions ? &out : none);
  }
  return Array(std::move(result)).moveaxis(-1, axis);
}

}  // namespace

Array sort(const Array& x, const SortOptions& options) { return sorted("sort", x, options, false); }

Array argsort(const Array& x, const SortOptions& options) {
  if (x.ndim() == 0) return argsort(x.reshape({1}), options);
  return sorted("argsort", x, options, true);
}

Array searchsorted(const Array& sorted, const Array& values, const SearchOptions& options) {
  constexpr const char* function = "searchsorted";
  if (sorted.ndim() != 1) detail::fail(function, "array of shape " + to_string(sorted.shape()) + " is not 1-d");
  if (options.sorter && !(options.sorter->shape() == sorted.shape()))
    detail::fail(function, "sorter of shape " + to_string(options.sorter->shape()) + " does not fit array of shape " +
                               to_string(sorted.shape()));
  const Array pair[] = {sorted, values};
  detail::DeviceState& device = detail::common_device(function, pair);
  const DType dtype = promote_types(sorted.dtype(), values.dtype());
  const Array places = (options.sorter ? take(sorted, *options.sorter) : sorted).astype(dtype).contiguous();
  const Array wanted = values.astype(dtype).contiguous();
  detail::NodePtr result = detail::allocate_node(function, device, int64, values.shape());
  if (result->bytes) {
    const td_view in = detail::view_of(*places.node()), keys = detail::view_of(*wanted.node());
    const td_view out = detail::view_of(*result);
    detail::call(function, device.table->searchsorted, device.handle, &in, &keys,
                 std::int32_t{options.side == Side::right}, &out);
  }
  return Array(std::move(result));
}

Array searchsorted(const Array& sorted, const Scalar& value, const SearchOptions& options) {
  return searchsorted(sorted, full({}, value, {.device = sorted.device()}), options);
}

namespace {

void check_kth(const char* function, const Array& x, std::int64_t kth, int named_axis) {
  const int axis = detail::normalize_axis(function, named_axis, x.ndim());
  const std::int64_t length = x.shape()[axis];
  if (kth < -length || kth >= length)
    throw IndexError(std::string(function) + ": kth " + std::to_string(kth) + " is out of bounds for axis " +
                     std::to_string(axis) + " with size " + std::to_string(length));
}

}  // namespace

Array partition(const Array& x, std::int64_t kth, const PartitionOptions& options) {
  check_kth("partition", x, kth, options.axis);
  return sort(x, {.axis = options.axis});
}

Array argpartition(const Array& x, std::int64_t kth, const PartitionOptions& options) {
  check_kth("argpartition", x, kth, options.axis);
  return argsort(x, {.axis = options.axis});
}

Topk topk(const Array& x, std::int64_t k, const TopkOptions& options) {
  const int axis = detail::normalize_axis("topk", options.axis, x.ndim());
  if (k < 0 || k > x.shape()[axis])
    detail::fail("topk", std::to_string(k) + " elements of axis " + std::to_string(axis) + " of shape " +
                             to_string(x.shape()));
  std::vector<Index> first(std::size_t(axis) + 1, slice(none, none));
  first.back() = slice(0, k);
  const Array indices = argsort(x, {.axis = axis, .descending = options.largest}).at(first);
  return {take_along_axis(x, indices, axis), indices};
}

Array lexsort(std::span<const Array> keys) {
  if (keys.empty()) detail::fail("lexsort", "no keys given");
  for (const Array& key : keys)
    if (!(key.shape() == keys[0].shape()))
      detail::fail("lexsort", "shapes " + to_string(keys[0].shape()) + " and " + to_string(key.shape()) + " differ");
  Array order = argsort(keys[0]);
  for (const Array& key : keys.subspan(1))
    order = take_along_axis(order, argsort(take_along_axis(key.ndim() ? key : key.reshape({1}), order)));
  return order;
}

}  // namespace tandem
