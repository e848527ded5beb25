// Random numbers, algorithm version 2: the formulas that docs/random.md states, in the common subset of C++ and CUDA
// C++.
//
// Everything here is a function of random words alone and uses only operations that IEEE 754 and the integers define to
// the bit (+ - * / sqrt fma, conversions, shifts), so every backend that compiles it without contraction of a * b + c
// gets the same results. It includes nothing, so that it can be given to NVRTC as text; scalar.h must come first.
#ifndef TANDEM_RANDOM_FORMULAS_H
#define TANDEM_RANDOM_FORMULAS_H

namespace tandem {
namespace scalar {

namespace random_detail {

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
TD_FN u64 high_product(u64 a, u64 b) { return __umul64hi(a, b); }
#else
__extension__ typedef unsigned __int128 u128;
TD_FN u64 high_product(u64 a, u64 b) { return (u64)(((u128)a * b) >> 64); }
#endif

}  // namespace random_detail

// ---- words ------------------------------------------------------------------------------------------------------

// Product of the lower halves of two words: how philox multiplies if W is u64.
struct LowProduct {
  template <class W>
  TD_FN W of(W a, u64 b) {
    return (a & 0xfffffffful) * b;
  }
};

// The ten rounds of Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers, SC 2011) on the counter c under
// the key (k0, k1). W is u64 or a vector of u64, Product its LowProduct. Each word of the counter is the lower half of
// a W; the upper halves are ignored, and undefined in the result: that saves the masks.
template <class Product, class W>
TD_FN void philox(W& c0, W& c1, W& c2, W& c3, u32 k0, u32 k1) {
#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC unroll 10
#endif
  for (int round = 0; round < 10; ++round) {
    const W p0 = Product::of(c0, 0xD2511F53ul), p1 = Product::of(c2, 0xCD9E8D57ul);
    c0 = (p1 >> 32) ^ c1 ^ (u64)k0;
    c2 = (p0 >> 32) ^ c3 ^ (u64)k1;
    c1 = p1;
    c3 = p0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

// The four words of block `block` of a stream: w(seed, stream, 4 block + 0 .. 3).
TD_FN void random_block(u64 seed, u64 stream, u64 block, u32 (&words)[4]) {
  u64 c0 = block, c1 = block >> 32, c2 = stream, c3 = stream >> 32;
  philox<LowProduct>(c0, c1, c2, c3, (u32)seed, (u32)(seed >> 32));
  words[0] = (u32)c0;
  words[1] = (u32)c1;
  words[2] = (u32)c2;
  words[3] = (u32)c3;
}

// The word w(seed, stream, j).
TD_FN u32 random_word(u64 seed, u64 stream, u64 j) {
  u32 words[4];
  random_block(seed, stream, j >> 2, words);
  return words[j & 3];
}

// The 64-bit word i: w(2i) below w(2i + 1), indices modulo 2^64.
TD_FN u64 random_word64(u64 seed, u64 stream, u64 i) {
  u32 words[4];
  random_block(seed, stream, (2 * i) >> 2, words);
  const u64 at = (2 * i) & 3;
  return words[at] | (u64)words[at + 1] << 32;
}

// ---- uniform ----------------------------------------------------------------------------------------------------

// Uniform in [0, 1): the 24 (53) highest bits of a word as a fraction, exact.
TD_FN f32 unit_uniform(u32 word) { return (f32)(i32)(word >> 8) * 0x1p-24f; }
TD_FN f64 unit_uniform(u64 word) { return to_f64(word >> 11) * 0x1p-53; }

// Largest value that uniform(low, high) may give: the predecessor of high if low < high, else no bound.
TD_FN f32 uniform_bound(f32 low, f32 high) {
  const u32 bits = bits_of(high);
  const f32 below = from_bits(high > 0 ? bits - 1 : high < 0 ? bits + 1 : 0x80000001u);
  return low < high ? below : from_bits(0x7f800000u);
}
TD_FN f64 uniform_bound(f64 low, f64 high) {
  const u64 bits = bits_of(high);
  const f64 below = from_bits(high > 0 ? bits - 1 : high < 0 ? bits + 1 : 0x8000000000000001ul);
  return low < high ? below : from_bits(0x7ff0000000000000ul);
}

// u in [0, 1) scaled to [low, low + width), at most bound.
template <class F>
TD_FN F scale_uniform(F u, F low, F width, F bound) {
  const F x = low + width * u;
  return x > bound ? bound : x;
}

// x rounded down, towards minus infinity, to bfloat16 and float16, as bits. NaN gives NaN.
TD_FN u16 round_down_bf16(f32 x) {
  const u32 bits = bits_of(x);
  const u32 down = (bits >> 16) + ((bits & 0xffffu) != 0u ? bits >> 31 : 0u);
  return (u16)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : down);
}
TD_FN u16 round_down_f16(f32 x) {
  const u32 bits = bits_of(x), sign = bits >> 31, size = bits & 0x7fffffffu;
  // Adding 1/2 rounds to float16's subnormals, which the lowest bits of the sum then count.
  const f32 nearest = from_bits(size) + 0.5f;
  const u32 more = nearest - 0.5f < from_bits(size) ? sign : 0u;
  const u32 less = nearest - 0.5f > from_bits(size) ? 1u - sign : 0u;
  const u32 subnormal = bits_of(nearest) - 0x3f000000u + more - less;
  const u32 normal = ((size - 0x38000000u) >> 13) + ((size & 0x1fffu) != 0u ? sign : 0u);
  const u32 large = size == 0x7f800000u ? 0x7c00u : 0x7bffu + sign;
  const u32 half = size < 0x38800000u ? subnormal : size < 0x47800000u ? normal : large;
  return (u16)(size > 0x7f800000u ? 0x7e00u : half | sign << 15);
}

// ---- normal -----------------------------------------------------------------------------------------------------
// Box-Muller: two words give the polar coordinates of a point, whose cartesian ones are two independent normals.
// float32 takes every step as an fma, float64 rounds products.
// Coefficients: minimax in relative error, by the Remez exchange algorithm in 300-bit arithmetic, then rounded;
// docs/random.md has the intervals and errors.

// Uniform in (0, 1], from the highest 31 (63) bits of a word.
TD_FN f32 open_uniform(u32 word) { return fma((f32)(i32)(word >> 1), 0x1p-31f, 0x1p-32f); }
TD_FN f64 open_uniform(u64 word) { return (to_f64(word >> 1) + 0.5) * 0x1p-63; }

// ln u for u in [2^-64, 1]: u = (1 + f) 2^k with 1 + f in [sqrt(1/2), sqrt(2)), ln u = k ln 2 + ln(1 + f). ln 2 comes
// in two parts of which the first has so few bits that its product with k is exact.
TD_FN f32 ln_unit(f32 u) {
  const u32 bits = bits_of(u);
  const u32 n = (bits + 0x40000000u - 0x3f3504f3u) >> 23;  // k + 128
  const f32 k = (f32)((i32)n - 128);
  const f32 f = from_bits(bits + ((128u - n) << 23)) - 1.0f;
  f32 p = -0.0763445646f;
  p = fma(p, f, 0.127615452f);
  p = fma(p, f, -0.13160184f);
  p = fma(p, f, 0.142017633f);
  p = fma(p, f, -0.166233569f);
  p = fma(p, f, 0.200012267f);
  p = fma(p, f, -0.250008196f);
  p = fma(p, f, 0.333333313f);
  const f32 tail = fma(f * f, fma(f, p, -0.5f), k * 1.42860682e-06f);
  return fma(k, 0.693145752f, f + tail);
}

// The same for f64; ln(1 + f) = f - f^2/2 + s (f^2/2 + R(s^2)) with s = f / (2 + f) as in FreeBSD's e_log.c.
TD_FN f64 ln_unit(f64 u) {
  const u64 bits = bits_of(u);
  const u64 n = (bits + 0x4000000000000000ul - 0x3fe6a09e667f3bcdul) >> 52;  // k + 1024
  const f64 k = from_bits(n | 0x4330000000000000ul) - (0x1p52 + 1024.0);
  const f64 f = from_bits(bits + ((1024ul - n) << 52)) - 1.0;
  const f64 s = f / (2.0 + f), z = s * s;
  f64 r = 0.14795951469074201;
  r = r * z + 0.15314050379955124;
  r = r * z + 0.18183564332605773;
  r = r * z + 0.22222198573071442;
  r = r * z + 0.28571428742388372;
  r = r * z + 0.39999999999414682;
  r = r * z + 0.6666666666666734;
  const f64 half_square = 0.5 * f * f;
  const f64 tail = s * (half_square + r * z) + k * 5.4979230187083712e-14;
  return k * 0.69314718055989033 + (f - (half_square - tail));
}

// Sine and cosine of 2 pi t for t in [-1/8, 1/8].
TD_FN void sin_cos_eighth(f32 t, f32& sine, f32& cosine) {
  const f32 z = t * t;
  f32 s = -75.4456253f;
  s = fma(s, z, 81.5937653f);
  s = fma(s, z, -41.341671f);
  sine = fma(t, 6.28318548f, t * fma(s, z, -1.7484556e-07f));
  f32 c = 59.229248f;
  c = fma(c, z, -85.4432373f);
  c = fma(c, z, 64.9393234f);
  c = fma(c, z, -19.7392082f);
  cosine = fma(c, z, 1.0f);
}
TD_FN void sin_cos_eighth(f64 t, f64& sine, f64& cosine) {
  const f64 z = t * t;
  f64 s = 3.7812240233343961;
  s = s * z - 15.09382275216679;
  s = s * z + 42.058685393908625;
  s = s * z - 76.705859707904352;
  s = s * z + 81.605249275965221;
  s = s * z - 41.34170224039967;
  sine = t * 6.2831853071795862 + t * (s * z + 2.4492935982947064e-16);
  f64 c = -1.6968347141936062;
  c = c * z + 7.9030915890384748;
  c = c * z - 26.426250927268697;
  c = c * z + 60.24464132938531;
  c = c * z - 85.456817206528285;
  c = c * z + 64.939394022667983;
  c = c * z - 19.739208802178716;
  cosine = c * z + 1.0;
}

// Sine and cosine of the angle of word / 2^32 (2^64) turns. The integer gives the nearest quarter turn and the distance
// from it, without an error.
TD_FN void sin_cos_turn(u32 word, f32& sine, f32& cosine) {
  const u32 quarter = (word + 0x20000000u) >> 30;
  f32 s, c;
  sin_cos_eighth((f32)(i32)(word - (quarter << 30)) * 0x1p-32f, s, c);
  const bool odd = (quarter & 1u) != 0u;
  sine = from_bits(bits_of(odd ? c : s) ^ (quarter & 2u) << 30);
  cosine = from_bits(bits_of(odd ? s : c) ^ ((quarter + 1u) & 2u) << 30);
}
TD_FN void sin_cos_turn(u64 word, f64& sine, f64& cosine) {
  const u64 quarter = (word + 0x2000000000000000ul) >> 62;
  f64 s, c;
  sin_cos_eighth(to_f64((i64)(word - (quarter << 62))) * 0x1p-64, s, c);
  const bool odd = (quarter & 1ul) != 0ul;
  sine = from_bits(bits_of(odd ? c : s) ^ (quarter & 2ul) << 62);
  cosine = from_bits(bits_of(odd ? s : c) ^ ((quarter + 1ul) & 2ul) << 62);
}

struct PlainRoot {
  template <class F>
  TD_FN F of(F x) {
    return sqrt(x);
  }
};

// Elements 2k and 2k + 1 of the standard normal, from words (64-bit words for f64) 2k and 2k + 1. Root computes square
// roots of -0 and of numbers in [2^-54, 2^8], correctly rounded.
template <class Root = PlainRoot, class F, class Word>
TD_FN void normal_pair(Word word0, Word word1, F& z0, F& z1) {
  F sine, cosine;
  sin_cos_turn(word1, sine, cosine);
  const F radius = Root::of(F(-2) * ln_unit(open_uniform(word0)));
  z0 = radius * cosine;
  z1 = radius * sine;
}

// A standard normal to one of this mean and standard deviation.
TD_FN f32 scale_normal(f32 z, f32 mean, f32 deviation) { return fma(deviation, z, mean); }
TD_FN f64 scale_normal(f64 z, f64 mean, f64 deviation) { return mean + deviation * z; }

// ---- integers ---------------------------------------------------------------------------------------------------

// low + floor(word * span / 2^64), modulo 2^64; span 0 stands for 2^64.
TD_FN u64 random_integer(u64 word, u64 low, u64 span) {
  return low + (span == 0 ? word : random_detail::high_product(word, span));
}

}  // namespace scalar
}  // namespace tandem
#endif
