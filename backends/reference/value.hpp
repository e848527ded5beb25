// One value of any dtype, and how a dtype known at run time becomes a C++ type.
#pragma once

#include <math.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <tandem/backend.h>
#include <tandem/scalar.h>

#include "failure.hpp"

namespace tandem::reference {

using namespace tandem::scalar;

/// A value of any dtype in the first bytes; the rest is zero.
struct Value {
  alignas(16) std::byte bytes[16] = {};

  template <class T>
  T as() const {
    T result;
    std::memcpy(&result, bytes, sizeof(T));
    return result;
  }

  template <class T>
  static Value of(T x) {
    Value result;
    std::memcpy(result.bytes, &x, sizeof(T));
    return result;
  }
};

/// A condition, or an operand that is no bool although its operation was chosen by dtype bool, may be any byte.
template <>
inline bool Value::as<bool>() const {
  return bytes[0] != std::byte{0};
}

/// Carries the C++ type of a dtype.
template <class T>
struct Type {
  using type = T;
};

[[noreturn]] inline void refuse_dtype(int dtype) {
  throw Failure(TD_INVALID_ARGUMENT, "there is no dtype number " + std::to_string(dtype));
}

/// visit(Type<T>{}) for the C++ type T of a dtype.
template <class Visitor>
decltype(auto) with_type(int dtype, Visitor&& visit) {
  switch (dtype) {
#define X(NAME, type, text, bytes) \
  case TD_##NAME: return visit(Type<type>{});
    TD_DTYPES(X)
#undef X
    default: refuse_dtype(dtype);
  }
}

inline const char* name_of(int dtype) {
  switch (dtype) {
#define X(NAME, type, text, bytes) \
  case TD_##NAME: return text;
    TD_DTYPES(X)
#undef X
    default: refuse_dtype(dtype);
  }
}

inline std::size_t size_of(int dtype) {
  return with_type(dtype, [](auto type) { return sizeof(typename decltype(type)::type); });
}

}  // namespace tandem::reference
