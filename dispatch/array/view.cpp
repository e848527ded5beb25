// Views: other shapes and strides over the same memory.
#include <tandem/array.hpp>

#include <algorithm>

#include "../functions/common.hpp"
#include "selection.hpp"
#include "shape_rules.hpp"

namespace tandem {

using detail::make_view;
using detail::Node;

namespace {

/// Start, number and step of the elements that a slice selects on an axis, as Python's slice.indices.
struct Range {
  std::int64_t start, count, step;
};

Range resolve(const Index& index, std::int64_t length) {
  const std::int64_t step = index.step;
  if (step == 0) detail::fail("index", "slice step cannot be zero");
  const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? length : length - 1;
  const auto clip = [&](std::int64_t bound, std::int64_t open) {
    if (bound == Index::none) return open;
    if (bound < 0) bound += length;
    return std::clamp(bound, low, high);
  };
  const std::int64_t start = clip(index.start, step > 0 ? low : high);
  const std::int64_t stop = clip(index.stop, step > 0 ? high : low);
  const std::int64_t distance = step > 0 ? stop - start : start - stop;
  if (distance <= 0) return {0, 0, 1};
  const std::uint64_t stride = step > 0 ? std::uint64_t(step) : -std::uint64_t(step);
  const auto count = std::int64_t((std::uint64_t(distance) + stride - 1) / stride);
  return {start, count, count > 1 ? step : 1};
}

const Node& ready_for_view(const char* function, const Array& x) {
  return detail::ready(function, x, detail::FlushReason::view);
}

}  // namespace

Array detail::make_view(const Node& node, const Shape& shape, const Shape& strides, std::int64_t offset) {
  void* data = node.data ? element(node.data, offset, node.dtype) : nullptr;
  return Array(view_node(const_cast<Node&>(node), shape, strides, data));
}

Array Array::subscript(std::span<const Index> index, bool later) const {
  for (const Index& part : index)
    if (part.is_advanced()) return detail::select("index", *this, detail::make_selection("index", *this, index, !later), later);
  return basic_subscript(index);
}

int detail::count_indexed_axes(std::span<const Index> index, const Shape& shape) {
  const int ndim = shape.size();
  int named = 0, ellipses = 0;
  for (const Index& part : index) {
    named += part.kind == Index::Kind::integer || part.kind == Index::Kind::slice;
    if (part.kind == Index::Kind::array) named += is_bool(part.array->dtype) ? part.array->shape.size() : 1;
    ellipses += part.kind == Index::Kind::ellipsis;
  }
  if (ellipses > 1) detail::fail<IndexError>("index", "more than one ellipsis");
  if (named > ndim)
    detail::fail<IndexError>("index", "too many indices: array of shape " + to_string(shape) + " is " +
                                          std::to_string(ndim) + "-dimensional, but " + std::to_string(named) +
                                          " were indexed");
  return named;
}

Array Array::basic_subscript(std::span<const Index> index) const {
  const int named = detail::count_indexed_axes(index, shape());
  const Node& x = ready_for_view("index", *this);
  Shape shape, strides;
  std::int64_t offset = 0;
  int axis = 0;
  const auto keep = [&](int n) {
    for (; n > 0; --n, ++axis) {
      shape.push_back(x.shape[axis]);
      strides.push_back(x.strides[axis]);
    }
  };
  for (const Index& part : index) {
    switch (part.kind) {
      case Index::Kind::integer: {
        offset += detail::normalize_index("index", part.start, axis, x.shape[axis]) * x.strides[axis];
        ++axis;
        break;
      }
      case Index::Kind::slice: {
        const Range range = resolve(part, x.shape[axis]);
        shape.push_back(range.count);
        strides.push_back(x.strides[axis] * range.step);
        offset += range.start * x.strides[axis];
        ++axis;
        break;
      }
      case Index::Kind::newaxis:
        shape.push_back(1);
        strides.push_back(0);
        break;
      case Index::Kind::ellipsis: keep(x.shape.size() - named); break;
      case Index::Kind::boolean:
      case Index::Kind::array: break;  // not here
    }
  }
  keep(x.shape.size() - axis);
  return make_view(x, shape, strides, offset);
}

Array Array::reshape(const Shape& requested) const {
  Shape shape = requested;
  int open = -1;
  std::int64_t known = 1;
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1) {
      if (open >= 0) detail::fail("reshape", "shape " + to_string(requested) + " leaves more than one length open");
      open = i;
    } else if (shape[i] < 0) {
      detail::fail("reshape", "shape " + to_string(requested) + " has a negative length");
    } else if (__builtin_mul_overflow(known, shape[i], &known)) {
      detail::fail("reshape", "shape " + to_string(requested) + " has more elements than can be counted");
    }
  }
  const std::int64_t elements = size();
  if (open >= 0 && known != 0 && elements % known == 0) shape[open] = elements / known;
  if (open >= 0 ? known == 0 || elements % known != 0 : known != elements)
    detail::fail("reshape", "array of shape " + to_string(this->shape()) + " does not fit shape " + to_string(requested));
  if (shape == this->shape()) return *this;

  const Node& x = ready_for_view("reshape", *this);
  if (elements == 0) return make_view(x, shape, detail::contiguous_strides(shape), 0);
  // Walk both shapes from the right in groups of equal size; within a group the old axes must be evenly spaced.
  Shape strides = Shape::filled(shape.size(), 0);
  int from = x.shape.size() - 1, to = shape.size() - 1;
  while (to >= 0) {
    while (from >= 0 && x.shape[from] == 1) --from;
    if (shape[to] == 1) {
      --to;
      continue;
    }
    std::int64_t old_count = x.shape[from], new_count = shape[to];
    std::int64_t stride = x.strides[from];
    strides[to] = stride;
    int last_old = from--, last_new = to--;
    while (old_count != new_count) {
      if (new_count < old_count) {
        while (shape[to] == 1) --to;
        strides[to] = strides[last_new] * shape[last_new];
        new_count *= shape[to];
        last_new = to--;
      } else {
        while (x.shape[from] == 1) --from;
        if (x.strides[from] != x.strides[last_old] * x.shape[last_old]) return contiguous_reshape(shape);
        old_count *= x.shape[from];
        last_old = from--;
      }
    }
  }
  return make_view(x, shape, strides, 0);
}

Array Array::contiguous_reshape(const Shape& shape) const {
  const Array own = copy();
  return make_view(*own.node_, shape, detail::contiguous_strides(shape), 0);
}

Array Array::ravel() const {
  const detail::FunctionName function("ravel");
  return reshape({-1});
}

Array Array::transpose() const {
  const detail::FunctionName function("transpose");
  Shape axes;
  for (int i = ndim() - 1; i >= 0; --i) axes.push_back(i);
  return permute(axes);
}

Array Array::permute(const Shape& axes) const {
  if (axes.size() != ndim())
    detail::fail("permute", "axes " + to_string(axes) + " do not match array of shape " + to_string(shape()));
  const Node& x = ready_for_view("permute", *this);
  Shape shape, strides;
  std::uint32_t seen = 0;
  for (std::int64_t named : axes) {
    const int axis = detail::normalize_axis("permute", named, ndim());
    if (seen >> axis & 1)
      detail::fail("permute", "axes " + to_string(axes) + " name one of shape " + to_string(x.shape) + " twice");
    seen |= 1u << axis;
    shape.push_back(x.shape[axis]);
    strides.push_back(x.strides[axis]);
  }
  return make_view(x, shape, strides, 0);
}

Array Array::squeeze(const Axes& axes) const {
  const std::uint32_t mask = detail::axes_mask("squeeze", axes, ndim());
  const Node& x = ready_for_view("squeeze", *this);
  Shape shape, strides;
  for (int i = 0; i < x.shape.size(); ++i) {
    const bool named = mask >> i & 1;
    if (named && axes.given() && x.shape[i] != 1)
      detail::fail("squeeze", "axis " + std::to_string(i) + " of shape " + to_string(x.shape) + " has not length 1");
    if (named && x.shape[i] == 1) continue;
    shape.push_back(x.shape[i]);
    strides.push_back(x.strides[i]);
  }
  return make_view(x, shape, strides, 0);
}

Array Array::expand_dims(const Axes& axes) const {
  const int result_ndim = ndim() + axes.list().size();
  if (result_ndim > Shape::max_ndim)
    detail::fail("expand_dims", "axes " + to_string(axes.list()) + " make shape " + to_string(shape()) + " longer than " +
                                    std::to_string(Shape::max_ndim) + " axes");
  const std::uint32_t mask = axes.given() ? detail::axes_mask("expand_dims", axes, result_ndim) : 0;
  const Node& x = ready_for_view("expand_dims", *this);
  Shape shape, strides;
  for (int i = 0, from = 0; i < result_ndim; ++i) {
    const bool added = mask >> i & 1;
    shape.push_back(added ? 1 : x.shape[from]);
    strides.push_back(added ? 0 : x.strides[from]);
    from += !added;
  }
  return make_view(x, shape, strides, 0);
}

Array Array::broadcast_to(const Shape& target) const {
  Shape shape = target;
  detail::element_count("broadcast_to", target);
  if (ndim() > target.size() || !detail::broadcast_into(shape, this->shape()) || !(shape == target))
    detail::fail("broadcast_to", "shape " + to_string(this->shape()) + " does not broadcast to " + to_string(target));
  const Node& x = ready_for_view("broadcast_to", *this);
  return make_view(x, target, detail::broadcast_strides(x.shape, x.strides, target), 0);
}

Array Array::flip(const Axes& axes) const {
  const std::uint32_t mask = detail::axes_mask("flip", axes, ndim());
  const Node& x = ready_for_view("flip", *this);
  Shape strides = x.strides;
  std::int64_t offset = 0;
  for (int i = 0; i < x.shape.size(); ++i) {
    if (!(mask >> i & 1) || x.shape[i] == 0) continue;
    offset += (x.shape[i] - 1) * strides[i];
    strides[i] = -strides[i];
  }
  return make_view(x, x.shape, strides, offset);
}

Array Array::moveaxis(int source, int destination) const {
  const detail::FunctionName function("moveaxis");
  const int from = detail::normalize_axis(function, source, ndim());
  const int to = detail::normalize_axis(function, destination, ndim());
  Shape axes;
  for (int i = 0; i < ndim(); ++i)
    if (i != from) axes.push_back(i);
  axes.push_back(0);
  for (int i = ndim() - 1; i > to; --i) axes[i] = axes[i - 1];
  axes[to] = from;
  return permute(axes);
}

}  // namespace tandem
