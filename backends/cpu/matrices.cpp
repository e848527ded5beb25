#include "matrices.hpp"

#include <algorithm>
#include <bit>
#include <climits>

#include "kernels.hpp"
#include "parallel.hpp"

namespace tandem::cpu {

int64_t item_size(td_dtype dtype) noexcept {
  constexpr int64_t sizes[] = {
#define X(NAME, type, text, bytes) bytes,
      TD_DTYPES(X)
#undef X
  };
  return sizes[dtype];
}

Matrix first_matrix(const td_view& view) noexcept {
  const int64_t *shape = view.shape + view.ndim - 2, *strides = view.strides + view.ndim - 2;
  return {static_cast<const char*>(view.data), shape[0], shape[1], strides[0], strides[1]};
}

Batch::Batch(const td_view& a, const td_view& b) noexcept {
  for (int i = 0; i < a.ndim - 2; ++i) {
    const int64_t length = a.shape[i];
    if (length == 1) continue;
    count_ *= length;
    if (axes_ > 0 && a_strides_[axes_ - 1] == length * a.strides[i] && b_strides_[axes_ - 1] == length * b.strides[i])
      --axes_;
    else
      shape_[axes_] = 1;
    shape_[axes_] *= length;
    a_strides_[axes_] = a.strides[i];
    b_strides_[axes_] = b.strides[i];
    ++axes_;
  }
}

Batch::Offsets Batch::offsets_along_axes(int64_t index) const noexcept {
  Offsets result{0, 0};
  for (int i = axes_ - 1; i >= 0; --i) {
    const int64_t rest = i == 0 ? 0 : index / shape_[i], position = index - rest * shape_[i];
    result.a += position * a_strides_[i];
    result.b += position * b_strides_[i];
    index = rest;
  }
  return result;
}

bool Batch::move_into_rows(Matrix& a) noexcept {
  if (axes_ == 0 || b_strides_[axes_ - 1] != 0) return false;
  const int64_t length = shape_[axes_ - 1], stride = a_strides_[axes_ - 1];
  if (length > INT_MAX / a.rows) return false;
  if (a.rows == 1)
    a.row_stride = stride;
  else if (stride != a.rows * a.row_stride)
    return false;
  a.rows *= length;
  count_ /= length;
  --axes_;
  return true;
}

void pack(const Matrix& from, int64_t item, void* to) noexcept {
  const auto copy = kernels().movers->copy[std::countr_zero(uint64_t(item))];
  constexpr int64_t tile = 64;  // of a transposed matrix: neither side misses the cache on every element
  const int64_t width = from.column_stride == 1 ? from.columns : tile;
  const int64_t grain = std::max(tile, (int64_t{1} << 16) / from.columns / tile * tile);
  parallel_for(from.rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += tile)
      for (int64_t j = 0; j < from.columns; j += width)
        copy(static_cast<char*>(to) + (i * from.columns + j) * item, from.columns, 1,
             from.data + (i * from.row_stride + j * from.column_stride) * item, from.row_stride, from.column_stride,
             std::min(tile, end - i), std::min(width, from.columns - j));
  });
}

}  // namespace tandem::cpu
