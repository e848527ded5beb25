#include <tandem/indexing.hpp>

#include <algorithm>

#include <tandem/creation.hpp>
#include <tandem/elementwise.hpp>
#include <tandem/manipulation.hpp>

#include "../array/selection.hpp"
#include "../array/shape_rules.hpp"
#include "common.hpp"

namespace tandem {
namespace {

using detail::fail;
using detail::FunctionName;

/// Indices by the mode; what stays outside is refused later.
Array in_mode(const Array& indices, IndexMode mode, std::int64_t length) {
  if (!is_integer(indices.dtype()) || mode == IndexMode::raise || length == 0) return indices;
  const Array wide = indices.dtype() == uint64 ? indices : indices.astype(int64);
  return (mode == IndexMode::clip ? clip(wide, {.min = 0, .max = length - 1}) : remainder(wide, length)).astype(int64);
}

using detail::SelectionPtr;

/// The index of take_along_axis; that along the other axes counts, and no memory holds it.
SelectionPtr along_axis(const char* function, const Array& x, const Array& indices, int named_axis, bool read_at_once) {
  const int axis = detail::normalize_axis(function, named_axis, x.ndim());
  if (indices.ndim() != x.ndim())
    fail(function, "indices of shape " + to_string(indices.shape()) + " have not as many axes as array of shape " +
                       to_string(x.shape()));
  if (!is_integer(indices.dtype()))
    fail(function, "indices of dtype " + std::string(name(indices.dtype())) + " are no integers");
  std::vector<Index> index;
  for (int i = 0; i < x.ndim(); ++i) {
    Shape shape = Shape::filled(x.ndim(), 1);
    shape[i] = x.shape()[i];
    index.push_back(i == axis ? Index(indices)
                              : Index(detail::index_array(*x.node()->device, shape, detail::contiguous_strides(shape))));
  }
  return detail::make_selection(function, x, index, read_at_once);
}

/// x without its shape for the length of a call. x itself is empty meanwhile, so that nobody else sees the memory and
/// writing copies nothing.
class Flattened {
 public:
  explicit Flattened(Array& x) : x_(x), shape_(x.shape()) {
    x = x.contiguous();
    flat_ = Array(std::move(x)).ravel();
  }
  ~Flattened() { x_ = flat_.reshape(shape_); }
  Flattened(const Flattened&) = delete;
  Array& array() noexcept { return flat_; }

 private:
  Array& x_;
  const Shape shape_;
  Array flat_;
};

}  // namespace

Array take(const Array& x, const Array& indices, const TakeOptions& options) {
  const FunctionName function("take");
  if (!options.axis && x.ndim() != 1) return take(x.ravel(), indices, {.axis = 0, .mode = options.mode});
  const int axis = detail::normalize_axis(function, options.axis.value_or(0), x.ndim());
  if (is_bool(indices.dtype())) fail(function, "indices of dtype bool are no integers");
  std::vector<Index> index(std::size_t(axis), slice(none, none));
  index.push_back(in_mode(indices, options.mode, x.shape()[axis]));
  return detail::select(function, x, detail::make_selection(function, x, index, true), false);
}

Array take_along_axis(const Array& x, const Array& indices, int axis) {
  const FunctionName function("take_along_axis");
  return detail::select(function, x, along_axis(function, x, indices, axis, true), false);
}

void put_along_axis(Array& x, const Array& indices, const Operand& values, int axis) {
  const FunctionName function("put_along_axis");
  along_axis(function, x, indices, axis, false)->assign(x, values);
}

void put(Array& x, const Array& indices, const Operand& values, IndexMode mode) {
  const FunctionName function("put");
  if (is_bool(indices.dtype())) fail(function, "indices of dtype bool are no integers");
  const Index places(in_mode(indices, mode, x.size()).ravel());
  const SelectionPtr selection = detail::make_selection(function, x.ravel(), {&places, 1});
  const std::int64_t count = selection->shape[0];
  if (!values.is_array()) return selection->assign(Flattened(x).array(), values);
  Array list = values.array().ravel();
  const std::int64_t n = list.size();
  if (count == 0) return;
  if (n == 0) fail(function, "there are indices but no values");
  if (n < count) list = tile(list, {(count + n - 1) / n});
  list = list(slice(0, count)).copy();  // the values may be a view of x, which is flattened now
  selection->assign(Flattened(x).array(), list);
}

void add_at(Array& x, std::span<const Index> index, const Operand& values) {
  const FunctionName function("add_at");
  const DType result = values.is_array() ? promote_types(x.dtype(), values.array().dtype())
                                         : detail::promote_weak(x.dtype(), values.scalar());
  if (!can_cast(result, x.dtype(), Casting::same_kind))
    fail(function, "cannot cast the result from " + std::string(name(result)) + " to " + std::string(name(x.dtype())) +
                       " with casting rule same_kind");
  for (const Index& part : index)
    if (part.is_advanced()) return detail::make_selection(function, x, index)->assign(x, values, true);
  x.at(index) += values;
}

std::vector<Array> nonzero(const Array& x) {
  const FunctionName function("nonzero");
  if (x.ndim() == 0) fail(function, "a 0-d array has no positions; reshape it to {1}");
  const Array mask = x.astype(bool_);
  const std::int64_t count = detail::count_true(mask);
  return detail::positions_by_axis(function, mask.contiguous(), count);
}

std::vector<Array> where(const Array& condition) {
  const FunctionName function("where");
  return nonzero(condition);
}

Array argwhere(const Array& x) {
  const FunctionName function("argwhere");
  if (x.ndim() == 0) {
    const std::int64_t count = x.item<bool>();
    return empty({count, 0}, {.dtype = int64, .device = x.device()});
  }
  return stack(nonzero(x), 1);
}

Array flatnonzero(const Array& x) {
  const FunctionName function("flatnonzero");
  const Array mask = x.astype(bool_);
  const std::int64_t count = detail::count_true(mask);
  return detail::flat_positions(function, mask.contiguous(), count);
}

std::vector<Array> ix_(std::span<const Array> arrays) {
  const FunctionName function("ix_");
  const auto n = static_cast<int>(arrays.size());
  std::vector<Array> result;
  for (int i = 0; i < n; ++i) {
    const Array& x = arrays[std::size_t(i)];
    if (x.ndim() != 1) fail(function, "array of shape " + to_string(x.shape()) + " is not 1-d");
    if (is_inexact(x.dtype()))
      fail(function, "arrays used as indices must be of integer (or boolean) type, not " + std::string(name(x.dtype())));
    Shape shape = Shape::filled(n, 1);
    const Array positions = is_bool(x.dtype()) ? flatnonzero(x) : x;
    shape[i] = positions.size();
    result.push_back(positions.reshape(shape));
  }
  return result;
}

std::vector<Array> tril_indices(std::int64_t n, const TriangleIndicesOptions& options) {
  const FunctionName function("tril_indices");
  return nonzero(tri(n, options.m, {.k = options.k, .dtype = bool_, .device = options.device}));
}

std::vector<Array> triu_indices(std::int64_t n, const TriangleIndicesOptions& options) {
  const FunctionName function("triu_indices");
  const std::int64_t k = std::max(options.k, -n) - 1;  // above what lies at and below the diagonal before
  return nonzero(logical_not(tri(n, options.m, {.k = k, .dtype = bool_, .device = options.device})));
}

Array compress(const Array& condition, const Array& x, const CompressOptions& options) {
  const FunctionName function("compress");
  if (condition.ndim() != 1)
    fail(function, "condition of shape " + to_string(condition.shape()) + " is not 1-d");
  if (!options.axis && condition.shape()[0] == x.size()) return x.ravel()(condition.astype(bool_));
  return take(x, flatnonzero(condition), {.axis = options.axis});
}

Array extract(const Array& condition, const Array& x) {
  const FunctionName function("extract");
  return compress(condition.ravel(), x);
}

}  // namespace tandem
