#include <tandem/array.hpp>
#include <tandem/elementwise.hpp>

#include <cstring>

#include "../functions/common.hpp"
#include "../program/program.hpp"
#include "../program/scalar_host.hpp"
#include "selection.hpp"
#include "shape_rules.hpp"

namespace tandem {

using detail::Node;
using detail::NodePtr;

namespace {

/// The node of an array that has not been moved from.
Node& node_of(const NodePtr& node) {
  if (!node) detail::fail("Array", "the array was moved from");
  return *node;
}

/// The same, evaluated because the user asks for it.
Node& ready_node(const char* function, const NodePtr& x) {
  Node& node = node_of(x);
  evaluate(function, node, detail::FlushReason::eval);
  return node;
}

/// Makes the memory of x its own, copying if anyone else can see it, and evaluates it first.
Node& own_memory(const char* function, NodePtr& x) {
  evaluate(function, node_of(x), detail::FlushReason::write);
  if (!is_writable(*x)) {
    NodePtr copy = detail::allocate_node(function, *x->device, x->dtype, x->shape);
    copy_view(function, *x->device, x->dtype, x->shape, x->data, x->strides, copy->data, copy->strides);
    x = std::move(copy);
  }
  return *x;
}

}  // namespace

Array::Array() : Array(Scalar(0.0)) {}

Array::Array(const Scalar& value)
    : Array(detail::constant_array("Array", detail::default_device(), {}, value, value.dtype())) {}

namespace {

NodePtr adopted_node(void* data, DType dtype, const Shape& shape, const Shape& strides, std::shared_ptr<void> owner,
                     const Device& device) {
  const std::int64_t count = detail::element_count("adopt", shape);
  if (shape.size() != strides.size())
    detail::fail("adopt", "shape " + to_string(shape) + " and strides " + to_string(strides) + " have different lengths");
  if (count > 0 && !data) detail::fail("adopt", "null is no address of " + std::to_string(count) + " elements");
  const auto alignment = static_cast<std::uintptr_t>(itemsize(real_dtype(dtype)));
  if (count > 0 && reinterpret_cast<std::uintptr_t>(data) % alignment != 0)
    detail::fail("adopt", "the address of elements of " + std::string(name(dtype)) + " is no multiple of " +
                              std::to_string(alignment));
  NodePtr node(new Node);
  node->dtype = dtype;
  node->device = device.state();
  node->shape = shape;
  node->strides = strides;
  node->data = data;
  node->contiguous = detail::is_contiguous(shape, strides);
  node->owner = owner ? std::move(owner) : std::shared_ptr<void>(data, [](void*) {});
  node->ready.store(true, std::memory_order_release);
  return node;
}

}  // namespace

Array Array::adopt(void* data, DType dtype, const Shape& shape, const Shape& strides, std::shared_ptr<void> owner,
                   const Device& device) {
  return Array(adopted_node(data, dtype, shape, strides, std::move(owner), device));
}

Array Array::adopt(const void* data, DType dtype, const Shape& shape, const Shape& strides,
                   std::shared_ptr<void> owner, const Device& device) {
  NodePtr node = adopted_node(const_cast<void*>(data), dtype, shape, strides, std::move(owner), device);
  node->read_only = true;
  return Array(std::move(node));
}

DType Array::dtype() const { return node_of(node_).dtype; }
Device Array::device() const { return Device(node_of(node_).device); }
const Shape& Array::shape() const { return node_of(node_).shape; }
std::int64_t Array::size() const { return node_of(node_).size(); }
std::int64_t Array::shape(int axis) const { return shape()[detail::normalize_axis("shape", axis, ndim())]; }
std::int64_t Array::nbytes() const { return size() * itemsize(dtype()); }
bool Array::is_evaluated() const { return node_of(node_).is_ready(); }

const Array& Array::eval() const {
  ready_node("eval", node_);
  return *this;
}

Shape Array::strides() const { return ready_node("strides", node_).strides; }
bool Array::is_contiguous() const { return ready_node("is_contiguous", node_).contiguous; }
const void* Array::data() const { return ready_node("data", node_).data; }
void* Array::mutable_data() & { return own_memory("mutable_data", node_).data; }

Array Array::astype(DType to) const {
  const Node& x = node_of(node_);
  if (x.dtype == to) return *this;
  if (is_complex(x.dtype) && !is_complex(to) && !is_bool(to))
    detail::fail("astype", std::string(name(x.dtype)) + " to " + std::string(name(to)) +
                               " would drop the imaginary part; take real(x) first");
  return Array(detail::record_cast("astype", node_, to));
}

Array Array::copy() const {
  const Node& x = detail::ready("copy", *this);
  NodePtr result = detail::allocate_node("copy", *x.device, x.dtype, x.shape);
  copy_view("copy", *x.device, x.dtype, x.shape, x.data, x.strides, result->data, result->strides);
  return Array(std::move(result));
}

Array Array::contiguous() const {
  const detail::FunctionName function("contiguous");
  return is_contiguous() ? *this : copy();
}

Array Array::to(const Device& device) const {
  if (node_of(node_).device == device.state()) return *this;
  const detail::FunctionName function("to");
  const Array source = contiguous();
  const Node& x = *source.node_;
  detail::DeviceState& target = *device.state();
  NodePtr result = detail::allocate_node(function, target, x.dtype, x.shape);
  if (const std::int64_t bytes = source.nbytes()) {
    if (x.device->shares_host_memory) {
      detail::call(function, x.device->table->synchronize, x.device->handle);
      detail::call(function, target.table->copy, target.handle, TD_HOST_TO_DEVICE, result->data, x.data, bytes);
    } else if (target.shares_host_memory) {
      detail::call(function, x.device->table->copy, x.device->handle, TD_DEVICE_TO_HOST, result->data, x.data, bytes);
    } else {
      std::vector<std::byte> host(static_cast<std::size_t>(bytes));
      detail::call(function, x.device->table->copy, x.device->handle, TD_DEVICE_TO_HOST, host.data(), x.data, bytes);
      detail::call(function, target.table->copy, target.handle, TD_HOST_TO_DEVICE, result->data, host.data(), bytes);
    }
  }
  return Array(std::move(result));
}

Array Array::from_host(const void* values, DType dtype, const Shape& shape, std::int64_t count,
                       const ArrayOptions& options) {
  const detail::FunctionName function("Array");
  if (detail::element_count(function, shape) != count)
    detail::fail(function, std::to_string(count) + " values do not fill shape " + to_string(shape));
  const Array result = detail::host_array(function, detail::device_of(options.device), dtype, shape, values);
  return options.dtype ? result.astype(*options.dtype) : result;
}

void Array::copy_to_host(const char* caller, void* target, DType dtype, std::int64_t count) const {
  const detail::FunctionName function(caller);
  if (count != size())
    detail::fail(function, "array of shape " + to_string(shape()) + " into " + std::to_string(count) + " elements");
  if (count == 0) return;
  Array x = astype(dtype);
  const Node& node = detail::ready(function, x, detail::FlushReason::host_read);
  detail::DeviceState& device = *node.device;
  if (device.shares_host_memory && !node.contiguous) {
    // Gathering straight into the target spares a temporary.
    copy_view(function, device, dtype, node.shape, node.data, node.strides, target, detail::contiguous_strides(node.shape));
    detail::call(function, device.table->synchronize, device.handle);
  } else {
    x = x.contiguous();
    detail::call(function, device.table->copy, device.handle, TD_DEVICE_TO_HOST, target, x.node_->data, x.nbytes());
  }
}

void Array::copy_from_host(const void* source, DType dtype, std::int64_t count) {
  const detail::FunctionName function("copy_from");
  if (count != size())
    detail::fail(function, std::to_string(count) + " values into an array of shape " + to_string(shape()));
  const Array values = from_host(source, dtype, shape(), count, {.device = device()});
  const Index everything[] = {ellipsis};
  assign(everything, values);
}

void Array::copy_item(void* target, DType dtype) const {
  if (size() != 1) detail::fail("item", "array of shape " + to_string(shape()) + " has more or fewer than one element");
  const Node& x = detail::ready("item", *this, detail::FlushReason::host_read);
  if (is_complex(x.dtype) && !is_complex(dtype) && !is_bool(dtype))
    detail::fail("item", std::string(name(x.dtype)) + " to " + std::string(name(dtype)) + " would drop the imaginary part");
  td_constant bytes;
  detail::call("item", x.device->table->copy, x.device->handle, TD_DEVICE_TO_HOST, static_cast<void*>(bytes.bytes),
               static_cast<const void*>(x.data), std::int64_t{itemsize(x.dtype)});
  detail::with_type(x.dtype, [&](auto from) {
    std::memcpy(&from, bytes.bytes, sizeof from);
    detail::with_type(dtype, [&](auto to) {
      to = scalar::cast<decltype(to)>(from);
      std::memcpy(target, &to, sizeof to);
    });
  });
}

Array::operator bool() const {
  if (size() != 1)
    detail::fail("bool", "the truth value of an array of shape " + to_string(shape()) +
                             " is ambiguous; use any() or all()");
  return item<bool>();
}

/// The value of an assignment to a part of this array: cast and broadcast.
Array Array::assigned_value(const Operand& value, const Shape& target) const {
  constexpr const char* function = "assign";
  const Node& whole = node_of(node_);
  if (!value.is_array())
    return Array(detail::constant_array(function, *whole.device, {}, value.scalar(), whole.dtype)).eval().broadcast_to(target);
  Array x = value.take();
  if (node_of(x.node_).device != whole.device)
    detail::fail(function, "arrays are on different devices, " + whole.device->name + " and " + x.node_->device->name +
                               "; use to(device)");
  if (is_complex(x.dtype()) && !is_complex(whole.dtype) && !is_bool(whole.dtype))
    detail::fail(function, std::string(name(x.dtype())) + " into " + std::string(name(whole.dtype)) +
                               " would drop the imaginary part; take real(x) first");
  x = x.astype(whole.dtype);
  // The value may have leading axes of length 1 that the target lacks.
  while (x.ndim() > target.size() && x.shape()[0] == 1) x = x.squeeze(0);
  Shape broadcast = target;
  if (x.ndim() > target.size() || !detail::broadcast_into(broadcast, x.shape()) || !(broadcast == target))
    detail::fail(function, "value of shape " + to_string(x.shape()) + " does not broadcast to " + to_string(target));
  return x.shape() == target ? x : x.broadcast_to(target);
}

void Array::assign(std::span<const Index> index, const Operand& value) {
  constexpr const char* function = "assign";
  Node& whole = node_of(node_);
  const Shape target_shape = basic_subscript(index).shape();  // throws for a bad index before anything is written
  // The value first: it may be an expression over this very array, and it keeps what it reads alive.
  const Array x = value.is_array()
                      ? assigned_value(value, target_shape)
                      : detail::constant_array(function, *whole.device, target_shape, value.scalar(), whole.dtype);
  evaluate(function, whole, detail::FlushReason::write);
  // Someone who reads the old memory, perhaps x itself, keeps it: then this array gets a copy.
  own_memory(function, node_);
  const NodePtr target = basic_subscript(index).node_;
  if (target->size() == 0) return;
  if (x.node_->is_ready())
    copy_view(function, *target->device, target->dtype, target_shape, x.node_->data, x.node_->strides, target->data,
              target->strides);
  else
    evaluate_into(function, *x.node_, target->data, target->strides);
}

void Array::assign(const detail::Selection& selection, const Operand& value, bool adds) {
  const detail::FunctionName function("assign");
  if (selection.mask && value.is_array() && value.array().ndim() == 1 && value.array().size() != 1 &&
      value.array().size() != selection.shape[0])
    detail::fail(function, "cannot assign " + std::to_string(value.array().size()) + " input values to the " +
                               std::to_string(selection.shape[0]) + " output values where the mask is true");
  const Array x = assigned_value(value, selection.shape);
  if (x.size() == 0) return;
  evaluate(function, node_of(node_), detail::FlushReason::write);
  const Node& values = detail::ready(function, x);
  const Node& whole = own_memory(function, node_);
  bool repeats = !adds && selection.mask;
  for (std::int64_t stride : values.strides) repeats &= stride == 0;
  if (repeats) {  // one pass instead of a list of places
    const Array one = x(0);
    evaluate_into(function, *where(*selection.mask, one, *this).node_, whole.data, whole.strides);
  } else {
    detail::scatter(function, *this, selection, values, adds);
  }
}

void View::operator=(const Operand& value) && {
  node_ = {};  // this view's own reference would make its base look shared
  if (selection_)
    base_->assign(*selection_, value, false);
  else
    base_->assign({more_.empty() ? inline_ : more_.data(), count_}, value);
}

bool View::keeps_selection() {
  selection_ = node_->selection;
  return bool(selection_);
}

namespace {

/// a op b as a's dtype and shape.
Array in_place(const char* function, const Array& a, const Operand& b, Array (*apply)(const Operand&, const Operand&)) {
  const DType dtype = a.dtype();
  const Shape& shape = a.shape();
  Array result = apply(a, b);
  if (!can_cast(result.dtype(), dtype, Casting::same_kind))
    detail::fail(function, "cannot cast the result from " + std::string(name(result.dtype())) + " to " +
                               std::string(name(dtype)) + " with casting rule same_kind");
  if (!(result.shape() == shape))
    detail::fail(function, "result of shape " + to_string(result.shape()) + " does not fit the array of shape " + to_string(shape));
  return result.astype(dtype);
}

}  // namespace

#define TD_DETAIL_IN_PLACE(symbol, function)                                                                         \
  Array& Array::operator symbol(const Operand& b) & {                                                                \
    return *this = in_place(#function, *this, b, tandem::function); \
  }                                                                                                                  \
  void View::operator symbol(const Operand& b) && {                                                                  \
    const detail::FunctionName scope(#function);                    \
    Array value = in_place(scope, *this, b, tandem::function);      \
    std::move(*this) = Operand(value.eval());  /* ready, so that it keeps nothing of the base alive */    \
  }
TD_DETAIL_IN_PLACE(+=, add)
TD_DETAIL_IN_PLACE(-=, subtract)
TD_DETAIL_IN_PLACE(*=, multiply)
TD_DETAIL_IN_PLACE(/=, divide)
TD_DETAIL_IN_PLACE(%=, remainder)
TD_DETAIL_IN_PLACE(&=, bitwise_and)
TD_DETAIL_IN_PLACE(|=, bitwise_or)
TD_DETAIL_IN_PLACE(^=, bitwise_xor)
TD_DETAIL_IN_PLACE(<<=, bitwise_left_shift)
TD_DETAIL_IN_PLACE(>>=, bitwise_right_shift)
#undef TD_DETAIL_IN_PLACE

}  // namespace tandem
