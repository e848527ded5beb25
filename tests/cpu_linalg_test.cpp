// The CPU backend's linear algebra: see linalg_verbs.hpp.
#include "../backends/cpu/verbs.hpp"
#include "linalg_verbs.hpp"

namespace tandem::test {

const Verbs verbs{nullptr, cpu::lu, cpu::solve, cpu::qr, cpu::svd, cpu::eigh, cpu::eig};

namespace {

TEST(CpuLinalg, MemoryForItsWorkMayBeMissing) {
  td_error error{};
  td_memory_stats stats{};
  ASSERT_EQ(cpu::memory_stats(nullptr, &stats, &error), TD_OK);
  Stack<double> a = random_stack<double>({400, 400}, 1), f({400, 400}, Stack<double>::columns), r = f;
  const td_view in = a.view(), q = f.view(), triangular = r.view();
  cpu::set_memory_limit(nullptr, stats.used_bytes + 100'000, &error);
  EXPECT_EQ(cpu::qr(nullptr, &in, &q, &triangular, &error), TD_OUT_OF_MEMORY);
  EXPECT_TRUE(std::string(error.message).starts_with("out of memory")) << error.message;
  cpu::set_memory_limit(nullptr, 0, &error);
  EXPECT_EQ(cpu::qr(nullptr, &in, &q, &triangular, &error), TD_OK);
}

}  // namespace
}  // namespace tandem::test
