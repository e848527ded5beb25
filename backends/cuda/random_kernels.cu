// Random numbers: cuRAND's Philox at the logical index, then the formulas of random_formulas.h.
#include "random_kernels.hpp"

#pragma nv_diag_suppress 177  // of scalar.h, only some functions are used

#include <curand_philox4x32_x.h>

#include <tandem/scalar.h>

#include <tandem/random_formulas.h>

#include "quick.cuh"

namespace tandem::cuda {
namespace {

using namespace scalar;

constexpr int threads = 256;
constexpr int vectors = 4;  // a thread makes as many, for which the keys of Philox's rounds are computed once

/// What a thread makes: as many elements as fill one access.
template <class T>
struct alignas(16) Vector {
  static constexpr int length = 16 / sizeof(T);
  T elements[length];
};

__device__ uint4 philox_block(RandomPlace place, u64 block) {
  return curand_Philox4x32_10(make_uint4(u32(block), u32(block >> 32), u32(place.stream), u32(place.stream >> 32)),
                              make_uint2(u32(place.seed), u32(place.seed >> 32)));
}

/// The words of n indices from `first` on, a multiple of n; n words fill whole blocks.
template <int n>
__device__ void make_words(RandomPlace place, u64 first, u32 (&words)[n]) {
#pragma unroll
  for (int i = 0; i < n; i += 4) {
    const uint4 block = philox_block(place, (first + i) >> 2);
    words[i] = block.x, words[i + 1] = block.y, words[i + 2] = block.z, words[i + 3] = block.w;
  }
}
template <int n>
__device__ void make_words(RandomPlace place, u64 first, u64 (&words)[n]) {
#pragma unroll
  for (int i = 0; i < n; i += 2) {
    const uint4 block = philox_block(place, (2 * (first + i)) >> 2);
    words[i] = block.x | u64(block.y) << 32, words[i + 1] = block.z | u64(block.w) << 32;
  }
}

template <class T>
struct WordOf {
  typedef u32 type;
};
template <> struct WordOf<u64> { typedef u64 type; };
template <> struct WordOf<f64> { typedef u64 type; };

template <class T>
__device__ T round_down(compute_t<T> x) {
  if constexpr (is_same<T, f16>) return f16{round_down_f16(x)};
  else if constexpr (is_same<T, bf16>) return bf16{round_down_bf16(x)};
  else return x;
}

template <class T>
__device__ Vector<T> make(RandomPlace place, u64 first, RandomBits) {
  Vector<T> vector;
  make_words(place, first, vector.elements);
  return vector;
}

/// A vector whose elements come from one Word each.
template <class T, class Word, class Rule>
__device__ Vector<T> make_each(RandomPlace place, u64 first, Rule rule) {
  Vector<T> vector;
  Word words[Vector<T>::length];
  make_words(place, first, words);
#pragma unroll
  for (int i = 0; i < Vector<T>::length; ++i) vector.elements[i] = rule(words[i]);
  return vector;
}

template <class T>
__device__ Vector<T> make(RandomPlace place, u64 first, RandomUnit) {
  using Word = typename WordOf<T>::type;
  return make_each<T, Word>(place, first, [](Word word) { return round_down<T>(unit_uniform(word)); });
}

template <class T, class F>
__device__ Vector<T> make(RandomPlace place, u64 first, RandomUniform<F> rule) {
  using Word = typename WordOf<T>::type;
  return make_each<T, Word>(place, first, [rule](Word word) {
    return round_down<T>(scale_uniform(unit_uniform(word), rule.low, rule.width, rule.bound));
  });
}

struct QuickRoot {
  TD_FN f32 of(f32 x) {
    return refined_sqrt(x, approximate_reciprocal_sqrt(x < 0x1p-100f ? 0x1p-100f : x));  // 0 of 0
  }
  TD_FN f64 of(f64 x) { return sqrt(x); }
};

template <class T, class F>
__device__ Vector<T> make(RandomPlace place, u64 first, RandomNormal<F> rule) {
  Vector<T> vector;
  typename WordOf<T>::type words[Vector<T>::length];
  make_words(place, first, words);
#pragma unroll
  for (int i = 0; i < Vector<T>::length; i += 2) {
    F z0, z1;
    normal_pair<QuickRoot>(words[i], words[i + 1], z0, z1);
    vector.elements[i] = cast<T>(scale_normal(z0, rule.mean, rule.deviation));
    vector.elements[i + 1] = cast<T>(scale_normal(z1, rule.mean, rule.deviation));
  }
  return vector;
}

template <class T>
__device__ Vector<T> make(RandomPlace place, u64 first, RandomIntegers rule) {
  return make_each<T, u64>(place, first, [rule](u64 word) { return T(random_integer(word, rule.low, rule.span)); });
}

template <class T, class F>
__device__ Vector<T> make(RandomPlace place, u64 first, RandomExponential<F> rule) {
  using Word = typename WordOf<T>::type;
  return make_each<T, Word>(place, first, [rule](Word word) { return cast<T>(rule.mean * unit_exponential(word)); });
}

/// Writes a block's elements, of which the first belongs to out[position] (which may lie before out), so that all but
/// the first and the last few accesses are whole vectors.
template <class T>
__device__ void store_shifted(const T* made, i64 position, T* out, i64 count) {
  constexpr int length = Vector<T>::length;
  const i64 begin = position < 0 ? 0 : position;
  const i64 end = position + threads * length < count ? position + threads * length : count;
  const int unaligned = int(-reinterpret_cast<u64>(out + begin) & 15) / int(sizeof(T));
  const i64 head = begin + unaligned < end ? begin + unaligned : end;
  const i64 tail = head + (end - head) / length * length;
  const int thread = threadIdx.x;
  if (const i64 at = head + i64(thread) * length; at < tail) {
    Vector<T> vector;
#pragma unroll
    for (int i = 0; i < length; ++i) vector.elements[i] = made[at - position + i];
    *reinterpret_cast<Vector<T>*>(out + at) = vector;
  }
  if (begin + thread < head) out[begin + thread] = made[begin + thread - position];
  if (tail + thread < end) out[tail + thread] = made[tail + thread - position];
}

/// Vectors are made for indices that are multiples of their length; `skip` elements of the first lie before the output.
template <class T, class Rule>
__global__ void __launch_bounds__(threads) fill(RandomPlace place, Rule rule, T* out, i64 count, int skip) {
  constexpr int length = Vector<T>::length;
  __shared__ Vector<T> shared[threads];
  const i64 first = i64(blockIdx.x) * threads * vectors, mine = (first + threadIdx.x) * length;
  const u64 index = place.offset - skip + u64(mine);
  const bool aligned = skip == 0 && (reinterpret_cast<u64>(out) & 15) == 0;
  if (aligned && (first + threads * vectors) * length <= count) {
#pragma unroll
    for (int i = 0; i < vectors; ++i) {
      const int ahead = i * threads * length;
      *reinterpret_cast<Vector<T>*>(out + mine + ahead) = make<T>(place, index + ahead, rule);
    }
    return;
  }
#pragma unroll 1
  for (int i = 0; i < vectors; ++i) {
    const i64 position = (first + i * threads) * length - skip;
    if (position >= count) return;
    __syncthreads();
    shared[threadIdx.x] = make<T>(place, index + i * threads * length, rule);
    __syncthreads();
    store_shifted(shared[0].elements, position, out, count);
  }
}

template <RandomLaw law>
struct LawOf;
template <> struct LawOf<RandomLaw::gamma> { typedef GammaLaw type; };
template <> struct LawOf<RandomLaw::poisson> { typedef PoissonLaw type; };
template <> struct LawOf<RandomLaw::binomial> { typedef BinomialLaw type; };

/// A thread makes elements one grid apart, so that it works out common parameters once.
template <class T, class Law>
__global__ void __launch_bounds__(threads) fill_by_rejection(RandomPlace place, LawParameters parameters, T* out,
                                                             i64 count) {
  Law law = Law::of(parameters.low, parameters.high);
  for (i64 at = i64(blockIdx.x) * threads + threadIdx.x; at < count; at += i64(gridDim.x) * threads) {
    if (parameters.lows != nullptr)
      law = Law::of(parameters.lows[at], parameters.highs == nullptr ? 0 : parameters.highs[at]);
    out[at] = cast<T>(draw_from(law, place.seed, place.stream, place.offset + u64(at)));
  }
}

}  // namespace

template <class T, RandomLaw law>
cudaError_t fill_law(cudaStream_t stream, RandomPlace place, const LawParameters& parameters, T* out,
                     std::int64_t count) {
  constexpr std::int64_t most_blocks = 4096;
  const std::int64_t blocks = (count + threads - 1) / threads;
  fill_by_rejection<T, typename LawOf<law>::type>
      <<<unsigned(blocks < most_blocks ? blocks : most_blocks), threads, 0, stream>>>(place, parameters, out, count);
  return cudaGetLastError();
}

template <class T, class Rule>
cudaError_t fill_random(cudaStream_t stream, RandomPlace place, Rule rule, T* out, std::int64_t count) {
  constexpr int length = Vector<T>::length;
  const int skip = int(place.offset % length);
  constexpr int elements = threads * vectors * length;
  const std::int64_t blocks = (count + skip + elements - 1) / elements;
  fill<T, Rule><<<unsigned(blocks), threads, 0, stream>>>(place, rule, out, count, skip);
  return cudaGetLastError();
}

#define TD_INSTANCE(T, Rule) template cudaError_t fill_random(cudaStream_t, RandomPlace, Rule, T*, std::int64_t);
TD_INSTANCE(u32, RandomBits)
TD_INSTANCE(u64, RandomBits)
TD_INSTANCE(f16, RandomUnit)
TD_INSTANCE(bf16, RandomUnit)
TD_INSTANCE(f32, RandomUnit)
TD_INSTANCE(f64, RandomUnit)
TD_INSTANCE(f16, RandomUniform<f32>)
TD_INSTANCE(bf16, RandomUniform<f32>)
TD_INSTANCE(f32, RandomUniform<f32>)
TD_INSTANCE(f64, RandomUniform<f64>)
TD_INSTANCE(f16, RandomNormal<f32>)
TD_INSTANCE(bf16, RandomNormal<f32>)
TD_INSTANCE(f32, RandomNormal<f32>)
TD_INSTANCE(f64, RandomNormal<f64>)
TD_INSTANCE(u8, RandomIntegers)
TD_INSTANCE(u16, RandomIntegers)
TD_INSTANCE(u32, RandomIntegers)
TD_INSTANCE(u64, RandomIntegers)
TD_INSTANCE(f16, RandomExponential<f32>)
TD_INSTANCE(bf16, RandomExponential<f32>)
TD_INSTANCE(f32, RandomExponential<f32>)
TD_INSTANCE(f64, RandomExponential<f64>)
#undef TD_INSTANCE
#define TD_INSTANCE(T, law) \
  template cudaError_t fill_law<T, RandomLaw::law>(cudaStream_t, RandomPlace, const LawParameters&, T*, std::int64_t);
TD_INSTANCE(f16, gamma)
TD_INSTANCE(bf16, gamma)
TD_INSTANCE(f32, gamma)
TD_INSTANCE(f64, gamma)
TD_INSTANCE(i32, poisson)
TD_INSTANCE(i64, poisson)
TD_INSTANCE(i32, binomial)
TD_INSTANCE(i64, binomial)
#undef TD_INSTANCE

}  // namespace tandem::cuda
