// fft in long double: the sum of its definition; for longer rows halves of even lengths (Cooley and Tukey 1965) and a
// convolution for odd ones (Bluestein 1970).
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "strided.hpp"
#include "types.hpp"
#include "verbs.hpp"

namespace tandem::reference {

namespace {

using Number = std::complex<long double>;
using Row = std::vector<Number>;

constexpr std::size_t longest_sum = 512;

/// The product without the standard's care for infinities, which takes longer than all else.
Number times(Number a, Number b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// exp(-2 pi i k / n), forward, for k < n.
Row roots_of_unity(std::size_t n, bool forward) {
  Row roots(n);
  for (std::size_t k = 0; k < n; ++k) {
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / n;
    roots[k] = Number(std::cos(angle), forward ? -std::sin(angle) : std::sin(angle));
  }
  return roots;
}

Row convolve(const Row& x);

/// The transform of every `step`-th number of a row from `first` on.
Row transform(const Row& x, std::size_t first, std::size_t step, const Row& roots) {
  const std::size_t n = x.size() / step;
  Row result(n);
  if (n % 2 == 0 && n > longest_sum) {
    const Row even = transform(x, first, 2 * step, roots), odd = transform(x, first + step, 2 * step, roots);
    for (std::size_t k = 0; k < n / 2; ++k) {
      const Number turned = times(roots[k * step], odd[k]);
      result[k] = even[k] + turned;
      result[k + n / 2] = even[k] - turned;
    }
    return result;
  }
  if (n > longest_sum) {
    const bool forward = roots[step].imag() < 0;
    Row part(n);
    for (std::size_t j = 0; j < n; ++j) part[j] = forward ? x[first + j * step] : std::conj(x[first + j * step]);
    result = convolve(part);
    for (std::size_t k = 0; !forward && k < n; ++k) result[k] = std::conj(result[k]);
    return result;
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < n; ++j) result[k] += times(x[first + j * step], roots[j * k % n * step]);
  }
  return result;
}

Row transform(const Row& x, bool forward) { return transform(x, 0, 1, roots_of_unity(x.size(), forward)); }

/// The forward transform, by j k = (j^2 + k^2 - (k - j)^2) / 2.
Row convolve(const Row& x) {
  const std::size_t n = x.size(), length = std::bit_ceil(2 * n);
  const Row halves = roots_of_unity(2 * n, true);
  const auto chirp = [&](std::size_t j) { return halves[j * j % (2 * n)]; };
  Row a(length), b(length);
  for (std::size_t j = 0; j < n; ++j) {
    a[j] = times(x[j], chirp(j));
    b[j] = b[(length - j) % length] = std::conj(chirp(j));
  }
  const Row roots = roots_of_unity(length, true);
  a = transform(a, 0, 1, roots);
  b = transform(b, 0, 1, roots);
  for (std::size_t i = 0; i < length; ++i) a[i] = times(a[i], b[i] / static_cast<long double>(length));
  for (Number& value : a) value = std::conj(value);
  a = transform(a, 0, 1, roots);  // the conjugate of the backward transform
  Row result(n);
  for (std::size_t k = 0; k < n; ++k) result[k] = times(std::conj(a[k]), chirp(k));
  return result;
}

/// Elements in long double, in row-major order of the shape.
struct Numbers {
  std::vector<std::int64_t> shape;
  Row values;
};

template <class T>
Number number(T value) {
  return Number(static_cast<long double>(value));
}
template <class F>
Number number(complex<F> value) {
  return Number(static_cast<long double>(value.re), static_cast<long double>(value.im));
}

template <class F>
void assign(F& target, Number value) {
  target = static_cast<F>(value.real());
}
template <class F>
void assign(complex<F>& target, Number value) {
  target = {static_cast<F>(value.real()), static_cast<F>(value.imag())};
}

template <class T>
Numbers read(const td_view& x) {
  Numbers numbers{{x.shape, x.shape + x.ndim}, {}};
  Walk walk(x.shape, x.strides, 0, x.ndim);
  for (std::int64_t i = 0; i < walk.size(); ++i, walk.next())
    numbers.values.push_back(number(static_cast<const T*>(x.data)[walk.offset()]));
  return numbers;
}

template <class T>
void write(const Numbers& numbers, const td_view& out) {
  T* data = static_cast<T*>(out.data);
  for (std::size_t i = 0; i < numbers.values.size(); ++i) assign(data[i], numbers.values[i]);
}

/// Replaces every row along an axis by change(row), which may be of another length.
template <class Change>
Numbers change_rows(const Numbers& x, std::int32_t axis, std::int64_t new_length, Change change) {
  Numbers result{x.shape, {}};
  const auto at = static_cast<std::size_t>(axis);
  const auto length = static_cast<std::size_t>(x.shape[at]), new_size = static_cast<std::size_t>(new_length);
  result.shape[at] = new_length;
  std::size_t inner = 1;
  for (std::size_t i = at + 1; i < x.shape.size(); ++i) inner *= static_cast<std::size_t>(x.shape[i]);
  const std::size_t outer = x.values.size() / (length * inner);
  result.values.resize(outer * new_size * inner);
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t i = 0; i < inner; ++i) {
      Row row(length);
      for (std::size_t k = 0; k < length; ++k) row[k] = x.values[(o * length + k) * inner + i];
      row = change(row);
      for (std::size_t k = 0; k < new_size; ++k) result.values[(o * new_size + k) * inner + i] = row[k];
    }
  }
  return result;
}

/// The elements of a Hermitian row that are their own conjugates become real.
Row with_real_ends(Row row, std::size_t n) {
  row[0] = row[0].real();
  if (n % 2 == 0) row[n / 2] = row[n / 2].real();
  return row;
}

/// All n numbers of a row whose second half is the conjugate of the first.
Row whole_row(const Row& half, std::size_t n) {
  Row row(n);
  for (std::size_t k = 0; k < n; ++k) row[k] = k <= n / 2 ? half[k] : std::conj(half[n - k]);
  return with_real_ends(row, n);
}

}  // namespace

td_status fft(td_device*, const td_view* x, td_transform kind, int32_t n_axes, const int32_t* axes, double scale,
              const td_view* out, td_error* error) {
  return guarded(error, [&] {
    Numbers numbers;
    with_type(x->dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      if constexpr (is_float<T> || is_complex<T>) {
        numbers = read<T>(*x);
      } else {
        throw Failure(TD_NOT_SUPPORTED, std::string("there is no Fourier transform of ") + name_of(x->dtype));
      }
    });
    const bool forward = kind == TD_FFT_FORWARD || kind == TD_FFT_REAL;
    for (std::int32_t k = 0; k < n_axes; ++k) {
      const std::int32_t axis = axes[kind == TD_FFT_HERMITIAN ? k : n_axes - 1 - k];
      const std::int64_t length = out->shape[axis];
      const bool hermitian = kind == TD_FFT_HERMITIAN && k == n_axes - 1, real = kind == TD_FFT_REAL && k == 0;
      numbers = change_rows(numbers, axis, length, [&](const Row& row) {
        const Row result = transform(hermitian ? whole_row(row, static_cast<std::size_t>(length)) : row, forward);
        return real ? with_real_ends(result, row.size()) : result;
      });
    }
    for (Number& value : numbers.values) value *= static_cast<long double>(scale);
    with_type(out->dtype, [&](auto type) {
      using T = typename decltype(type)::type;
      if constexpr (is_float<T> || is_complex<T>) write<T>(numbers, *out);
    });
  });
}

}  // namespace tandem::reference
