#include <tandem/sorting.hpp>

#include <algorithm>

#include <tandem/creation.hpp>
#include <tandem/elementwise.hpp>
#include <tandem/indexing.hpp>

#include "../array/shape_rules.hpp"
#include "common.hpp"

namespace tandem {
namespace {

/// Sorts along an axis; the result is a view of a buffer in which that axis comes last.
Array sorted(const char* function, const Array& x, const SortOptions& options, bool positions) {
  const detail::FunctionName scope(function);
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
  const detail::FunctionName function("argsort");
  if (x.ndim() == 0) return argsort(x.reshape({1}), options);
  return sorted(function, x, options, true);
}

Array searchsorted(const Array& sorted, const Array& values, const SearchOptions& options) {
  const detail::FunctionName function("searchsorted");
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
  const detail::FunctionName function("searchsorted");
  return searchsorted(sorted, full({}, value, {.device = sorted.device()}), options);
}

namespace {

/// Calls the verb partition; false if the backend leaves it to sort. An output without a node is not asked for.
bool partition_rows(const char* function, const Array& rows, const Array& ranks, bool descending,
                    const detail::NodePtr& values, const detail::NodePtr& indices) {
  // Backends may keep a key and a position of each element; the rows may be less in memory than what they show.
  constexpr std::int64_t most_elements = INT64_MAX / 128;
  if (rows.size() > most_elements)
    detail::fail<OutOfMemory>(function, "shape " + to_string(rows.shape()) + " has more elements than any memory");
  const detail::Node& source = detail::ready(function, rows);
  detail::ready(function, ranks);
  const td_view in = detail::view_of(source), places = detail::view_of(*ranks.node());
  const td_view elements = values ? detail::view_of(*values) : td_view{};
  const td_view positions = indices ? detail::view_of(*indices) : td_view{};
  td_error error;
  error.message[0] = 0;
  const td_status status =
      source.device->table->partition(source.device->handle, &in, std::int32_t{descending}, &places,
                                      values ? &elements : nullptr, indices ? &positions : nullptr, &error);
  if (status != TD_OK && status != TD_NOT_SUPPORTED) detail::throw_status(status, error, function);
  return status == TD_OK;
}

/// The places that `kth` names, ascending, each once; throws IndexError outside.
std::vector<std::int64_t> sorted_places(const char* function, const std::vector<std::int64_t>& kth, int axis,
                                        std::int64_t length) {
  std::vector<std::int64_t> places;
  for (const std::int64_t each : kth) {
    if (each < -length || each >= length)
      detail::fail<IndexError>(function, "kth " + std::to_string(each) + " is out of bounds for axis " +
                                             std::to_string(axis) + " with size " + std::to_string(length));
    places.push_back(each < 0 ? each + length : each);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

/// Positions that partition rows, by sorting them: those between two places go back into their order.
Array partitioning_positions(const Array& rows, const std::vector<std::int64_t>& places) {
  const Array order = argsort(rows);
  std::vector<Array> parts;
  const auto append = [&](std::int64_t begin, std::int64_t end) {
    if (begin < end) parts.push_back(sort(order(ellipsis, slice(begin, end))));
  };
  std::int64_t begin = 0;
  for (const std::int64_t place : places) {
    append(begin, place);
    append(place, place + 1);
    begin = place + 1;
  }
  append(begin, rows.shape(-1));
  return parts.empty() ? order : concat(parts, -1);
}

Array partitioned(const char* function, const Array& x, const std::vector<std::int64_t>& kth, int named_axis,
                  bool positions) {
  const detail::FunctionName scope(function);
  const int axis = detail::normalize_axis(function, named_axis, x.ndim());
  const std::int64_t length = x.shape()[axis];
  const std::vector<std::int64_t> places = sorted_places(function, kth, axis, length);
  const auto count = std::int64_t(places.size());
  detail::ready(function, x);
  const Array rows = x.moveaxis(axis, -1);
  if (count < length && x.size() > 0) {
    const detail::Node& source = *rows.node();
    Shape shape = source.shape;
    shape[shape.size() - 1] = count;
    const Array ranks =
        detail::host_array(function, *source.device, int64, {count}, places.data()).broadcast_to(shape);
    detail::NodePtr result =
        detail::allocate_node(function, *source.device, positions ? int64 : x.dtype(), source.shape);
    const detail::NodePtr none;
    if (partition_rows(function, rows, ranks, false, positions ? none : result, positions ? result : none))
      return Array(std::move(result)).moveaxis(-1, axis);
  }
  const Array order = partitioning_positions(rows, places);
  return (positions ? order : take_along_axis(rows, order, -1)).moveaxis(-1, axis);
}

}  // namespace

detail::Ranked detail::at_ranks(const char* function, const Array& rows, const Array& ranks, bool descending,
                                bool positions) {
  Shape shape = rows.shape();
  shape[shape.size() - 1] = ranks.shape(-1);
  const Array places = ranks.broadcast_to(shape);
  if (ranks.shape(-1) < rows.shape(-1) && places.size() > 0) {
    DeviceState& device = *ready(function, rows).device;
    NodePtr values = allocate_node(function, device, rows.dtype(), shape);
    NodePtr indices = positions ? allocate_node(function, device, int64, shape) : NodePtr{};
    if (partition_rows(function, rows, places, descending, values, indices))
      return {Array(std::move(values)), positions ? Array(std::move(indices)) : Array()};
  }
  if (!positions) return {take_along_axis(sort(rows, {.descending = descending}), places, -1), Array()};
  const Array indices = take_along_axis(argsort(rows, {.descending = descending}), places, -1);
  return {take_along_axis(rows, indices, -1), indices};
}

Array partition(const Array& x, const std::vector<std::int64_t>& kth, const PartitionOptions& options) {
  return partitioned("partition", x, kth, options.axis, false);
}

Array partition(const Array& x, std::int64_t kth, const PartitionOptions& options) {
  return partition(x, std::vector<std::int64_t>{kth}, options);
}

Array argpartition(const Array& x, const std::vector<std::int64_t>& kth, const PartitionOptions& options) {
  return partitioned("argpartition", x, kth, options.axis, true);
}

Array argpartition(const Array& x, std::int64_t kth, const PartitionOptions& options) {
  return argpartition(x, std::vector<std::int64_t>{kth}, options);
}

Topk topk(const Array& x, std::int64_t k, const TopkOptions& options) {
  const detail::FunctionName function("topk");
  const int axis = detail::normalize_axis(function, options.axis, x.ndim());
  if (k < 0 || k > x.shape()[axis])
    detail::fail(function, std::to_string(k) + " elements of axis " + std::to_string(axis) + " of shape " +
                               to_string(x.shape()));
  const detail::Ranked first = detail::at_ranks(function, x.moveaxis(axis, -1),
                                                arange(k, {.dtype = int64, .device = x.device()}), options.largest,
                                                true);
  return {first.values.moveaxis(-1, axis), first.indices.moveaxis(-1, axis)};
}

Array lexsort(std::span<const Array> keys) {
  const detail::FunctionName function("lexsort");
  if (keys.empty()) detail::fail(function, "no keys given");
  for (const Array& key : keys)
    if (!(key.shape() == keys[0].shape()))
      detail::fail(function, "shapes " + to_string(keys[0].shape()) + " and " + to_string(key.shape()) + " differ");
  Array order = argsort(keys[0]);
  for (const Array& key : keys.subspan(1))
    order = take_along_axis(order, argsort(take_along_axis(key.ndim() ? key : key.reshape({1}), order)));
  return order;
}

}  // namespace tandem
