// LU factorization of large matrices by blocks of columns, with the next block factorized while the others still follow
// the last one (look-ahead; Kurzak, Dongarra: Implementing linear algebra routines on multi-core processors with
// pipelining and a look ahead, 2006). OpenBLAS 0.3.21 does not overlap the two: of n = 2,000 it made 0.11 TFLOP/s on 16
// cores. Each step is BLAS on one thread, on blocks that depend on the shape alone: so do the bits of the result.
#pragma once

#include <algorithm>
#include <atomic>

#include "blas.hpp"
#include "matrices.hpp"
#include "parallel.hpp"

namespace tandem::cpu {

/// Whether n x n matrices with k right sides are factorized by blocks, if not by kernels for small ones.
inline bool goes_by_blocks(int64_t n, int64_t k) noexcept {
  constexpr int64_t least_order = 129;
  return n >= least_order || double(n) * double(n) * double(k) >= large_work;
}

template <class T>
class BlockedLu {
 public:
  /// Of an n x n matrix column by column, and n x k right sides that lie likewise.
  BlockedLu(const Blas& blas, int64_t n, T* a, int* pivots, T* b = nullptr, int64_t k = 0)
      : blas_(blas), lapack_(blas.lapack<T>()), n_(n), k_(k), a_(a), b_(b), pivots_(pivots) {}

  /// Elimination with partial pivoting of the matrix and the right sides. Pivots count from 1, as LAPACK's. Returns
  /// whether none is 0.
  bool eliminate() {
    regular_ = true;
    in_turn(1, blas_, [&](int64_t) { factorize(0); });
    for (int64_t first = 0; first < n_; first += width()) {
      const int64_t end = std::min(first + width(), n_), next = std::min(end + width(), n_);
      const int64_t chunks = (n_ - next + chunk() - 1) / chunk(), right_chunks = (k_ + chunk() - 1) / chunk();
      in_turn((end < n_ ? 1 : 0) + chunks + right_chunks, blas_, [&](int64_t task) {
        if (end < n_ && task-- == 0) {
          follow(first, end, a_ + end * n_, next - end);
          factorize(end);
        } else if (task < chunks) {
          const int64_t column = next + task * chunk();
          follow(first, end, a_ + column * n_, std::min(chunk(), n_ - column));
        } else {
          const int64_t column = (task - chunks) * chunk();
          follow(first, end, b_ + column * n_, std::min(chunk(), k_ - column));
        }
      });
    }
    return regular_;
  }

  /// Exchanges rows of the lower factor by the pivots that came later: LAPACK's form.
  void complete() {
    in_turn((n_ - 1) / width(), blas_, [&](int64_t block) {
      exchange(a_ + block * width() * n_, width(), (block + 1) * width(), n_);
    });
  }

  /// Divides the right sides by the upper factor.
  void substitute() {
    if (k_ > chunk()) {
      in_turn((k_ + chunk() - 1) / chunk(), blas_, [&](int64_t task) {
        const int64_t column = task * chunk();
        divide("U", "N", 0, n_, b_ + column * n_, std::min(chunk(), k_ - column));
      });
      return;
    }
    constexpr int64_t worth_a_thread = 1 << 17;  // multiplications
    const int64_t height = std::max<int64_t>(256, worth_a_thread / (width() * k_));
    for (int64_t end = n_; end > 0;) {
      const int64_t first = (end - 1) / width() * width();
      in_turn(1, blas_, [&](int64_t) { divide("U", "N", first, end, b_, k_); });
      in_turn((first + height - 1) / height, blas_, [&](int64_t task) {
        const int64_t row = task * height;
        subtract_product(row, std::min(row + height, first), first, end, b_, k_);
      });
      end = first;
    }
  }

 private:
  // Wide enough for products at full speed, narrow enough for many threads to wait little for the factorization of one
  // block. Measured on 2 threads, and by the times of all steps for more of them.
  int64_t width() const noexcept { return n_ < 3000 ? 64 : 128; }
  int64_t chunk() const noexcept { return n_ < 1000 ? 64 : 128; }

  /// LU of the columns of a block, from its diagonal on.
  void factorize(int64_t first) {
    const int order = int(n_), rows = int(n_ - first), columns = int(std::min(width(), n_ - first));
    int info = 0;
    lapack_.getrf(&rows, &columns, a_ + first * n_ + first, &order, pivots_ + first, &info);
    for (int i = 0; i < columns; ++i) pivots_[first + i] += int(first);
    if (info != 0) regular_ = false;
  }

  /// Does to other columns what the factorization of the block [first, end) did to it.
  void follow(int64_t first, int64_t end, T* columns, int64_t count) {
    exchange(columns, count, first, end);
    divide("L", "U", first, end, columns, count);
    subtract_product(end, n_, first, end, columns, count);
  }

  void exchange(T* columns, int64_t count, int64_t first, int64_t end) {
    const int order = int(n_), width = int(count), from = int(first) + 1, to = int(end), step = 1;
    lapack_.laswp(&width, columns, &order, &from, &to, pivots_, &step);
  }

  /// Rows [first, end) of columns divided by the triangle of the matrix in them.
  void divide(const char* triangle, const char* diagonal, int64_t first, int64_t end, T* columns, int64_t count) {
    const int order = int(n_), rows = int(end - first), width = int(count);
    const T one = 1;
    lapack_.trsm("L", triangle, "N", diagonal, &rows, &width, &one, a_ + first * n_ + first, &order, columns + first,
                 &order, 1, 1, 1, 1);
  }

  /// Subtracts from rows [row, last) of columns those of the matrix times rows [first, end).
  void subtract_product(int64_t row, int64_t last, int64_t first, int64_t end, T* columns, int64_t count) {
    if (row == last) return;
    const int order = int(n_), rows = int(last - row), width = int(count), inner = int(end - first);
    const T one = 1, minus_one = -1;
    lapack_.gemm("N", "N", &rows, &width, &inner, &minus_one, a_ + first * n_ + row, &order, columns + first, &order,
                 &one, columns + row, &order, 1, 1);
  }

  const Blas& blas_;
  const Lapack<T>& lapack_;
  const int64_t n_, k_;
  T *const a_, *const b_;
  int* const pivots_;
  std::atomic<bool> regular_{true};
};

}  // namespace tandem::cpu
