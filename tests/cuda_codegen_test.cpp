// The generator of CUDA kernels without a device: NVRTC compiles what it writes, and keys tell its texts apart.
// TANDEM_CODEGEN_PROGRAMS sets the number of random programs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "generator.hpp"
#include "kernel_cache.hpp"
#include "passes.hpp"
#include "random_programs.hpp"

namespace tandem::test {
namespace {

using namespace tandem::cuda;

constexpr Limits limits{132, 50 << 20};

/// Writes the kernels of programs instead of launching them.
class Writing final : public Executor {
 public:
  struct Kernel {
    std::string key, text;
  };

  td_status launch(const Work& work, const Roles& roles, const Plan& plan) override {
    Kernel kernel;
    encode(work, plan, &kernel.key);
    if (same_names_) {
      kernel.text = generate_kernel(work, roles, plan, kernel_name);
      kernels_.push_back(std::move(kernel));
    } else if (keys_.emplace(kernel.key, 0).second) {
      kernel.text = generate_kernel(work, roles, plan, "kernel_" + std::to_string(keys_.size()));
      kernels_.push_back(std::move(kernel));
    }
    return TD_OK;
  }
  void* scratch(std::int64_t bytes) override {
    memory_.emplace_back(static_cast<std::size_t>(bytes));
    return memory_.back().data();
  }

  /// All kernels get the same name, and each is written every time.
  void keep_all() { same_names_ = true; }
  void write(const Program& program) {
    program.run([&](td_device*, const td_program* p, const td_operand* in, const td_operand* out, td_error*) {
      return run_passes(limits, *p, in, out, *this);
    });
    memory_.clear();
  }
  const std::vector<Kernel>& kernels() const { return kernels_; }

 private:
  bool same_names_ = false;
  std::map<std::string, int> keys_;
  std::vector<Kernel> kernels_;
  std::list<std::vector<char>> memory_;
};

/// Compiles the kernels, many to a source.
void expect_compiles(const Writing& writing, int architecture) {
  constexpr std::size_t batch = 40;
  const std::vector<Writing::Kernel>& kernels = writing.kernels();
  for (std::size_t first = 0; first < kernels.size(); first += batch) {
    std::string source = std::string(device_text) + scalar_text + quick_text + prelude_text, cubin;
    std::string kernel_texts;
    for (std::size_t i = first; i < std::min(first + batch, kernels.size()); ++i) kernel_texts += kernels[i].text;
    td_error error{};
    const td_status status = compile(source + kernel_texts, architecture, &cubin, &error);
    if (status == TD_UNAVAILABLE) GTEST_SKIP() << error.message;
    ASSERT_EQ(status, TD_OK) << error.message << "\n" << kernel_texts;
    ASSERT_GT(cubin.size(), 0u);
  }
}

Array contiguous(int dtype, const Shape& shape) {
  Shape strides(shape.size());
  int64_t next = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; next *= shape[axis]) strides[axis] = next;
  return make_array(dtype, shape, strides);
}

class EveryDtype : public testing::TestWithParam<int> {};

TEST_P(EveryDtype, OperationsCompile) {
  const int dtype = GetParam();
  const Shape shape{64};
  Writing writing;
  for (int op = 0; op < TD_OP_COUNT; ++op) {
    if (!(operations[op].types & kind(dtype))) continue;
    Program program(shape);
    std::vector<int> sources;
    for (int k = 0; k < operations[op].arity; ++k)
      sources.push_back(program.add_input(contiguous(op == TD_OP_where && k == 0 ? int{TD_BOOL} : dtype, shape)));
    const int value = program.map(static_cast<td_op>(op), dtype, sources);
    program.add_output(value, contiguous(program.dtype_of(value), shape));
    writing.write(program);
  }
  expect_compiles(writing, 80);
  expect_compiles(writing, 90);
}

TEST_P(EveryDtype, CastsCompile) {
  const int dtype = GetParam();
  const Shape shape{64};
  Writing writing;
  for (int to = 0; to < TD_DTYPE_COUNT; ++to) {
    Program program(shape);
    const int value = program.cast(dtype, to, program.add_input(contiguous(dtype, shape)));
    program.add_output(value, contiguous(to, shape));
    writing.write(program);
  }
  expect_compiles(writing, 90);
}

// Over rows of one leaf, of several, and of several blocks; over columns.
TEST_P(EveryDtype, ReductionsCompile) {
  const int dtype = GetParam();
  Writing writing;
  for (int reduction = 0; reduction < TD_REDUCTION_COUNT; ++reduction) {
    if (!can_reduce(reduction, dtype)) continue;
    for (const Shape& shape : {Shape{8, 40}, Shape{2, 9000}, Shape{1, 300000}, Shape{64, 300}}) {
      Program program(shape, 1);
      Array input = contiguous(dtype, shape);
      if (shape[1] == 300) input = make_array(dtype, shape, {1, shape[0]});
      const int value =
          program.reduce(static_cast<td_reduction>(reduction), dtype, program.add_input(std::move(input)));
      program.add_output(value, make_array(program.dtype_of(value), {shape[0], 1}, {1, 0}));
      writing.write(program);
    }
  }
  expect_compiles(writing, 90);
}

INSTANTIATE_TEST_SUITE_P(Codegen, EveryDtype, testing::Range(0, int{TD_DTYPE_COUNT}),
                         [](const auto& info) { return std::string(dtype_names[info.param]); });

uint64_t program_count() {
  const char* const text = std::getenv("TANDEM_CODEGEN_PROGRAMS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 150;
}

TEST(CudaCodegen, RandomProgramsCompile) {
  Writing writing;
  for (uint64_t seed = 0; seed < program_count(); ++seed) {
    Generator generator(seed);
    writing.write(seed % 3 == 0 ? generator.program() : generator.structured(60000));
  }
  expect_compiles(writing, 80);
  expect_compiles(writing, 90);
}

TEST(CudaCodegen, EqualKeysMeanEqualTexts) {
  Writing writing;
  writing.keep_all();
  for (uint64_t seed = 0; seed < 10 * program_count(); ++seed) {
    Generator generator(seed);
    writing.write(seed % 2 == 0 ? generator.program() : generator.structured(3000));
  }
  std::map<std::string, std::string> texts;
  std::map<std::string, int> distinct;
  for (const Writing::Kernel& kernel : writing.kernels()) {
    const auto [found, is_new] = texts.emplace(kernel.key, kernel.text);
    ASSERT_EQ(found->second, kernel.text);
    ++distinct[kernel.text];
  }
  EXPECT_GT(distinct.size(), writing.kernels().size() / 2);
  EXPECT_LT(texts.size(), writing.kernels().size());  // the most common kernels occur more than once
}

// Lengths, strides and addresses are arguments.
TEST(CudaCodegen, SizesDoNotChangeTheKernel) {
  Writing writing;
  writing.keep_all();
  for (const int64_t n : {1000, 4096, 100000}) {
    const Shape shape{n};
    Program program(shape);
    const int a = program.add_input(contiguous(TD_FLOAT32, shape)),
              b = program.add_input(contiguous(TD_FLOAT32, shape));
    program.add_output(program.map(TD_OP_add, TD_FLOAT32, {a, b}), contiguous(TD_FLOAT32, shape));
    writing.write(program);
  }
  ASSERT_EQ(writing.kernels().size(), 3u);
  EXPECT_EQ(writing.kernels()[0].key, writing.kernels()[1].key);
  EXPECT_EQ(writing.kernels()[0].key, writing.kernels()[2].key);
}

TEST(CudaCodegen, AddReadsAndWritesSixteenBytesAtATime) {
  Writing writing;
  const Shape shape{4096};
  Program program(shape);
  const int a = program.add_input(contiguous(TD_FLOAT32, shape)), b = program.add_input(contiguous(TD_FLOAT32, shape));
  program.add_output(program.map(TD_OP_add, TD_FLOAT32, {a, b}), contiguous(TD_FLOAT32, shape));
  writing.write(program);
  ASSERT_EQ(writing.kernels().size(), 1u);
  EXPECT_NE(writing.kernels()[0].text.find("load_part<false, true, 4>(x0"), std::string::npos);
}

}  // namespace
}  // namespace tandem::test
