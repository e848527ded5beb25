// The kernels of gather and scatter.
#pragma once

#include <vector_types.h>

#include <tandem/scalar.h>

#include "runs.hpp"

namespace tandem::cuda {
namespace {

using scalar::i64;
using scalar::u32;
using scalar::u64;

constexpr int gather_threads = 256;
constexpr int elements_at_once = 4;  // of a thread

/// n := n / length; returns the rest. Divisions of 64 bits are slow.
__device__ i64 split(i64& n, i64 length) {
  if ((u64(n) | u64(length)) >> 32 == 0) {
    const u32 quotient = u32(n) / u32(length), rest = u32(n) - quotient * u32(length);
    n = quotient;
    return rest;
  }
  const i64 quotient = n / length, rest = n - quotient * length;
  n = quotient;
  return rest;
}

__device__ i64 offset_of(const Axes& axes, i64 number) {
  i64 offset = 0;
  for (int axis = axes.n - 1; axis > 0; --axis) offset += split(number, axes.lengths[axis]) * axes.strides[axis];
  return axes.n > 0 ? offset + number * axes.strides[0] : 0;
}

/// The parts of a row's number.
struct Place {
  i64 o, p, i;
  __device__ Place(const Runs& runs, i64 row)
      : o(row), i(runs.inner.n > 0 ? split(o, runs.inner_count) : 0) {
    if (runs.outer.n > 0) {
      p = split(o, runs.positions);
    } else {
      p = o;
      o = 0;
    }
  }
};

__device__ i64 offset_around(const Runs& runs, const Place& place) {
  return offset_of(runs.outer, place.o) + offset_of(runs.inner, place.i);
}

/// What `index` stands for.
__device__ i64 offset_from(const Indexed& indexed, i64 index) {
  index = index < 0 ? index + indexed.length : index;
  if (indexed.outside != nullptr && u64(index) >= u64(indexed.length)) {
    *indexed.outside = 1;
    index = 0;
  }
  return index * indexed.stride;
}

__device__ i64 indexed_offset(const Indexed& indexed, i64 p) { return offset_from(indexed, indexed.indices[p]); }

/// Calls body(row, unit of the row) for every unit.
template <class Body>
__device__ void for_unit(const Runs& runs, Body body) {
  const i64 number = i64(blockIdx.x) * gather_threads + threadIdx.x;
  if (number >= runs.rows * runs.units) return;
  i64 row = number;
  const i64 unit = runs.units > 1 ? split(row, runs.units) : 0;
  body(row, unit);
}

/// Positions alone, a unit each. Indices and results pass through once: x is what should stay in the caches.
template <class U>
__global__ void __launch_bounds__(gather_threads) gather_elements(Runs runs, const U* x, U* out) {
  const i64 first = i64(blockIdx.x) * (gather_threads * elements_at_once) + threadIdx.x;
  i64 indices[elements_at_once], offsets[elements_at_once];
  U elements[elements_at_once];
#pragma unroll
  for (int k = 0; k < elements_at_once; ++k) {
    const i64 p = first + k * gather_threads;
    indices[k] = __ldcs(&runs.indexed.indices[p < runs.positions ? p : runs.positions - 1]);
  }
#pragma unroll
  for (int k = 0; k < elements_at_once; ++k) offsets[k] = offset_from(runs.indexed, indices[k]);
#pragma unroll
  for (int k = 0; k < elements_at_once; ++k) elements[k] = x[offsets[k]];
#pragma unroll
  for (int k = 0; k < elements_at_once; ++k) {
    const i64 p = first + k * gather_threads;
    if (p < runs.positions) __stcs(&out[p], elements[k]);
  }
}

template <class U>
__global__ void __launch_bounds__(gather_threads) gather_units(Runs runs, const U* x, U* out) {
  for_unit(runs, [&](i64 row, i64 unit) {
    const Place place(runs, row);
    out[row * runs.units + unit] = x[offset_around(runs, place) + indexed_offset(runs.indexed, place.p) + unit];
  });
}

/// No two rows have one place.
template <class U>
__global__ void __launch_bounds__(gather_threads) scatter_units(Runs runs, Axes values, const U* from, U* x) {
  for_unit(runs, [&](i64 row, i64 unit) {
    const Place place(runs, row);
    x[offset_around(runs, place) + indexed_offset(runs.indexed, place.p) + unit] = from[offset_of(values, row) + unit];
  });
}

/// Adds what one of several index arrays says to offsets[0, count), or starts with it.
__global__ void __launch_bounds__(gather_threads)
    add_offsets(Axes axes, Indexed indexed, bool starts, i64 count, i64* offsets) {
  const i64 p = i64(blockIdx.x) * gather_threads + threadIdx.x;
  if (p >= count) return;
  const i64 at = offset_of(axes, p);
  const i64 offset = indexed.indices != nullptr ? indexed_offset(indexed, at) : at * indexed.stride;
  offsets[p] = starts ? offset : offsets[p] + offset;
}

/// Targets in the order of their offsets, those of one offset in the order of their positions: words of the offset above
/// `low` in the high bits and the position in the low ones.
template <class Word>
struct Sorted {
  const Word* words;
  i64 low;
  int position_bits;

  __device__ i64 key(i64 j) const { return i64(u64(words[j] >> position_bits)); }
  __device__ i64 position(i64 j) const { return i64(u64(words[j]) & ((u64(1) << position_bits) - 1)); }
};

template <class Word>
__global__ void __launch_bounds__(gather_threads)
    make_targets(Indexed indexed, i64 count, i64 low, int position_bits, Word* words) {
  const i64 p = i64(blockIdx.x) * gather_threads + threadIdx.x;
  if (p < count) words[p] = Word(u64(indexed_offset(indexed, p) - low)) << position_bits | Word(u64(p));
}

/// Row of the values for the place that is j-th in sorted order.
template <class Word>
__device__ i64 value_row(const Runs& runs, const Sorted<Word>& sorted, const Place& place, i64 j) {
  return (place.o * runs.positions + sorted.position(j)) * runs.inner_count + place.i;
}

/// Of several values for one place the last one stays.
template <class U, class Word>
__global__ void __launch_bounds__(gather_threads)
    scatter_last_units(Runs runs, Sorted<Word> sorted, Axes values, const U* from, U* x) {
  for_unit(runs, [&](i64 row, i64 unit) {
    const Place place(runs, row);
    const i64 j = place.p, key = sorted.key(j);
    if (j + 1 < runs.positions && sorted.key(j + 1) == key) return;
    x[offset_around(runs, place) + key + sorted.low + unit] =
        from[offset_of(values, value_row(runs, sorted, place, j)) + unit];
  });
}

/// The thread of the first value for a place adds all of them, in their order.
template <class T, class Word>
__global__ void __launch_bounds__(gather_threads)
    scatter_add_elements(Runs runs, Sorted<Word> sorted, Axes values, const T* from, T* x) {
  using namespace scalar;
  for_unit(runs, [&](i64 row, i64 unit) {
    const Place place(runs, row);
    i64 j = place.p;
    const i64 key = sorted.key(j);
    if (j > 0 && sorted.key(j - 1) == key) return;
    T* const target = x + offset_around(runs, place) + key + sorted.low + unit;
    T sum = *target;
    do {
      const T value = from[offset_of(values, value_row(runs, sorted, place, j)) + unit];
      sum = cast<T>(add(cast<compute_t<T>>(sum), cast<compute_t<T>>(value)));
    } while (++j < runs.positions && sorted.key(j) == key);
    *target = sum;
  });
}

}  // namespace
}  // namespace tandem::cuda
