// The CPU backend's block cache, copies and parallel loops.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "../backends/cpu/isa.hpp"
#include "../backends/cpu/machine.hpp"
#include "../backends/cpu/verbs.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace {

using namespace tandem;

td_memory_stats stats() {
  td_memory_stats result{};
  td_error error;
  EXPECT_EQ(cpu::memory_stats(nullptr, &result, &error), TD_OK);
  return result;
}

void trim() {
  td_error error;
  EXPECT_EQ(cpu::trim(nullptr, &error), TD_OK);
}

void set_limit(std::int64_t bytes) {
  td_error error;
  EXPECT_EQ(cpu::set_memory_limit(nullptr, bytes, &error), TD_OK);
}

char* allocate(std::int64_t bytes) {
  td_error error{};
  void* block = nullptr;
  EXPECT_EQ(cpu::allocate(nullptr, bytes, &block, &error), TD_OK) << error.message;
  return static_cast<char*>(block);
}

void release(void* block, std::int64_t bytes) { cpu::free(nullptr, block, bytes); }

long faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

constexpr std::int64_t KiB = 1 << 10, MiB = 1 << 20;
const std::int64_t sizes[] = {0, 1, 63, 64, 65, 400, 960, 961, 1000, 1024, 1025, 4095, 5000, 60 * KiB,
                              64 * KiB - 65, 64 * KiB - 64, 64 * KiB - 63, 64 * KiB, 64 * KiB + 1, 100'000,
                              2 * MiB - 64, 2 * MiB, 3 * MiB + 5, 17 * MiB};

TEST(Memory, BlocksAreAlignedPaddedAndApart) {
  for (const std::int64_t bytes : sizes) {
    char* a = allocate(bytes);
    char* b = allocate(bytes);
    for (char* block : {a, b}) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % TD_ALIGNMENT, 0u) << bytes;
    std::memset(a, 1, std::size_t(bytes + TD_PADDING));
    std::memset(b, 2, std::size_t(bytes + TD_PADDING));
    EXPECT_EQ(std::count(a, a + bytes + TD_PADDING, 1), bytes + TD_PADDING) << bytes;
    release(a, bytes);
    EXPECT_EQ(std::count(b, b + bytes + TD_PADDING, 2), bytes + TD_PADDING) << bytes;
    release(b, bytes);
  }
}

TEST(Memory, BlocksAreReused) {
  for (const std::int64_t bytes : sizes) {
    char* first = allocate(bytes);
    release(first, bytes);
    const td_memory_stats before = stats();
    char* second = allocate(bytes);
    EXPECT_EQ(first, second) << bytes;
    const td_memory_stats after = stats();
    EXPECT_EQ(after.allocations, before.allocations + 1);
    EXPECT_EQ(after.cache_hits, before.cache_hits + 1) << bytes;
    EXPECT_EQ(after.used_bytes, before.used_bytes + bytes);
    EXPECT_LT(after.cached_bytes, before.cached_bytes) << bytes;
    release(second, bytes);
    EXPECT_EQ(stats().used_bytes, before.used_bytes);
  }
}

TEST(Memory, NearSizesShareBlocks) {
  char* first = allocate(10'000'000);
  release(first, 10'000'000);
  char* second = allocate(9'900'000);
  EXPECT_EQ(first, second);
  release(second, 9'900'000);
}

TEST(Memory, ReusedBlocksFaultNoPages) {
  constexpr std::int64_t bytes = 16 * MiB;
  char* first = allocate(bytes);
  std::memset(first, 1, bytes);
  release(first, bytes);
  const long before = faults();
  for (int i = 0; i < 10; ++i) {
    char* block = allocate(bytes);
    std::memset(block, i, bytes);
    release(block, bytes);
  }
  EXPECT_LT(faults() - before, 100) << "of " << bytes / 4096 << " pages";
}

TEST(Memory, TrimGivesEverythingBack) {
  for (const std::int64_t bytes : sizes) release(allocate(bytes), bytes);
  cpu::parallel_for(64, 1, [](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) release(allocate(i), i);
  });
  EXPECT_GT(stats().cached_bytes, 0);
  trim();
  EXPECT_EQ(stats().cached_bytes, 0);
}

TEST(Memory, ThreadListsAreBounded) {
  trim();
  constexpr std::int64_t bytes = 1000;
  std::vector<char*> blocks(20'000);
  for (char*& block : blocks) block = allocate(bytes);
  EXPECT_GE(stats().used_bytes, 20'000 * bytes);
  for (char* block : blocks) release(block, bytes);
  EXPECT_LE(stats().cached_bytes, 256 * KiB);
}

TEST(Memory, TheCacheIsBounded) {
  trim();
  const std::int64_t bytes = MiB, cap = cpu::machine_memory() / 8;
  const std::int64_t count = std::min<std::int64_t>(cap / bytes + 100, 5000);
  std::vector<char*> blocks(static_cast<std::size_t>(count));
  for (char*& block : blocks) block = allocate(bytes);  // not touched: address space only
  for (char* block : blocks) release(block, bytes);
  EXPECT_LE(stats().cached_bytes, cap);
  EXPECT_GE(stats().cached_bytes, std::min(cap, count * bytes) - MiB);
  trim();
}

#if defined(__SANITIZE_ADDRESS__)
TEST(Memory, UseAfterFreeIsFound) {
  for (const std::int64_t bytes : sizes) {
    char* block = allocate(bytes);
    EXPECT_EQ(__asan_region_is_poisoned(block, std::size_t(bytes + TD_PADDING)), nullptr) << bytes;
    release(block, bytes);
    for (const std::int64_t place : {std::int64_t{0}, bytes / 2, bytes})
      EXPECT_TRUE(__asan_address_is_poisoned(block + place)) << bytes << " " << place;
  }
}
#endif

TEST(Memory, PeakIsRemembered) {
  const std::int64_t used = stats().used_bytes;
  char* block = allocate(40 * MiB);
  release(block, 40 * MiB);
  EXPECT_GE(stats().peak_bytes, used + 40 * MiB);
  EXPECT_EQ(stats().used_bytes, used);
}

TEST(Memory, PeakSeesSmallBlocks) {
  const std::int64_t used = stats().used_bytes, peak = stats().peak_bytes;
  std::vector<char*> blocks(static_cast<std::size_t>((peak - used) / 30'000 + 400));
  for (char*& block : blocks) block = allocate(30'000);
  const std::int64_t most = std::int64_t(blocks.size()) * 30'000;
  for (char* block : blocks) release(block, 30'000);
  EXPECT_GE(stats().peak_bytes, used + most - 2 * MiB);
  EXPECT_LE(stats().peak_bytes, used + most);
}

TEST(Memory, OtherThreadsMayFree) {
  const std::int64_t used = stats().used_bytes;
  std::vector<char*> blocks(2000);
  std::thread([&] {
    for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = allocate(std::int64_t(i) * 50);
  }).join();
  EXPECT_EQ(stats().used_bytes, used + 50 * 2000 * 1999 / 2);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < blocks.size(); i += 4) release(blocks[i], std::int64_t(i) * 50);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stats().used_bytes, used);
}

TEST(Memory, ManyThreadsAtOnce) {
  const std::int64_t used = stats().used_bytes;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        const std::int64_t bytes = (i * 7919 + t * 104'729) % (i % 50 == 0 ? 300'000 : 3000);
        char* block = allocate(bytes);
        std::memset(block, t, std::size_t(bytes));
        wrong += std::count(block, block + bytes, t) != bytes;
        release(block, bytes);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(stats().used_bytes, used);
}

// An object that dies after the thread's lists still gives its block back.
struct LateBlock {
  char* block = nullptr;
  ~LateBlock() {
    if (!block) return;
    release(block, 100);
    release(allocate(200), 200);
  }
};

TEST(Memory, ThreadsMayFreeWhileTheyEnd) {
  const std::int64_t used = stats().used_bytes;
  std::thread([] {
    static thread_local LateBlock late;  // constructed before the lists, so destroyed after them
    late.block = nullptr;
    late.block = allocate(100);
  }).join();
  EXPECT_EQ(stats().used_bytes, used);
}

TEST(Memory, LimitCountsWhatIsInUse) {
  trim();
  td_error error{};
  void* block = nullptr;
  set_limit(stats().used_bytes + 3 * MiB);
  EXPECT_EQ(cpu::allocate(nullptr, 4 * MiB, &block, &error), TD_OUT_OF_MEMORY);
  const std::string message = error.message;
  EXPECT_NE(message.find("4194304 bytes requested"), message.npos) << message;
  EXPECT_NE(message.find(std::to_string(stats().limit_bytes)), message.npos) << message;
  char* a = allocate(2 * MiB);
  EXPECT_EQ(cpu::allocate(nullptr, 2 * MiB, &block, &error), TD_OUT_OF_MEMORY);
  release(a, 2 * MiB);
  char* b = allocate(5 * MiB / 2);  // what is cached makes way
  EXPECT_LE(stats().cached_bytes + stats().used_bytes, stats().limit_bytes);
  std::vector<char*> small;
  while (cpu::allocate(nullptr, 1000, &block, &error) == TD_OK) small.push_back(static_cast<char*>(block));
  EXPECT_EQ(small.size(), std::size_t(MiB / 2 / 1000));
  for (char* each : small) release(each, 1000);
  release(b, 5 * MiB / 2);
  set_limit(0);
  release(allocate(4 * MiB), 4 * MiB);
}

TEST(Memory, AbsurdSizesAreRefused) {
  const td_memory_stats before = stats();
  for (const std::int64_t bytes : {INT64_MAX, INT64_MAX - 63, INT64_MAX / 2, std::int64_t{1} << 50, std::int64_t{-1},
                                   INT64_MIN, cpu::machine_memory() + cpu::machine_swap() + 1}) {
    td_error error{};
    void* block = nullptr;
    EXPECT_EQ(cpu::allocate(nullptr, bytes, &block, &error), TD_OUT_OF_MEMORY) << bytes;
    EXPECT_NE(std::string(error.message).find(std::to_string(bytes)), std::string::npos) << error.message;
  }
  EXPECT_EQ(stats().used_bytes, before.used_bytes);
}

TEST(Memory, AForkedChildGoesOn) {
  char* block = allocate(3 * MiB);
  std::vector<int> sums(100);
  const auto work = [&] {
    cpu::parallel_for(100, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        char* mine = allocate(100'000);
        sums[std::size_t(i)] = int(i);
        release(mine, 100'000);
      }
    });
  };
  work();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    work();
    release(block, 3 * MiB);
    _exit(cpu::thread_count() == 1 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  release(block, 3 * MiB);
}

TEST(Copy, AllSizesAndOffsets) {
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1000}, 3 * MiB + 7, 20 * MiB + 13})
    for (const std::int64_t offset : {0, 1, 40}) {
      std::vector<char> from(static_cast<std::size_t>(bytes + 100)), to(from.size(), 99);
      for (std::size_t i = 0; i < from.size(); ++i) from[i] = char(i * 31 >> 3);
      td_error error;
      ASSERT_EQ(cpu::copy(nullptr, TD_HOST_TO_DEVICE, to.data() + offset, from.data() + 3, bytes, &error), TD_OK);
      EXPECT_TRUE(std::equal(to.begin() + offset, to.begin() + offset + bytes, from.begin() + 3)) << bytes;
      EXPECT_EQ(std::count(to.begin(), to.begin() + offset, 99), offset);
      EXPECT_EQ(to[std::size_t(offset + bytes)], 99);
    }
}

TEST(Parallel, RangesCoverEverythingOnce) {
  for (const std::int64_t count : {0, 1, 5, 64, 1000, 1001})
    for (const std::int64_t grain : {0, 1, 7, 64, 5000}) {
      std::vector<int> visits(static_cast<std::size_t>(count));
      std::atomic<int> misaligned{0};
      cpu::parallel_for(count, grain, [&](std::int64_t begin, std::int64_t end) {
        misaligned += begin % std::max<std::int64_t>(grain, 1) != 0;
        for (std::int64_t i = begin; i < end; ++i) ++visits[std::size_t(i)];
      });
      EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), count) << grain;
      EXPECT_EQ(misaligned, 0);
    }
}

TEST(Parallel, NestedLoopsRunInline) {
  std::vector<int> visits(400);
  std::atomic<int> several{0};
  cpu::parallel_for(20, 1, [&](std::int64_t begin, std::int64_t end) {
    const bool nested = begin != 0 || end != 20;  // else there is one thread only
    for (std::int64_t i = begin; i < end; ++i)
      cpu::parallel_for(20, 1, [&](std::int64_t first, std::int64_t last) {
        several += nested && last - first != 20;
        for (std::int64_t j = first; j < last; ++j) ++visits[std::size_t(20 * i + j)];
      });
  });
  EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 400);
  EXPECT_EQ(several, 0);
}

TEST(Isa, EnvironmentCapsIt) {
  const char* cap = std::getenv("TANDEM_CPU_ISA");
  if (cap && (std::string(cap) == "v2" || std::string(cap) == "v3" || std::string(cap) == "v4")) {
    EXPECT_LE(std::string(cpu::name(cpu::isa())), cap);
  }
  EXPECT_STREQ(cpu::name(cpu::Isa::v2), "v2");
}

TEST(Machine, TellsItsMemory) {
  EXPECT_GT(cpu::machine_memory(), 64 * MiB);
  EXPECT_GE(cpu::machine_swap(), 0);
  EXPECT_FALSE(cpu::processor_name().empty());
}

}  // namespace
