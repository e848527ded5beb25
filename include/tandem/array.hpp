// tandem::Array: an n-dimensional array on a CPU or a GPU, with value semantics.
//
// Copying is O(1); slices, transposes and broadcasts share memory, and writing copies first if anyone else can see the
// memory. Elementwise functions and reductions only record what to compute: chains of them run as one pass when a
// value is needed (a host read, a function that is not elementwise, eval()). An expression owns its operands, so
// returning `a + b` from a function is always safe.
//
//     td::Array a = td::arange(12).reshape({3, 4});
//     td::Array b = a(td::all, td::slice(0, 2)) * 2.5;   // float64, shape (3, 2)
//     a(0) = 7;                                          // b is not changed
//     double total = td::sum(b).item<double>();
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tandem/counted.hpp>
#include <tandem/device.hpp>
#include <tandem/dtype.hpp>
#include <tandem/error.hpp>
#include <tandem/export.hpp>
#include <tandem/scalar_value.hpp>
#include <tandem/shape.hpp>
#include <tandem/standard.hpp>

namespace tandem {

class View;

namespace detail {
struct Node;
struct Selection;
TANDEM_API void retain(Node* node) noexcept;
TANDEM_API void release(Node* node) noexcept;
TANDEM_API void retain(const Selection* selection) noexcept;
TANDEM_API void release(const Selection* selection) noexcept;

/// A node of the expression graph.
using NodePtr = CountedPtr<Node>;
/// The places that an index with arrays names.
using SelectionPtr = CountedPtr<const Selection>;
}  // namespace detail

/// One part of an index: an integer, slice(...), all, ellipsis or newaxis; an array of integers, which picks elements; a
/// bool array or a bool, which picks where it is true.
class Index {
 public:
  enum class Kind : std::uint8_t { integer, slice, ellipsis, newaxis, boolean, array };
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Index(T i) noexcept : kind(Kind::integer), start(static_cast<std::int64_t>(i)), stop(none), step(1) {}
  template <std::same_as<bool> T>
  Index(T condition) noexcept : kind(Kind::boolean), start(condition), stop(none), step(1) {}
  Index(const class Array& indices);
  explicit constexpr Index(Kind k) noexcept : kind(k), start(none), stop(none), step(1) {}
  Index() noexcept {}

  static constexpr std::int64_t none = INT64_MIN;  // a bound left open
  /// Whether it is more than a view: see Array::operator().
  bool is_advanced() const noexcept { return kind >= Kind::boolean; }

  Kind kind;
  std::int64_t start, stop, step;
  detail::NodePtr array;  // for kind array
};

/// An open bound of a slice, as in `slice(none, 5)`.
inline constexpr std::nullopt_t none = std::nullopt;

/// Python's start:stop:step. Bounds may be negative (from the end), lie outside (clipped) or be `none`; a step of 0
/// throws Error when the index is used.
inline Index slice(std::optional<std::int64_t> start, std::optional<std::int64_t> stop = {}, std::int64_t step = 1) noexcept {
  Index i(Index::Kind::slice);
  i.start = start.value_or(Index::none);
  i.stop = stop.value_or(Index::none);
  i.step = step;
  return i;
}

/// Every axis that the other parts of the index leave over.
inline constinit const Index ellipsis{Index::Kind::ellipsis};
/// A new axis of length 1.
inline constinit const Index newaxis{Index::Kind::newaxis};

struct AllTag {
  /// Index: the whole axis, as in `a(all, 0)`.
  operator Index() const noexcept { return slice(none, none); }
  // tandem::all is the reduction, too: see reductions.hpp for operator().
  TANDEM_API class Array operator()(class Array x, const struct ReduceOptions& options) const;
  TANDEM_API class Array operator()(class Array x) const;
};
/// In an index, the whole axis; called, the reduction "whether all elements are true".
inline constexpr AllTag all{};

/// Where and as what a creation function makes its array; unset: see each function.
struct ArrayOptions {
  std::optional<DType> dtype = {};
  std::optional<Device> device = {};
};

/// Nested braces of numbers, as in `array({{1, 2}, {3, 4}})`.
class TANDEM_API NestedList {
 public:
  template <class T>
    requires(std::is_arithmetic_v<T>)
  NestedList(T value) : NestedList(Scalar(value)) {}
  template <class T>
  NestedList(std::complex<T> value) : NestedList(Scalar(value)) {}
  NestedList(std::initializer_list<NestedList> items) : items_(items), is_list_(true) {}
  bool is_list() const noexcept { return is_list_; }
  const std::vector<NestedList>& items() const noexcept { return items_; }
  const Scalar& value() const noexcept { return value_; }

 private:
  explicit NestedList(Scalar value) : value_(value) {}
  std::vector<NestedList> items_;
  Scalar value_ = false;
  bool is_list_ = false;
};

/// An n-dimensional array. See the head of this file.
class TANDEM_API Array {
 public:
  /// A 0-d float64 zero on the default device.
  Array();
  /// A 0-d array of the scalar: bool, int64, float64 or complex128 on the default device.
  explicit Array(const Scalar& value);
  /// Copies a contiguous host array in; `shape` defaults to one axis. The dtype is T's. Throws Error if the sizes differ.
  template <Element T>
  Array(std::span<const T> values, const std::optional<Shape>& shape = {}, const ArrayOptions& options = {})
      : Array(from_host(values.data(), dtype_of_v<T>, shape ? *shape : Shape{static_cast<std::int64_t>(values.size())},
                        static_cast<std::int64_t>(values.size()), options)) {}
  /// A view of memory that somebody else owns, writable through this array; `owner` is released with the last array
  /// that uses it. Strides count elements. Where the device shares no memory with the host, `data` must be its own.
  /// Throws Error for addresses that are null or not aligned to the dtype, and for bad shapes and strides.
  static Array adopt(void* data, DType dtype, const Shape& shape, const Shape& strides, std::shared_ptr<void> owner,
                     const Device& device = "cpu");
  /// Likewise of memory that must not change: writing to the array copies it first.
  static Array adopt(const void* data, DType dtype, const Shape& shape, const Shape& strides,
                     std::shared_ptr<void> owner, const Device& device = "cpu");

  Array(const Array&) noexcept = default;
  Array(Array&&) noexcept = default;
  Array& operator=(const Array& other) & noexcept = default;
  Array& operator=(Array&& other) & noexcept = default;
  Array& operator=(const Array&) && = delete;   // `f(x)(0) = y` would be lost
  Array& operator=(Array&&) && = delete;
  ~Array() = default;

  DType dtype() const;
  Device device() const;
  const Shape& shape() const;
  int ndim() const { return shape().size(); }
  /// Number of elements.
  std::int64_t size() const;
  /// Length of an axis, negative ones from the end; throws IndexError outside.
  std::int64_t shape(int axis) const;
  /// size() times the bytes of one element.
  std::int64_t nbytes() const;
  /// Strides in elements; evaluates a pending expression.
  Shape strides() const;
  /// Whether the elements lie in memory in row-major order without gaps (evaluates).
  bool is_contiguous() const;
  /// Address of the first element, for reading, in the device's memory (evaluates; waits for nothing).
  const void* data() const;
  /// Address of the first element, for writing: copies first if anyone else can see the memory.
  void* mutable_data() &;

  /// Runs a pending expression now and returns the array itself.
  const Array& eval() const;
  /// Whether the value has been computed.
  bool is_evaluated() const;

  /// The value of an array with one element, cast to T as astype would; throws Error for any other size.
  template <Element T> T item() const {
    T value;
    copy_item(&value, dtype_of_v<T>);
    return value;
  }
  /// All elements in row-major order, cast to T.
  template <Element T> std::vector<T> to_vector() const {
    if constexpr (std::same_as<T, bool>) {
      std::vector<unsigned char> bytes(static_cast<std::size_t>(size()));
      copy_to_host("to_vector", bytes.data(), bool_, size());
      return std::vector<bool>(bytes.begin(), bytes.end());
    } else {
      std::vector<T> values(static_cast<std::size_t>(size()));
      copy_to_host("to_vector", values.data(), dtype_of_v<T>, size());
      return values;
    }
  }
  /// Copies all elements in row-major order, cast to T, into `target`; throws Error if the sizes differ.
  template <Element T> void copy_to(std::span<T> target) const {
    copy_to_host("copy_to", target.data(), dtype_of_v<T>, static_cast<std::int64_t>(target.size()));
  }
  /// Replaces all elements, in row-major order, by those of a host array; throws Error if the sizes differ.
  template <Element T> void copy_from(std::span<const T> source) & {
    copy_from_host(source.data(), dtype_of_v<T>, static_cast<std::int64_t>(source.size()));
  }
  /// True if the single element is not zero; throws Error for more or fewer elements, as NumPy does.
  explicit operator bool() const;

  /// The elements as another dtype (a new array; the same one if the dtype is the same). Floats go to integers by
  /// truncation, saturating, NaN to 0. Complex to real throws Error: take real(x).
  Array astype(DType dtype) const;
  /// The array on another device: a copy through host memory, or itself if it is there already.
  Array to(const Device& device) const;
  /// A contiguous copy with memory of its own.
  Array copy() const;
  /// Itself if contiguous, else a contiguous copy.
  Array contiguous() const;

  /// The same elements in another shape (row-major order); one length may be -1. A view where strides allow.
  Array reshape(const Shape& shape) const;
  /// Axes reversed (a view).
  Array transpose() const;
  /// Axes in the given order (a view); each axis exactly once.
  Array permute(const Shape& axes) const;
  /// Axes of length 1 removed: those given, else all (a view). Throws Error for an axis of another length.
  Array squeeze(const Axes& axes = {}) const;
  /// New axes of length 1 at these positions of the result (a view).
  Array expand_dims(const Axes& axes) const;
  /// The array repeated to a shape by stride 0 (a view).
  Array broadcast_to(const Shape& shape) const;
  /// The order of elements reversed along the axes, all by default (a view).
  Array flip(const Axes& axes = {}) const;
  /// One axis moved to another position (a view).
  Array moveaxis(int source, int destination) const;
  /// One dimension (a view if contiguous).
  Array ravel() const;
  /// transpose().
  Array T() const { return transpose(); }

  /// Indexing: integers, slices, `all`, `ellipsis`, `newaxis`, arrays of integers, bool arrays. On a variable the result
  /// can be assigned to and then writes into the array; on a temporary it is a plain array. Throws IndexError for an
  /// integer outside its axis or too many indices.
  ///
  /// Integers, slices, ellipsis and newaxis give a view. With an array among them the result is a copy, by NumPy's rules:
  /// - Index arrays, of any integer dtype and on the same device, broadcast together; negative ones count from the end.
  ///   What lies outside throws IndexError at once, and nothing is written.
  /// - A bool array stands for the positions at which it is true, in row-major order, along as many axes as it has, whose
  ///   lengths must be its own. A bool, or a 0-d bool array, adds an axis of length 1 or 0.
  /// - The axes of the broadcast index arrays take the place of the indexed ones if arrays and integers stand side by
  ///   side; if a slice, ellipsis or newaxis comes between them, they are the first axes of the result.
  /// - Assignment: where places are named more than once, the last value in row-major order of the index stays.
  ///   `a(index) += b` is `a(index) = a(index) + b`, so such places change once (add_at adds up).
  template <class... I>
    requires(std::convertible_to<const I&, Index> && ...)
  View operator()(const I&... index) &;
  template <class... I>
    requires(std::convertible_to<const I&, Index> && ...)
  Array operator()(const I&... index) const& {
    const Index list[] = {Index(index)..., ellipsis};
    return subscript({list, sizeof...(I)});
  }
  template <class... I>
    requires(std::convertible_to<const I&, Index> && ...)
  Array operator()(const I&... index) && {
    return std::as_const(*this)(index...);
  }
  /// The same with an index whose number of parts is known at run time.
  View at(std::span<const Index> index) &;
  Array at(std::span<const Index> index) const& { return subscript(index); }
  Array at(std::span<const Index> index) && { return subscript(index); }

  /// `a += b` is `a = a + b` in the dtype and shape of a; throws Error if b's kind is higher (int += float) or if the
  /// shape would change.
  Array& operator+=(const class Operand& b) &;
  Array& operator-=(const class Operand& b) &;
  Array& operator*=(const class Operand& b) &;
  Array& operator/=(const class Operand& b) &;
  Array& operator%=(const class Operand& b) &;
  Array& operator&=(const class Operand& b) &;
  Array& operator|=(const class Operand& b) &;
  Array& operator^=(const class Operand& b) &;
  Array& operator<<=(const class Operand& b) &;
  Array& operator>>=(const class Operand& b) &;

  /// For the library itself and its tests.
  const detail::NodePtr& node() const& noexcept { return node_; }
  detail::NodePtr node() && noexcept { return std::move(node_); }
  explicit Array(detail::NodePtr node) noexcept : node_(std::move(node)) {}

 protected:
  friend class View;
  friend struct detail::Selection;
  /// The part of this array that `index` names. With `later` a copy is made when it is needed: not if it is assigned to.
  Array subscript(std::span<const Index> index, bool later = false) const;
  Array basic_subscript(std::span<const Index> index) const;
  Array contiguous_reshape(const Shape& shape) const;
  /// The part of this array that `index` names := value, or += value.
  void assign(std::span<const Index> index, const class Operand& value);
  void assign(const detail::Selection& selection, const class Operand& value, bool adds);
  Array assigned_value(const class Operand& value, const Shape& target) const;
  void copy_item(void* target, DType dtype) const;
  void copy_to_host(const char* caller, void* target, DType dtype, std::int64_t count) const;
  void copy_from_host(const void* source, DType dtype, std::int64_t count);
  static Array from_host(const void* values, DType dtype, const Shape& shape, std::int64_t count,
                         const ArrayOptions& options);

  detail::NodePtr node_;
};

/// An operand of an elementwise function: an array or a weak scalar. A temporary array gives up its node, so that an
/// expression does not look shared merely because its parts are still in scope.
class Operand {
 public:
  Operand(const Array& array) noexcept : array_(&array), scalar_(false) {}
  Operand(Array&& array) noexcept : array_(&array), temporary_(true), scalar_(false) {}
  template <class T>
    requires(std::convertible_to<const T&, Scalar> && !std::derived_from<T, Array>)
  Operand(const T& scalar) noexcept : scalar_(scalar) {}
  bool is_array() const noexcept { return array_ != nullptr; }
  const Array& array() const noexcept { return *array_; }
  const Scalar& scalar() const noexcept { return scalar_; }
  /// The array itself, moved out of a temporary; at most once.
  Array take() const noexcept {
    return temporary_ ? Array(std::move(const_cast<Array&>(*array_))) : Array(*array_);
  }

 private:
  const Array* array_ = nullptr;
  bool temporary_ = false;
  Scalar scalar_;
};

/// What indexing a variable gives: an array for reading that, assigned to at once, writes into the variable.
class TANDEM_API View : public Array {
 public:
  /// `a(index) = value`: broadcasts and casts value to a's shape and dtype (floats to integers as astype), copies a
  /// first if its memory is shared. Overlap is safe: a(slice(1, none)) = a(slice(0, -1)) shifts.
  void operator=(const Operand& value) &&;
  void operator=(const Array& value) && { std::move(*this) = Operand(value); }
  void operator=(const View& value) && { std::move(*this) = Operand(value); }
  void operator+=(const Operand& b) &&;
  void operator-=(const Operand& b) &&;
  void operator*=(const Operand& b) &&;
  void operator/=(const Operand& b) &&;
  void operator%=(const Operand& b) &&;
  void operator&=(const Operand& b) &&;
  void operator|=(const Operand& b) &&;
  void operator^=(const Operand& b) &&;
  void operator<<=(const Operand& b) &&;
  void operator>>=(const Operand& b) &&;
  View(const View&) = delete;

 private:
  friend class Array;
  static constexpr std::size_t inline_count = 6;
  View(Array& base, std::span<const Index> index) : Array(base.subscript(index, true)), base_(&base), count_(index.size()) {
    if (keeps_selection()) return;
    if (count_ > inline_count)
      more_.assign(index.begin(), index.end());
    else
      for (std::size_t i = 0; i < count_; ++i) inline_[i] = index[i];
  }
  bool keeps_selection();
  Array* base_;
  std::size_t count_;
  Index inline_[inline_count];
  std::vector<Index> more_;  // in their place if there are more
  detail::SelectionPtr selection_;  // in place of the parts, if there are arrays among them
};

template <class... I>
  requires(std::convertible_to<const I&, Index> && ...)
View Array::operator()(const I&... index) & {
  const Index list[] = {Index(index)..., ellipsis};
  return View(*this, {list, sizeof...(I)});
}
inline View Array::at(std::span<const Index> index) & { return View(*this, index); }

inline Index::Index(const Array& indices) : kind(Kind::array), start(none), stop(none), step(1), array(indices.node()) {}

/// NumPy's text of an array: nested brackets, aligned columns, "..." beyond 1000 elements. `name` limits follow
/// set_print_options.
TANDEM_API std::ostream& operator<<(std::ostream& out, const Array& array);
TANDEM_API std::string to_string(const Array& array);

/// How arrays print, with NumPy's names and defaults.
struct PrintOptions {
  int precision = 8;    // digits after the point
  int threshold = 1000; // more elements than this are summarized
  int edgeitems = 3;    // items shown at each end of a summarized axis
  int linewidth = 75;   // characters
};
TANDEM_API void set_print_options(const PrintOptions& options);
TANDEM_API PrintOptions print_options();

}  // namespace tandem
