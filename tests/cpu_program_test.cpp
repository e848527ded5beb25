// The CPU backend's run_program against the reference backend's: random programs over random layouts, with the same bits
// wherever ops.def promises them, and the layouts and sizes at which the engine changes its ways.
#include <omp.h>

#include "../backends/cpu/verbs.hpp"
#include "random_programs.hpp"

namespace tandem::test {
namespace {

TEST(CpuProgram, RandomProgramsGiveTheBitsOfTheReference) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generator generator(seed);
    expect_same_as_reference(generator.program(), cpu::run_program);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

TEST(CpuProgram, StructuredLayoutsGiveTheBitsOfTheReference) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generator generator(seed);
    expect_same_as_reference(generator.structured(60000), cpu::run_program);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

using Bytes = std::vector<std::vector<char>>;

/// What a program gives with 1, 2, 3 and 5 threads, which must be the same.
Bytes run_with_threads(const Program& program) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const Bytes alone = program.run(cpu::run_program);
  for (int threads : {2, 3, 5}) {
    omp_set_num_threads(threads);
    EXPECT_EQ(program.run(cpu::run_program), alone) << threads << " threads\n" << program.text();
  }
  omp_set_num_threads(before);
  return alone;
}

Array filled(int dtype, const Shape& shape, const Shape& strides, uint64_t seed) {
  Array array = make_array(dtype, shape, strides);
  Generator(seed).fill(dtype, array.memory.get(), array.elements);
  return array;
}

// Rows of millions of elements are divided among threads by leaves.
TEST(CpuProgram, LongRowsDoNotDependOnThreads) {
  const Shape shape = {2, 700'001};
  for (const Shape& strides : {Shape{700'001, 1}, Shape{1, 2}, Shape{-700'003, -1}}) {
    Program program(shape, 1);
    const int x = program.add_input(filled(TD_FLOAT32, shape, strides, 1));
    const int y = program.add_input(filled(TD_FLOAT32, shape, strides, 2));
    const int count = program.add_constant(TD_FLOAT32, 700'001.0f);
    const int distance = program.map(TD_OP_subtract, TD_FLOAT32, {x, y});
    const int sum = program.reduce(TD_REDUCE_sum, TD_FLOAT32, program.map(TD_OP_square, TD_FLOAT32, {distance}));
    program.add_output(program.map(TD_OP_divide, TD_FLOAT32, {sum, count}), make_array(TD_FLOAT32, {2, 1}, {1, 0}));
    program.add_output(program.reduce(TD_REDUCE_max, TD_FLOAT32, x), make_array(TD_FLOAT32, {2, 1}, {1, 0}));
    program.add_output(program.reduce(TD_REDUCE_argmin, TD_FLOAT32, y), make_array(TD_INT64, {2, 1}, {1, 0}));
    program.add_output(distance, make_array(TD_FLOAT32, shape, strides));
    run_with_threads(program);
    expect_same_as_reference(program, cpu::run_program);
  }
}

TEST(CpuProgram, ManyRowsDoNotDependOnThreads) {
  const Shape shape = {3'000, 300};
  for (const Shape& strides : {Shape{300, 1}, Shape{1, 3'000}}) {
    Program program(shape, 1);
    const int x = program.add_input(filled(TD_FLOAT64, shape, strides, 3));
    const int largest = program.reduce(TD_REDUCE_max, TD_FLOAT64, x);
    const int distance = program.map(TD_OP_subtract, TD_FLOAT64, {x, largest});
    const int sum = program.reduce(TD_REDUCE_sum, TD_FLOAT64, distance);
    program.add_output(program.map(TD_OP_divide, TD_FLOAT64, {distance, sum}), make_array(TD_FLOAT64, shape, {300, 1}));
    run_with_threads(program);
    expect_same_as_reference(program, cpu::run_program);
  }
}

// Results of many megabytes are written past the caches, whole lines at a time.
TEST(CpuProgram, LargeResultsThatStartAnywhere) {
  const Shape shape = {1'500, 1'501}, strides = {1'504, 1};
  for (int first = 0; first < 3; ++first) {
    Program program(shape);
    const int x = program.add_input(filled(TD_FLOAT32, shape, {1'503, 1}, 4));
    const int y = program.add_input(filled(TD_FLOAT32, shape, first == 0 ? Shape{1, 1'500} : Shape{1'501, 1}, 5));
    const int two = program.add_constant(TD_FLOAT64, 2.0);
    int result = program.map(TD_OP_add, TD_FLOAT32, {x, y});
    if (first > 0) result = program.cast(TD_FLOAT32, TD_FLOAT64, result);
    if (first > 1) result = program.map(TD_OP_multiply, TD_FLOAT64, {result, two});
    Array out = make_array(program.dtype_of(result), {1'500, 1'504}, strides);
    out.first = first;
    program.add_output(result, std::move(out));
    run_with_threads(program);
    expect_same_as_reference(program, cpu::run_program);
  }
}

/// f of `count` elements of x from `first` on; exact memory on both sides.
std::vector<char> map_range(td_op op, int dtype, const std::vector<char>& x, int64_t first, int64_t count) {
  const int size = element_sizes[dtype], result = result_dtype(operations[op].result, dtype);
  Program program({count});
  Array in = make_array(dtype, {count}, {1});
  std::memcpy(in.memory.get(), x.data() + first * size, count * size);
  const int source = program.add_input(std::move(in));
  const std::vector<int> sources(operations[op].arity, source);
  program.add_output(program.map(op, dtype, sources), make_array(result, {count}, {1}));
  return program.run(cpu::run_program)[0];
}

// Vector functions and their scalar counterparts differ in the last bits, so the padding of blocks has to keep everything
// in vectors.
TEST(CpuProgram, ValuesDoNotDependOnTheirPlace) {
  constexpr int64_t n = 3'000;
  for (int op = 0; op < TD_OP_COUNT; ++op)
    for (int dtype : {TD_FLOAT32, TD_FLOAT64, TD_COMPLEX64, TD_COMPLEX128}) {
      if (!(operations[op].types & kind(dtype)) || op == TD_OP_where) continue;
      const int size = element_sizes[result_dtype(operations[op].result, dtype)];
      std::vector<char> x(n * element_sizes[dtype]);
      Generator(static_cast<uint64_t>(op)).fill(dtype, x.data(), n);
      const std::vector<char> whole = map_range(static_cast<td_op>(op), dtype, x, 0, n);
      for (int64_t first : {0, 1, 7, 64, 1'000})
        for (int64_t count : {1, 2, 15, 63, 64, 65, 100, 513, 1'999}) {
          const std::vector<char> part = map_range(static_cast<td_op>(op), dtype, x, first, count);
          ASSERT_EQ(part, std::vector<char>(whole.begin() + first * size, whole.begin() + (first + count) * size))
              << operations[op].name << " " << dtype_names[dtype] << " from " << first << ", " << count << " elements";
        }
    }
}

TEST(CpuProgram, AnOperationWithoutAKernelIsRefused) {
  Program program({5});
  const int x = program.add_input(make_array(TD_BOOL, {5}, {1}));
  const Array out = make_array(TD_BOOL, {5}, {1});
  const td_instruction sine{TD_MAP, TD_OP_sin, TD_BOOL, TD_BOOL, {static_cast<uint8_t>(x)}};
  const uint8_t dtype = TD_BOOL, output = 1;
  const int64_t shape = 5;
  const td_program text{1, 0, 1, 1, &dtype, nullptr, nullptr, &sine, &output, 1, 0, &shape};
  const td_operand in{program.inputs[0].data(), program.inputs[0].strides.data()};
  const td_operand to{out.data(), out.strides.data()};
  td_error error{};
  EXPECT_EQ(cpu::run_program(nullptr, &text, &in, &to, &error), TD_NOT_SUPPORTED);
  EXPECT_STREQ(error.message, "sin has no kernel for bool");
}

}  // namespace
}  // namespace tandem::test
