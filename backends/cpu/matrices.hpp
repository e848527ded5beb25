// Stacks of matrices in strided memory, as products and factorizations see them.
#pragma once

#include <algorithm>
#include <atomic>
#include <optional>

#include <tandem/backend.h>

#include "blas.hpp"
#include "parallel.hpp"

namespace tandem::cpu {

/// Bytes of an element.
int64_t item_size(td_dtype dtype) noexcept;

/// One matrix; strides count elements.
struct Matrix {
  const char* data;
  int64_t rows, columns, row_stride, column_stride;

  bool is_contiguous() const noexcept {
    return (columns == 1 || column_stride == 1) && (rows == 1 || row_stride == columns);
  }
};

/// The last two axes of a view, at the start of its batch.
Matrix first_matrix(const td_view& view) noexcept;

/// The axes before the last two of one or two views of equal batch shape, merged where both allow.
class Batch {
 public:
  explicit Batch(const td_view& a) noexcept : Batch(a, a) {}
  Batch(const td_view& a, const td_view& b) noexcept;

  int64_t count() const noexcept { return count_; }

  /// Where matrix `index` of the first and of the second view starts, in elements.
  struct Offsets {
    int64_t a, b;
  };
  Offsets offsets(int64_t index) const noexcept {
    return axes_ == 1 ? Offsets{index * a_strides_[0], index * b_strides_[0]} : offsets_along_axes(index);
  }

  /// Moves the last axis into the rows of `a` if all its matrices, one below the other, are one matrix that BLAS can
  /// count and b is the same for each of them.
  bool move_into_rows(Matrix& a) noexcept;

 private:
  Offsets offsets_along_axes(int64_t index) const noexcept;

  int axes_ = 0;
  int64_t count_ = 1;
  int64_t shape_[TD_MAX_NDIM], a_strides_[TD_MAX_NDIM], b_strides_[TD_MAX_NDIM];
};

/// Copies a matrix into contiguous rows.
void pack(const Matrix& from, int64_t item, void* to) noexcept;

/// Multiplications from which one matrix can have all threads.
inline constexpr double large_work = 256.0 * 256 * 256;

/// Calls body(begin, end) for ranges of `count` matrices that take `work` multiplications each, in parallel, each by one
/// thread, also in BLAS (null: it is not used).
template <class Body>
void side_by_side(int64_t count, double work, const Blas* blas, Body&& body) {
  constexpr double worth_a_thread = 1 << 15;
  std::optional<SingleThreadedBlas> guard;
  if (blas) guard.emplace(*blas);
  parallel_for(count, std::max(int64_t{1}, int64_t(worth_a_thread / work)), [&](int64_t begin, int64_t end) {
    const OneThread inside;
    body(begin, end);
  });
}

/// Calls task(0), ..., task(count - 1), each by one thread, also in BLAS, in this order as threads become free.
template <class Task>
void in_turn(int64_t count, const Blas& blas, Task&& task) {
  std::atomic<int64_t> next{0};
  const SingleThreadedBlas guard(blas);
  parallel_for(std::min<int64_t>(count, thread_count()), 1, [&](int64_t, int64_t) {
    const OneThread inside;
    for (int64_t number; (number = next.fetch_add(1, std::memory_order_relaxed)) < count;) task(number);
  });
}

/// Many small ones side by side; else all in one range, so that body may use all threads.
template <class Body>
void for_matrices(int64_t count, double work, const Blas* blas, Body&& body) {
  if (count == 1 || count < thread_count() || work > large_work) return body(int64_t{0}, count);
  side_by_side(count, work, blas, body);
}

}  // namespace tandem::cpu
