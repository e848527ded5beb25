// Blocks of threads as fibers of one thread of the host, run one block after the other: what stands behind the kernels
// that a test compiles for the host.
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tandem::test {

struct Index {
  unsigned x, y;
};
/// As in emulator/device.h.
struct Machine {
  Index thread, block, block_size;
  void (*synchronize)();
  unsigned (*shuffle)(unsigned word, int lane);
  void (*check)(const void* address, unsigned bytes);
};

/// Runs the threads of one block after the other, each until it waits for others.
class Blocks {
 public:
  static Blocks& instance() {
    static Blocks& blocks = *new Blocks;
    return blocks;
  }

  Machine machine{};
  std::vector<std::pair<const char*, const char*>> memory;  // that kernels may touch
  std::string failure;

  void run(void (*kernel)(void*), void* arguments, Index block_size, std::int64_t grid) {
    kernel_ = kernel;
    arguments_ = arguments;
    machine.block_size = block_size;
    for (std::int64_t block = 0; block < grid && failure.empty(); ++block) {
      machine.block = {static_cast<unsigned>(block), 0};
      run_block(block_size.x * block_size.y);
    }
  }

 private:
  static constexpr std::size_t stack_bytes = 256 << 10;
  struct Fiber {
    ucontext_t context;
    std::vector<char> stack;
    bool done;
    unsigned shuffles;  // so far
  };
  struct Warp {
    unsigned words[2][32];
    int waiting[2];
    unsigned shuffles;  // completed
  };

  Blocks() : fibers_(1024), warps_(32) {
    machine.synchronize = [] { instance().synchronize(); };
    machine.shuffle = [](unsigned word, int lane) { return instance().shuffle(word, lane); };
    machine.check = [](const void* address, unsigned bytes) { instance().check(address, bytes); };
  }

  static void enter() {
    Blocks& blocks = instance();
    blocks.kernel_(blocks.arguments_);
    blocks.fibers_[blocks.current_].done = true;
    --blocks.alive_;
    blocks.progress_ = true;
    blocks.release_if_all_wait();
    blocks.yield();
  }
  void yield() { swapcontext(&fibers_[current_].context, &scheduler_); }

  void run_block(unsigned threads) {
    alive_ = threads;
    waiting_ = 0;
    for (Warp& warp : warps_) warp = {};
    for (unsigned t = 0; t < threads; ++t) {
      Fiber& fiber = fibers_[t];
      fiber.stack.resize(stack_bytes);
      fiber.done = false;
      fiber.shuffles = 0;
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack.data();
      fiber.context.uc_stack.ss_size = fiber.stack.size();
      makecontext(&fiber.context, enter, 0);
    }
    while (alive_ > 0 && failure.empty()) {
      progress_ = false;
      for (unsigned t = 0; t < threads; ++t) {
        if (fibers_[t].done) continue;
        current_ = t;
        machine.thread = {t % machine.block_size.x, t / machine.block_size.x};
        swapcontext(&scheduler_, &fibers_[t].context);
      }
      if (!progress_) failure = "threads wait for one another";
    }
  }

  void release_if_all_wait() {
    if (waiting_ == 0 || waiting_ < alive_) return;
    waiting_ = 0;
    ++barriers_;
    progress_ = true;
  }
  void synchronize() {
    const unsigned barrier = barriers_;
    ++waiting_;
    release_if_all_wait();
    while (barriers_ == barrier) yield();
  }

  // Words of two successive shuffles are kept apart, for a thread may be one ahead of another.
  unsigned shuffle(unsigned word, int lane) {
    Warp& warp = warps_[current_ / 32];
    const unsigned number = fibers_[current_].shuffles++, slot = number % 2;
    warp.words[slot][current_ % 32] = word;
    if (++warp.waiting[slot] == 32) {
      warp.waiting[slot] = 0;
      ++warp.shuffles;
      progress_ = true;
    }
    while (warp.shuffles == number) yield();
    return warp.words[slot][lane];
  }

  // A vector may reach beyond what it was read for, but not lie outside altogether.
  void check(const void* address, unsigned bytes) {
    const char* const p = static_cast<const char*>(address);
    const bool aligned = reinterpret_cast<std::uintptr_t>(p) % bytes == 0;
    for (const auto& [begin, end] : memory)
      if (aligned && p + bytes > begin && p < end) return;
    failure = aligned ? "an access outside all arrays" : "a misaligned access";
    yield();
  }

  void (*kernel_)(void*) = nullptr;
  void* arguments_ = nullptr;
  std::vector<Fiber> fibers_;
  std::vector<Warp> warps_;
  ucontext_t scheduler_;
  unsigned current_ = 0, alive_ = 0, waiting_ = 0, barriers_ = 0;
  bool progress_ = false;
};

}  // namespace tandem::test
