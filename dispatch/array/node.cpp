#include "node.hpp"

#include <algorithm>

namespace tandem::detail {
namespace {

/// Frees what a dead node owns and drops its own references, pushing nodes that die with it onto `dead`.
void dismantle(Node* node, Node*& dead) noexcept;

/// A dead node's `base` field links it into the list of dead nodes once its own base has been dropped.
void drop(Node* node, Node*& dead) noexcept {
  // Who holds the only reference need not tell anyone: nobody else can make another one.
  if (node->references.load(std::memory_order_acquire) != 1 &&
      node->references.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  Node* base = node->base;
  node->base = dead;
  dead = node;
  if (base) drop(base, dead);  // depth 1: an owner has no base
}

void dismantle(Node* node, Node*& dead) noexcept {
  if (!node->is_ready())
    for (int i = 0; i < node->n_sources; ++i)
      if (node->sources[i]) drop(node->sources[i], dead);
  if (node->bytes) node->device->table->free(node->device->handle, node->data, node->bytes);
  delete node;
}

}  // namespace

void retain(Node* node) noexcept { node->references.fetch_add(1, std::memory_order_relaxed); }

void release(Node* node) noexcept {
  Node* dead = nullptr;
  drop(node, dead);
  while (dead) {
    Node* next = dead->base;
    Node* current = dead;
    dead = next;
    dismantle(current, dead);
  }
}

namespace {

[[noreturn, gnu::noinline]] void too_large(const char* function, DType dtype, const Shape& shape) {
  fail<OutOfMemory>(function, "shape " + to_string(shape) + " of " + std::string(name(dtype)) +
                                  " has more bytes than can be counted");
}

}  // namespace

Allocation allocate(const char* function, DeviceState& device, DType dtype, const Shape& shape) {
  Allocation memory{nullptr, itemsize(dtype)};
  for (std::int64_t length : shape)
    if (__builtin_mul_overflow(memory.bytes, length, &memory.bytes)) {
      if (std::find(shape.begin(), shape.end(), 0) == shape.end()) too_large(function, dtype, shape);
      return {nullptr, 0};
    }
  if (memory.bytes > 0) call(function, device.table->allocate, device.handle, memory.bytes, &memory.data);
  return memory;
}

NodePtr allocate_node(const char* function, DeviceState& device, DType dtype, const Shape& shape) {
  NodePtr node(new Node);
  node->dtype = dtype;
  node->device = &device;
  node->shape = shape;
  node->strides = contiguous_strides(shape);
  const Allocation memory = allocate(function, device, dtype, shape);
  node->data = memory.data;
  node->bytes = memory.bytes;
  node->contiguous = true;
  node->ready.store(true, std::memory_order_release);
  return node;
}

NodePtr view_node(Node& base, const Shape& shape, const Shape& strides, void* data) {
  NodePtr node(new Node);
  node->dtype = base.dtype;
  node->device = base.device;
  node->shape = shape;
  node->strides = strides;
  node->data = data;
  node->contiguous = is_contiguous(shape, strides);
  node->is_index = base.is_index;
  node->base = base.base ? base.base : &base;
  retain(node->base);
  node->ready.store(true, std::memory_order_release);
  return node;
}

NodePtr index_node(DeviceState& device, const Shape& shape, const Shape& strides) {
  NodePtr node(new Node);
  node->dtype = int64;
  node->device = &device;
  node->shape = shape;
  node->strides = strides;
  node->contiguous = is_contiguous(shape, strides);
  node->is_index = true;
  node->ready.store(true, std::memory_order_release);
  return node;
}

bool is_writable(const Node& node) noexcept {
  if (node.is_index || node.references.load(std::memory_order_acquire) != 1) return false;
  for (int axis = 0; axis < node.shape.size(); ++axis)
    if (node.strides[axis] == 0 && node.shape[axis] > 1) return false;
  if (!node.base) return !node.read_only;
  return !node.base->read_only && node.base->references.load(std::memory_order_acquire) == 1;
}

Shape contiguous_strides(const Shape& shape) {
  Shape strides;
  const int ndim = shape.size();
  strides.resize(ndim);
  std::int64_t* out = strides.data();
  const std::int64_t* lengths = shape.data();
  std::uint64_t stride = 1;  // lengths beside a 0 may overflow
  for (int axis = ndim - 1; axis >= 0; --axis) {
    out[axis] = static_cast<std::int64_t>(stride);
    stride *= static_cast<std::uint64_t>(lengths[axis]);
  }
  if (stride == 0) [[unlikely]]
    for (int axis = 0; axis < ndim; ++axis) out[axis] = 0;
  return strides;
}

bool is_contiguous(const Shape& shape, const Shape& strides) noexcept {
  std::int64_t expected = 1;
  for (std::int64_t length : shape)
    if (length == 0) return true;
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    if (shape[axis] != 1 && strides[axis] != expected) return false;
    expected *= shape[axis];
  }
  return true;
}

}  // namespace tandem::detail
