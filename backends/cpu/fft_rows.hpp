// Single contiguous rows, by all threads.
#pragma once

#include "fft_plan.hpp"

namespace tandem::cpu {

/// What happens to a complex row besides its forward transform: real and imaginary parts are exchanged before and after
/// it, which makes it a backward one, and it is multiplied by a number.
template <class T>
struct FftOptions {
  bool exchange_in = false, exchange_out = false;
  T scale = 1;
};

/// Transforms a complex row; out may be x. False if there is no memory.
template <class T>
bool transform_row(const FftRowPlan<T>& plan, const T* x, T* out, FftOptions<T> options);

/// n real numbers to n / 2 + 1 complex ones.
template <class T>
bool transform_real_row(std::int64_t n, const T* x, T* out, T scale);

/// n / 2 + 1 complex numbers to n real ones, backward.
template <class T>
bool transform_hermitian_row(std::int64_t n, const T* x, T* out, T scale);

}  // namespace tandem::cpu
