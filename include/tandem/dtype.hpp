// Element types: their names, sizes, kinds and promotion.
//
// A dtype is a run-time value: `x.dtype() == tandem::float32`. Promotion is NumPy 2's (NEP 50): two arrays promote by
// dtype alone, never by value, and a C++ scalar is weak: it takes the array's dtype unless its kind is higher.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>

#include <tandem/export.hpp>
#include <tandem/standard.hpp>

namespace tandem {

/// The fifteen element types, numbered as `td_dtype` in backend.h.
enum class DType : std::uint8_t {
  bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
  float16, bfloat16, float32, float64, complex64, complex128
};
inline constexpr int dtype_count = 15;

using enum DType;

/// IEEE binary16, as storage: convert to float to compute. Conversions round to nearest even.
struct Half {
  std::uint16_t bits = 0;
  Half() = default;
  TANDEM_API explicit Half(float value) noexcept;
  TANDEM_API explicit operator float() const noexcept;
};

/// bfloat16, as storage: the upper half of a float. Conversions round to nearest even.
struct BFloat16 {
  std::uint16_t bits = 0;
  BFloat16() = default;
  TANDEM_API explicit BFloat16(float value) noexcept;
  TANDEM_API explicit operator float() const noexcept;
};

/// NumPy's name of a dtype: "bool", "int8", ..., "complex128".
TANDEM_API std::string_view name(DType dtype) noexcept;

/// The dtype of that name; throws Error for an unknown one.
TANDEM_API DType dtype_from_name(std::string_view name);

/// Bytes of one element.
TANDEM_API int itemsize(DType dtype) noexcept;

TANDEM_API std::ostream& operator<<(std::ostream& out, DType dtype);

constexpr bool is_bool(DType d) noexcept { return d == bool_; }
constexpr bool is_signed_integer(DType d) noexcept { return d >= int8 && d <= int64; }
constexpr bool is_unsigned_integer(DType d) noexcept { return d >= uint8 && d <= uint64; }
constexpr bool is_integer(DType d) noexcept { return d >= int8 && d <= uint64; }
constexpr bool is_real_floating(DType d) noexcept { return d >= float16 && d <= float64; }
constexpr bool is_complex(DType d) noexcept { return d >= complex64; }
constexpr bool is_inexact(DType d) noexcept { return d >= float16; }

/// The dtype that a and b promote to in arithmetic (NEP 50), e.g. int64 with uint64 gives float64.
TANDEM_API DType promote_types(DType a, DType b) noexcept;

/// How far a cast may go: `safe` keeps every value, `same_kind` may lose range or precision within a kind
/// (bool < integer < real < complex), `unsafe` goes anywhere.
enum class Casting { safe, same_kind, unsafe };

/// Whether values of `from` may be cast to `to` under that rule, as NumPy's can_cast.
TANDEM_API bool can_cast(DType from, DType to, Casting casting = Casting::safe) noexcept;

/// The dtype of one real or imaginary part of a complex dtype; other dtypes stay.
TANDEM_API DType real_dtype(DType dtype) noexcept;

/// The complex dtype whose parts hold `dtype`: float64 and wide integers give complex128.
TANDEM_API DType complex_dtype(DType dtype) noexcept;

/// The float that NumPy computes a function of bools or integers in: float16 for 8 bits, float32 for 16, float64
/// above; inexact dtypes stay.
TANDEM_API DType inexact_dtype(DType dtype) noexcept;

/// The dtype of a C++ element type; only the fifteen element types have one.
template <class T> struct dtype_of;
template <> struct dtype_of<bool> { static constexpr DType value = bool_; };
template <> struct dtype_of<signed char> { static constexpr DType value = int8; };
template <> struct dtype_of<short> { static constexpr DType value = int16; };
template <> struct dtype_of<int> { static constexpr DType value = int32; };
template <> struct dtype_of<long> { static constexpr DType value = int64; };
template <> struct dtype_of<long long> { static constexpr DType value = int64; };
template <> struct dtype_of<unsigned char> { static constexpr DType value = uint8; };
template <> struct dtype_of<unsigned short> { static constexpr DType value = uint16; };
template <> struct dtype_of<unsigned int> { static constexpr DType value = uint32; };
template <> struct dtype_of<unsigned long> { static constexpr DType value = uint64; };
template <> struct dtype_of<unsigned long long> { static constexpr DType value = uint64; };
template <> struct dtype_of<Half> { static constexpr DType value = float16; };
template <> struct dtype_of<BFloat16> { static constexpr DType value = bfloat16; };
template <> struct dtype_of<float> { static constexpr DType value = float32; };
template <> struct dtype_of<double> { static constexpr DType value = float64; };
template <> struct dtype_of<std::complex<float>> { static constexpr DType value = complex64; };
template <> struct dtype_of<std::complex<double>> { static constexpr DType value = complex128; };
template <class T> inline constexpr DType dtype_of_v = dtype_of<T>::value;

/// A C++ type that an array can hold.
template <class T> concept Element = requires { dtype_of<T>::value; };

}  // namespace tandem
