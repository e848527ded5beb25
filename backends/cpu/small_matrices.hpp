// Small matrices: own kernels, for real ones of a stack several at a time in the lanes of vectors.
#pragma once

#include "factorization.hpp"
#include "isa.hpp"
#include "lane_kernels.hpp"
#include "single_kernels.hpp"

namespace tandem::cpu {

inline const SingleKernels& single_kernels() noexcept {
  return isa() == Isa::v4 ? v4::single_kernels : isa() == Isa::v3 ? v3::single_kernels : v2::single_kernels;
}

template <class T>
constexpr bool has_lanes = !Lapack<T>::is_complex;

template <class T>
const LaneKernels<T>& lane_kernels() noexcept {
  const LaneTable& table = isa() == Isa::v4 ? v4::lane_table : isa() == Isa::v3 ? v3::lane_table : v2::lane_table;
  if constexpr (std::is_same_v<T, float>) return table.s;
  else return table.d;
}

/// Whether a stack of small matrices fills the lanes.
template <class T>
bool fills_lanes(const Inputs<T>& from) noexcept {
  if constexpr (has_lanes<T>) return from.count() >= lane_kernels<T>().lanes;
  else return false;
}

/// Fills a matrix of vectors from matrices [begin, end) of a stack, each transposed if asked; the last one fills the
/// lanes that are left.
template <class T>
void gather(const Inputs<T>& from, bool transposed, int64_t begin, int64_t end, T* to) noexcept {
  const LaneKernels<T>& kernels = lane_kernels<T>();
  const T* at[most_lanes];
  for (int64_t lane = 0; lane < kernels.lanes; ++lane) at[lane] = from.elements(std::min(begin + lane, end - 1));
  const Matrix& x = from.first();
  if (transposed) kernels.gather(at, {x.column_stride, x.row_stride}, x.columns, x.rows, to);
  else kernels.gather(at, {x.row_stride, x.column_stride}, x.rows, x.columns, to);
}

/// Writes matrices [begin, end) of an output, whose matrices lie one behind the other.
template <class T>
void scatter(const T* from, int64_t rows, int64_t columns, const td_view& to, Places places, int64_t begin,
             int64_t end) noexcept {
  T* at[most_lanes];
  for (int64_t number = begin; number < end; ++number) at[number - begin] = output<T>(to, number, rows * columns);
  lane_kernels<T>().scatter(from, rows, columns, at, places, end - begin);
}

}  // namespace tandem::cpu
