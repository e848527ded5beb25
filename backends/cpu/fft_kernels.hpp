// Fourier transforms of rows side by side, one in each lane of a vector, once per instruction set. All transforms are
// forward ones: a backward one is that of the numbers with their real and imaginary parts exchanged.
#pragma once

#include <cstdint>

#include <tandem/backend.h>

namespace tandem::cpu {

/// A pass of Stockham's algorithm, which takes a factor out of the length: before * radix * after is the whole length,
/// `before` the product of the factors taken so far.
template <class T>
struct FftPass {
  int64_t radix, before, after;
  const T* twiddles;  // exp(-2 pi i j k / (radix * after)) for k < after, in each of these for 0 < j < radix
  const T* roots;     // exp(-2 pi i k / radix) for k < radix, for odd ones
};

constexpr int64_t largest_radix = 61;  // lengths with a larger prime factor are convolved
constexpr int most_passes = 48;

/// Roots exp(-2 pi i k / order) for k < count as products of two: coarse[k / fine_count] fine[k % fine_count].
template <class T>
struct FftRoots {
  static constexpr int64_t fine_count = 1024;
  const T *coarse, *fine_re, *fine_im;
};

/// Transforms of one length. Complex numbers are pairs.
template <class T>
struct FftLength {
  int64_t n;
  int n_passes;
  FftPass<T> passes[most_passes];
  const T* half_roots;  // exp(-pi i k / n) for k <= n / 2, for real rows of length 2 n; may be null

  // Bluestein's algorithm, where convolution is not null: a transform of length m as convolution with a chirp.
  const FftLength* convolution;
  const T *chirp, *chirp_spectrum;  // exp(-pi i k^2 / n) for k < n; the transform of its conjugate / m

  /// Pairs of vectors that a transform works in. Real rows need one number more.
  int64_t work() const noexcept { return convolution ? n + 1 + 2 * (convolution->n + 1) : 2 * (n + 1); }
};

/// Complex rows; real rows as the first half of their transform (n / 2 + 1 numbers), and back. Even real rows are
/// transformed as half as many complex numbers: the length is that, for odd ones that of the row.
enum class FftForm { complex, real_even, real_odd, hermitian_even, hermitian_odd };

/// Element i of row l is at data[rows[l] + i * step], counted in elements, real or complex.
template <class T>
struct FftRows {
  T* data;
  const int64_t* rows;
  int64_t step;
};

template <class T>
struct FftTile {
  const FftLength<T>* length;
  FftForm form;
  int count;  // of rows, at most as many as there are lanes
  bool exchange_in, exchange_out;  // real and imaginary parts, of complex rows
  T scale;
  FftRows<T> x, out;
};

/// The twiddle factors between the two halves of a long transform, w^(i k) for column i and row k: products of
/// coarse[k / fine_rows][i] and fine[k % fine_rows][i], rows of complex numbers, `columns` of them.
template <class T>
struct FftTwiddles {
  int64_t fine_rows, columns;
  const T *coarse, *fine;
};

template <class T>
struct FftKernels {
  int lanes;
  /// Transforms the rows of a tile. `work` has room for length->work() pairs of vectors.
  void (*transform)(const FftTile<T>& tile, void* work);
  /// The same for neighbouring columns from column `first` on, and multiplies by the twiddle factors.
  void (*transform_columns)(const FftTile<T>& tile, const FftTwiddles<T>& twiddles, int64_t first, void* work);
  /// out[i] = scale * a[i] * b[i] for complex i < n, with the parts exchanged before or after.
  void (*multiply)(T* out, const T* a, const T* b, int64_t n, bool exchange_in, bool exchange_out, T scale);
  /// The transform of a real row of length 2 h from that of its h pairs, in place: for numbers k and h - k with
  /// begin <= k < end, in [0, h / 2 + 1). The row has h + 1 numbers.
  void (*untangle)(T* row, int64_t h, const FftRoots<T>& roots, int64_t begin, int64_t end);
  /// The way back, parts exchanged: from h + 1 numbers of x to h of row.
  void (*tangle)(T* row, const T* x, int64_t h, const FftRoots<T>& roots, int64_t begin, int64_t end);
};

#define TANDEM_FFT_KERNELS(isa)                        \
  namespace isa {                                      \
  extern const FftKernels<float> fft_kernels_float;    \
  extern const FftKernels<double> fft_kernels_double;  \
  }
TANDEM_FFT_KERNELS(v2)
TANDEM_FFT_KERNELS(v3)
TANDEM_FFT_KERNELS(v4)
#undef TANDEM_FFT_KERNELS

/// Bytes of a vector, at most: of what `work` is made.
constexpr int64_t largest_vector_bytes = 64;

}  // namespace tandem::cpu
