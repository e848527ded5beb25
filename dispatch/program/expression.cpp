// Recording: which sources stay pending inside the new node, and which are run first.
#include "expression.hpp"

#include <cstdlib>
#include <cstring>

#include "../array/shape_rules.hpp"
#include "graph.hpp"

namespace tandem::detail {
namespace {

constexpr std::int64_t memory_bound = std::int64_t{1} << 30;
constexpr std::int64_t memory_factor = 8;

bool eager() noexcept {
  static const bool value = [] {
    const char* text = std::getenv("TANDEM_EAGER");
    return text && std::strcmp(text, "") != 0 && std::strcmp(text, "0") != 0;
  }();
  return value;
}

/// The role and row space of a node under construction.
struct Space {
  RowRole role = RowRole::none;
  std::uint32_t row_axes = 0;
  Shape full_shape;  // for role row
};

std::int64_t row_length(const Shape& full_shape, std::uint32_t row_axes) noexcept {
  std::int64_t n = 1;
  for (int i = 0; i < full_shape.size(); ++i)
    if (row_axes >> i & 1) n *= full_shape[i];
  return n;
}

bool same_rows(const Space& space, std::uint32_t row_axes, const Shape& full_shape) noexcept {
  return space.row_axes == row_axes && space.full_shape == full_shape;
}

/// Decides for a map of `shape` which pending sources can stay: those of the same shape, and row values of one row space
/// either among themselves or broadcast along their rows. Everything else is run now.
Space settle(const char* function, const Shape& shape, Source* sources, int n) {
  Space space;
  bool any_pending = false;
  for (int i = 0; i < n; ++i) {
    if (!sources[i].node || sources[i].node->is_ready()) continue;
    if (sources[i].node->kind == NodeKind::selection) evaluate(function, *sources[i].node, FlushReason::verb);
    else any_pending = true;
  }
  if (!any_pending) return space;

  const auto run = [&](Node& x, FlushReason reason) { evaluate(function, x, reason); };
  // Row values come first: they fix the row space.
  for (int i = 0; i < n; ++i) {
    Node* x = sources[i].node.get();
    if (!x || x->is_ready() || x->role != RowRole::row) continue;
    const bool as_row = x->shape == shape;
    const bool along_rows = !as_row && x->full_shape == shape && x->shape.size() == shape.size();
    if (!as_row && !along_rows) {
      run(*x, FlushReason::broadcast);
    } else if (along_rows && row_length(x->full_shape, x->row_axes) > TD_MAX_STAGED_ROW) {
      run(*x, FlushReason::row_length);
    } else if (space.role == RowRole::none) {
      space = {as_row ? RowRole::row : RowRole::full, x->row_axes, x->full_shape};
    } else if (!same_rows(space, x->row_axes, x->full_shape) || (space.role == RowRole::row) != as_row) {
      run(*x, FlushReason::row_space);
    }
  }
  for (int i = 0; i < n; ++i) {
    Node* x = sources[i].node.get();
    if (!x || x->is_ready() || x->role == RowRole::row) continue;
    if (!(x->shape == shape)) {
      run(*x, FlushReason::broadcast);
    } else if (space.role == RowRole::row) {
      run(*x, FlushReason::row_space);
    } else if (x->role == RowRole::full) {
      if (space.role == RowRole::none)
        space = {RowRole::full, x->row_axes, shape};
      else if (!same_rows(space, x->row_axes, shape))
        run(*x, FlushReason::row_space);
    }
  }
  return space;
}

void add_cost(Node& node, const Source* sources, int n) noexcept {
  node.instructions = 1;
  node.inputs = node.constants = 0;
  node.input_bytes = 0;
  for (int i = 0; i < n; ++i) {
    const Node* x = sources[i].node.get();
    if (!x) {
      node.constants += 1;
    } else if (x->is_ready()) {
      node.inputs += 1;
      node.input_bytes += x->base ? x->base->bytes : x->bytes;
    } else {
      node.instructions += x->instructions;
      node.inputs += x->inputs;
      node.constants += x->constants;
      node.input_bytes += x->input_bytes;
    }
  }
}

/// The bound that the node would break, or FlushReason::count for none.
FlushReason broken_bound(const Node& node) noexcept {
  if (node.instructions > TD_MAX_INSTRUCTIONS) return FlushReason::instructions;
  if (node.inputs > TD_MAX_INPUTS) return FlushReason::inputs;
  if (node.constants > TD_MAX_CONSTANTS) return FlushReason::constants;
  if (node.input_bytes > memory_bound && node.input_bytes > memory_factor * node.size() * itemsize(node.dtype))
    return FlushReason::memory;
  return FlushReason::count;
}

/// Whether running the node gives up more memory than it takes: a widening cast of a large array does not.
bool saves_memory(const Node& node) noexcept { return node.size() * itemsize(node.dtype) < node.input_bytes; }

/// Keeps the new node within the bounds of a program, running its largest pending sources as long as needed.
void limit(const char* function, Node& node, Source* sources, int n) {
  add_cost(node, sources, n);
  FlushReason reason = broken_bound(node);
  if (reason == FlushReason::count) return;
  for (;;) {
    measure(node, sources, n);  // the sums count shared parts several times
    reason = broken_bound(node);
    if (reason == FlushReason::count) return;
    Node* largest = nullptr;
    for (int i = 0; i < n; ++i) {
      Node* x = sources[i].node.get();
      if (!x || x->is_ready() || (reason == FlushReason::memory && !saves_memory(*x))) continue;
      if (!largest || x->instructions > largest->instructions) largest = x;
    }
    if (!largest) return;
    evaluate(function, *largest, reason);
  }
}

NodePtr finish(const char* function, NodePtr node, Source* sources, int n) {
  limit(function, *node, sources, n);
  node->n_sources = std::uint8_t(n);
  for (int i = 0; i < n; ++i) {
    node->constant[i] = sources[i].constant;
    node->sources[i] = sources[i].node.detach();
  }
  if (eager()) evaluate(function, *node, FlushReason::eager);
  return node;
}

}  // namespace

NodePtr record_map(const char* function, td_op op, DType operand_dtype, DType result_dtype, DeviceState& device,
                   const Shape& shape, Source* sources, int n) {
  for (std::int64_t length : shape)
    if (length == 0) return allocate_node(function, device, result_dtype, shape);
  Space space = settle(function, shape, sources, n);
  NodePtr node(new Node);
  node->kind = NodeKind::map;
  node->op = std::uint8_t(op);
  node->dtype = result_dtype;
  node->operand_dtype = operand_dtype;
  node->role = space.role;
  node->row_axes = space.row_axes;
  node->device = &device;
  node->shape = shape;
  if (space.role == RowRole::row) node->full_shape = std::move(space.full_shape);
  return finish(function, std::move(node), sources, n);
}

NodePtr record_cast(const char* function, NodePtr x, DType dtype) {
  if (x->dtype == dtype) return x;
  NodePtr node(new Node);
  node->kind = NodeKind::cast;
  node->dtype = dtype;
  node->operand_dtype = x->dtype;
  node->device = x->device;
  node->shape = x->shape;
  if (x->size() == 0) return allocate_node(function, *x->device, dtype, x->shape);
  if (x->kind == NodeKind::selection) evaluate(function, *x, FlushReason::verb);
  if (!x->is_ready()) {
    node->role = x->role;
    node->row_axes = x->row_axes;
    node->full_shape = x->full_shape;
  }
  Source source{std::move(x), {}};
  return finish(function, std::move(node), &source, 1);
}

NodePtr record_reduction(const char* function, td_reduction reduction, NodePtr x, std::uint32_t row_axes, bool keepdims,
                         DType result_dtype) {
  if (x->kind == NodeKind::selection) evaluate(function, *x, FlushReason::verb);
  if (!x->is_ready()) {
    if (x->role == RowRole::row || (x->role == RowRole::full && x->row_axes != row_axes))
      evaluate(function, *x, FlushReason::row_space);
  }
  NodePtr node(new Node);
  node->kind = NodeKind::reduce;
  node->op = std::uint8_t(reduction);
  node->dtype = result_dtype;
  node->operand_dtype = x->dtype;
  node->role = RowRole::row;
  node->row_axes = row_axes;
  node->device = x->device;
  node->full_shape = x->shape;
  for (int i = 0; i < x->shape.size(); ++i) {
    if (!(row_axes >> i & 1))
      node->shape.push_back(x->shape[i]);
    else if (keepdims)
      node->shape.push_back(1);
  }
  Source source{std::move(x), {}};
  return finish(function, std::move(node), &source, 1);
}

const char* name(FlushReason reason) noexcept {
  constexpr const char* names[] = {"host_read", "verb",   "eval",      "view",      "write",      "instructions", "inputs",
                                   "constants", "memory", "broadcast", "row_space", "row_length", "eager"};
  static_assert(std::size(names) == std::size_t(FlushReason::count));
  return names[int(reason)];
}

}  // namespace tandem::detail
