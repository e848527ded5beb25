// Order-preserving unsigned keys: key(a) < key(b) exactly if a sorts before b, so that one sort serves all dtypes.
//
// `flip` is all ones for a descending sort, else zero. NaN comes last either way, and -0 equals +0. Keys of complex
// numbers hold the real part's key above the imaginary part's; the classes of NaN follow NumPy: R + Rj, R + nanj,
// nan + Rj, nan + nanj, each ordered by the part that is a number.
//
// C++20 and CUDA C++20; on the host math.h must come before, as scalar.h demands.
#pragma once

#include <type_traits>

#include <tandem/scalar.h>

namespace tandem::sorting {

using scalar::i8;
using scalar::i16;
using scalar::i32;
using scalar::i64;
using scalar::u8;
using scalar::u16;
using scalar::u32;
using scalar::u64;
using scalar::f16;
using scalar::bf16;
using scalar::f32;
using scalar::f64;
using scalar::c64;
using scalar::c128;
__extension__ typedef unsigned __int128 u128;

// The unsigned type of a number of bytes.
template <int bytes>
using Bits = std::conditional_t<
    bytes == 1, u8,
    std::conditional_t<bytes == 2, u16,
                       std::conditional_t<bytes == 4, u32, std::conditional_t<bytes == 8, u64, u128>>>>;

template <class T>
struct Order {
  static_assert(std::is_integral_v<T>);
  using Key = Bits<sizeof(T)>;
  static constexpr Key sign = std::is_signed_v<T> ? Key(Key(1) << (8 * sizeof(T) - 1)) : Key(0);
  static constexpr bool invertible = true;  // value() exists

  TD_FN Key key(T x, Key flip) noexcept { return Key(Key(x) ^ sign ^ flip); }
  TD_FN T value(Key key, Key flip) noexcept { return T(Key(key ^ sign ^ flip)); }
  // Whether value(key(x)) may differ from x.
  TD_FN constexpr bool special(T) noexcept { return false; }
};

// Non-NaN keys lie in [sign bit ^ infinity ^ ones, sign bit ^ infinity] in either direction; NaN is all ones.
template <class T, Bits<sizeof(T)> infinity>
struct FloatOrder {
  using Key = Bits<sizeof(T)>;
  static constexpr Key sign = Key(Key(1) << (8 * sizeof(T) - 1)), nan = Key(~Key(0)), highest = Key(sign | infinity);
  static constexpr bool invertible = true;

  // Without branches: signs are hard to predict.
  TD_FN Key key(T x, Key flip) noexcept {
    const Key with_sign = __builtin_bit_cast(Key, x), size = Key(with_sign & Key(~sign));
    const Key bits = size == 0 ? Key(0) : with_sign;
    const Key negative = Key(Key(0) - Key(bits >> (8 * sizeof(Key) - 1)));
    return size > infinity ? nan : Key(bits ^ (negative | sign) ^ flip);
  }
  TD_FN T value(Key key, Key flip) noexcept {
    const Key ordered = Key(key ^ flip), negative = Key(Key(ordered >> (8 * sizeof(Key) - 1)) - Key(1));
    return __builtin_bit_cast(T, Key(ordered ^ (negative | sign)));
  }
  TD_FN bool is_zero(T x) noexcept { return Key(__builtin_bit_cast(Key, x) << 1) == 0; }
  TD_FN bool is_nan(T x) noexcept { return Key(__builtin_bit_cast(Key, x) & Key(~sign)) > infinity; }
  TD_FN bool special(T x) noexcept { return __builtin_bit_cast(Key, x) == sign || is_nan(x); }
};

template <> struct Order<f16> : FloatOrder<f16, 0x7c00> {};
template <> struct Order<bf16> : FloatOrder<bf16, 0x7f80> {};
template <> struct Order<f32> : FloatOrder<f32, 0x7f800000> {};
template <> struct Order<f64> : FloatOrder<f64, 0x7ff0000000000000> {};

template <class F>
struct Order<scalar::complex<F>> {
  using Part = Order<F>;
  using PartKey = typename Part::Key;
  using Key = Bits<2 * sizeof(F)>;
  static constexpr bool invertible = false;

  TD_FN Key key(scalar::complex<F> x, Key flip) noexcept {
    const PartKey re = Part::key(x.re, PartKey(flip)), im = Part::key(x.im, PartKey(flip));
    const int nan_class = 2 * (re == Part::nan) + (im == Part::nan);
    const PartKey high = nan_class == 0 ? re : PartKey(Part::highest + nan_class);
    const PartKey low = nan_class == 1 ? re : nan_class == 3 ? PartKey(0) : im;
    return Key(high) << (8 * sizeof(F)) | low;
  }
};

}  // namespace tandem::sorting
