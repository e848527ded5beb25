#include "support.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>

namespace tandem::test {

long double unit(const Format& format, long double value) {
  const int exponent = value == 0 ? format.min_exponent
                                  : std::clamp(std::ilogb(value) + 1, format.min_exponent, format.max_exponent);
  return std::ldexp(1.0L, exponent - format.digits);
}

long double round_to(const Format& format, long double value) {
  if (!std::isfinite(value) || value == 0) return value;
  const long double step = unit(format, value);
  const long double rounded = std::nearbyint(value / step) * step;
  if (std::fabs(rounded) > format.largest())
    return std::copysign(std::numeric_limits<long double>::infinity(), value);
  return std::copysign(rounded, value);
}

double ulp_error(const Format& format, long double got, long double truth) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (std::isnan(truth) || std::isnan(got)) return std::isnan(truth) && std::isnan(got) ? 0 : infinite;
  if (got == truth || (std::isinf(got) && got == round_to(format, truth))) return 0;
  if (std::isinf(truth)) return infinite;
  if (std::isinf(got)) got = std::copysign(std::ldexp(1.0L, format.max_exponent), got);
  return static_cast<double>(std::fabs(got - truth) / unit(format, truth));
}

std::int64_t element_count(const Shape& shape) {
  std::int64_t n = 1;
  for (std::int64_t length : shape) n *= length;
  return n;
}

std::size_t cases(std::size_t count) {
  return on_backend("reference") ? std::max<std::size_t>(count / 8, std::min<std::size_t>(count, 16)) : count;
}

bool on_backend(std::string_view name) { return Device().backend() == name; }

// ---- comparison ----

namespace {

template <class T>
::testing::AssertionResult same_values(const Array& actual, const Array& expected) {
  const Values<T> a = read<T>(actual), b = read<T>(expected);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same_bits<T>(a[i], b[i]))
      return ::testing::AssertionFailure() << name(actual.dtype()) << " " << actual.shape() << " at element " << i
                                           << ": " << text<T>(a[i]) << ", expected " << text<T>(b[i]);
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult same_form(const Array& actual, const Array& expected) {
  if (actual.dtype() != expected.dtype())
    return ::testing::AssertionFailure() << "dtype " << actual.dtype() << ", expected " << expected.dtype();
  if (!(actual.shape() == expected.shape()))
    return ::testing::AssertionFailure() << "shape " << actual.shape() << ", expected " << expected.shape();
  return ::testing::AssertionSuccess();
}

}  // namespace

::testing::AssertionResult same(const Array& actual, const Array& expected) {
  if (auto form = same_form(actual, expected); !form) return form;
  return with_type(expected.dtype(), [&]<class T>(Type<T>) { return same_values<T>(actual, expected); });
}

::testing::AssertionResult near(const Array& actual, const Array& expected, double relative, double absolute) {
  if (auto form = same_form(actual, expected); !form) return form;
  const auto a = actual.to_vector<std::complex<double>>(), b = expected.to_vector<std::complex<double>>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool both_nan = std::isnan(a[i].real()) && std::isnan(b[i].real());
    if (a[i] == b[i] || both_nan || std::abs(a[i] - b[i]) <= relative * std::abs(b[i]) + absolute) continue;
    return ::testing::AssertionFailure() << "element " << i << ": " << text<std::complex<double>>(a[i]) << ", expected "
                                         << text<std::complex<double>>(b[i]);
  }
  return ::testing::AssertionSuccess();
}

std::uint64_t hash(const Array& x) {
  std::uint64_t h = 14695981039346656037u;
  const auto add = [&](const void* data, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) h = (h ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211u;
  };
  const std::string head = std::string(name(x.dtype())) + to_string(x.shape());
  add(head.data(), head.size());
  const DType part = real_dtype(x.dtype());
  with_type(part, [&]<class T>(Type<T>) {
    const auto add_part = [&](const Array& values) {
      for (Stored<T> v : read<T>(values)) {
        if constexpr (is_real_v<T>)
          if (std::isnan(real_value(v))) v = element<T>(std::numeric_limits<long double>::quiet_NaN());
        add(&v, sizeof v);
      }
    };
    if (is_complex(x.dtype())) {
      add_part(real(x));
      add_part(imag(x));
    } else {
      add_part(x);
    }
  });
  return h;
}

// ---- generated values ----

namespace {

std::vector<long double> special_reals(const Format& f) {
  constexpr long double inf = std::numeric_limits<long double>::infinity();
  std::vector<long double> positive = {0,
                                       1,
                                       0.5,
                                       2,
                                       3,
                                       0.25,
                                       1.5,
                                       2.5,
                                       0.1,
                                       10,
                                       100.5,
                                       3.14159265358979323846L,
                                       1.57079632679489661923L,
                                       1 + f.epsilon(),
                                       1 - f.epsilon() / 2,
                                       f.smallest(),
                                       f.smallest_normal() - f.smallest(),
                                       f.smallest_normal(),
                                       f.largest(),
                                       std::ldexp(1.0L, f.digits - 1) - 0.5L,
                                       std::ldexp(1.0L, f.digits) - 1,
                                       1e-4L,
                                       inf};
  std::vector<long double> values;
  for (long double v : positive) {
    values.push_back(v);
    values.push_back(-v);
  }
  values.push_back(std::numeric_limits<long double>::quiet_NaN());
  return values;
}

}  // namespace

template <class T>
Values<T> special_values() {
  Values<T> values;
  if constexpr (std::same_as<T, bool>) {
    values = {0, 1};
  } else if constexpr (std::integral<T>) {
    using L = std::numeric_limits<T>;
    values = {0, 1, 2, 3, 7, 10, T(L::digits - 1), T(L::digits), T(L::digits + 1), T(L::max() / 2), T(L::max() / 2 + 1),
              T(L::max() - 1), L::max()};
    if constexpr (std::signed_integral<T>)
      for (T v : {T(-1), T(-2), T(-3), T(-7), T(-10), T(L::min() / 2), T(L::min() + 1), L::min()}) values.push_back(v);
  } else if constexpr (is_complex_v<T>) {
    for (double re : {0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.25, 1e-3})
      for (double im : {0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.25, 1e-3})
        values.push_back(T(static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(im)));
  } else {
    for (long double v : special_reals(format_of<T>)) values.push_back(element<T>(v));
  }
  return values;
}

template <class T>
Values<T> random_values(std::size_t count, double low, double high, std::uint64_t seed) {
  Random random(seed);
  Values<T> values(count);
  for (auto& value : values) {
    if constexpr (std::same_as<T, bool>) {
      value = random.bits() & 1;
    } else if constexpr (std::integral<T>) {
      using L = std::numeric_limits<T>;
      const double first = std::max(std::ceil(low), static_cast<double>(L::min()));
      const double last = std::min(std::floor(high), static_cast<double>(L::max()));
      value = static_cast<T>(random.integer(static_cast<std::int64_t>(first), static_cast<std::int64_t>(last)));
    } else if constexpr (is_complex_v<T>) {
      using F = typename T::value_type;
      const F re = static_cast<F>(low + (high - low) * random.uniform());
      value = T(re, static_cast<F>(low + (high - low) * random.uniform()));
    } else {
      value = element<T>(low + (high - low) * random.uniform());
    }
  }
  return values;
}

// ---- layouts ----

std::string_view name(Layout layout) {
  constexpr std::string_view names[] = {"contiguous", "strided", "negative", "transposed", "broadcast", "misaligned"};
  return names[static_cast<int>(layout)];
}

template <class T>
LaidOut<T> lay_out(const Values<T>& values, const Shape& shape, Layout layout) {
  Values<T> junk;
  if constexpr (std::same_as<T, bool>) junk = {1};
  else junk = special_values<T>();
  Values<T> memory;
  const std::int64_t n = element_count(shape);
  const int last = shape.size() - 1;
  switch (layout) {
    case Layout::contiguous: return {make<T>(values, shape), values};
    case Layout::strided: {
      for (std::int64_t i = 0; i < n; ++i) {
        memory.push_back(values[static_cast<std::size_t>(i)]);
        memory.push_back(junk[static_cast<std::size_t>(i) % junk.size()]);
      }
      Shape wide = shape;
      wide[last] *= 2;
      const Array whole = make<T>(memory, wide);
      return {whole(ellipsis, slice(none, none, 2)), values};
    }
    case Layout::negative:
      memory.assign(values.rbegin(), values.rend());
      return {make<T>(memory, shape).flip(), values};
    case Layout::transposed: {
      Shape reversed = shape;
      std::reverse(reversed.begin(), reversed.end());
      memory.resize(values.size());
      for_each_index(shape, [&](std::int64_t i, const Shape& index) {
        std::int64_t offset = 0;
        for (int axis = last; axis >= 0; --axis) offset = offset * shape[axis] + index[axis];
        memory[static_cast<std::size_t>(offset)] = values[static_cast<std::size_t>(i)];
      });
      return {make<T>(memory, reversed).transpose(), values};
    }
    case Layout::broadcast: {
      const std::size_t part = static_cast<std::size_t>(n / shape[0]);
      memory.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(part));
      Shape one = shape;
      one[0] = 1;
      Array array = make<T>(memory, one).broadcast_to(shape);
      Values<T> logical(values.size());
      for (std::size_t i = 0; i < logical.size(); ++i) logical[i] = memory[i % part];
      return {array, logical};
    }
    default: {
      memory.assign(values.size() + 1, junk.back());
      std::copy(values.begin(), values.end(), memory.begin() + 1);
      const Array whole = make<T>(memory);
      return {Array(whole(slice(1, none))).reshape(shape), values};
    }
  }
}

Array lay_out(const Array& x, Layout layout) {
  return with_type(x.dtype(), [&]<class T>(Type<T>) { return lay_out<T>(read<T>(x), x.shape(), layout).array; });
}

#define INSTANTIATE(T)                                                                             \
  template Values<T> special_values<T>();                                                          \
  template Values<T> random_values<T>(std::size_t count, double low, double high, std::uint64_t); \
  template LaidOut<T> lay_out<T>(const Values<T>&, const Shape&, Layout);
INSTANTIATE(bool)
INSTANTIATE(std::int8_t)
INSTANTIATE(std::int16_t)
INSTANTIATE(std::int32_t)
INSTANTIATE(std::int64_t)
INSTANTIATE(std::uint8_t)
INSTANTIATE(std::uint16_t)
INSTANTIATE(std::uint32_t)
INSTANTIATE(std::uint64_t)
INSTANTIATE(Half)
INSTANTIATE(BFloat16)
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(std::complex<float>)
INSTANTIATE(std::complex<double>)
#undef INSTANTIATE

// ---- probes ----

namespace {

std::map<std::string, std::string (*)()>& probes() {
  static auto* map = new std::map<std::string, std::string (*)()>;
  return *map;
}

std::string own_path() {
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  if (n <= 0) throw std::runtime_error("readlink of /proc/self/exe failed");
  return std::string(path, static_cast<std::size_t>(n));
}

}  // namespace

Probe::Probe(const char* name, std::string (*function)()) { probes()[name] = function; }

std::string run_probe(const std::string& name, const std::vector<std::pair<std::string, std::string>>& environment) {
  std::string command = "env";
  for (const auto& [key, value] : environment) command += " '" + key + "=" + value + "'";
  command += " '" + own_path() + "' '--probe=" + name + "'";
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("popen failed: " + command);
  std::string output;
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, n);
  if (pclose(pipe) != 0) throw std::runtime_error("failed: " + command + "\n" + output);
  return output;
}

std::string data_folder(const std::string& name) {
  const std::string self = own_path();
  for (const std::string& folder : {self.substr(0, self.rfind('/')) + "/data/" + name, TANDEM_TEST_DATA "/" + name})
    if (access(folder.c_str(), R_OK) == 0) return folder;
  throw std::runtime_error("no test data " + name + " beside " + self + " nor in " TANDEM_TEST_DATA);
}

long long flushes() {
  long long total = 0;
  for (const FlushCount& f : flush_counts()) total += f.count;
  return total;
}

long long flushes(std::string_view reason) {
  for (const FlushCount& f : flush_counts())
    if (reason == f.reason) return f.count;
  ADD_FAILURE() << "no flush reason is called " << reason;
  return -1;
}

int print_probe(std::string_view name) {
  try {
    std::fputs(probes().at(std::string(name))().c_str(), stdout);
    return 0;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}

int refuse() {
  const char* wanted = std::getenv("TANDEM_BACKEND");
  try {
    std::printf("device: %s\n", Device().name().c_str());
    return -1;
  } catch (const BackendUnavailable& error) {
    const std::string_view backend = wanted ? wanted : "";
    const bool may_be_missing = backend.starts_with("cuda");
    std::printf("%s: %s\n", may_be_missing ? "SKIPPED" : "FAILED", error.what());
    return may_be_missing ? 77 : 1;
  }
}

}  // namespace tandem::test

#if defined(__SANITIZE_THREAD__)
// Fork.ChildGoesOnComputing forks a process that has threads; what is tested is that this works.
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }
#endif
