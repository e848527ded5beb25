#include "measure.hpp"

#include <algorithm>
#include <charconv>
#include <thread>

#include "../truth.hpp"
#include "../umath.hpp"

namespace tandem::test {
namespace {

/// Numbers around which functions change their way of computation, or have a zero, a pole or a cut.
const std::vector<long double>& landmarks() {
  static const std::vector<long double> list = [] {
    std::vector<long double> points = {0, 1, 2, 3, 10, 0.5L, 0.25L, 1.5L, 0.1L, 2.718281828459045235360L};
    for (int k = 1; k <= 12; ++k) points.push_back(k * 0.785398163397448309616L);
    for (int k = 2; k <= 10; ++k) points.push_back(std::ldexp(1.0L, k));
    return points;
  }();
  return list;
}

/// Draws one number of a format in the ways that measure() names.
template <class F>
struct Drawer {
  Random& random;
  double low, high;

  F uniform() { return element<F>(low + (high - low) * random.uniform()); }

  /// Any finite number; all binary exponents are equally likely.
  F any_size() {
    const Format format = format_of<F>;
    const std::int64_t exponent = random.integer(format.min_exponent - format.digits, format.max_exponent - 1);
    const long double value = std::ldexp(1.0L + static_cast<long double>(random.uniform()), static_cast<int>(exponent));
    return element<F>(std::copysign(std::min(value, format.largest()), random.bits() & 1 ? 1.0L : -1.0L));
  }

  /// A landmark, or up to a half away from it, at any distance that the format can show.
  F near_landmark() {
    const auto& points = landmarks();
    const long double point = points[random.bits() % points.size()] * (random.bits() & 1 ? 1 : -1);
    const auto steps = static_cast<double>(format_of<F>.digits);
    const long double away = std::exp2(-1 - static_cast<long double>(random.uniform() * steps));
    const std::int64_t side = random.integer(-1, 1);
    return element<F>(point + side * away * std::max(1.0L, std::fabs(point)));
  }

  /// A number whose size is that of `other`.
  F close_to(F other) {
    const long double factor = (1 + random.uniform()) * (random.bits() & 1 ? 1 : -1);
    const long double x = real_value(other) * factor;
    return element<F>(std::isfinite(x) ? std::clamp(x, -format_of<F>.largest(), format_of<F>.largest()) : x);
  }

  F draw(const F* other) {
    switch (random.bits() % 8) {
      case 0:
      case 1: return any_size();
      case 2: return near_landmark();
      case 3: return other ? close_to(*other) : near_landmark();
      default: return uniform();
    }
  }
};

/// Of complex numbers also some near the unit circle, where logarithms cancel.
template <class T>
Stored<T> draw(Random& random, const Row& row, const Stored<T>* other) {
  if constexpr (is_complex_v<T>) {
    using F = typename T::value_type;
    Drawer<F> parts{random, row.low, row.high};
    if (random.bits() % 16 == 0) {
      const double angle = 2 * M_PI * random.uniform(), length = 1 + std::exp2(-60 * random.uniform());
      return T(static_cast<F>(length * std::cos(angle)), static_cast<F>(length * std::sin(angle)));
    }
    // pow and exp2 are as good as the rounded exponent, which is stated for their range.
    if (row.op == TD_OP_pow || row.op == TD_OP_exp2) {
      const F re = parts.uniform();
      return T(re, parts.uniform());
    }
    const F re = parts.draw(nullptr);
    if (other && random.bits() % 4 == 0) return T(parts.close_to(other->real()), parts.close_to(other->imag()));
    return T(re, parts.draw(&re));
  } else {
    return Drawer<T>{random, row.low, row.high}.draw(other);
  }
}

template <class T>
Operands<T> sample(const Row& row, std::size_t count) {
  Operands<T> x;
  const auto add = [&](const std::array<Stored<T>, 4>& values) {
    if (!in_domain<T>(row, values.data())) return;
    for (std::size_t k = 0; k < 4; ++k) x[k].push_back(values[k]);
  };
  if (row.arity == 1) {
    if constexpr (is_half_v<T>) {
      for (unsigned bits = 0; bits < 0x10000; ++bits) add({std::bit_cast<T>(static_cast<std::uint16_t>(bits))});
      return x;
    }
    for (const Stored<T>& value : special_values<T>()) add({value});
    for (const UmathFunction& function : umath_functions) {
      if (function.op != row.op) continue;
      const UmathSet set = read_umath(function);
      if constexpr (std::same_as<T, float>)
        for (float value : set.floats.inputs) add({value});
      if constexpr (std::same_as<T, double>)
        for (double value : set.doubles.inputs) add({value});
    }
  } else {
    const Values<T> special = special_values<T>();
    for (const Stored<T>& a : special)
      for (const Stored<T>& b : special) add({a, b, b, a});
  }
  Random random(row.op + 1);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<Stored<T>, 4> values{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(row.arity); ++k)
      values[k] = draw<T>(random, row, k == 0 ? nullptr : &values[0]);
    add(values);
  }
  return x;
}

/// The shortest text that reads as the same number.
std::string shortest(std::floating_point auto value) {
  char buffer[64];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}
template <class T>
std::string argument(const Stored<T>& x) {
  if constexpr (is_complex_v<T>) {
    const std::string im = shortest(x.imag());
    return shortest(x.real()) + (im[0] == '-' ? "" : "+") + im + "i";
  } else if constexpr (is_half_v<T>) {
    return shortest(static_cast<float>(real_value(x)));
  } else {
    return shortest(x);
  }
}

/// Of a complex result that overflows neither its modulus nor its parts are anything to measure.
template <class R>
bool measurable(const Expected& expected) {
  return expected.exact || !is_complex_v<R> || std::abs(expected.number) < format_of<R>.largest();
}

template <class T, class R>
Measured compare(const Row& row, const Values<R>& got, const Operands<T>& x) {
  struct Worst {
    double error = -1, budget = 0;
    std::size_t at = 0;
    long long inputs = 0;
  };
  std::vector<Worst> parts(std::max(1u, std::thread::hardware_concurrency()));
  const auto search = [&](std::size_t part) {
    Worst worst;
    for (std::size_t i = part; i < got.size(); i += parts.size()) {
      const Stored<T> operands[] = {x[0][i], x[1][i], x[2][i], x[3][i]};
      const Expected expected = truth<T>(row.op, row.budget, operands);
      if (!measurable<R>(expected)) continue;
      ++worst.inputs;
      worst.budget = std::max(worst.budget, allowed_error<R>(expected, row.op));
      const double error = error_in_ulp<R>(got[i], expected);
      if (error > worst.error) worst.error = error, worst.at = i;
    }
    parts[part] = worst;
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t part = 0; part < parts.size(); ++part) threads.emplace_back(search, part);
  }
  Measured result;
  result.op = row.name;
  for (const Worst& part : parts) {
    result.inputs += part.inputs;
    result.budget = std::max(result.budget, part.budget);
  }
  const Worst& worst = *std::max_element(parts.begin(), parts.end(), [](const Worst& a, const Worst& b) {
    return a.error != b.error ? a.error < b.error : a.at > b.at;  // whatever the number of threads
  });
  result.error = std::max(0.0, worst.error);
  if (result.error > 0) {
    result.worst = std::string(row.name) + "(";
    for (std::size_t k = 0; k < static_cast<std::size_t>(row.arity); ++k)
      result.worst += (k ? ", " : "") + argument<T>(x[k][worst.at]);
    result.worst += ")";
  }
  return result;
}

template <class T>
Measured measure_dtype(const Row& row, std::size_t count) {
  const Operands<T> x = sample<T>(row, count);
  std::array<Array, 4> arrays;
  for (std::size_t k = 0; k < 4; ++k) arrays[k] = make<T>(x[k]);
  const Array result = call<T>(row, arrays);
  return with_type(result.dtype(), [&]<class R>(Type<R>) {
    Measured measured = compare<T, R>(row, read<R>(result), x);
    measured.dtype = name(dtype_of_v<T>);
    return measured;
  });
}

}  // namespace

std::vector<Measured> measure(const Row& row, std::size_t count) {
  std::vector<Measured> list;
  const auto add = [&]<class T>(Type<T>) {
    if (!row.takes(dtype_of_v<T>)) return;
    const std::size_t divisor = is_complex_v<T> ? 2 : row.budget == 0 ? 8 : is_half_v<T> ? 4 : 1;
    list.push_back(measure_dtype<T>(row, count / divisor));
  };
  add(Type<Half>{});
  add(Type<BFloat16>{});
  add(Type<float>{});
  add(Type<double>{});
  add(Type<std::complex<float>>{});
  add(Type<std::complex<double>>{});
  return list;
}

}  // namespace tandem::test
