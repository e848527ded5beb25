// The CPU backend's random numbers: Philox against its known answers and Random123, the verb against the formulas one
// element at a time, the formulas against their definitions, and everything alike at every instruction set.
#include <gtest/gtest.h>
#include <math.h>

#include <Random123/philox.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <tandem/scalar.h>

#include <tandem/random_formulas.h>

#include "../backends/cpu/random_kernels.hpp"
#include "../backends/cpu/verbs.hpp"

namespace {

using namespace tandem;
namespace sc = tandem::scalar;

constexpr td_dtype float_dtypes[] = {TD_FLOAT16, TD_BFLOAT16, TD_FLOAT32, TD_FLOAT64};
constexpr std::size_t size_of(td_dtype dtype) {
  constexpr std::size_t sizes[] = {
#define X(NAME, type, text, bytes) bytes,
      TD_DTYPES(X)
#undef X
  };
  return sizes[dtype];
}

using Bytes = std::vector<unsigned char>;

Bytes draw(const td_random& random, td_dtype dtype, std::int64_t count) {
  Bytes bytes(count * size_of(dtype));
  const std::int64_t shape[] = {count}, strides[] = {1};
  const td_view view{bytes.data(), dtype, 1, shape, strides};
  td_error error{};
  EXPECT_EQ(cpu::random(nullptr, &random, &view, &error), TD_OK) << error.message;
  return bytes;
}

template <class T>
std::vector<T> draw_as(const td_random& random, td_dtype dtype, std::int64_t count) {
  const Bytes bytes = draw(random, dtype, count);
  std::vector<T> values(count);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

td_random bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t offset) {
  return {TD_RANDOM_BITS, seed, stream, offset, 0, 0, 0, 0};
}
td_random uniform(double low, double high, std::uint64_t offset = 0) {
  return {TD_RANDOM_UNIFORM, 42, 7, offset, low, high, 0, 0};
}
td_random normal(double mean, double deviation, std::uint64_t offset = 0) {
  return {TD_RANDOM_NORMAL, 42, 7, offset, mean, deviation, 0, 0};
}
td_random integers(std::int64_t low, std::uint64_t span) { return {TD_RANDOM_INTEGERS, 42, 7, 0, 0, 0, low, span}; }

/// One of each kind of draw.
struct Kind {
  td_random random;
  td_dtype dtype;
};
std::vector<Kind> kinds() {
  std::vector<Kind> all = {{bits(42, 7, 0), TD_UINT32}, {bits(42, 7, 0), TD_UINT64}};
  for (const td_dtype dtype : float_dtypes) {
    all.push_back({uniform(-3, 5), dtype});
    all.push_back({normal(0.5, 2), dtype});
  }
  for (const td_dtype dtype :
       {TD_INT8, TD_INT16, TD_INT32, TD_INT64, TD_UINT8, TD_UINT16, TD_UINT32, TD_UINT64}) {
    all.push_back({integers(3, 100), dtype});
  }
  const auto law = [](td_distribution distribution, double low, double high) {
    return td_random{distribution, 42, 7, 0, low, high, 0, 0, nullptr, nullptr};
  };
  for (const td_dtype dtype : float_dtypes) {
    all.push_back({law(TD_RANDOM_EXPONENTIAL, 2, 0), dtype});
    for (const double shape : {0.4, 2.5}) all.push_back({law(TD_RANDOM_GAMMA, shape, 3), dtype});
  }
  for (const td_dtype dtype : {TD_INT32, TD_INT64}) {
    for (const double mean : {7.5, 345.6}) all.push_back({law(TD_RANDOM_POISSON, mean, 0), dtype});
    for (const double trials : {30.0, 3000.0}) all.push_back({law(TD_RANDOM_BINOMIAL, trials, 0.7), dtype});
  }
  return all;
}

// ---- Philox -----------------------------------------------------------------------------------------------------

TEST(CpuRandom, KnownAnswersOfPhilox) {
  struct Case {
    std::uint64_t seed, stream, block;
    std::uint32_t words[4];
  };
  // The vectors "philox4x32 10" of Random123's kat_vectors.
  const Case cases[] = {
      {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {~0ull, ~0ull, ~0ull, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  for (const Case& c : cases) {
    sc::u32 words[4];
    sc::random_block(c.seed, c.stream, c.block, words);
    for (int j = 0; j < 4; ++j) EXPECT_EQ(words[j], c.words[j]);
  }
}

TEST(CpuRandom, BitsAreRandom123AtEveryOffset) {
  const std::uint64_t offsets[] = {0,           1,           2,           3,         4095,         (1ull << 32) - 5,
                                   (1ull << 34) - 7, (1ull << 63) - 3, ~0ull - 8, 123456789012345};
  const std::uint64_t seed = 0x0123456789abcdef, stream = 0xfedcba9876543210;
  const auto word = [&](std::uint64_t j) {
    const r123::Philox4x32::ctr_type counter{{static_cast<std::uint32_t>(j >> 2), static_cast<std::uint32_t>(j >> 34),
                                              static_cast<std::uint32_t>(stream),
                                              static_cast<std::uint32_t>(stream >> 32)}};
    const r123::Philox4x32::key_type key{{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
    return r123::Philox4x32()(counter, key)[j & 3];
  };
  for (const std::uint64_t offset : offsets) {
    for (const std::int64_t count : {1, 2, 5, 63, 1023, 1024, 1025, 3000}) {
      const auto words = draw_as<std::uint32_t>(bits(seed, stream, offset), TD_UINT32, count);
      const auto doubles = draw_as<std::uint64_t>(bits(seed, stream, offset), TD_UINT64, count);
      for (std::int64_t i = 0; i < count; ++i) {
        const std::uint64_t element = offset + i;
        ASSERT_EQ(words[i], word(element)) << offset << " + " << i;
        ASSERT_EQ(doubles[i], word(2 * element) | std::uint64_t{word(2 * element + 1)} << 32) << offset << " + " << i;
        ASSERT_EQ(sc::random_word(seed, stream, element), words[i]);
        ASSERT_EQ(sc::random_word64(seed, stream, element), doubles[i]);
      }
    }
  }
}

// ---- every kind -------------------------------------------------------------------------------------------------

TEST(CpuRandom, PiecesMakeTheWhole) {
  constexpr std::int64_t count = 40000;  // several threads' shares
  for (const Kind& kind : kinds()) {
    const Bytes whole = draw(kind.random, kind.dtype, count);
    Bytes pieces;
    std::int64_t begin = 0;
    for (const std::int64_t length : {1, 2, 3, 5, 1021, 1024, 16384, 21560}) {
      td_random random = kind.random;
      random.offset = begin;
      const Bytes piece = draw(random, kind.dtype, length);
      pieces.insert(pieces.end(), piece.begin(), piece.end());
      begin += length;
    }
    ASSERT_EQ(begin, count);
    EXPECT_EQ(whole, pieces) << "distribution " << kind.random.distribution << ", dtype " << kind.dtype;
  }
}

TEST(CpuRandom, LargeOutputsAreTheSame) {
  constexpr std::int64_t count = (5 << 20) + 3;  // stored past the cache
  for (const std::int64_t misaligned : {0, 1}) {
    std::vector<float> values(count + misaligned);
    const std::int64_t shape[] = {count}, strides[] = {1};
    const td_view view{values.data() + misaligned, TD_FLOAT32, 1, shape, strides};
    const td_random random = uniform(0, 1);
    td_error error{};
    ASSERT_EQ(cpu::random(nullptr, &random, &view, &error), TD_OK);
    for (std::int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(values[i + misaligned], sc::unit_uniform(sc::random_word(42, 7, i))) << i;
    }
  }
}

TEST(CpuRandom, EveryInstructionSetGivesTheSameBits) {
  constexpr std::int64_t count = 5001;
  for (Kind kind : kinds()) {
    kind.random.offset = (1ull << 34) - 777;
    Bytes expected(count * size_of(kind.dtype)), other(expected.size());
    ASSERT_TRUE(cpu::v2::fill_random(kind.random, kind.dtype, 0, count, expected.data(), false));
    if (__builtin_cpu_supports("avx2")) {
      ASSERT_TRUE(cpu::v3::fill_random(kind.random, kind.dtype, 0, count, other.data(), true));
      EXPECT_EQ(expected, other) << "v3, distribution " << kind.random.distribution << ", dtype " << kind.dtype;
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
      ASSERT_TRUE(cpu::v4::fill_random(kind.random, kind.dtype, 0, count, other.data(), true));
      EXPECT_EQ(expected, other) << "v4, distribution " << kind.random.distribution << ", dtype " << kind.dtype;
    }
  }
}

// Whoever changes one of these changes the algorithm's version.
TEST(CpuRandom, VersionTwoForEver) {
  const std::uint64_t hashes[] = {
      0x8687cc5b689a0b88, 0x43a7e658c1978862, 0x4896727796386d58, 0xa9904baf7e253c0d, 0xcd38130f566457bb,
      0x0f5ce5d88377c59a, 0xca6ec0a341390924, 0x2aac74259fd37cb2, 0x8760b5fef6fc3a66, 0x0a6553234800396a,
      0x5c4f8874cf3b0835, 0x6660805a8744e089, 0x68109624fbcf1489, 0x8d13b95370f9d289, 0x5c4f8874cf3b0835,
      0x6660805a8744e089, 0x68109624fbcf1489, 0x8d13b95370f9d289,
      0x0be7f3f7c1e3401b, 0x8a806b6fee16ce8d, 0x28aa16bae8b3d5e7, 0x265cb2e41819c462, 0x51ee0dd46fc56b0d,
      0x2a0c4912e2b115be, 0xa4b9068edc7d9083, 0xbf024c7a668b68f8, 0x2c54cad8bcbb93cf, 0x1b76ecfa829dd053,
      0x9183f23b7d4b55b5, 0x93fc7fa88e00dbba, 0x9cef2b868cf8d33e, 0x33ea28b91fbe17bd, 0xbdf170382078bd3c,
      0x0c93d0d21213570c, 0x1ffa4ad642d9887e, 0x8560681a13f19b0d, 0x7fa1a2eaf6a2bd4c, 0xc83c4a1a73a1168c};
  const auto all = kinds();
  ASSERT_EQ(std::size(hashes), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const unsigned char byte : draw(all[i].random, all[i].dtype, 10000)) hash = (hash ^ byte) * 0x100000001b3;
    EXPECT_EQ(hash, hashes[i]) << std::hex << "0x" << hash << std::dec << ", distribution "
                               << all[i].random.distribution << ", dtype " << all[i].dtype;
  }
}

TEST(CpuRandom, DtypesWithoutTheDistribution) {
  unsigned char byte;
  const std::int64_t shape[] = {1}, strides[] = {1};
  const td_view view{&byte, TD_BOOL, 1, shape, strides};
  for (const td_random& random : {bits(0, 0, 0), uniform(0, 1), normal(0, 1), integers(0, 2)}) {
    td_error error{};
    EXPECT_EQ(cpu::random(nullptr, &random, &view, &error), TD_NOT_SUPPORTED);
    EXPECT_EQ(std::string(error.message),
              "distribution " + std::to_string(random.distribution) + " does not exist for dtype 0");
  }
}

// ---- uniform ----------------------------------------------------------------------------------------------------

TEST(CpuRandom, UniformScalesTheHighestBits) {
  const auto single = draw_as<float>(uniform(0, 1), TD_FLOAT32, 1000);
  const auto scaled = draw_as<float>(uniform(-3, 0.1), TD_FLOAT32, 1000);
  const auto twice = draw_as<double>(uniform(0, 1), TD_FLOAT64, 1000);
  for (std::int64_t i = 0; i < 1000; ++i) {
    const float u = std::ldexp(static_cast<float>(sc::random_word(42, 7, i) >> 8), -24);
    ASSERT_EQ(single[i], u);
    const float width = 0.1f - -3.0f, product = width * u;
    ASSERT_EQ(scaled[i], -3.0f + product);
    ASSERT_EQ(twice[i], std::ldexp(static_cast<double>(sc::random_word64(42, 7, i) >> 11), -53));
  }
}

TEST(CpuRandom, UniformNeverReachesHigh) {
  const float next = std::nextafter(1.0f, 2.0f);
  for (const float x : draw_as<float>(uniform(1, next), TD_FLOAT32, 10000)) ASSERT_EQ(x, 1.0f);
  for (const float x : draw_as<float>(uniform(-next, -1), TD_FLOAT32, 10000)) ASSERT_EQ(x, -next);
  for (const float x : draw_as<float>(uniform(2, 2), TD_FLOAT32, 100)) ASSERT_EQ(x, 2.0f);
  for (const double x : draw_as<double>(uniform(-1e-300, 0), TD_FLOAT64, 10000)) ASSERT_LT(x, 0.0);
  const double above = std::nextafter(1.0, 2.0);
  for (const double x : draw_as<double>(uniform(1, above), TD_FLOAT64, 10000)) ASSERT_EQ(x, 1.0);
  EXPECT_EQ(sc::uniform_bound(0.0f, 1.0f), std::nextafter(1.0f, 0.0f));
  EXPECT_EQ(sc::uniform_bound(-1.0f, 0.0f), -std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(sc::uniform_bound(-2.0, -1.0), std::nextafter(-1.0, -2.0));
  EXPECT_EQ(sc::uniform_bound(1.0, 1.0), INFINITY);
}

// Rounding down keeps what float32 has: never `high`, and P(x < p) is exact for each p of the dtype.
TEST(CpuRandom, HalfPrecisionUniformRoundsDown) {
  for (const double low : {0.0, -1.0, 100.0}) {
    const double high = low + 1;
    const auto single = draw_as<float>(uniform(low, high), TD_FLOAT32, 70000);
    const auto half = draw_as<sc::f16>(uniform(low, high), TD_FLOAT16, 70000);
    const auto brain = draw_as<sc::bf16>(uniform(low, high), TD_BFLOAT16, 70000);
    for (std::size_t i = 0; i < single.size(); ++i) {
      const float x = sc::cast<float>(half[i]), y = sc::cast<float>(brain[i]);
      ASSERT_LE(x, single[i]);
      ASSERT_GE(x, low);
      ASSERT_LE(y, single[i]);
      ASSERT_GE(y, low);
    }
  }
}

TEST(CpuRandom, RoundDownFindsTheNeighbourBelow) {
  // Every float16 and the floats around it.
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    for (const std::uint16_t sign : {0, 0x8000}) {
      const auto half = static_cast<std::uint16_t>(bits | sign);
      const float x = sc::cast<float>(sc::f16{half});
      ASSERT_EQ(sc::round_down_f16(x), half);
      const float above = std::nextafter(x, INFINITY), below = std::nextafter(x, -INFINITY);
      if (x != 0) {
        ASSERT_EQ(sc::round_down_f16(above), half) << x;
      }
      const std::uint16_t lower = x > 0 ? half - 1 : x < 0 ? half + 1 : 0x8001;
      ASSERT_EQ(sc::round_down_f16(below), lower) << x;
    }
  }
  for (std::uint32_t bits = 1; bits < 0x7f80; ++bits) {
    for (const std::uint16_t sign : {0, 0x8000}) {
      const auto brain = static_cast<std::uint16_t>(bits | sign);
      const float x = sc::cast<float>(sc::bf16{brain});
      ASSERT_EQ(sc::round_down_bf16(x), brain);
      ASSERT_EQ(sc::round_down_bf16(std::nextafter(x, INFINITY)), brain);
      ASSERT_EQ(sc::round_down_bf16(std::nextafter(x, -INFINITY)), x > 0 ? brain - 1 : brain + 1);
    }
  }
  EXPECT_EQ(sc::round_down_f16(65536.0f), 0x7bff);
  EXPECT_EQ(sc::round_down_f16(-65536.0f), 0xfc00);
  EXPECT_EQ(sc::round_down_f16(INFINITY), 0x7c00);
  EXPECT_EQ(sc::round_down_f16(NAN), 0x7e00);
  EXPECT_EQ(sc::round_down_bf16(std::bit_cast<float>(0x7f800001u)), 0x7fc0);
}

// ---- normal -----------------------------------------------------------------------------------------------------

template <class F>
double ulps(F x, long double truth) {
  int exponent;
  std::frexp(truth, &exponent);
  return static_cast<double>(std::fabs(x - truth) / std::ldexp(1.0L, exponent - std::numeric_limits<F>::digits));
}

TEST(CpuRandom, LogarithmWithinTwoUlp) {
  double worst = 0;
  for (std::uint32_t bits = 0x2f800000; bits < 0x3f800000; bits += 97) {  // [2^-32, 1)
    const float u = std::bit_cast<float>(bits);
    worst = std::max(worst, ulps(sc::ln(u), std::log(static_cast<long double>(u))));
  }
  EXPECT_LT(worst, 2);
  worst = 0;
  std::mt19937_64 generator(1);
  for (int i = 0; i < 1000000; ++i) {
    const std::uint64_t word = i % 2 ? generator() >> generator() % 64 : ~(generator() >> generator() % 64);
    const double u = sc::open_uniform(sc::u64{word});
    if (u < 1) worst = std::max(worst, ulps(sc::ln(u), std::log(static_cast<long double>(u))));
  }
  EXPECT_LT(worst, 2);
  EXPECT_EQ(sc::ln(1.0f), 0.0f);
  EXPECT_EQ(sc::ln(1.0), 0.0);
  worst = 0;
  for (int i = 0; i < 1000000; ++i) {
    const double x = std::bit_cast<double>(0x0010000000000000 + generator() % 0x7fe0000000000000);  // all normal ones
    worst = std::max(worst, ulps(sc::ln(x), std::log(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 2);
}

TEST(CpuRandom, ExponentialFunctionWithinTwoUlp) {
  double worst = 0, worst_subnormal = 0;
  std::mt19937_64 generator(1);
  for (int i = 0; i < 1000000; ++i) {
    const double x = std::ldexp(double(generator()), -64) * 1418 - 709;
    worst = std::max(worst, ulps(sc::e_to(x), std::exp(static_cast<long double>(x))) * (x > -708));
    const double low = -708 - std::ldexp(double(generator()), -64) * 40;
    worst_subnormal = std::max(worst_subnormal, double(std::fabs(sc::e_to(low) - std::exp((long double)low)) / 0x1p-1074L));
  }
  EXPECT_LT(worst, 2);
  EXPECT_LT(worst_subnormal, 2);
  EXPECT_EQ(sc::e_to(0.0), 1.0);
  EXPECT_EQ(sc::e_to(-1e308), 0.0);
  EXPECT_EQ(sc::e_to(-INFINITY), 0.0);
}

TEST(CpuRandom, PartsOfProbabilities) {
  for (double x = 1; x < 1e15; x = x < 40 ? x + 1 : std::floor(x * 1.37)) {
    const long double truth = std::lgamma(static_cast<long double>(x) + 1) -
                              ((x + 0.5L) * std::log(static_cast<long double>(x)) - x + 0.918938533204672741780329736406L);
    // The truth cancels, too.
    EXPECT_NEAR(sc::stirling_error(x), double(truth), 1e-13 + double(0x1p-62L * x * std::log(x))) << x;
    for (const double ratio : {0.5, 0.81, 0.83, 0.999, 1.0, 1.001, 1.2, 1.25, 3.0}) {
      const double mean = x * ratio;
      const long double exact = static_cast<long double>(x) * std::log(static_cast<long double>(x) / mean) + mean - x;
      EXPECT_NEAR(sc::deviance(x, mean), double(exact), 1e-15 * x) << x << " " << ratio;
    }
  }
  for (const double x : {-0.999, -0.5, -1e-3, -1e-9, -1e-17, 0.0, 1e-12, 0.3})
    EXPECT_NEAR(sc::ln_one_plus(x), std::log1p(x), 4e-16 * std::fabs(std::log1p(x))) << x;
}

TEST(CpuRandom, OpenUniformIsInItsInterval) {
  EXPECT_EQ(sc::open_uniform(sc::u32{0}), 0x1p-32f);
  EXPECT_EQ(sc::open_uniform(~sc::u32{0}), 1.0f);
  EXPECT_EQ(sc::open_uniform(sc::u64{0}), 0x1p-64);
  EXPECT_EQ(sc::open_uniform(~sc::u64{0}), 1.0);
}

// The distance from the quarter turn is what the polynomials see, after it has been rounded to F.
template <class F, class Word, class Signed>
double worst_angle(Word word) {
  constexpr int bits = 8 * sizeof(Word);
  const Word quarter = (word + (Word{1} << (bits - 3))) >> (bits - 2);
  const F rest = static_cast<F>(static_cast<Signed>(word - (quarter << (bits - 2))));
  const long double x = 2 * 3.14159265358979323846264338327950288L * std::ldexp(static_cast<long double>(rest), -bits);
  const long double s = std::sin(x), c = std::cos(x);
  const long double sines[] = {s, c, -s, -c}, cosines[] = {c, -s, -c, s};
  F sine, cosine;
  sc::sin_cos_turn(word, sine, cosine);
  if (rest == 0) return std::max(std::fabs(sine - sines[quarter]), std::fabs(cosine - cosines[quarter]));
  return std::max(ulps(sine, sines[quarter]), ulps(cosine, cosines[quarter]));
}

TEST(CpuRandom, SineAndCosineWithinTwoUlp) {
  double worst = 0;
  for (std::uint64_t word = 0; word < 1ull << 32; word += 4093) {
    worst = std::max(worst, worst_angle<float, sc::u32, std::int32_t>(word));
  }
  for (std::uint32_t quarter = 0; quarter < 4; ++quarter) {
    for (std::int32_t distance = -1000; distance <= 1000; ++distance) {
      worst = std::max(worst, worst_angle<float, sc::u32, std::int32_t>((quarter << 30) + distance));
    }
  }
  EXPECT_LT(worst, 2);
  worst = 0;
  std::mt19937_64 generator(2);
  for (int i = 0; i < 1000000; ++i) {
    const sc::u64 word = (generator() << 62) + (generator() >> (2 + generator() % 62));
    worst = std::max(worst, worst_angle<double, sc::u64, std::int64_t>(word));
  }
  EXPECT_LT(worst, 2);
}

TEST(CpuRandom, ConversionsOf64BitsRoundLikeTheProcessor) {
  std::mt19937_64 generator(3);
  for (int i = 0; i < 1000000; ++i) {
    const sc::u64 x = generator() >> generator() % 64;
    ASSERT_EQ(sc::to_f64(x), static_cast<double>(x));
    const sc::i64 y = static_cast<sc::i64>(generator()) >> generator() % 64;
    ASSERT_EQ(sc::to_f64(y), static_cast<double>(y));
  }
}

TEST(CpuRandom, NormalsComeInPairsOfWords) {
  const auto single = draw_as<float>(normal(0.5, 2, 1), TD_FLOAT32, 1001);
  const auto twice = draw_as<double>(normal(0.5, 2, 1), TD_FLOAT64, 1001);
  const auto half = draw_as<sc::f16>(normal(0.5, 2, 1), TD_FLOAT16, 1001);
  const auto brain = draw_as<sc::bf16>(normal(0.5, 2, 1), TD_BFLOAT16, 1001);
  for (std::int64_t i = 0; i < 1001; ++i) {
    const sc::u64 element = 1 + i, first = element & ~1ul;
    sc::f32 z[2];
    sc::normal_pair(sc::random_word(42, 7, first), sc::random_word(42, 7, first + 1), z[0], z[1]);
    const float scaled = 2 * z[element & 1];
    ASSERT_EQ(single[i], 0.5f + scaled);
    ASSERT_EQ(half[i].bits, sc::cast<sc::f16>(single[i]).bits);
    ASSERT_EQ(brain[i].bits, sc::cast<sc::bf16>(single[i]).bits);
    sc::f64 d[2];
    sc::normal_pair(sc::random_word64(42, 7, first), sc::random_word64(42, 7, first + 1), d[0], d[1]);
    ASSERT_EQ(twice[i], 0.5 + 2 * d[element & 1]);
  }
}

// Moments, the distribution function at 60 places and the correlation within a pair, each within 5 standard errors.
template <class T>
void expect_standard_normal(const std::vector<T>& z) {
  const double n = static_cast<double>(z.size());
  double sum[5] = {}, pairs = 0;
  std::vector<double> below(61);
  for (std::size_t i = 0; i < z.size(); ++i) {
    double power = 1;
    for (double& s : sum) s += power, power *= z[i];
    if (i % 2 == 0) pairs += static_cast<double>(z[i]) * z[i + 1];
    for (int k = 0; k <= 60; ++k) below[k] += z[i] < (k - 30) / 10.0;
  }
  EXPECT_LT(std::fabs(sum[1] / n), 5 / std::sqrt(n));
  EXPECT_LT(std::fabs(sum[2] / n - 1), 5 * std::sqrt(2 / n));
  EXPECT_LT(std::fabs(sum[3] / n), 5 * std::sqrt(15 / n));
  EXPECT_LT(std::fabs(sum[4] / n - 3), 5 * std::sqrt(96 / n));
  EXPECT_LT(std::fabs(pairs / (n / 2)), 5 / std::sqrt(n / 2));
  for (int k = 0; k <= 60; ++k) {
    const double p = std::erfc(-(k - 30) / 10.0 / std::sqrt(2.0)) / 2;
    EXPECT_LT(std::fabs(below[k] / n - p), 5 * std::sqrt(p * (1 - p) / n)) << k;
  }
}

TEST(CpuRandom, NormalsAreNormal) {
  expect_standard_normal(draw_as<float>(normal(0, 1), TD_FLOAT32, 1000000));
  expect_standard_normal(draw_as<double>(normal(0, 1), TD_FLOAT64, 1000000));
}

// ---- integers ---------------------------------------------------------------------------------------------------

TEST(CpuRandom, IntegersMultiplyTheSpan) {
  const std::uint64_t spans[] = {1, 2, 1000, 1ull << 32, (1ull << 63) + 12345, ~0ull, 0};
  for (const std::uint64_t span : spans) {
    const std::int64_t low = span == 0 ? INT64_MIN : -5;
    const auto values = draw_as<std::int64_t>(integers(low, span), TD_INT64, 1000);
    for (std::int64_t i = 0; i < 1000; ++i) {
      const std::uint64_t word = sc::random_word64(42, 7, i);
      __extension__ typedef unsigned __int128 Wide;
      const auto above = span == 0 ? word : static_cast<std::uint64_t>(static_cast<Wide>(word) * span >> 64);
      ASSERT_EQ(static_cast<std::uint64_t>(values[i]), static_cast<std::uint64_t>(low) + above);
    }
  }
}

TEST(CpuRandom, IntegersHitTheWholeRangeAlike) {
  const auto values = draw_as<std::int8_t>(integers(-128, 256), TD_INT8, 256000);
  std::vector<double> hits(256);
  for (const std::int8_t value : values) ++hits[value + 128];
  double chi_square = 0;
  for (const double hit : hits) chi_square += (hit - 1000) * (hit - 1000) / 1000;
  EXPECT_LT(chi_square, 255 + 5 * std::sqrt(2 * 255.0));
  EXPECT_GT(chi_square, 255 - 5 * std::sqrt(2 * 255.0));
}

}  // namespace
