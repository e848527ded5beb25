#include "lu_kernels.hpp"

#include <cmath>
#include <utility>

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
    for (int64_t j = i + 1; j < n; ++j) subtract_multiple(row + n, rows + j * width + n, row[j], width - n);
    for (int64_t j = n; j < width; ++j) row[j] = row[j] / row[i];
  }
}

// ---- several matrices at once ----

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <class T>
constexpr int64_t lanes = vector_bytes / sizeof(T);

/// One element of each matrix, and what comparing them gives.
template <class T> struct Lanes;
template <> struct Lanes<float> {
  using Integer = std::int32_t;
  typedef float Vector __attribute__((vector_size(vector_bytes)));
  typedef Integer Mask __attribute__((vector_size(vector_bytes)));
};
template <> struct Lanes<double> {
  using Integer = std::int64_t;
  typedef double Vector __attribute__((vector_size(vector_bytes)));
  typedef Integer Mask __attribute__((vector_size(vector_bytes)));
};

template <class T>
void eliminate_lanes(T* elements, int64_t n, int64_t width, std::int32_t* pivots) {
  using Vector = typename Lanes<T>::Vector;
  using Mask = typename Lanes<T>::Mask;
  using Integer = typename Lanes<T>::Integer;
  Vector* rows = reinterpret_cast<Vector*>(elements);
  for (int64_t k = 0; k < n; ++k) {
    Vector* row = rows + k * width;
    Vector largest = row[k] < 0 ? -row[k] : row[k];
    Mask pivot = Mask{} + Integer(k);
    for (int64_t i = k + 1; i < n; ++i) {
      const Vector x = rows[i * width + k], candidate = x < 0 ? -x : x;
      const Mask larger = candidate > largest;
      largest = larger ? candidate : largest;
      pivot = larger ? Mask{} + Integer(i) : pivot;
    }
    for (int64_t lane = 0; lane < lanes<T>; ++lane) {
      pivots[k * lanes<T> + lane] = std::int32_t(pivot[lane] + 1);
      if (pivot[lane] == k) continue;
      T *one = elements + k * width * lanes<T> + lane, *other = elements + pivot[lane] * width * lanes<T> + lane;
      for (int64_t j = 0; j < width; ++j) std::swap(one[j * lanes<T>], other[j * lanes<T>]);
    }
    for (int64_t i = k + 1; i < n; ++i) {
      Vector* below = rows + i * width;
      const Vector factor = below[k] / row[k];
      below[k] = factor;
#pragma GCC unroll 2
      for (int64_t j = k + 1; j < width; ++j) below[j] = below[j] - factor * row[j];
    }
  }
}

template <class T>
void substitute_lanes(T* elements, int64_t n, int64_t width) {
  using Vector = typename Lanes<T>::Vector;
  Vector* rows = reinterpret_cast<Vector*>(elements);
  for (int64_t i = n - 1; i >= 0; --i) {
    Vector* row = rows + i * width;
    for (int64_t c = n; c < width; ++c) {
      Vector sum = row[c];
      for (int64_t j = i + 1; j < n; ++j) sum = sum - row[j] * rows[j * width + c];
      row[c] = sum / row[i];
    }
  }
}

template <class T, class Stored>
constexpr SmallLu<Stored> kernels_of{eliminate<T, Stored>, substitute<T, Stored>};

}  // namespace

const LuKernels lu_kernels{kernels_of<float, float>, kernels_of<double, double>,
                           kernels_of<Pair<float>, std::complex<float>>,
                           kernels_of<Pair<double>, std::complex<double>>,
                           {lanes<float>, eliminate_lanes<float>, substitute_lanes<float>},
                           {lanes<double>, eliminate_lanes<double>, substitute_lanes<double>}};

}  // namespace tandem::cpu::TD_ISA
