// The CPU backend's one way to use several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace tandem::cpu {

/// Threads that a parallel loop may use: OpenMP's maximum, 1 inside a parallel region and in a forked child.
int thread_count() noexcept;

/// Threads outside of any parallel region: what a library with threads of its own should use.
int largest_thread_count() noexcept;

/// While it lives, parallel loops of this thread run on this thread alone, and so do libraries that use OpenMP.
class OneThread {
 public:
  OneThread() noexcept;
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

namespace detail {
void parallel_for(std::int64_t count, std::int64_t grain, void (*body)(void*, std::int64_t, std::int64_t),
                  void* context);
}

/// Calls body(begin, end) on disjoint ranges that cover [0, count), each but the last a multiple of `grain` long. Runs
/// inline, without touching OpenMP, if count <= grain or there is one thread. body must not throw. Ranges are
/// assigned statically, so equal loops touch equal memory from equal threads.
template <class Body>
void parallel_for(std::int64_t count, std::int64_t grain, Body&& body) {
  using B = std::remove_reference_t<Body>;
  detail::parallel_for(
      count, grain,
      [](void* context, std::int64_t begin, std::int64_t end) { (*static_cast<B*>(context))(begin, end); },
      const_cast<void*>(static_cast<const void*>(std::addressof(body))));
}

}  // namespace tandem::cpu
