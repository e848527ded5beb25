#include "selection.hpp"

#include <algorithm>

#include <tandem/elementwise.hpp>
#include <tandem/reductions.hpp>

#include "../functions/common.hpp"
#include "shape_rules.hpp"

namespace tandem::detail {
namespace {

[[noreturn]] void refuse(const char* function, const std::string& text) {
  fail<IndexError>(function, text);
}

/// Whether the axes [first, first + count) could be one.
bool merge(const Node& x, int first, int count) {
  for (int i = first; i + 1 < first + count; ++i)
    if (x.strides[i] != x.strides[i + 1] * x.shape[i + 1]) return false;
  return true;
}

/// Whether the host looks at these indices itself: a device's pass would cost more.
bool are_at_hand(const Array& indices) {
  constexpr std::int64_t few = 2048;
  const Node& node = *indices.node();
  return node.device->shares_host_memory && node.dtype == int64 && node.contiguous && indices.size() <= few;
}

/// Puts an index into normal form, part by part.
class Builder {
 public:
  Builder(const char* function, const Array& base, std::span<const Index> index, bool read_at_once)
      : function_(function), base_(base), read_at_once_(read_at_once), ellipsis_axes_(base.ndim() - count_indexed_axes(index, base.shape())) {
    bool open = true;
    for (const Index& part : index) {
      add(part);
      open &= part.kind != Index::Kind::ellipsis;
    }
    if (open) add(ellipsis);
  }

  Selection finish() {
    if (is_whole_mask()) {
      s_.shape = {count_true(*indexed_[0].mask)};  // joins the pass that computes a pending mask
      s_.mask = indexed_[0].mask->contiguous();
      s_.unique = true;
    } else {
      bring_together();
      broadcast();
    }
    return std::move(s_);
  }

 private:
  /// An array of indices for an axis of the view, or a mask for `count` axes from there on.
  struct Indexed {
    int view_axis, count, base_axis;
    std::optional<Array> indices, mask;
  };

  void add(const Index& part) {
    switch (part.kind) {
      case Index::Kind::integer:
        enter_block();
        s_.basic.push_back(part);
        ++base_axis_;
        break;
      case Index::Kind::slice:
        add_view_axis(part);
        ++base_axis_;
        break;
      case Index::Kind::newaxis: add_view_axis(part); break;
      case Index::Kind::ellipsis:
        leave_block();
        for (int i = 0; i < ellipsis_axes_; ++i, ++base_axis_) add_view_axis(slice(none, none));
        break;
      case Index::Kind::boolean: add_condition(part.start != 0); break;
      case Index::Kind::array: add_array(Array(part.array)); break;
    }
  }

  // Advanced parts that follow one another are a block; with two blocks the broadcast axes come first.
  void enter_block() {
    if (block_ == Block::none) first_ = view_axes_;
    separated_ |= block_ == Block::left;
    block_ = Block::inside;
  }
  void leave_block() {
    if (block_ == Block::inside) block_ = Block::left;
  }

  void add_view_axis(const Index& part) {
    leave_block();
    s_.basic.push_back(part);
    ++view_axes_;
  }

  void add_indexed(int count, std::optional<Array> indices, std::optional<Array> mask, const Index& basic) {
    enter_block();
    indexed_.push_back({view_axes_, count, base_axis_, std::move(indices), std::move(mask)});
    s_.basic.insert(s_.basic.end(), std::size_t(count), basic);
    view_axes_ += count;
  }

  /// A new axis of length 1 that is indexed by one 0 or by nothing.
  void add_condition(bool condition) {
    add_indexed(1, index_array(*base_.node()->device, {condition}, {0}), {}, newaxis);
  }

  void add_array(const Array& x) {
    const Array pair[] = {base_, x};
    common_device(function_, pair);
    if (is_bool(x.dtype()) && x.ndim() == 0) return add_condition(x.item<bool>());
    const int count = is_bool(x.dtype()) ? x.ndim() : 1;
    if (is_bool(x.dtype())) {
      check_mask(x);
      add_indexed(count, {}, x, slice(none, none));
    } else if (is_integer(x.dtype())) {
      add_indexed(count, x, {}, slice(none, none));
    } else {
      refuse(function_, "arrays used as indices must be of integer (or boolean) type, not " + std::string(name(x.dtype())));
    }
    base_axis_ += count;
  }

  void check_mask(const Array& x) const {
    for (int i = 0; i < x.ndim(); ++i)
      if (const std::int64_t length = base_.shape()[base_axis_ + i]; x.shape()[i] != length)
        refuse(function_, "boolean index did not match indexed array along axis " + std::to_string(base_axis_ + i) +
                              "; size of axis is " + std::to_string(length) +
                              " but size of corresponding boolean axis is " + std::to_string(x.shape()[i]));
  }

  bool is_whole_mask() const {
    return indexed_.size() == 1 && indexed_[0].mask && indexed_[0].count == base_.ndim() && view_axes_ == base_.ndim();
  }

  void bring_together() {
    s_.axis = separated_ ? 0 : first_;
    if (!separated_) return;
    base_.at(s_.basic);  // throws for more axes than there may be
    std::uint32_t named = 0;
    for (const Indexed& part : indexed_)
      for (int i = part.view_axis; i < part.view_axis + part.count; ++i) {
        s_.order.push_back(i);
        named |= 1u << i;
      }
    for (int i = 0; i < view_axes_; ++i)
      if (!(named >> i & 1)) s_.order.push_back(i);
  }

  /// Masks become positions, along one axis if theirs can be merged; then all index arrays get one shape.
  void broadcast() {
    const Array view = s_.view_of(base_);
    std::vector<int> base_axes;  // by index array: the axis to check it against, -1 for none
    int axis = s_.axis;
    for (const Indexed& part : indexed_) {
      if (part.mask)
        add_positions(*part.mask, *view.node(), axis);
      else
        s_.indices.push_back(*part.indices);
      base_axes.resize(s_.indices.size(), part.mask || part.indices->node()->is_index ? -1 : part.base_axis);
      axis += part.count;
    }
    Shape positions;
    for (const Array& each : s_.indices)
      if (!broadcast_into(positions, each.shape())) refuse_shapes();
    const bool waits = may_wait(base_axes, positions);
    for (std::size_t i = 0; i < s_.indices.size(); ++i) {
      Array& each = s_.indices[i];
      // Indices that broadcasting removes are not looked at, but for those without axes: they are integers.
      if (base_axes[i] >= 0 && (each.ndim() == 0 || element_count(function_, positions) > 0)) {
        const Selection::Bounds bounds{i, base_axes[i], base_.shape()[base_axes[i]]};
        if (waits)
          s_.unchecked.push_back(bounds);
        else
          each = checked_indices(function_, each, bounds.axis, bounds.length);
      }
      each = each.astype(int64);
      ready(function_, each);
      if (!(each.shape() == positions)) each = each.broadcast_to(positions);
    }
    s_.unique = indexed_.size() == 1 && indexed_[0].mask;

    const Shape whole = s_.view_of(base_).shape();
    for (int i = 0; i < s_.axis; ++i) s_.shape.push_back(whole[i]);
    for (std::int64_t length : positions) s_.shape.push_back(length);
    for (int i = s_.axis + int(s_.indices.size()); i < whole.size(); ++i) s_.shape.push_back(whole[i]);
  }

  /// Whether select() can find out as it reads if all arrays are inside: then there must be something to read.
  bool may_wait(const std::vector<int>& base_axes, const Shape& positions) const {
    if (!read_at_once_ || base_.size() == 0 || element_count(function_, positions) == 0) return false;
    for (std::size_t i = 0; i < s_.indices.size(); ++i) {
      const Array& each = s_.indices[i];
      if (base_axes[i] >= 0 && (!is_integer(each.dtype()) || each.dtype() == uint64 || are_at_hand(each))) return false;
    }
    return true;
  }

  void add_positions(const Array& pending, const Node& view, int axis) {
    const std::int64_t count = count_true(pending);
    const Array mask = pending.contiguous();
    if (s_.merged_count == 0 && mask.ndim() > 1 && merge(view, axis, mask.ndim())) {
      s_.merged_axis = axis;
      s_.merged_count = mask.ndim();
      s_.indices.push_back(flat_positions(function_, mask, count));
    } else {
      for (Array& each : positions_by_axis(function_, mask, count)) s_.indices.push_back(std::move(each));
    }
  }

  [[noreturn]] void refuse_shapes() const {
    std::string text = "shape mismatch: indexing arrays could not be broadcast together with shapes";
    for (const Array& each : s_.indices) text += " " + to_string(each.shape());
    refuse(function_, text);
  }

  enum class Block { none, inside, left };
  const char* function_;
  const Array& base_;
  const bool read_at_once_;
  int ellipsis_axes_, base_axis_ = 0, view_axes_ = 0, first_ = 0;
  Block block_ = Block::none;
  bool separated_ = false;
  std::vector<Indexed> indexed_;
  Selection s_;
};

/// Elements of x, or of the index array, where the contiguous mask holds.
Array pick(const char* function, const Node& x, const Array& mask, std::int64_t count) {
  const Node& conditions = *mask.node();
  NodePtr result = allocate_node(function, *conditions.device, x.dtype, {count});
  if (count > 0) {
    const td_view from = view_of(x), where = view_of(conditions), to = view_of(*result);
    call(function, conditions.device->table->select, conditions.device->handle, &from, &where, &to);
  }
  return Array(std::move(result));
}

std::vector<td_view> views_of(const std::vector<Array>& arrays) {
  std::vector<td_view> views;
  for (const Array& x : arrays) views.push_back(view_of(*x.node()));
  return views;
}

/// Calls the verb gather_checked; false if the backend lacks it or indices are outside.
bool gather_inside(const DeviceState& device, const char* function, const td_view& from, int axis,
                   const std::vector<td_view>& indices, const td_view& to) {
  std::int32_t inside = 0;
  td_error error;
  error.message[0] = 0;
  const td_status status = device.table->gather_checked(device.handle, &from, std::int32_t{axis},
                                                        std::int32_t(indices.size()), indices.data(), &to, &inside, &error);
  if (status != TD_OK && status != TD_NOT_SUPPORTED) throw_status(status, error, function);
  return status == TD_OK && inside != 0;
}

NodePtr gather(const char* function, const Array& base, const Selection& selection) {
  if (selection.mask && selection.shape[0] > 0) {
    const Array x = base.contiguous();
    return pick(function, *x.node(), *selection.mask, selection.shape[0]).node();
  }
  DeviceState& device = *base.node()->device;
  NodePtr result = allocate_node(function, device, base.dtype(), selection.shape);
  const auto check = [&] {
    for (const auto& [number, axis, length] : selection.unchecked)
      checked_indices(function, selection.indices[number], axis, length);
  };
  if (result->size() == 0) {
    check();
    return result;
  }
  const Array x = selection.view_of(base);
  const std::vector<td_view> indices = views_of(selection.indices);
  const td_view from = view_of(*x.node()), to = view_of(*result);
  if (!selection.unchecked.empty()) {
    if (gather_inside(device, function, from, selection.axis, indices, to)) return result;
    check();
  }
  call(function, device.table->gather, device.handle, &from, std::int32_t{selection.axis}, std::int32_t(indices.size()),
       indices.data(), &to);
  return result;
}

}  // namespace

void retain(const Selection* selection) noexcept { selection->references.add(); }

void release(const Selection* selection) noexcept {
  if (selection->references.drop()) delete selection;
}

SelectionPtr make_selection(const char* function, const Array& base, std::span<const Index> index,
                            bool read_at_once) {
  return SelectionPtr(new Selection(Builder(function, base, index, read_at_once).finish()));
}

SelectionPtr selection_of(const Array& positions) {
  Selection result;
  result.basic = {slice(none, none)};
  result.indices = {positions};
  result.shape = positions.shape();
  return SelectionPtr(new Selection(std::move(result)));
}

Array Selection::view_of(const Array& base) const {
  Array view = base.at(basic);
  if (!order.empty()) view = view.permute(order);
  if (merged_count == 0) return view;
  Shape merged;
  for (int i = 0; i < view.ndim(); ++i) {
    if (i > merged_axis && i < merged_axis + merged_count)
      merged[merged_axis] *= view.shape()[i];
    else
      merged.push_back(view.shape()[i]);
  }
  return view.reshape(merged);
}

Array select(const char* function, const Array& x, SelectionPtr selection, bool later) {
  ready(function, x);
  if (!later) return Array(gather(function, x, *selection));
  NodePtr node(new Node);
  node->kind = NodeKind::selection;
  node->dtype = x.dtype();
  node->device = x.node()->device;
  node->shape = selection->shape;
  node->selection = std::move(selection);
  node->sources[0] = NodePtr(x.node()).detach();
  node->n_sources = 1;
  return Array(std::move(node));
}

NodePtr compute_selection(const char* function, NodePtr source, const Selection& selection) {
  return gather(function, Array(std::move(source)), selection);
}

void scatter(const char* function, const Array& x, const Selection& selection, const Node& values, bool adds) {
  std::vector<Array> indices = selection.indices;
  if (selection.mask) indices = positions_by_axis(function, *selection.mask, selection.shape[0]);
  const Array target = selection.view_of(x);
  const std::vector<td_view> places = views_of(indices);
  const td_view to = view_of(*target.node()), from = view_of(values);
  DeviceState& device = *values.device;
  const td_scatter mode = adds ? TD_SCATTER_ADD : selection.unique ? TD_SCATTER_UNIQUE : TD_SCATTER_LAST;
  call(function, device.table->scatter, device.handle, &to, std::int32_t{selection.axis}, std::int32_t(places.size()),
       places.data(), &from, mode);
}

std::vector<Array> positions_by_axis(const char* function, const Array& mask, std::int64_t count) {
  std::vector<Array> result;
  for (int axis = 0; axis < mask.ndim(); ++axis) {
    Shape strides = Shape::filled(mask.ndim(), 0);
    strides[axis] = 1;
    result.push_back(pick(function, *index_array(*mask.node()->device, mask.shape(), strides).node(), mask, count));
  }
  return result;
}

Array flat_positions(const char* function, const Array& mask, std::int64_t count) {
  const Array positions = index_array(*mask.node()->device, mask.shape(), contiguous_strides(mask.shape()));
  return pick(function, *positions.node(), mask, count);
}

std::int64_t count_true(const Array& mask) { return count_nonzero(mask).item<std::int64_t>(); }

namespace {

/// Whether all indices are in [-length, length).
bool are_inside(const char* function, const Array& indices, std::int64_t length) {
  const Node& node = ready(function, indices);
  if (are_at_hand(indices)) {
    const DeviceState& device = *node.device;
    call(function, device.table->synchronize, device.handle);
    const auto* list = static_cast<const std::int64_t*>(node.data);
    return std::all_of(list, list + indices.size(), [&](std::int64_t i) { return i >= -length && i < length; });
  }
  // In the dtype of the indices: one beyond int64 is outside, not what a cast makes of it.
  return !logical_or(less(min(indices), -length), greater_equal(max(indices), length)).item<bool>();
}

}  // namespace

Array checked_indices(const char* function, const Array& indices, int axis, std::int64_t length) {
  if (!is_integer(indices.dtype()))
    refuse(function, "arrays used as indices must be of integer type, not " + std::string(name(indices.dtype())));
  if (indices.size() == 0) return indices.astype(int64);
  if (are_inside(function, indices, length)) return indices.astype(int64);
  const Array outside = logical_or(less(indices, -length), greater_equal(indices, length));
  const Array first = indices.ravel()(argmax(outside).item<std::int64_t>());
  const std::string text = indices.dtype() == uint64 ? std::to_string(first.item<std::uint64_t>())
                                                     : std::to_string(first.item<std::int64_t>());
  refuse_index(function, text, axis, length);
}

}  // namespace tandem::detail
