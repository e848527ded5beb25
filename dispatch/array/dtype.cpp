#include <tandem/dtype.hpp>

#include <algorithm>
#include <array>
#include <ostream>
#include <string>

#include <tandem/backend.h>

#include "../errors.hpp"
#include "../program/scalar_host.hpp"

namespace tandem {
namespace {

struct Facts {
  std::string_view name;
  int bytes;
};
constexpr Facts facts[] = {
#define X(NAME, type, text, bytes) {text, bytes},
    TD_DTYPES(X)
#undef X
};
static_assert(std::size(facts) == dtype_count && TD_DTYPE_COUNT == dtype_count);

// NumPy's table by its rule: the smallest dtype that holds both, where int64 and uint64 meet in float64.
constexpr DType promote(DType a, DType b) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);  // bool < signed < unsigned < real < complex
  if (is_bool(a)) return b;
  const auto log2_bytes = [](DType d) { return is_signed_integer(d) ? int(d) - int(int8) : int(d) - int(uint8); };
  if (is_integer(b)) {
    if (is_signed_integer(a) == is_signed_integer(b)) return b;
    const int wanted = std::max(log2_bytes(a), log2_bytes(b) + 1);  // signed a must hold unsigned b
    return wanted > 3 ? float64 : DType(int(int8) + wanted);
  }
  const auto real_for = [&](DType integer) {  // the smallest float that NumPy lets an integer meet
    const int bytes = 1 << log2_bytes(integer);
    return bytes == 1 ? float16 : bytes == 2 ? float32 : float64;
  };
  if (is_integer(a)) {
    if (b == bfloat16) return real_for(a) == float16 ? bfloat16 : real_for(a);
    if (is_real_floating(b)) return std::max(real_for(a), b);
    return real_for(a) == float64 || b == complex128 ? complex128 : complex64;
  }
  if (is_complex(b)) return a == float64 || b == complex128 ? complex128 : complex64;
  if (a == float16 && b == bfloat16) return float32;  // neither holds the other
  return b;
}

constexpr auto promotion_table = [] {
  std::array<std::array<DType, dtype_count>, dtype_count> table{};
  for (int a = 0; a < dtype_count; ++a)
    for (int b = 0; b < dtype_count; ++b) table[a][b] = promote(DType(a), DType(b));
  return table;
}();

constexpr int kind(DType d) { return is_bool(d) ? 0 : is_unsigned_integer(d) ? 1 : is_integer(d) ? 2 : is_complex(d) ? 4 : 3; }

}  // namespace

std::string_view name(DType dtype) noexcept { return facts[int(dtype)].name; }

DType dtype_from_name(std::string_view text) {
  for (int i = 0; i < dtype_count; ++i)
    if (facts[i].name == text) return DType(i);
  detail::fail("dtype_from_name", "no dtype is called \"" + std::string(text) + "\"");
}

int itemsize(DType dtype) noexcept { return facts[int(dtype)].bytes; }

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << name(dtype); }

DType promote_types(DType a, DType b) noexcept { return promotion_table[int(a)][int(b)]; }

bool can_cast(DType from, DType to, Casting casting) noexcept {
  switch (casting) {
    case Casting::unsafe: return true;
    case Casting::same_kind: return kind(from) <= kind(to) || promote_types(from, to) == to;
    default: return promote_types(from, to) == to;
  }
}

DType real_dtype(DType d) noexcept { return d == complex64 ? float32 : d == complex128 ? float64 : d; }

DType complex_dtype(DType d) noexcept {
  return promote_types(d, complex64);
}

DType inexact_dtype(DType d) noexcept {
  if (is_inexact(d)) return d;
  const int bytes = itemsize(d);
  return bytes == 1 ? float16 : bytes == 2 ? float32 : float64;
}

Half::Half(float value) noexcept : bits(scalar::cast<scalar::f16>(value).bits) {}
Half::operator float() const noexcept { return scalar::cast<scalar::f32>(scalar::f16{bits}); }
BFloat16::BFloat16(float value) noexcept : bits(scalar::cast<scalar::bf16>(value).bits) {}
BFloat16::operator float() const noexcept { return scalar::cast<scalar::f32>(scalar::bf16{bits}); }

}  // namespace tandem
