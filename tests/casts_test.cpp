// Casts: floats saturate to integers and NaN gives 0, integers wrap among themselves, floats round to nearest even.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::BFloat16;
using tandem::DType;
using tandem::Half;

namespace {

/// What a cast must give, by arithmetic in long double and 128 bits.
template <class To, class From>
Stored<To> cast_truth(Stored<From> x) {
  if constexpr (is_complex_v<To>) {
    using F = typename To::value_type;
    if constexpr (is_complex_v<From>) return To(static_cast<F>(x.real()), static_cast<F>(x.imag()));
    else return To(cast_truth<F, From>(x));
  } else if constexpr (std::same_as<To, bool>) {
    if constexpr (is_complex_v<From>) return !(x == From(0));
    else return !(real_value(x) == 0);
  } else if constexpr (std::integral<To>) {
    using L = std::numeric_limits<To>;
    if constexpr (is_real_v<From>) {
      const long double v = std::trunc(real_value(x));
      if (std::isnan(v)) return 0;
      if (v <= static_cast<long double>(L::min())) return L::min();
      return v >= static_cast<long double>(L::max()) ? L::max() : static_cast<To>(v);
    } else {
      return static_cast<To>(static_cast<__int128>(x));
    }
  } else {
    return element<To>(real_value(x));
  }
}

/// Values around every border of the integer dtypes and of the float formats.
template <class T>
Values<T> border_values() {
  Values<T> values = special_values<T>();
  if constexpr (is_real_v<T>) {
    for (int bits : {7, 8, 15, 16, 31, 32, 63, 64}) {
      const long double power = std::ldexp(1.0L, bits);
      for (long double v : {power, power - 1, power - 0.5L, power + 1, power * (1 - format_of<T>.epsilon() / 2),
                            power * (1 + format_of<T>.epsilon())})
        for (long double sign : {1.0L, -1.0L}) values.push_back(element<T>(v * sign));
    }
    for (long double v : {65504.0L, 65519.9L, 65519.99999L, 65520.0L, 65536.0L, 2.98e-8L, 2.99e-8L, 5.96e-8L, 0.99L,
                          1.99L, 3.3895314e38L, 3.4e38L, 3.4028235e38L, 3.4028236e38L, 7e-46L, 7.1e-46L, 1e39L, 1e-50L})
      for (long double sign : {1.0L, -1.0L}) values.push_back(element<T>(v * sign));
  } else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    for (int bits = 6; bits < std::numeric_limits<T>::digits; ++bits)
      for (int d : {-1, 0, 1}) values.push_back(static_cast<T>((T(1) << bits) + d));
    for (T v : {T(300), T(0x1234567890abcdef), T(16777217), T(9007199254740993)}) values.push_back(v);
  }
  return values;
}

TEST(Astype, EveryPairAtTheBorders) {
  for (DType from : all_dtypes)
    for (DType to : all_dtypes) {
      if (td::is_complex(from) && !td::is_complex(to) && !td::is_bool(to)) continue;
      with_type(from, [&]<class From>(Type<From>) {
        with_type(to, [&]<class To>(Type<To>) {
          if constexpr (!is_complex_v<From> || is_complex_v<To> || std::same_as<To, bool>) {
            const Values<From> x = border_values<From>();
            const Values<To> got = read<To>(make<From>(x).astype(to));
            for (std::size_t i = 0; i < x.size(); ++i) {
              const Stored<To> expected = cast_truth<To, From>(x[i]);
              EXPECT_TRUE(same_bits<To>(got[i], expected)) << from << " " << text<From>(x[i]) << " to " << to << ": "
                                                           << text<To>(got[i]) << ", expected " << text<To>(expected);
            }
          }
        });
      });
    }
}

TEST(Astype, EveryLayoutAndLength) {
  for (DType from : {td::int8, td::float16, td::float32, td::float64})
    for (DType to : {td::bool_, td::uint8, td::int64, td::float16, td::bfloat16, td::complex64}) {
      const Array x = td::random::uniform({5, 7, 3}, {.low = -120, .high = 120, .seed = 3}).astype(from);
      for (Layout layout : all_layouts) {
        const Array y = lay_out(x, layout);
        EXPECT_TRUE(same(y.astype(to), y.copy().astype(to))) << from << " to " << to << " " << name(layout);
      }
      for (std::int64_t n : {1, 2, 31, 33, 67}) {
        const Array part = x.ravel()(td::slice(0, n));
        EXPECT_TRUE(same(part.astype(to), x.ravel().astype(to)(td::slice(0, n))));
      }
    }
}

TEST(Astype, OfTheChecklist) {
  const Array x = td::array({300.0, -1.0, 1e20, -1e20, std::nan(""), 3e9, -2.9});
  EXPECT_TRUE(same(x.astype(td::int8), td::array({127, -1, 127, -128, 0, 127, -2}, {.dtype = td::int8})));
  EXPECT_TRUE(same(x.astype(td::uint8), td::array({255, 0, 255, 0, 0, 255, 0}, {.dtype = td::uint8})));
  EXPECT_TRUE(
      same(x.astype(td::int32), td::array({300, -1, INT32_MAX, INT32_MIN, 0, INT32_MAX, -2}, {.dtype = td::int32})));
  EXPECT_TRUE(
      same(x.astype(td::uint32), td::array({300u, 0u, UINT32_MAX, 0u, 0u, 3000000000u, 0u}, {.dtype = td::uint32})));
  EXPECT_TRUE(same(x.astype(td::int64), td::array({300L, -1L, INT64_MAX, INT64_MIN, 0L, 3000000000L, -2L})));
  EXPECT_TRUE(same(td::array({300, -1}).astype(td::int8), td::array({44, -1}, {.dtype = td::int8})));
  EXPECT_TRUE(same(td::array({std::nan(""), 0.0, -0.0, 0.5}).astype(td::bool_), td::array({true, false, false, true})));
  EXPECT_TRUE(same(td::array({16777217}).astype(td::float32), td::array({16777216.0}, {.dtype = td::float32})));
  EXPECT_TRUE(same(td::array({9007199254740993}).astype(td::float64), td::array({9007199254740992.0})));
}

TEST(Astype, ComplexToRealIsAnError) {
  const Array z = td::array({std::complex<double>(1, 2)});
  EXPECT_TRUE(throws([&] { z.astype(td::float64); }, "astype: ", {"complex128", "float64"}));
  EXPECT_TRUE(throws([&] { z.astype(td::int32); }, "astype: ", {"complex128", "int32"}));
  EXPECT_TRUE(throws([&] { z(0).item<double>(); }, "item: ", {"complex128", "float64"}));
  EXPECT_TRUE(same(td::real(z), td::array({1.0})));
}

TEST(Astype, OfTheSameDtypeIsTheSameMemory) {
  const Array x = td::ones({3});
  EXPECT_EQ(x.astype(td::float64).data(), x.data());
}

TEST(Halves, EveryBitPatternConvertsBothWays) {
  Values<Half> h(65536);
  Values<BFloat16> b(65536);
  for (std::size_t i = 0; i < 65536; ++i) h[i].bits = b[i].bits = static_cast<std::uint16_t>(i);
  const Array half = make<Half>(h), brain = make<BFloat16>(b);
  for (DType wide : {td::float32, td::float64}) {
    EXPECT_TRUE(same(half.astype(wide).astype(td::float16), half));
    EXPECT_TRUE(same(brain.astype(wide).astype(td::bfloat16), brain));
  }
  const Values<float> f = read<float>(half.astype(td::float32)), g = read<float>(brain.astype(td::float32));
  for (std::size_t i = 0; i < 65536; ++i) {
    EXPECT_TRUE(same_bits<float>(f[i], static_cast<float>(real_value(h[i])))) << i;
    EXPECT_TRUE(same_bits<float>(g[i], static_cast<float>(real_value(b[i])))) << i;
    EXPECT_TRUE(same_bits<float>(static_cast<float>(h[i]), f[i])) << i;
    EXPECT_TRUE(same_bits<float>(static_cast<float>(b[i]), g[i])) << i;
    EXPECT_TRUE(same_bits<Half>(Half(f[i]), h[i])) << i;
    EXPECT_TRUE(same_bits<BFloat16>(BFloat16(g[i]), b[i])) << i;
  }
}

TEST(Halves, HalfwayCasesRoundToEven) {
  // Between each two neighbours: the middle, and the doubles next to it, which must not be rounded through float.
  Values<double> doubles;
  Values<Half> halves;
  Values<double> brain_doubles;
  Values<BFloat16> brains;
  const auto add = [](auto& xs, auto& ys, long double low, long double high) {
    using T = typename std::remove_reference_t<decltype(ys)>::value_type;
    const double middle = static_cast<double>((low + high) / 2);
    for (double v : {middle, std::nextafter(middle, 0.0), std::nextafter(middle, HUGE_VAL), -middle}) {
      xs.push_back(v);
      ys.push_back(element<T>(v));
    }
  };
  for (std::uint16_t bits = 0; bits < 0x7bff; bits = static_cast<std::uint16_t>(bits + 1)) {
    Half low, high;
    low.bits = bits;
    high.bits = static_cast<std::uint16_t>(bits + 1);
    add(doubles, halves, real_value(low), real_value(high));
    BFloat16 p, q;
    p.bits = bits;
    q.bits = static_cast<std::uint16_t>(bits + 1);
    add(brain_doubles, brains, real_value(p), real_value(q));
  }
  EXPECT_TRUE(same(make<double>(doubles).astype(td::float16), make<Half>(halves)));
  EXPECT_TRUE(same(make<double>(brain_doubles).astype(td::bfloat16), make<BFloat16>(brains)));
}

TEST(Items, CastAsAstype) {
  EXPECT_EQ(td::array(1e20).item<int>(), INT32_MAX);
  EXPECT_EQ(td::array(std::nan("")).item<int>(), 0);
  EXPECT_EQ(td::array(-1.0).item<unsigned char>(), 0);
  EXPECT_EQ(td::array(300).item<signed char>(), 44);
  EXPECT_EQ(td::array({1.5, 2.5}).to_vector<long>(), (std::vector<long>{1, 2}));
  EXPECT_EQ(td::array({0.0, 2.5}).to_vector<bool>(), (std::vector<bool>{false, true}));
}

}  // namespace
