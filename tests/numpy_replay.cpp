// What numpy_replay.py drives: reads calls with NumPy's answers from a file, makes them on the default device and
// compares.
//
// The file: little-endian int64 numbers, texts and lists with their length before them. A call is the function's name,
// the list of its arguments, and '=' with the results or '!' with NumPy's error, where Tandem has to throw as well. A
// value starts with a letter, see Reader::value. Results have the dtype, the shape and the elements of NumPy's, but for
// the allowed distance: one for each element after '~', else that of the function after '-'.
#include <fstream>
#include <iostream>
#include <map>

#include "rows.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;
using tandem::Index;
using tandem::Scalar;
using tandem::Shape;

namespace {

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
    const DType dtype = td::dtype_from_name(text());
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
      case 'A': v.array = view(); break;            // an array: the base, slices, permutation, shape to broadcast to
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
        v.index = td::slice(td::none, td::none);
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
        slices.push_back(td::slice(td::none, td::none, bounds[i + 2]));
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
  td::Operand operand(std::size_t i) const {
    return values_.at(i).kind == 'A' ? td::Operand(values_[i].array) : td::Operand(get(i, "biufc").scalar);
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
    return v.kind == 'c' || (v.kind == 'A' && td::is_complex(v.array.dtype()));
  }
  std::optional<int> optional_axis(std::size_t i) const { return has(i) ? std::optional(axis(i)) : std::nullopt; }
  td::Axes axes(std::size_t i) const { return has(i) ? td::Axes(shape(i)) : td::Axes(); }
  std::optional<double> optional_real(std::size_t i) const { return has(i) ? std::optional(real(i)) : std::nullopt; }
  std::optional<DType> dtype(std::size_t i) const {
    return has(i) ? std::optional(td::dtype_from_name(text(i))) : std::nullopt;
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
  std::vector<Index> index(std::size_t i) const {
    std::vector<Index> list;
    for (const Value& v : get(i, "I").list) {
      switch (v.kind) {
        case 'n': list.push_back(td::newaxis); break;
        case 'e': list.push_back(td::ellipsis); break;
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
        if (v.array.size() <= 12) out << td::to_string(v.array.reshape({-1}));
        break;
      case 'b':
      case 'i':
      case 'u':
      case 'f':
      case 'c': out << td::to_string(Array(v.scalar)); break;
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

// ---- the functions ----

using Results = std::vector<Array>;
struct Function {
  std::function<Results(const Arguments&)> call;
  double ulp = 0;           // allowed distance; 0: every bit, though a NaN is a NaN
  double ulp_complex = 0;   // the same for complex operands, in ULP of the modulus
  bool zeros_alike = false;  // whether -0 may stand for +0
};

/// NumPy's own error, which adds to the budget of the function: its loops keep 4 ULP.
constexpr double numpys_error = 4;

td::ReduceOptions reduce_options(const Arguments& a) { return {.axis = a.axes(1), .keepdims = a.flag(2)}; }
td::IndexMode index_mode(const std::string& name) {
  return name == "wrap" ? td::IndexMode::wrap : name == "clip" ? td::IndexMode::clip : td::IndexMode::raise;
}

/// `x += b` and so on.
void update(Array& x, const std::string& name, const td::Operand& b) {
  if (name == "add") x += b;
  else if (name == "subtract") x -= b;
  else if (name == "multiply") x *= b;
  else if (name == "divide") x /= b;
  else if (name == "remainder") x %= b;
  else if (name == "bitwise_and") x &= b;
  else if (name == "bitwise_xor") x ^= b;
  else if (name == "bitwise_left_shift") x <<= b;
  else throw std::runtime_error("no operator " + name);
}

std::map<std::string, Function> make_functions() {
  std::map<std::string, Function> f;
  // Elementwise: every row of ops.def, with its budget.
#define CALL_OF_1(name) [](const Arguments& a) { return Results{td::name(a.operand(0))}; }
#define CALL_OF_2(name) [](const Arguments& a) { return Results{td::name(a.operand(0), a.operand(1))}; }
#define CALL_OF_3(name) [](const Arguments& a) { return Results{td::name(a.operand(0), a.operand(1), a.operand(2))}; }
#define CALL_OF_4(name) {}
#define TD_OP(name, arity, types, result, expression, low, high, budget, doc)                  \
  f[#name] = {.call = CALL_OF_##arity(name), .ulp = budget == 0 ? 0 : budget + numpys_error, \
              .ulp_complex = budget == 0 ? 0 : budget + numpys_error};
#include <tandem/ops.def>
  // Complex forms of what is exact for reals, and not for complex numbers.
  for (const char* name : {"multiply", "divide", "abs", "sign", "square", "reciprocal", "sqrt"})
    f[name].ulp_complex = 4 + numpys_error;
  for (const char* name : {"maximum", "minimum", "fmax", "fmin", "clip"}) f[name].zeros_alike = true;

  f["isclose"].call = [](const Arguments& a) { return Results{td::isclose(a.operand(0), a.operand(1))}; };
  f["round"].call = [](const Arguments& a) { return Results{td::round(a.operand(0), a.axis(1))}; };
  f["nan_to_num"].call = [](const Arguments& a) {
    const td::NanToNumOptions options{a.real(1), a.optional_real(2), a.optional_real(3)};
    return Results{td::nan_to_num(a.operand(0), options)};
  };
  f["in_place"] = {.call = [](const Arguments& a) {
    Array x = a.array(0);
    update(x, a.text(1), a.operand(2));
    return Results{x};
  }, .ulp_complex = 4 + numpys_error};
  f["clip_to"].call = [](const Arguments& a) {
    const auto bound = [&](std::size_t i) { return a.has(i) ? std::optional(a.scalar(i)) : std::nullopt; };
    return Results{td::clip(a.operand(0), td::ClipOptions{bound(1), bound(2)})};
  };
  f["clip_to"].zeros_alike = true;
  f["astype"].call = [](const Arguments& a) { return Results{a.array(0).astype(*a.dtype(1))}; };

  // Reductions.
#define REDUCTION(name) \
  f[#name].call = [](const Arguments& a) { return Results{td::name(a.array(0), reduce_options(a))}; }
  REDUCTION(max);
  REDUCTION(min);
  REDUCTION(any);
  REDUCTION(all);
  REDUCTION(argmax);
  REDUCTION(argmin);
  REDUCTION(count_nonzero);
  REDUCTION(mean);
  // NumPy leaves open which zero is larger, and starts some sums at +0.
  for (const char* name : {"max", "min", "sum"}) f[name].zeros_alike = true;
  const auto sum_options = [](const Arguments& a) {
    return td::ReduceOptions{.axis = a.axes(1), .keepdims = a.flag(2), .dtype = a.dtype(3)};
  };
  const auto var_options = [](const Arguments& a) {
    return td::VarOptions{.axis = a.axes(1), .correction = a.real(3), .keepdims = a.flag(2)};
  };
  f["sum"].call = [=](const Arguments& a) { return Results{td::sum(a.array(0), sum_options(a))}; };
  f["prod"].call = [=](const Arguments& a) { return Results{td::prod(a.array(0), sum_options(a))}; };
  f["var"].call = [=](const Arguments& a) { return Results{td::var(a.array(0), var_options(a))}; };
  f["std"].call = [=](const Arguments& a) { return Results{td::std(a.array(0), var_options(a))}; };
  f["norm"].call = [](const Arguments& a) {
    td::linalg::NormOptions options{.axis = a.axes(1), .keepdims = a.flag(3)};
    if (a.has(2)) options.ord = a.real(2);
    return Results{td::linalg::norm(a.array(0), options)};
  };

  // Scans.
  const auto scan_options = [](const Arguments& a) {
    return td::CumulativeOptions{.axis = a.axis(1), .include_initial = a.flag(2)};
  };
#define SCAN(name, options) \
  f[#name].call = [=](const Arguments& a) { return Results{td::name(a.array(0), options(a))}; }
  const auto extreme_options = [](const Arguments& a) { return td::CumulativeExtremeOptions{.axis = a.axis(1)}; };
  SCAN(cumulative_sum, scan_options);
  SCAN(cumulative_prod, scan_options);
  SCAN(cumulative_max, extreme_options);
  SCAN(cumulative_min, extreme_options);
  f["cumulative_max"].zeros_alike = f["cumulative_min"].zeros_alike = true;
  f["diff"].call = [](const Arguments& a) {
    return Results{td::diff(a.array(0), {a.axis(1), a.axis(2), a.optional_array(3), a.optional_array(4)})};
  };

  // Order.
  f["sort"].call = [](const Arguments& a) { return Results{td::sort(a.array(0), {.axis = a.axis(1)})}; };
  f["argsort"].call = [](const Arguments& a) { return Results{td::argsort(a.array(0), {.axis = a.axis(1)})}; };
  f["searchsorted"].call = [](const Arguments& a) {
    const td::Side side = a.text(2) == "left" ? td::Side::left : td::Side::right;
    return Results{td::searchsorted(a.array(0), a.array(1), {side, a.optional_array(3)})};
  };
  f["quantile"].call = [](const Arguments& a) {
    const std::optional<int> axis = a.optional_axis(2);
    const td::Axes axes = axis ? td::Axes(*axis) : td::Axes();
    return Results{td::quantile(a.array(0), a.reals(1), {.axis = axes, .keepdims = a.flag(3)})};
  };

  // Manipulation.
  f["reshape"].call = [](const Arguments& a) { return Results{a.array(0).reshape(a.shape(1))}; };
  f["transpose"].call = [](const Arguments& a) { return Results{a.array(0).transpose()}; };
  f["permute"].call = [](const Arguments& a) { return Results{a.array(0).permute(a.shape(1))}; };
  f["squeeze"].call = [](const Arguments& a) { return Results{a.array(0).squeeze(a.axes(1))}; };
  f["expand_dims"].call = [](const Arguments& a) { return Results{a.array(0).expand_dims(a.axes(1))}; };
  f["broadcast_to"].call = [](const Arguments& a) { return Results{a.array(0).broadcast_to(a.shape(1))}; };
  f["flip"].call = [](const Arguments& a) { return Results{a.array(0).flip(a.axes(1))}; };
  f["moveaxis"].call = [](const Arguments& a) { return Results{a.array(0).moveaxis(a.axis(1), a.axis(2))}; };
  f["matrix_transpose"].call = [](const Arguments& a) { return Results{td::matrix_transpose(a.array(0))}; };
  f["copy"].call = [](const Arguments& a) { return Results{a.array(0).copy()}; };
  f["roll"].call = [](const Arguments& a) {
    return Results{a.is_shape(1) ? td::roll(a.array(0), a.shape(1), a.shape(2))
                                 : td::roll(a.array(0), a.integer(1), a.optional_axis(2))};
  };
  f["repeat"].call = [](const Arguments& a) {
    const td::RepeatOptions options{.axis = a.optional_axis(2)};
    const td::Operand n = a.operand(1);
    return Results{n.is_array() ? td::repeat(a.array(0), n.array(), options)
                                : td::repeat(a.array(0), a.integer(1), options)};
  };
  f["tile"].call = [](const Arguments& a) { return Results{td::tile(a.array(0), a.shape(1))}; };
  f["concat"].call = [](const Arguments& a) { return Results{td::concat(a.arrays(0), a.axis(1))}; };
  f["stack"].call = [](const Arguments& a) { return Results{td::stack(a.arrays(0), a.axis(1))}; };
  f["unstack"].call = [](const Arguments& a) { return td::unstack(a.array(0), a.axis(1)); };

  // Indexing.
  f["getitem"].call = [](const Arguments& a) { return Results{a.array(0).at(a.index(1))}; };
  f["setitem"].call = [](const Arguments& a) {
    Array x = a.array(0);
    x.at(a.index(1)) = a.operand(2);
    return Results{x};
  };
  f["setitem_add"].call = [](const Arguments& a) {
    Array x = a.array(0);
    x.at(a.index(1)) += a.operand(2);
    return Results{x};
  };
  f["take"].call = [](const Arguments& a) {
    return Results{td::take(a.array(0), a.array(1), {a.optional_axis(2), index_mode(a.text(3))})};
  };
  f["take_along_axis"].call = [](const Arguments& a) {
    return Results{td::take_along_axis(a.array(0), a.array(1), a.axis(2))};
  };
  f["put_along_axis"].call = [](const Arguments& a) {
    Array x = a.array(0);
    td::put_along_axis(x, a.array(1), a.operand(2), a.axis(3));
    return Results{x};
  };
  f["put"].call = [](const Arguments& a) {
    Array x = a.array(0);
    td::put(x, a.array(1), a.operand(2), index_mode(a.text(3)));
    return Results{x};
  };
  f["add_at"].call = [](const Arguments& a) {
    Array x = a.array(0);
    td::add_at(x, a.index(1), a.operand(2));
    return Results{x};
  };
  f["nonzero"].call = [](const Arguments& a) { return td::nonzero(a.array(0)); };
  f["argwhere"].call = [](const Arguments& a) { return Results{td::argwhere(a.array(0))}; };
  f["flatnonzero"].call = [](const Arguments& a) { return Results{td::flatnonzero(a.array(0))}; };
  f["compress"].call = [](const Arguments& a) {
    return Results{td::compress(a.array(0), a.array(1), {a.optional_axis(2)})};
  };
  f["extract"].call = [](const Arguments& a) { return Results{td::extract(a.array(0), a.array(1))}; };

  // Products. The numbers are whole and small, so that each order of additions gives the same bits; only the sign of a
  // complex zero depends on it.
  f["matmul"].call = [](const Arguments& a) { return Results{td::matmul(a.array(0), a.array(1))}; };
  f["dot"].call = [](const Arguments& a) { return Results{td::dot(a.array(0), a.array(1))}; };
  f["outer"].call = [](const Arguments& a) { return Results{td::outer(a.array(0), a.array(1))}; };
  f["tensordot"].call = [](const Arguments& a) {
    return Results{a.is_shape(2) ? td::tensordot(a.array(0), a.array(1), a.shape(2), a.shape(3))
                                 : td::tensordot(a.array(0), a.array(1), a.axis(2))};
  };
  for (const char* name : {"matmul", "dot", "tensordot"}) f[name].zeros_alike = true;

  // Creation.
  f["arange"].call = [](const Arguments& a) {
    return Results{td::arange(a.scalar(0), a.scalar(1), a.scalar(2), {.dtype = a.dtype(3)})};
  };
  f["linspace"].call = [](const Arguments& a) {
    return Results{td::linspace(a.scalar(0), a.scalar(1), a.integer(2), {.endpoint = a.flag(3), .dtype = a.dtype(4)})};
  };
  f["eye"].call = [](const Arguments& a) {
    const std::optional<std::int64_t> columns = a.has(1) ? std::optional(a.integer(1)) : std::nullopt;
    return Results{td::eye(a.integer(0), columns, {.k = a.axis(2), .dtype = a.dtype(3)})};
  };
  f["full"].call = [](const Arguments& a) { return Results{td::full(a.shape(0), a.scalar(1))}; };
  return f;
}

// ---- comparison ----

struct Answer {
  Array array;
  std::vector<double> distances;  // allowed for each element, or none
};

template <class T>
bool alike(const Stored<T>& got, const Stored<T>& expected, const Function& f, const double* distance) {
  if (same_bits<T>(got, expected)) return true;
  if constexpr (is_complex_v<T>) {
    using F = typename T::value_type;
    const auto part_alike = [&](F g, F e) {
      return same_bits<F>(g, e) || (g == e && (f.zeros_alike || distance || f.ulp_complex > 0));
    };
    if (part_alike(got.real(), expected.real()) && part_alike(got.imag(), expected.imag())) return true;
    const bool finite = std::isfinite(expected.real()) && std::isfinite(expected.imag());
    if (!finite || !(std::isfinite(got.real()) && std::isfinite(got.imag()))) return false;
    const std::complex<long double> g(got), e(expected);
    return std::abs(g - e) <= (distance ? *distance : f.ulp_complex * unit(format_of<F>, std::abs(e)));
  } else if constexpr (is_real_v<T>) {
    const long double g = real_value(got), e = real_value(expected);
    if (g == e) return f.zeros_alike || distance;
    if (distance) return std::fabs(g - e) <= *distance;
    return f.ulp > 0 && ulp_error(format_of<T>, g, e) <= f.ulp;
  } else {
    return false;
  }
}

/// What is wrong with a result, or nothing.
std::string difference(const Array& got, const Answer& expected, Function f, bool from_complex) {
  if (from_complex) f.ulp = std::max(f.ulp, f.ulp_complex);
  std::ostringstream out;
  if (got.dtype() != expected.array.dtype() || !(got.shape() == expected.array.shape())) {
    out << "gave " << got.dtype() << got.shape() << ", NumPy " << expected.array.dtype() << expected.array.shape();
    return out.str();
  }
  with_type(got.dtype(), [&]<class T>(Type<T>) {
    const Values<T> a = read<T>(got), b = read<T>(expected.array);
    for (std::size_t i = 0; i < a.size() && out.str().empty(); ++i)
      if (!alike<T>(a[i], b[i], f, expected.distances.empty() ? nullptr : &expected.distances[i]))
        out << "gave " << text<T>(a[i]) << " at element " << i << " of " << got.dtype() << got.shape() << ", NumPy "
            << text<T>(b[i]);
  });
  return out.str();
}

std::vector<Answer> read_answers(Reader& reader) {
  std::vector<Answer> answers(static_cast<std::size_t>(reader.number()));
  for (Answer& answer : answers) {
    answer.array = reader.array();
    if (reader.plain<char>() != '~') continue;
    answer.distances.resize(static_cast<std::size_t>(answer.array.size()));
    for (double& distance : answer.distances) distance = reader.plain<double>();
  }
  return answers;
}

/// Makes the next call of the file; returns what is wrong with it, or nothing.
std::string replay(Reader& reader, const std::map<std::string, Function>& functions) {
  const std::string name = reader.text();
  const Arguments arguments(reader.value().list);
  std::string error;
  std::vector<Answer> expected;
  if (reader.plain<char>() == '!') error = reader.text();
  else expected = read_answers(reader);
  const Function& function = functions.at(name);
  std::string wrong;
  try {
    const Results got = function.call(arguments);
    for (const Array& result : got) result.eval();
    if (!error.empty()) {
      wrong = "threw nothing, NumPy: " + error;
    } else if (got.size() != expected.size()) {
      wrong = "gave " + std::to_string(got.size()) + " arrays, NumPy " + std::to_string(expected.size());
    } else {
      bool from_complex = false;
      for (std::size_t i = 0; i < arguments.size(); ++i)
        from_complex = from_complex || arguments.is_complex(i);
      for (std::size_t i = 0; i < got.size() && wrong.empty(); ++i)
        wrong = difference(got[i], expected[i], function, from_complex);
    }
  } catch (const td::Error& thrown) {
    if (error.empty()) wrong = std::string("threw: ") + thrown.what();
  }
  if (wrong.empty()) return wrong;
  std::ostringstream out;
  out << name << ": ";
  arguments.print(out);
  out << "\n    " << wrong;
  return out.str();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: numpy_replay FILE, which numpy_replay.py writes\n";
    return 2;
  }
  if (const int status = refuse(); status >= 0) return status;
  const std::map<std::string, Function> functions = make_functions();
  Reader reader(argv[1]);
  int calls = 0, differences = 0;
  for (; !reader.at_end(); ++calls) {
    const std::string wrong = replay(reader, functions);
    if (!wrong.empty() && ++differences <= 100) std::cout << "call " << calls << ": " << wrong << "\n";
  }
  std::cout << calls << " calls, " << differences << " differences\n";
  return differences == 0 ? 0 : 1;
}
