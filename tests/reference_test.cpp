// The verbs of the reference backend, called directly, against results worked out by hand.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <tandem/backend.h>

namespace {

using c64 = std::complex<float>;
using c128 = std::complex<double>;
using Ints = std::vector<int64_t>;

constexpr float inf = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();

struct Half { uint16_t bits; };  // float16

template <class T> constexpr td_dtype dtype_of = TD_DTYPE_COUNT;
template <> constexpr td_dtype dtype_of<bool> = TD_BOOL;
template <> constexpr td_dtype dtype_of<int8_t> = TD_INT8;
template <> constexpr td_dtype dtype_of<int32_t> = TD_INT32;
template <> constexpr td_dtype dtype_of<int64_t> = TD_INT64;
template <> constexpr td_dtype dtype_of<uint8_t> = TD_UINT8;
template <> constexpr td_dtype dtype_of<uint32_t> = TD_UINT32;
template <> constexpr td_dtype dtype_of<uint64_t> = TD_UINT64;
template <> constexpr td_dtype dtype_of<Half> = TD_FLOAT16;
template <> constexpr td_dtype dtype_of<float> = TD_FLOAT32;
template <> constexpr td_dtype dtype_of<double> = TD_FLOAT64;
template <> constexpr td_dtype dtype_of<c64> = TD_COMPLEX64;
template <> constexpr td_dtype dtype_of<c128> = TD_COMPLEX128;

const td_backend& table() {
  static const td_backend* const backend = tandem_backend(nullptr);
  return *backend;
}

td_device* device() {
  static td_device* const opened = [] {
    td_device* result = nullptr;
    td_error error{};
    EXPECT_EQ(table().open_device(0, &result, &error), TD_OK) << error.message;
    return result;
  }();
  return opened;
}

/// A program under construction; the methods return numbers of values.
class Program {
 public:
  Program(Ints shape, int n_reduced) : shape_(shape), n_reduced_(n_reduced) {}

  template <class T>
  int input(const T* data, Ints strides) {
    input_dtypes_.push_back(dtype_of<T>);
    inputs_.push_back({const_cast<T*>(data), keep(strides)});
    return values_++;
  }

  template <class T>
  int constant(T x, td_dtype dtype = dtype_of<T>) {
    constant_dtypes_.push_back(dtype);
    constants_.push_back({});
    std::memcpy(constants_.back().bytes, &x, sizeof x);
    return values_++;
  }

  int map(td_op op, td_dtype dtype, td_dtype result, std::array<int, 4> sources) {
    return add(TD_MAP, op, dtype, result, sources);
  }
  int cast(td_dtype from, td_dtype to, int source) { return add(TD_CAST, 0, from, to, {source, 0, 0, 0}); }
  int reduce(td_reduction reduction, td_dtype dtype, td_dtype result, int source) {
    return add(TD_REDUCE, reduction, dtype, result, {source, 0, 0, 0});
  }

  template <class T>
  void output(int value, T* data, Ints strides) {
    output_numbers_.push_back(static_cast<uint8_t>(value));
    outputs_.push_back({data, keep(strides)});
  }

  td_status run() {
    td_program program{};
    program.n_inputs = static_cast<int32_t>(inputs_.size());
    program.n_constants = static_cast<int32_t>(constants_.size());
    program.n_instructions = static_cast<int32_t>(instructions_.size());
    program.n_outputs = static_cast<int32_t>(outputs_.size());
    program.input_dtypes = input_dtypes_.data();
    program.constant_dtypes = constant_dtypes_.data();
    program.constants = constants_.data();
    program.instructions = instructions_.data();
    program.outputs = output_numbers_.data();
    program.ndim = static_cast<int32_t>(shape_.size());
    program.n_reduced = n_reduced_;
    program.shape = shape_.data();
    return table().run_program(device(), &program, inputs_.data(), outputs_.data(), &error);
  }

  td_error error{};

 private:
  int add(td_kind kind, int op, td_dtype dtype, td_dtype result, std::array<int, 4> sources) {
    td_instruction instruction{};
    instruction.kind = static_cast<uint8_t>(kind);
    instruction.op = static_cast<uint8_t>(op);
    instruction.dtype = static_cast<uint8_t>(dtype);
    instruction.result = static_cast<uint8_t>(result);
    std::copy(sources.begin(), sources.end(), instruction.sources);
    instructions_.push_back(instruction);
    return values_++;
  }

  const int64_t* keep(const Ints& strides) {
    EXPECT_EQ(strides.size(), shape_.size());
    strides_.push_back(std::make_unique<Ints>(strides));
    return strides_.back()->data();
  }

  const Ints shape_;
  const int n_reduced_;
  int values_ = 0;
  std::vector<uint8_t> input_dtypes_, constant_dtypes_, output_numbers_;
  std::vector<td_constant> constants_;
  std::vector<td_instruction> instructions_;
  std::vector<td_operand> inputs_, outputs_;
  std::vector<std::unique_ptr<Ints>> strides_;
};

/// A view with its shape and strides.
class View {
 public:
  template <class T>
  View(const T* data, Ints shape, Ints strides) : shape_(shape), strides_(strides) {
    view_ = {const_cast<T*>(data), dtype_of<T>, static_cast<int32_t>(shape_.size()), shape_.data(), strides_.data()};
  }
  View(const View&) = delete;
  operator const td_view*() const { return &view_; }

 private:
  const Ints shape_, strides_;
  td_view view_;
};

template <class T, class R>
R reduce_vector(td_reduction reduction, const std::vector<T>& row) {
  Program program({static_cast<int64_t>(row.size())}, 1);
  const int x = program.input(row.data(), {1});
  R result{};
  program.output(program.reduce(reduction, dtype_of<T>, dtype_of<R>, x), &result, {0});
  EXPECT_EQ(program.run(), TD_OK) << program.error.message;
  return result;
}

// ---- maps ----

TEST(ReferenceProgram, AddsTransposedAndReversed) {
  const std::vector<float> a = {1, 2, 3, 4, 5, 6}, b = {10, 20, 30, 40, 50, 60};
  std::vector<float> sum(6);
  Program program({2, 3}, 0);
  const int x = program.input(a.data(), {1, 2});             // a as (3, 2), transposed
  const int y = program.input(b.data() + 5, {-3, -1});       // b as (2, 3), both axes reversed
  program.output(program.map(TD_OP_add, TD_FLOAT32, TD_FLOAT32, {x, y}), sum.data(), {3, 1});
  ASSERT_EQ(program.run(), TD_OK) << program.error.message;
  EXPECT_EQ(sum, (std::vector<float>{61, 53, 45, 32, 24, 16}));
}

TEST(ReferenceProgram, BroadcastsAndWritesToStridedOutputs) {
  const std::vector<int32_t> row = {1, 2, 3};
  std::vector<int32_t> result(12, -1);
  Program program({2, 3}, 0);
  const int x = program.input(row.data(), {0, 1});
  const int ten = program.constant<int32_t>(10);
  program.output(program.map(TD_OP_multiply, TD_INT32, TD_INT32, {x, ten}), result.data() + 11, {-6, -2});
  ASSERT_EQ(program.run(), TD_OK) << program.error.message;
  EXPECT_EQ(result, (std::vector<int32_t>{-1, 30, -1, 20, -1, 10, -1, 30, -1, 20, -1, 10}));
}

TEST(ReferenceProgram, IndexArrayCountsOffsets) {
  std::vector<int64_t> result(6);
  Program program({2, 3}, 0);
  const int index = program.input(static_cast<const int64_t*>(nullptr), {10, -1});
  program.output(index, result.data(), {3, 1});
  ASSERT_EQ(program.run(), TD_OK) << program.error.message;
  EXPECT_EQ(result, (Ints{0, -1, -2, 10, 9, 8}));
}

TEST(ReferenceProgram, WhereTakesABoolCondition) {
  const std::vector<double> a = {1, -2, 3};
  std::vector<double> result(3);
  Program program({3}, 0);
  const int x = program.input(a.data(), {1});
  const int zero = program.constant(0.0);
  const int positive = program.map(TD_OP_greater, TD_FLOAT64, TD_BOOL, {x, zero});
  program.output(program.map(TD_OP_where, TD_FLOAT64, TD_FLOAT64, {positive, x, zero}), result.data(), {1});
  ASSERT_EQ(program.run(), TD_OK) << program.error.message;
  EXPECT_EQ(result, (std::vector<double>{1, 0, 3}));
}

TEST(ReferenceProgram, CastsSaturateAndRoundOnce) {
  const std::vector<float> a = {300.7f, -300.7f, nan, 65519.9f};
  std::vector<int8_t> small(4);
  std::vector<Half> half(4);
  Program program({4}, 0);
  const int x = program.input(a.data(), {1});
  program.output(program.cast(TD_FLOAT32, TD_INT8, x), small.data(), {1});
  program.output(program.cast(TD_FLOAT32, TD_FLOAT16, x), half.data(), {1});
  ASSERT_EQ(program.run(), TD_OK) << program.error.message;
  EXPECT_EQ(small, (std::vector<int8_t>{127, -128, 0, 127}));
  EXPECT_EQ(half[0].bits, 0x5CB3);  // 300.75, the spacing is 0.25
  EXPECT_EQ(half[1].bits, 0xDCB3);
  EXPECT_EQ(half[2].bits & 0x7C00, 0x7C00);
  EXPECT_NE(half[2].bits & 0x03FF, 0);
  EXPECT_EQ(half[3].bits, 0x7BFF);
}

TEST(ReferenceProgram, PartsOfComplexNumbers) {
  const std::vector<c64> a = {{3, 4}, {0, -2}};
  std::vector<float> modulus(2);
  std::vector<c64> rebuilt(2);
  Program program({2}, 0);
  const int x = program.input(a.data(), {1});
  const int re = program.map(TD_OP_real, TD_COMPLEX64, TD_FLOAT32, {x});
  const int im = program.map(TD_OP_imag, TD_COMPLEX64, TD_FLOAT32, {x});
  program.output(program.map(TD_OP_abs, TD_COMPLEX64, TD_FLOAT32, {x}), modulus.data(), {1});
  program.output(program.map(TD_OP_make_complex, TD_FLOAT32, TD_COMPLEX64, {im, re}), rebuilt.data(), {1});
  ASSERT_EQ(program.run(), TD_OK) << program.error.message;
  EXPECT_EQ(modulus, (std::vector<float>{5, 2}));
  EXPECT_EQ(rebuilt, (std::vector<c64>{{4, 3}, {-2, 0}}));
}

TEST(ReferenceProgram, OutputMayBeAnInput) {
  std::vector<float> a = {1, 2, 3};
  Program program({3}, 0);
  const int x = program.input(a.data(), {1});
  program.output(program.map(TD_OP_square, TD_FLOAT32, TD_FLOAT32, {x}), a.data(), {1});
  ASSERT_EQ(program.run(), TD_OK) << program.error.message;
  EXPECT_EQ(a, (std::vector<float>{1, 4, 9}));
}

TEST(ReferenceProgram, RefusesAKernelThatDoesNotExist) {
  const c64 z = 1;
  c64 result;
  Program program({1}, 0);
  const int x = program.input(&z, {0});
  program.output(program.map(TD_OP_floor, TD_COMPLEX64, TD_COMPLEX64, {x}), &result, {0});
  EXPECT_EQ(program.run(), TD_NOT_SUPPORTED);
  EXPECT_STREQ(program.error.message, "floor has no kernel for complex64");
}

// Kinds of dtypes as ops.def names them, and the rows of ops.def.
constexpr unsigned TD_B = 1, TD_I = 2, TD_F = 4, TD_C = 8;
struct Row {
  int number;
  unsigned kinds;
};
#define TD_OP(name, arity, types, ...) {TD_OP_##name, types},
constexpr Row operations[] = {
#include <tandem/ops.def>
};
#define TD_REDUCTION(name, types, ...) {TD_REDUCE_##name, types},
constexpr Row reductions[] = {
#include <tandem/ops.def>
};

unsigned kind_of(int dtype) {
  if (dtype == TD_BOOL) return TD_B;
  if (dtype >= TD_COMPLEX64) return TD_C;
  return dtype >= TD_FLOAT16 ? TD_F : TD_I;
}

// Bit patterns with NaN, infinities, zeros and the extremes of the integers in many dtypes at once.
constexpr uint64_t patterns[] = {0, ~uint64_t{0}, 0x8000800080008000, 0x7fffffffffffffff, 0x7c007c007c007c00,
                                 0xff80ff80ff80ff80, 0x3c003f803f800001, 0x7ff07ff07ff07ff0, 0x0101010101010101};

TEST(ReferenceProgram, EveryRowOfTheTableHasItsKernelsForAnyBits) {
  for (int dtype = 0; dtype < TD_DTYPE_COUNT; ++dtype) {
    for (const Row& row : operations) {
      for (const uint64_t first : patterns) {
        for (const uint64_t second : patterns) {
          c128 result;
          Program program({1}, 0);
          const int x = program.constant(std::array{first, second}, static_cast<td_dtype>(dtype));
          const int y = program.constant(std::array{second, first}, static_cast<td_dtype>(dtype));
          program.output(program.map(static_cast<td_op>(row.number), static_cast<td_dtype>(dtype), TD_COMPLEX128,
                                     {x, y, y, x}),
                         &result, {0});
          const td_status expected = (row.kinds & kind_of(dtype)) != 0 ? TD_OK : TD_NOT_SUPPORTED;
          ASSERT_EQ(program.run(), expected) << "operation " << row.number << ", dtype " << dtype;
        }
      }
    }
  }
}

// ---- reductions ----

TEST(ReferenceReduction, EveryRowOfTheTableHasItsKernels) {
  for (int dtype = 0; dtype < TD_DTYPE_COUNT; ++dtype) {
    for (const Row& row : reductions) {
      c128 result;
      Program program({3}, 1);
      const int x = program.constant(c128(), static_cast<td_dtype>(dtype));
      const int reduced = program.reduce(static_cast<td_reduction>(row.number), static_cast<td_dtype>(dtype),
                                         TD_COMPLEX128, x);
      program.output(reduced, &result, {0});
      const td_status expected = (row.kinds & kind_of(dtype)) != 0 ? TD_OK : TD_NOT_SUPPORTED;
      ASSERT_EQ(program.run(), expected) << "reduction " << row.number << ", dtype " << dtype;
    }
  }
}

TEST(ReferenceReduction, EachOne) {
  EXPECT_EQ((reduce_vector<int64_t, int64_t>(TD_REDUCE_sum, {1, 2, 3, 4})), 10);
  EXPECT_EQ((reduce_vector<uint64_t, uint64_t>(TD_REDUCE_prod, {3, 5, 7})), 105u);
  EXPECT_EQ((reduce_vector<int8_t, int8_t>(TD_REDUCE_max, {-3, 5, -128})), 5);
  EXPECT_EQ((reduce_vector<int8_t, int8_t>(TD_REDUCE_min, {-3, 5, -128})), -128);
  EXPECT_EQ((reduce_vector<float, int64_t>(TD_REDUCE_argmax, {1, 7, 7, 2})), 1);
  EXPECT_EQ((reduce_vector<float, int64_t>(TD_REDUCE_argmin, {1, 7, -7, -7})), 2);
  EXPECT_EQ((reduce_vector<c64, c64>(TD_REDUCE_sum, {{1, 2}, {3, -5}})), c64(4, -3));
  EXPECT_EQ((reduce_vector<c64, c64>(TD_REDUCE_prod, {{0, 1}, {0, 1}, {2, 0}})), c64(-2, 0));
  EXPECT_EQ((reduce_vector<c64, c64>(TD_REDUCE_max, {{1, 9}, {2, -1}, {2, 1}})), c64(2, 1));

  const std::array<bool, 3> flags = {true, false, true};
  std::array<bool, 2> results = {true, false};
  Program program({3}, 1);
  const int x = program.input(flags.data(), {1});
  program.output(program.reduce(TD_REDUCE_all, TD_BOOL, TD_BOOL, x), &results[0], {0});
  program.output(program.reduce(TD_REDUCE_any, TD_BOOL, TD_BOOL, x), &results[1], {0});
  ASSERT_EQ(program.run(), TD_OK) << program.error.message;
  EXPECT_EQ(results, (std::array<bool, 2>{false, true}));
}

TEST(ReferenceReduction, NanWinsAndZerosAreOrderedOrEqual) {
  EXPECT_TRUE(std::isnan(reduce_vector<float, float>(TD_REDUCE_max, {1, nan, 3})));
  EXPECT_TRUE(std::isnan(reduce_vector<float, float>(TD_REDUCE_min, {1, nan, 3})));
  EXPECT_EQ((reduce_vector<float, int64_t>(TD_REDUCE_argmax, {1, nan, inf, nan})), 1);
  EXPECT_EQ((reduce_vector<float, int64_t>(TD_REDUCE_argmin, {-inf, 1, nan, nan})), 2);
  EXPECT_FALSE(std::signbit(reduce_vector<float, float>(TD_REDUCE_max, {-0.0f, 0.0f, -0.0f})));
  EXPECT_TRUE(std::signbit(reduce_vector<float, float>(TD_REDUCE_min, {0.0f, -0.0f, 0.0f})));
  EXPECT_EQ((reduce_vector<float, int64_t>(TD_REDUCE_argmax, {-0.0f, 0.0f})), 0);
  EXPECT_EQ((reduce_vector<float, int64_t>(TD_REDUCE_argmin, {0.0f, -0.0f})), 0);
  EXPECT_TRUE(std::signbit(reduce_vector<float, float>(TD_REDUCE_sum, {-0.0f, -0.0f})));
  EXPECT_EQ((reduce_vector<c64, int64_t>(TD_REDUCE_argmax, {{.5f, 3.7f}, {.7f, nan}, {nan, -3.9f}})), 1);
}

TEST(ReferenceReduction, ComplexProductsSkipAbsentLanes) {
  const c64 product = reduce_vector<c64, c64>(TD_REDUCE_prod, {{inf, 0}});
  EXPECT_EQ(product, c64(inf, 0));
}

TEST(ReferenceReduction, SixElementsInTheDocumentedOrder) {
  EXPECT_EQ((reduce_vector<float, float>(TD_REDUCE_sum, {1e8f, 1, 1, 1, -1e8f, 1})), 4);
}

// The tree again, as recursive functions from the definition: what leaf, lane and level hold.
float lane(const std::vector<float>& e, std::size_t leaf, std::size_t j) {
  const std::size_t end = std::min(e.size(), 4096 * (leaf + 1));
  float result = -0.0f;
  for (std::size_t i = 4096 * leaf + j; i < end; i += 128) result = result + e[i];
  return result;
}
float halves(const std::vector<float>& e, std::size_t leaf, std::size_t j, std::size_t width) {
  if (width == 128) return lane(e, leaf, j);
  return halves(e, leaf, j, 2 * width) + halves(e, leaf, j + width, 2 * width);
}
float pairs(const std::vector<float>& e, std::size_t level, std::size_t i) {
  if (level == 0) return halves(e, i, 0, 1);
  const std::size_t below = ((e.size() + 4095) / 4096 + (1u << (level - 1)) - 1) >> (level - 1);
  const float left = pairs(e, level - 1, 2 * i);
  return 2 * i + 1 < below ? left + pairs(e, level - 1, 2 * i + 1) : left;
}

TEST(ReferenceReduction, SumsFollowTheTree) {
  for (const std::size_t length : {1, 2, 127, 128, 129, 4095, 4096, 4097, 12288, 20000}) {
    std::vector<float> row(length);
    uint32_t state = 12345;
    for (float& x : row) {
      state = state * 1664525u + 1013904223u;
      x = std::ldexp(static_cast<float>(static_cast<int32_t>(state)), -31) * static_cast<float>(1 << (state % 20));
    }
    std::size_t top = 0;
    while ((std::size_t{4096} << top) < length) ++top;
    EXPECT_EQ((reduce_vector<float, float>(TD_REDUCE_sum, row)), pairs(row, top, 0)) << length;
  }
}

TEST(ReferenceReduction, RowsOverStridedAxesWithPrologueAndEpilogue) {
  const std::vector<double> a = {1, 2, 3, 4, 5, 6};  // (2, 3): means of squares of the columns, last column first
  std::vector<double> result(3);
  Program program({3, 2}, 1);
  const int x = program.input(a.data() + 2, {-1, 3});
  const int two = program.constant(2.0);
  const int squares = program.map(TD_OP_square, TD_FLOAT64, TD_FLOAT64, {x});
  const int sum = program.reduce(TD_REDUCE_sum, TD_FLOAT64, TD_FLOAT64, squares);
  program.output(program.map(TD_OP_divide, TD_FLOAT64, TD_FLOAT64, {sum, two}), result.data(), {1, 77});
  ASSERT_EQ(program.run(), TD_OK) << program.error.message;
  EXPECT_EQ(result, (std::vector<double>{22.5, 14.5, 8.5}));
}

TEST(ReferenceReduction, RowValueCountsOncePerPosition) {
  const std::vector<int64_t> weights = {5, 7};
  std::vector<int64_t> result(2);
  Program program({2, 4}, 1);
  const int x = program.input(weights.data(), {1, 0});
  program.output(program.reduce(TD_REDUCE_sum, TD_INT64, TD_INT64, x), result.data(), {1, 0});
  ASSERT_EQ(program.run(), TD_OK) << program.error.message;
  EXPECT_EQ(result, (Ints{20, 28}));
}

TEST(ReferenceReduction, StagedSoftmax) {
  const std::vector<double> a = {0, std::log(2.0), std::log(5.0), 1000, 1000, -inf};
  std::vector<double> softmax(6), largest(2);
  Program program({2, 3}, 1);
  const int x = program.input(a.data(), {3, 1});
  const int max = program.reduce(TD_REDUCE_max, TD_FLOAT64, TD_FLOAT64, x);
  const int shifted = program.map(TD_OP_subtract, TD_FLOAT64, TD_FLOAT64, {x, max});
  const int power = program.map(TD_OP_exp, TD_FLOAT64, TD_FLOAT64, {shifted});
  const int sum = program.reduce(TD_REDUCE_sum, TD_FLOAT64, TD_FLOAT64, power);
  program.output(program.map(TD_OP_divide, TD_FLOAT64, TD_FLOAT64, {power, sum}), softmax.data(), {3, 1});
  program.output(max, largest.data(), {1, 1});
  ASSERT_EQ(program.run(), TD_OK) << program.error.message;
  const std::vector<double> expected = {1.0 / 8, 2.0 / 8, 5.0 / 8, 0.5, 0.5, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(softmax[i], expected[i], 1e-15) << i;
  EXPECT_EQ(largest, (std::vector<double>{std::log(5.0), 1000}));
}

TEST(ReferenceReduction, RowInputMayBeTheRowOutput) {
  const std::vector<float> a = {1, 2, 3};
  float total = 100;
  std::vector<float> shifted(3);
  Program program({3}, 1);
  const int x = program.input(a.data(), {1});
  const int before = program.input(&total, {0});
  const int sum = program.reduce(TD_REDUCE_sum, TD_FLOAT32, TD_FLOAT32, x);
  program.output(program.map(TD_OP_add, TD_FLOAT32, TD_FLOAT32, {before, sum}), &total, {0});
  program.output(program.map(TD_OP_add, TD_FLOAT32, TD_FLOAT32, {x, before}), shifted.data(), {1});
  ASSERT_EQ(program.run(), TD_OK) << program.error.message;
  EXPECT_EQ(total, 106);
  EXPECT_EQ(shifted, (std::vector<float>{101, 102, 103}));
}

// ---- matmul ----

TEST(ReferenceMatmul, BroadcastAndReversedOperands) {
  const std::vector<float> a = {1, 2, 3, 4}, b = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<float> c(8, nan);
  td_error error{};
  ASSERT_EQ(table().matmul(device(), View(a.data(), {2, 2, 2}, {0, 2, 1}), View(b.data() + 7, {2, 2, 2}, {-4, -2, -1}),
                           View(c.data(), {2, 2, 2}, {4, 2, 1}), TD_PRECISION_FULL, &error),
            TD_OK);
  EXPECT_EQ(c, (std::vector<float>{20, 17, 48, 41, 8, 5, 20, 13}));
}

TEST(ReferenceMatmul, IntegersWrapAndBoolsAreOrOfAnds) {
  const std::vector<uint8_t> a = {200, 100}, b = {2, 1};
  std::vector<uint8_t> c(1);
  td_error error{};
  ASSERT_EQ(table().matmul(device(), View(a.data(), {1, 2}, {2, 1}), View(b.data(), {2, 1}, {1, 1}),
                           View(c.data(), {1, 1}, {1, 1}), TD_PRECISION_FULL, &error),
            TD_OK);
  EXPECT_EQ(c[0], 244);

  const std::array<bool, 4> p = {true, true, false, true}, q = {true, false, true, false};
  std::array<bool, 4> r{};
  ASSERT_EQ(table().matmul(device(), View(p.data(), {2, 2}, {2, 1}), View(q.data(), {2, 2}, {2, 1}),
                           View(r.data(), {2, 2}, {2, 1}), TD_PRECISION_FULL, &error),
            TD_OK);
  EXPECT_EQ(r, (std::array<bool, 4>{true, false, true, false}));
}

TEST(ReferenceMatmul, HalfAccumulatesInFloatAndZeroTimesInfinityIsNan) {
  // 2048 + 1 + 1: float16 alone would stay at 2048.
  const std::vector<Half> a = {{0x6800}, {0x3C00}, {0x3C00}}, ones = {{0x3C00}, {0x3C00}, {0x3C00}};
  Half c{};
  td_error error{};
  ASSERT_EQ(table().matmul(device(), View(a.data(), {1, 3}, {3, 1}), View(ones.data(), {3, 1}, {1, 1}),
                           View(&c, {1, 1}, {1, 1}), TD_PRECISION_FULL, &error),
            TD_OK);
  EXPECT_EQ(c.bits, 0x6801);  // 2050

  const std::vector<float> zero = {0, 1}, infinite = {inf, 1};
  float d = 0;
  ASSERT_EQ(table().matmul(device(), View(zero.data(), {1, 2}, {2, 1}), View(infinite.data(), {2, 1}, {1, 1}),
                           View(&d, {1, 1}, {1, 1}), TD_PRECISION_FULL, &error),
            TD_OK);
  EXPECT_TRUE(std::isnan(d));
}

// ---- sort ----

template <class T>
Ints sorted_indices(const std::vector<T>& x, bool descending) {
  const int64_t n = static_cast<int64_t>(x.size());
  Ints indices(x.size(), -1);
  td_error error{};
  EXPECT_EQ(table().sort(device(), View(x.data(), {n}, {1}), descending, nullptr, View(indices.data(), {n}, {1}),
                         &error),
            TD_OK);
  return indices;
}

TEST(ReferenceSort, StableWithNanLast) {
  const std::vector<float> x = {nan, 0.0f, 3, -0.0f, -inf, 3, nan, inf};
  EXPECT_EQ(sorted_indices(x, false), (Ints{4, 1, 3, 2, 5, 7, 0, 6}));
  EXPECT_EQ(sorted_indices(x, true), (Ints{7, 2, 5, 1, 3, 4, 0, 6}));
}

TEST(ReferenceSort, ComplexInNumPysOrder) {
  const std::vector<c64> z = {{nan, nan}, {nan, 1}, {1, nan}, {2, 0}, {1, 5}, {1, 3}, {nan, 0}, {0, nan}};
  EXPECT_EQ(sorted_indices(z, false), (Ints{5, 4, 3, 7, 2, 6, 1, 0}));
  EXPECT_EQ(sorted_indices(z, true), (Ints{3, 4, 5, 2, 7, 1, 6, 0}));
}

TEST(ReferenceSort, RowsOfAStridedView) {
  const std::vector<int32_t> x = {4, 1, 6, 2, 9, 3};  // (3, 2), sorted along its first axis, last column first
  std::vector<int32_t> values(6);
  Ints indices(6);
  td_error error{};
  ASSERT_EQ(table().sort(device(), View(x.data() + 1, {2, 3}, {-1, 2}), 0, View(values.data(), {2, 3}, {3, 1}),
                         View(indices.data(), {2, 3}, {3, 1}), &error),
            TD_OK);
  EXPECT_EQ(values, (std::vector<int32_t>{1, 2, 3, 4, 6, 9}));
  EXPECT_EQ(indices, (Ints{0, 1, 2, 0, 1, 2}));
}

// ---- random ----

td_random draw(td_distribution distribution, uint64_t offset) {
  td_random random{};
  random.distribution = distribution;
  random.offset = offset;
  random.high = 1;
  return random;
}

TEST(ReferenceRandom, BitsArePhilox) {
  // Known answer of Philox4x32-10 for a counter and key of zeros (Random123, kat_vectors).
  std::vector<uint32_t> words(4);
  std::vector<uint64_t> pairs(2);
  td_error error{};
  const td_random random = draw(TD_RANDOM_BITS, 0);
  ASSERT_EQ(table().random(device(), &random, View(words.data(), {4}, {1}), &error), TD_OK);
  ASSERT_EQ(table().random(device(), &random, View(pairs.data(), {2}, {1}), &error), TD_OK);
  EXPECT_EQ(words, (std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(pairs, (std::vector<uint64_t>{0xe169c58d6627e8d5, 0x9b00dbd8bc57ac4c}));
}

TEST(ReferenceRandom, ElementsDependOnTheirIndexAlone) {
  for (const td_distribution distribution : {TD_RANDOM_UNIFORM, TD_RANDOM_NORMAL}) {
    std::vector<float> whole(11), part(6);
    td_error error{};
    const td_random all = draw(distribution, 0), some = draw(distribution, 5);
    ASSERT_EQ(table().random(device(), &all, View(whole.data(), {11}, {1}), &error), TD_OK);
    ASSERT_EQ(table().random(device(), &some, View(part.data(), {2, 3}, {3, 1}), &error), TD_OK);
    EXPECT_EQ(part, std::vector<float>(whole.begin() + 5, whole.end()));
  }
}

TEST(ReferenceRandom, MomentsAndRanges) {
  const int64_t n = 20000;
  std::vector<double> uniform(n), normal(n);
  std::vector<int8_t> dice(n);
  td_error error{};
  td_random random = draw(TD_RANDOM_UNIFORM, 0);
  ASSERT_EQ(table().random(device(), &random, View(uniform.data(), {n}, {1}), &error), TD_OK);
  random = draw(TD_RANDOM_NORMAL, 0);
  ASSERT_EQ(table().random(device(), &random, View(normal.data(), {n}, {1}), &error), TD_OK);
  random = draw(TD_RANDOM_INTEGERS, 0);
  random.low_int = -3;
  random.span = 6;
  ASSERT_EQ(table().random(device(), &random, View(dice.data(), {n}, {1}), &error), TD_OK);
  double mean = 0, square = 0;
  std::array<int, 6> counts{};
  for (int64_t i = 0; i < n; ++i) {
    EXPECT_TRUE(uniform[i] >= 0 && uniform[i] < 1) << i;
    mean += uniform[i] / n;
    square += normal[i] * normal[i] / n;
    ASSERT_TRUE(dice[i] >= -3 && dice[i] < 3) << i;
    ++counts[dice[i] + 3];
  }
  EXPECT_NEAR(mean, 0.5, 0.01);
  EXPECT_NEAR(square, 1, 0.05);
  for (const int count : counts) EXPECT_NEAR(count, n / 6.0, 300);
}

TEST(ReferenceRandom, RefusesDtypesWithoutTheDistribution) {
  int32_t x = 0;
  td_error error{};
  const td_random random = draw(TD_RANDOM_NORMAL, 0);
  EXPECT_EQ(table().random(device(), &random, View(&x, {1}, {1}), &error), TD_NOT_SUPPORTED);
  EXPECT_STREQ(error.message, "there is no such distribution of int32");
}

// ---- cholesky ----

TEST(ReferenceCholesky, LowerAndUpperOfAKnownMatrix) {
  const double unread = std::nan("");
  const std::vector<double> lower = {4, unread, unread, 12, 37, unread, -16, -43, 98};
  const std::vector<double> upper = {4, 12, -16, unread, 37, -43, unread, unread, 98};
  std::vector<double> l(9, unread);
  td_error error{};
  ASSERT_EQ(table().cholesky(device(), View(lower.data(), {3, 3}, {3, 1}), 0, View(l.data(), {3, 3}, {3, 1}), &error),
            TD_OK);
  EXPECT_EQ(l, (std::vector<double>{2, 0, 0, 6, 1, 0, -8, 5, 3}));
  ASSERT_EQ(table().cholesky(device(), View(upper.data(), {3, 3}, {3, 1}), 1, View(l.data(), {3, 3}, {3, 1}), &error),
            TD_OK);
  EXPECT_EQ(l, (std::vector<double>{2, 6, -8, 0, 1, 5, 0, 0, 3}));
}

TEST(ReferenceCholesky, ComplexMatrix) {
  const std::vector<c128> a = {4, {0, 2}, {0, -2}, 5};
  std::vector<c128> l(4);
  td_error error{};
  ASSERT_EQ(table().cholesky(device(), View(a.data(), {2, 2}, {2, 1}), 0, View(l.data(), {2, 2}, {2, 1}), &error),
            TD_OK);
  EXPECT_EQ(l, (std::vector<c128>{2, 0, {0, -1}, 2}));
  ASSERT_EQ(table().cholesky(device(), View(a.data(), {2, 2}, {2, 1}), 1, View(l.data(), {2, 2}, {2, 1}), &error),
            TD_OK);
  EXPECT_EQ(l, (std::vector<c128>{2, {0, 1}, 0, 2}));
}

TEST(ReferenceCholesky, NamesTheMatrixThatHasNone) {
  const std::vector<double> a = {1, 0, 0, 1, 1, 2, 2, 1};
  std::vector<double> l(8);
  td_error error{};
  EXPECT_EQ(table().cholesky(device(), View(a.data(), {2, 2, 2}, {4, 2, 1}), 0,
                             View(l.data(), {2, 2, 2}, {4, 2, 1}), &error),
            TD_SINGULAR);
  EXPECT_STREQ(error.message, "matrix 1 of the batch is not positive definite (leading minor 2)");
  const double not_a_number = std::nan("");
  EXPECT_EQ(table().cholesky(device(), View(&not_a_number, {1, 1}, {1, 1}), 0, View(l.data(), {1, 1}, {1, 1}), &error),
            TD_SINGULAR);
}

// ---- memory and the rest of the table ----

TEST(ReferenceMemory, AlignedCountedAndLimited) {
  td_error error{};
  td_memory_stats before{}, during{}, after{};
  ASSERT_EQ(table().memory_stats(device(), &before, &error), TD_OK);
  void* pointer = nullptr;
  ASSERT_EQ(table().allocate(device(), 100, &pointer, &error), TD_OK);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) % TD_ALIGNMENT, 0u);
  std::memset(pointer, 1, 100 + TD_PADDING);
  ASSERT_EQ(table().memory_stats(device(), &during, &error), TD_OK);
  EXPECT_EQ(during.used_bytes, before.used_bytes + 100);
  EXPECT_EQ(during.allocations, before.allocations + 1);
  EXPECT_GE(during.peak_bytes, during.used_bytes);

  ASSERT_EQ(table().set_memory_limit(device(), during.used_bytes + 50, &error), TD_OK);
  void* more = nullptr;
  EXPECT_EQ(table().allocate(device(), 51, &more, &error), TD_OUT_OF_MEMORY);
  EXPECT_NE(std::string(error.message).find("51 bytes"), std::string::npos) << error.message;
  ASSERT_EQ(table().set_memory_limit(device(), 0, &error), TD_OK);
  EXPECT_EQ(table().allocate(device(), std::numeric_limits<int64_t>::max(), &more, &error), TD_OUT_OF_MEMORY);

  table().free(device(), pointer, 100);
  ASSERT_EQ(table().memory_stats(device(), &after, &error), TD_OK);
  EXPECT_EQ(after.used_bytes, before.used_bytes);
}

TEST(ReferenceMemory, ThreadsShareTheDevice) {
  const auto work = [] {
    for (int i = 0; i < 200; ++i) {
      void* pointer = nullptr;
      td_error error{};
      ASSERT_EQ(table().allocate(device(), 64, &pointer, &error), TD_OK);
      const std::vector<float> row = {1, 2, 3};
      EXPECT_EQ((reduce_vector<float, float>(TD_REDUCE_sum, row)), 6);
      table().free(device(), pointer, 64);
    }
  };
  td_memory_stats before{}, after{};
  td_error error{};
  ASSERT_EQ(table().memory_stats(device(), &before, &error), TD_OK);
  std::thread other(work);
  work();
  other.join();
  ASSERT_EQ(table().memory_stats(device(), &after, &error), TD_OK);
  EXPECT_EQ(after.used_bytes, before.used_bytes);
  EXPECT_EQ(after.allocations, before.allocations + 400);
}

TEST(ReferenceTable, HeadDevicesAndEvents) {
  EXPECT_EQ(table().abi_version, TD_ABI_VERSION);
  EXPECT_EQ(table().struct_size, sizeof(td_backend));
  EXPECT_STREQ(table().name, "reference");
  int32_t count = 0;
  td_error error{};
  ASSERT_EQ(table().device_count(&count, &error), TD_OK);
  EXPECT_EQ(count, 1);
  td_device* none = nullptr;
  EXPECT_EQ(table().open_device(1, &none, &error), TD_INVALID_ARGUMENT);
  EXPECT_EQ(none, nullptr);

  td_event *begin = nullptr, *end = nullptr;
  ASSERT_EQ(table().event_create(device(), &begin, &error), TD_OK);
  ASSERT_EQ(table().event_create(device(), &end, &error), TD_OK);
  ASSERT_EQ(table().event_record(device(), begin, &error), TD_OK);
  ASSERT_EQ(table().event_record(device(), end, &error), TD_OK);
  double seconds = -1;
  ASSERT_EQ(table().event_elapsed(device(), begin, end, &seconds, &error), TD_OK);
  EXPECT_GE(seconds, 0);
  table().event_destroy(device(), begin);
  table().event_destroy(device(), end);
}

}  // namespace
