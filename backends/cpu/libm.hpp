// The C math functions that scalar.h calls, with glibc's vector variants (libmvec), so that loops over them vectorize.
// math.h declares those variants under -ffast-math only. Include this before scalar.h, in kernels only.
#pragma once

#include <features.h>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#if __GLIBC_PREREQ(2, 35)
#define TD_VECTOR_MATH __attribute__((simd("notinbranch"), const))
#endif
#endif
#ifndef TD_VECTOR_MATH
#define TD_VECTOR_MATH __attribute__((const))
#endif

#define TD_UNARY(attribute, name)             \
  attribute float name##f(float) noexcept; \
  attribute double name(double) noexcept;
#define TD_BINARY(attribute, name)                   \
  attribute float name##f(float, float) noexcept; \
  attribute double name(double, double) noexcept;

extern "C" {

TD_UNARY(TD_VECTOR_MATH, cbrt)
TD_UNARY(TD_VECTOR_MATH, exp)
TD_UNARY(TD_VECTOR_MATH, exp2)
TD_UNARY(TD_VECTOR_MATH, expm1)
TD_UNARY(TD_VECTOR_MATH, log)
TD_UNARY(TD_VECTOR_MATH, log2)
TD_UNARY(TD_VECTOR_MATH, log10)
TD_UNARY(TD_VECTOR_MATH, log1p)
TD_UNARY(TD_VECTOR_MATH, sin)
TD_UNARY(TD_VECTOR_MATH, cos)
TD_UNARY(TD_VECTOR_MATH, tan)
TD_UNARY(TD_VECTOR_MATH, asin)
TD_UNARY(TD_VECTOR_MATH, acos)
TD_UNARY(TD_VECTOR_MATH, atan)
TD_UNARY(TD_VECTOR_MATH, sinh)
TD_UNARY(TD_VECTOR_MATH, cosh)
TD_UNARY(TD_VECTOR_MATH, tanh)
TD_UNARY(TD_VECTOR_MATH, asinh)
TD_UNARY(TD_VECTOR_MATH, acosh)
TD_UNARY(TD_VECTOR_MATH, atanh)
TD_UNARY(TD_VECTOR_MATH, erf)
TD_UNARY(TD_VECTOR_MATH, erfc)
TD_BINARY(TD_VECTOR_MATH, pow)
TD_BINARY(TD_VECTOR_MATH, atan2)

TD_UNARY(, sqrt)
TD_UNARY(, floor)
TD_UNARY(, ceil)
TD_UNARY(, trunc)
TD_UNARY(, rint)
TD_UNARY(, tgamma)
TD_BINARY(, copysign)
TD_BINARY(, fmod)
float fmaf(float, float, float) noexcept;
double fma(double, double, double) noexcept;
float lgammaf_r(float, int*) noexcept;
double lgamma_r(double, int*) noexcept;

}  // extern "C"

#undef TD_UNARY
#undef TD_BINARY
