// Random numbers: the algorithm, independence of chunks, equality over backends, and their distribution.
#include <algorithm>
#include <array>

#include "draws.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;
using tandem::Shape;

namespace {

/// Philox4x32-10 as its authors publish it (Salmon et al., SC 2011).
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = std::uint64_t{0xD2511F53} * counter[0], q = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {std::uint32_t(q >> 32) ^ counter[1] ^ key[0], std::uint32_t(q),
               std::uint32_t(p >> 32) ^ counter[3] ^ key[1], std::uint32_t(p)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return counter;
}

/// The documented word j.
std::uint32_t word(std::uint64_t seed, std::uint64_t stream, std::uint64_t j) {
  const std::uint64_t block = j / 4;
  return philox({std::uint32_t(block), std::uint32_t(block >> 32), std::uint32_t(stream), std::uint32_t(stream >> 32)},
                {std::uint32_t(seed), std::uint32_t(seed >> 32)})[j % 4];
}

constexpr std::uint64_t offsets[] = {0, 1, 2, 3, 5, 1001, (1ull << 32) - 7, (1ull << 34) - 5, (1ull << 40) + 3};

TEST(Bits, KnownAnswers) {
  // The known-answer tests of Random123's distribution.
  const std::array<std::uint32_t, 4> zero = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  const std::array<std::uint32_t, 4> pi = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), zero);
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}), pi);
  EXPECT_EQ(td::random::bits({4}).to_vector<unsigned>(), (std::vector<unsigned>{zero.begin(), zero.end()}));
}

TEST(Bits, AreTheDocumentedWords) {
  for (std::uint64_t offset : offsets)
    for (const auto& [seed, stream] :
         {std::pair<std::uint64_t, std::uint64_t>{0, 0}, {42, 7}, {0x123456789abcdef0, 0xfedcba9876543210}}) {
      const auto w = td::random::bits({37}, {.seed = seed, .stream = stream, .offset = offset}).to_vector<unsigned>();
      for (std::size_t i = 0; i < w.size(); ++i) EXPECT_EQ(w[i], word(seed, stream, offset + i)) << offset << " " << i;
      const auto wide = td::random::bits({19}, {.seed = seed, .stream = stream, .offset = offset, .dtype = td::uint64})
                            .to_vector<unsigned long>();
      for (std::size_t i = 0; i < wide.size(); ++i)
        EXPECT_EQ(wide[i],
                  word(seed, stream, 2 * (offset + i)) | std::uint64_t{word(seed, stream, 2 * (offset + i) + 1)} << 32);
    }
}

/// Draws of every kind and dtype, as functions of the offset and the count.
Draws draws() {
  Draws list;
  for (DType dtype : {td::float16, td::bfloat16, td::float32, td::float64}) {
    list.emplace_back("uniform " + std::string(td::name(dtype)), [=](std::int64_t n, std::uint64_t offset) {
      return td::random::uniform({n},
                                 {.low = -1, .high = 3, .seed = 11, .stream = 5, .offset = offset, .dtype = dtype});
    });
    list.emplace_back("normal " + std::string(td::name(dtype)), [=](std::int64_t n, std::uint64_t offset) {
      return td::random::normal({n}, {.mean = 1, .std = 2, .seed = 12, .stream = 6, .offset = offset, .dtype = dtype});
    });
  }
  for (DType dtype : {td::int8, td::uint16, td::int32, td::int64, td::uint64})
    list.emplace_back("integers " + std::string(td::name(dtype)), [=](std::int64_t n, std::uint64_t offset) {
      return td::random::integers({n}, 3, 100, {.seed = 13, .stream = 7, .offset = offset, .dtype = dtype});
    });
  for (DType dtype : {td::uint32, td::uint64})
    list.emplace_back("bits " + std::string(td::name(dtype)), [=](std::int64_t n, std::uint64_t offset) {
      return td::random::bits({n}, {.seed = 14, .offset = offset, .dtype = dtype});
    });
  return list;
}

TEST(Chunks, DoNotMatter) { expect_parts_of_one_draw(draws(), offsets, {1, 2, 3, 5, 64, 129, 1000, 796}); }

std::string random_hashes() {
  std::string lines;
  for (const auto& [what, draw] : draws())
    for (std::uint64_t offset : {std::uint64_t{0}, (std::uint64_t{1} << 34) - 100001})
      lines += what + " " + std::to_string(hash(draw(200'003, offset))) + "\n";
  return lines;
}
const Probe hashes_probe("random_hashes", random_hashes);

TEST(SameBits, OnEveryBackendAndInstructionSet) {
  const std::string here = random_hashes();
  EXPECT_EQ(here, run_probe("random_hashes", {{"TANDEM_BACKEND", "reference"}}));
  for (const char* isa : {"v2", "v3", "v4"})
    EXPECT_EQ(here, run_probe("random_hashes", {{"TANDEM_BACKEND", "cpu"}, {"TANDEM_CPU_ISA", isa}})) << isa;
}

TEST(Shapes, AreFilledInRowMajorOrder) {
  EXPECT_TRUE(same(td::random::normal({3, 4, 5}, {.seed = 1}).ravel(), td::random::normal({60}, {.seed = 1})));
  EXPECT_EQ(td::random::uniform({}, {.seed = 1}).shape(), Shape{});
  EXPECT_EQ(td::random::uniform({2, 0}).shape(), (Shape{2, 0}));
}

TEST(Uniform, IsExactScaling) {
  const auto u = td::random::uniform({1000}, {.seed = 3, .dtype = td::float32}).to_vector<float>();
  for (std::size_t i = 0; i < u.size(); ++i) EXPECT_EQ(u[i], float(word(3, 0, i) >> 8) * 0x1p-24f);
  const auto d = td::random::uniform({1000}, {.seed = 3}).to_vector<double>();
  for (std::size_t i = 0; i < d.size(); ++i)
    EXPECT_EQ(d[i], double((word(3, 0, 2 * i) | std::uint64_t{word(3, 0, 2 * i + 1)} << 32) >> 11) * 0x1p-53);
}

TEST(Uniform, StaysBelowHigh) {
  const std::int64_t n = std::int64_t(cases(200'000));
  for (DType dtype : {td::float16, td::bfloat16, td::float32, td::float64})
    for (const auto& [low, high] :
         {std::pair{0.0, 1.0}, {-1.0, 1.0}, {1.0, 1.0078125}, {-2.0, -1.0}, {-1.0, 0.0}, {1000.0, 1008.0}}) {
      const Array x = td::random::uniform({n}, {.low = low, .high = high, .seed = 8, .dtype = dtype});
      EXPECT_GE(td::min(x).item<double>(), low) << dtype;
      EXPECT_LT(td::max(x).item<double>(), high) << dtype;
    }
  EXPECT_TRUE(same(td::random::uniform({5}, {.low = 2, .high = 2}), td::full({5}, 2.0)));
}

TEST(Distribution, Uniform) {
  const std::int64_t n = std::int64_t(cases(400'000));
  for (DType dtype : {td::float32, td::float64}) {
    const Array x = td::random::uniform({n}, {.seed = 21, .dtype = dtype});
    EXPECT_LT(kolmogorov(x, [](double v) { return v; }), 1.95) << dtype;
    EXPECT_NEAR(td::mean(x).item<double>(), 0.5, 4 * std::sqrt(1 / 12.0 / double(n)));
    EXPECT_NEAR(td::var(x).item<double>(), 1 / 12.0, 4 * std::sqrt(1 / 180.0 / double(n)));
  }
}

TEST(Distribution, Normal) {
  const std::int64_t n = std::int64_t(cases(400'000));
  for (DType dtype : {td::float32, td::float64}) {
    const Array x = td::random::normal({n}, {.seed = 22, .dtype = dtype});
    EXPECT_LT(kolmogorov(x, [](double v) { return std::erfc(-v / std::sqrt(2.0)) / 2; }), 1.95) << dtype;
    EXPECT_NEAR(td::mean(x).item<double>(), 0, 4 / std::sqrt(double(n)));
    EXPECT_NEAR(td::var(x).item<double>(), 1, 4 * std::sqrt(2 / double(n)));
    EXPECT_NEAR(td::mean(x * x * x).item<double>(), 0, 4 * std::sqrt(15 / double(n)));
    EXPECT_NEAR(td::mean(td::square(x * x)).item<double>(), 3, 4 * std::sqrt(96 / double(n)));
    const Array pairs = x.reshape({n / 2, 2});
    EXPECT_NEAR(td::mean(pairs(td::all, 0) * pairs(td::all, 1)).item<double>(), 0, 4 / std::sqrt(double(n) / 2));
  }
  EXPECT_TRUE(same(td::random::normal({9}, {.mean = 5, .std = 0}), td::full({9}, 5.0)));
}

TEST(Distribution, NormalIsBoxMuller) {
  // Pair k of float64 from the 64-bit words 2k and 2k + 1, to the accuracy of the documented polynomials.
  const Array x = td::random::normal({2000}, {.seed = 4});
  const auto z = x.to_vector<double>();
  const auto w = td::random::bits({2000}, {.seed = 4, .dtype = td::uint64}).to_vector<unsigned long>();
  for (std::size_t k = 0; k < 1000; ++k) {
    const double u = (double(w[2 * k] >> 1) + 0.5) * 0x1p-63;
    EXPECT_NEAR(z[2 * k] * z[2 * k] + z[2 * k + 1] * z[2 * k + 1], -2 * std::log(u), 1e-12);
  }
}

TEST(Distribution, StreamsAndSeedsAreUnrelated) {
  const std::int64_t n = std::int64_t(cases(200'000));
  const Array a = td::random::normal({n}, {.seed = 1, .stream = 0}),
              b = td::random::normal({n}, {.seed = 1, .stream = 1}),
              c = td::random::normal({n}, {.seed = 2, .stream = 0});
  EXPECT_NEAR(td::mean(a * b).item<double>(), 0, 4 / std::sqrt(double(n)));
  EXPECT_NEAR(td::mean(a * c).item<double>(), 0, 4 / std::sqrt(double(n)));
}

TEST(Integers, CoverTheirRangeEvenly) {
  const std::int64_t n = std::int64_t(cases(100'000));
  const auto v = td::random::integers({n}, -3, 7, {.seed = 5}).to_vector<long>();
  std::vector<double> counts(10);
  for (long x : v) {
    ASSERT_TRUE(x >= -3 && x < 7);
    ++counts[std::size_t(x + 3)];
  }
  double chi2 = 0;
  for (double c : counts) chi2 += (c - double(n) / 10) * (c - double(n) / 10) / (double(n) / 10);
  EXPECT_LT(chi2, 27.9);  // 0.1 % quantile for 9 degrees of freedom
}

TEST(Integers, WholeRanges) {
  const Array x = td::random::integers({1000}, INT64_MIN, INT64_MAX, {.seed = 5});
  EXPECT_LT(td::min(x).item<double>(), -9e18);
  EXPECT_GT(td::max(x).item<double>(), 9e18);
  const Array y = td::random::integers({4000}, -128, 128, {.seed = 5, .dtype = td::int8});
  EXPECT_EQ(td::min(y).item<int>(), -128);
  EXPECT_EQ(td::max(y).item<int>(), 127);
  EXPECT_TRUE(same(td::random::integers({5}, 7, 8), td::full({5}, 7)));
}

TEST(Errors, NameTheFunctionAndTheValues) {
  EXPECT_TRUE(throws([] { td::random::integers({3}, 5, 5); }, "integers: ", {"5"}));
  EXPECT_TRUE(throws([] { td::random::integers({3}, 0, 300, {.dtype = td::uint8}); }, "integers: ", {"300", "uint8"}));
  EXPECT_TRUE(throws([] { td::random::integers({3}, 0, 3, {.dtype = td::float32}); }, "integers: ", {"float32"}));
  EXPECT_TRUE(throws([] { td::random::uniform({3}, {.low = 2, .high = 1}); }, "uniform: ", {"2", "1"}));
  EXPECT_TRUE(throws([] { td::random::uniform({3}, {.dtype = td::int32}); }, "uniform: ", {"int32"}));
  EXPECT_TRUE(throws([] { td::random::normal({3}, {.std = -1}); }, "normal: ", {"-1"}));
  EXPECT_TRUE(throws([] { td::random::normal({3}, {.dtype = td::complex64}); }, "normal: ", {"complex64"}));
  EXPECT_TRUE(throws([] { td::random::bits({3}, {.dtype = td::int32}); }, "bits: ", {"int32"}));
  EXPECT_TRUE(throws([] { td::random::normal({-3}); }, "normal: ", {"(-3,)"}));
}

}  // namespace
