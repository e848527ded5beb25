// The kernel of QR factors: a block has a matrix in shared memory, a thread every so many columns of it.
#pragma once

#include <tandem/scalar.h>

#include "qr_kernels.hpp"

namespace tandem::cuda {
namespace {

template <class T>
struct PartsOf {
  using Real = T;
  static __device__ Real re(T x) { return x; }
  static __device__ Real im(T) { return 0; }
  static __device__ T make(Real re, Real) { return re; }
};
template <class F>
struct PartsOf<scalar::complex<F>> {
  using Real = F;
  static __device__ F re(scalar::complex<F> x) { return x.re; }
  static __device__ F im(scalar::complex<F> x) { return x.im; }
  static __device__ scalar::complex<F> make(F re, F im) { return {re, im}; }
};

template <class F> __device__ F conjugate(F x) { return x; }
template <class F> __device__ F product(F a, F b) { return a * b; }
template <class F> __device__ F sum(F a, F b) { return a + b; }
template <class F> __device__ F difference(F a, F b) { return a - b; }
template <class F> __device__ scalar::complex<F> conjugate(scalar::complex<F> x) { return {x.re, -x.im}; }
template <class F> __device__ scalar::complex<F> product(scalar::complex<F> a, scalar::complex<F> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class F> __device__ scalar::complex<F> sum(scalar::complex<F> a, scalar::complex<F> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class F> __device__ scalar::complex<F> difference(scalar::complex<F> a, scalar::complex<F> b) {
  return {a.re - b.re, a.im - b.im};
}

template <class F> __device__ F magnitude(F x) { return x < 0 ? -x : x; }
/// NaN if either is.
template <class F> __device__ F greater_of(F a, F b) { return a != a || a > b ? a : b; }

/// Combines the values of all threads of the block, of whole warps; all get the result. `shared` has a place per warp.
template <class F, class Combine>
__device__ F combine_all(F x, F* shared, Combine combine) {
  const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int half = 16; half > 0; half /= 2) {
    unsigned words[sizeof(F) / 4];
    memcpy(words, &x, sizeof x);
    for (unsigned& word : words) word = __shfl_sync(0xffffffffu, word, lane ^ half);
    F other;
    memcpy(&other, words, sizeof other);
    x = combine(x, other);
  }
  if (warps == 1) return x;
  if (lane == 0) shared[threadIdx.x / 32] = x;
  __syncthreads();
  x = shared[0];
  for (int warp = 1; warp < warps; ++warp) x = combine(x, shared[warp]);
  __syncthreads();
  return x;
}

/// The power of two by which numbers of up to `biggest` are multiplied so that their squares neither overflow nor vanish.
template <class F>
__device__ F scale_for(F biggest) {
  constexpr int most = sizeof(F) == 4 ? 126 : 1022;
  if (!(biggest < F(INFINITY))) return 1;
  const int exponent = ilogb(biggest);
  return ldexp(F(1), exponent > most ? -most : exponent < -most ? most : -exponent);
}

/// Columns of a matrix in shared memory, whose length is odd to keep threads off each other's banks.
template <class T>
struct Columns {
  using Parts = PartsOf<T>;
  using Real = typename Parts::Real;
  T* elements;
  int m;

  __device__ T* column(int j) const { return elements + j * (m | 1); }

  /// Turns column k, from its element k on, into (beta, v): the reflection H = I - tau (1, v) (1, v)^H of which H^H makes
  /// that column (beta, 0), with a real beta. Returns tau.
  __device__ T reflection(int k, Real* shared) const {
    T* const x = column(k);
    const T alpha = x[k];
    Real rest = magnitude(Parts::im(alpha));
    for (int i = k + 1 + threadIdx.x; i < m; i += blockDim.x)
      rest = greater_of(greater_of(magnitude(Parts::re(x[i])), magnitude(Parts::im(x[i]))), rest);
    rest = combine_all(rest, shared, [](Real a, Real b) { return greater_of(a, b); });
    if (rest == 0) return T{};
    const Real scale = scale_for(greater_of(rest, magnitude(Parts::re(alpha))));
    const Real re = Parts::re(alpha) * scale, im = Parts::im(alpha) * scale;
    Real squares = 0;
    for (int i = k + 1 + threadIdx.x; i < m; i += blockDim.x) {
      const Real x_re = Parts::re(x[i]) * scale, x_im = Parts::im(x[i]) * scale;
      squares += x_re * x_re + x_im * x_im;
    }
    squares = combine_all(squares, shared, [](Real a, Real b) { return a + b; }) + (re * re + im * im);
    const Real beta = copysign(sqrt(squares), -re);
    // v = x / (alpha - beta)
    const Real distance = re - beta, length = distance * distance + im * im;
    const T inverse = Parts::make(distance / length, -im / length);
    for (int i = k + 1 + threadIdx.x; i < m; i += blockDim.x)
      x[i] = product(Parts::make(Parts::re(x[i]) * scale, Parts::im(x[i]) * scale), inverse);
    __syncthreads();  // alpha has been read
    if (threadIdx.x == 0) x[k] = Parts::make(beta / scale, 0);
    return Parts::make((beta - re) / beta, -im / beta);
  }

  /// Columns (k, end) := (I - tau (1, v) (1, v)^H) times these, with the v of column k.
  __device__ void reflect(int k, int end, T tau) const {
    const T* const v = column(k);
    for (int j = k + 1 + threadIdx.x; j < end; j += blockDim.x) {
      T* const y = column(j);
      T along = y[k];
      for (int i = k + 1; i < m; ++i) along = sum(along, product(conjugate(v[i]), y[i]));
      along = product(tau, along);
      y[k] = difference(y[k], along);
      for (int i = k + 1; i < m; ++i) y[i] = difference(y[i], product(along, v[i]));
    }
  }
};

/// `memory` is shared, of qr_bytes().
template <class T>
__device__ void factorize(const QrShape& shape, T* memory, const T* matrices, T* q, T* r) {
  using Real = typename PartsOf<T>::Real;
  const int m = int(shape.m), n = int(shape.n), inner = int(shape.inner), reflections = m < n ? m : n;
  const int stored = n > inner ? n : inner;
  const Columns<T> a{memory, m};
  T* const taus = a.column(stored);
  Real* const shared = reinterpret_cast<Real*>(taus + reflections);
  const std::int64_t matrix = blockIdx.x;

  for (int e = threadIdx.x; e < m * n; e += blockDim.x) a.column(e / m)[e % m] = matrices[matrix * m * n + e];
  __syncthreads();
  for (int k = 0; k < reflections; ++k) {
    const T tau = a.reflection(k, shared);
    if (threadIdx.x == 0) taus[k] = tau;
    __syncthreads();
    a.reflect(k, n, conjugate(tau));
    __syncthreads();
  }
  for (int e = threadIdx.x; e < inner * n; e += blockDim.x)
    r[matrix * inner * n + e] = a.column(e / inner)[e % inner];
  __syncthreads();

  // The product of the reflections, from the last to the first; a column belongs to q once its reflection has been used.
  for (int e = threadIdx.x; e < (inner - reflections) * m; e += blockDim.x) {
    const int j = reflections + e / m, i = e % m;
    a.column(j)[i] = PartsOf<T>::make(i == j, 0);
  }
  __syncthreads();
  for (int k = reflections - 1; k >= 0; --k) {
    const T tau = taus[k];
    a.reflect(k, inner, tau);
    __syncthreads();
    T* const x = a.column(k);
    for (int i = threadIdx.x; i < m; i += blockDim.x)
      x[i] = i < k ? T{} : difference(PartsOf<T>::make(i == k, 0), i == k ? tau : product(tau, x[i]));
    __syncthreads();
  }
  for (int e = threadIdx.x; e < m * inner; e += blockDim.x) q[matrix * m * inner + e] = a.column(e / m)[e % m];
}

constexpr int most_qr_threads = 128;

/// Threads, and bytes of shared memory, for a matrix.
inline int qr_threads(const QrShape& shape) {
  const std::int64_t columns = shape.n > shape.inner ? shape.n : shape.inner;
  return columns <= 32 ? 32 : columns <= 64 ? 64 : most_qr_threads;
}
template <class T>
std::int64_t qr_bytes(const QrShape& shape) {
  const std::int64_t stored = shape.n > shape.inner ? shape.n : shape.inner;
  const std::int64_t reflections = shape.m < shape.n ? shape.m : shape.n;
  return ((shape.m | 1) * stored + reflections + most_qr_threads / 32) * std::int64_t{sizeof(T)};
}

}  // namespace
}  // namespace tandem::cuda
