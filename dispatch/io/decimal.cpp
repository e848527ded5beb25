#include "decimal.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace tandem::detail {
namespace {

// value = d.ddd * 10^exponent, with digits = "dddd" and no sign.
struct Digits {
  std::string digits;
  int exponent;
};

// A double has at most 309 digits before the point and 1074 after it.
constexpr int longest_text = 1400;

Digits split_scientific(std::string_view text) {
  const auto e = text.find('e');
  Digits result{std::string(text.substr(0, 1)), std::atoi(std::string(text.substr(e + 1)).c_str())};
  if (e > 2) result.digits.append(text.substr(2, e - 2));
  return result;
}

template <class T> Digits shortest_of(T magnitude) {
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.begin(), buffer.end(), magnitude, std::chars_format::scientific).ptr;
  return split_scientific({buffer.data(), end});
}

// Correctly rounded to `fraction` digits after the first.
Digits rounded(double magnitude, int fraction) {
  std::array<char, longest_text> buffer;
  const auto end =
      std::to_chars(buffer.begin(), buffer.end(), magnitude, std::chars_format::scientific, fraction).ptr;
  return split_scientific({buffer.data(), end});
}

template <class T> bool identifies(const Digits& d, T number) {
  const int power = d.exponent - (static_cast<int>(d.digits.size()) - 1);
  return T(std::strtof((d.digits + "e" + std::to_string(power)).c_str(), nullptr)).bits == number.bits;
}

// Five decimal digits identify every 16-bit float. At a power of two the numbers above are twice as far away as those
// below, so that the next longer decimal may still identify it where the nearest one does not.
template <class T> Digits shortest_of_16_bits(double magnitude) {
  const T number(static_cast<float>(magnitude));
  for (int fraction = 0; fraction < 4; ++fraction) {
    Digits candidate = rounded(magnitude, fraction);
    if (identifies(candidate, number)) return candidate;
    if (candidate.digits.back() == '9') continue;
    ++candidate.digits.back();
    if (identifies(candidate, number)) return candidate;
  }
  return rounded(magnitude, 4);
}

Digits shortest(double magnitude, DType dtype) {
  Digits result;
  switch (dtype) {
    case float16: result = shortest_of_16_bits<Half>(magnitude); break;
    case bfloat16: result = shortest_of_16_bits<BFloat16>(magnitude); break;
    case float32: result = shortest_of(static_cast<float>(magnitude)); break;
    default: result = shortest_of(magnitude); break;
  }
  result.digits.erase(std::max<std::size_t>(result.digits.find_last_not_of('0') + 1, 1));
  return result;
}

std::string sign_of(double value) {
  return std::signbit(value) ? "-" : "";
}

void trim_zeros(std::string& fraction) {
  fraction.erase(fraction.find_last_not_of('0') + 1);
}

}  // namespace

DecimalText scientific(double value, DType dtype, int min_digits, int max_digits) {
  const double magnitude = std::abs(value);
  Digits d = shortest(magnitude, dtype);
  const int unique = static_cast<int>(d.digits.size()) - 1;
  const int fraction = std::clamp(unique, min_digits, max_digits);
  if (fraction != unique) d = rounded(magnitude, fraction);
  DecimalText text{sign_of(value) + d.digits[0], d.digits.substr(1), d.exponent < 0 ? "-" : "+"};
  if (min_digits == 0) trim_zeros(text.fraction);
  const std::string exponent = std::to_string(std::abs(d.exponent));
  text.exponent += exponent.size() < 2 ? "0" + exponent : exponent;
  return text;
}

DecimalText positional(double value, DType dtype, int max_digits) {
  const double magnitude = std::abs(value);
  const Digits d = shortest(magnitude, dtype);
  const int count = static_cast<int>(d.digits.size());
  if (count - 1 - d.exponent > max_digits) {
    std::array<char, longest_text> buffer;
    const auto end = std::to_chars(buffer.begin(), buffer.end(), magnitude, std::chars_format::fixed, max_digits).ptr;
    const std::string_view all(buffer.data(), end);
    const auto point = std::min(all.find('.'), all.size());
    DecimalText text{sign_of(value) + std::string(all.substr(0, point)),
                     std::string(all.substr(std::min(point + 1, all.size()))), ""};
    trim_zeros(text.fraction);
    return text;
  }
  if (d.exponent < 0) return {sign_of(value) + "0", std::string(-d.exponent - 1, '0') + d.digits, ""};
  const std::string padded = d.digits + std::string(std::max(d.exponent + 1 - count, 0), '0');
  DecimalText text{sign_of(value) + padded.substr(0, d.exponent + 1), padded.substr(d.exponent + 1), ""};
  return text;
}

}  // namespace tandem::detail
