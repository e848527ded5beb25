/* Quotients and square roots of float32, correctly rounded, without a branch. Part of every generated text, after
 * scalar.h; includes nothing.
 *
 * An approximation is corrected by its remainder, which fma gives exactly, as long as nothing overflows or leaves the
 * normal numbers (P. Markstein: Computation of elementary functions on the IBM RISC System/6000 processor, 1990).
 * Where that is not sure `special` becomes true and the result means nothing: then the operators of C++ must be used.
 * Those do the same with a branch for every single number, which keeps the compiler from mixing the work of several.
 */
namespace tandem {
namespace scalar {

#ifndef TANDEM_APPROXIMATIONS  // where kernels are emulated there are others
// 1 / x and 1 / sqrt(x) within 2^-22 of them, for x in [2^-101, 2^125].
TD_FN f32 approximate_reciprocal(f32 x) {
  f32 y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
TD_FN f32 approximate_reciprocal_sqrt(f32 x) {
  f32 y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#endif

// For |b| in [2^-62, 2^63), |a| = 0 or at least 2^-62, and quotients below 2^126.
TD_FN f32 quick_divide(f32 a, f32 b, bool& special) {
  constexpr u32 low = 65u << 24;  // 2^-62 without its sign
  const f32 first = approximate_reciprocal(b);
  const f32 r = fma(first, fma(-b, first, 1.0f), first);
  const f32 q = a * r;
  const f32 closer = fma(fma(-b, q, a), r, q);
  const f32 nearest = fma(fma(-b, closer, a), r, closer);
  special |= bits_of(a) * 2u - 1u < low - 1u;
  special |= bits_of(b) * 2u - low >= 125u << 24;
  special |= !(abs(nearest) < 0x1p126f);
  return from_bits((bits_of(nearest) & 0x7fffffffu) | (bits_of(q) & 0x80000000u));  // q has the right sign if it is 0
}

// From r, about 1 / sqrt(x), for x of at least 2^-101.
TD_FN f32 refined_sqrt(f32 x, f32 r) {
  const f32 q = x * r;
  return fma(fma(-q, q, x), 0.5f * r, q);
}
TD_FN f32 quick_sqrt(f32 x, bool& special) {
  special |= bits_of(x) - 0x0d000000u > 0x727fffffu;
  return refined_sqrt(x, approximate_reciprocal_sqrt(x));
}

}  // namespace scalar
}  // namespace tandem
