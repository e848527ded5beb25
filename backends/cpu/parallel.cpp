#include "parallel.hpp"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>

// ThreadSanitizer does not see the synchronization inside libgomp, so fork and join are announced to it by hand; the
// build keeps this file itself uninstrumented.
extern "C" {
[[gnu::weak]] void __tsan_acquire(void*);
[[gnu::weak]] void __tsan_release(void*);
}

namespace tandem::cpu {
namespace {

// libgomp's threads do not survive a fork, and a child that waited for them would wait forever.
std::atomic<bool> forked{false};
const int registered = pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });

void acquire(void* token) {
  if (__tsan_acquire) __tsan_acquire(token);
}

void release(void* token) {
  if (__tsan_release) __tsan_release(token);
}

}  // namespace

int largest_thread_count() noexcept {
  return forked.load(std::memory_order_relaxed) ? 1 : std::max(1, omp_get_max_threads());
}

int thread_count() noexcept { return omp_in_parallel() ? 1 : largest_thread_count(); }

OneThread::OneThread() noexcept : before_(omp_get_max_threads()) { omp_set_num_threads(1); }

OneThread::~OneThread() { omp_set_num_threads(before_); }

namespace detail {

void parallel_for(std::int64_t count, std::int64_t grain, void (*body)(void*, std::int64_t, std::int64_t),
                  void* context) {
  if (count <= 0) return;
  grain = std::max<std::int64_t>(grain, 1);
  const std::int64_t grains = (count + grain - 1) / grain;
  const int threads = grains == 1 ? 1 : int(std::min<std::int64_t>(thread_count(), grains));
  if (threads == 1) {
    body(context, 0, count);
    return;
  }
  char begin, end;  // tokens of the fork and the join
  release(&begin);
#pragma omp parallel num_threads(threads)
  {
    acquire(&begin);
    const std::int64_t n = omp_get_num_threads(), i = omp_get_thread_num();
    const std::int64_t first = grains * i / n * grain, last = std::min(grains * (i + 1) / n * grain, count);
    if (first < last) body(context, first, last);
    release(&end);
  }
  acquire(&end);
}

}  // namespace detail
}  // namespace tandem::cpu
