#include <tandem/data_types.hpp>

#include <cmath>
#include <limits>

#include <tandem/inspection.hpp>

#include "common.hpp"

namespace tandem {
namespace {

using detail::fail;
using detail::FunctionName;

struct KindRow {
  std::string_view name;
  bool (*contains)(DType);
};
constexpr KindRow kinds[] = {
    {"bool", [](DType d) { return is_bool(d); }},
    {"signed integer", [](DType d) { return is_signed_integer(d); }},
    {"unsigned integer", [](DType d) { return is_unsigned_integer(d); }},
    {"integral", [](DType d) { return is_integer(d); }},
    {"real floating", [](DType d) { return is_real_floating(d); }},
    {"complex floating", [](DType d) { return is_complex(d); }},
    {"numeric", [](DType d) { return !is_bool(d); }},
};

}  // namespace

DTypeKind::DTypeKind(std::string_view kind) : members_(0) {
  for (const KindRow& row : kinds)
    if (row.name == kind)
      for (int i = 0; i < dtype_count; ++i) members_ |= std::uint32_t{row.contains(DType(i))} << i;
  if (members_ == 0) fail("isdtype", "there is no kind of dtypes \"" + std::string(kind) + "\"");
}

FloatInfo finfo(DType dtype) {
  if (!is_inexact(dtype)) fail("finfo", "dtype " + std::string(name(dtype)) + " is not inexact");
  const DType real = real_dtype(dtype);
  // Bits of the significand, the hidden one included, and the largest exponent: IEEE 754, and bfloat16.
  const int digits = real == float16 ? 11 : real == bfloat16 ? 8 : real == float32 ? 24 : 53;
  const int exponent = real == float16 ? 15 : real == float64 ? 1023 : 127;
  const double largest = std::ldexp(2 - std::ldexp(1.0, 1 - digits), exponent);
  return {.bits = 8 * itemsize(real),
          .eps = std::ldexp(1.0, 1 - digits),
          .max = largest,
          .min = -largest,
          .smallest_normal = std::ldexp(1.0, 1 - exponent),
          .smallest_subnormal = std::ldexp(1.0, 2 - exponent - digits),
          .dtype = real};
}

IntegerInfo iinfo(DType dtype) {
  if (!is_integer(dtype)) fail("iinfo", "dtype " + std::string(name(dtype)) + " is no integer");
  const int bits = 8 * itemsize(dtype), value_bits = bits - is_signed_integer(dtype);
  const std::uint64_t largest = ~std::uint64_t{0} >> (64 - value_bits);
  return {bits, largest, is_signed_integer(dtype) ? -std::int64_t(largest) - 1 : 0, dtype};
}

Array astype(const Array& x, DType dtype, const AstypeOptions& options) {
  const FunctionName function("astype");
  const Array cast = x.astype(dtype);
  const Array placed = options.device ? cast.to(*options.device) : cast;
  return options.copy && placed.node().get() == x.node().get() ? placed.copy() : placed;
}

DType result_type(std::initializer_list<TypeOperand> operands) {
  if (operands.size() == 0) fail("result_type", "no dtypes given");
  return detail::promote(operands);
}

std::vector<std::pair<std::string_view, DType>> NamespaceInfo::dtypes(const DTypesOptions& options) const {
  std::vector<std::pair<std::string_view, DType>> result;
  for (int i = 0; i < dtype_count; ++i) {
    const DType dtype = DType(i);
    bool wanted = options.kind.empty();
    for (const DTypeKind& kind : options.kind) wanted |= kind.contains(dtype);
    if (wanted && dtype != float16 && dtype != bfloat16) result.emplace_back(name(dtype), dtype);
  }
  return result;
}

}  // namespace tandem
