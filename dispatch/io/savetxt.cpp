#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>

#include <tandem/io.hpp>

#include "../functions/common.hpp"
#include "bytes.hpp"

namespace tandem {
namespace {

/// printf's format of one number, without the locale and with Python's text of NaN.
class NumberFormat {
 public:
  NumberFormat(const detail::Place& place, const std::string& format) : shortest_(format.empty()) {
    if (shortest_) return;
    std::string_view rest = format;
    const auto skip = [&](char c) { return rest.starts_with(c) ? (rest.remove_prefix(1), true) : false; };
    bool valid = skip('%');
    for (bool flag = true; flag;) {
      if (skip('-')) left_ = true;
      else if (skip('+')) plus_ = '+';
      else if (skip(' ')) plus_ = plus_ ? plus_ : ' ';
      else if (skip('0')) zeros_ = true;
      else flag = false;
    }
    width_ = read_number(rest).value_or(0);
    const bool has_precision = skip('.');
    if (has_precision) precision_ = read_number(rest).value_or(0);
    valid = valid && rest.size() == 1 && std::string_view("diefg").find(rest[0]) != std::string_view::npos &&
            width_ <= most && precision_ <= most && !(has_precision && (rest[0] == 'd' || rest[0] == 'i'));
    if (!valid)
      place.fail("fmt " + detail::quoted(format) + " is no format of one number, such as %d, %.18e, %10.3f or %g");
    letter_ = rest[0] == 'i' ? 'd' : rest[0];
  }

  bool is_integer() const noexcept { return letter_ == 'd'; }

  template <class T> void append(std::string& line, T value) const {
    char digits[2 * most];
    const char* end;
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) value = std::abs(value);
      constexpr std::chars_format forms[] = {std::chars_format::scientific, std::chars_format::fixed,
                                             std::chars_format::general};
      end = (shortest_ ? std::to_chars(digits, std::end(digits), value)
                       : std::to_chars(digits, std::end(digits), value, forms[letter_ - 'e'], precision_)).ptr;
      pad(line, {digits, end}, std::isfinite(value));
    } else {
      end = std::to_chars(digits, std::end(digits), value).ptr;
      pad(line, {digits, end}, true);
    }
  }

 private:
  static constexpr int most = 1000;  // characters of width, digits of precision

  static std::optional<int> read_number(std::string_view& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc::invalid_argument || number < 0) return {};
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc() ? number : most + 1;
  }

  void pad(std::string& line, std::string_view text, bool finite) const {
    const bool negative = text.starts_with('-');
    const char sign = negative ? '-' : plus_;
    if (negative) text.remove_prefix(1);
    const std::size_t length = text.size() + (sign ? 1 : 0);
    const std::size_t missing = static_cast<std::size_t>(width_) > length ? static_cast<std::size_t>(width_) - length : 0;
    const bool with_zeros = zeros_ && !left_ && finite;
    if (!left_ && !with_zeros) line.append(missing, ' ');
    if (sign) line += sign;
    if (with_zeros) line.append(missing, '0');
    line += text;
    if (left_) line.append(missing, ' ');
  }

  bool shortest_, left_ = false, zeros_ = false;
  char plus_ = 0, letter_ = 'e';
  int width_ = 0, precision_ = 6;
};

/// Complex numbers as NumPy writes them: " (1+2j)".
template <class T> void append_number(std::string& line, const NumberFormat& format, std::complex<T> value) {
  line += " (";
  format.append(line, value.real());
  const std::size_t sign = line.size();
  format.append(line, value.imag());
  if (line[sign] != '-') line.insert(sign, 1, '+');
  line += "j)";
}
template <class T> void append_number(std::string& line, const NumberFormat& format, T value) {
  format.append(line, value);
}

std::string commented(const std::string& text, const SavetxtOptions& options) {
  if (text.empty()) return {};
  std::string result = options.comments;
  for (const char c : text) {
    result += c;
    if (c == '\n') result += options.comments;
  }
  return result + options.newline;
}

template <class T> void write_rows(detail::Output& out, const NumberFormat& format, const Array& array,
                                   const SavetxtOptions& options) {
  constexpr std::size_t enough = 1 << 16;
  const std::vector<T> values = array.to_vector<T>();
  const auto columns = static_cast<std::size_t>(array.ndim() == 2 ? array.shape(1) : 1);
  std::string text = commented(options.header, options);
  for (std::int64_t row = 0; row < array.shape(0); ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      if (column > 0) text += options.delimiter;
      append_number(text, format, values[static_cast<std::size_t>(row) * columns + column]);
    }
    text += options.newline;
    if (text.size() < enough) continue;
    out.write(text.data(), text.size());
    text.clear();
  }
  text += commented(options.footer, options);
  out.write(text.data(), text.size());
}

void write_table(detail::Output& out, const Array& array, const SavetxtOptions& options) {
  const detail::FunctionName function(out.place().function);
  const NumberFormat format(out.place(), options.fmt);
  if (array.ndim() != 1 && array.ndim() != 2)
    out.place().fail("an array of shape " + to_string(array.shape()) + " is no table of one or two axes");
  const DType dtype = array.dtype();
  const bool is_whole = !is_inexact(dtype) && options.fmt.empty();
  if (is_complex(dtype) && format.is_integer())
    out.place().fail("fmt " + detail::quoted(options.fmt) + " is for whole numbers, not for " + std::string(name(dtype)));
  // Without a format the digits identify the number among those of its dtype; with one they are of its exact value.
  const bool is_narrow = options.fmt.empty() && itemsize(real_dtype(dtype)) < 8;
  if (format.is_integer() || is_whole)
    dtype == uint64 ? write_rows<std::uint64_t>(out, format, array, options) : write_rows<std::int64_t>(out, format, array, options);
  else if (is_complex(dtype))
    is_narrow ? write_rows<std::complex<float>>(out, format, array, options)
              : write_rows<std::complex<double>>(out, format, array, options);
  else
    is_narrow ? write_rows<float>(out, format, array, options) : write_rows<double>(out, format, array, options);
  out.finish();
}

}  // namespace

void savetxt(const std::string& path, const Array& array, const SavetxtOptions& options) {
  detail::ready("savetxt", array);
  detail::FileOutput out({"savetxt", path});
  write_table(out, array, options);
}

void savetxt(std::ostream& stream, const Array& array, const SavetxtOptions& options) {
  detail::StreamOutput out({"savetxt", "the stream"}, stream);
  write_table(out, array, options);
}

}  // namespace tandem
