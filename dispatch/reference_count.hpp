// What retain and release of a class count with, see CountedPtr.
#pragma once

#include <atomic>
#include <cstdint>

namespace tandem::detail {

/// References to an object that CountedPtr holds; a copy of the object has its own.
class ReferenceCount {
 public:
  ReferenceCount() noexcept = default;
  ReferenceCount(const ReferenceCount&) noexcept {}
  void add() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  /// Whether it was the last one.
  bool drop() noexcept { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

 private:
  std::atomic<std::int32_t> count_{1};
};

}  // namespace tandem::detail
