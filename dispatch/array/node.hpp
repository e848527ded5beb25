// The node of the expression graph: what every Array points to.
//
// A node starts pending (an operation on other nodes) or ready (elements in memory); evaluation turns pending into
// ready, never back. All other fields are fixed at creation. Ready nodes are owners of memory or views of an owner.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <tandem/array.hpp>
#include <tandem/backend.h>

#include "../registry/registry.hpp"

namespace tandem::detail {

/// A selection is what indexing a variable with arrays gives: its one source is the variable. It is computed before any
/// program that reads it.
enum class NodeKind : std::uint8_t { leaf, map, cast, reduce, selection };

/// How a pending node relates to a row space (see td_program): `none` has no reduction below it, `row` is one value per
/// row, `full` mixes row values with full ones.
enum class RowRole : std::uint8_t { none, row, full };

struct Node {
  std::atomic<std::int32_t> references{1};
  std::atomic<bool> ready{false};
  NodeKind kind = NodeKind::leaf;
  std::uint8_t op = 0;         // td_op or td_reduction
  std::uint8_t n_sources = 0;
  DType dtype;                 // of the elements
  DType operand_dtype;         // of sources, but for a condition
  RowRole role = RowRole::none;
  std::uint32_t row_axes = 0;  // bit per reduced axis of the full shape, for roles row and full
  DeviceState* device = nullptr;
  Shape shape;
  Shape full_shape;            // of the row space, for role row

  // Upper bounds of what evaluation would need, for the limits of a program.
  std::int32_t instructions = 0, inputs = 0, constants = 0;
  std::int64_t input_bytes = 0;

  // Pending: a null source stands for the constant beside it.
  Node* sources[TD_MAX_SOURCES];
  td_constant constant[TD_MAX_SOURCES];
  SelectionPtr selection;

  // Ready.
  void* data = nullptr;             // element with all indices 0; null for no elements and for the index array
  Shape strides;                    // in elements
  std::int64_t bytes = 0;           // allocated, for owners
  Node* base = nullptr;             // the owner, for views
  std::shared_ptr<void> owner;      // of adopted memory
  bool read_only = false;           // adopted memory that must not change
  bool is_index = false;            // the index array of td_operand
  bool contiguous = false;          // row-major without gaps

  // Written under the graph lock while a program is built.
  std::uint32_t visit = 0;
  std::int32_t uses = 0;
  std::uint8_t value[2];            // number of its value, as full and as row operand

  std::int64_t size() const noexcept {
    std::uint64_t n = 1;  // lengths beside a 0 may overflow
    for (std::int64_t d : shape) n *= static_cast<std::uint64_t>(d);
    return static_cast<std::int64_t>(n);
  }
  bool is_ready() const noexcept { return ready.load(std::memory_order_acquire); }
};

/// Device memory for a contiguous array of that dtype and shape, null for no elements; throws OutOfMemory.
struct Allocation {
  void* data;
  std::int64_t bytes;
};
Allocation allocate(const char* function, DeviceState& device, DType dtype, const Shape& shape);

/// A ready node of undefined elements in row-major order; throws OutOfMemory.
NodePtr allocate_node(const char* function, DeviceState& device, DType dtype, const Shape& shape);

/// A ready node that shows part of `base`'s memory, which it keeps alive.
NodePtr view_node(Node& base, const Shape& shape, const Shape& strides, void* data);

/// The virtual array whose element at offset o is o; see td_operand.
NodePtr index_node(DeviceState& device, const Shape& shape, const Shape& strides);

/// Whether a handle that holds the only reference to `node` may write to its elements: nobody else's handle, view or
/// expression can see them, each has a place of its own in memory, and the memory may change.
bool is_writable(const Node& node) noexcept;

/// Row-major strides.
Shape contiguous_strides(const Shape& shape);
bool is_contiguous(const Shape& shape, const Shape& strides) noexcept;

/// data + offset elements.
inline void* element(void* data, std::int64_t offset, DType dtype) noexcept {
  return static_cast<char*>(data) + offset * itemsize(dtype);
}

}  // namespace tandem::detail
