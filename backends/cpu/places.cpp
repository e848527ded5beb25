#include "places.hpp"

#include <algorithm>

namespace tandem::cpu {
namespace {

int64_t offset_at(const Places::IndexArray& array, int64_t place) noexcept {
  return array.offset(array.data ? array.data[place] : place);
}

}  // namespace

Places::Places(const td_view& x, int32_t axis, int32_t n_indices, const td_view* indices, int32_t run_axes) noexcept
    : n_indices_(n_indices) {
  for (int k = 0; k < n_indices; ++k)
    arrays_[k] = {static_cast<const int64_t*>(indices[k].data), x.shape[axis + k], x.strides[axis + k]};
  const int32_t end = x.ndim - run_axes;
  for (int i = 0; i < std::min(axis, end); ++i) add(x.shape[i], x.strides[i], nullptr, 0);
  for (int i = 0; n_indices > 0 && i < indices[0].ndim; ++i) add(indices[0].shape[i], 0, indices, i);
  for (int i = axis + n_indices; i < end; ++i) add(x.shape[i], x.strides[i], nullptr, 0);
  if (n_axes_ == 0) axes_[n_axes_++] = {1, 0, {}};
}

/// One more axis, merged with the one before it where all strides allow.
void Places::add(int64_t length, int64_t stride, const td_view* indices, int axis) noexcept {
  if (length == 1) return;
  count_ *= length;
  Axis added;
  added.length = length;
  added.stride = stride;
  for (int k = 0; k < n_indices_; ++k) added.indices[k] = indices ? indices[k].strides[axis] : 0;
  if (n_axes_ > 0) {
    Axis& last = axes_[n_axes_ - 1];
    bool mergeable = last.stride == stride * length;
    for (int k = 0; k < n_indices_; ++k) mergeable &= last.indices[k] == added.indices[k] * length;
    if (mergeable) {
      added.length *= last.length;
      last = added;
      return;
    }
  }
  axes_[n_axes_++] = added;
}

/// Offsets along the last axis from the coordinates on.
void Places::row(const int64_t* coordinates, int64_t n, int64_t* offsets) const noexcept {
  const Axis& last = axes_[n_axes_ - 1];
  int64_t base = offset_of(coordinates), places[TD_MAX_NDIM] = {};
  int varying = -1;  // the first index array that differs along the row
  for (int k = 0; k < n_indices_; ++k) {
    for (int i = 0; i < n_axes_; ++i) places[k] += coordinates[i] * axes_[i].indices[k];
    if (last.indices[k] == 0)
      base += offset_at(arrays_[k], places[k]);
    else if (varying < 0)
      varying = k;
  }
  if (varying < 0) {
    for (int64_t j = 0; j < n; ++j) offsets[j] = base + j * last.stride;
    return;
  }
  const int64_t first = places[varying], step = last.indices[varying];
  const IndexArray array = arrays_[varying];
  if (array.data)
    for (int64_t j = 0; j < n; ++j) offsets[j] = base + array.offset(array.data[first + j * step]);
  else
    for (int64_t j = 0; j < n; ++j) offsets[j] = base + array.offset(first + j * step);
  for (int k = varying + 1; k < n_indices_; ++k) {
    const int64_t step = last.indices[k];
    for (int64_t j = 0; step != 0 && j < n; ++j) offsets[j] += offset_at(arrays_[k], places[k] + j * step);
  }
}

void Places::find(int64_t run, int64_t* coordinates) const noexcept {
  for (int i = n_axes_ - 1; i >= 0; --i) {
    coordinates[i] = run % axes_[i].length;
    run /= axes_[i].length;
  }
}

void Places::advance(int64_t* coordinates, int64_t n) const noexcept {
  coordinates[n_axes_ - 1] += n;
  for (int i = n_axes_ - 1; i > 0 && coordinates[i] == axes_[i].length; --i) {
    coordinates[i] = 0;
    ++coordinates[i - 1];
  }
}

void Places::offsets(int64_t first, int64_t n, int64_t* offsets) const noexcept {
  int64_t coordinates[2 * TD_MAX_NDIM];
  find(first, coordinates);
  while (n > 0) {
    const int64_t length = next_length(coordinates, n);
    row(coordinates, length, offsets);
    advance(coordinates, length);
    n -= length;
    offsets += length;
  }
}

int32_t contiguous_axes(const td_view& x, int32_t limit, int64_t* run) noexcept {
  *run = 1;
  int32_t axes = 0;
  for (; axes < limit; ++axes) {
    const int32_t axis = x.ndim - 1 - axes;
    if (x.shape[axis] != 1 && x.strides[axis] != *run) break;
    *run *= x.shape[axis];
  }
  return axes;
}

}  // namespace tandem::cpu
