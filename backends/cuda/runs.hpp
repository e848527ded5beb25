// How gather and scatter see their operands: runs of contiguous memory at places that index arrays name.
#pragma once

#include <cstdint>

#include <tandem/backend.h>

namespace tandem::cuda {

/// Axes of a view, neighbours merged where strides allow; none stands for a single element.
struct Axes {
  int n = 0;
  std::int64_t lengths[TD_MAX_NDIM], strides[TD_MAX_NDIM];

  void add(std::int64_t length, std::int64_t stride);
  std::int64_t count() const;
};

/// Offsets that an array makes: element v stands for v * stride, or (v + length) * stride if it is negative.
struct Indexed {
  const std::int64_t* indices;
  std::int64_t length, stride;
  /// Becomes 1 by an element outside [-length, length), which then stands for 0. Null: all are known to be inside.
  std::uint32_t* outside = nullptr;
};

/// Rows (o, p, i) of `units` units that lie one after the other. Offsets and strides count units.
struct Runs {
  Axes outer, inner;
  std::int64_t positions, inner_count, units, rows;
  Indexed indexed;

  std::int64_t count() const { return rows * units; }
};

/// What a gather or scatter moves at a time: as many bytes as runs and alignments allow, at most 16.
struct Movement {
  Runs runs;          // in x; `indexed` is left to the caller
  Axes values;        // rows of the values, in units
  int unit_bytes;

  /// `values` is out or the values, of shape (o, p, i). With `whole_elements` a unit is an element.
  Movement(const td_view& x, int axis, int n_indices, const td_view& positions, const td_view& values,
           bool whole_elements);
};

}  // namespace tandem::cuda
