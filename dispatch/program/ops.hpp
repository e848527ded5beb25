// The rows of ops.def as data.
#pragma once

#include <cstdint>

#include <tandem/backend.h>
#include <tandem/dtype.hpp>

namespace tandem::detail {

enum TypeSet : int { TD_B = 1, TD_I = 2, TD_F = 4, TD_C = 8 };
enum ResultRule : int { TD_SAME = TD_DTYPE_COUNT, TD_REAL, TD_COMPLEX, TD_INDEX };  // or TD_BOOL, a dtype

struct OpRow {
  const char* name;
  int arity;
  int types;   // TypeSet
  int result;  // ResultRule or TD_BOOL
  const char* expression;
  double low, high;  // of test inputs
  int ulp;
  const char* doc;
};

inline constexpr OpRow op_rows[] = {
#define TD_OP(name, arity, types, result, expression, low, high, ulp, doc) \
  {#name, arity, types, result, #expression, low, high, ulp, doc},
#include <tandem/ops.def>
};

struct ReductionRow {
  const char* name;
  int types;
  int result;
  const char* doc;
};

inline constexpr ReductionRow reduction_rows[] = {
#define TD_REDUCTION(name, types, result, combine, identity, doc) {#name, types, result, doc},
#include <tandem/ops.def>
};

/// The bit of TypeSet that a dtype belongs to.
constexpr int type_set(DType d) noexcept {
  return is_bool(d) ? TD_B : is_integer(d) ? TD_I : is_complex(d) ? TD_C : TD_F;
}

/// The dtype of an operation's result for operands of `dtype`.
constexpr DType result_dtype(int rule, DType dtype) noexcept {
  switch (rule) {
    case TD_SAME: return dtype;
    case TD_REAL: return dtype == complex64 ? float32 : dtype == complex128 ? float64 : dtype;
    case TD_COMPLEX: return dtype == float64 ? complex128 : complex64;
    case TD_INDEX: return int64;
    default: return bool_;
  }
}

}  // namespace tandem::detail
