#include "runs.hpp"

#include <numeric>

#include "packing.hpp"

namespace tandem::cuda {
namespace {

/// How many of the last axes of a view, at most `limit`, lie in memory as one run; its length goes to *run.
int contiguous_axes(const td_view& x, int limit, std::int64_t* run) {
  *run = 1;
  int axes = 0;
  for (; axes < limit; ++axes) {
    const int axis = x.ndim - 1 - axes;
    if (x.shape[axis] != 1 && x.strides[axis] != *run) break;
    *run *= x.shape[axis];
  }
  return axes;
}

/// The largest power of two, at most 16, that divides where the view's runs begin, in bytes.
std::int64_t alignment(const td_view& x, int run_axes) {
  std::int64_t bits = std::int64_t(reinterpret_cast<std::uintptr_t>(x.data)) | 16;
  for (int axis = 0; axis < x.ndim - run_axes; ++axis)
    if (x.shape[axis] != 1) bits |= x.strides[axis] * item_bytes(x.dtype);
  return bits & -bits;
}

}  // namespace

void Axes::add(std::int64_t length, std::int64_t stride) {
  if (length == 1) return;
  if (n > 0 && strides[n - 1] == stride * length) {
    lengths[n - 1] *= length;
    strides[n - 1] = stride;
  } else {
    lengths[n] = length;
    strides[n++] = stride;
  }
}

std::int64_t Axes::count() const { return std::accumulate(lengths, lengths + n, std::int64_t{1}, std::multiplies<>()); }

Movement::Movement(const td_view& x, int axis, int n_indices, const td_view& positions, const td_view& values_view,
                   bool whole_elements) {
  const std::int64_t item = item_bytes(x.dtype);
  std::int64_t run;
  int run_axes = contiguous_axes(x, x.ndim - axis - n_indices, &run);
  run_axes = contiguous_axes(values_view, run_axes, &run);
  const std::int64_t divides = (run * item) | alignment(x, run_axes) | alignment(values_view, run_axes);
  const std::int64_t widest = divides & -divides;
  unit_bytes = int(whole_elements ? item : widest);

  const auto units = [&](std::int64_t stride) { return stride * item / unit_bytes; };
  for (int i = 0; i < axis; ++i) runs.outer.add(x.shape[i], units(x.strides[i]));
  for (int i = axis + n_indices; i < x.ndim - run_axes; ++i) runs.inner.add(x.shape[i], units(x.strides[i]));
  for (int i = 0; i < values_view.ndim - run_axes; ++i) values.add(values_view.shape[i], units(values_view.strides[i]));
  runs.positions = element_count(positions);
  runs.inner_count = runs.inner.count();
  runs.units = run * item / unit_bytes;
  runs.rows = runs.outer.count() * runs.positions * runs.inner_count;
}

}  // namespace tandem::cuda
