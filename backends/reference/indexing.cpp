// gather, scatter and select: one element after the other, in row-major order.
#include <cstring>
#include <memory>
#include <vector>

#include "operations.hpp"
#include "strided.hpp"
#include "verbs.hpp"

namespace tandem::reference {

namespace {

/// The elements of x that gather and scatter visit, in order of the positions (o, p, i).
class Places {
 public:
  Places(const td_view& x, int axis, int n_indices, const td_view* indices)
      : x_(x), axis_(axis), outer_(x.shape, x.strides, 0, axis),
        inner_(x.shape, x.strides, axis + n_indices, x.ndim) {
    for (int k = 0; k < n_indices; ++k) {
      arrays_.push_back(static_cast<const int64_t*>(indices[k].data));
      walks_.push_back(std::make_unique<Walk>(indices[k].shape, indices[k].strides, 0, indices[k].ndim));
    }
  }

  /// Whether all indices were inside; others count as 0.
  bool inside() const { return inside_; }

  /// body(offset in x, number of the position)
  template <class Body>
  void for_each(Body body) {
    int64_t number = 0;
    outer_.restart();
    for (int64_t o = 0; o < outer_.size(); ++o, outer_.next()) {
      for (auto& walk : walks_) walk->restart();
      for (int64_t p = 0; p < walks_[0]->size(); ++p) {
        const int64_t indexed = outer_.offset() + indexed_offset();
        inner_.restart();
        for (int64_t i = 0; i < inner_.size(); ++i, inner_.next()) body(indexed + inner_.offset(), number++);
        for (auto& walk : walks_) walk->next();
      }
    }
  }

 private:
  int64_t indexed_offset() {
    int64_t offset = 0;
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
      const int axis = axis_ + static_cast<int>(k);
      const int64_t length = x_.shape[axis];
      const int64_t place = walks_[k]->offset(), index = arrays_[k] == nullptr ? place : arrays_[k][place];
      if (index >= -length && index < length)
        offset += (index < 0 ? index + length : index) * x_.strides[axis];
      else
        inside_ = false;
    }
    return offset;
  }

  const td_view& x_;
  const int axis_;
  bool inside_ = true;
  Walk outer_, inner_;
  std::vector<const int64_t*> arrays_;  // null: the index array of td_operand
  std::vector<std::unique_ptr<Walk>> walks_;
};

std::byte* at(const td_view& view, int64_t offset) {
  return static_cast<std::byte*>(view.data) + offset * static_cast<int64_t>(size_of(view.dtype));
}

Value load(const std::byte* place, std::size_t bytes) {
  Value value;
  std::memcpy(value.bytes, place, bytes);
  return value;
}

}  // namespace

td_status gather_checked(td_device*, const td_view* x, int32_t axis, int32_t n_indices, const td_view* indices,
                         const td_view* out, int32_t* inside, td_error* error) {
  return guarded(error, [&] {
    const std::size_t bytes = size_of(x->dtype);
    Places places(*x, axis, n_indices, indices);
    places.for_each([&](int64_t offset, int64_t number) { std::memcpy(at(*out, number), at(*x, offset), bytes); });
    *inside = places.inside();
  });
}

td_status gather(td_device* device, const td_view* x, int32_t axis, int32_t n_indices, const td_view* indices,
                 const td_view* out, td_error* error) {
  int32_t inside;
  return gather_checked(device, x, axis, n_indices, indices, out, &inside, error);
}

td_status scatter(td_device*, const td_view* x, int32_t axis, int32_t n_indices, const td_view* indices,
                  const td_view* values, td_scatter mode, td_error* error) {
  return guarded(error, [&] {
    const std::size_t bytes = size_of(x->dtype);
    const Operation add = find_operation(TD_OP_add, x->dtype);
    Walk from(values->shape, values->strides, 0, values->ndim);
    Places(*x, axis, n_indices, indices).for_each([&](int64_t offset, int64_t) {
      std::byte* const target = at(*x, offset);
      Value value = load(at(*values, from.offset()), bytes);
      if (mode == TD_SCATTER_ADD) value = add(load(target, bytes), value, {}, {});
      std::memcpy(target, value.bytes, bytes);
      from.next();
    });
  });
}

td_status select(td_device*, const td_view* x, const td_view* mask, const td_view* out, td_error* error) {
  return guarded(error, [&] {
    const std::size_t bytes = size_of(x->dtype);
    Walk elements(x->shape, x->strides, 0, x->ndim), conditions(mask->shape, mask->strides, 0, mask->ndim);
    int64_t count = 0;
    for (int64_t i = 0; i < elements.size(); ++i, elements.next(), conditions.next()) {
      if (*at(*mask, conditions.offset()) == std::byte{0}) continue;
      const int64_t place = elements.offset();
      std::memcpy(at(*out, count++), x->data == nullptr ? reinterpret_cast<const std::byte*>(&place) : at(*x, place),
                  bytes);
    }
  });
}

}  // namespace tandem::reference
