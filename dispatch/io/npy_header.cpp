#include <bit>
#include <charconv>
#include <cstring>

#include "npy.hpp"

namespace tandem::detail {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};
constexpr std::size_t alignment = 64;  // of the first element in the file
constexpr std::uint32_t longest_header = 1 << 20;

/// NumPy's letter and size of each dtype, in the order of DType. NumPy has no bfloat16 and knows its elements as two
/// bytes without a meaning.
constexpr std::string_view codes[dtype_count] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4",
                                                 "u8", "f2", "V2", "f4", "f8", "c8", "c16"};

std::string descr_of(DType dtype) {
  const std::string_view code = codes[static_cast<int>(dtype)];
  return (itemsize(dtype) == 1 ? "|" : "<") + std::string(code);
}

/// What a descr stands for that Tandem has no dtype for.
const char* meaning(char letter) {
  switch (letter) {
    case 'O': return "Python objects";
    case 'S':
    case 'a':
    case 'U': return "text";
    case 'M': return "dates";
    case 'm': return "time spans";
    case 'V': return "bytes without a meaning";
    default: return "no numbers of Tandem";
  }
}

/// A parser of the part of Python's literals that headers consist of. Anything else is an error.
class HeaderParser {
 public:
  HeaderParser(const Place& place, std::string_view text) : place_(place), text_(text) {}

  NpyHeader parse() {
    expect('{', "a dictionary");
    while (!skip('}')) {
      parse_item();
      if (skip('}')) break;
      expect(',', "',' or '}'");
    }
    skip_space();
    if (at_ != text_.size()) fail("the end");
    const char* const keys[] = {"descr", "fortran_order", "shape"};
    for (int i = 0; i < 3; ++i)
      if (!seen_[i]) place_.fail("the header " + quoted(text_) + " has no key '" + keys[i] + "'");
    header_.bytes = count_bytes();
    return header_;
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    place_.fail("the header has " + (at_ < text_.size() ? quoted(text_.substr(at_)) : "its end") + " at character " +
                std::to_string(at_) + " where " + expected + " was expected");
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }

  bool skip(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c, const char* what) {
    if (!skip(c)) fail(what);
  }

  bool skip_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::string_view parse_string(const char* what) {
    skip_space();
    if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) fail(what);
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    const std::string_view content = text_.substr(at_ + 1, end == text_.npos ? text_.npos : end - at_ - 1);
    if (end == text_.npos || content.find_first_of("\\\n") != content.npos) fail(what);
    at_ = end + 1;
    return content;
  }

  void parse_item() {
    const std::size_t start = at_;
    const std::string_view key = parse_string("a key");
    expect(':', "':'");
    skip_space();
    const int index = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : 3;
    if (index == 3 || seen_[index]) {
      at_ = start;
      fail("one each of 'descr', 'fortran_order' and 'shape'");
    }
    seen_[index] = true;
    if (index == 0) parse_descr();
    else if (index == 1) parse_order();
    else parse_shape();
  }

  void parse_descr() {
    if (at_ < text_.size() && text_[at_] == '[')
      place_.fail("descr " + quoted(text_.substr(at_, text_.rfind(']') - at_ + 1)) +
                  " is a structured dtype; Tandem has none");
    const std::string_view descr = parse_string("a descr");
    const char order = descr.empty() ? ' ' : descr[0];
    const std::string_view code = descr.substr(std::min<std::size_t>(1, descr.size()));
    for (int i = 0; i < dtype_count; ++i) {
      if (code != codes[i]) continue;
      header_.dtype = static_cast<DType>(i);
      header_.swapped = order == '>' && itemsize(header_.dtype) > 1;
      const bool unordered = itemsize(header_.dtype) == 1 || header_.dtype == bfloat16;
      if (order == '<' || (order == '>' && header_.dtype != bfloat16) || (order == '|' && unordered)) return;
    }
    place_.fail("descr " + quoted(descr) + " (" + meaning(code.empty() ? ' ' : code[0]) + ") is none of Tandem's dtypes");
  }

  void parse_order() {
    if (skip_word("True")) header_.column_major = true;
    else if (!skip_word("False")) fail("True or False");
  }

  void parse_shape() {
    expect('(', "a tuple of lengths");
    while (!skip(')')) {
      header_.shape.push_back(parse_length());
      const bool comma = skip(',');
      if (skip(')')) {
        if (!comma && header_.shape.size() == 1) fail("a tuple: (n,) for one axis");
        break;
      }
      if (!comma) fail("',' or ')'");
    }
  }

  std::int64_t parse_length() {
    skip_space();
    if (header_.shape.size() == Shape::max_ndim)
      place_.fail("the header has more than " + std::to_string(Shape::max_ndim) + " axes");
    const char* const begin = text_.data() + at_;
    std::int64_t length = 0;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), length);
    if (error != std::errc() || *begin == '-' || (*begin == '0' && end != begin + 1)) fail("a length");
    at_ += static_cast<std::size_t>(end - begin);
    skip_word("L");  // Python 2's long integers
    return length;
  }

  std::uint64_t count_bytes() const {
    std::int64_t bytes = itemsize(header_.dtype);
    bool overflow = false, empty = false;
    for (std::int64_t length : header_.shape) {
      empty |= length == 0;
      overflow |= __builtin_mul_overflow(bytes, length, &bytes);
    }
    if (overflow && !empty)
      place_.fail("shape " + to_string(header_.shape) + " of " + std::string(name(header_.dtype)) +
                  " has more bytes than can be counted");
    return empty ? 0 : static_cast<std::uint64_t>(bytes);
  }

  const Place& place_;
  std::string_view text_;
  std::size_t at_ = 0;
  bool seen_[3] = {};
  NpyHeader header_{};
};

}  // namespace

NpyHeader read_npy_header(Reader& in) {
  unsigned char start[8];
  in.read_all_of(start, sizeof start, "the start of the header");
  if (std::memcmp(start, "PK\3\4", 4) == 0) in.place().fail("is a zip archive of arrays; loadz opens it");
  if (std::memcmp(start, magic, sizeof magic) != 0)
    in.place().fail("is no .npy file: it starts with " + quoted({reinterpret_cast<char*>(start), 6}) +
                    " where '\\x93NUMPY' was expected");
  const int major = start[6], minor = start[7];
  if (major < 1 || major > 3 || minor != 0)
    in.place().fail("has version " + std::to_string(major) + "." + std::to_string(minor) +
                    " of the format; 1.0, 2.0 and 3.0 are known");
  std::uint32_t length = 0;
  in.read_all_of(&length, major == 1 ? 2 : 4, "the header's length");
  if (length > longest_header)
    in.place().fail("the header is said to have " + std::to_string(length) + " bytes; at most " +
                    std::to_string(longest_header) + " are read");
  std::string text(length, ' ');
  in.read_all_of(text.data(), length, "the header");
  return HeaderParser(in.place(), text).parse();
}

std::string npy_header(DType dtype, const Shape& shape, bool column_major) {
  constexpr std::size_t growth_digits = 21;
  std::string text = "{'descr': '" + descr_of(dtype) + "', 'fortran_order': " + (column_major ? "True" : "False") +
                     ", 'shape': " + to_string(shape) + ", }";
  // NumPy leaves room for the axis along which the file may be appended to.
  if (!shape.empty())
    text.append(growth_digits - std::to_string(shape[column_major ? shape.size() - 1 : 0]).size(), ' ');
  const std::size_t before = sizeof magic + 2 + 2;
  text.append(alignment - (before + text.size() + 1) % alignment, ' ');
  text += '\n';
  const auto length = static_cast<std::uint16_t>(text.size());
  std::string header(magic, sizeof magic);
  header += {'\1', '\0', static_cast<char>(length & 255), static_cast<char>(length >> 8)};
  return header + text;
}

}  // namespace tandem::detail
