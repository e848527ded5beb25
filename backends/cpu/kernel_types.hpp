// The columns `types` and `result` of ops.def in C++, and how elements lie in a block. For *_kernels.cpp only:
// everything has internal linkage, since each of these files is compiled for several instruction sets.
#pragma once

#include <type_traits>

#include "kernels.hpp"
#include "libm.hpp"

#include <tandem/scalar.h>

namespace tandem::cpu::TD_ISA {
namespace {

using namespace tandem::scalar;

/// Kinds of dtypes, the column `types`.
constexpr unsigned TD_B = 1, TD_I = 2, TD_F = 4, TD_C = 8;

/// The column `result`; its fifth value is the dtype TD_BOOL.
constexpr int TD_SAME = -1, TD_REAL = -2, TD_COMPLEX = -3, TD_INDEX = -4;

template <class T>
constexpr unsigned kind_of = is_boolean<T>   ? TD_B
                             : is_integer<T> ? TD_I
                             : is_complex<T> ? TD_C
                                             : TD_F;

template <class T>
constexpr bool is_half = Traits<T>::kind == half_kind;

template <class T, int result>
struct ResultOf {
  using type = T;
};
template <class T>
struct ResultOf<T, TD_BOOL> {
  using type = bool;
};
template <class T>
struct ResultOf<T, TD_REAL> {
  using type = real_t<T>;
};
template <class T>
struct ResultOf<T, TD_COMPLEX> {
  using type = complex<T>;
};

/// bool is read and written as a byte, because the padding of a block may hold any byte.
template <class T>
using Stored = std::conditional_t<is_boolean<T>, u8, T>;

template <class T>
TD_FN T load(const void* block, int64_t i) {
  if constexpr (is_boolean<T>)
    return static_cast<const u8*>(block)[i] != 0;
  else
    return static_cast<const T*>(block)[i];
}

template <class T>
TD_FN void store(void* block, int64_t i, T value) {
  static_cast<Stored<T>*>(block)[i] = static_cast<Stored<T>>(value);
}

}  // namespace
}  // namespace tandem::cpu::TD_ISA
