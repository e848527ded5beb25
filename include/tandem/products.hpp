// Products and sums of products beyond matmul: einsum, inner, vdot, matvec, vecmat, kron.
#pragma once

#include <string_view>

#include <tandem/array.hpp>

namespace tandem {

/// Einstein's summation: "ij,jk->ik". Each letter names an axis; operands are multiplied where letters agree and summed
/// over those that the output lacks. A letter twice in one operand takes its diagonal, "..." stands for the axes that
/// are not named and broadcasts. Without "->" the output has the letters that occur once, in alphabetic order, behind
/// "...".
///
/// Two operands are contracted by matmul; without common sums, by a product that fuses. Of more, the pair whose product
/// is smallest against its operands comes first, again and again. The dtype is the promoted one; float16 and bfloat16
/// are computed in float32. Throws Error for subscripts that do not fit.
TANDEM_API Array einsum(std::string_view subscripts, std::span<const Array> operands);
template <class... T>
  requires(sizeof...(T) > 0 && (std::derived_from<T, Array> && ...))
Array einsum(std::string_view subscripts, const T&... operands) {
  const Array list[] = {Array(operands)...};
  return einsum(subscripts, std::span<const Array>(list));
}

/// Sums of products over the last axes of both; a plain product if one is 0-d.
TANDEM_API Array inner(const Array& a, const Array& b);
/// Sum of conj(a) b over all elements, in row-major order. Throws Error if the sizes differ.
TANDEM_API Array vdot(const Array& a, const Array& b);
/// Products of stacks of matrices (..., m, n) and vectors (..., n): (..., m). Leading axes broadcast, as for matmul.
TANDEM_API Array matvec(const Array& a, const Array& b);
/// Products of stacks of conjugated vectors (..., m) and matrices (..., m, n): (..., n).
TANDEM_API Array vecmat(const Array& a, const Array& b);
/// Kronecker product: b in place of each element of a, times that element.
TANDEM_API Array kron(const Array& a, const Array& b);

}  // namespace tandem
