// An owning pointer without <memory>; see standard.hpp.
#pragma once

#include <utility>

namespace tandem::detail {

/// Owning pointer to an object that counts its references: retain(T*) and release(T*), found beside T, of which the
/// last one destroys it.
template <class T>
class CountedPtr {
 public:
  constexpr CountedPtr() noexcept = default;
  explicit CountedPtr(T* adopted) noexcept : pointer_(adopted) {}
  CountedPtr(const CountedPtr& other) noexcept : pointer_(other.pointer_) {
    if (pointer_) retain(pointer_);
  }
  CountedPtr(CountedPtr&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  CountedPtr& operator=(CountedPtr other) noexcept { std::swap(pointer_, other.pointer_); return *this; }
  ~CountedPtr() {
    if (pointer_) release(pointer_);
  }
  T* get() const noexcept { return pointer_; }
  T* operator->() const noexcept { return pointer_; }
  T& operator*() const noexcept { return *pointer_; }
  explicit operator bool() const noexcept { return pointer_ != nullptr; }
  /// Gives the reference up to the caller.
  T* detach() noexcept { return std::exchange(pointer_, nullptr); }

 private:
  T* pointer_ = nullptr;
};

}  // namespace tandem::detail
