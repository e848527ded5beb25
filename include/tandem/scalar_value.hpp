// A C++ number as an operand: weakly typed, as Python's numbers are in NumPy 2.
#pragma once

#include <concepts>
#include <cstdint>

#include <tandem/dtype.hpp>

namespace tandem {

/// A bool, integer, real or complex number without a dtype of its own. Together with an array it takes the array's
/// dtype unless its kind is higher (bool < integer < real < complex); alone it is bool, int64, float64 or complex128.
class Scalar {
 public:
  enum class Kind : std::uint8_t { boolean, integer, real, complex };

  Scalar(bool value) noexcept : kind_(Kind::boolean), integer_(value) {}
  template <std::signed_integral T>
  Scalar(T value) noexcept : kind_(Kind::integer), integer_(value) {}
  template <std::unsigned_integral T>
  Scalar(T value) noexcept
      : kind_(Kind::integer), above_int64_(value > static_cast<T>(INT64_MAX) && sizeof(T) == 8),
        integer_(static_cast<std::int64_t>(value)) {}
  Scalar(double value) noexcept : kind_(Kind::real), real_(value) {}
  Scalar(float value) noexcept : kind_(Kind::real), real_(value) {}
  template <class T>
  Scalar(std::complex<T> value) noexcept
      : kind_(Kind::complex), real_(value.real()), imag_(static_cast<double>(value.imag())) {}

  Kind kind() const noexcept { return kind_; }
  /// For boolean and integer kinds; with above_int64() the bits of a uint64.
  std::int64_t integer() const noexcept { return integer_; }
  bool above_int64() const noexcept { return above_int64_; }
  double real() const noexcept {
    if (kind_ >= Kind::real) return real_;
    return above_int64_ ? static_cast<double>(static_cast<std::uint64_t>(integer_)) : static_cast<double>(integer_);
  }
  double imag() const noexcept { return kind_ == Kind::complex ? imag_ : 0.0; }

  /// The dtype of the scalar alone: bool, int64 (uint64 beyond its range), float64 or complex128.
  DType dtype() const noexcept {
    switch (kind_) {
      case Kind::boolean: return bool_;
      case Kind::integer: return above_int64_ ? uint64 : int64;
      case Kind::real: return float64;
      default: return complex128;
    }
  }

 private:
  Kind kind_;
  bool above_int64_ = false;
  union {
    std::int64_t integer_;
    double real_;
  };
  double imag_ = 0;
};

}  // namespace tandem
