// xtensor arrays in and out. The only header that needs xtensor; include it yourself.
//
//     xt::xarray<double> table = xt::random::randn<double>({1000, 4});
//     td::Array a = td::from_xtensor(std::move(table));   // no copy on the CPU
//     auto view = td::as_xtensor<double>(a);               // no copy either
//     xt::xarray<float> host = td::to_xtensor<float>(a);   // a copy, cast
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xstrided_view.hpp>

#include <tandem/array.hpp>

namespace tandem {
namespace detail {

/// A container with memory of its own that can be moved away: xarray, xtensor, xtensor_fixed, but no view or adaptor.
template <class E>
concept XtensorContainer = requires(E& e) {
  e.data();
  e.strides();
  typename E::storage_type;
} && xt::has_data_interface<E>::value && std::is_same_v<E, typename E::temporary_type>;

template <class Sequence> Shape shape_from(const Sequence& sequence) {
  Shape shape;
  for (const auto n : sequence) shape.push_back(static_cast<std::int64_t>(n));
  return shape;
}

template <class Size> std::vector<Size> sizes_from(const Shape& shape) {
  return std::vector<Size>(shape.begin(), shape.end());
}

template <class Container> Array adopt_container(std::shared_ptr<Container> owner, const Device& device) {
  using T = typename Container::value_type;
  const Shape shape = shape_from(owner->shape()), strides = shape_from(owner->strides());
  T* data = owner->data();
  return Array::adopt(data, dtype_of_v<T>, shape, strides, std::move(owner), device);
}

}  // namespace detail

/// The elements of an xtensor expression, evaluated once, on a device. A container that is moved in is adopted without
/// a copy, whatever its layout and strides, if the device shares the host's memory.
template <class E>
  requires xt::is_xexpression<std::decay_t<E>>::value && Element<typename std::decay_t<E>::value_type>
Array from_xtensor(E&& expression, const Device& device = Device()) {
  using Expression = std::decay_t<E>;
  using T = typename Expression::value_type;
  if constexpr (std::is_rvalue_reference_v<E&&> && !std::is_const_v<std::remove_reference_t<E>> &&
                detail::XtensorContainer<Expression>) {
    if (device.shares_host_memory())
      return detail::adopt_container(std::make_shared<Expression>(std::move(expression)), device);
  }
  const xt::xarray<T, xt::layout_type::row_major> rows(expression);
  return Array(std::span<const T>(rows.data(), rows.size()), detail::shape_from(rows.shape()), {.device = device});
}

/// A container that others keep using: adopted without a copy if the device shares the host's memory, else copied.
/// Adopted, it is common memory: the array sees changes of the elements, and writing to the array writes them, as long
/// as no other array or expression shares the memory. Throws Error for a null pointer.
template <detail::XtensorContainer Container>
  requires Element<typename Container::value_type>
Array from_xtensor(std::shared_ptr<Container> container, const Device& device = Device()) {
  if (!container) throw Error("from_xtensor: the pointer is null");
  if (!device.shares_host_memory()) return from_xtensor(*container, device);
  return detail::adopt_container(std::move(container), device);
}

/// A copy of the elements, cast to T as astype would.
template <Element T> xt::xarray<T> to_xtensor(const Array& array) {
  xt::xarray<T, xt::layout_type::row_major> result;
  result.resize(detail::sizes_from<std::size_t>(array.shape()));
  array.copy_to(std::span<T>(result.data(), result.size()));
  return result;
}

/// A read-only xtensor view of the array's own memory, without a copy, with the array's strides; it keeps the memory
/// alive. Later writes to the array go to a copy of their own, so that the view never changes. Evaluates the array and
/// waits for its device. Throws Error, naming the dtypes, if T is not the array's dtype, and if the device does not share
/// the host's memory.
template <Element T> auto as_xtensor(const Array& array) {
  if (array.dtype() != dtype_of_v<T>) {
    throw Error("as_xtensor: array of dtype " + std::string(name(array.dtype())) + " viewed as " +
                std::string(name(dtype_of_v<T>)) + "; to_xtensor copies and casts");
  }
  const Device device = array.device();
  if (!device.shares_host_memory())
    throw Error("as_xtensor: device " + device.name() + " does not share the host's memory; to_xtensor copies");
  // The elements from the lowest to the highest address are one line, of which the array is a strided part.
  auto owner = std::make_shared<const Array>(array);
  const auto* first = static_cast<const T*>(owner->data());
  const Shape strides = owner->strides();
  std::int64_t below = 0, above = 0;
  for (int axis = 0; axis < strides.size(); ++axis) {
    const std::int64_t reach = std::max<std::int64_t>(owner->shape()[axis] - 1, 0) * strides[axis];
    (reach < 0 ? below : above) += reach;
  }
  const std::size_t length = owner->size() == 0 ? 0 : static_cast<std::size_t>(above - below + 1);
  device.synchronize();
  auto line = xt::adapt_smart_ptr(first + below, std::vector<std::size_t>{length}, std::move(owner));
  return xt::strided_view(std::move(line), detail::sizes_from<std::size_t>(array.shape()),
                          detail::sizes_from<std::ptrdiff_t>(strides), static_cast<std::size_t>(-below),
                          xt::layout_type::dynamic);
}

}  // namespace tandem
