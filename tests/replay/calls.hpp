// How numpy_replay reads calls from its file, and the table of the functions that it can call.
//
// The file: little-endian int64 numbers, texts and lists with their length before them. A call is the function's name,
// the list of its arguments, and '=' with the results or '!' with NumPy's error, where Tandem has to throw as well. A
// value starts with a letter, see Reader::value. Results have the dtype, the shape and the elements of NumPy's, but for
// the allowed distance: one for each element after '~', else that of the function after '-'.
#pragma once

#include <algorithm>
#include <fstream>
#include <map>
#include <ostream>

#include "../rows.hpp"

namespace tandem::test::replay {

// ---- reading ----

struct Value {
  char kind = 'n';
  Array array;
  Scalar scalar = false;
  Shape shape;
  std::string text;
  std::vector<Value> list;
  Index index;
};

class Reader {
 public:
  explicit Reader(const char* path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(std::string("cannot read ") + path);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }
  bool at_end() const { return at_ == bytes_.size(); }

  template <class T> T plain() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::int64_t number() { return plain<std::int64_t>(); }
  std::string text() {
    const auto n = static_cast<std::size_t>(number());
    return std::string(take(n), n);
  }
  std::vector<std::int64_t> numbers() {
    std::vector<std::int64_t> list(static_cast<std::size_t>(number()));
    for (auto& n : list) n = number();
    return list;
  }
  /// dtype, shape, elements.
  Array array() {
    const DType dtype = tandem::dtype_from_name(text());
    const Shape shape{std::span<const std::int64_t>(numbers())};
    return with_type(dtype, [&]<class T>(Type<T>) {
      Values<T> values(static_cast<std::size_t>(element_count(shape)));
      const char* elements = take(values.size() * sizeof(T));
      if (!values.empty()) std::memcpy(values.data(), elements, values.size() * sizeof(T));
      return make<T>(values, shape);
    });
  }

  Value value() {
    Value v;
    switch (v.kind = plain<char>()) {
      case 'A': v.array = view(); break;  // an array: the base, slices, permutation, shape to broadcast to
      case 'P': {                         // likewise, to be computed: it reads the array twice
        const Array x = view();
        v.array = where(equal(x, x), x, x);
        v.kind = 'A';
        break;
      }
      case 'b': v.scalar = number() != 0; break;    // numbers
      case 'i': v.scalar = number(); break;
      case 'u': v.scalar = plain<std::uint64_t>(); break;
      case 'f': v.scalar = plain<double>(); break;
      case 'c': {
        const double re = plain<double>();
        v.scalar = std::complex<double>(re, plain<double>());
        break;
      }
      case 't': v.text = text(); break;
      case 'l': v.shape = Shape{std::span<const std::int64_t>(numbers())}; break;  // a tuple of integers
      case 's': {                                                                 // a slice
        v.index = tandem::slice(tandem::none, tandem::none);
        v.index.start = number();
        v.index.stop = number();
        v.index.step = number();
        break;
      }
      case 'L':    // a list of values
      case 'I': {  // an index
        const std::int64_t n = number();
        for (std::int64_t i = 0; i < n; ++i) v.list.push_back(value());
        break;
      }
      case 'n':         // None
      case 'e': break;  // Ellipsis
      default: throw std::runtime_error(std::string("no value starts with ") + v.kind);
    }
    return v;
  }

 private:
  const char* take(std::size_t n) {
    if (n > bytes_.size() - at_) throw std::runtime_error("the file ends too early");
    at_ += n;
    return bytes_.data() + (at_ - n);
  }

  Array view() {
    Array x = array();
    const std::vector<std::int64_t> bounds = numbers(), permutation = numbers();
    const Value shape = value();
    if (!bounds.empty()) {
      std::vector<Index> slices;
      for (std::size_t i = 0; i < bounds.size(); i += 3) {
        slices.push_back(tandem::slice(tandem::none, tandem::none, bounds[i + 2]));
        slices.back().start = bounds[i];
        slices.back().stop = bounds[i + 1];
      }
      x = std::as_const(x).at(slices).permute(Shape{std::span<const std::int64_t>(permutation)});
    }
    return shape.kind == 'l' ? x.broadcast_to(shape.shape) : x;
  }

  std::vector<char> bytes_;
  std::size_t at_ = 0;
};

// ---- arguments ----

class Arguments {
 public:
  explicit Arguments(std::vector<Value> values) : values_(std::move(values)) {}
  std::size_t size() const { return values_.size(); }
  bool has(std::size_t i) const { return values_.at(i).kind != 'n'; }
  const Array& array(std::size_t i) const { return get(i, "A").array; }
  tandem::Operand operand(std::size_t i) const {
    return values_.at(i).kind == 'A' ? tandem::Operand(values_[i].array) : tandem::Operand(get(i, "biufc").scalar);
  }
  const Scalar& scalar(std::size_t i) const { return get(i, "biufc").scalar; }
  bool flag(std::size_t i) const { return get(i, "b").scalar.integer() != 0; }
  std::int64_t integer(std::size_t i) const { return get(i, "i").scalar.integer(); }
  int axis(std::size_t i) const { return static_cast<int>(integer(i)); }
  double real(std::size_t i) const { return get(i, "if").scalar.real(); }
  const std::string& text(std::size_t i) const { return get(i, "t").text; }
  const Shape& shape(std::size_t i) const { return get(i, "l").shape; }
  bool is_shape(std::size_t i) const { return values_.at(i).kind == 'l'; }
  bool is_complex(std::size_t i) const {
    const Value& v = values_.at(i);
    return v.kind == 'c' || (v.kind == 'A' && tandem::is_complex(v.array.dtype()));
  }
  std::optional<std::int64_t> optional_integer(std::size_t i) const {
    return has(i) ? std::optional(integer(i)) : std::nullopt;
  }
  std::optional<int> optional_axis(std::size_t i) const { return has(i) ? std::optional(axis(i)) : std::nullopt; }
  tandem::Axes axes(std::size_t i) const { return has(i) ? tandem::Axes(shape(i)) : tandem::Axes(); }
  std::optional<double> optional_real(std::size_t i) const { return has(i) ? std::optional(real(i)) : std::nullopt; }
  std::optional<DType> dtype(std::size_t i) const {
    return has(i) ? std::optional(tandem::dtype_from_name(text(i))) : std::nullopt;
  }
  std::optional<Array> optional_array(std::size_t i) const { return has(i) ? std::optional(array(i)) : std::nullopt; }
  std::vector<Array> arrays(std::size_t i) const {
    std::vector<Array> list;
    for (const Value& v : get(i, "L").list) list.push_back(v.array);
    return list;
  }
  std::vector<double> reals(std::size_t i) const {
    std::vector<double> list;
    for (const Value& v : get(i, "L").list) list.push_back(v.scalar.real());
    return list;
  }
  std::vector<std::int64_t> integers(std::size_t i) const { return {shape(i).begin(), shape(i).end()}; }
  bool is_text(std::size_t i) const { return values_.at(i).kind == 't'; }
  bool is_list(std::size_t i) const { return values_.at(i).kind == 'L'; }
  /// The enumerator whose name is argument i, of names in their order.
  template <class Enum> Enum choice(std::size_t i, std::initializer_list<std::string_view> names) const {
    const auto found = std::find(names.begin(), names.end(), text(i));
    if (found == names.end()) throw std::runtime_error("argument " + text(i));
    return static_cast<Enum>(found - names.begin());
  }
  std::vector<Index> index(std::size_t i) const {
    std::vector<Index> list;
    for (const Value& v : get(i, "I").list) {
      switch (v.kind) {
        case 'n': list.push_back(tandem::newaxis); break;
        case 'e': list.push_back(tandem::ellipsis); break;
        case 's': list.push_back(v.index); break;
        case 'b': list.emplace_back(v.scalar.integer() != 0); break;
        case 'A': list.emplace_back(v.array); break;
        default: list.emplace_back(v.scalar.integer());
      }
    }
    return list;
  }

  void print(std::ostream& out) const {
    for (const Value& v : values_) print(out, v), out << "  ";
  }

 private:
  const Value& get(std::size_t i, std::string_view kinds) const {
    if (kinds.find(values_.at(i).kind) == kinds.npos)
      throw std::runtime_error("argument " + std::to_string(i) + " is a " + values_[i].kind + ", wanted " +
                               std::string(kinds));
    return values_[i];
  }
  static void print(std::ostream& out, const Value& v) {
    switch (v.kind) {
      case 'A':
        out << v.array.dtype() << v.array.shape();
        if (v.array.size() <= 12) out << tandem::to_string(v.array.reshape({-1}));
        break;
      case 'b':
      case 'i':
      case 'u':
      case 'f':
      case 'c': out << tandem::to_string(Array(v.scalar)); break;
      case 't': out << v.text; break;
      case 'l': out << v.shape; break;
      case 'n': out << "None"; break;
      case 'e': out << "..."; break;
      case 's': {
        const auto bound = [&](std::int64_t n) { if (n != Index::none) out << n; };
        bound(v.index.start);
        out << ":";
        bound(v.index.stop);
        out << ":" << v.index.step;
        break;
      }
      default:
        out << "[";
        for (const Value& part : v.list) print(out, part), out << ", ";
        out << "]";
    }
  }

  std::vector<Value> values_;
};

// ---- functions ----

using Results = std::vector<Array>;
struct Function {
  std::function<Results(const Arguments&)> call;
  double ulp = 0;            // allowed distance; 0: every bit, though a NaN is a NaN
  double ulp_complex = 0;    // the same for complex operands, in ULP of the modulus
  bool zeros_alike = false;  // whether -0 may stand for +0
  std::vector<std::string> says = {};  // what messages may start with, if not with the name
};
using Functions = std::map<std::string, Function>;
/// A call whose results are written as expressions of its arguments a.
#define GIVES(...) [](const Arguments& a) { return Results{__VA_ARGS__}; }

// Each adds the functions of its themes.
void add_elementwise(Functions& f);
void add_basics(Functions& f);
void add_shapes(Functions& f);
void add_statistics(Functions& f);
void add_linalg(Functions& f);
void add_transforms(Functions& f);

}  // namespace tandem::test::replay
