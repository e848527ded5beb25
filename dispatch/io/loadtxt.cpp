#include <locale.h>
#include <stdlib.h>

#include <algorithm>
#include <charconv>
#include <complex>
#include <cstring>

#include <tandem/io.hpp>

#include "../functions/common.hpp"
#include "bytes.hpp"

namespace tandem {
namespace {

using detail::Place;
using detail::Reader;

/// The lines of a text, one after another, in constant memory.
class Lines {
 public:
  explicit Lines(Reader& in) : in_(in), buffer_(1 << 18, '\0') {}

  /// The next line without its end; it is valid until the next call.
  bool next(std::string_view& line) {
    std::size_t searched = 0;
    const void* end;
    while (!(end = std::memchr(buffer_.data() + begin_ + searched, '\n', end_ - begin_ - searched))) {
      searched = end_ - begin_;
      if (!fill()) break;
    }
    if (!end && begin_ == end_) return false;
    const std::size_t length = end ? static_cast<std::size_t>(static_cast<const char*>(end) - buffer_.data()) - begin_
                                   : end_ - begin_;
    line = {buffer_.data() + begin_, length};
    begin_ += length + (end ? 1 : 0);
    ++number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (number_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);  // what some programs begin UTF-8 with
    return true;
  }

  /// Of the line that next gave, from 1.
  std::int64_t number() const noexcept { return number_; }

 private:
  bool fill() {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (end_ == buffer_.size()) buffer_.resize(2 * end_);
    const std::size_t got = in_.read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += got;
    return got > 0;
  }

  Reader& in_;
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::int64_t number_ = 0;
};

constexpr std::string_view blanks = " \t";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The text behind a plus sign that stands for itself.
std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  return text;
}

/// Why a text is not a number of the dtype.
enum class Problem { none, syntax, range };

Problem parse(std::string_view text, DType dtype, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return Problem::syntax;
  return error == std::errc() && (dtype == bool_ || detail::fits(value, dtype)) ? Problem::none : Problem::range;
}

Problem parse(std::string_view text, DType, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) {
    std::int64_t negative;
    const Problem problem = parse(text, int64, negative);
    if (problem != Problem::none) return problem;
    value = 0;
    return negative == 0 ? Problem::none : Problem::range;
  }
  return error == std::errc::result_out_of_range ? Problem::range : Problem::none;
}

/// Reads a real number at the beginning of the text; null if there is none.
const char* parse_real(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument) return nullptr;
  if (error == std::errc::result_out_of_range) {  // becomes infinity or zero
    static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
    value = strtod_l(std::string(text.data(), end).c_str(), nullptr, c_locale);
  }
  return end;
}

Problem parse(std::string_view text, DType, double& value) {
  const char* const end = parse_real(text, value);
  return end && end == text.data() + text.size() ? Problem::none : Problem::syntax;
}

Problem parse(std::string_view text, DType, std::complex<double>& value) {
  if (text.starts_with('(') && text.ends_with(')')) text = trimmed(text.substr(1, text.size() - 2));
  text = without_plus(text);
  double real, imaginary;
  const char* at = parse_real(text, real);
  if (!at) return Problem::syntax;
  value = real;
  text.remove_prefix(static_cast<std::size_t>(at - text.data()));
  if (text.empty()) return Problem::none;
  if (text == "j") {
    value = {0, real};
    return Problem::none;
  }
  if (text[0] != '+' && text[0] != '-') return Problem::syntax;
  text = without_plus(text);
  at = parse_real(text, imaginary);
  if (!at || std::string_view(at, text.data() + text.size()) != "j") return Problem::syntax;
  value = {real, imaginary};
  return Problem::none;
}

class TableReader {
 public:
  TableReader(Reader& in, const LoadtxtOptions& options) : place_(in.place()), lines_(in), options_(options) {
    if (options.skiprows < 0) place_.fail("skiprows " + std::to_string(options.skiprows) + " is negative");
    if (options.max_rows && *options.max_rows < 0)
      place_.fail("max_rows " + std::to_string(*options.max_rows) + " is negative");
    if (options.ndmin < 0 || options.ndmin > 2)
      place_.fail("ndmin " + std::to_string(options.ndmin) + " is none of 0, 1 and 2");
  }

  /// T: the widest type of the dtype's kind.
  template <class T> Array read() {
    std::vector<T> values;
    std::int64_t rows = 0, columns = static_cast<std::int64_t>(options_.usecols.size());
    std::string_view line;
    for (std::int64_t i = 0; i < options_.skiprows; ++i)
      if (!lines_.next(line)) break;
    while (rows < options_.max_rows.value_or(INT64_MAX) && lines_.next(line)) {
      if (!split(line)) continue;
      if (options_.usecols.empty()) {
        check_columns(rows, columns);
        for (std::size_t i = 0; i < fields_.size(); ++i) values.push_back(number<T>(i));
      } else {
        for (const int column : options_.usecols) values.push_back(number<T>(wanted(column)));
      }
      ++rows;
    }
    if (rows == 0) columns = std::max<std::int64_t>(columns, 1);  // as NumPy has it
    const Array table(std::span<const T>(values), Shape{rows, columns}, {.device = options_.device});
    return in_shape(table.astype(options_.dtype));
  }

 private:
  [[noreturn]] void fail(const std::string& text) const {
    place_.fail("line " + std::to_string(lines_.number()) + text);
  }

  /// Where the text has one of the delimiters, or its end; between quotes there are none.
  std::size_t separator(std::string_view text, std::string_view delimiter) const {
    const bool by_blanks = delimiter.empty();
    if (!options_.quotechar) return std::min(by_blanks ? text.find_first_of(blanks) : text.find(delimiter), text.size());
    bool inside = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == options_.quotechar) inside = !inside;
      else if (!inside && (by_blanks ? blanks.find(text[i]) != blanks.npos : text.substr(i).starts_with(delimiter))) return i;
    }
    if (inside) fail(": a quote is not closed");
    return text.size();
  }

  std::string_view unquoted(std::string_view text) const {
    const bool has_quotes = options_.quotechar && text.size() >= 2 && text.front() == options_.quotechar &&
                            text.back() == options_.quotechar;
    return has_quotes ? text.substr(1, text.size() - 2) : text;
  }

  /// The line's columns into fields_; false for a line without any.
  bool split(std::string_view line) {
    fields_.clear();
    if (!options_.comments.empty()) line = line.substr(0, separator(line, options_.comments));
    const std::string_view content = trimmed(line);
    const bool by_blanks = options_.delimiter.empty();
    if (content.empty() && (by_blanks || line.find(options_.delimiter) == line.npos)) return false;
    if (by_blanks) line = content;
    for (;;) {
      const std::size_t end = separator(line, options_.delimiter);
      fields_.push_back(unquoted(trimmed(line.substr(0, end))));
      if (end == line.size()) return true;
      line.remove_prefix(by_blanks ? line.find_first_not_of(blanks, end) : end + options_.delimiter.size());
    }
  }

  /// All rows have as many columns as the first.
  void check_columns(std::int64_t rows, std::int64_t& columns) {
    const auto count = std::ssize(fields_);
    if (rows == 0) {
      columns = count;
      first_line_ = lines_.number();
    } else if (count != columns) {
      fail(": " + std::to_string(count) + (count == 1 ? " column" : " columns") + " where line " +
           std::to_string(first_line_) + " has " + std::to_string(columns));
    }
  }

  /// The place of a column that usecols names.
  std::size_t wanted(int column) const {
    const auto count = static_cast<int>(fields_.size());
    if (column < -count || column >= count)
      fail(": there is no column " + std::to_string(column) + " (counted from 0) among " + std::to_string(count));
    return static_cast<std::size_t>(column < 0 ? column + count : column);
  }

  template <class T> T number(std::size_t field) const {
    const std::string_view text = fields_[field];
    T value{};
    const Problem problem = parse(without_plus(text), options_.dtype, value);
    if (problem == Problem::none) return value;
    const std::string_view kind = std::is_integral_v<T> ? "a whole number"
                                  : is_complex(options_.dtype) ? "a complex number" : "a number";
    fail(", column " + std::to_string(field + 1) + ": " + detail::quoted(text) +
         (problem == Problem::range ? " is out of the range of " + std::string(name(options_.dtype))
                                    : " is not " + std::string(kind)));
  }

  Array in_shape(const Array& table) const {
    if (options_.ndmin == 2) return table;
    const Array squeezed = table.squeeze();
    return squeezed.ndim() < options_.ndmin ? squeezed.reshape({-1}) : squeezed;
  }

  const Place& place_;
  Lines lines_;
  const LoadtxtOptions& options_;
  std::vector<std::string_view> fields_;
  std::int64_t first_line_ = 0;
};

Array read_table(Reader& in, const LoadtxtOptions& options) {
  const detail::FunctionName scope(in.place().function);
  TableReader table(in, options);
  if (is_complex(options.dtype)) return table.read<std::complex<double>>();
  if (is_inexact(options.dtype)) return table.read<double>();
  return options.dtype == uint64 ? table.read<std::uint64_t>() : table.read<std::int64_t>();
}

}  // namespace

Array loadtxt(const std::string& path, const LoadtxtOptions& options) {
  const detail::Input input({"loadtxt", path});
  detail::InputReader in(input);
  return read_table(in, options);
}

Array loadtxt(std::istream& stream, const LoadtxtOptions& options) {
  detail::StreamReader in({"loadtxt", "the stream"}, stream);
  return read_table(in, options);
}

}  // namespace tandem
