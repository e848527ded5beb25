// The rules for columns, notation and line breaks are NumPy 2.4's: its module arrayprint, read for behaviour.
#include "text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "decimal.hpp"

namespace tandem::detail {
namespace {

// Decimal digits that every number of the dtype keeps, as numpy.finfo(dtype).precision.
int decimal_precision(DType dtype) {
  switch (dtype) {
    case float16: return 3;
    case bfloat16: return 2;
    case float32: return 6;
    default: return 15;
  }
}

// A number rounded to the dtype.
double rounded_to(double value, DType dtype) {
  switch (dtype) {
    case float16: return static_cast<float>(Half(static_cast<float>(value)));
    case bfloat16: return static_cast<float>(BFloat16(static_cast<float>(value)));
    case float32: return static_cast<float>(value);
    default: return value;
  }
}

std::string pad(std::size_t width, std::string text) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

int length(const std::string& text) {
  return static_cast<int>(text.size());
}

// How a column of floats is written: one notation, points aligned.
class FloatFormat {
 public:
  FloatFormat(const std::vector<double>& values, DType dtype, int precision, bool plus) : dtype_(dtype), plus_(plus) {
    std::vector<double> finite;
    bool negative_infinity = false;
    for (const double v : values) {
      if (std::isfinite(v)) finite.push_back(v);
      negative_infinity |= std::isinf(v) && v < 0;
    }
    scientific_ = needs_exponent(finite);
    if (scientific_) measure_scientific(finite, precision);
    else measure_positional(finite, precision);
    if (finite.size() != values.size()) {
      const int rest = right_ + 1;  // the point
      left_ = std::max({left_, 3 - rest, 3 + (plus_ || negative_infinity) - rest});
    }
  }

  std::string operator()(double value) const {
    if (!std::isfinite(value)) {
      const char* sign = std::isnan(value) ? (plus_ ? "+" : "") : (value < 0 ? "-" : plus_ ? "+" : "");
      return pad(left_ + right_ + 1, std::string(sign) + (std::isnan(value) ? "nan" : "inf"));
    }
    if (scientific_) {
      DecimalText text = signed_text(scientific(value, dtype_, precision_, precision_), value);
      text.exponent.insert(1, std::max(exponent_size_ - (length(text.exponent) - 1), 0), '0');
      return pad(left_, text.whole) + "." + text.fraction + "e" + text.exponent;
    }
    DecimalText text = signed_text(positional(value, dtype_, precision_), value);
    text.fraction.resize(right_, ' ');
    return pad(left_, text.whole) + "." + text.fraction;
  }

 private:
  // The comparisons take place in the dtype, as NumPy's do.
  bool needs_exponent(const std::vector<double>& finite) const {
    double largest = 0, smallest = std::numeric_limits<double>::infinity();
    for (const double v : finite) {
      if (v == 0) continue;
      largest = std::max(largest, std::abs(v));
      smallest = std::min(smallest, std::abs(v));
    }
    if (largest == 0) return false;
    return largest >= std::pow(10.0, std::min(8, decimal_precision(dtype_))) ||
           smallest < rounded_to(0.0001, dtype_) || rounded_to(largest / smallest, dtype_) > 1000;
  }

  void measure_scientific(const std::vector<double>& finite, int precision) {
    for (const double v : finite) {
      const DecimalText text = signed_text(scientific(v, dtype_, 0, precision), v);
      left_ = std::max(left_, length(text.whole));
      precision_ = std::max(precision_, length(text.fraction));
      exponent_size_ = std::max(exponent_size_, length(text.exponent) - 1);
    }
    right_ = exponent_size_ + 2 + precision_;
  }

  void measure_positional(const std::vector<double>& finite, int precision) {
    precision_ = precision;
    for (const double v : finite) {
      const DecimalText text = signed_text(positional(v, dtype_, precision), v);
      left_ = std::max(left_, length(text.whole));
      right_ = std::max(right_, length(text.fraction));
    }
  }

  DecimalText signed_text(DecimalText text, double value) const {
    if (plus_ && !std::signbit(value)) text.whole.insert(0, 1, '+');
    return text;
  }

  DType dtype_;
  bool plus_;
  bool scientific_;
  int left_ = 0, right_ = 0, precision_ = 0, exponent_size_ = 0;
};

using Words = std::vector<std::string>;

Words words_of(const std::vector<bool>& values, DType, int) {
  Words words;
  for (const bool v : values) words.emplace_back(v ? " True" : "False");
  return words;
}

template <class Integer> Words words_of(const std::vector<Integer>& values, DType, int) {
  Words words;
  std::size_t width = 0;
  for (const Integer v : values) {
    words.push_back(std::to_string(v));
    width = std::max(width, words.back().size());
  }
  for (auto& word : words) word = pad(width, std::move(word));
  return words;
}

Words words_of(const std::vector<double>& values, DType dtype, int precision) {
  const FloatFormat format(values, dtype, precision, false);
  Words words;
  for (const double v : values) words.push_back(format(v));
  return words;
}

Words words_of(const std::vector<std::complex<double>>& values, DType dtype, int precision) {
  std::vector<double> real, imag;
  for (const auto v : values) {
    real.push_back(v.real());
    imag.push_back(v.imag());
  }
  const FloatFormat real_format(real, real_dtype(dtype), precision, false);
  const FloatFormat imag_format(imag, real_dtype(dtype), precision, true);
  Words words;
  for (const auto v : values) {
    std::string text = imag_format(v.imag());
    text.insert(text.find_last_not_of(' ') + 1, 1, 'j');
    words.push_back(real_format(v.real()) + text);
  }
  return words;
}

// Puts the words into nested brackets and breaks lines.
class Layout {
 public:
  Layout(const Words& words, const Shape& shape, bool summarized, const PrintOptions& options)
      : words_(words), shape_(shape), summarized_(summarized), edge_(options.edgeitems),
        line_width_(options.linewidth) {}

  std::string text() { return block(0); }

 private:
  bool shortened(int axis) const { return summarized_ && shape_[axis] > 2 * static_cast<std::int64_t>(edge_); }

  // The text from `axis` on, consuming the next words. Its first line starts after the brackets of the outer axes.
  std::string block(int axis) {
    return "[" + (axis + 1 == shape_.size() ? row(axis) : rows(axis)) + "]";
  }

  std::string rows(int axis) {
    const bool dots = shortened(axis);
    const std::int64_t count = dots ? 2 * static_cast<std::int64_t>(edge_) : shape_[axis];
    const std::string indent(axis + 1, ' ');
    const std::string separator(shape_.size() - axis - 1, '\n');
    std::string text;
    for (std::int64_t i = 0; i < count; ++i) {
      if (i > 0) text += separator + indent;
      if (dots && i == edge_) text += "..." + separator + indent;
      text += block(axis + 1);
    }
    return text;
  }

  std::string row(int axis) {
    const bool dots = shortened(axis);
    const std::int64_t count = dots ? 2 * static_cast<std::int64_t>(edge_) : shape_[axis];
    const std::size_t indent = axis + 1;
    // Room for the closing brackets: one of each axis.
    const std::int64_t width = line_width_ - axis - 1;
    std::string lines, line(indent, ' ');
    const auto append = [&](const std::string& word) {
      if (static_cast<std::int64_t>(line.size() + word.size()) > width && line.size() > indent) {
        lines += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        line.assign(indent, ' ');
      }
      line += word;
    };
    for (std::int64_t i = 0; i < count; ++i) {
      if (dots && i == edge_) {
        append("...");
        line += ' ';
      }
      append(words_[next_++]);
      if (i + 1 < count) line += ' ';
    }
    return (lines + line).substr(indent);
  }

  const Words& words_;
  const Shape& shape_;
  bool summarized_;
  int edge_;
  std::int64_t line_width_;
  std::size_t next_ = 0;
};

// A float alone: positional in the range in which all its digits are meant, without the point if `bare`.
std::string float_text(double value, DType dtype, bool bare) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  constexpr int unlimited = 1100;
  const double magnitude = std::abs(value);
  const double upper = dtype == float64 ? 1e16 : std::pow(10.0, decimal_precision(dtype));
  const bool fixed = magnitude == 0 || (magnitude >= 1e-4 && magnitude < upper);
  const DecimalText text = fixed ? positional(value, dtype, unlimited) : scientific(value, dtype, 0, unlimited);
  std::string result = text.whole;
  if (!text.fraction.empty()) result += "." + text.fraction;
  else if (fixed && !bare) result += ".0";
  return fixed ? result : result + "e" + text.exponent;
}

std::string complex_text(std::complex<double> value, DType dtype) {
  const std::string imag = float_text(value.imag(), dtype, true) + "j";
  if (value.real() == 0 && !std::signbit(value.real())) return imag;
  const char* sign = imag[0] == '-' ? "" : "+";
  return "(" + float_text(value.real(), dtype, true) + sign + imag + ")";
}

}  // namespace

std::string scalar_text(const Cells& cell, DType dtype) {
  switch (cell.index()) {
    case 0: return std::get<0>(cell)[0] ? "True" : "False";
    case 1: return std::to_string(std::get<1>(cell)[0]);
    case 2: return std::to_string(std::get<2>(cell)[0]);
    case 3: return float_text(std::get<3>(cell)[0], dtype, false);
    default: return complex_text(std::get<4>(cell)[0], real_dtype(dtype));
  }
}

std::string array_text(const Cells& cells, DType dtype, const Shape& shape, bool summarized,
                       const PrintOptions& options) {
  const Words words =
      std::visit([&](const auto& values) { return words_of(values, dtype, options.precision); }, cells);
  return Layout(words, shape, summarized, options).text();
}

}  // namespace tandem::detail
