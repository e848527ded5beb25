// The columns `types` and `result` of ops.def in C++.
#pragma once

#include "value.hpp"

namespace tandem::reference {

/// Kinds of dtypes, the column `types`.
constexpr unsigned TD_B = 1, TD_I = 2, TD_F = 4, TD_C = 8;

template <class T>
constexpr unsigned kind_of = is_boolean<T> ? TD_B : is_integer<T> ? TD_I : is_complex<T> ? TD_C : TD_F;

/// The column `result`; its fifth value is the dtype TD_BOOL.
constexpr int TD_SAME = -1, TD_REAL = -2, TD_COMPLEX = -3, TD_INDEX = -4;

template <class T, int result>
struct ResultOf;
template <class T>
struct ResultOf<T, TD_SAME> : Type<T> {};
template <class T>
struct ResultOf<T, TD_BOOL> : Type<bool> {};
template <class T>
struct ResultOf<T, TD_REAL> : Type<real_t<T>> {};
template <class T>
struct ResultOf<T, TD_COMPLEX> : Type<complex<compute_t<T>>> {};

/// The type of an operation's result on operands of type T.
template <class T, int result>
using Result = typename ResultOf<T, result>::type;

}  // namespace tandem::reference
