// Generated CUDA kernels on the host: compiled by the host compiler, threads as fibers, compared with the reference
// backend bit by bit. Finds what compiling alone cannot: wrong indices, orders, synchronization, accesses outside and
// misaligned. TANDEM_EMULATED_PROGRAMS sets the number of random programs of each kind.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "emulator/blocks.hpp"
#include "generator.hpp"
#include "passes.hpp"
#include "random_programs.hpp"

namespace tandem::test {
namespace {

using namespace tandem::cuda;

const char* const emulator_text =
#include "emulator_text.inc"
    ;

/// A folder for kernels, with the text that they share compiled once.
class Workshop {
 public:
  static Workshop& instance() {
    static Workshop& workshop = *new Workshop;
    return workshop;
  }

  bool works() const { return works_; }

  /// Compiles a kernel, or returns the one that was compiled from the same text.
  void (*kernel(const std::string& text))(void*) {
    const auto [found, is_new] = kernels_.emplace(text, nullptr);
    if (!is_new) return found->second;
    const std::string name = folder_ + "/kernel" + std::to_string(kernels_.size());
    const std::string parts = std::string("tandem::scalar::") + kernel_name + "_parts::";
    std::ofstream(name + ".cpp") << "#include \"shared.hpp\"\n"
                                 << text << "extern \"C\" void run(void* arguments) { " << parts << kernel_name
                                 << "(*static_cast<" << parts << "Arguments*>(arguments)); }\n";
    if (!compile(name + ".cpp", "-shared -o " + name + ".so")) return nullptr;
    void* const library = dlopen((name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    *static_cast<Machine**>(dlsym(library, "tandem_machine")) = &Blocks::instance().machine;
    std::filesystem::remove(name + ".so");
    return found->second = reinterpret_cast<void (*)(void*)>(dlsym(library, "run"));
  }

 private:
  Workshop() {
    folder_ = (std::filesystem::temp_directory_path() / "tandem-kernels-XXXXXX").string();
    if (mkdtemp(folder_.data()) == nullptr) return;
    std::atexit([] { std::filesystem::remove_all(instance().folder_); });
    std::ofstream(folder_ + "/shared.hpp") << emulator_text << scalar_text << quick_text << prelude_text;
    works_ = compile(folder_ + "/shared.hpp", "-o " + folder_ + "/shared.hpp.gch");
  }

  bool compile(const std::string& file, const std::string& options) {
    const std::string command = "\"${CXX:-c++}\" -std=c++17 -w -O0 -ffp-contract=off -fPIC -I " + folder_ + " " +
                                options + " " + file + " 2>> " + folder_ + "/log";
    return std::system(command.c_str()) == 0;
  }

  std::string folder_;
  bool works_ = false;
  std::map<std::string, void (*)(void*)> kernels_;
};

class Emulated final : public Executor {
 public:
  td_status launch(const Work& work, const Roles& roles, const Plan& plan) override {
    void (*const kernel)(void*) = Workshop::instance().kernel(generate_kernel(work, roles, plan, kernel_name));
    if (kernel == nullptr) return TD_INTERNAL;
    Arguments arguments(work, roles, plan);
    Blocks::instance().run(kernel, arguments.data(), {plan.block_x, plan.block_y}, plan.grid);
    return Blocks::instance().failure.empty() ? TD_OK : TD_INTERNAL;
  }
  void* scratch(std::int64_t bytes) override {
    std::vector<char>& block = memory_.emplace_back(static_cast<std::size_t>(bytes), static_cast<char>(0xcc));
    Blocks::instance().memory.emplace_back(block.data(), block.data() + bytes);
    return block.data();
  }

 private:
  std::list<std::vector<char>> memory_;
};

/// run_program of the emulated device, which has `multiprocessors`.
auto emulated(int multiprocessors) {
  return
      [=](td_device*, const td_program* program, const td_operand* inputs, const td_operand* outputs, td_error* error) {
        Blocks& blocks = Blocks::instance();
        blocks.memory.clear();
        blocks.failure.clear();
        const auto add = [&](const td_operand& operand, int dtype) {
          if (operand.data == nullptr) return;
          const char *begin = static_cast<const char*>(operand.data), *end = begin + element_sizes[dtype];
          for (int axis = 0; axis < program->ndim; ++axis) {
            const int64_t reach = (program->shape[axis] - 1) * operand.strides[axis] * element_sizes[dtype];
            (reach < 0 ? begin : end) += reach;
          }
          blocks.memory.emplace_back(begin, end);
        };
        const int first = program->n_inputs + program->n_constants;
        for (int i = 0; i < program->n_inputs; ++i) add(inputs[i], program->input_dtypes[i]);
        for (int i = 0; i < program->n_outputs; ++i) {
          const int value = program->outputs[i];
          add(outputs[i], value < program->n_inputs ? program->input_dtypes[value]
                          : value < first           ? program->constant_dtypes[value - program->n_inputs]
                                                    : program->instructions[value - first].result);
        }
        Emulated executor;
        const td_status status = run_passes({multiprocessors, 50 << 20}, *program, inputs, outputs, executor);
        if (status != TD_OK) std::snprintf(error->message, sizeof error->message, "%s", blocks.failure.c_str());
        return status;
      };
}

uint64_t program_count() {
  const char* const text = std::getenv("TANDEM_EMULATED_PROGRAMS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 40;
}

class CudaEmulation : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers do not follow fibers";
#endif
    if (!Workshop::instance().works()) GTEST_SKIP() << "there is no compiler for the kernels: set CXX";
  }

  template <class Make>
  void compare(int multiprocessors, Make make) {
    for (uint64_t seed = 0; seed < program_count(); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      Generator generator(seed);
      expect_same_as_reference(make(generator), emulated(multiprocessors));
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
  }
};

TEST_F(CudaEmulation, RandomPrograms) {
  compare(132, [](Generator& generator) { return generator.program(); });
}

TEST_F(CudaEmulation, StructuredLayouts) {
  compare(132, [](Generator& generator) { return generator.structured(60000); });
}

// As on a card so small that these programs fill it.
TEST_F(CudaEmulation, SmallCard) {
  compare(1, [](Generator& generator) { return generator.structured(8000); });
}

// The block that combines more than 256 partial results of a row.
TEST_F(CudaEmulation, ManyLeaves) {
  const Shape shape{2, 1100000};
  Program program(shape, 1);
  Array input = make_array(TD_FLOAT32, shape, {1, 2});
  Generator(7).fill(TD_FLOAT32, input.memory.get(), input.elements);
  const int source = program.add_input(std::move(input));
  program.add_output(program.reduce(TD_REDUCE_sum, TD_FLOAT32, source), make_array(TD_FLOAT32, {2, 1}, {1, 0}));
  program.add_output(program.reduce(TD_REDUCE_argmin, TD_FLOAT32, source), make_array(TD_INT64, {2, 1}, {1, 0}));
  expect_same_as_reference(program, emulated(132));
}

}  // namespace
}  // namespace tandem::test
