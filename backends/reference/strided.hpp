// Strided arrays as xtensor sees them. Strides may be zero or negative; a data pointer addresses element 0.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include <xtensor/xadapt.hpp>
#include <xtensor/xgenerator.hpp>

#include <tandem/backend.h>

namespace tandem::reference {

/// The offset of an element, counted in elements: the sum of position times stride over the axes.
struct OffsetOf {
  std::vector<std::int64_t> strides;

  template <class Iterator>
  std::int64_t element(Iterator first, Iterator last) const {
    const auto times = [](std::size_t position, std::int64_t stride) {
      return static_cast<std::int64_t>(position) * stride;
    };
    return std::inner_product(first, last, strides.begin(), std::int64_t{0}, std::plus<>(), times);
  }
};

/// Visits the offsets of an array's elements in row-major order, over its axes [first, last).
class Walk {
 public:
  Walk(const std::int64_t* shape, const std::int64_t* strides, int first, int last)
      : offsets_(OffsetOf{{strides + first, strides + last}}, Shape(shape + first, shape + last)) {
    restart();
  }
  Walk(const Walk&) = delete;

  std::int64_t offset() const { return *at_; }
  void next() { ++at_; }
  void restart() { at_ = offsets_.begin<xt::layout_type::row_major>(); }
  std::int64_t size() const { return static_cast<std::int64_t>(offsets_.size()); }

 private:
  using Shape = xt::dynamic_shape<std::size_t>;
  using Offsets = xt::xgenerator<OffsetOf, std::int64_t, Shape>;

  Offsets offsets_;
  decltype(std::declval<const Offsets&>().begin<xt::layout_type::row_major>()) at_;
};

/// The last `axes` axes of a view as a tensor, from the element at `offset` on.
template <class T, std::size_t axes>
auto last_axes(const td_view& view, std::int64_t offset) {
  std::array<std::size_t, axes> shape;
  std::array<std::ptrdiff_t, axes> strides;
  std::copy_n(view.shape + view.ndim - axes, axes, shape.begin());
  std::copy_n(view.strides + view.ndim - axes, axes, strides.begin());
  const std::size_t size = std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  return xt::adapt(static_cast<T*>(view.data) + offset, size, xt::no_ownership(), shape, strides);
}

}  // namespace tandem::reference
