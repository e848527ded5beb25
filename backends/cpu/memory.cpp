// The block cache. Page faults are what makes fresh memory slow (2 GB/s against 10 GB/s a core), so blocks are kept and
// handed out again: small ones on lists of the thread, without lock or atomic operation, large ones, which are mapped
// in huge pages, on lists of the process.
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <new>

#include "kernels.hpp"
#include "machine.hpp"
#include "verbs.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace tandem::cpu {
namespace {

constexpr int64_t small_limit = 64 << 10;  // bytes of the largest block on a thread's list, padding included
constexpr int64_t page = 4096, huge_page = 2 << 20;
constexpr int64_t list_bytes = 256 << 10;   // kept per class and thread
constexpr int64_t sampling_step = 1 << 20;  // a thread looks for a new peak after this much growth
constexpr int small_classes = 40;

// In cached blocks any access is a use after free; in live ones only the bytes asked for and their padding are valid.
void mark_cached([[maybe_unused]] void* block, [[maybe_unused]] int64_t size) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_poison_memory_region(block, size_t(size));
#endif
}
void mark_live([[maybe_unused]] void* block, [[maybe_unused]] int64_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(block, size_t(bytes));
#endif
}

/// Classes of small blocks: multiples of 64 up to 1 KiB, then four a power of two.
int small_class(int64_t size) {
  if (size <= 1024) return int((size + 63) / 64) - 1;
  const int log2 = int(std::bit_width(uint64_t(size - 1))) - 1;  // 2^log2 < size <= 2^(log2 + 1)
  return 16 + 4 * (log2 - 10) + int((size - 1) >> (log2 - 2) & 3);
}

int64_t small_class_size(int index) {
  if (index < 16) return 64 * (index + 1);
  const int log2 = 10 + (index - 16) / 4;
  return (int64_t{5} + (index - 16) % 4) << (log2 - 2);
}

/// Sizes of large blocks: eight a power of two, at least whole pages.
int64_t large_class_size(int64_t size) {
  const int log2 = int(std::bit_width(uint64_t(size - 1))) - 1;
  const int64_t step = std::max(int64_t{1} << (log2 - 3), page);
  return (size + step - 1) / step * step;
}

/// A counter that one thread writes and others read.
class Counter {
 public:
  void add(int64_t amount) { value_.store(get() + amount, std::memory_order_relaxed); }
  int64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

struct Counters {
  Counter used, cached, allocations, hits;
};

struct Totals {
  int64_t used = 0, cached = 0, allocations = 0, hits = 0;
  void add(const Counters& counters) {
    used += counters.used.get();
    cached += counters.cached.get();
    allocations += counters.allocations.get();
    hits += counters.hits.get();
  }
};

// ---- small blocks ----

/// The lists of one thread. Only that thread touches them; others read the counters. The blocks are named here, not
/// linked through themselves: taking one does not wait for its memory.
struct ThreadLists {
  static constexpr int most = 1024;

  int kept[small_classes] = {};
  Counters counters;
  int64_t peak_mark = 0;  // use of this thread at which to look for a new peak
  ThreadLists *next = nullptr, *previous = nullptr;
  void* blocks[small_classes][most];

  ThreadLists() {}  // leaves `blocks` alone: most of its pages are never needed

  void* take(int index, int64_t bytes) {
    if (kept[index] == 0) return nullptr;
    void* block = blocks[index][--kept[index]];
    mark_live(block, bytes);
    counters.cached.add(-small_class_size(index));
    counters.hits.add(1);
    return block;
  }

  bool keep(int index, void* block) {
    const int64_t size = small_class_size(index);
    if (kept[index] >= std::min<int64_t>(most, list_bytes / size)) return false;
    mark_cached(block, size);
    blocks[index][kept[index]++] = block;
    counters.cached.add(size);
    return true;
  }

  void drop() {
    for (int i = 0; i < small_classes; ++i)
      for (; kept[i] > 0; counters.cached.add(-small_class_size(i))) {
        void* block = blocks[i][--kept[i]];
        mark_live(block, small_class_size(i));
        std::free(block);
      }
  }
};

// ---- what all threads share ----

struct CachedBlock {
  void* pointer;
  uint64_t stamp;  // ascending in the order of being freed
};

/// Every field but the limits is guarded by the mutex.
struct Process {
  std::mutex mutex;
  std::map<int64_t, std::deque<CachedBlock>> free_blocks;  // by class size, oldest first
  uint64_t stamp = 0;
  ThreadLists* threads = nullptr;
  Counters counters;  // of large blocks and of threads that have ended
  int64_t peak = 0;
  std::atomic<int64_t> limit{0};
  const int64_t memory = machine_memory(), memory_and_swap = memory + machine_swap(), cache_limit = memory / 8;

  /// Sums of all threads; notes a new peak.
  Totals totals() {
    Totals sum;
    sum.add(counters);
    for (const ThreadLists* thread = threads; thread; thread = thread->next) sum.add(thread->counters);
    peak = std::max(peak, sum.used);
    return sum;
  }

  /// Gives large blocks back to the system, longest unused first, until at most `bytes` of them are kept.
  void shrink_to(int64_t bytes) {
    while (counters.cached.get() > bytes && !free_blocks.empty()) {
      auto oldest = free_blocks.begin();
      for (auto i = oldest; i != free_blocks.end(); ++i)
        if (i->second.front().stamp < oldest->second.front().stamp) oldest = i;
      unmap(oldest->second.front().pointer, oldest->first);
      counters.cached.add(-oldest->first);
      oldest->second.pop_front();
      if (oldest->second.empty()) free_blocks.erase(oldest);
    }
  }

  /// Takes the block of that size that was in use last, or null.
  void* take(int64_t size) {
    const auto found = free_blocks.find(size);
    if (found == free_blocks.end()) return nullptr;
    void* block = found->second.back().pointer;
    found->second.pop_back();
    if (found->second.empty()) free_blocks.erase(found);
    counters.cached.add(-size);
    counters.hits.add(1);
    return block;
  }

  /// Keeps a block, or gives it back to the system where it has no place.
  void keep(void* block, int64_t size) noexcept {
    try {
      if (size > cache_limit) return unmap(block, size);
      shrink_to(cache_limit - size);
      free_blocks[size].push_back({block, stamp++});
      counters.cached.add(size);
      mark_cached(block, size);
    } catch (const std::bad_alloc&) {
      if (const auto list = free_blocks.find(size); list != free_blocks.end() && list->second.empty())
        free_blocks.erase(list);
      unmap(block, size);
    }
  }

  /// Whether `bytes` more may be used. What is cached makes way for them.
  bool admits(int64_t bytes) {
    const Totals sum = totals();
    const int64_t set = limit.load(std::memory_order_relaxed);
    const int64_t room = (set ? std::min(set, memory_and_swap) : memory_and_swap) - sum.used;
    if (uint64_t(bytes) > uint64_t(std::max<int64_t>(room, 0))) return false;
    if (sum.cached > room - bytes) shrink_to(std::max<int64_t>(room - bytes, 0));
    return true;
  }

  td_status out_of_memory(int64_t bytes, td_error* error) {
    const Totals sum = totals();
    const auto number = [](int64_t x) { return static_cast<long long>(x); };
    return fail(error, TD_OUT_OF_MEMORY,
                "out of memory: %lld bytes requested, %lld in use, %lld cached, limit %lld (0: none), memory of the "
                "machine %lld",
                number(bytes), number(sum.used), number(sum.cached), number(limit.load()), number(memory));
  }

 private:
  static void unmap(void* block, int64_t size) noexcept {
    mark_live(block, size);
    munmap(block, size_t(size));
  }
};

Process& process() {
  static Process& shared = *[] {
    auto* created = new Process;
    pthread_atfork([] { process().mutex.lock(); }, [] { process().mutex.unlock(); }, [] { process().mutex.unlock(); });
    return created;
  }();
  return shared;
}

// ---- the lists of this thread ----

struct ThisThread {
  ThreadLists* lists;
  bool ended;
};

constinit thread_local ThisThread this_thread{nullptr, false};

/// Hands the lists of a thread back when it ends.
struct ThreadEnd {
  ~ThreadEnd() {
    ThreadLists* lists = this_thread.lists;
    this_thread = {nullptr, true};
    if (!lists) return;
    lists->drop();
    Process& shared = process();
    {
      std::lock_guard lock(shared.mutex);
      shared.counters.used.add(lists->counters.used.get());
      shared.counters.allocations.add(lists->counters.allocations.get());
      shared.counters.hits.add(lists->counters.hits.get());
      (lists->previous ? lists->previous->next : shared.threads) = lists->next;
      if (lists->next) lists->next->previous = lists->previous;
    }
    delete lists;
  }
};

[[gnu::noinline]] ThreadLists* make_lists() {
  static thread_local ThreadEnd end;
  static_cast<void>(&end);
  if (this_thread.ended) return nullptr;
  auto* created = new (std::nothrow) ThreadLists;
  if (!created) return nullptr;
  Process& shared = process();
  std::lock_guard lock(shared.mutex);
  created->next = shared.threads;
  if (shared.threads) shared.threads->previous = created;
  shared.threads = created;
  return this_thread.lists = created;
}

/// Null in the last moments of a thread, when others of its thread_local objects still free arrays.
ThreadLists* lists() { return this_thread.lists ? this_thread.lists : make_lists(); }

// ---- allocation ----

/// Counts a small block whose thread has no lists any more.
void count_late(int64_t used, int64_t allocations) {
  Process& shared = process();
  std::lock_guard lock(shared.mutex);
  shared.counters.used.add(used);
  shared.counters.allocations.add(allocations);
}

[[gnu::noinline]] void look_for_peak(ThreadLists& mine) {
  Process& shared = process();
  std::lock_guard lock(shared.mutex);
  shared.totals();
  mine.peak_mark = mine.counters.used.get() + sampling_step;
}

td_status allocate_small(int64_t bytes, void** pointer, td_error* error) {
  Process& shared = process();
  if (shared.limit.load(std::memory_order_relaxed)) {
    std::lock_guard lock(shared.mutex);
    if (!shared.admits(bytes)) return shared.out_of_memory(bytes, error);
  }
  const int index = small_class(bytes + TD_PADDING);
  ThreadLists* mine = lists();
  void* block = mine ? mine->take(index, bytes + TD_PADDING) : nullptr;
  if (!block) block = std::aligned_alloc(TD_ALIGNMENT, size_t(small_class_size(index)));
  if (!block) {
    std::lock_guard lock(shared.mutex);
    return shared.out_of_memory(bytes, error);
  }
  *pointer = block;
  if (!mine) {
    count_late(bytes, 1);
    return TD_OK;
  }
  mine->counters.used.add(bytes);
  mine->counters.allocations.add(1);
  if (mine->counters.used.get() > mine->peak_mark) look_for_peak(*mine);
  return TD_OK;
}

void free_small(void* block, int64_t bytes) {
  ThreadLists* mine = lists();
  if (!mine || !mine->keep(small_class(bytes + TD_PADDING), block)) std::free(block);
  if (!mine) return count_late(-bytes, 0);
  mine->counters.used.add(-bytes);
  if (mine->counters.used.get() < mine->peak_mark - 2 * sampling_step)
    mine->peak_mark = mine->counters.used.get() + sampling_step;
}

void* map_block(int64_t size) {
  const int64_t alignment = size >= huge_page ? huge_page : page;
  const int64_t extra = alignment > page ? alignment : 0;
  void* whole = mmap(nullptr, size_t(size + extra), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (whole == MAP_FAILED) return nullptr;
  const auto start = reinterpret_cast<uintptr_t>(whole);
  const uintptr_t aligned = (start + uintptr_t(alignment) - 1) / uintptr_t(alignment) * uintptr_t(alignment);
  if (aligned > start) munmap(whole, aligned - start);
  const uintptr_t tail = start + uintptr_t(size + extra) - (aligned + uintptr_t(size));
  if (tail > 0) munmap(reinterpret_cast<void*>(aligned + uintptr_t(size)), tail);
  if (extra) madvise(reinterpret_cast<void*>(aligned), size_t(size), MADV_HUGEPAGE);
  return reinterpret_cast<void*>(aligned);
}

/// First touch: pages come to the node of the thread that will use them, and the system clears them in parallel.
void touch(void* block, int64_t bytes) {
  if (bytes < 2 * huge_page || thread_count() == 1) return;
  parallel_for(bytes, huge_page, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += page) static_cast<volatile char*>(block)[i] = 0;
  });
}

td_status allocate_large(int64_t bytes, void** pointer, td_error* error) {
  Process& shared = process();
  void* block;
  int64_t size;
  {
    std::lock_guard lock(shared.mutex);
    if (!shared.admits(bytes)) return shared.out_of_memory(bytes, error);
    size = large_class_size(bytes + TD_PADDING);
    block = shared.take(size);
    shared.counters.used.add(bytes);
    shared.counters.allocations.add(1);
    shared.totals();
  }
  if (block) {
    mark_live(block, bytes + TD_PADDING);
  } else {
    block = map_block(size);
    if (!block) {
      std::lock_guard lock(shared.mutex);
      shared.shrink_to(0);
      block = map_block(size);
      if (!block) {
        shared.counters.used.add(-bytes);
        return shared.out_of_memory(bytes, error);
      }
    }
    mark_cached(block, size);
    mark_live(block, bytes + TD_PADDING);
    touch(block, bytes);
  }
  *pointer = block;
  return TD_OK;
}

void free_large(void* block, int64_t bytes) {
  Process& shared = process();
  std::lock_guard lock(shared.mutex);
  shared.counters.used.add(-bytes);
  shared.keep(block, large_class_size(bytes + TD_PADDING));
}

bool is_small(int64_t bytes) { return uint64_t(bytes) <= uint64_t(small_limit - TD_PADDING); }

}  // namespace

td_status allocate(td_device*, int64_t bytes, void** pointer, td_error* error) {
  return is_small(bytes) ? allocate_small(bytes, pointer, error) : allocate_large(bytes, pointer, error);
}

void free(td_device*, void* pointer, int64_t bytes) {
  if (is_small(bytes))
    free_small(pointer, bytes);
  else
    free_large(pointer, bytes);
}

td_status memory_stats(td_device*, td_memory_stats* stats, td_error*) {
  Process& shared = process();
  std::lock_guard lock(shared.mutex);
  const Totals sum = shared.totals();
  *stats = {sum.used, sum.cached, shared.peak, shared.limit.load(), sum.allocations, sum.hits};
  return TD_OK;
}

td_status trim(td_device*, td_error*) {
  const auto drop = [](int64_t, int64_t) {
    if (this_thread.lists) this_thread.lists->drop();
  };
  drop(0, 1);
  parallel_for(thread_count(), 1, drop);  // on each thread of the pool
  Process& shared = process();
  std::lock_guard lock(shared.mutex);
  shared.shrink_to(0);
  return TD_OK;
}

td_status set_memory_limit(td_device*, int64_t bytes, td_error*) {
  process().limit.store(std::max<int64_t>(bytes, 0), std::memory_order_relaxed);
  return TD_OK;
}

td_status copy(td_device*, td_copy_kind, void* to, const void* from, int64_t bytes, td_error*) {
  constexpr int64_t grain = 1 << 20, streaming_bytes = 8 << 20;
  const Movers& movers = *kernels().movers;
  parallel_for(bytes, grain, [&](int64_t begin, int64_t end) {
    char* target = static_cast<char*>(to) + begin;
    const char* source = static_cast<const char*>(from) + begin;
    if (bytes < streaming_bytes) {
      std::memcpy(target, source, size_t(end - begin));
    } else {
      movers.stream(target, source, end - begin);
      movers.fence();
    }
  });
  return TD_OK;
}

Scratch::Scratch(int64_t bytes) noexcept : data_(nullptr), bytes_(bytes) {
  td_error ignored;
  if (allocate(nullptr, bytes, &data_, &ignored) != TD_OK) data_ = nullptr;
}

Scratch::~Scratch() {
  if (data_) free(nullptr, data_, bytes_);
}

}  // namespace tandem::cpu
