// Questions about dtypes and casts as functions: the Array API's data type functions. dtype.hpp has the dtypes
// themselves.
#pragma once

#include <initializer_list>
#include <string_view>

#include <tandem/array.hpp>

namespace tandem {

/// A dtype or a set of dtypes: "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex
/// floating" or "numeric". Another name throws Error.
class TANDEM_API DTypeKind {
 public:
  DTypeKind(DType dtype) noexcept : members_(1u << static_cast<int>(dtype)) {}
  DTypeKind(std::string_view kind);
  DTypeKind(const char* kind) : DTypeKind(std::string_view(kind)) {}
  bool contains(DType dtype) const noexcept { return members_ >> static_cast<int>(dtype) & 1; }

 private:
  std::uint32_t members_;
};
/// Whether a dtype is of a kind, or of one of several.
inline bool isdtype(DType dtype, const DTypeKind& kind) noexcept { return kind.contains(dtype); }
inline bool isdtype(DType dtype, std::initializer_list<DTypeKind> kinds) noexcept {
  for (const DTypeKind& kind : kinds)
    if (kind.contains(dtype)) return true;
  return false;
}

/// Limits of a real dtype, or of the parts of a complex one.
struct FloatInfo {
  int bits;
  double eps;                 // from 1 to the next larger number
  double max, min;            // largest and most negative finite number
  double smallest_normal;     // smallest positive number of full precision
  double smallest_subnormal;  // smallest positive number
  DType dtype;                // real
};
/// Throws Error for bool and integers.
TANDEM_API FloatInfo finfo(DType dtype);
inline FloatInfo finfo(const Array& x) { return finfo(x.dtype()); }

/// Limits of an integer dtype.
struct IntegerInfo {
  int bits;
  std::uint64_t max;
  std::int64_t min;
  DType dtype;
};
/// Throws Error for other dtypes.
TANDEM_API IntegerInfo iinfo(DType dtype);
inline IntegerInfo iinfo(const Array& x) { return iinfo(x.dtype()); }

/// Options of astype. Arrays are values: copy asks for memory of its own even if the dtype stays, which else is shared
/// until one of the two is written to.
struct AstypeOptions {
  bool copy = false;
  std::optional<Device> device = {};
};
/// x.astype(dtype), on another device if asked for.
TANDEM_API Array astype(const Array& x, DType dtype, const AstypeOptions& options = {});

/// Whether an array's values may be cast, by its dtype alone.
inline bool can_cast(const Array& from, DType to, Casting casting = Casting::safe) {
  return can_cast(from.dtype(), to, casting);
}

/// What takes part in a promotion: a dtype, an array's dtype, or a C++ number, which is weak.
class TypeOperand {
 public:
  TypeOperand(DType dtype) noexcept : dtype_(dtype), scalar_(false) {}
  TypeOperand(const Array& x) : dtype_(x.dtype()), scalar_(false) {}
  template <class T>
    requires(std::convertible_to<const T&, Scalar> && !std::derived_from<T, Array>)
  TypeOperand(const T& scalar) noexcept : scalar_(scalar) {}
  /// Unset for a number.
  const std::optional<DType>& dtype() const noexcept { return dtype_; }
  const Scalar& scalar() const noexcept { return scalar_; }

 private:
  std::optional<DType> dtype_;
  Scalar scalar_;
};
/// The dtype that these promote to, by repeated promote_types; numbers come last. Throws Error for none.
TANDEM_API DType result_type(std::initializer_list<TypeOperand> operands);
template <class... T>
  requires(sizeof...(T) > 0 && (std::convertible_to<const T&, TypeOperand> && ...))
DType result_type(const T&... operands) {
  return result_type(std::initializer_list<TypeOperand>{TypeOperand(operands)...});
}

}  // namespace tandem
