// Small vectors of sizes: shapes, strides, axes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>

#include <tandem/export.hpp>

namespace tandem {

/// A list of at most 32 int64 that lives inline up to 6 entries: a shape, a list of strides or of axes.
class Shape {
 public:
  static constexpr int max_ndim = 32;

  Shape() noexcept = default;
  Shape(std::initializer_list<std::int64_t> values) : Shape(values.begin(), static_cast<int>(values.size())) {}
  Shape(std::span<const std::int64_t> values) : Shape(values.data(), static_cast<int>(values.size())) {}
  /// Throws Error for more than 32 entries.
  Shape(const std::int64_t* values, int count) {
    resize(count);
    for (int i = 0; i < count; ++i) data()[i] = values[i];
  }
  /// `count` entries of `value`.
  static Shape filled(int count, std::int64_t value) {
    Shape s;
    s.resize(count);
    for (auto& v : s) v = value;
    return s;
  }
  Shape(const Shape& other) : Shape(other.data(), other.size_) {}
  Shape(Shape&& other) noexcept { take(other); }
  Shape& operator=(const Shape& other) {
    if (this != &other) {
      resize(other.size_);
      for (int i = 0; i < size_; ++i) data()[i] = other.data()[i];
    }
    return *this;
  }
  Shape& operator=(Shape&& other) noexcept {
    if (this != &other) {
      delete[] heap_;
      take(other);
    }
    return *this;
  }
  ~Shape() { delete[] heap_; }

  int size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  std::int64_t* data() noexcept { return heap_ ? heap_ : inline_; }
  const std::int64_t* data() const noexcept { return heap_ ? heap_ : inline_; }
  std::int64_t& operator[](int i) noexcept { return data()[i]; }
  std::int64_t operator[](int i) const noexcept { return data()[i]; }
  std::int64_t* begin() noexcept { return data(); }
  std::int64_t* end() noexcept { return data() + size_; }
  const std::int64_t* begin() const noexcept { return data(); }
  const std::int64_t* end() const noexcept { return data() + size_; }

  /// New entries are undefined. Throws Error for more than 32.
  void resize(int count) {
    if (count > capacity()) grow(count);
    size_ = count;
  }
  void push_back(std::int64_t value) {
    resize(size_ + 1);
    data()[size_ - 1] = value;
  }

  friend bool operator==(const Shape& a, const Shape& b) noexcept {
    if (a.size_ != b.size_) return false;
    for (int i = 0; i < a.size_; ++i)
      if (a[i] != b[i]) return false;
    return true;
  }

 private:
  static constexpr int inline_capacity = 6;
  int capacity() const noexcept { return heap_ ? max_ndim : inline_capacity; }
  TANDEM_API void grow(int count);
  void take(Shape& other) noexcept {
    size_ = other.size_;
    heap_ = other.heap_;
    if (!heap_)
      for (int i = 0; i < size_; ++i) inline_[i] = other.inline_[i];
    other.heap_ = nullptr;
    other.size_ = 0;
  }

  int size_ = 0;
  std::int64_t* heap_ = nullptr;
  std::int64_t inline_[inline_capacity];
};

/// "(2, 3)", "(3,)", "()": as NumPy writes it.
TANDEM_API std::string to_string(const Shape& shape);
TANDEM_API std::ostream& operator<<(std::ostream& out, const Shape& shape);

/// The shape that all of them broadcast to; throws Error when they do not.
TANDEM_API Shape broadcast_shapes(std::span<const Shape> shapes);
inline Shape broadcast_shapes(std::initializer_list<Shape> shapes) {
  return broadcast_shapes(std::span<const Shape>(shapes.begin(), shapes.size()));
}

/// Axes of a reduction: none given means all. Negative ones count from the end.
class Axes {
 public:
  Axes() noexcept = default;
  Axes(int axis) : given_(true), axes_{axis} {}
  Axes(std::initializer_list<std::int64_t> axes) : given_(true), axes_(axes) {}
  Axes(const Shape& axes) : given_(true), axes_(axes) {}
  bool given() const noexcept { return given_; }
  const Shape& list() const noexcept { return axes_; }

 private:
  bool given_ = false;
  Shape axes_;
};

}  // namespace tandem
