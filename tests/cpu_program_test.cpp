// The CPU backend's run_program against the reference backend's: random programs over random layouts, with the same bits
// wherever ops.def promises them, and the layouts and sizes at which the engine changes its ways.
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

}  // namespace
}  // namespace tandem::test
