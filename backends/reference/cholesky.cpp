// cholesky: the Cholesky-Banachiewicz algorithm, row by row (Golub and Van Loan: Matrix Computations, section 4.2).
#include <string>

#include "strided.hpp"
#include "types.hpp"
#include "verbs.hpp"

namespace tandem::reference {

namespace {

/// Writes the factor of one matrix; returns the order of its first leading minor that is not positive, or 0. The upper
/// triangle is treated as the lower one of the conjugate transpose, which is the same matrix.
template <class T>
std::size_t factorize(const td_view& a, int64_t a_offset, bool upper, const td_view& l, int64_t l_offset) {
  const auto matrix = last_axes<T, 2>(a, a_offset);
  auto result = last_axes<T, 2>(l, l_offset);
  const auto lower_triangle = [upper](const auto& array, std::size_t i, std::size_t j) -> T {
    return upper ? conj(array(j, i)) : array(i, j);
  };

  result.fill(T{});
  for (std::size_t i = 0; i < result.shape(0); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      T rest = lower_triangle(matrix, i, j);
      for (std::size_t k = 0; k < j; ++k) {
        rest = subtract(rest, multiply(lower_triangle(result, i, k), conj(lower_triangle(result, j, k))));
      }
      if (i == j && !(real(rest) > 0)) return i + 1;
      const T value = i == j ? cast<T>(sqrt(real(rest))) : divide(rest, lower_triangle(result, j, j));
      if (upper) {
        result(j, i) = conj(value);
      } else {
        result(i, j) = value;
      }
    }
  }
  return 0;
}

template <class T>
void factorize_all(const td_view& a, bool upper, const td_view& l) {
  Walk as(a.shape, a.strides, 0, a.ndim - 2), ls(l.shape, l.strides, 0, l.ndim - 2);
  for (int64_t number = 0; number < ls.size(); ++number, as.next(), ls.next()) {
    const std::size_t minor = factorize<T>(a, as.offset(), upper, l, ls.offset());
    if (minor == 0) continue;
    throw Failure(TD_SINGULAR, "matrix " + std::to_string(number) +
                                   " of the batch is not positive definite (leading minor " + std::to_string(minor) +
                                   ")");
  }
}

}  // namespace

td_status cholesky(td_device*, const td_view* a, int32_t upper, const td_view* l, td_error* error) {
  return guarded(error, [&] {
    with_type(a->dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      if constexpr (is_float<T> || is_complex<T>) {
        factorize_all<T>(*a, upper != 0, *l);
      } else {
        throw Failure(TD_NOT_SUPPORTED, std::string("there is no Cholesky factorization of ") + name_of(a->dtype));
      }
    });
  });
}

}  // namespace tandem::reference
