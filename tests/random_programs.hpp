// Random programs over random layouts, run by a backend's run_program and by the reference backend's.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "../backends/reference/verbs.hpp"

namespace tandem::test {

inline constexpr int element_sizes[] = {
#define X(NAME, type, text, bytes) bytes,
    TD_DTYPES(X)
#undef X
};
inline constexpr const char* dtype_names[] = {
#define X(NAME, type, text, bytes) text,
    TD_DTYPES(X)
#undef X
};

// The columns of ops.def as data.
inline constexpr int TD_B = 1, TD_I = 2, TD_F = 4, TD_C = 8, TD_SAME = -1, TD_REAL = -2, TD_COMPLEX = -3, TD_INDEX = -4;
struct Row {
  const char* name;
  int arity, types, result, ulp;
};
inline constexpr Row operations[] = {
#define TD_OP(name, arity, types, result, expression, low, high, ulp, doc) {#name, arity, types, result, ulp},
#include <tandem/ops.def>
};
inline constexpr Row reductions[] = {
#define TD_REDUCTION(name, types, result, ...) {#name, 1, types, result, 0},
#include <tandem/ops.def>
};

inline bool is_float(int dtype) { return dtype >= TD_FLOAT16 && dtype <= TD_FLOAT64; }
inline bool is_complex(int dtype) { return dtype >= TD_COMPLEX64; }
inline int kind(int dtype) {
  return dtype == TD_BOOL ? TD_B : is_complex(dtype) ? TD_C : is_float(dtype) ? TD_F : TD_I;
}
inline int result_dtype(int rule, int dtype) {
  switch (rule) {
    case TD_SAME: return dtype;
    case TD_REAL: return dtype == TD_COMPLEX64 ? TD_FLOAT32 : dtype == TD_COMPLEX128 ? TD_FLOAT64 : dtype;
    case TD_COMPLEX: return dtype == TD_FLOAT64 ? TD_COMPLEX128 : TD_COMPLEX64;
    case TD_INDEX: return TD_INT64;
    default: return rule;
  }
}

/// Whether the core reduces this dtype: it widens what it sums.
inline bool can_reduce(int reduction, int dtype) {
  const bool widened = reduction == TD_REDUCE_sum || reduction == TD_REDUCE_prod;
  return (reductions[reduction].types & kind(dtype)) &&
         (!widened || dtype == TD_INT64 || dtype == TD_UINT64 || dtype >= TD_FLOAT32);
}

using Shape = std::vector<int64_t>;

inline int64_t product(const Shape& shape, std::size_t first = 0) {
  int64_t n = 1;
  for (std::size_t i = first; i < shape.size(); ++i) n *= shape[i];
  return n;
}

// Memory of exactly the bytes that a view needs, so that a sanitizer sees every step outside.
struct Array {
  int dtype = 0;
  Shape strides;
  int64_t elements = 0, first = 0;
  std::unique_ptr<char[]> memory;

  char* data() const { return memory ? memory.get() + first * element_sizes[dtype] : nullptr; }
  int64_t bytes() const { return elements * element_sizes[dtype]; }
};

inline Array make_array(int dtype, const Shape& shape, const Shape& strides) {
  Array array{dtype, strides, 1, 0, nullptr};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const int64_t reach = (shape[i] - 1) * strides[i];
    array.elements += std::abs(reach);
    if (reach < 0) array.first -= reach;
  }
  array.memory.reset(new char[array.bytes()]());
  return array;
}

class Program {
 public:
  explicit Program(Shape shape, int n_reduced = 0) : shape(std::move(shape)), n_reduced(n_reduced) {}

  int add_input(Array array) {
    inputs.push_back(std::move(array));
    return static_cast<int>(inputs.size()) - 1;
  }
  int add_index(Shape strides) { return add_input({TD_INT64, std::move(strides), 0, 0, nullptr}); }
  int add_constant(int dtype, td_constant value) {
    constants.push_back(value);
    constant_dtypes.push_back(static_cast<uint8_t>(dtype));
    return static_cast<int>(inputs.size() + constants.size()) - 1;
  }
  template <class T>
  int add_constant(int dtype, T value) {
    td_constant constant{};
    std::memcpy(constant.bytes, &value, sizeof value);
    return add_constant(dtype, constant);
  }
  int add(int kind, int op, int dtype, int result, std::vector<int> sources) {
    td_instruction instruction{static_cast<uint8_t>(kind),
                               static_cast<uint8_t>(op),
                               static_cast<uint8_t>(dtype),
                               static_cast<uint8_t>(result),
                               {}};
    for (std::size_t i = 0; i < sources.size(); ++i) instruction.sources[i] = static_cast<uint8_t>(sources[i]);
    instructions.push_back(instruction);
    return static_cast<int>(inputs.size() + constants.size() + instructions.size()) - 1;
  }
  int map(td_op op, int dtype, std::vector<int> sources) {
    return add(TD_MAP, op, dtype, result_dtype(operations[op].result, dtype), std::move(sources));
  }
  int cast(int from, int to, int source) { return add(TD_CAST, 0, from, to, {source}); }
  int reduce(td_reduction reduction, int dtype, int source) {
    return add(TD_REDUCE, reduction, dtype, result_dtype(reductions[reduction].result, dtype), {source});
  }
  void add_output(int number, Array array) {
    output_numbers.push_back(static_cast<uint8_t>(number));
    outputs.push_back(std::move(array));
    in_place.push_back(-1);
  }
  void add_output_in_place(int number, int input) {
    add_output(number, {inputs[input].dtype, inputs[input].strides, 0, 0, nullptr});
    in_place.back() = input;
  }

  int dtype_of(int number) const {
    const int n_inputs = static_cast<int>(inputs.size()), n_constants = static_cast<int>(constants.size());
    if (number < n_inputs) return inputs[number].dtype;
    if (number < n_inputs + n_constants) return constant_dtypes[number - n_inputs];
    return instructions[number - n_inputs - n_constants].result;
  }

  // Runs on copies of the memory and returns what is in it afterwards: the outputs, then the inputs.
  template <class Verb>
  std::vector<std::vector<char>> run(Verb verb) const {
    std::vector<std::unique_ptr<char[]>> copies;
    const auto operand = [&](const Array& array) {
      if (!array.memory) {
        copies.emplace_back();
        return td_operand{nullptr, array.strides.data()};
      }
      copies.emplace_back(new char[array.bytes()]);
      std::memcpy(copies.back().get(), array.memory.get(), array.bytes());
      return td_operand{copies.back().get() + array.first * element_sizes[array.dtype], array.strides.data()};
    };
    std::vector<td_operand> in, out;
    std::vector<uint8_t> input_dtypes;
    for (const Array& array : inputs) {
      in.push_back(operand(array));
      input_dtypes.push_back(static_cast<uint8_t>(array.dtype));
    }
    for (std::size_t i = 0; i < outputs.size(); ++i)
      out.push_back(in_place[i] >= 0 ? in[in_place[i]] : operand(outputs[i]));
    const auto count = [](const auto& list) { return static_cast<int32_t>(list.size()); };
    const td_program program{count(inputs),         count(constants),       count(instructions), count(outputs),
                             input_dtypes.data(),   constant_dtypes.data(), constants.data(),    instructions.data(),
                             output_numbers.data(), count(shape),           n_reduced,           shape.data()};
    td_error error{};
    EXPECT_EQ(verb(nullptr, &program, in.data(), out.data(), &error), TD_OK) << error.message;
    std::vector<std::vector<char>> results;
    const auto keep = [&](const Array& array, const std::unique_ptr<char[]>& copy) {
      results.emplace_back(copy.get(), copy.get() + (copy ? array.bytes() : 0));
    };
    std::size_t next = inputs.size();
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (in_place[i] < 0) keep(outputs[i], copies[next++]);
    for (std::size_t i = 0; i < inputs.size(); ++i) keep(inputs[i], copies[i]);
    return results;
  }

  // The dtypes of what run returns.
  std::vector<int> result_dtypes() const {
    std::vector<int> dtypes;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (in_place[i] < 0) dtypes.push_back(outputs[i].dtype);
    for (const Array& array : inputs) dtypes.push_back(array.dtype);
    return dtypes;
  }

  std::string text() const {
    std::string text = "shape";
    for (int64_t n : shape) text += " " + std::to_string(n);
    text += ", " + std::to_string(n_reduced) + " reduced\n";
    int number = 0;
    const auto strides = [](const Array& array) {
      std::string line = dtype_names[array.dtype] + std::string(array.memory ? "" : " index") + " strides";
      for (int64_t n : array.strides) line += " " + std::to_string(n);
      return line + "\n";
    };
    for (const Array& array : inputs) text += "  " + std::to_string(number++) + " input " + strides(array);
    for (uint8_t dtype : constant_dtypes)
      text += "  " + std::to_string(number++) + " constant " + dtype_names[dtype] + "\n";
    for (const td_instruction& x : instructions) {
      text += "  " + std::to_string(number++) + " ";
      text += x.kind == TD_CAST ? "cast" : x.kind == TD_MAP ? operations[x.op].name : reductions[x.op].name;
      text += std::string(" ") + dtype_names[x.dtype] + " -> " + dtype_names[x.result];
      for (uint8_t source : x.sources) text += " " + std::to_string(source);
      text += "\n";
    }
    for (std::size_t i = 0; i < outputs.size(); ++i)
      text += "  output " + std::to_string(output_numbers[i]) +
              (in_place[i] >= 0 ? " in place of " + std::to_string(in_place[i]) + "\n" : " " + strides(outputs[i]));
    return text;
  }

  Shape shape;
  int n_reduced;
  std::vector<Array> inputs, outputs;
  std::vector<int> in_place;
  std::vector<td_constant> constants;
  std::vector<uint8_t> constant_dtypes, output_numbers;
  std::vector<td_instruction> instructions;
};

template <class F>
bool same_float(const char* a, const char* b) {
  F x, y;
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  return std::memcmp(a, b, sizeof x) == 0 || (std::isnan(x) && std::isnan(y));
}

inline bool same_half(const char* a, const char* b, uint16_t infinity) {
  uint16_t x, y;
  std::memcpy(&x, a, 2);
  std::memcpy(&y, b, 2);
  return x == y || ((x & 0x7fff) > infinity && (y & 0x7fff) > infinity);
}

// The same bits, but any NaN for a NaN.
inline bool same_element(int dtype, const char* a, const char* b) {
  switch (dtype) {
    case TD_FLOAT16: return same_half(a, b, 0x7c00);
    case TD_BFLOAT16: return same_half(a, b, 0x7f80);
    case TD_FLOAT32: return same_float<float>(a, b);
    case TD_FLOAT64: return same_float<double>(a, b);
    case TD_COMPLEX64: return same_float<float>(a, b) && same_float<float>(a + 4, b + 4);
    case TD_COMPLEX128: return same_float<double>(a, b) && same_float<double>(a + 8, b + 8);
    default: return std::memcmp(a, b, element_sizes[dtype]) == 0;
  }
}

inline std::string hex(const char* bytes, int n) {
  std::string text;
  char digits[3];
  for (int i = n; i-- > 0;) {
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(bytes[i]));
    text += digits;
  }
  return text;
}

/// That a backend gives the bits of the reference backend.
template <class Verb>
void expect_same_as_reference(const Program& program, Verb verb) {
  const auto expected = program.run(reference::run_program), got = program.run(verb);
  const std::vector<int> dtypes = program.result_dtypes();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const int size = element_sizes[dtypes[i]];
    for (std::size_t at = 0; at < expected[i].size(); at += size)
      ASSERT_TRUE(same_element(dtypes[i], &got[i][at], &expected[i][at]))
          << program.text() << "array " << i << ", element " << at / size << ": " << hex(&got[i][at], size)
          << " instead of " << hex(&expected[i][at], size);
  }
}

// ---- random programs ----

class Generator {
 public:
  explicit Generator(uint64_t seed) : engine_(seed) {}

  int64_t below(int64_t n) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  T pick(std::initializer_list<T> list) {
    return list.begin()[below(static_cast<int64_t>(list.size()))];
  }

  Program program() {
    Program program(random_shape(), 0);
    if (chance(60)) program.n_reduced = 1 + static_cast<int>(below(static_cast<int64_t>(program.shape.size())));
    const int n_inputs = 1 + static_cast<int>(below(4));
    for (int i = 0; i < n_inputs; ++i) add_random_input(program);
    for (int i = static_cast<int>(below(3)); i > 0; --i) {
      const int dtype = random_dtype();
      td_constant value{};
      fill(dtype, reinterpret_cast<char*>(value.bytes), 1);
      program.add_constant(dtype, value);
    }
    classify_operands(program);
    for (int i = 1 + static_cast<int>(below(chance(10) ? 40 : 8)); i > 0; --i) add_random_instruction(program);
    add_random_outputs(program);
    return program;
  }

  // Layouts that occur in practice, in sizes at which kernels change their ways; of at most `elements` elements, or
  // five times as many along one axis.
  Program structured(int64_t elements) {
    Program program(structured_shape(elements), 0);
    const int ndim = static_cast<int>(program.shape.size());
    if (chance(75)) program.n_reduced = chance(80) ? 1 : ndim;
    const int main_dtype = chance(50) ? int{TD_FLOAT32} : random_dtype();
    const bool columns = chance(40);
    for (int i = 1 + static_cast<int>(below(3)); i > 0; --i) add_structured_input(program, main_dtype, columns);
    if (chance(50)) {
      td_constant value{};
      fill(main_dtype, reinterpret_cast<char*>(value.bytes), 1);
      program.add_constant(main_dtype, value);
    }
    classify_operands(program);
    if (program.n_reduced > 0 && chance(60)) add_reduction(program);
    for (int i = 1 + static_cast<int>(below(6)); i > 0; --i) add_random_instruction(program);
    if (program.n_reduced > 0 && chance(60)) add_reduction(program);
    for (int i = chance(70) ? 1 : 1 + static_cast<int>(below(3)); i > 0; --i) add_structured_output(program);
    return program;
  }

  void fill(int dtype, char* data, int64_t n) {
    const int size = element_sizes[dtype];
    for (int64_t i = 0; i < n; ++i) write(dtype, data + i * size);
  }

 private:
  Shape random_shape() {
    for (;;) {
      Shape shape(1 + below(4));
      for (int64_t& n : shape)
        n = chance(60) ? 1 + below(20)
                       : pick<int64_t>({63,  64,   65,   100,  127,  128,  129,  255,  256,  257,  300,  511,   512,
                                        513, 1000, 1024, 2049, 4095, 4096, 4097, 5000, 8192, 8193, 9000, 12289, 20000});
      if (product(shape) <= 40000) return shape;
    }
  }

  int random_dtype() { return static_cast<int>(below(TD_DTYPE_COUNT)); }

  // Axes in any order, some stretched or reversed.
  Shape random_strides(const Shape& shape, bool may_repeat) {
    const int ndim = static_cast<int>(shape.size());
    std::vector<int> order(ndim);
    for (int i = 0; i < ndim; ++i) order[i] = i;
    if (chance(40)) std::shuffle(order.begin(), order.end(), engine_);
    Shape strides(ndim);
    int64_t next = chance(85) ? 1 : 2;
    for (int i = ndim - 1; i >= 0; --i) {
      const int axis = order[i];
      if (may_repeat && chance(20)) continue;
      strides[axis] = chance(10) ? -next : next;
      next *= shape[axis];
      if (chance(10)) next += below(5);
    }
    return strides;
  }

  void add_random_input(Program& program) {
    const Shape strides = random_strides(program.shape, true);
    if (chance(8)) {
      program.add_index(strides);
      return;
    }
    Array array = make_array(random_dtype(), program.shape, strides);
    fill(array.dtype, array.memory.get(), array.elements);
    program.add_input(std::move(array));
  }

  // Small whole numbers for the most part, with every special value now and then.
  double number() {
    if (chance(85)) return static_cast<double>(below(41) - 20) * (chance(50) ? 1 : 0.375);
    return pick<double>({0.0, -0.0, NAN, INFINITY, -INFINITY, 1e-40, -1e-310, 3e38, -1e300, 65504, 1e10});
  }

  void write(int dtype, char* to) {
    const auto put = [&](auto value) { std::memcpy(to, &value, sizeof value); };
    switch (dtype) {
      case TD_BOOL: return put(static_cast<uint8_t>(below(2)));
      case TD_FLOAT16:
      case TD_BFLOAT16: return put(static_cast<uint16_t>(engine_()));
      case TD_FLOAT32: return put(static_cast<float>(number()));
      case TD_FLOAT64: return put(number());
      case TD_COMPLEX64: {
        const float parts[] = {static_cast<float>(number()), static_cast<float>(number())};
        return put(parts);
      }
      case TD_COMPLEX128: {
        const double parts[] = {number(), number()};
        return put(parts);
      }
      default: {
        const int64_t value = chance(85) ? below(41) - 20 : static_cast<int64_t>(engine_());
        std::memcpy(to, &value, element_sizes[dtype]);
      }
    }
  }

  struct Known {
    int dtype;
    bool row;
  };

  void classify_operands(const Program& program) {
    values_.clear();
    const std::size_t first = program.shape.size() - program.n_reduced;
    for (const Array& input : program.inputs) {
      const bool row = program.n_reduced > 0 && std::all_of(input.strides.begin() + first, input.strides.end(),
                                                            [](int64_t s) { return s == 0; });
      values_.push_back({input.dtype, row});
    }
    for (uint8_t dtype : program.constant_dtypes) values_.push_back({dtype, program.n_reduced > 0});
  }

  // A value of a dtype, made by a cast if there is none.
  int value_of(Program& program, int dtype) {
    std::vector<int> fitting;
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values_[i].dtype == dtype) fitting.push_back(static_cast<int>(i));
    if (!fitting.empty()) return fitting[below(static_cast<int64_t>(fitting.size()))];
    const int source = static_cast<int>(below(static_cast<int64_t>(values_.size())));
    values_.push_back({dtype, values_[source].row});
    return program.cast(values_[source].dtype, dtype, source);
  }

  void add_random_instruction(Program& program) {
    if (program.instructions.size() > 50) return;
    // Mostly on a dtype that is there already, so that chains form.
    const int dtype = chance(90) ? values_[below(static_cast<int64_t>(values_.size()))].dtype : random_dtype();
    if (program.n_reduced > 0 && chance(25)) {
      const int reduction = static_cast<int>(below(TD_REDUCTION_COUNT));
      if (!can_reduce(reduction, dtype)) return;
      const int source = value_of(program, dtype);
      values_.push_back({result_dtype(reductions[reduction].result, dtype), true});
      program.reduce(static_cast<td_reduction>(reduction), dtype, source);
      return;
    }
    if (chance(10)) {
      const int source = static_cast<int>(below(static_cast<int64_t>(values_.size()))), to = random_dtype();
      values_.push_back({to, values_[source].row});
      program.cast(values_[source].dtype, to, source);
      return;
    }
    const int op = static_cast<int>(below(TD_OP_COUNT));
    const Row& row = operations[op];
    const bool exact =
        row.ulp == 0 && !(op == TD_OP_abs && is_complex(dtype)) && !(op == TD_OP_sign && is_complex(dtype));
    if (!exact || !(row.types & kind(dtype))) return;
    if (op == TD_OP_make_complex && dtype < TD_FLOAT32) return;
    if (op == TD_OP_where) value_of(program, TD_BOOL);
    std::vector<int> sources;
    bool all_rows = true;
    for (int k = 0; k < row.arity; ++k) {
      sources.push_back(value_of(program, op == TD_OP_where && k == 0 ? int{TD_BOOL} : dtype));
      all_rows &= values_[sources.back()].row;
    }
    values_.push_back({result_dtype(row.result, dtype), all_rows});
    program.map(static_cast<td_op>(op), dtype, sources);
  }

  void add_random_outputs(Program& program) {
    const int n = 1 + static_cast<int>(below(chance(60) ? 1 : TD_MAX_OUTPUTS));
    for (int i = 0; i < n; ++i) {
      const int last = static_cast<int>(values_.size()) - 1;
      const int number =
          i == 0 || chance(50) ? std::max(0, last - static_cast<int>(below(3))) : static_cast<int>(below(last + 1));
      if (chance(15) && add_in_place(program, number)) continue;
      Shape strides = random_strides(program.shape, false), extent = program.shape;
      if (values_[number].row)
        for (std::size_t axis = extent.size() - program.n_reduced; axis < extent.size(); ++axis) extent[axis] = 1;
      Array array = make_array(values_[number].dtype, extent, strides);
      std::memset(array.memory.get(), 0x5a, array.bytes());
      program.add_output(number, std::move(array));
    }
  }

  Shape structured_shape(int64_t elements) {
    const int ndim = pick({1, 2, 2, 2, 2, 3});
    if (ndim == 1)
      return {pick<int64_t>({elements / 12, elements / 2 + 3000, elements, elements + 10000, elements * 5})};
    for (;;) {
      Shape shape(ndim);
      for (int64_t& n : shape)
        n = pick<int64_t>({2,   3,   4,   7,   8,    10,   16,   17,   31,   32,   33,   64,   65,   100,
                           128, 130, 200, 256, 1000, 1024, 1500, 2048, 3000, 4096, 5000, 8200, 16384});
      if (product(shape) <= elements) return shape;
    }
  }

  // Moves where a view starts, so that it is aligned to nothing but its elements.
  void shift(Array& array, int64_t elements) {
    array.elements += elements;
    array.first += elements;
    array.memory.reset(new char[array.bytes()]());
  }

  // Contiguous, transposed, repeated along axes, with gaps between rows.
  void add_structured_input(Program& program, int main_dtype, bool columns) {
    const int ndim = static_cast<int>(program.shape.size());
    Shape strides(ndim, 0);
    std::vector<int> order(ndim);
    for (int axis = 0; axis < ndim; ++axis) order[axis] = axis;
    if (ndim > 1 && chance(columns ? 80 : 20)) std::swap(order[ndim - 1], order[below(ndim - 1)]);
    int64_t next = 1;
    for (int i = ndim - 1; i >= 0; --i) {
      if (!program.inputs.empty() && chance(20)) continue;
      strides[order[i]] = next;
      next *= program.shape[order[i]];
      if (chance(10)) next += pick<int64_t>({1, 4, 16});
    }
    if (chance(4)) {
      program.add_index(strides);
      return;
    }
    Array array = make_array(chance(70) ? main_dtype : random_dtype(), program.shape, strides);
    if (chance(20)) shift(array, 1 + below(4));
    fill(array.dtype, array.memory.get(), array.elements);
    program.add_input(std::move(array));
  }

  void add_reduction(Program& program) {
    for (int tries = 0; tries < 30; ++tries) {
      const int reduction = static_cast<int>(below(TD_REDUCTION_COUNT));
      const int source = static_cast<int>(below(static_cast<int64_t>(values_.size())));
      const int dtype = values_[source].dtype;
      if (!can_reduce(reduction, dtype) || (values_[source].row && tries < 25)) continue;
      values_.push_back({result_dtype(reductions[reduction].result, dtype), true});
      program.reduce(static_cast<td_reduction>(reduction), dtype, source);
      return;
    }
  }

  void add_structured_output(Program& program) {
    const int number = std::max<int>(0, static_cast<int>(values_.size()) - 1 - static_cast<int>(below(3)));
    if (chance(10) && add_in_place(program, number)) return;
    const int ndim = static_cast<int>(program.shape.size());
    Shape strides(ndim, 0), extent = program.shape;
    int64_t next = 1;
    for (int axis = ndim - 1; axis >= 0; --axis) {
      if (values_[number].row && axis >= ndim - program.n_reduced) {
        extent[axis] = 1;
        continue;
      }
      strides[axis] = next;
      next *= program.shape[axis];
      if (chance(5)) next += 3;
    }
    Array array = make_array(values_[number].dtype, extent, strides);
    if (chance(15)) shift(array, 1 + below(3));
    std::memset(array.memory.get(), 0x5a, array.bytes());
    program.add_output(number, std::move(array));
  }

  // The very same view as an input that has an element for each of the output's.
  bool add_in_place(Program& program, int number) {
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
      const Array& input = program.inputs[i];
      if (!input.memory || input.dtype != values_[number].dtype || values_[i].row != values_[number].row) continue;
      if (std::count(program.in_place.begin(), program.in_place.end(), static_cast<int>(i)) > 0) continue;
      const std::size_t axes = program.shape.size() - (values_[i].row ? program.n_reduced : 0);
      bool repeats = false;
      for (std::size_t axis = 0; axis < axes; ++axis) repeats |= input.strides[axis] == 0;
      if (repeats) continue;
      program.add_output_in_place(number, static_cast<int>(i));
      return true;
    }
    return false;
  }

  std::mt19937_64 engine_;
  std::vector<Known> values_;
};

}  // namespace tandem::test
