// Where the elements lie that gather and scatter move: offsets in the order of the positions (o, p, i) of backend.h,
// run by run.
#pragma once

#include <algorithm>
#include <cstdint>

#include <tandem/backend.h>

namespace tandem::cpu {

/// Offsets, in elements, of consecutive runs: memory that is contiguous at either end of the movement.
class Places {
 public:
  /// data null: the index array of td_operand.
  struct IndexArray {
    const int64_t* data;
    int64_t length, stride;            // of the axis of x that it indexes

    int64_t offset(int64_t index) const noexcept { return (index + (index >> 63 & length)) * stride; }
  };

  /// The places that index arrays name in x; the last `run_axes` axes of x are the run.
  Places(const td_view& x, int32_t axis, int32_t n_indices, const td_view* indices, int32_t run_axes) noexcept;
  /// The elements of a view but for its last `run_axes` axes.
  Places(const td_view& x, int32_t run_axes) noexcept : Places(x, x.ndim, 0, nullptr, run_axes) {}

  int64_t count() const noexcept { return count_; }

  /// The index array if that is all: run j is at what its element j says.
  const IndexArray* list() const noexcept {
    const bool alone = n_axes_ == 1 && n_indices_ == 1 && axes_[0].indices[0] == 1 && arrays_[0].data;
    return alone ? &arrays_[0] : nullptr;
  }

  /// The distance between neighbouring runs if there is no index array and it is one for all, the first at 0.
  const int64_t* step() const noexcept { return n_axes_ == 1 && n_indices_ == 0 ? &axes_[0].stride : nullptr; }

  /// offsets[j] = that of run first + j, for j < n
  void offsets(int64_t first, int64_t n, int64_t* offsets) const noexcept;

  /// Without index arrays: calls body(offset, step, length) for the runs first, ..., first + n - 1, row by row: as many
  /// runs as that length, the first one at the offset, one step from each other.
  template <class Body>
  void for_rows(int64_t first, int64_t n, Body body) const noexcept {
    int64_t coordinates[2 * TD_MAX_NDIM];
    find(first, coordinates);
    while (n > 0) {
      const int64_t length = next_length(coordinates, n);
      body(offset_of(coordinates), axes_[n_axes_ - 1].stride, length);
      advance(coordinates, length);
      n -= length;
    }
  }

 private:
  struct Axis {
    int64_t length, stride;            // in x, for axes that are not indexed
    int64_t indices[TD_MAX_NDIM];      // strides in the index arrays
  };

  void add(int64_t length, int64_t stride, const td_view* indices, int axis) noexcept;
  /// Coordinates of a run, and how a walk from them along the last axis goes on.
  void find(int64_t run, int64_t* coordinates) const noexcept;
  int64_t next_length(const int64_t* coordinates, int64_t n) const noexcept {
    return std::min(n, axes_[n_axes_ - 1].length - coordinates[n_axes_ - 1]);
  }
  void advance(int64_t* coordinates, int64_t n) const noexcept;
  /// Offset of the run there but for what index arrays say.
  int64_t offset_of(const int64_t* coordinates) const noexcept {
    int64_t offset = 0;
    for (int i = 0; i < n_axes_; ++i) offset += coordinates[i] * axes_[i].stride;
    return offset;
  }
  void row(const int64_t* coordinates, int64_t n, int64_t* offsets) const noexcept;

  int n_axes_ = 0, n_indices_;
  int64_t count_ = 1;
  Axis axes_[2 * TD_MAX_NDIM];
  IndexArray arrays_[TD_MAX_NDIM];
};

/// How many of the last axes of a view, at most `limit`, lie in memory as one contiguous run; its length goes to *run.
int32_t contiguous_axes(const td_view& x, int32_t limit, int64_t* run) noexcept;

}  // namespace tandem::cpu
