// The rows of ops.def as data for the tests: what they take, what they promise, how they are called.
#pragma once

#include <tandem/backend.h>

#include <array>

#include "../dispatch/program/accuracy.hpp"
#include "support.hpp"

namespace tandem::test {

enum : unsigned { TD_B = 1, TD_I = 2, TD_F = 4, TD_C = 8 };
enum ResultRule { TD_SAME, TD_BOOL, TD_REAL, TD_COMPLEX };

/// A row; `call` is its public function.
struct Row {
  const char* name;
  td_op op;
  int arity;
  unsigned types;
  ResultRule result;
  double low, high;
  int budget;
  Array (*call)(const Array* x);

  bool takes(DType dtype) const {
    const unsigned kind = tandem::is_bool(dtype)      ? TD_B
                          : tandem::is_integer(dtype) ? TD_I
                          : tandem::is_complex(dtype) ? TD_C
                                                      : TD_F;
    return types & kind;
  }
  DType result_of(DType dtype) const {
    switch (result) {
      case TD_BOOL: return tandem::bool_;
      case TD_REAL: return tandem::real_dtype(dtype);
      case TD_COMPLEX: return tandem::complex_dtype(dtype);
      default: return dtype;
    }
  }
};

#define CALL_1(f) [](const Array* x) { return tandem::f(x[0]); }
#define CALL_2(f) [](const Array* x) { return tandem::f(x[0], x[1]); }
#define CALL_3(f) [](const Array* x) { return tandem::f(x[0], x[1], x[2]); }
#define CALL_4(f) [](const Array* x) { return tandem::f(x[0], x[1], x[2], x[3]); }
inline const Row rows[] = {
#define TD_OP(name, arity, types, result, expression, low, high, ulp, doc) \
  {#name, TD_OP_##name, arity, types, result, low, high, ulp, CALL_##arity(name)},
#include <tandem/ops.def>
};

inline void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

/// Columns of host values; those beyond the arity are not used.
template <class T> using Operands = std::array<Values<T>, 4>;

/// Whether the row promises anything about these operands.
template <class T>
bool in_domain(const Row& row, const Stored<T>* x) {
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    return row.op != TD_OP_pow || static_cast<long double>(x[1]) >= 0;  // negative powers are an error
  } else if constexpr (is_complex_v<T>) {
    const bool zero = x[0] == T(0);
    switch (row.op) {
      case TD_OP_divide: return x[1] != T(0);
      case TD_OP_pow:
      case TD_OP_reciprocal:
      case TD_OP_log:
      case TD_OP_log2:
      case TD_OP_log10: return !zero;
      case TD_OP_log1p: return x[0] != T(-1);
      case TD_OP_atanh: return x[0] != T(1) && x[0] != T(-1);
      case TD_OP_atan: return x[0] != T(0, 1) && x[0] != T(0, -1);
      case TD_OP_isclose: {  // rounding decides what lies on the edge
        const std::complex<long double> a(x[0]), b(x[1]);
        const long double distance = std::abs(a - b), absolute = x[3].real(), relative = x[2].real() * std::abs(b);
        const long double sizes = distance + std::fabs(absolute) + std::fabs(relative);
        return distance == 0 || (sizes < format_of<T>.largest() / 4 &&
                                 std::fabs(distance - (absolute + relative)) > 8 * format_of<T>.epsilon() * sizes);
      }
      default: return true;
    }
  } else if constexpr (is_real_v<T>) {
    return tandem::detail::budget_holds(row.op, real_value(x[0]));
  }
  return true;
}

/// The call on operands of dtype T; the condition of `where` becomes bool.
template <class T>
Array call(const Row& row, std::array<Array, 4> arrays) {
  if (row.op == TD_OP_where) arrays[0] = tandem::not_equal(arrays[0], tandem::zeros({}, {.dtype = dtype_of_v<T>}));
  return row.call(arrays.data());
}

}  // namespace tandem::test
