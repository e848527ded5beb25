// Transforms in lanes: a number is a vector of real parts and one of imaginary parts, a row in each lane.
#include "fft_kernels.hpp"

#include <utility>

#include "vector_width.hpp"

namespace tandem::cpu::TD_ISA {
namespace {

template <class T>
constexpr int lanes = vector_bytes / int(sizeof(T));

template <class T>
using Vec = typename Vector<T, lanes<T>>::type;

template <class T>
struct Pair {
  Vec<T> re, im;
};

template <class T>
inline Pair<T> operator+(const Pair<T>& a, const Pair<T>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
inline Pair<T> operator-(const Pair<T>& a, const Pair<T>& b) {
  return {a.re - b.re, a.im - b.im};
}
// W: a vector or one number for all lanes
template <class T, class W>
inline Pair<T> times(const Pair<T>& a, W re, W im) {
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}
template <class T>
inline Pair<T> times(const Pair<T>& a, const T* w) {
  return times(a, w[0], w[1]);
}
template <class T>
inline Pair<T> over_i(const Pair<T>& a) {
  return {a.im, -a.re};
}
template <class T>
inline Pair<T> conj(const Pair<T>& a) {
  return {a.re, -a.im};
}
template <class T>
inline Pair<T> exchange(const Pair<T>& a) {
  return {a.im, a.re};
}

// ---- butterflies: transforms of a few numbers ----

template <class T>
inline void butterfly(Pair<T> (&x)[2], const T*) {
  const Pair<T> a = x[0];
  x[0] = a + x[1];
  x[1] = a - x[1];
}

template <class T>
inline void butterfly(Pair<T>& x0, Pair<T>& x1, Pair<T>& x2, Pair<T>& x3) {
  const Pair<T> a = x0 + x2, b = x0 - x2, c = x1 + x3, d = over_i(x1 - x3);
  x0 = a + c;
  x1 = b + d;
  x2 = a - c;
  x3 = b - d;
}

template <class T>
inline void butterfly(Pair<T> (&x)[4], const T*) {
  butterfly(x[0], x[1], x[2], x[3]);
}

template <class T>
inline void butterfly(Pair<T> (&x)[8], const T*) {
  constexpr T root = T(0.70710678118654752440084436210484903928L);
  Pair<T> e[4] = {x[0], x[2], x[4], x[6]}, o[4] = {x[1], x[3], x[5], x[7]};
  butterfly(e[0], e[1], e[2], e[3]);
  butterfly(o[0], o[1], o[2], o[3]);
  o[1] = {(o[1].re + o[1].im) * root, (o[1].im - o[1].re) * root};
  o[2] = over_i(o[2]);
  o[3] = {(o[3].im - o[3].re) * root, (o[3].re + o[3].im) * -root};
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    x[k] = e[k] + o[k];
    x[k + 4] = e[k] - o[k];
  }
}

// Sums and differences of the numbers j and radix - j share their products.
template <class T>
[[gnu::always_inline]] inline void odd_butterfly(Pair<T>* x, int radix, const T* roots, Pair<T>* sums,
                                                 Pair<T>* differences) {
  const int half = radix / 2;
  const Pair<T> first = x[0];
  Pair<T> total = first;
#pragma GCC unroll 8
  for (int j = 1; j <= half; ++j) {
    sums[j - 1] = x[j] + x[radix - j];
    differences[j - 1] = x[j] - x[radix - j];
    total = total + sums[j - 1];
  }
  x[0] = total;
#pragma GCC unroll 8
  for (int m = 1; m <= half; ++m) {
    Pair<T> even = first, odd = {};
    int k = 0;
#pragma GCC unroll 8
    for (int j = 0; j < half; ++j) {
      k = k + m < radix ? k + m : k + m - radix;
      even = {even.re + sums[j].re * roots[2 * k], even.im + sums[j].im * roots[2 * k]};
      odd = {odd.re + differences[j].re * roots[2 * k + 1], odd.im + differences[j].im * roots[2 * k + 1]};
    }
    odd = over_i(odd);
    x[m] = even - odd;
    x[radix - m] = even + odd;
  }
}

template <class T, int radix>
[[gnu::always_inline]] inline void butterfly(Pair<T> (&x)[radix], const T* roots) {
  Pair<T> sums[radix / 2], differences[radix / 2];
  odd_butterfly(x, radix, roots, sums, differences);
}

// ---- passes ----

template <class T, int radix>
void run_pass(const FftPass<T>& pass, const Pair<T>* in, Pair<T>* out) {
  const int64_t after = pass.after, to = pass.before * after;
  for (int64_t k = 0; k < pass.before; ++k, in += radix * after, out += after) {
    Pair<T> x[radix];
#pragma GCC unroll 16
    for (int j = 0; j < radix; ++j) x[j] = in[after * j];
    butterfly(x, pass.roots);
#pragma GCC unroll 16
    for (int j = 0; j < radix; ++j) out[to * j] = x[j];
    const T* twiddles = pass.twiddles + 2 * (radix - 1);
    for (int64_t i = 1; i < after; ++i, twiddles += 2 * (radix - 1)) {
#pragma GCC unroll 16
      for (int j = 0; j < radix; ++j) x[j] = in[i + after * j];
      butterfly(x, pass.roots);
      out[i] = x[0];
#pragma GCC unroll 16
      for (int j = 1; j < radix; ++j) out[i + to * j] = times(x[j], twiddles + 2 * (j - 1));
    }
  }
}

template <class T>
void run_any_pass(const FftPass<T>& pass, const Pair<T>* in, Pair<T>* out) {
  const int64_t after = pass.after, to = pass.before * after, radix = pass.radix;
  Pair<T> x[largest_radix], sums[largest_radix / 2], differences[largest_radix / 2];
  for (int64_t k = 0; k < pass.before; ++k, in += radix * after, out += after) {
    const T* twiddles = pass.twiddles;
    for (int64_t i = 0; i < after; ++i, twiddles += 2 * (radix - 1)) {
      for (int64_t j = 0; j < radix; ++j) x[j] = in[i + after * j];
      odd_butterfly(x, int(radix), pass.roots, sums, differences);
      out[i] = x[0];
      for (int64_t j = 1; j < radix; ++j) out[i + to * j] = times(x[j], twiddles + 2 * (j - 1));
    }
  }
}

// Transforms the numbers in `from`, working in both memories; returns the one that holds the result.
template <class T>
Pair<T>* run_passes(const FftLength<T>& length, Pair<T>* from, Pair<T>* to) {
  for (int i = 0; i < length.n_passes; ++i) {
    const FftPass<T>& pass = length.passes[i];
    switch (pass.radix) {
      case 2: run_pass<T, 2>(pass, from, to); break;
      case 3: run_pass<T, 3>(pass, from, to); break;
      case 4: run_pass<T, 4>(pass, from, to); break;
      case 5: run_pass<T, 5>(pass, from, to); break;
      case 7: run_pass<T, 7>(pass, from, to); break;
      case 8: run_pass<T, 8>(pass, from, to); break;
      case 11: run_pass<T, 11>(pass, from, to); break;
      case 13: run_pass<T, 13>(pass, from, to); break;
      default: run_any_pass<T>(pass, from, to);
    }
    std::swap(from, to);
  }
  return from;
}

// Numbers at the beginning of their work memory, and the memory behind them.
template <class T>
struct Work {
  Pair<T>*x, *rest;
};

template <class T>
Work<T> transform_in_lanes(const FftLength<T>& length, Work<T> work) {
  const int64_t n = length.n;
  if (!length.convolution) {
    Pair<T>* result = run_passes(length, work.x, work.rest);
    return {result, result == work.x ? work.rest : work.x};
  }
  const FftLength<T>& convolution = *length.convolution;
  const int64_t m = convolution.n;
  Pair<T>*y = work.rest, *z = y + m + 1;
  for (int64_t i = 0; i < n; ++i) y[i] = times(work.x[i], length.chirp + 2 * i);
  for (int64_t i = n; i < m; ++i) y[i] = {Vec<T>{}, Vec<T>{}};
  Pair<T>* spectrum = run_passes(convolution, y, z);
  for (int64_t i = 0; i < m; ++i) spectrum[i] = exchange(times(spectrum[i], length.chirp_spectrum + 2 * i));
  const Pair<T>* result = run_passes(convolution, spectrum, spectrum == y ? z : y);
  for (int64_t i = 0; i < n; ++i) work.x[i] = times(exchange(result[i]), length.chirp + 2 * i);
  return work;
}

// ---- between memory and lanes ----

// Two vectors of complex numbers as one of real and one of imaginary parts. Numbers change their lanes within 16 bytes
// of both vectors, which is cheap; join() puts them back.
template <class T>
constexpr int per_16_bytes = 16 / int(sizeof(T));

template <class T, int... i>
inline Pair<T> split(Vec<T> a, Vec<T> b, std::integer_sequence<int, i...>) {
  constexpr int g = per_16_bytes<T>, n = lanes<T>;
  return {__builtin_shufflevector(a, b, (i / g * g + i % (g / 2) * 2 + (i % g < g / 2 ? 0 : n))...),
          __builtin_shufflevector(a, b, (i / g * g + i % (g / 2) * 2 + (i % g < g / 2 ? 0 : n) + 1)...)};
}
template <class T>
inline Pair<T> split(Vec<T> a, Vec<T> b) {
  return split<T>(a, b, std::make_integer_sequence<int, lanes<T>>());
}

template <class T, int... i>
inline void join(const Pair<T>& x, Vec<T>& a, Vec<T>& b, std::integer_sequence<int, i...>) {
  constexpr int g = per_16_bytes<T>, n = lanes<T>;
  a = __builtin_shufflevector(x.re, x.im, (i / g * g + i % g / 2 + (i % 2 ? n : 0))...);
  b = __builtin_shufflevector(x.re, x.im, (i / g * g + i % g / 2 + g / 2 + (i % 2 ? n : 0))...);
}
template <class T>
inline void join(const Pair<T>& x, Vec<T>& a, Vec<T>& b) {
  join<T>(x, a, b, std::make_integer_sequence<int, lanes<T>>());
}

template <class T>
inline Vec<T> load(const T* from) {
  Vec<T> x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}
template <class T>
inline void store(T* to, Vec<T> x) {
  __builtin_memcpy(to, &x, sizeof x);
}

template <class T>
inline Pair<T> load_pair(const T* from) {
  return split<T>(load(from), load(from + lanes<T>));
}
template <class T>
inline void store_pair(T* to, const Pair<T>& x) {
  Vec<T> a, b;
  join(x, a, b);
  store(to, a);
  store(to + lanes<T>, b);
}

// Exchanges block k of a with block k - h of b, in units of complex numbers, where k has bit h: a step of a transpose.
template <class T, int h, int... i>
inline void exchange_blocks(Vec<T>& a, Vec<T>& b, std::integer_sequence<int, i...>) {
  constexpr int n = lanes<T>;
  const Vec<T> low = __builtin_shufflevector(a, b, (i / 2 & h ? n + i - 2 * h : i)...);
  b = __builtin_shufflevector(a, b, (i / 2 & h ? n + i : i + 2 * h)...);
  a = low;
}

// Transposes lanes / 2 vectors of as many complex numbers.
template <class T, int h = lanes<T> / 4>
inline void transpose(Vec<T>* x) {
  if constexpr (h >= 1) {
    constexpr int numbers = lanes<T> / 2;
#pragma GCC unroll 16
    for (int i = 0; i < numbers; ++i)
      if (!(i & h)) exchange_blocks<T, h>(x[i], x[i + h], std::make_integer_sequence<int, lanes<T>>());
    transpose<T, h / 2>(x);
  }
}

// The lane of row l after split().
template <class T>
constexpr int lane_of(int l) {
  constexpr int g = per_16_bytes<T>, half = lanes<T> / 2;
  const int within = l % half;
  return within / (g / 2) * g + within % (g / 2) + (l < half ? 0 : g / 2);
}

// How the rows of one side of a tile lie.
template <class T>
struct Side {
  T* row[lanes<T>];
  int64_t step;  // in numbers of T
  bool neighbours;  // row l is l elements behind the first, and there is one for each lane
  int count;

  // `parts`: numbers of T in an element
  Side(const FftRows<T>& rows, int n, int parts) : step(rows.step * parts), neighbours(n == lanes<T>), count(n) {
    for (int l = 0; l < lanes<T>; ++l) {
      const int64_t at = rows.rows[l < n ? l : 0];
      row[l] = rows.data + at * parts;
      neighbours &= at == rows.rows[0] + l;
    }
  }
  bool full() const { return count == lanes<T>; }
};

// n complex numbers of each row; `step` apart if they are not neighbours.
template <class T>
void load_complex(const Side<T>& side, int64_t n, Pair<T>* x) {
  constexpr int numbers = lanes<T> / 2;
  if (side.neighbours) {
    for (int64_t i = 0; i < n; ++i) x[i] = load_pair(side.row[0] + i * side.step);
    return;
  }
  int64_t i = 0;
  if (side.step == 2 && side.full()) {
    for (; i + numbers <= n; i += numbers) {
      Vec<T> a[numbers], b[numbers];
#pragma GCC unroll 8
      for (int l = 0; l < numbers; ++l) {
        a[l] = load(side.row[l] + 2 * i);
        b[l] = load(side.row[l + numbers] + 2 * i);
      }
      transpose<T>(a);
      transpose<T>(b);
#pragma GCC unroll 8
      for (int k = 0; k < numbers; ++k) x[i + k] = split<T>(a[k], b[k]);
    }
  }
  for (; i < n; ++i) {
    T numbers_of_row[2 * lanes<T>];
    for (int l = 0; l < lanes<T>; ++l) {
      numbers_of_row[2 * l] = side.row[l][i * side.step];
      numbers_of_row[2 * l + 1] = side.row[l][i * side.step + 1];
    }
    x[i] = load_pair(numbers_of_row);
  }
}

template <class T>
void store_complex(const Side<T>& side, int64_t n, const Pair<T>* x) {
  constexpr int numbers = lanes<T> / 2;
  if (side.neighbours) {
    for (int64_t i = 0; i < n; ++i) store_pair(side.row[0] + i * side.step, x[i]);
    return;
  }
  int64_t i = 0;
  if (side.step == 2 && side.full()) {
    for (; i + numbers <= n; i += numbers) {
      Vec<T> a[numbers], b[numbers];
#pragma GCC unroll 8
      for (int k = 0; k < numbers; ++k) join(x[i + k], a[k], b[k]);
      transpose<T>(a);
      transpose<T>(b);
#pragma GCC unroll 8
      for (int l = 0; l < numbers; ++l) {
        store(side.row[l] + 2 * i, a[l]);
        store(side.row[l + numbers] + 2 * i, b[l]);
      }
    }
  }
  for (; i < n; ++i) {
    T numbers_of_row[2 * lanes<T>];
    store_pair(numbers_of_row, x[i]);
    for (int l = 0; l < side.count; ++l) {
      side.row[l][i * side.step] = numbers_of_row[2 * l];
      side.row[l][i * side.step + 1] = numbers_of_row[2 * l + 1];
    }
  }
}

// Real number i of each row. Without neighbours the lanes are those of split().
template <class T>
inline Vec<T> load_real(const Side<T>& side, int64_t i) {
  if (side.neighbours) return load(side.row[0] + i * side.step);
  T numbers[lanes<T>];
  for (int l = 0; l < lanes<T>; ++l) numbers[lane_of<T>(l)] = side.row[l][i * side.step];
  return load(numbers);
}

template <class T>
inline void store_real(const Side<T>& side, int64_t i, Vec<T> x) {
  T numbers[lanes<T>];
  store(numbers, x);
  for (int l = 0; l < side.count; ++l) side.row[l][i * side.step] = numbers[lane_of<T>(l)];
}

// A vector of neighbours in the order of split(), and back.
template <class T, int... i>
inline Vec<T> to_lanes(Vec<T> x, std::integer_sequence<int, i...>) {
  constexpr int g = per_16_bytes<T>, half = lanes<T> / 2;
  return __builtin_shufflevector(x, x, (i / g * (g / 2) + i % (g / 2) + (i % g < g / 2 ? 0 : half))...);
}
template <class T, int... i>
inline Vec<T> from_lanes(Vec<T> x, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(x, x, lane_of<T>(i)...);
}

// Real rows of 2 n numbers as n complex ones.
template <class T>
void load_real_pairs(const Side<T>& side, int64_t n, Pair<T>* x) {
  constexpr auto sequence = std::make_integer_sequence<int, lanes<T>>();
  if (side.step == 1 && !side.neighbours) {
    Side<T> pairs = side;
    pairs.step = 2;
    return load_complex(pairs, n, x);
  }
  for (int64_t i = 0; i < n; ++i) {
    x[i] = {load_real(side, 2 * i), load_real(side, 2 * i + 1)};
    if (side.neighbours) x[i] = {to_lanes<T>(x[i].re, sequence), to_lanes<T>(x[i].im, sequence)};
  }
}

template <class T>
void store_real_pairs(const Side<T>& side, int64_t n, const Pair<T>* x) {
  constexpr auto sequence = std::make_integer_sequence<int, lanes<T>>();
  if (side.step == 1 && !side.neighbours) {
    Side<T> pairs = side;
    pairs.step = 2;
    return store_complex(pairs, n, x);
  }
  for (int64_t i = 0; i < n; ++i) {
    if (side.neighbours) {
      store(side.row[0] + 2 * i * side.step, from_lanes<T>(x[i].re, sequence));
      store(side.row[0] + (2 * i + 1) * side.step, from_lanes<T>(x[i].im, sequence));
    } else {
      store_real(side, 2 * i, x[i].re);
      store_real(side, 2 * i + 1, x[i].im);
    }
  }
}

// ---- real rows ----

// The numbers k and h - k of a real row's transform from those of its pairs, z[k] and z[h - k] for 0 < k < h; w is
// exp(-pi i k / h).
template <class T, class W>
inline void untangle_pair(const Pair<T>& z, const Pair<T>& mirrored, W re, W im, Pair<T>& x, Pair<T>& x_mirrored) {
  const Pair<T> a = conj(mirrored), sum = z + a, turned = over_i(times(z - a, re, im));
  x = {(sum.re + turned.re) * T(0.5), (sum.im + turned.im) * T(0.5)};
  x_mirrored = {(sum.re - turned.re) * T(0.5), (turned.im - sum.im) * T(0.5)};
}

// The way back, times 2.
template <class T, class W>
inline void tangle_pair(const Pair<T>& x, const Pair<T>& mirrored, W re, W im, Pair<T>& z, Pair<T>& z_mirrored) {
  const Pair<T> a = conj(mirrored), sum = x + a, turned = over_i(times(x - a, re, -im));
  z = sum - turned;
  z_mirrored = conj(sum + turned);
}

template <class T>
void untangle_in_lanes(const FftLength<T>& length, const Pair<T>* z, Pair<T>* x) {
  const int64_t h = length.n;
  x[0] = {z[0].re + z[0].im, Vec<T>{}};
  x[h] = {z[0].re - z[0].im, Vec<T>{}};
  for (int64_t k = 1; k <= h - k; ++k) {
    const T* w = length.half_roots + 2 * k;
    untangle_pair(z[k], z[h - k], w[0], w[1], x[k], x[h - k]);
  }
}

template <class T>
void tangle_in_lanes(const FftLength<T>& length, const Pair<T>* x, Pair<T>* z) {
  const int64_t h = length.n;
  z[0] = {x[0].re + x[h].re, x[0].re - x[h].re};
  for (int64_t k = 1; k <= h - k; ++k) {
    const T* w = length.half_roots + 2 * k;
    Pair<T> a, b;
    tangle_pair(x[k], x[h - k], w[0], w[1], a, b);
    z[k] = a;
    z[h - k] = b;
  }
}

// ---- tiles ----

template <class T>
Work<T> work_in(const FftLength<T>& length, void* memory) {
  Pair<T>* const x = static_cast<Pair<T>*>(memory);
  return {x, x + length.n + 1};
}

template <class T>
void exchange_all(Pair<T>* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] = exchange(x[i]);
}

template <class T>
void scale_all(Pair<T>* x, int64_t n, T scale) {
  if (scale == T(1)) return;
  for (int64_t i = 0; i < n; ++i) x[i] = {x[i].re * scale, x[i].im * scale};
}

template <class T>
Work<T> load_tile(const FftTile<T>& tile, Work<T> work) {
  const int64_t n = tile.length->n;
  const bool is_real = tile.form == FftForm::real_even || tile.form == FftForm::real_odd;
  const Side<T> side(tile.x, tile.count, is_real ? 1 : 2);
  switch (tile.form) {
    case FftForm::complex:
      load_complex(side, n, work.x);
      if (tile.exchange_in) exchange_all(work.x, n);
      break;
    case FftForm::real_even: load_real_pairs(side, n, work.x); break;
    case FftForm::real_odd:
      for (int64_t i = 0; i < n; ++i) {
        Vec<T> x = load_real(side, i);
        if (side.neighbours) x = to_lanes<T>(x, std::make_integer_sequence<int, lanes<T>>());
        work.x[i] = {x, Vec<T>{}};
      }
      break;
    case FftForm::hermitian_even:
      load_complex(side, n + 1, work.rest);
      tangle_in_lanes(*tile.length, work.rest, work.x);
      exchange_all(work.x, n);
      break;
    case FftForm::hermitian_odd:
      load_complex(side, n / 2 + 1, work.x);
      work.x[0].im = Vec<T>{};
      for (int64_t i = 1; i <= n / 2; ++i) {
        work.x[i] = exchange(work.x[i]);
        work.x[n - i] = {-work.x[i].re, work.x[i].im};
      }
      work.x[0] = exchange(work.x[0]);
      break;
  }
  return work;
}

template <class T>
void store_tile(const FftTile<T>& tile, Work<T> work) {
  const int64_t n = tile.length->n;
  const bool is_real = tile.form == FftForm::hermitian_even || tile.form == FftForm::hermitian_odd;
  const Side<T> side(tile.out, tile.count, is_real ? 1 : 2);
  switch (tile.form) {
    case FftForm::complex:
      if (tile.exchange_out) exchange_all(work.x, n);
      scale_all(work.x, n, tile.scale);
      store_complex(side, n, work.x);
      break;
    case FftForm::real_even:
      untangle_in_lanes(*tile.length, work.x, work.rest);
      scale_all(work.rest, n + 1, tile.scale);
      store_complex(side, n + 1, work.rest);
      break;
    case FftForm::real_odd:
      work.x[0].im = Vec<T>{};
      scale_all(work.x, n / 2 + 1, tile.scale);
      store_complex(side, n / 2 + 1, work.x);
      break;
    case FftForm::hermitian_even:
      exchange_all(work.x, n);
      scale_all(work.x, n, tile.scale);
      store_real_pairs(side, n, work.x);
      break;
    case FftForm::hermitian_odd:
      for (int64_t i = 0; i < n; ++i) {
        const Vec<T> x = work.x[i].im * tile.scale;
        if (side.neighbours)
          store(side.row[0] + i * side.step, from_lanes<T>(x, std::make_integer_sequence<int, lanes<T>>()));
        else
          store_real(side, i, x);
      }
      break;
  }
}

template <class T>
void transform(const FftTile<T>& tile, void* memory) {
  store_tile(tile, transform_in_lanes(*tile.length, load_tile(tile, work_in(*tile.length, memory))));
}

template <class T>
void transform_columns(const FftTile<T>& tile, const FftTwiddles<T>& twiddles, int64_t first, void* memory) {
  const Work<T> work = transform_in_lanes(*tile.length, load_tile(tile, work_in(*tile.length, memory)));
  for (int64_t k = 0; k < tile.length->n; k += twiddles.fine_rows) {
    const Pair<T> coarse = load_pair(twiddles.coarse + 2 * (k / twiddles.fine_rows * twiddles.columns + first));
    for (int64_t j = 0; j < twiddles.fine_rows && k + j < tile.length->n; ++j) {
      const Pair<T> w = times(load_pair(twiddles.fine + 2 * (j * twiddles.columns + first)), coarse.re, coarse.im);
      work.x[k + j] = times(work.x[k + j], w.re, w.im);
    }
  }
  store_tile(tile, work);
}

// ---- long rows ----

template <class T, bool exchange_in, bool exchange_out>
void multiply_all(T* out, const T* a, const T* b, int64_t n, T scale) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T re = a[2 * i + exchange_in], im = a[2 * i + !exchange_in], b_re = b[2 * i], b_im = b[2 * i + 1];
    out[2 * i + exchange_out] = (re * b_re - im * b_im) * scale;
    out[2 * i + !exchange_out] = (re * b_im + im * b_re) * scale;
  }
}

template <class T>
void multiply(T* out, const T* a, const T* b, int64_t n, bool exchange_in, bool exchange_out, T scale) {
  if (exchange_in)
    exchange_out ? multiply_all<T, true, true>(out, a, b, n, scale) : multiply_all<T, true, false>(out, a, b, n, scale);
  else
    exchange_out ? multiply_all<T, false, true>(out, a, b, n, scale)
                 : multiply_all<T, false, false>(out, a, b, n, scale);
}

// Lanes in the order of memory, or backwards.
template <class T, bool backwards, int... i>
inline Pair<T> load_in_order(const T* from, std::integer_sequence<int, i...>) {
  constexpr int n = lanes<T>;
  const Vec<T> a = load(from), b = load(from + n);
  return {__builtin_shufflevector(a, b, 2 * (backwards ? n - 1 - i : i)...),
          __builtin_shufflevector(a, b, 2 * (backwards ? n - 1 - i : i) + 1 ...)};
}

template <class T, bool backwards, int... i>
inline void store_in_order(T* to, const Pair<T>& x, std::integer_sequence<int, i...>) {
  constexpr int n = lanes<T>;
  const Vec<T> a = __builtin_shufflevector(x.re, x.im, (backwards ? n - 1 - i / 2 : i / 2) + (i % 2 ? n : 0)...);
  const Vec<T> b =
      __builtin_shufflevector(x.re, x.im, (backwards ? n / 2 - 1 - i / 2 : n / 2 + i / 2) + (i % 2 ? n : 0)...);
  store(to, a);
  store(to + n, b);
}

template <class T>
void root(const FftRoots<T>& roots, int64_t k, T& re, T& im) {
  constexpr int64_t fine = FftRoots<T>::fine_count;
  const T* coarse = roots.coarse + 2 * (k / fine);
  const T fine_re = roots.fine_re[k % fine], fine_im = roots.fine_im[k % fine];
  re = fine_re * coarse[0] - fine_im * coarse[1];
  im = fine_re * coarse[1] + fine_im * coarse[0];
}

template <class T>
inline Pair<T> broadcast(const T* x) {
  return {Vec<T>{} + x[0], Vec<T>{} + x[1]};
}

// Calls change(x, mirrored, w_re, w_im, y, y_mirrored) for the numbers k and h - k, lanes of them where that many
// do not meet their mirror images; `exchanged`: the parts of what is written.
template <class T, bool exchanged, class Change>
void for_mirrored(const T* x, T* y, int64_t h, const FftRoots<T>& roots, int64_t begin, int64_t end, Change change) {
  constexpr int n = lanes<T>;
  constexpr auto sequence = std::make_integer_sequence<int, n>();
  const auto one = [&](int64_t k) {
    T re, im;
    root(roots, k, re, im);
    Pair<T> a, b;
    change(broadcast(x + 2 * k), broadcast(x + 2 * (h - k)), re, im, a, b);
    y[2 * k + exchanged] = a.re[0];
    y[2 * k + !exchanged] = a.im[0];
    y[2 * (h - k) + exchanged] = b.re[0];
    y[2 * (h - k) + !exchanged] = b.im[0];
  };
  int64_t k = begin;
  for (; k < end && k % n != 0; ++k) one(k);
  for (; k + n <= end && k + n <= h / 2; k += n) {
    constexpr int64_t fine = FftRoots<T>::fine_count;
    const T *coarse = roots.coarse + 2 * (k / fine), re = coarse[0], im = coarse[1];
    const Pair<T> w = times(Pair<T>{load(roots.fine_re + k % fine), load(roots.fine_im + k % fine)}, re, im);
    T* const to = y + 2 * k;
    T* const to_mirrored = y + 2 * (h - k - n + 1);
    Pair<T> a, b;
    change(load_in_order<T, false>(x + 2 * k, sequence), load_in_order<T, true>(x + 2 * (h - k - n + 1), sequence),
           w.re, w.im, a, b);
    store_in_order<T, false>(to, exchanged ? exchange(a) : a, sequence);
    store_in_order<T, true>(to_mirrored, exchanged ? exchange(b) : b, sequence);
  }
  for (; k < end; ++k) one(k);
}

template <class T>
void untangle(T* row, int64_t h, const FftRoots<T>& roots, int64_t begin, int64_t end) {
  if (begin == 0) {
    const T re = row[0], im = row[1];
    row[0] = re + im;
    row[2 * h] = re - im;
    row[1] = row[2 * h + 1] = 0;
    begin = 1;
  }
  for_mirrored<T, false>(row, row, h, roots, begin, end,
                         [](const Pair<T>& z, const Pair<T>& mirrored, auto re, auto im, Pair<T>& x, Pair<T>& y) {
                           untangle_pair(z, mirrored, re, im, x, y);
                         });
}

template <class T>
void tangle(T* row, const T* x, int64_t h, const FftRoots<T>& roots, int64_t begin, int64_t end) {
  if (begin == 0) {
    row[1] = x[0] + x[2 * h];
    row[0] = x[0] - x[2 * h];
    begin = 1;
  }
  for_mirrored<T, true>(x, row, h, roots, begin, end,
                        [](const Pair<T>& a, const Pair<T>& mirrored, auto re, auto im, Pair<T>& z, Pair<T>& y) {
                          tangle_pair(a, mirrored, re, im, z, y);
                        });
}

template <class T>
constexpr FftKernels<T> kernels_of = {lanes<T>,    transform<T>, transform_columns<T>,
                                      multiply<T>, untangle<T>,  tangle<T>};

}  // namespace

const FftKernels<float> fft_kernels_float = kernels_of<float>;
const FftKernels<double> fft_kernels_double = kernels_of<double>;

}  // namespace tandem::cpu::TD_ISA
