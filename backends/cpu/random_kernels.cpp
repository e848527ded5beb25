// Random numbers, compiled once per instruction set: Philox on vectors, then the formulas of random_formulas.h in loops
// that the compiler vectorizes. Everything here has internal linkage but fill_random.
#include "random_kernels.hpp"

#include <immintrin.h>

#include "libm.hpp"

#include <tandem/scalar.h>

#include <tandem/random_formulas.h>

namespace tandem::cpu::TD_ISA {

using namespace tandem::scalar;

namespace {

#if defined(__AVX512F__)
constexpr int lanes = 8;
#elif defined(__AVX2__)
constexpr int lanes = 4;
#else
constexpr int lanes = 2;
#endif

typedef u64 Lanes __attribute__((vector_size(8 * lanes), may_alias));

// Left to itself the compiler multiplies all 64 bits.
struct VectorLowProduct {
  TD_FN Lanes of(Lanes a, u64 b) {
#if defined(__AVX512F__)
    // The unmasked form makes g++ 12 warn of an uninitialized value of its own.
    return (Lanes)_mm512_maskz_mul_epu32(0xff, (__m512i)a, (__m512i)(Lanes{} + b));
#elif defined(__AVX2__)
    return (Lanes)_mm256_mul_epu32((__m256i)a, (__m256i)(Lanes{} + b));
#else
    return (Lanes)_mm_mul_epu32((__m128i)a, (__m128i)(Lanes{} + b));
#endif
  }
};

// Elements made at a time; their words and values stay in the L1 cache.
constexpr i64 chunk = 1024;

// Writes `count` (a multiple of `lanes`) blocks of words from block `first` on; block numbers are modulo 2^62.
void fill_words(const td_random& random, u64 first, i64 count, void* words) {
  Lanes numbers;
  for (int lane = 0; lane < lanes; ++lane) numbers[lane] = first + lane;
  Lanes* out = static_cast<Lanes*>(words);
  for (i64 i = 0; i < count; i += lanes, numbers += lanes, out += 2) {
    Lanes c0 = numbers & (~0ul >> 2), c1 = c0 >> 32, c2 = Lanes{} + random.stream, c3 = c2 >> 32;
    philox<VectorLowProduct>(c0, c1, c2, c3, static_cast<u32>(random.seed), static_cast<u32>(random.seed >> 32));
    const Lanes low = (c0 & 0xfffffffful) | (c1 << 32), high = (c2 & 0xfffffffful) | (c3 << 32);
#if defined(__AVX512F__)
    out[0] = __builtin_shufflevector(low, high, 0, 8, 1, 9, 2, 10, 3, 11);
    out[1] = __builtin_shufflevector(low, high, 4, 12, 5, 13, 6, 14, 7, 15);
#elif defined(__AVX2__)
    out[0] = __builtin_shufflevector(low, high, 0, 4, 1, 5);
    out[1] = __builtin_shufflevector(low, high, 2, 6, 3, 7);
#else
    out[0] = __builtin_shufflevector(low, high, 0, 2);
    out[1] = __builtin_shufflevector(low, high, 1, 3);
#endif
  }
}

void store_streaming(void* to, Lanes value) {
#if defined(__AVX512F__)
  _mm512_stream_si512(static_cast<__m512i*>(to), (__m512i)value);
#elif defined(__AVX2__)
  _mm256_stream_si256(static_cast<__m256i*>(to), (__m256i)value);
#else
  _mm_stream_si128(static_cast<__m128i*>(to), (__m128i)value);
#endif
}

void copy_bytes(void* to, const void* from, i64 bytes, bool streaming) {
  char* target = static_cast<char*>(to);
  const char* source = static_cast<const char*>(from);
  if (streaming) {
    const i64 head = -reinterpret_cast<i64>(target) & (static_cast<i64>(sizeof(Lanes)) - 1);
    if (head < bytes) {
      __builtin_memcpy(target, source, head);
      target += head, source += head, bytes -= head;
      for (; bytes >= static_cast<i64>(sizeof(Lanes)); bytes -= sizeof(Lanes)) {
        Lanes value;
        __builtin_memcpy(&value, source, sizeof value);
        store_streaming(target, value);
        target += sizeof value, source += sizeof value;
      }
    }
  }
  __builtin_memcpy(target, source, bytes);
}

// Elements [begin, end) in chunks that start at a Philox block: transform(words, values, count) makes `count` values
// from as many words of type Word.
template <class Word, class Out, class Transform>
void fill_with(const td_random& random, i64 begin, i64 end, void* out, bool streaming, Transform transform) {
  constexpr i64 per_block = 16 / sizeof(Word), step = per_block * lanes;
  alignas(64) Word words[chunk];
  alignas(64) Out values[chunk];
  u64 index = random.offset + static_cast<u64>(begin);
  i64 skip = index % per_block;
  index -= skip;
  for (i64 at = begin; at < end;) {
    const i64 count = chunk - skip < end - at ? chunk - skip : end - at;
    const i64 made = (skip + count + step - 1) / step * step;
    fill_words(random, index * (sizeof(Word) / 4) >> 2, made / per_block, words);
    transform(words, values, made);
    copy_bytes(static_cast<Out*>(out) + at, values + skip, count * sizeof(Out), streaming);
    at += count;
    index += chunk;
    skip = 0;
  }
  if (streaming) _mm_sfence();
}

template <class Word>
void fill_bits(const td_random& random, i64 begin, i64 end, void* out, bool streaming) {
  fill_with<Word, Word>(random, begin, end, out, streaming, [](const Word* words, Word* values, i64 count) {
    __builtin_memcpy(values, words, count * sizeof(Word));
  });
}

template <class T>
struct Float {
  typedef T Compute;
  typedef u32 Word;
  TD_FN T round_down(f32 x) { return x; }
};
template <>
struct Float<f64> {
  typedef f64 Compute;
  typedef u64 Word;
  TD_FN f64 round_down(f64 x) { return x; }
};
template <>
struct Float<f16> {
  typedef f32 Compute;
  typedef u32 Word;
  TD_FN f16 round_down(f32 x) { return f16{round_down_f16(x)}; }
};
template <>
struct Float<bf16> {
  typedef f32 Compute;
  typedef u32 Word;
  TD_FN bf16 round_down(f32 x) { return bf16{round_down_bf16(x)}; }
};

template <class T>
void fill_uniform(const td_random& random, i64 begin, i64 end, void* out, bool streaming) {
  typedef typename Float<T>::Compute F;
  typedef typename Float<T>::Word Word;
  const F low = cast<F>(cast<T>(random.low)), high = cast<F>(cast<T>(random.high));
  const F width = high - low, bound = uniform_bound(low, high);
  fill_with<Word, T>(random, begin, end, out, streaming, [=](const Word* words, T* values, i64 count) {
    for (i64 i = 0; i < count; ++i) {
      values[i] = Float<T>::round_down(scale_uniform(unit_uniform(words[i]), low, width, bound));
    }
  });
}

template <class T>
void fill_normal(const td_random& random, i64 begin, i64 end, void* out, bool streaming) {
  typedef typename Float<T>::Compute F;
  typedef typename Float<T>::Word Word;
  const F mean = static_cast<F>(random.low), deviation = static_cast<F>(random.high);
  fill_with<Word, T>(random, begin, end, out, streaming, [=](const Word* words, T* values, i64 count) {
    for (i64 i = 0; i < count; i += 2) {
      F z0, z1;
      normal_pair(words[i], words[i + 1], z0, z1);
      values[i] = cast<T>(scale_normal(z0, mean, deviation));
      values[i + 1] = cast<T>(scale_normal(z1, mean, deviation));
    }
  });
}

template <class T>
void fill_integers(const td_random& random, i64 begin, i64 end, void* out, bool streaming) {
  const u64 low = static_cast<u64>(random.low_int), span = random.span;
  fill_with<u64, T>(random, begin, end, out, streaming, [=](const u64* words, T* values, i64 count) {
    for (i64 i = 0; i < count; ++i) values[i] = static_cast<T>(random_integer(words[i], low, span));
  });
}

template <class T>
void fill_exponential(const td_random& random, i64 begin, i64 end, void* out, bool streaming) {
  typedef typename Float<T>::Compute F;
  typedef typename Float<T>::Word Word;
  const F mean = static_cast<F>(random.low);
  fill_with<Word, T>(random, begin, end, out, streaming, [=](const Word* words, T* values, i64 count) {
    for (i64 i = 0; i < count; ++i) values[i] = cast<T>(mean * unit_exponential(words[i]));
  });
}

// The counts of an inverted law in a table: invert's sums, and where to begin for the first bits of u.
template <class Law>
class CountTable {
 public:
  explicit CountTable(const Law& law) : last_(static_cast<int>(Law::last(law))) {
    if (!Law::inverted(law)) return;
    f64 term = Law::first_term(law), sum = term;
    for (int k = 0; k < last_; ++k) {
      sums_[k] = sum;
      term = term * Law::ratio(law, k);
      sum += term;
    }
    int k = 0;
    for (int i = 0; i < starts; ++i) {
      while (k < last_ && sums_[k] <= static_cast<f64>(i) / starts) ++k;
      start_[i] = static_cast<u8>(k);
    }
  }
  f64 count(f64 u) const {
    int k = start_[static_cast<int>(u * starts)];
    while (k < last_ && u >= sums_[k]) ++k;
    return k;
  }

 private:
  static constexpr int starts = 256;
  const int last_;
  f64 sums_[static_cast<int>(largest_count)];
  u8 start_[starts];
};

template <>
class CountTable<GammaLaw> {
 public:
  explicit CountTable(const GammaLaw&) {}
};

// Values of `count` elements from `index` on, whose blocks are given, with common parameters: first what a loop over
// vectors settles, then the others one by one.
template <class Law>
void draw_common(const Law& common, const CountTable<Law>& table, const td_random& random, u64 index, i64 count,
                 const RandomBlock* blocks, f64* values) {
  const Law law = common;  // which the values do not alias
  if constexpr (!is_same<Law, GammaLaw>) {
    if (Law::inverted(law)) {
      for (i64 i = 0; i < count; ++i) values[i] = Law::value_of(law, table.count(unit_uniform(blocks[i].first)));
      return;
    }
  }
  i64 settled[chunk];
  for (i64 i = 0; i < count; ++i) settled[i] = Law::quick(law, blocks[i], values[i]);
  if constexpr (is_same<Law, GammaLaw>) {
    if (law.power != 0) {
      alignas(64) RandomBlock others[chunk];
      fill_words(random, index + Law::distance, (count + lanes - 1) / lanes * lanes, others);
      for (i64 i = 0; i < count; ++i) values[i] *= Law::factor(law, others[i]);
    }
  }
  for (i64 i = 0; i < count; ++i) {
    const u64 at = index + static_cast<u64>(i);
    if (!settled[i]) values[i] = draw_from(law, random.seed, random.stream, at, blocks[i]);
  }
}

template <class T, class Law>
void fill_law(const td_random& random, i64 begin, i64 end, void* out, bool streaming) {
  alignas(64) RandomBlock blocks[chunk];
  f64 values[chunk];
  T results[chunk];
  const Law common = Law::of(random.low, random.high);
  const CountTable<Law> table(common);
  for (i64 at = begin; at < end; at += chunk) {
    const i64 count = end - at < chunk ? end - at : chunk;
    const u64 index = random.offset + static_cast<u64>(at);
    fill_words(random, index, (count + lanes - 1) / lanes * lanes, blocks);
    if (random.lows == nullptr) {
      draw_common(common, table, random, index, count, blocks, values);
    } else {
      for (i64 i = 0; i < count; ++i) {
        const Law law = Law::of(random.lows[at + i], random.highs == nullptr ? 0 : random.highs[at + i]);
        values[i] = draw_from(law, random.seed, random.stream, index + static_cast<u64>(i), blocks[i]);
      }
    }
    for (i64 i = 0; i < count; ++i) results[i] = cast<T>(values[i]);
    copy_bytes(static_cast<T*>(out) + at, results, count * sizeof(T), streaming);
  }
  if (streaming) _mm_sfence();
}

typedef void (*Fill)(const td_random&, i64, i64, void*, bool);

// choose(T()) for the type of a float dtype.
template <class Choose>
Fill of_float(td_dtype dtype, Choose choose) {
  switch (dtype) {
    case TD_FLOAT16: return choose(f16{});
    case TD_BFLOAT16: return choose(bf16{});
    case TD_FLOAT32: return choose(f32{});
    case TD_FLOAT64: return choose(f64{});
    default: return nullptr;
  }
}

template <class Law>
Fill find_counts(td_dtype dtype) {
  return dtype == TD_INT32 ? fill_law<i32, Law> : dtype == TD_INT64 ? fill_law<i64, Law> : nullptr;
}

Fill find_fill(td_distribution distribution, td_dtype dtype) {
  switch (distribution) {
    case TD_RANDOM_BITS:
      return dtype == TD_UINT32 ? fill_bits<u32> : dtype == TD_UINT64 ? fill_bits<u64> : nullptr;
    case TD_RANDOM_UNIFORM: return of_float(dtype, [](auto zero) -> Fill { return fill_uniform<decltype(zero)>; });
    case TD_RANDOM_NORMAL: return of_float(dtype, [](auto zero) -> Fill { return fill_normal<decltype(zero)>; });
    case TD_RANDOM_INTEGERS:
      switch (dtype) {
        case TD_INT8:
        case TD_UINT8: return fill_integers<u8>;
        case TD_INT16:
        case TD_UINT16: return fill_integers<u16>;
        case TD_INT32:
        case TD_UINT32: return fill_integers<u32>;
        case TD_INT64:
        case TD_UINT64: return fill_integers<u64>;
        default: return nullptr;
      }
    case TD_RANDOM_EXPONENTIAL:
      return of_float(dtype, [](auto zero) -> Fill { return fill_exponential<decltype(zero)>; });
    case TD_RANDOM_GAMMA: return of_float(dtype, [](auto zero) -> Fill { return fill_law<decltype(zero), GammaLaw>; });
    case TD_RANDOM_POISSON: return find_counts<PoissonLaw>(dtype);
    case TD_RANDOM_BINOMIAL: return find_counts<BinomialLaw>(dtype);
  }
  return nullptr;
}

}  // namespace

bool fill_random(const td_random& random, td_dtype dtype, int64_t begin, int64_t end, void* out, bool stream) {
  const Fill fill = find_fill(random.distribution, dtype);
  if (fill == nullptr) return false;
  fill(random, begin, end, out, stream);
  return true;
}

}  // namespace tandem::cpu::TD_ISA
