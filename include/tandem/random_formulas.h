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

// factor ln u for normal u > 0; the factor, 1 or -2, is a part of the coefficients and rounds nothing.
// u = (1 + f) 2^k with 1 + f in [sqrt(1/2), sqrt(2)), ln u = k ln 2 + ln(1 + f). ln 2 comes in two parts of which the
// first has so few bits that its product with k is exact. k is counted in units of the exponent's last bit.
template <int factor>
TD_FN f32 ln_times(f32 u) {
  const u32 bits = bits_of(u), units = (bits - 0x3f3504f3u) & 0xff800000u;
  const f32 k = (f32)(i32)units;
  const f32 f = from_bits(bits - units) - 1.0f;
  f32 p = factor * -0.0763445646f;
  p = fma(p, f, factor * 0.127615452f);
  p = fma(p, f, factor * -0.13160184f);
  p = fma(p, f, factor * 0.142017633f);
  p = fma(p, f, factor * -0.166233569f);
  p = fma(p, f, factor * 0.200012267f);
  p = fma(p, f, factor * -0.250008196f);
  p = fma(p, f, factor * 0.333333313f);
  const f32 tail = fma(f * f, fma(f, p, factor * -0.5f), k * (factor * 0x1p-23f * 1.42860682e-06f));
  return fma(k, factor * 0x1p-23f * 0.693145752f, fma(f, (f32)factor, tail));
}
TD_FN f32 ln(f32 u) { return ln_times<1>(u); }
TD_FN f32 minus_twice_ln(f32 u) { return ln_times<-2>(u); }

// The same for f64; ln(1 + f) = f - f^2/2 + s (f^2/2 + R(s^2)) with s = f / (2 + f) as in FreeBSD's e_log.c.
TD_FN f64 ln(f64 u) {
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

// A signed word as a part of four times 2^32 (2^64).
TD_FN f32 quarter_turns(u32 word) { return (f32)(i32)word * 0x1p-34f; }
TD_FN f64 quarter_turns(u64 word) { return to_f64((i64)word) * 0x1p-66; }

// Sine and cosine of the angle of word / 2^32 (2^64) turns. The highest two bits of the word and an eighth turn are the
// nearest quarter turn, the other bits of the word the signed distance from it, without an error.
template <class Word, class F>
TD_FN void sin_cos_turn(Word word, F& sine, F& cosine) {
  constexpr int bits = 8 * (int)sizeof(Word);
  constexpr Word quarter = (Word)1 << (bits - 2), highest = (Word)1 << (bits - 1);
  const Word sine_turn = word + quarter / 2, cosine_turn = sine_turn + quarter;
  F s, c;
  sin_cos_eighth(quarter_turns(word << 2), s, c);
  const bool odd = (sine_turn & quarter) != 0;
  sine = from_bits(bits_of(odd ? c : s) ^ (sine_turn & highest));
  cosine = from_bits(bits_of(odd ? s : c) ^ (cosine_turn & highest));
}

TD_FN f64 minus_twice_ln(f64 u) { return -2.0 * ln(u); }

struct PlainRoot {
  template <class F>
  TD_FN F of(F x) {
    return sqrt(x);
  }
};

// Elements 2k and 2k + 1 of the standard normal, from words (64-bit words for f64) 2k and 2k + 1. Root computes square
// roots of 0, -0 and of numbers in [2^-54, 2^8], correctly rounded; that of -0 may be 0.
template <class Root = PlainRoot, class F, class Word>
TD_FN void normal_pair(Word word0, Word word1, F& z0, F& z1) {
  F sine, cosine;
  sin_cos_turn(word1, sine, cosine);
  const F radius = Root::of(minus_twice_ln(open_uniform(word0)));
  z0 = radius * cosine;
  z1 = radius * sine;
}

// A standard normal to one of this mean and standard deviation.
TD_FN f32 scale_normal(f32 z, f32 mean, f32 deviation) { return fma(deviation, z, mean); }
TD_FN f64 scale_normal(f64 z, f64 mean, f64 deviation) { return mean + deviation * z; }

// ---- exponential ------------------------------------------------------------------------------------------------

// Exponential of mean 1, by inversion.
template <class Word>
TD_FN auto unit_exponential(Word word) {
  const auto u = open_uniform(word);
  return 0 - ln(u);
}

// ---- distributions by rejection ---------------------------------------------------------------------------------
// Of these an element has a block of four words of its own. Where an attempt is rejected, the next one takes the block
// that Philox makes of the last one as its counter. All is float64. A law has the functions
//   quick:   whether the block's attempt surely stands, without branches, and its value; false may mean anything. Laws
//            of counts have it where they are not inverted.
//   attempt: whether it stands

struct RandomBlock {
  u64 first, second;  // words 0 and 1, words 2 and 3; the earlier ones in the lower halves
};

TD_FN RandomBlock block_of(u64 seed, u64 c0, u64 c1, u64 c2, u64 c3) {
  philox<LowProduct>(c0, c1, c2, c3, (u32)seed, (u32)(seed >> 32));
  return {(c0 & 0xfffffffful) | c1 << 32, (c2 & 0xfffffffful) | c3 << 32};
}
// RandomBlock `index` of a stream, indices modulo 2^62.
TD_FN RandomBlock element_block(u64 seed, u64 stream, u64 index) {
  const u64 block = index & (~0ul >> 2);
  return block_of(seed, block, block >> 32, stream, stream >> 32);
}
TD_FN RandomBlock next_block(u64 seed, RandomBlock last) {
  return block_of(seed, last.first, last.first >> 32, last.second, last.second >> 32);
}

// e^x for x <= 709: x = k ln 2 + r, |r| <= ln 2 / 2, and Taylor's polynomial of degree 13, whose remainder is below
// 2^-57.
TD_FN f64 e_to(f64 x) {
  const f64 bounded = x < -750.0 ? -750.0 : x;  // 0 from there on
  const f64 k = (bounded * 1.4426950408889634 + 0x1.8p52) - 0x1.8p52;
  const f64 r = (bounded - k * 0.69314718055989033) - k * 5.4979230187083712e-14;
  f64 p = 1.6059043836821613e-10;
  p = p * r + 2.0876756987868099e-09;
  p = p * r + 2.505210838544172e-08;
  p = p * r + 2.7557319223985888e-07;
  p = p * r + 2.7557319223985893e-06;
  p = p * r + 2.4801587301587302e-05;
  p = p * r + 0.00019841269841269841;
  p = p * r + 0.0013888888888888889;
  p = p * r + 0.0083333333333333332;
  p = p * r + 0.041666666666666664;
  p = p * r + 0.16666666666666666;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  // Two factors: each is normal, and the second product is the only one that rounds.
  const f64 half = (k * 0.5 + 0x1.8p52) - 0x1.8p52;
  return p * power_of_two(half) * power_of_two(k - half);
}

// ln(1 + x) for x > -1, after Kahan: the error of 1 + x cancels in the quotient.
TD_FN f64 ln_one_plus(f64 x) {
  const f64 u = 1.0 + x;
  return u == 1.0 ? x : ln(u) * (x / (u - 1.0));
}

// ln x! - ((x + 1/2) ln x - x + ln(2 pi) / 2) for whole x >= 1; from 16 on Stirling's series, as Loader: Fast and
// accurate computation of binomial probabilities, 2000, does it.
TD_FN f64 stirling_error(f64 x) {
  if (x >= 16.0) {
    const f64 z = 1.0 / (x * x);
    f64 s = 0.00084175084175084171;  // 1/1188
    s = 0.00059523809523809529 - s * z;
    s = 0.00079365079365079365 - s * z;
    s = 0.0027777777777777779 - s * z;
    s = 0.083333333333333329 - s * z;
    return s / x;
  }
  f64 factorial = 1.0;
  for (f64 factor = 2.0; factor <= x; factor += 1.0) factorial *= factor;
  return ln(factorial) - ((x + 0.5) * ln(x) - x + 0.91893853320467278);
}

// x ln(x / mean) + mean - x for x > 0, without cancellation where x is near the mean (Loader's bd0).
TD_FN f64 deviance(f64 x, f64 mean) {
  const f64 distance = x - mean, sum = x + mean;
  if ((distance < 0 ? -distance : distance) >= 0.1 * sum) return x * ln(x / mean) + mean - x;
  const f64 v = distance / sum, z = v * v;
  f64 s = 0.058823529411764705;  // 1/17
  s = s * z + 0.066666666666666666;
  s = s * z + 0.076923076923076927;
  s = s * z + 0.090909090909090912;
  s = s * z + 0.1111111111111111;
  s = s * z + 0.14285714285714285;
  s = s * z + 0.20000000000000001;
  s = s * z + 0.33333333333333331;
  return distance * v + 2.0 * x * v * z * s;
}

// Gamma by Marsaglia and Tsang: A simple method for generating gamma variables, 2000. A shape below 1 is drawn as
// shape + 1 and multiplied by U^(1 / shape).
struct GammaLaw {
  f64 d, c, scale;
  f64 power;  // 1 / shape if that is above 1, else 0

  TD_FN GammaLaw of(f64 shape, f64 scale) {
    const bool small = shape < 1.0;
    const f64 d = (small ? shape + 1.0 : shape) - 0.33333333333333331, inverse = 1.0 / shape;
    return {d, 1.0 / sqrt(9.0 * d), scale, !small ? 0.0 : inverse < 1e300 ? inverse : 1e300};
  }
  // Here nothing is quicker than the whole.
  TD_FN bool quick(const GammaLaw& law, RandomBlock block, f64& value) { return attempt(law, block, value); }
  TD_FN bool attempt(const GammaLaw& law, RandomBlock block, f64& value) {
    f64 sine, cosine;
    sin_cos_turn(block.second << 32, sine, cosine);
    const f64 x = sqrt(minus_twice_ln(open_uniform(block.first))) * cosine;
    const f64 t = 1.0 + law.c * x, v = t * t * t;
    const f64 u = (to_f64(block.second >> 32) + 0.5) * 0x1p-32;
    value = law.d * v * law.scale;
    const f64 bound = 0.5 * x * x + law.d * (1.0 - v + ln(v));
    return ln(u) < blend(t > 0.0, bound, -1e300);
  }
  // What a value is multiplied by, a function of the element's index: its block is far from those that have attempts.
  static constexpr u64 distance = 1ul << 61;
  TD_FN f64 factor(const GammaLaw& law, RandomBlock block) { return e_to(ln(open_uniform(block.first)) * law.power); }
  TD_FN f64 finish(const GammaLaw& law, u64 seed, u64 stream, u64 index, f64 value) {
    return law.power == 0.0 ? value : value * factor(law, element_block(seed, stream, index + distance));
  }
};

// What the two laws of counts share: the hat of Hormann's transformed rejection with squeeze, at u in [-1/2, 1/2).
struct CountHat {
  f64 a, b, center, squeeze;

  TD_FN f64 distance(f64 u) { return 0.5 - (u < 0 ? -u : u); }
  TD_FN f64 count(const CountHat& hat, f64 u) { return floor((2.0 * hat.a / distance(u) + hat.b) * u + hat.center); }
  TD_FN bool inside(const CountHat& hat, f64 u, f64 v) { return v <= blend(distance(u) >= 0.07, hat.squeeze, -1.0); }
  // ln of the hat's density at u, but for a constant.
  TD_FN f64 height(const CountHat& hat, f64 u) { return ln(hat.a / (distance(u) * distance(u)) + hat.b); }
};

constexpr f64 ln_of_two_pi = 1.8378770664093456;
constexpr f64 largest_inverted = 32.0;  // mean up to which counts are found by inversion
constexpr f64 largest_count = 200.0;    // beyond it inverted counts have no probability in float64

// The count at u in [0, 1) of a law with the functions inverted (whether that is the way), first_term (probability of
// 0), ratio (of the probabilities of k + 1 and k) and last (greatest count): the number of sums of the first 1, 2, ...
// probabilities that are not above u.
template <class Law>
TD_FN f64 invert(const Law& law, f64 u) {
  const f64 last = Law::last(law);
  f64 k = 0.0, term = Law::first_term(law), sum = term;
  while (u >= sum && k < last) {
    term = term * Law::ratio(law, k);
    sum += term;
    k += 1.0;
  }
  return k;
}

// Poisson: by inversion for small means, else PTRS of Hormann: The transformed rejection method for generating Poisson
// random variables, 1993, with Loader's form of the probabilities, which keeps its accuracy for large means.
struct PoissonLaw {
  f64 mean, none;  // none: probability of 0
  f64 offset;      // of the hat's logarithm
  CountHat hat;

  TD_FN PoissonLaw of(f64 mean, f64) {
    const f64 b = 0.931 + 2.53 * sqrt(mean);
    return {mean, e_to(-mean), ln(1.1239 + 1.1328 / (b - 3.4)),
            {-0.059 + 0.02483 * b, b, mean + 0.43, 0.9277 - 3.6224 / (b - 2.0)}};
  }
  TD_FN bool inverted(const PoissonLaw& law) { return law.mean < largest_inverted; }
  TD_FN f64 first_term(const PoissonLaw& law) { return law.none; }
  TD_FN f64 ratio(const PoissonLaw& law, f64 k) { return law.mean / (k + 1.0); }
  TD_FN f64 last(const PoissonLaw&) { return largest_count; }
  TD_FN f64 value_of(const PoissonLaw&, f64 count) { return count; }

  TD_FN bool quick(const PoissonLaw& law, RandomBlock block, f64& value) {
    const f64 u = unit_uniform(block.first) - 0.5;
    value = CountHat::count(law.hat, u);
    return CountHat::inside(law.hat, u, open_uniform(block.second));
  }
  TD_FN f64 ln_probability(const PoissonLaw& law, f64 k) {
    if (k == 0.0) return -law.mean;
    return -stirling_error(k) - deviance(k, law.mean) - 0.5 * (ln_of_two_pi + ln(k));
  }
  TD_FN bool attempt(const PoissonLaw& law, RandomBlock block, f64& value) {
    if (inverted(law)) {
      value = invert(law, unit_uniform(block.first));
      return true;
    }
    if (quick(law, block, value)) return true;
    const f64 u = unit_uniform(block.first) - 0.5, v = open_uniform(block.second);
    if (!(value >= 0.0)) return false;
    return ln(v) + law.offset - CountHat::height(law.hat, u) <= ln_probability(law, value);
  }
  TD_FN f64 finish(const PoissonLaw&, u64, u64, u64, f64 value) { return value; }
};

// Binomial: by inversion for small means, else BTRS of Hormann: The generation of binomial random variates, 1993. A
// probability above 1/2 is that of the failures.
struct BinomialLaw {
  f64 trials, p;  // p <= 1/2
  f64 none, odds;
  f64 offset;
  CountHat hat;
  f64 base, sign;  // the value is base + sign * count

  TD_FN BinomialLaw of(f64 trials, f64 probability) {
    const bool failures = probability > 0.5;
    const f64 p = failures ? 1.0 - probability : probability, q = 1.0 - p;
    const f64 deviation = sqrt(trials * p * q), b = 1.15 + 2.53 * deviation;
    BinomialLaw law = {trials, p, e_to(trials * ln_one_plus(-p)), p / q, 0.0,
                       {-0.0873 + 0.0248 * b + 0.01 * p, b, trials * p + 0.5, 0.92 - 4.2 / b},
                       failures ? trials : 0.0, failures ? -1.0 : 1.0};
    if (!inverted(law))
      law.offset = ln((2.83 + 5.1 / b) * deviation) + ln_probability(law, floor((trials + 1.0) * p));
    return law;
  }
  TD_FN bool inverted(const BinomialLaw& law) { return law.trials * law.p < largest_inverted; }
  TD_FN f64 first_term(const BinomialLaw& law) { return law.none; }
  TD_FN f64 ratio(const BinomialLaw& law, f64 k) { return (law.trials - k) / (k + 1.0) * law.odds; }
  TD_FN f64 last(const BinomialLaw& law) { return law.trials < largest_count ? law.trials : largest_count; }
  TD_FN f64 value_of(const BinomialLaw& law, f64 count) { return law.base + law.sign * count; }

  TD_FN bool quick(const BinomialLaw& law, RandomBlock block, f64& value) {
    const f64 u = unit_uniform(block.first) - 0.5;
    value = value_of(law, CountHat::count(law.hat, u));
    return CountHat::inside(law.hat, u, open_uniform(block.second));
  }
  TD_FN f64 ln_probability(const BinomialLaw& law, f64 k) {
    const f64 n = law.trials, others = n - k;
    if (k == 0.0) return n * ln_one_plus(-law.p);
    if (others == 0.0) return n * ln(law.p);
    return stirling_error(n) - stirling_error(k) - stirling_error(others) - deviance(k, n * law.p) -
           deviance(others, n * (1.0 - law.p)) + 0.5 * (ln(n / k / others) - ln_of_two_pi);
  }
  TD_FN bool attempt(const BinomialLaw& law, RandomBlock block, f64& value) {
    if (inverted(law)) {
      value = value_of(law, invert(law, unit_uniform(block.first)));
      return true;
    }
    if (quick(law, block, value)) return true;
    const f64 u = unit_uniform(block.first) - 0.5, v = open_uniform(block.second);
    const f64 k = CountHat::count(law.hat, u);
    if (!(k >= 0.0 && k <= law.trials)) return false;
    return ln(v) + law.offset - CountHat::height(law.hat, u) <= ln_probability(law, k);
  }
  TD_FN f64 finish(const BinomialLaw&, u64, u64, u64, f64 value) { return value; }
};

// Element `index` of a stream; `block` is its own one.
template <class Law>
TD_FN f64 draw_from(const Law& law, u64 seed, u64 stream, u64 index, RandomBlock block) {
  f64 value;
  while (!Law::attempt(law, block, value)) block = next_block(seed, block);
  return Law::finish(law, seed, stream, index, value);
}
template <class Law>
TD_FN f64 draw_from(const Law& law, u64 seed, u64 stream, u64 index) {
  return draw_from(law, seed, stream, index, element_block(seed, stream, index));
}

// ---- integers ---------------------------------------------------------------------------------------------------

// low + floor(word * span / 2^64), modulo 2^64; span 0 stands for 2^64.
TD_FN u64 random_integer(u64 word, u64 low, u64 span) {
  return low + (span == 0 ? word : random_detail::high_product(word, span));
}

}  // namespace scalar
}  // namespace tandem
#endif
