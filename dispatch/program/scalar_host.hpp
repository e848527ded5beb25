// scalar.h for the core's own use of single values: constants, items, printing.
#pragma once

#include <math.h>

#include <tandem/backend.h>
#include <tandem/dtype.hpp>
#include <tandem/scalar.h>

namespace tandem::detail {

/// Calls function(T{}) with the scalar type of a dtype.
template <class Function>
decltype(auto) with_type(DType dtype, Function&& function) {
  using namespace scalar;
  switch (td_dtype(dtype)) {
#define X(NAME, type, text, bytes) \
  case TD_##NAME: return function(type{});
    TD_DTYPES(X)
#undef X
    default: __builtin_unreachable();
  }
}

}  // namespace tandem::detail
