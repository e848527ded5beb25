// The columns `types` and `result` of ops.def in C++.
#pragma once

#include <type_traits>

#include "value.hpp"

namespace tandem::reference {

/// Kinds of dtypes, the column `types`.
constexpr unsigned TD_B = 1, TD_I = 2, TD_F = 4, TD_C = 8;

/// The column `result`; its fifth value is the dtype TD_BOOL.
constexpr int TD_SAME = -1, TD_REAL = -2, TD_COMPLEX = -3, TD_INDEX = -4;

/// F for complex<F>, else T itself.
template <class T>
struct RealOf : Type<T> {
  static constexpr bool is_complex = false;
};
template <class F>
struct RealOf<complex<F>> : Type<F> {
  static constexpr bool is_complex = true;
};

template <class T>
constexpr bool is_complex = RealOf<T>::is_complex;

template <class T>
constexpr unsigned kind_of = std::is_same_v<T, bool> ? TD_B
                             : is_complex<T>         ? TD_C
                             : std::is_integral_v<T> ? TD_I
                                                     : TD_F;

/// What float16 and bfloat16 are computed in, and every other dtype too: float and itself.
template <class T>
using Compute = std::conditional_t<kind_of<T> == TD_F && sizeof(T) == 2, f32, T>;

template <class T, int result>
struct ResultOf : Type<T> {};
template <class T>
struct ResultOf<T, TD_BOOL> : Type<bool> {};
template <class T>
struct ResultOf<T, TD_REAL> : Type<typename RealOf<T>::type> {};
template <class T>
struct ResultOf<T, TD_COMPLEX> : Type<complex<Compute<T>>> {};

/// The type of an operation's result on operands of type T.
template <class T, int result>
using Result = typename ResultOf<T, result>::type;

}  // namespace tandem::reference
