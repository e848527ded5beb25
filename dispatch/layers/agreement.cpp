#include "agreement.hpp"

#include <cmath>
#include <limits>

#include <tandem/data_types.hpp>

#include "../program/scalar_host.hpp"

namespace tandem::detail {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// What two backends must agree on: all verbs that are not listed have the same bits.
struct Level {
  Verb verb;
  const char* words;
  std::optional<Difference> (*compare)(const BothMade& both);  // null: by instruction, or by bits
};
constexpr const char* same_bits = "the same bits, any NaN being like any other";

std::optional<Difference> compare_bits(const BothMade& both) {
  for (std::size_t i = 0; i < both.first.outputs.size(); ++i)
    if (auto found = first_other_bits(both.first.outputs[i], both.second.outputs[i])) return found;
  return std::nullopt;
}

/// What was gathered counts only if all indices were inside.
std::optional<Difference> compare_gather_checked(const BothMade& both) {
  const Written &first = *both.first.find("inside"), &second = *both.second.find("inside");
  if (auto found = first_other_bits(first, second)) return found;
  return number_of(first.dtype, first.at(0)) == Number(0) ? std::nullopt : compare_bits(both);
}

constexpr Level levels[] = {
    {Verb::run_program,
     "each instruction from the first backend's operands: the same bits, or within twice the budget of its row of "
     "ops.def",
     nullptr},
    {Verb::gather_checked, "whether the indices are inside, and if they are the same bits", compare_gather_checked},
    {Verb::matmul, "(k + 2) eps (|a| |b|), of complex numbers twice that; bools and integers the same bits",
     compare_matmul},
    {Verb::fft, "the 2-norm of a transform within 8 (1 + log2(n)) eps of itself; what must be real is real",
     compare_fft},
    {Verb::cholesky, "l l^H is a within 4 (n + 2) eps sqrt(a_ii a_jj), the other triangle is 0", compare_cholesky},
    {Verb::lu, "l u is a with its rows exchanged, within 8 n eps (|l| |u|)", compare_lu},
    {Verb::solve, "a x is b within 8 n^2 eps max|a| max|x|", compare_solve},
    {Verb::qr, "q r is a within 16 max(m, n) eps |a_j|, q^H q is 1 within 8 m eps", compare_qr},
    {Verb::svd,
     "s within 16 m eps max(s); u diag(s) vh is a within 32 m eps max(s), u^H u and vh vh^H are 1 within 8 m eps",
     compare_svd},
    {Verb::eigh, "w within 16 n eps max|w|; v diag(w) v^H is a within 32 n eps max|w|, v^H v is 1 within 8 n eps",
     compare_eigh},
    {Verb::eig,
     "sums of powers of w, which have no order, within 64 k n eps |a|^k; a v is v diag(w) within 32 n eps |a|, columns "
     "of v have length 1 within 8 n eps",
     compare_eig},
};

const Level& level_of(Verb verb) {
  static constexpr Level others{Verb::count, same_bits, nullptr};
  for (const Level& level : levels)
    if (level.verb == verb) return level;
  return others;
}

long double ulp(const FloatInfo& info, long double value) {
  if (value < info.smallest_normal) return info.smallest_subnormal;
  return std::ldexp(static_cast<long double>(info.eps), std::ilogb(value));
}

/// Calls function(real part's type) for the parts of two inexact elements, in pairs, until it returns false.
template <class Function>
bool for_parts(DType dtype, const std::byte* a, const std::byte* b, Function&& function) {
  const DType part = real_dtype(dtype);
  const int size = itemsize(part);
  for (int i = 0; i < itemsize(dtype); i += size)
    if (!function(part, a + i, b + i)) return false;
  return true;
}

std::string status_text(const Outcome& outcome) {
  if (outcome.status == TD_OK) return "has a result";
  return "says \"" + outcome.message + "\"";
}

/// Whether all indices of a gather lie inside, by the host's own look at them.
bool indices_are_inside(const RecordedCall& call) {
  const RecordedArray& x = call.argument("x").arrays.at(0);
  auto axis = std::size_t(call.value<std::int32_t>("axis"));
  bool inside = true;
  for (const RecordedArray& array : call.argument("indices").arrays) {
    const std::int64_t length = x.shape.at(axis++);
    const td_view view = array.host_view();
    if (!view.data) continue;
    HostElements(view).for_each([&](const std::byte* element, std::int64_t) {
      std::int64_t index;
      std::memcpy(&index, element, sizeof index);
      inside = inside && index >= -length && index < length;
      return inside;
    });
  }
  return inside;
}

/// gather_checked is optional: gather does what it would have done.
Outcome run_on_second(const RecordedCall& call, const Target& target) {
  Outcome outcome = run(call, target);
  if (outcome.status != TD_NOT_SUPPORTED || call.verb != Verb::gather_checked) return outcome;
  const std::int32_t inside = indices_are_inside(call);
  if (inside) {
    RecordedCall gather = call;
    gather.verb = Verb::gather;
    gather.arguments.pop_back();
    outcome = run(gather, target);
  } else {
    outcome = {};
  }
  outcome.outputs.push_back({"inside", int32, Shape{}, bytes_of_values(&inside, 1)});
  return outcome;
}

bool is_refusal(td_status status) { return status != TD_OK && status != TD_SINGULAR; }

}  // namespace

const char* level_text(Verb verb) { return level_of(verb).words; }

Number number_of(DType dtype, const std::byte* element) {
  return with_type(dtype, [&](auto x) -> Number {
    std::memcpy(&x, element, sizeof x);
    if constexpr (requires { x.re; }) return {x.re, x.im};
    else if constexpr (sizeof x == 2 && !std::is_integral_v<decltype(x)>) return scalar::cast<float>(x);
    else return static_cast<long double>(x);
  });
}

bool is_finite(Number x) noexcept { return std::isfinite(x.real()) && std::isfinite(x.imag()); }

std::string number_text(Number x) {
  const double parts[] = {static_cast<double>(x.real()), static_cast<double>(x.imag())};
  const auto text = [&](int i) { return element_text(float64, reinterpret_cast<const std::byte*>(&parts[i])); };
  return x.imag() == 0 ? text(0) : "(" + text(0) + ", " + text(1) + ")";
}

bool same_element(DType dtype, const std::byte* a, const std::byte* b) noexcept {
  if (std::memcmp(a, b, std::size_t(itemsize(dtype))) == 0) return true;
  return is_inexact(dtype) && for_parts(dtype, a, b, [](DType part, const std::byte* x, const std::byte* y) {
    if (std::memcmp(x, y, std::size_t(itemsize(part))) == 0) return true;
    return std::isnan(number_of(part, x).real()) && std::isnan(number_of(part, y).real());
  });
}

std::optional<Difference> first_other_bits(const Written& first, const Written& second) {
  for (std::int64_t i = 0; i < first.size(); ++i) {
    if (same_element(first.dtype, first.at(i), second.at(i))) continue;
    std::string distance = "must be the same";
    if (is_inexact(first.dtype))
      distance = distance_text(distance_in_ulp(first.dtype, first.at(i), second.at(i)), 0, "ULP");
    return Difference{std::string(first.name) + " at " + index_text(i, first.shape) + " of " + to_string(first.shape),
                      element_text(first.dtype, first.at(i)), element_text(second.dtype, second.at(i)),
                      std::move(distance)};
  }
  return std::nullopt;
}

double distance_in_ulp(DType dtype, const std::byte* a, const std::byte* b) {
  if (same_element(dtype, a, b)) return 0;
  const FloatInfo info = finfo(dtype);
  const Number x = number_of(dtype, a), y = number_of(dtype, b);
  if (is_complex(dtype) && !(is_finite(x) && is_finite(y))) {
    // Near the end of the range the way decides which part overflows first.
    const auto overflows = [&](Number z) { return std::abs(z) > info.max / 4; };
    return overflows(x) && overflows(y) ? 0 : infinite;
  }
  if (std::isnan(x.real()) || std::isnan(y.real())) return infinite;
  if (x == Number(0) && y == Number(0)) return is_complex(dtype) ? 0 : infinite;
  const auto capped = [&](Number z) {  // infinity is one step beyond the largest number
    return std::isinf(z.real()) ? Number(std::copysign(info.max + ulp(info, info.max), z.real())) : z;
  };
  const long double size = std::max(std::abs(capped(x)), std::abs(capped(y)));
  return static_cast<double>(std::abs(capped(x) - capped(y)) / ulp(info, std::min<long double>(size, info.max)));
}

std::string distance_text(double distance, double allowed, const char* unit) {
  char text[128];
  if (distance == infinite) return "must not differ like that";
  std::snprintf(text, sizeof text, "%.3g%s%s apart, %.3g allowed", distance, *unit ? " " : "", unit, allowed);
  return text;
}

Comparison compare(const RecordedCall& call, const Outcome& outcome, const Side& first, const Side& second) try {
  if (is_refusal(outcome.status)) return {Verdict::unknown, first.name + ": " + outcome.message};
  const std::string verb = name(call.verb);
  std::optional<Difference> found;
  if (call.verb == Verb::run_program) {
    found = compare_program(call, outcome, first, second);
  } else {
    const Outcome other = run_on_second(call, second.target);
    if (is_refusal(other.status)) return {Verdict::unknown, second.name + ": " + other.message};
    if (other.status != outcome.status) {
      if ((call.verb == Verb::cholesky || call.verb == Verb::solve) && rounding_decides(call)) return {};
      return {Verdict::differ, verb + ": " + first.name + " " + status_text(outcome) + ", " + second.name + " " +
                                   status_text(other)};
    }
    if (outcome.status != TD_OK) return {};
    const Level& level = level_of(call.verb);
    found = (level.compare ? level.compare : compare_bits)({call, outcome, other});
    if (found) found->what = verb + ": " + found->what;
  }
  if (!found) return {};
  return {Verdict::differ, found->what + " is " + found->first + " on " + first.name + " and " + found->second +
                               " on " + second.name + ": " + found->distance};
} catch (const std::runtime_error& problem) {  // no memory for it, or one instruction alone is not supported
  return {Verdict::unknown, problem.what()};
}

}  // namespace tandem::detail
