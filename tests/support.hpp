// What the suite's tests share: element types, host values, comparison by bits, layouts, errors and probes.
//
// main.cpp holds main(): where TANDEM_BACKEND names a backend without a working device it says why and exits
// with 77.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tandem/tandem.hpp>

namespace tandem::test {

// ---- element types ----

template <class T> struct Type { using type = T; };

/// std::vector<bool> has no elements, so that bools are kept as bytes.
template <class T> using Stored = std::conditional_t<std::same_as<T, bool>, unsigned char, T>;
template <class T> using Values = std::vector<Stored<T>>;

template <class T> inline constexpr bool is_half_v = std::same_as<T, Half> || std::same_as<T, BFloat16>;
template <class T> inline constexpr bool is_complex_v = std::same_as<T, std::complex<float>> ||
                                                        std::same_as<T, std::complex<double>>;
template <class T> inline constexpr bool is_real_v = is_half_v<T> || std::floating_point<T>;

/// Calls function(Type<T>{}) with the C++ element type of a dtype.
template <class Function>
decltype(auto) with_type(DType dtype, Function&& function) {
  switch (dtype) {
    case bool_: return function(Type<bool>{});
    case int8: return function(Type<std::int8_t>{});
    case int16: return function(Type<std::int16_t>{});
    case int32: return function(Type<std::int32_t>{});
    case int64: return function(Type<std::int64_t>{});
    case uint8: return function(Type<std::uint8_t>{});
    case uint16: return function(Type<std::uint16_t>{});
    case uint32: return function(Type<std::uint32_t>{});
    case uint64: return function(Type<std::uint64_t>{});
    case float16: return function(Type<Half>{});
    case bfloat16: return function(Type<BFloat16>{});
    case float32: return function(Type<float>{});
    case float64: return function(Type<double>{});
    case complex64: return function(Type<std::complex<float>>{});
    default: return function(Type<std::complex<double>>{});
  }
}

inline constexpr DType all_dtypes[] = {bool_,  int8,    int16,    int32,   int64,   uint8,     uint16,    uint32,
                                       uint64, float16, bfloat16, float32, float64, complex64, complex128};

// ---- floating-point formats ----

/// Bits of the significand, exponents as std::numeric_limits states them, largest finite value.
struct Format {
  int digits, min_exponent, max_exponent;
  long double largest() const { return std::ldexp(1.0L - std::ldexp(1.0L, -digits), max_exponent); }
  long double smallest_normal() const { return std::ldexp(1.0L, min_exponent - 1); }
  long double smallest() const { return std::ldexp(1.0L, min_exponent - digits); }
  long double epsilon() const { return std::ldexp(1.0L, 1 - digits); }
};
template <class T> inline constexpr Format format_of{};
template <> inline constexpr Format format_of<Half>{11, -13, 16};
template <> inline constexpr Format format_of<BFloat16>{8, -125, 128};
template <> inline constexpr Format format_of<float>{24, -125, 128};
template <> inline constexpr Format format_of<double>{53, -1021, 1024};
template <> inline constexpr Format format_of<std::complex<float>> = format_of<float>;
template <> inline constexpr Format format_of<std::complex<double>> = format_of<double>;

/// The number rounded to the format, to nearest even, by arithmetic in long double; the oracle of narrowing casts.
long double round_to(const Format& format, long double value);

/// Exact value of an element; independent of the library's conversions.
template <class T> long double real_value(T x) {
  if constexpr (std::same_as<T, Half>) {
    const int exponent = x.bits >> 10 & 31;
    const long double fraction = x.bits & 1023;
    const long double magnitude = exponent == 31 ? (fraction == 0 ? std::numeric_limits<long double>::infinity()
                                                                  : std::numeric_limits<long double>::quiet_NaN())
                                  : exponent == 0 ? std::ldexp(fraction, -24)
                                                  : std::ldexp(fraction + 1024, exponent - 25);
    return x.bits >> 15 ? -magnitude : magnitude;
  } else if constexpr (std::same_as<T, BFloat16>) {
    return std::bit_cast<float>(std::uint32_t{x.bits} << 16);
  } else if constexpr (is_complex_v<T>) {
    return x.real();
  } else {
    return static_cast<long double>(x);
  }
}

/// An element from a number: reals are rounded to nearest even, integers must be in range.
template <class T> Stored<T> element(long double value) {
  if constexpr (is_half_v<T>) {
    const long double r = round_to(format_of<T>, value);
    if constexpr (std::same_as<T, BFloat16>) {
      BFloat16 b;
      b.bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(r)) >> 16);
      if (r != r) b.bits |= 0x40;
      return b;
    } else {
      Half h;
      if (r != r) {
        h.bits = 0x7e00;
      } else if (std::isinf(r)) {
        h.bits = 0x7c00;
      } else if (const long double m = std::fabs(r); m < std::ldexp(1.0L, -14)) {
        h.bits = static_cast<std::uint16_t>(std::ldexp(m, 24));
      } else {
        const int e = std::ilogb(m);
        h.bits = static_cast<std::uint16_t>(((e + 15) << 10) + static_cast<int>(std::ldexp(m, 10 - e)) - 1024);
      }
      if (std::signbit(r)) h.bits |= 0x8000;
      return h;
    }
  } else if constexpr (is_complex_v<T>) {
    return T(static_cast<typename T::value_type>(value));
  } else {
    return static_cast<Stored<T>>(value);
  }
}

/// The unit in the last place of the numbers of a format that are as large as `value`.
long double unit(const Format& format, long double value);

/// |got - truth| in units of the last place of the truth, so that the best there is has up to 0.5; a difference of NaN
/// or infinity is infinite, but for a truth that rounds to infinity.
double ulp_error(const Format& format, long double got, long double truth);

// ---- host values and arrays ----

template <class T>
Array make(const Values<T>& values, const Shape& shape) {
  return Array(std::span<const T>(reinterpret_cast<const T*>(values.data()), values.size()), shape);
}
template <class T>
Array make(const Values<T>& values) {
  return make<T>(values, {static_cast<std::int64_t>(values.size())});
}

/// All elements in row-major order; T must be the array's own type.
template <class T>
Values<T> read(const Array& x) {
  EXPECT_EQ(name(x.dtype()), name(dtype_of_v<T>));
  Values<T> values(static_cast<std::size_t>(x.size()));
  x.copy_to(std::span<T>(reinterpret_cast<T*>(values.data()), values.size()));
  return values;
}

template <class T>
bool same_bits(const Stored<T>& a, const Stored<T>& b) {
  if constexpr (is_complex_v<T>) {
    using F = typename T::value_type;
    return same_bits<F>(a.real(), b.real()) && same_bits<F>(a.imag(), b.imag());
  } else if constexpr (is_real_v<T>) {
    return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(real_value(a)) && std::isnan(real_value(b)));
  } else {
    return a == b;
  }
}

template <class T>
std::string text(const Stored<T>& x) {
  char buffer[96];
  if constexpr (is_complex_v<T>) {
    std::snprintf(buffer, sizeof buffer, "(%.17g, %.17g)", double(x.real()), double(x.imag()));
  } else if constexpr (is_real_v<T>) {
    std::snprintf(buffer, sizeof buffer, "%.17g", double(real_value(x)));
  } else {
    return std::to_string(+x);
  }
  return buffer;
}

/// Whether dtype, shape and every bit agree (any NaN equals any NaN); otherwise shows the first difference.
::testing::AssertionResult same(const Array& actual, const Array& expected);

/// Whether dtype and shape agree and |actual - expected| <= relative * |expected| + absolute, in double.
::testing::AssertionResult near(const Array& actual, const Array& expected, double relative, double absolute = 0);

/// A hash of dtype, shape and bits, with one pattern for all NaNs.
std::uint64_t hash(const Array& x);

std::int64_t element_count(const Shape& shape);

// ---- generated values ----

/// Numbers that have broken somebody's code, in the range of T.
template <class T> Values<T> special_values();

/// `count` elements in [low, high] cut to the range of T; complex: both parts.
template <class T> Values<T> random_values(std::size_t count, double low, double high, std::uint64_t seed = 1);

/// `count` on fast backends, fewer on the reference, which computes one element at a time.
std::size_t cases(std::size_t count);

bool on_backend(std::string_view name);

/// Cheap random numbers that are the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits() { return engine_(); }
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  /// In [low, high].
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::mt19937_64 engine_;
};

// ---- layouts ----

enum class Layout { contiguous, strided, negative, transposed, broadcast, misaligned };
inline constexpr Layout all_layouts[] = {Layout::contiguous, Layout::strided,   Layout::negative,
                                         Layout::transposed, Layout::broadcast, Layout::misaligned};
std::string_view name(Layout layout);

/// An array of the given shape whose elements lie in memory as the layout says, and its elements in row-major order.
/// They are `values`, but for broadcast, where the first index of axis 0 repeats. Between the elements of a strided
/// array lie bytes that no result may show.
template <class T>
struct LaidOut {
  Array array;
  Values<T> values;
};
template <class T> LaidOut<T> lay_out(const Values<T>& values, const Shape& shape, Layout layout);

/// The same for any dtype, from a contiguous array; for broadcast the logical elements change as above.
Array lay_out(const Array& x, Layout layout);

/// Calls function(position, index) for every index of the shape in row-major order.
template <class Function>
void for_each_index(const Shape& shape, Function&& function) {
  Shape index = Shape::filled(shape.size(), 0);
  const std::int64_t n = element_count(shape);
  for (std::int64_t i = 0; i < n; ++i) {
    function(i, std::as_const(index));
    for (int axis = shape.size() - 1; axis >= 0 && ++index[axis] == shape[axis]; --axis) index[axis] = 0;
  }
}

// ---- errors ----

/// Whether the call throws exactly an E whose message starts with `start` and contains all `parts`.
template <class E = Error, class Function>
::testing::AssertionResult throws(Function&& function, std::string_view start,
                                  const std::vector<std::string_view>& parts = {}) {
  std::string message;
  try {
    function();
    return ::testing::AssertionFailure() << "nothing was thrown; expected \"" << start << "...\"";
  } catch (const E& error) {
    message = error.what();
  } catch (const std::exception& error) {
    return ::testing::AssertionFailure() << "an exception of another type: " << error.what();
  }
  if (!message.starts_with(start)) return ::testing::AssertionFailure() << "message: " << message;
  for (std::string_view part : parts)
    if (message.find(part) == message.npos)
      return ::testing::AssertionFailure() << "no \"" << part << "\" in the message: " << message;
  return ::testing::AssertionSuccess();
}

// ---- what main() does ----

/// Prints what a probe (below) gives; returns the exit status.
int print_probe(std::string_view name);
/// The exit status of a program that finds no device to test: 77 where that is to be expected; -1 if there is one.
int refuse();

// ---- probes: the same computation in another process ----

/// Registers a function whose text `run_probe` fetches from a fresh process of this binary.
struct Probe {
  Probe(const char* name, std::string (*function)());
};

/// Output of a probe in a process with these environment variables added; throws std::runtime_error if it failed.
std::string run_probe(const std::string& name, const std::vector<std::pair<std::string, std::string>>& environment);

/// The folder of that name in tests/data: beside the executable, or where the sources are; throws std::runtime_error.
std::string data_folder(const std::string& name);

/// How often expressions were run so far, for all reasons or for one.
long long flushes();
long long flushes(std::string_view reason);

}  // namespace tandem::test
