// matmul: the sum over k of a[i, k] * b[k, j], in ascending order of k.
#include <type_traits>

#include "strided.hpp"
#include "types.hpp"
#include "verbs.hpp"

namespace tandem::reference {

namespace {

template <class T>
void multiply_matrices(const td_view& a, int64_t a_offset, const td_view& b, int64_t b_offset, const td_view& c,
                       int64_t c_offset) {
  const auto left = last_axes<T, 2>(a, a_offset);
  const auto right = last_axes<T, 2>(b, b_offset);
  auto result = last_axes<T, 2>(c, c_offset);
  for (std::size_t i = 0; i < result.shape(0); ++i) {
    for (std::size_t j = 0; j < result.shape(1); ++j) {
      compute_t<T> sum{};
      for (std::size_t k = 0; k < right.shape(0); ++k) {
        sum = add(sum, multiply(cast<compute_t<T>>(left(i, k)), cast<compute_t<T>>(right(k, j))));
      }
      result(i, j) = cast<T>(sum);
    }
  }
}

}  // namespace

td_status matmul(td_device*, const td_view* a, const td_view* b, const td_view* c, td_precision, td_error* error) {
  return guarded(error, [&] {
    const int batch_axes = c->ndim - 2;
    Walk as(a->shape, a->strides, 0, batch_axes), bs(b->shape, b->strides, 0, batch_axes),
        cs(c->shape, c->strides, 0, batch_axes);
    for (int64_t matrix = 0; matrix < cs.size(); ++matrix) {
      with_type(c->dtype, [&](auto type) {
        multiply_matrices<typename decltype(type)::type>(*a, as.offset(), *b, bs.offset(), *c, cs.offset());
      });
      as.next();
      bs.next();
      cs.next();
    }
  });
}

}  // namespace tandem::reference
