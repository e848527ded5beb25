// What the factorizations by LAPACK share.
#pragma once

#include <atomic>
#include <climits>
#include <cmath>
#include <type_traits>

#include "blas.hpp"
#include "matrices.hpp"
#include "verbs.hpp"

namespace tandem::cpu {

/// Calls body(*blas, T()) for the element type of a factorization, if there is a library and it can count the lengths
/// of the matrices.
template <class Body>
td_status with_lapack(const td_view& a, td_error* error, Body&& body) {
  const Blas* library = blas(error);
  if (!library) return TD_UNAVAILABLE;
  const int64_t longest = std::max(a.shape[a.ndim - 1], a.shape[a.ndim - 2]);
  if (longest > INT_MAX)
    return fail(error, TD_NOT_SUPPORTED, "matrices with sides of %lld: LAPACK counts in 32 bits",
                static_cast<long long>(longest));
  switch (a.dtype) {
    case TD_FLOAT32: return body(*library, float());
    case TD_FLOAT64: return body(*library, double());
    case TD_COMPLEX64: return body(*library, Complex64());
    case TD_COMPLEX128: return body(*library, Complex128());
    default: return fail(error, TD_NOT_SUPPORTED, "only for float32, float64, complex64 and complex128");
  }
}

/// The matrices of a stack, as factorizations read them.
template <class T>
class Inputs {
 public:
  explicit Inputs(const td_view& view) noexcept : first_(first_matrix(view)), batch_(view) {}
  int64_t count() const noexcept { return batch_.count(); }
  const Matrix& first() const noexcept { return first_; }
  /// Where a matrix starts.
  const T* elements(int64_t number) const noexcept {
    return reinterpret_cast<const T*>(first_.data) + batch_.offsets(number).a;
  }
  Matrix matrix(int64_t number) const noexcept {
    Matrix result = first_;
    result.data = reinterpret_cast<const char*>(elements(number));
    return result;
  }
  /// Copies a matrix column by column.
  void copy(int64_t number, T* to) const noexcept {
    const Matrix x = matrix(number);
    pack({x.data, x.columns, x.rows, x.column_stride, x.row_stride}, sizeof(T), to);
  }

 private:
  Matrix first_;
  Batch batch_;
};

/// Matrix or vector `number` of an output.
template <class T>
T* output(const td_view& view, int64_t number, int64_t elements) noexcept {
  return static_cast<T*>(view.data) + number * elements;
}

/// Arrays side by side in one block of memory.
class Layout {
 public:
  /// Where `count` elements will start.
  template <class T>
  int64_t add(int64_t count) noexcept {
    const int64_t at = bytes_;
    bytes_ += (std::max<int64_t>(count, 1) * int64_t(sizeof(T)) + TD_ALIGNMENT - 1) / TD_ALIGNMENT * TD_ALIGNMENT;
    return at;
  }
  int64_t bytes() const noexcept { return bytes_; }

 private:
  int64_t bytes_ = 0;
};

/// What LAPACK's answer to a question for the length of `work` means: float32 may have rounded it down.
template <class T>
int work_length(T answer) noexcept {
  const auto length = std::real(answer);
  return int(std::ceil(length + length * std::numeric_limits<decltype(std::real(answer))>::epsilon()));
}

/// What one matrix takes: multiplications, and whether they are enough for several threads of BLAS. A team of threads
/// meets at each of its many small steps. That takes longer than the steps of a small matrix, and milliseconds where
/// other programs use the same processors.
struct Effort {
  double work;
  bool worth_threads;
};

/// Of factorizations that mostly multiply matrices. Two threads against one, milliseconds: cholesky of n = 64: 0.0130,
/// 0.0107; 128: 0.048, 0.046; 256: 0.22, 0.24; 512: 1.21, 1.72; solve 96: 0.053, 0.052; 256: 0.44, 0.56; 512: 2.4, 3.6;
/// two of which each shares its processor, solve 256: 31, 0.56.
inline Effort of_products(double work) noexcept { return {work, work >= large_work}; }

/// Of factorizations of m x n matrices in `factor` m n min(m, n) multiplications, half of them by vectors. Two threads
/// against one, milliseconds: qr 128: 0.58, 0.56; 256: 2.6, 2.7; 512: 15, 18; svd 128: 2.6, 2.3; 256: 12.0, 12.5; 512:
/// 71, 88; eigh 128: 1.5, 1.3; 256: 5.8, 6.2; 512: 28, 36; eig 128: 9.1, 10.2; 256: 37, 41; 512: 319, 338; two of which
/// each shares its processor, svd 64: 24, 0.49.
inline Effort of_vectors(double factor, int64_t m, int64_t n) noexcept {
  const double work = double(m) * double(n) * double(std::min(m, n));
  return {factor * work, work >= large_work};
}

/// Calls some(begin, end, memory) for ranges of at most `most` matrices of the stack `a`, with memory of the layout for
/// each thread. It returns the first one that has no result, or end: "matrix 3 of the batch <problem>".
template <class Some>
td_status for_some_matrices(const td_view& a, int64_t most, const Effort& effort, const Blas& blas,
                            const Layout& layout, const char* problem, td_error* error, Some some) {
  const int64_t count = Batch(a).count();
  std::atomic<int64_t> first{count};
  std::atomic<bool> enough{true};
  const auto run = [&](int64_t begin, int64_t end) {
    Scratch memory(std::max<int64_t>(layout.bytes(), 1));
    if (!memory) {
      enough = false;
      return;
    }
    for (int64_t at = begin * most; at < std::min(end * most, count); at += most) {
      const int64_t last = std::min(at + most, count), failed = some(at, last, memory.as<char>());
      if (failed == last) continue;
      int64_t known = first.load();
      while (failed < known && !first.compare_exchange_weak(known, failed)) {
      }
      return;
    }
  };
  const int64_t groups = (count + most - 1) / most;
  if (groups >= thread_count() || !effort.worth_threads)
    side_by_side(groups, effort.work * double(most), &blas, run);
  else
    run(0, groups);
  if (!enough) return fail(error, TD_OUT_OF_MEMORY, "out of memory: no room for the work of a factorization");
  if (first == count) return TD_OK;
  if (a.ndim == 2) return fail(error, TD_SINGULAR, "the matrix %s", problem);
  return fail(error, TD_SINGULAR, "matrix %lld of the batch %s", static_cast<long long>(first.load()), problem);
}

/// Likewise one(number, memory) for each matrix, which returns whether there is a result.
template <class One>
td_status for_each_matrix(const td_view& a, const Effort& effort, const Blas& blas, const Layout& layout,
                          const char* problem, td_error* error, One one) {
  return for_some_matrices(a, 1, effort, blas, layout, problem, error, [&](int64_t begin, int64_t end, char* memory) {
    return one(begin, memory) ? end : begin;
  });
}

}  // namespace tandem::cpu
