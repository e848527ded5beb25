// The block cache. Page faults are what makes fresh memory slow (2 GB/s against 10 GB/s a core), so blocks are kept and
// handed out again: small ones on lists of the thread, without lock or atomic operation, large ones, which are mapped in
// huge pages, on lists of the process.
#include <pthread.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "verbs.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace tandem::cpu {
namespace {

constexpr int64_t small_limit = 64 << 10;  // bytes of a block, padding included, from which the process's lists take over
constexpr int64_t huge_page = 2 << 20;
constexpr int64_t list_bytes = 256 << 10;  // kept per class and thread
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
  const int64_t step = std::max(int64_t{1} << (log2 - 3), int64_t{4096});
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
  void add(const Counters& other) {
    used.add(other.used.get());
    cached.add(other.cached.get());
    allocations.add(other.allocations.get());
    hits.add(other.hits.get());
  }
};

struct ThreadLists;

/// What all threads share; every field but `limit` is guarded by the mutex.
struct Process {
  std::mutex mutex;
  std::map<int64_t, std::vector<void*>> free_blocks;  // by class size
  std::vector<ThreadLists*> threads;
  Counters counters;  // of large blocks and of threads that have ended
  int64_t peak = 0;
  std::atomic<int64_t> limit{0};
  int64_t cache_limit;

  Process() {
    struct sysinfo system {};
    sysinfo(&system);
    cache_limit = int64_t(system.totalram) * int64_t(system.mem_unit) / 8;
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

struct Link {
  Link* next;
};

struct ThreadLists {
  Link* heads[small_classes] = {};
  int64_t kept[small_classes] = {};  // bytes
  Counters counters;
  bool ended = false;

  ThreadLists() {
    std::lock_guard lock(process().mutex);
    process().threads.push_back(this);
  }

  void drop_lists() {
    for (int i = 0; i < small_classes; ++i) {
      while (Link* link = heads[i]) {
        mark_live(link, small_class_size(i));
        heads[i] = link->next;
        std::free(link);
      }
      counters.cached.add(-kept[i]);
      kept[i] = 0;
    }
  }

  ~ThreadLists() {
    drop_lists();
    ended = true;
    Process& shared = process();
    std::lock_guard lock(shared.mutex);
    shared.counters.add(counters);
    std::erase(shared.threads, this);
  }
};

ThreadLists& lists() {
  static thread_local ThreadLists mine;
  return mine;
}

struct Totals {
  int64_t used = 0, cached = 0, allocations = 0, hits = 0;
  void add(const Counters& counters) {
    used += counters.used.get();
    cached += counters.cached.get();
    allocations += counters.allocations.get();
    hits += counters.hits.get();
  }
};

/// Sums under the lock.
Totals totals(Process& shared) {
  Totals sum;
  sum.add(shared.counters);
  for (const ThreadLists* thread : shared.threads) sum.add(thread->counters);
  shared.peak = std::max(shared.peak, sum.used);
  return sum;
}

void release_large(Process& shared) {
  for (auto& [size, blocks] : shared.free_blocks)
    for (void* block : blocks) {
      mark_live(block, size);
      munmap(block, size_t(size));
      shared.counters.cached.add(-size);
    }
  shared.free_blocks.clear();
}

void* map_block(int64_t size) {
  const int64_t alignment = size >= huge_page ? huge_page : 4096;
  const int64_t extra = alignment > 4096 ? alignment : 0;
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

/// Whether `bytes` more stay within the limit; drops what is cached otherwise, as that counts, too.
bool within_limit(Process& shared, int64_t bytes) {
  const int64_t limit = shared.limit.load(std::memory_order_relaxed);
  const int64_t used = totals(shared).used;
  return limit == 0 || bytes <= limit - used;
}

td_status out_of_memory(Process& shared, int64_t bytes, td_error* error) {
  const Totals sum = totals(shared);
  return fail(error, TD_OUT_OF_MEMORY, "out of memory: %lld bytes requested, %lld in use, %lld cached, limit %lld",
              static_cast<long long>(bytes), static_cast<long long>(sum.used),
              static_cast<long long>(sum.cached),
              static_cast<long long>(shared.limit.load(std::memory_order_relaxed)));
}

td_status allocate_small(int64_t bytes, void** pointer, td_error* error) {
  Process& shared = process();
  if (shared.limit.load(std::memory_order_relaxed)) {
    std::lock_guard lock(shared.mutex);
    if (!within_limit(shared, bytes)) return out_of_memory(shared, bytes, error);
  }
  const int index = small_class(bytes + TD_PADDING);
  const int64_t size = small_class_size(index);
  ThreadLists& mine = lists();
  if (Link* link = mine.heads[index]) {
    mark_live(link, bytes + TD_PADDING);
    mine.heads[index] = link->next;
    mine.kept[index] -= size;
    mine.counters.cached.add(-size);
    mine.counters.hits.add(1);
    *pointer = link;
  } else {
    *pointer = std::aligned_alloc(TD_ALIGNMENT, size_t(size));
    if (!*pointer) {
      std::lock_guard lock(shared.mutex);
      return out_of_memory(shared, bytes, error);
    }
  }
  mine.counters.used.add(bytes);
  mine.counters.allocations.add(1);
  return TD_OK;
}

void free_small(void* block, int64_t bytes) {
  const int index = small_class(bytes + TD_PADDING);
  const int64_t size = small_class_size(index);
  ThreadLists& mine = lists();
  mine.counters.used.add(-bytes);
  if (mine.ended || mine.kept[index] + size > list_bytes) {
    std::free(block);
    return;
  }
  mark_live(block, size);
  auto* link = static_cast<Link*>(block);
  link->next = mine.heads[index];
  mine.heads[index] = link;
  mine.kept[index] += size;
  mine.counters.cached.add(size);
  mark_cached(block, size);
}

td_status allocate_large(int64_t bytes, void** pointer, td_error* error) {
  Process& shared = process();
  std::lock_guard lock(shared.mutex);
  if (bytes > (int64_t{1} << 62) || !within_limit(shared, bytes)) return out_of_memory(shared, bytes, error);
  const int64_t size = large_class_size(bytes + TD_PADDING);
  if (auto found = shared.free_blocks.find(size); found != shared.free_blocks.end() && !found->second.empty()) {
    *pointer = found->second.back();
    found->second.pop_back();
    shared.counters.cached.add(-size);
    shared.counters.hits.add(1);
  } else {
    *pointer = map_block(size);
    if (!*pointer) {
      release_large(shared);
      *pointer = map_block(size);
    }
    if (!*pointer) return out_of_memory(shared, bytes, error);
  }
  mark_cached(*pointer, size);
  mark_live(*pointer, bytes + TD_PADDING);
  shared.counters.used.add(bytes);
  shared.counters.allocations.add(1);
  totals(shared);  // for the peak
  return TD_OK;
}

void free_large(void* block, int64_t bytes) {
  Process& shared = process();
  const int64_t size = large_class_size(bytes + TD_PADDING);
  std::lock_guard lock(shared.mutex);
  shared.counters.used.add(-bytes);
  // The oldest interest goes first where the cache is full: blocks of other sizes.
  if (shared.counters.cached.get() + size > shared.cache_limit) release_large(shared);
  if (size > shared.cache_limit) {
    mark_live(block, size);
    munmap(block, size_t(size));
    return;
  }
  shared.free_blocks[size].push_back(block);
  shared.counters.cached.add(size);
  mark_cached(block, size);
}

bool is_small(int64_t bytes) { return bytes + TD_PADDING <= small_limit; }

}  // namespace

td_status allocate(td_device*, int64_t bytes, void** pointer, td_error* error) {
  return bytes < small_limit && is_small(bytes) ? allocate_small(bytes, pointer, error)
                                                : allocate_large(bytes, pointer, error);
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
  const Totals sum = totals(shared);
  *stats = {sum.used, sum.cached, shared.peak, shared.limit.load(), sum.allocations, sum.hits};
  return TD_OK;
}

td_status trim(td_device*, td_error*) {
  lists().drop_lists();
  Process& shared = process();
  std::lock_guard lock(shared.mutex);
  release_large(shared);
  return TD_OK;
}

td_status set_memory_limit(td_device*, int64_t bytes, td_error*) {
  process().limit.store(std::max<int64_t>(bytes, 0), std::memory_order_relaxed);
  return TD_OK;
}

td_status copy(td_device*, td_copy_kind, void* to, const void* from, int64_t bytes, td_error*) {
  if (bytes <= small_limit) {
    std::memcpy(to, from, size_t(bytes));
    return TD_OK;
  }
  parallel_for(bytes, 1 << 20, [&](int64_t begin, int64_t end) {
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, size_t(end - begin));
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
