// The special cases of special_cases.def, for each floating-point dtype, at each place of a vector and in its tail, in
// memory of all layouts and with a number in place of one operand; and those of reductions and scans.
#include <algorithm>
#include <map>
#include <stdexcept>

#include "rows.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;

namespace {

struct RealRow {
  std::string_view function, x, y, result;
};
struct ComplexRow {
  std::string_view function, x, y, re, im;
};
constexpr RealRow real_rows[] = {
#define REAL_1(function, x, result) {#function, x, "", result},
#define REAL_2(function, x, y, result) {#function, x, y, result},
#define COMPLEX_1(...)
#include "special_cases.def"
};
constexpr ComplexRow complex_rows[] = {
#define REAL_1(...)
#define REAL_2(...)
#define COMPLEX_1(function, x, y, re, im) {#function, x, y, re, im},
#include "special_cases.def"
};

// ---- what the words of the table mean ----

template <class F> constexpr F inf = std::numeric_limits<F>::infinity();
template <class F> constexpr F largest = std::numeric_limits<F>::max();
template <class F> constexpr F smallest = std::numeric_limits<F>::denorm_min();

/// Numbers to choose from.
template <class F>
const std::vector<F>& pool() {
  static const std::vector<F> numbers = [] {
    using L = std::numeric_limits<F>;
    const F whole = std::ldexp(F(1), L::digits);
    std::vector<F> list;
    for (F x : {F(0), smallest<F>, L::min() / 2, L::min(), L::epsilon(), F(0.1), F(0.5), F(0.75), 1 - L::epsilon() / 2,
                F(1), 1 + L::epsilon(), F(1.5), F(2), F(2.5), F(3), F(7), F(10), F(100.25), whole - 1, whole, 2 * whole,
                largest<F>, inf<F>, L::quiet_NaN()}) {
      list.push_back(x);
      list.push_back(-x);
    }
    return list;
  }();
  return numbers;
}

/// Whether x is among the numbers that the word names.
template <class F>
bool is(std::string_view word, F x) {
  using Test = bool (*)(F);
  static const std::map<std::string_view, Test> tests = {
      {"any", [](F) { return true; }},
      {"nan", [](F v) { return v != v; }},
      {"+nan", [](F v) { return v != v && !std::signbit(v); }},
      {"-nan", [](F v) { return v != v && std::signbit(v); }},
      {"number", [](F v) { return v == v; }},
      {"finite", [](F v) { return std::isfinite(v); }},
      {"nonzero", [](F v) { return std::isfinite(v) && v != 0; }},
      {"positive", [](F v) { return std::isfinite(v) && v > 0; }},
      {"negative", [](F v) { return std::isfinite(v) && v < 0; }},
      {"moderate", [](F v) { return std::fabs(v) >= F(0.5) && std::fabs(v) <= 10; }},
      {"inf", [](F v) { return std::isinf(v); }},
      {"+inf", [](F v) { return v == inf<F>; }},
      {"-inf", [](F v) { return v == -inf<F>; }},
      {"0", [](F v) { return v == 0; }},
      {"+0", [](F v) { return v == 0 && !std::signbit(v); }},
      {"-0", [](F v) { return v == 0 && std::signbit(v); }},
      {"not 0", [](F v) { return v != 0; }},
      {"not 0 number", [](F v) { return v < 0 || v > 0; }},
      {">0", [](F v) { return v > 0; }},
      {"<0", [](F v) { return v < 0; }},
      {"1", [](F v) { return v == 1; }},
      {"-1", [](F v) { return v == -1; }},
      {"2", [](F v) { return v == 2; }},
      {"+-1", [](F v) { return std::fabs(v) == 1; }},
      {"not 1", [](F v) { return v != 1; }},
      {"<1", [](F v) { return v < 1; }},
      {"<-1", [](F v) { return v < -1; }},
      {"|x| > 1", [](F v) { return std::fabs(v) > 1; }},
      {"|x| < 1", [](F v) { return std::fabs(v) < 1; }},
      {"-1 < x < 0", [](F v) { return -1 < v && v < 0; }},
      {"0 < x < 1", [](F v) { return 0 < v && v < 1; }},
      {"huge", [](F v) { return std::fabs(v) == largest<F>; }},
      {"tiny", [](F v) { return std::fabs(v) == smallest<F>; }},
      {"+largest", [](F v) { return v == largest<F>; }},
      {"-largest", [](F v) { return v == -largest<F>; }},
      {"+smallest", [](F v) { return v == smallest<F>; }},
      {"-smallest", [](F v) { return v == -smallest<F>; }},
      {"whole", [](F v) { return std::isfinite(v) && v != 0 && std::trunc(v) == v; }},
      {"-whole", [](F v) { return std::isfinite(v) && v < 0 && std::trunc(v) == v; }},
      {"fraction", [](F v) { return std::isfinite(v) && std::trunc(v) != v; }},
      {"half", [](F v) { return std::isfinite(v) && std::fabs(v - std::trunc(v)) == F(0.5); }},
      {"odd", [](F v) { return std::fmod(v, F(2)) == 1; }},
      {"-odd", [](F v) { return std::fmod(v, F(2)) == -1; }},
      {">0 not odd", [](F v) { return v > 0 && std::fmod(v, F(2)) != 1; }},
      {"<0 not odd", [](F v) { return v < 0 && std::fmod(v, F(2)) != -1; }},
  };
  const auto found = tests.find(word);
  if (found == tests.end()) throw std::runtime_error("special_cases.def: unknown condition " + std::string(word));
  return found->second(x);
}

template <class F>
std::vector<F> numbers(std::string_view word, F x = 0) {
  if (word == "x") return {x};
  if (word == "-x") return {-x};
  std::vector<F> list;
  for (F v : pool<F>())
    if (is(word, v)) list.push_back(v);
  if (list.empty()) throw std::runtime_error("special_cases.def: no number is " + std::string(word));
  return list;
}

/// What a part of the result has to be.
struct Expected {
  enum Kind { exact, about, either_sign, signed_nan, sign } kind;
  long double value;

  Expected operator-() const { return {kind, -value}; }
  template <class F>
  bool met_by(F got, double budget) const {
    const bool same_sign = std::signbit(got) == std::signbit(value);
    switch (kind) {
      case exact: return value != value ? got != got : got == value && same_sign;
      case about: return ulp_error(format_of<F>, got, value) <= std::max(1.0, budget) && same_sign;
      case either_sign: return std::fabs(got) == std::fabs(value);
      case signed_nan: return got != got && same_sign;
      default: return got == got && same_sign;
    }
  }
  std::string text() const {
    char buffer[64];
    const char* forms[] = {"%.17Lg", "about %.17Lg", "%.17Lg of either sign", "%Lg", "the sign of %.17Lg"};
    std::snprintf(buffer, sizeof buffer, forms[kind], value);
    return buffer;
  }
};

template <class F>
Expected expected(std::string_view word, F x, F y) {
  constexpr long double pi = 3.14159265358979323846L, infinite = inf<long double>;
  constexpr long double nan = std::numeric_limits<long double>::quiet_NaN();
  const long double product_sign = std::signbit(x) != std::signbit(y) ? -1 : 1;
  const long double wide_y = y;
  const std::map<std::string_view, Expected> words = {
      {"nan", {Expected::exact, nan}},
      {"+nan", {Expected::signed_nan, nan}},
      {"-nan", {Expected::signed_nan, -nan}},
      {"+inf", {Expected::exact, infinite}},
      {"-inf", {Expected::exact, -infinite}},
      {"inf", {Expected::either_sign, infinite}},
      {"+0", {Expected::exact, 0.0L}},
      {"-0", {Expected::exact, -0.0L}},
      {"0", {Expected::either_sign, 0.0L}},
      {"1", {Expected::exact, 1}},
      {"-1", {Expected::exact, -1}},
      {"2", {Expected::exact, 2}},
      {"true", {Expected::exact, 1}},
      {"false", {Expected::exact, 0.0L}},
      {"x", {Expected::exact, x}},
      {"y", {Expected::exact, y}},
      {"-x", {Expected::exact, -x}},
      {"-y", {Expected::exact, -y}},
      {"|x|", {Expected::exact, std::fabs(x)}},
      {"|y|", {Expected::exact, std::fabs(y)}},
      {"-|x|", {Expected::exact, -std::fabs(x)}},
      {"about x", {Expected::about, x}},
      {"about y", {Expected::about, y}},
      {"even", {Expected::exact, std::copysign(2 * std::floor(std::fabs(x) / 2 + F(0.5)), x)}},
      {"pi", {Expected::about, pi}},
      {"-pi", {Expected::about, -pi}},
      {"pi/2", {Expected::about, pi / 2}},
      {"-pi/2", {Expected::about, -pi / 2}},
      {"+-pi/2", {Expected::about, std::copysign(pi / 2, wide_y)}},
      {"pi/4", {Expected::about, pi / 4}},
      {"-pi/4", {Expected::about, -pi / 4}},
      {"3pi/4", {Expected::about, 3 * pi / 4}},
      {"-3pi/4", {Expected::about, -3 * pi / 4}},
      {"pi/ln 2", {Expected::about, pi / std::log(2.0L)}},
      {"pi/ln 10", {Expected::about, pi / std::log(10.0L)}},
      {"+inf or 0", {Expected::exact, x > 0 ? infinite : 0.0L}},
      {"+largest", {Expected::exact, largest<F>}},
      {"-largest", {Expected::exact, -largest<F>}},
      {"+smallest", {Expected::exact, smallest<F>}},
      {"-smallest", {Expected::exact, -smallest<F>}},
      {"sign", {Expected::sign, product_sign}},
      {"y's sign", {Expected::sign, y}},
      {"sign inf", {Expected::exact, product_sign * infinite}},
      {"sign 0", {Expected::exact, std::copysign(0.0L, product_sign)}},
      {"0 with x's sign", {Expected::exact, std::copysign(F(0), x)}},
      {"0 with y's sign", {Expected::exact, std::copysign(F(0), y)}},
      {"0 cos y", {Expected::exact, std::copysign(0.0L, std::cos(wide_y))}},
      {"0 sin y", {Expected::exact, std::copysign(0.0L, std::sin(wide_y))}},
      {"0 sin 2y", {Expected::exact, std::copysign(0.0L, std::sin(wide_y) * std::cos(wide_y))}},
      {"inf cos y", {Expected::exact, std::copysign(infinite, std::cos(wide_y))}},
      {"inf sin y", {Expected::exact, std::copysign(infinite, std::sin(wide_y))}},
  };
  const auto found = words.find(word);
  if (found == words.end()) throw std::runtime_error("special_cases.def: unknown result " + std::string(word));
  return found->second;
}

// ---- calls ----

using Call = Array (*)(const td::Operand& x, const td::Operand& y);
struct Function {
  Call call;
  int arity, budget;
};
const Function& function(std::string_view name) {
  static const std::map<std::string_view, Function> functions = [] {
    std::map<std::string_view, Function> map;
#define CALL_OF_1(name) [](const td::Operand& x, const td::Operand&) { return td::name(x); }
#define CALL_OF_2(name) [](const td::Operand& x, const td::Operand& y) { return td::name(x, y); }
#define CALL_OF_3(name) nullptr
#define CALL_OF_4(name) nullptr
#define TD_OP(name, arity, types, result, expression, low, high, ulp, doc) \
  map[#name] = {CALL_OF_##arity(name), arity, ulp};
#include <tandem/ops.def>
    map["round"] = {[](const td::Operand& x, const td::Operand&) { return td::round(x); }, 1, 0};
    return map;
  }();
  return functions.at(name);
}

template <class F, class T>
F real_part(const T& x) {
  if constexpr (is_complex_v<T>) return x.real();
  else return static_cast<F>(x);
}

/// The cases of one function. Operands and results are real or complex.
template <class T>
class Cases {
 public:
  using F = decltype(std::abs(T()));
  explicit Cases(std::string_view name) : name_(name), function_(function(name)) {}

  void add(T x, T y, Expected re, std::optional<Expected> im = {}) {
    x_.push_back(x);
    y_.push_back(y);
    re_.push_back(re);
    im_.push_back(im);
  }
  bool empty() const { return x_.empty(); }

  void run() {
    std::vector<std::size_t> all(x_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    // An odd number of cases, over and over: each one meets all places of a vector.
    if (all.size() % 2 == 0) all.push_back(0);
    const std::size_t once = all.size(), copies = on_backend("reference") ? 1 : 17;
    for (std::size_t i = once; i < once * copies; ++i) all.push_back(all[i - once]);
    for (Layout layout : {Layout::contiguous, Layout::strided, Layout::negative, Layout::misaligned}) {
      check(all, function_.call(laid_out(x_, all, layout), laid_out(y_, all, layout)), name(layout));
      if (on_backend("reference") && layout == Layout::strided) break;
    }
    for (std::size_t first = 0, length = 3; first < once; first += length, length = 16 - length) {
      const std::vector<std::size_t> piece(all.begin() + static_cast<std::ptrdiff_t>(first),
                                           all.begin() + static_cast<std::ptrdiff_t>(std::min(once, first + length)));
      check(piece, function_.call(laid_out(x_, piece, Layout::contiguous), laid_out(y_, piece, Layout::contiguous)),
            "a short array");
    }
    if (function_.arity == 2) {
      run_with_scalars(x_, y_, false);
      run_with_scalars(y_, x_, true);
    }
    if (failures_ > 0)
      ADD_FAILURE() << name_ << " of " << td::dtype_of_v<T> << ": " << failures_ << " differences\n" << messages_;
  }

 private:
  static Array laid_out(const Values<T>& values, const std::vector<std::size_t>& which, Layout layout) {
    Values<T> chosen;
    for (std::size_t i : which) chosen.push_back(values[i]);
    return lay_out<T>(chosen, {static_cast<std::int64_t>(chosen.size())}, layout).array;
  }

  void run_with_scalars(const Values<T>& arrays, const Values<T>& scalars, bool scalar_first) {
    std::map<std::string, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < scalars.size(); ++i) groups[text<T>(scalars[i])].push_back(i);
    for (const auto& [key, which] : groups) {
      const Array array = laid_out(arrays, which, Layout::contiguous);
      const T scalar = scalars[which[0]];
      check(which, scalar_first ? function_.call(scalar, array) : function_.call(array, scalar),
            scalar_first ? "a number on the left" : "a number on the right");
    }
  }

  void check(const std::vector<std::size_t>& which, const Array& result, std::string_view how) {
    with_type(result.dtype(), [&]<class R>(Type<R>) {
      if constexpr (std::same_as<R, bool> || std::same_as<R, F> || std::same_as<R, std::complex<F>>) {
        const Values<R> got = read<R>(result);
        for (std::size_t i = 0; i < which.size(); ++i) {
          const std::size_t at = which[i];
          bool met = re_[at].met_by(real_part<F>(got[i]), function_.budget);
          if constexpr (is_complex_v<R>) met = met && im_[at] && im_[at]->met_by(got[i].imag(), function_.budget);
          if (met || ++failures_ > 8) continue;
          messages_ += std::string(name_) + "(" + text<T>(x_[at]);
          if (function_.arity == 2) messages_ += ", " + text<T>(y_[at]);
          messages_ += ") in " + std::string(how) + " gave " + text<R>(got[i]) + ", expected " + re_[at].text();
          messages_ += (im_[at] ? ", " + im_[at]->text() : "") + "\n";
        }
      } else {
        ADD_FAILURE() << name_ << " gave " << result.dtype() << " for " << td::dtype_of_v<T>;
      }
    });
  }

  std::string_view name_;
  Function function_;
  Values<T> x_, y_;
  std::vector<Expected> re_;
  std::vector<std::optional<Expected>> im_;
  int failures_ = 0;
  std::string messages_;
};

template <class Row, std::size_t n>
std::vector<std::string> names_in(const Row (&rows)[n]) {
  std::vector<std::string> names;
  for (const Row& row : rows)
    if (names.empty() || names.back() != row.function) names.emplace_back(row.function);
  return names;
}

// ---- real functions ----

template <class F>
void check_real(std::string_view name) {
  Cases<F> cases(name);
  for (const RealRow& row : real_rows) {
    if (row.function != name) continue;
    for (F x : numbers<F>(row.x))
      for (F y : row.y.empty() ? std::vector<F>{0} : numbers<F>(row.y, x))
        cases.add(x, y, expected(row.result, x, y));
  }
  cases.run();
}

class Real : public ::testing::TestWithParam<std::string> {};
TEST_P(Real, HasItsSpecialCases) {
  check_real<float>(GetParam());
  check_real<double>(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Functions, Real, ::testing::ValuesIn(names_in(real_rows)),
                         [](const auto& info) { return info.param; });

// ---- complex functions ----

/// A function that follows from another one with operands and results turned: f(z) = -i g(iz), or g(iz).
struct Turned {
  std::string_view from;
  bool turns_result;
};
const std::map<std::string_view, Turned> turned = {
    {"sin", {"sinh", true}},   {"cos", {"cosh", false}},  {"tan", {"tanh", true}},
    {"asin", {"asinh", true}}, {"atan", {"atanh", true}},
};

template <class F>
void check_complex(std::string_view name) {
  using C = std::complex<F>;
  const auto how = turned.find(name);
  const std::string_view source = how == turned.end() ? name : how->second.from;
  const bool odd = source == "sinh" || source == "tanh" || source == "asinh" || source == "atanh";
  const bool even = source == "cosh";
  Cases<C> cases(name);
  const auto add = [&](F x, F y, Expected re, Expected im) {
    if (how == turned.end()) cases.add(C(x, y), C(), re, im);
    else if (how->second.turns_result) cases.add(C(y, -x), C(), im, -re);
    else cases.add(C(y, -x), C(), re, im);
  };
  for (const ComplexRow& row : complex_rows) {
    if (row.function != source) continue;
    for (F x : numbers<F>(row.x))
      for (F y : numbers<F>(row.y)) {
        const Expected re = expected(row.re, x, y);
        if (row.im.empty()) {
          cases.add(C(x, y), C(), re);
          continue;
        }
        const Expected im = expected(row.im, x, y);
        add(x, y, re, im);
        add(x, -y, re, -im);
        if (odd) add(-x, -y, -re, -im), add(-x, y, -re, im);
        if (even) add(-x, -y, re, im), add(-x, y, re, -im);
      }
  }
  ASSERT_FALSE(cases.empty());
  cases.run();
}

class Complex : public ::testing::TestWithParam<std::string> {};
TEST_P(Complex, HasItsSpecialCases) {
  check_complex<float>(GetParam());
  check_complex<double>(GetParam());
}
std::vector<std::string> complex_names() {
  std::vector<std::string> names = names_in(complex_rows);
  for (const auto& [name, from] : turned) names.emplace_back(name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Functions, Complex, ::testing::ValuesIn(complex_names()),
                         [](const auto& info) { return info.param; });

/// Arithmetic acts on the parts: a + c and b + d are sums of real numbers, and so on.
template <class F>
void check_complex_arithmetic() {
  using C = std::complex<F>;
  constexpr F nan = std::numeric_limits<F>::quiet_NaN();
  Cases<C> sums("add"), differences("subtract"), products("multiply"), quotients("divide"), equal("equal"),
      not_equal("not_equal");
  const F parts[] = {F(0), -F(0), F(1.5), -F(2), inf<F>, -inf<F>, nan};
  for (F a : parts)
    for (F b : parts)
      for (F c : parts)
        for (F d : parts) {
          const C x(a, b), y(c, d);
          sums.add(x, y, {Expected::exact, a + c}, {{Expected::exact, b + d}});
          differences.add(x, y, {Expected::exact, a - c}, {{Expected::exact, b - d}});
          const bool same = a == c && b == d;
          equal.add(x, y, {Expected::exact, same ? 1.0L : 0.0L});
          not_equal.add(x, y, {Expected::exact, same ? 0.0L : 1.0L});
          if (std::isfinite(a) && std::isfinite(b) && std::isfinite(c) && std::isfinite(d))
            products.add(x, y, {Expected::exact, a * c - b * d}, {{Expected::exact, a * d + b * c}});
        }
  const Expected not_a_number{Expected::exact, nan};
  products.add(C(nan, nan), C(nan, nan), not_a_number, not_a_number);
  quotients.add(C(nan, nan), C(nan, nan), not_a_number, not_a_number);
  quotients.add(C(0, 0), C(0, 0), not_a_number, not_a_number);
  quotients.add(C(3, -3), C(0, 0), {Expected::exact, inf<F>}, {{Expected::exact, -inf<F>}});
  quotients.add(C(-4, 2), C(2, 0), {Expected::exact, -2}, {{Expected::exact, 1}});
  quotients.add(C(-4, 2), C(0, 2), {Expected::exact, 1}, {{Expected::exact, 2}});
  for (Cases<C>* cases : {&sums, &differences, &products, &quotients, &equal, &not_equal}) cases->run();
}
TEST(ComplexArithmetic, ActsOnTheParts) {
  check_complex_arithmetic<float>();
  check_complex_arithmetic<double>();
}

// ---- three operands ----

template <class F>
void check_clip_and_fma() {
  const F nan = std::numeric_limits<F>::quiet_NaN();
  const std::size_t n = 37;
  const auto repeated = [&](F x) { return make<F>(Values<F>(n, x)); };
  const auto all_are = [&](const Array& got, F value) { return same(got, repeated(value)); };
  EXPECT_TRUE(all_are(td::clip(repeated(nan), repeated(0), repeated(1)), nan));
  EXPECT_TRUE(all_are(td::clip(repeated(5), repeated(nan), repeated(1)), nan));
  EXPECT_TRUE(all_are(td::clip(repeated(5), repeated(0), repeated(nan)), nan));
  EXPECT_TRUE(all_are(td::clip(repeated(inf<F>), repeated(0), repeated(1)), 1));
  EXPECT_TRUE(all_are(td::clip(repeated(-inf<F>), -inf<F>, repeated(1)), -inf<F>));
  EXPECT_TRUE(all_are(td::fma(repeated(inf<F>), repeated(0), repeated(1)), nan));
  EXPECT_TRUE(all_are(td::fma(repeated(inf<F>), repeated(2), repeated(-inf<F>)), nan));
  EXPECT_TRUE(all_are(td::fma(repeated(2), repeated(3), repeated(-inf<F>)), -inf<F>));
  EXPECT_TRUE(all_are(td::fma(repeated(-F(0)), repeated(1), repeated(-F(0))), -F(0)));
  EXPECT_TRUE(all_are(td::fma(repeated(largest<F>), repeated(2), repeated(-largest<F>)), largest<F>));
  EXPECT_TRUE(all_are(td::where(repeated(nan) == repeated(nan), repeated(1), repeated(nan)), nan));
}
TEST(ThreeOperands, ClipFmaWhere) {
  check_clip_and_fma<float>();
  check_clip_and_fma<double>();
}

// ---- reductions and scans ----

template <class T>
void check_reductions() {
  using F = decltype(std::abs(T()));
  const F nan = std::numeric_limits<F>::quiet_NaN();
  const td::ArrayOptions of_T{.dtype = td::dtype_of_v<T>}, of_F{.dtype = td::dtype_of_v<F>};
  const Array none = td::zeros({0}, of_T);
  EXPECT_TRUE(same(td::sum(none), td::zeros({}, of_T)));
  EXPECT_TRUE(same(td::prod(none), td::ones({}, of_T)));
  EXPECT_TRUE(same(td::any(none), td::array(false)));
  EXPECT_TRUE(same(td::all(none), td::array(true)));
  EXPECT_TRUE(same(td::count_nonzero(none), td::array(0)));
  EXPECT_TRUE(td::isnan(td::mean(none)).template item<bool>());
  EXPECT_TRUE(same(td::var(none), td::full({}, nan, of_F)));
  EXPECT_TRUE(same(td::std(none), td::full({}, nan, of_F)));
  EXPECT_TRUE(throws([&] { td::max(none); }, "max: "));
  EXPECT_TRUE(throws([&] { td::min(none); }, "min: "));
  for (std::int64_t n : {1, 5, 16, 129, 5000}) {
    Array x = td::ones({n}, of_T);
    // N - correction is 0, and so is the sum of squares: 0/0.
    EXPECT_TRUE(same(td::var(x, {.correction = double(n)}), td::full({}, nan, of_F)));
    EXPECT_TRUE(same(td::std(x, {.correction = double(n)}), td::full({}, nan, of_F)));
    EXPECT_TRUE(same(td::var(x), td::zeros({}, of_F)));
    for (std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
      x = td::ones({n}, of_T);
      x(at) = nan;
      for (const Array& result : {td::sum(x), td::prod(x), td::max(x), td::min(x), td::mean(x), td::var(x), td::std(x)})
        EXPECT_TRUE(td::isnan(result).item<bool>()) << n << " elements, NaN at " << at;
      EXPECT_EQ(td::argmax(x).template item<std::int64_t>(), at);
      EXPECT_EQ(td::argmin(x).template item<std::int64_t>(), at);
      EXPECT_TRUE(td::all(x).template item<bool>());
      EXPECT_EQ(td::count_nonzero(x).template item<std::int64_t>(), n);
      x(at) = inf<F>;
      EXPECT_TRUE(same(td::real(td::sum(x)), td::full({}, inf<F>, of_F)));
      EXPECT_TRUE(same(td::real(td::max(x)), td::full({}, inf<F>, of_F)));
      EXPECT_TRUE(same(td::var(x), td::full({}, nan, of_F)));
      if (n > 1) {
        x(at == 0 ? 1 : 0) = -inf<F>;
        EXPECT_TRUE(td::isnan(td::sum(x)).template item<bool>());
        EXPECT_TRUE(td::isnan(td::mean(x)).template item<bool>());
        EXPECT_TRUE(same(td::real(td::min(x)), td::full({}, -inf<F>, of_F)));
      }
    }
    EXPECT_TRUE(same(td::real(td::sum(td::full({n}, -0.0, of_T))), td::full({}, -0.0, of_F)));
  }
}
TEST(Reductions, HaveTheirSpecialCases) {
  check_reductions<float>();
  check_reductions<double>();
  check_reductions<std::complex<float>>();
  check_reductions<std::complex<double>>();
}

template <class T>
void check_scans() {
  using F = decltype(std::abs(T()));
  const F nan = std::numeric_limits<F>::quiet_NaN();
  const td::ArrayOptions of_T{.dtype = td::dtype_of_v<T>};
  const Array none = td::zeros({0}, of_T);
  EXPECT_TRUE(same(td::cumulative_sum(none), none));
  EXPECT_TRUE(same(td::cumulative_prod(none), none));
  EXPECT_TRUE(same(td::cumulative_sum(none, {.include_initial = true}), td::zeros({1}, of_T)));
  EXPECT_TRUE(same(td::cumulative_prod(none, {.include_initial = true}), td::ones({1}, of_T)));
  EXPECT_TRUE(same(td::diff(none), none));
  for (std::int64_t n : {1, 5, 17, 300, 5000}) {
    const std::int64_t at = n / 2;
    const Array before = td::arange(n) < at;
    for (F special : {nan, inf<F>}) {
      Array x = td::ones({n}, of_T);
      x(at) = special;
      const auto tainted = special == special ? td::isinf : td::isnan;
      for (const Array& result : {td::cumulative_sum(x), td::cumulative_max(x)})
        EXPECT_TRUE(same(tainted(result), td::logical_not(before))) << n << " elements";
      EXPECT_TRUE(same(td::cumulative_max(x)(td::slice(0, at)), td::ones({at}, of_T)));
    }
  }
}
TEST(Scans, HaveTheirSpecialCases) {
  check_scans<float>();
  check_scans<double>();
  check_scans<std::complex<float>>();
  check_scans<std::complex<double>>();
}

}  // namespace
