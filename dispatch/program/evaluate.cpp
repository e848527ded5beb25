// Running: a pending node and what it needs become one program.
#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

#include "../array/selection.hpp"
#include "../array/shape_rules.hpp"
#include "graph.hpp"
#include "program.hpp"

namespace tandem::detail {
namespace {

std::mutex& graph_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}
std::uint32_t current_visit = 0;  // under the graph lock; marks the nodes of the walk in progress
std::atomic<long long> counts[int(FlushReason::count)];

constexpr int max_nodes = TD_MAX_INSTRUCTIONS;
constexpr std::uint8_t unset = 255;

/// Leaves are distinct inputs by node and by how their axes lie in the iteration space: as a full operand (or a row
/// operand that kept its axes), or as a row operand whose reduced axes were dropped.
struct Leaf {
  Node* node;
  const Node* consumer;
};

/// The pending nodes under a root in topological order, and the leaves.
struct Walk {
  Node* order[max_nodes];
  Leaf leaves[TD_MAX_INPUTS];
  int n_order = 0, n_leaves = 0, n_constants = 0;
  const Node* reduction = nullptr;  // one of them, if any
  bool many_nodes = false, many_leaves = false;  // more than a program may hold

  bool overflow() const noexcept { return many_nodes || many_leaves; }

  /// Whether the node's own axes are the space's without the reduced ones.
  static bool squeezed(const Node& node) noexcept {
    return node.role == RowRole::row && node.shape.size() != node.full_shape.size();
  }
  /// Whether its sources are row operands in that form; a reduction's source is a full operand.
  static bool reads_squeezed(const Node& consumer) noexcept {
    return consumer.kind != NodeKind::reduce && squeezed(consumer);
  }

  void visit_leaf(Node* leaf, const Node* consumer) noexcept {
    if (leaf->visit != current_visit) {
      leaf->visit = current_visit;
      leaf->value[0] = leaf->value[1] = unset;
    }
    std::uint8_t& value = leaf->value[reads_squeezed(*consumer)];
    if (value != unset) return;
    if (n_leaves == TD_MAX_INPUTS) {
      many_leaves = true;
      return;
    }
    value = std::uint8_t(n_leaves);
    leaves[n_leaves++] = {leaf, consumer};
  }

  /// Depth first from a pending node, children before parents. Works with an explicit stack.
  void visit(Node* root) noexcept {
    struct Frame {
      Node* node;
      int next;
    };
    Frame stack[max_nodes + 1];
    int depth = 0;
    const auto enter = [&](Node* node) {
      node->visit = current_visit;
      node->uses = 0;
      node->value[0] = unset;
      if (depth + n_order >= max_nodes)
        many_nodes = true;
      else
        stack[depth++] = {node, 0};
    };
    if (root->visit == current_visit) return;
    enter(root);
    while (depth && !overflow()) {
      Frame& frame = stack[depth - 1];
      Node* node = frame.node;
      if (frame.next == node->n_sources) {
        if (node->kind == NodeKind::reduce) reduction = node;
        node->value[0] = std::uint8_t(n_order);
        order[n_order++] = node;
        --depth;
        continue;
      }
      Node* source = node->sources[frame.next++];
      if (!source) {
        ++n_constants;
      } else if (source->is_ready()) {  // stays so for the walk: nodes turn ready under the lock only
        visit_leaf(source, node);
      } else {
        if (source->visit != current_visit) enter(source);
        ++source->uses;
      }
    }
  }
};

/// Strides over the iteration space of an operand that broadcasts to `node`'s shape, or to the space if not squeezed.
Shape space_strides(const Shape& shape, const Shape& strides, const Node& node, bool squeezed, const Shape& space,
                    std::uint32_t row_axes) {
  if (!squeezed) return broadcast_strides(shape, strides, space);
  const Shape kept = broadcast_strides(shape, strides, node.shape);
  Shape result = Shape::filled(space.size(), 0);
  for (int axis = 0, next = 0; axis < space.size(); ++axis)
    if (!(row_axes >> axis & 1)) result[axis] = kept[next++];
  return result;
}

/// A bit for each node of the walk that is a row value although its shape is the whole space: maps of constants and of
/// operands that repeat along the rows. Backends write a row value once per row.
std::uint64_t repeated_rows(const Walk& walk, const Shape& space, std::uint32_t row_axes) {
  const auto repeats = [&](const Node& leaf, const Node& consumer) {
    if (Walk::reads_squeezed(consumer)) return true;
    const Shape strides = broadcast_strides(leaf.shape, leaf.strides, space);
    for (int axis = 0; axis < space.size(); ++axis)
      if (row_axes >> axis & 1 && space[axis] > 1 && strides[axis] != 0) return false;
    return true;
  };
  static_assert(max_nodes <= 64);
  std::uint64_t row_values = 0, repeated = 0;
  for (int i = 0; i < walk.n_order; ++i) {
    const Node& node = *walk.order[i];
    bool row_value = true;
    for (int k = 0; k < node.n_sources && node.kind != NodeKind::reduce; ++k)
      if (const Node* source = node.sources[k])
        row_value &= source->is_ready() ? repeats(*source, node) : (row_values >> source->value[0] & 1) != 0;
    row_values |= std::uint64_t{row_value} << i;
    repeated |= std::uint64_t{row_value && node.role != RowRole::row} << i;
  }
  return repeated;
}

/// What one evaluation holds on to while it runs outside the lock: references on all leaves and on all outputs but the
/// root, which the caller holds; memory of outputs that were not published.
struct Job {
  Shape space;
  std::uint32_t row_axes = 0;
  bool flat;  // the space is one run of elements
  Node* leaves[TD_MAX_INPUTS];
  int n_leaves = 0;
  struct Output {
    Node* node;
    int value;
    bool repeated;  // see repeated_rows: memory for one element per row, shown with stride 0
    Allocation memory;
  } outputs[TD_MAX_OUTPUTS];
  int n_outputs = 0;

  /// Shape of an output's memory.
  Shape memory_shape(const Output& output) const {
    Shape shape = output.node->shape;
    if (output.repeated)
      for (int axis = 0; axis < shape.size(); ++axis)
        if (row_axes >> axis & 1) shape[axis] = 1;
    return shape;
  }
  /// Its strides, in the node's own axes.
  Shape memory_strides(const Output& output) const {
    if (!output.repeated) return contiguous_strides(output.node->shape);
    const Shape shape = memory_shape(output);
    return broadcast_strides(shape, contiguous_strides(shape), output.node->shape);
  }

  Job() {}  // leaves the arrays alone: this is on the way of every small operation
  ~Job() {
    for (int i = 0; i < n_leaves; ++i) release(leaves[i]);
    for (int i = 0; i < n_outputs; ++i) {
      const Output& output = outputs[i];
      if (output.memory.bytes)
        output.node->device->table->free(output.node->device->handle, output.memory.data, output.memory.bytes);
      if (i > 0) release(output.node);
    }
  }
};

void add_instructions(const Walk& walk, Program& program) {
  std::uint8_t constant_number[max_nodes][TD_MAX_SOURCES];
  for (int i = 0; i < walk.n_order; ++i) {
    const Node& node = *walk.order[i];
    for (int k = 0; k < node.n_sources; ++k) {
      if (node.sources[k]) continue;
      const bool condition = node.kind == NodeKind::map && node.op == TD_OP_where && k == 0;
      constant_number[i][k] =
          std::uint8_t(program.add_constant(condition ? bool_ : node.operand_dtype, node.constant[k]));
    }
  }
  const int first_constant = program.n_inputs();
  const int first_instruction = first_constant + program.n_constants();
  for (int i = 0; i < walk.n_order; ++i) {
    const Node& node = *walk.order[i];
    constexpr td_kind kinds[] = {TD_MAP, TD_MAP, TD_CAST, TD_REDUCE};
    td_instruction instruction{std::uint8_t(kinds[int(node.kind)]), node.op, std::uint8_t(node.operand_dtype),
                               std::uint8_t(node.dtype), {0, 0, 0, 0}};
    for (int k = 0; k < node.n_sources; ++k) {
      const Node* source = node.sources[k];
      int number;
      if (!source)
        number = first_constant + constant_number[i][k];
      else if (source->is_ready())
        number = source->value[Walk::reads_squeezed(node)];
      else
        number = first_instruction + source->value[0];
      instruction.sources[k] = std::uint8_t(number);
    }
    program.add_instruction(instruction);
  }
}

/// Under the lock: walks the graph, writes the program except for its outputs, and takes references on everything that
/// the program will touch; the root's elements go to a target of those strides, if given. False if the root is ready by now, or if the graph has too many leaves (an inner node that
/// somebody else completed adds one): then `first` is a pending source to run before.
bool prepare(Node& root, Job& job, Program& program, NodePtr& first, const Shape* target_strides) {
  std::lock_guard lock(graph_mutex());
  if (root.is_ready()) return false;
  ++current_visit;
  Walk walk;
  walk.visit(&root);
  if (walk.overflow()) {
    for (int k = 0; k < root.n_sources; ++k) {
      if (!root.sources[k] || root.sources[k]->is_ready()) continue;
      retain(root.sources[k]);
      first = NodePtr(root.sources[k]);
    }
    return false;
  }

  // Nodes that somebody outside still refers to are written too, those nearest the root first.
  for (int i = walk.n_order - 1; i >= 0 && job.n_outputs < TD_MAX_OUTPUTS; --i) {
    Node* node = walk.order[i];
    if (node != &root) {
      if (node->references.load(std::memory_order_relaxed) == node->uses) continue;
      retain(node);
    }
    job.outputs[job.n_outputs++] = {node, i, false, {nullptr, 0}};
  }

  job.flat = root.role == RowRole::none && (!target_strides || is_contiguous(root.shape, *target_strides));
  for (int i = 0; i < walk.n_leaves; ++i) {
    Node* leaf = job.leaves[i] = walk.leaves[i].node;
    retain(leaf);
    ++job.n_leaves;
    job.flat = job.flat && leaf->contiguous && (leaf->shape == root.shape || leaf->size() == 1);
  }
  if (job.flat) {
    program.start_flat(root.size());
    for (int i = 0; i < walk.n_leaves; ++i)
      program.add_flat_input(job.leaves[i]->dtype, job.leaves[i]->data, job.leaves[i]->shape == root.shape);
  } else {
    job.space = walk.reduction ? walk.reduction->full_shape : root.shape;
    job.row_axes = walk.reduction ? walk.reduction->row_axes : 0;
    program.start(job.space, job.row_axes);
  }
  for (int i = 0; i < walk.n_leaves && !job.flat; ++i) {
    const Node* leaf = job.leaves[i];
    const Node& consumer = *walk.leaves[i].consumer;
    program.add_input(leaf->dtype, leaf->data,
                       space_strides(leaf->shape, leaf->strides, consumer, Walk::reads_squeezed(consumer), job.space,
                                     job.row_axes));
  }
  add_instructions(walk, program);

  const int first_instruction = program.n_inputs() + program.n_constants();
  const std::uint64_t repeated = walk.reduction ? repeated_rows(walk, job.space, job.row_axes) : 0;
  for (int i = 0; i < job.n_outputs; ++i) {
    const int position = job.outputs[i].value;
    job.outputs[i].value = first_instruction + position;
    job.outputs[i].repeated = (repeated >> position & 1) != 0;
  }
  return true;
}

/// Turns the computed nodes ready, unless another thread was faster. Their sources are dropped after the lock.
void publish(Job& job, int first) {
  Node* dropped[TD_MAX_OUTPUTS * TD_MAX_SOURCES];
  int n_dropped = 0;
  {
    std::lock_guard lock(graph_mutex());
    for (int i = first; i < job.n_outputs; ++i) {
      Node& node = *job.outputs[i].node;
      if (node.is_ready()) continue;
      const Allocation memory = std::exchange(job.outputs[i].memory, {nullptr, 0});
      node.data = memory.data;
      node.bytes = memory.bytes;
      node.strides = job.memory_strides(job.outputs[i]);
      node.contiguous = !job.outputs[i].repeated;
      for (int k = 0; k < node.n_sources; ++k)
        if (node.sources[k]) dropped[n_dropped++] = node.sources[k];
      node.n_sources = 0;
      node.ready.store(true, std::memory_order_release);
    }
  }
  for (int i = 0; i < n_dropped; ++i) release(dropped[i]);
}

/// Strides of an output of the node's shape over the iteration space of the job.
Shape output_strides(const Node& node, const Shape& strides, const Job& job) {
  return space_strides(node.shape, strides, node, Walk::squeezed(node), job.space, job.row_axes);
}

/// Allocates the outputs (but for the root's if there is a target), runs the program and publishes what it made.
void execute(const char* function, Node& root, FlushReason reason, Job& job, Program& program, void* target,
             const Shape* target_strides) {
  for (int i = 0; i < job.n_outputs; ++i) {
    Job::Output& output = job.outputs[i];
    Node& node = *output.node;
    if (i == 0 && target) {
      if (job.flat)
        program.add_flat_output(output.value, target);
      else
        program.add_output(output.value, target, output_strides(node, *target_strides, job));
      continue;
    }
    if (job.flat) {
      output.memory = allocate(function, *node.device, node.dtype, node.shape);
      program.add_flat_output(output.value, output.memory.data);
      continue;
    }
    output.memory = allocate(function, *node.device, node.dtype, job.memory_shape(output));
    program.add_output(output.value, output.memory.data, output_strides(node, job.memory_strides(output), job));
  }
  counts[int(reason)].fetch_add(1, std::memory_order_relaxed);
  program.run(function, *root.device);
  publish(job, target ? 1 : 0);
}

/// Runs `node`, or a source below it that fits into one program.
[[gnu::noinline]] void run_part(const char* function, FlushReason reason, NodePtr node) {
  Program program;
  for (;;) {
    Job job;
    NodePtr first;
    const bool prepared = prepare(*node, job, program, first, nullptr);
    if (prepared) execute(function, *node, reason, job, program, nullptr, nullptr);
    if (!first) return;
    node = std::move(first);
  }
}

/// Computes a pending selection and publishes it.
[[gnu::noinline]] void run_selection(const char* function, Node& node) {
  SelectionPtr selection;
  NodePtr source;
  {
    std::lock_guard lock(graph_mutex());
    if (node.is_ready()) return;
    selection = node.selection;
    retain(node.sources[0]);
    source = NodePtr(node.sources[0]);
  }
  const NodePtr result = compute_selection(function, std::move(source), *selection);
  NodePtr dropped;
  std::lock_guard lock(graph_mutex());
  if (node.is_ready()) return;
  node.data = result->data;
  node.bytes = std::exchange(result->bytes, 0);
  node.strides = result->strides;
  node.contiguous = true;
  dropped = NodePtr(node.sources[0]);
  node.n_sources = 0;
  node.selection = {};
  node.ready.store(true, std::memory_order_release);
}

void run(const char* function, Node& root, FlushReason reason, void* target, const Shape* target_strides) {
  Job job;
  Program program;
  NodePtr first;
  if (root.kind == NodeKind::selection) run_selection(function, root);
  bool prepared = prepare(root, job, program, first, target_strides);
  while (first) {
    run_part(function, reason, std::move(first));
    prepared = prepare(root, job, program, first, target_strides);
  }
  const bool direct = prepared && target && !job.outputs[0].repeated;
  if (prepared) execute(function, root, reason, job, program, direct ? target : nullptr, direct ? target_strides : nullptr);
  if (target && !direct)
    copy_view(function, *root.device, root.dtype, root.shape, root.data, root.strides, target, *target_strides);
}

}  // namespace

void measure(Node& node, const Source* sources, int n) {
  std::lock_guard lock(graph_mutex());
  ++current_visit;
  Walk walk;
  int constants = 0;
  for (int i = 0; i < n; ++i) {
    Node* source = sources[i].node.get();
    if (!source)
      ++constants;
    else if (source->is_ready())
      walk.visit_leaf(source, &node);
    else
      walk.visit(source);
  }
  node.instructions = walk.many_nodes ? TD_MAX_INSTRUCTIONS + 1 : walk.n_order + 1;
  node.inputs = walk.many_leaves ? TD_MAX_INPUTS + 1 : walk.n_leaves;
  node.constants = constants + walk.n_constants;
  node.input_bytes = 0;
  for (int i = 0; i < walk.n_leaves; ++i) {
    const Node* leaf = walk.leaves[i].node;
    node.input_bytes += leaf->base ? leaf->base->bytes : leaf->bytes;
  }
}

void evaluate(const char* function, Node& node, FlushReason reason) {
  if (!node.is_ready()) run(function, node, reason, nullptr, nullptr);
}

void evaluate_into(const char* function, Node& node, void* data, const Shape& strides) {
  run(function, node, FlushReason::write, data, &strides);
}

bool reads_memory_of(const Node& node, const Node& owner) {
  const auto reads = [&](const Node* leaf) { return leaf == &owner || leaf->base == &owner; };
  std::lock_guard lock(graph_mutex());
  if (node.is_ready()) return reads(&node);
  ++current_visit;
  Walk walk;
  walk.visit(const_cast<Node*>(&node));
  for (int i = 0; i < walk.n_leaves; ++i)
    if (reads(walk.leaves[i].node)) return true;
  return false;
}

long long flush_count(FlushReason reason) noexcept { return counts[int(reason)].load(std::memory_order_relaxed); }

}  // namespace tandem::detail
