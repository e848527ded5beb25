#include "single_kernels.hpp"

#include <cmath>
#include <type_traits>

namespace tandem::cpu::TD_ISA {
namespace {

using std::int64_t;

/// A complex number whose product is not checked for infinities, so that its loops become vectors.
template <class R>
struct Pair {
  R re, im;
};
template <class R> Pair<R> operator-(Pair<R> a, Pair<R> b) { return {a.re - b.re, a.im - b.im}; }
template <class R> Pair<R> operator*(Pair<R> a, Pair<R> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/// By R. L. Smith, Algorithm 116, 1962: no square overflows.
template <class R> Pair<R> operator/(Pair<R> a, Pair<R> b) {
  if (std::fabs(b.re) >= std::fabs(b.im)) {
    const R ratio = b.im / b.re, divisor = b.re + b.im * ratio;
    return {(a.re + a.im * ratio) / divisor, (a.im - a.re * ratio) / divisor};
  }
  const R ratio = b.re / b.im, divisor = b.re * ratio + b.im;
  return {(a.re * ratio + a.im) / divisor, (a.im * ratio - a.re) / divisor};
}

template <class R> R size(R x) { return std::fabs(x); }
template <class R> R size(Pair<R> x) { return std::fabs(x.re) + std::fabs(x.im); }

/// to[0 ...] -= factor * from[0 ...]
template <class T>
void subtract_multiple(T* to, const T* from, T factor, int64_t count) {
#pragma GCC ivdep
  for (int64_t j = 0; j < count; ++j) to[j] = to[j] - factor * from[j];
}

template <class T, class Stored>
bool eliminate(Stored* stored, int64_t n, int64_t width, std::int32_t* pivots) {
  T* rows = reinterpret_cast<T*>(stored);
  bool regular = true;
  for (int64_t k = 0; k < n; ++k) {
    T* row = rows + k * width;
    int64_t pivot = k;
    auto largest = size(row[k]);
    for (int64_t i = k + 1; i < n; ++i) {
      const auto candidate = size(rows[i * width + k]);
      if (candidate > largest) largest = candidate, pivot = i;
    }
    pivots[k] = std::int32_t(pivot + 1);
    if (largest == 0) {
      regular = false;
      continue;
    }
    if (pivot != k) {
      T* other = rows + pivot * width;
#pragma GCC ivdep
      for (int64_t j = 0; j < width; ++j) {
        const T x = row[j];
        row[j] = other[j];
        other[j] = x;
      }
    }
    for (int64_t i = k + 1; i < n; ++i) {
      T* below = rows + i * width;
      below[k] = below[k] / row[k];
      subtract_multiple(below + k + 1, row + k + 1, below[k], width - k - 1);
    }
  }
  return regular;
}

template <class T, class Stored>
void substitute(Stored* stored, int64_t n, int64_t width) {
  T* rows = reinterpret_cast<T*>(stored);
  for (int64_t i = n - 1; i >= 0; --i) {
    T* row = rows + i * width;
    for (int64_t j = n - 1; j > i; --j) subtract_multiple(row + n, rows + j * width + n, row[j], width - n);
    for (int64_t j = n; j < width; ++j) row[j] = row[j] / row[i];
  }
}

template <class T>
std::int32_t cholesky(T* rows, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    T* row = rows + i * n;
    if (!(row[i] > 0)) return std::int32_t(i + 1);
    row[i] = std::sqrt(row[i]);
    for (int64_t j = i + 1; j < n; ++j) row[j] = row[j] / row[i];
    for (int64_t p = i + 1; p < n; ++p) subtract_multiple(rows + p * n + p, row + p, row[p], n - p);
    for (int64_t j = 0; j < i; ++j) row[j] = 0;
  }
  return 0;
}

template <class T, class Stored>
constexpr SingleLu<Stored> lu_of{eliminate<T, Stored>, substitute<T, Stored>};

}  // namespace

extern const SingleKernels single_kernels;
const SingleKernels single_kernels{lu_of<float, float>,
                                   lu_of<double, double>,
                                   lu_of<Pair<float>, std::complex<float>>,
                                   lu_of<Pair<double>, std::complex<double>>,
                                   cholesky<float>,
                                   cholesky<double>};

}  // namespace tandem::cpu::TD_ISA
