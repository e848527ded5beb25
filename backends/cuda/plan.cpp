#include "plan.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "arguments.hpp"

namespace tandem::cuda {

namespace {

constexpr unsigned TD_B = 1, TD_I = 2, TD_F = 4, TD_C = 8;

constexpr unsigned kind_of(int dtype) {
  if (dtype == TD_BOOL) return TD_B;
  if (dtype <= TD_UINT64) return TD_I;
  return dtype <= TD_FLOAT64 ? TD_F : TD_C;
}

constexpr std::int64_t index_limit = std::int64_t{1} << 31;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::int64_t power_above(std::int64_t n) { return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n))); }

/// The second argument of the kernels' divide(): n / length = (high half of n * multiplier + n) >> shift for n < 2^31.
std::int64_t magic_of(std::int64_t length) {
  if (length >= index_limit) return 0;
  const int shift = std::bit_width(static_cast<std::uint64_t>(length - 1));
  const std::uint64_t excess = (std::uint64_t{1} << shift) - static_cast<std::uint64_t>(length);
  const std::uint64_t multiplier = (excess << 32) / static_cast<std::uint64_t>(length) + 1;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(shift) << 32 | multiplier);
}

/// The program's operands seen along the plan's axes.
class Layout {
 public:
  Layout(const Work& work, const Roles& roles, Plan& plan) : work_(work), roles_(roles), plan_(plan) {
    for (int axis = 0; axis < work.ndim; ++axis) plan.axes[axis] = static_cast<std::uint8_t>(axis);
  }

  std::int64_t length(int axis) const { return work_.shape[plan_.axes[axis]]; }
  std::int64_t stride(int k, int axis) const { return work_.operand(k).strides[plan_.axes[axis]]; }
  bool is_output(int k) const { return k >= work_.first_output(); }
  int dtype(int k) const {
    if (k < work_.n_inputs) return work_.input_dtypes[k];
    if (is_output(k)) return roles_.dtype[work_.outputs[k - work_.first_output()]];
    for (int i = 0; i < work_.n_instructions; ++i) {
      const td_instruction& instruction = work_.instructions[i];
      if (instruction.kind == load_kind && instruction.op == k - work_.n_inputs) return instruction.result;
    }
    return TD_BOOL;
  }
  bool used(int k) const {
    if (k < work_.n_inputs) return roles_.needed[k];
    if (is_output(k)) return true;
    for (int i = 0; i < work_.n_instructions; ++i) {
      const td_instruction& instruction = work_.instructions[i];
      if (instruction.kind == load_kind && instruction.op == k - work_.n_inputs)
        return roles_.needed[work_.first_instruction() + i];
    }
    return false;
  }
  bool row(int k) const {
    if (k < work_.n_inputs) return roles_.row[k];
    return is_output(k) ? roles_.row_output[k - work_.first_output()] : work_.n_reduced > 0;
  }
  bool index(int k) const { return k < work_.n_inputs && work_.operand(k).data == nullptr; }

  /// Whether the elements along axes [first, ndim) follow one another.
  bool contiguous(int k, int first) const {
    std::int64_t expected = 1;
    for (int axis = work_.ndim - 1; axis >= first; --axis) {
      if (stride(k, axis) != expected) return false;
      expected *= length(axis);
    }
    return true;
  }
  bool constant(int k, int first) const {
    for (int axis = first; axis < work_.ndim; ++axis)
      if (stride(k, axis) != 0) return false;
    return true;
  }
  /// Whether vectors of `width` elements are aligned, given that they start at multiples of it along the `skip`-th axis
  /// and after it.
  bool aligned(int k, int width, int skip) const {
    if (index(k)) return true;
    const auto bytes = static_cast<std::uintptr_t>(width * size_of(dtype(k)));
    if (reinterpret_cast<std::uintptr_t>(work_.operand(k).data) % bytes != 0) return false;
    for (int axis = 0; axis < skip; ++axis)
      if (stride(k, axis) % width != 0 && length(axis) != 1) return false;
    return true;
  }

  /// Sets the outer and inner axes, and the operands' modes along the latter.
  void split_axes(int inner) {
    Facts& facts = plan_.facts;
    facts.inner = static_cast<std::uint8_t>(inner);
    facts.outer = static_cast<std::uint8_t>(work_.ndim - inner);
    for (int axis = 0; axis < work_.ndim; ++axis) (axis < facts.outer ? plan_.rows : plan_.length) *= length(axis);
    for (int k = 0; k < work_.n_operands(); ++k) {
      if (!used(k)) continue;
      OperandFacts& operand = facts.operands[k];
      operand.index = index(k);
      operand.row = row(k);
      if (operand.row || (constant(k, facts.outer) && !is_output(k))) operand.mode = Mode::zero;
      else if (contiguous(k, facts.outer)) operand.mode = Mode::linear;
      else operand.mode = inner == 1 ? Mode::strided : Mode::split;
    }
  }

  Mode mode(int k) const { return plan_.facts.operands[k].mode; }

  /// The largest element among operands that `choose` picks, 0 for none.
  template <class Choose>
  int largest(Choose choose) const {
    int bytes = 0;
    for (int k = 0; k < work_.n_operands(); ++k)
      if (used(k) && choose(k)) bytes = std::max(bytes, size_of(dtype(k)));
    return bytes;
  }

  void set_streaming(const Limits& limits) {
    if (total_bytes() <= limits.l2_bytes / 2) return;
    for (int k = 0; k < work_.n_operands(); ++k) plan_.facts.operands[k].streaming = used(k) && !repeats(k);
  }

 private:
  /// Whether elements are met several times.
  bool repeats(int k) const {
    for (int axis = 0; axis < work_.ndim; ++axis)
      if (stride(k, axis) == 0 && length(axis) > 1) return true;
    return false;
  }

  std::int64_t total_bytes() const {
    std::int64_t bytes = 0;
    for (int k = 0; k < work_.n_operands(); ++k) {
      if (!used(k) || index(k)) continue;
      std::int64_t elements = size_of(dtype(k));
      for (int axis = 0; axis < work_.ndim; ++axis)
        if (stride(k, axis) != 0) elements *= length(axis);
      bytes += elements;
    }
    return bytes;
  }

  const Work& work_;
  const Roles& roles_;
  Plan& plan_;
};

int count_needed(const Work& work, const Roles& roles) {
  int count = 0;
  for (int i = 0; i < work.n_instructions; ++i) count += roles.needed[work.first_instruction() + i];
  return count;
}

// Threads of a block along the row: as many as possible, but not if too many of them would have nothing to do.
void choose_block(Plan& plan, std::int64_t vectors) {
  const auto padded = [&](std::int64_t x) { return ceil_div(vectors, x) * x; };
  std::int64_t best = block_threads;
  if (plan.rows > 1)
    for (std::int64_t x = block_threads / 2; x > 0; x /= 2)
      if (padded(best) * 15 > padded(x) * 16) best = x;
  const std::int64_t y = block_threads / best;
  const std::int64_t column_blocks = ceil_div(vectors, best);
  plan.block_x = static_cast<std::uint32_t>(best);
  plan.block_y = static_cast<std::uint32_t>(y);
  plan.grid = column_blocks * ceil_div(plan.rows, y);
  plan.extras[0] = column_blocks;
  plan.extras[1] = magic_of(column_blocks);
}

/// Tiles over the last axis and one along which an input's elements are neighbours. False if there is no such input.
bool plan_transposed(const Work& work, const Roles& roles, Layout& layout, Plan& plan) {
  constexpr std::int64_t shortest = 16;
  const int last = work.ndim - 1;
  if (work.ndim < 2 || layout.length(last) < shortest || layout.mode(work.first_output()) != Mode::linear) return false;
  int other = -1;
  for (int k = 0; k < work.n_inputs && other < 0; ++k)
    for (int axis = 0; axis < last && other < 0; ++axis)
      if (layout.mode(k) == Mode::strided && !layout.index(k) && layout.stride(k, axis) == 1 &&
          layout.length(axis) >= shortest)
        other = axis;
  if (other < 0) return false;

  std::rotate(plan.axes + other, plan.axes + other + 1, plan.axes + last);
  Facts& facts = plan.facts;
  facts.kernel = Kernel::transposed;
  facts.outer = static_cast<std::uint8_t>(work.ndim - 2);
  facts.inner = 2;
  plan.length = layout.length(last);
  plan.rows = 1;
  for (int axis = 0; axis < facts.outer; ++axis) plan.rows *= layout.length(axis);
  int shared_bytes = 0;
  for (int k = 0; k < work.n_inputs; ++k)
    if (layout.mode(k) == Mode::strided && !layout.index(k) && layout.stride(k, last - 1) == 1) {
      facts.operands[k].mode = Mode::tile;
      shared_bytes += size_of(layout.dtype(k));
    }
  const int largest = layout.largest([&](int k) { return layout.mode(k) == Mode::linear || layout.mode(k) == Mode::tile; });
  constexpr int tile_limit = 10;  // bytes of one position in a tile of 64 x 64, so that tiles fit into 48 KiB
  facts.tile = shared_bytes <= tile_limit && largest <= 4 ? 64 : 32;
  while (facts.tile > 16 && (facts.tile * (facts.tile + 4)) * shared_bytes > 48 * 1024) facts.tile /= 2;
  facts.width = static_cast<std::uint8_t>(std::min({16 / largest, facts.tile * facts.tile / block_threads, facts.tile / 4}));
  if (facts.width < 1) facts.width = 1;
  for (int k = 0; k < work.n_operands(); ++k) {
    OperandFacts& operand = facts.operands[k];
    if (operand.mode == Mode::linear) operand.aligned = layout.aligned(k, facts.width, last);
    if (operand.mode == Mode::tile) {
      operand.aligned = layout.aligned(k, facts.width, last - 1) && layout.stride(k, last) % facts.width == 0;
    }
  }
  const std::int64_t tile_rows = ceil_div(layout.length(last - 1), facts.tile);
  const std::int64_t tile_columns = ceil_div(plan.length, facts.tile);
  plan.extras[0] = layout.length(last - 1);
  plan.extras[1] = tile_rows;
  plan.extras[2] = magic_of(tile_rows);
  plan.extras[3] = tile_columns;
  plan.extras[4] = magic_of(tile_columns);
  plan.grid = plan.rows * tile_rows * tile_columns;
  facts.wide = plan.rows >= index_limit;
  static_cast<void>(roles);
  return true;
}

}  // namespace

int arity_of(const td_instruction& instruction) {
  if (instruction.kind == load_kind) return 0;
  if (instruction.kind != TD_MAP) return 1;
  static constexpr std::uint8_t arities[] = {
#define TD_OP(name, arity, ...) arity,
#include <tandem/ops.def>
  };
  return arities[instruction.op];
}

int size_of(int dtype) {
  static constexpr std::uint8_t sizes[] = {
#define X(name, type, text, bytes) bytes,
      TD_DTYPES(X)
#undef X
  };
  return sizes[dtype];
}

std::int64_t state_bytes(const td_instruction& reduction, bool wide) {
  const std::int64_t value = std::max(size_of(reduction.dtype), 4);
  const auto with = [&](std::int64_t bytes) { return (value + 2 * bytes - 1) / bytes * bytes; };
  if (reduction.op == TD_REDUCE_argmax || reduction.op == TD_REDUCE_argmin) return with(wide || value > 4 ? 8 : 4);
  return reduction.op == TD_REDUCE_prod ? with(8) : value;
}

bool has_kernel(const td_instruction& instruction) {
  static constexpr std::uint8_t operations[] = {
#define TD_OP(name, arity, types, ...) types,
#include <tandem/ops.def>
  };
  static constexpr std::uint8_t reductions[] = {
#define TD_REDUCTION(name, types, ...) types,
#include <tandem/ops.def>
  };
  if (instruction.dtype >= TD_DTYPE_COUNT || instruction.result >= TD_DTYPE_COUNT) return false;
  const unsigned kind = kind_of(instruction.dtype);
  switch (instruction.kind) {
    case TD_MAP: return instruction.op < TD_OP_COUNT && (operations[instruction.op] & kind) != 0;
    case TD_REDUCE: return instruction.op < TD_REDUCTION_COUNT && (reductions[instruction.op] & kind) != 0;
    default: return true;
  }
}

Roles::Roles(const Work& work) {
  const bool rows = work.n_reduced > 0;
  const int first_row_axis = work.ndim - work.n_reduced;
  const auto constant_along_row = [&](const td_operand& operand) {
    for (int axis = first_row_axis; axis < work.ndim; ++axis)
      if (operand.strides[axis] != 0) return false;
    return true;
  };
  const int n = work.n_values(), first = work.first_instruction();
  std::memset(needed, 0, static_cast<std::size_t>(n));
  std::memset(stage, 0, static_cast<std::size_t>(n));
  for (int i = 0; i < work.n_inputs; ++i) {
    dtype[i] = work.input_dtypes[i];
    row[i] = rows && constant_along_row(work.input_operands[i]);
  }
  for (int i = 0; i < work.n_constants; ++i) {
    dtype[work.n_inputs + i] = work.constant_dtypes[i];
    row[work.n_inputs + i] = rows;
  }
  for (int i = 0; i < work.n_instructions; ++i) {
    const td_instruction& instruction = work.instructions[i];
    const int v = first + i;
    dtype[v] = instruction.result;
    row[v] = rows;
    for (int k = 0, arity = arity_of(instruction); k < arity; ++k) {
      const int source = instruction.sources[k];
      stage[v] = std::max(stage[v], stage[source]);
      row[v] = row[v] && row[source];
    }
    if (instruction.kind == TD_REDUCE) {
      row[v] = true;
      ++stage[v];
    }
  }
  for (int i = 0; i < work.n_outputs; ++i) {
    const int v = work.outputs[i];
    needed[v] = true;
    row_output[i] = row[v];  // whatever its strides along the row
    (row_output[i] ? any_row_output : any_full_output) = true;
  }
  for (int i = work.n_instructions - 1; i >= 0; --i) {
    const int v = first + i;
    if (!needed[v]) continue;
    const td_instruction& instruction = work.instructions[i];
    for (int k = 0, arity = arity_of(instruction); k < arity; ++k) needed[instruction.sources[k]] = true;
    n_reductions += instruction.kind == TD_REDUCE;
    last_stage = std::max<int>(last_stage, stage[v]);
  }
}

const ExtraNames& extra_names(Kernel kernel) {
  static constexpr ExtraNames names[] = {
      {{"column_blocks", "column_magic"}, 2},
      {{"height", "tile_rows", "tile_row_magic", "tile_columns", "tile_column_magic"}, 5},
      {{"leaves", "slot_bits", "chunks", "chunk_magic"}, 4},
      {{"columns", "column_blocks", "column_magic", "leaves", "leaf_magic"}, 5},
      {{"count", "row_stride", "item_stride"}, 3},
      {{}, 0},
  };
  return names[static_cast<int>(kernel)];
}

Plan plan_map(const Limits& limits, const Work& work, const Roles& roles) {
  constexpr std::int64_t short_row = 1024;
  Plan plan;
  Layout layout(work, roles, plan);
  const auto outputs_contiguous = [&](int first) {
    for (int k = work.first_output(); k < work.n_operands(); ++k)
      if (!layout.contiguous(k, first)) return false;
    return true;
  };
  int inner = 1;
  for (std::int64_t length = layout.length(work.ndim - 1); inner < work.ndim && length < short_row; ++inner) {
    if (!outputs_contiguous(work.ndim - inner - 1)) break;
    length *= layout.length(work.ndim - inner - 1);
  }
  layout.split_axes(1);
  Facts& facts = plan.facts;
  layout.set_streaming(limits);
  if (plan_transposed(work, roles, layout, plan)) return plan;

  plan.rows = plan.length = 1;
  layout.split_axes(inner);
  facts.wide = plan.rows >= index_limit || (inner > 1 && plan.length >= index_limit);
  int largest = layout.largest([&](int k) { return layout.mode(k) == Mode::linear; });
  if (largest == 0) largest = layout.largest([&](int k) { return layout.mode(k) != Mode::zero; });
  if (largest == 0) largest = 4;
  // Long programs compute fewer elements at a time: code grows with the product, and memory is not what limits them.
  constexpr int code_limit = 256;
  int width = 16 / largest;
  while (width > 1 && width * count_needed(work, roles) > code_limit) width /= 2;
  facts.width = static_cast<std::uint8_t>(width);
  const int first_output = work.first_output();
  const bool aligned = layout.mode(first_output) != Mode::linear || layout.aligned(first_output, width, facts.outer);
  for (int k = 0; k < work.n_operands(); ++k)
    if (layout.mode(k) == Mode::linear) facts.operands[k].aligned = aligned && layout.aligned(k, width, facts.outer);
  choose_block(plan, ceil_div(plan.length + (aligned ? 0 : width - 1), width));
  return plan;
}

namespace {

/// The widest vectors, up to 16 bytes of `largest`, with which all operands that `choose` picks are aligned.
template <class Choose>
int aligned_width(const Work& work, const Layout& layout, int largest, int skip, Choose choose) {
  int width = largest == 0 ? 1 : 16 / largest;
  for (int k = 0; k < work.n_operands(); ++k)
    while (width > 1 && layout.used(k) && choose(k) && !layout.aligned(k, width, skip)) width /= 2;
  return width;
}

/// Bytes of all full inputs at one position.
int position_bytes(const Work& work, const Layout& layout) {
  int bytes = 0;
  for (int k = 0; k < work.n_inputs; ++k)
    if (layout.used(k) && !layout.row(k) && !layout.index(k)) bytes += size_of(layout.dtype(k));
  return bytes;
}

// The axis along which rows lie side by side in memory, -1 for none: no operand may have neighbours along the row.
int find_column_axis(const Work& work, const Layout& layout) {
  for (int k = 0; k < work.n_inputs; ++k)
    if (layout.used(k) && !layout.row(k) && layout.mode(k) == Mode::linear) return -1;
  for (int k = 0; k < work.n_inputs; ++k) {
    if (!layout.used(k) || layout.row(k) || layout.index(k)) continue;
    for (int axis = work.ndim - work.n_reduced - 1; axis >= 0; --axis)
      if (layout.stride(k, axis) == 1 && layout.length(axis) > 1) return axis;
  }
  return -1;
}

void plan_columns(const Work& work, const Roles& roles, Layout& layout, Plan& plan, int axis) {
  Facts& facts = plan.facts;
  facts.kernel = Kernel::columns;
  const int last = facts.outer - 1;
  std::rotate(plan.axes + axis, plan.axes + axis + 1, plan.axes + facts.outer);
  const auto linear = [&](int k) { return !layout.is_output(k) && layout.stride(k, last) == 1; };
  for (int k = 0; k < work.n_operands(); ++k) {
    if (!layout.used(k)) continue;
    facts.operands[k].mode =
        linear(k) ? Mode::linear : layout.stride(k, last) == 0 && !layout.is_output(k) ? Mode::zero : Mode::strided;
  }
  const std::int64_t columns = layout.length(last);
  const auto vector = [&](int k) { return linear(k) && !layout.index(k); };
  int width = 16 / std::max(1, layout.largest(vector));
  for (int k = 0; k < work.n_operands(); ++k) {
    if (!layout.used(k) || !vector(k)) continue;
    const auto fits = [&] {
      for (int inner = facts.outer; inner < work.ndim; ++inner)
        if (layout.stride(k, inner) % width != 0) return false;
      return layout.aligned(k, width, last);
    };
    while (width > 1 && (columns % width != 0 || !fits())) width /= 2;
  }
  const auto lanes = static_cast<int>(std::min<std::int64_t>(leaf_lanes, power_above(plan.length)));
  std::int64_t states_bytes = 0;  // of one element
  for (int i = 0; i < work.n_instructions; ++i)
    if (work.instructions[i].kind == TD_REDUCE && roles.needed[work.first_instruction() + i])
      states_bytes += state_bytes(work.instructions[i], facts.wide);
  // A thread holds lanes / sharing lanes of each of its columns: about eight, so that as many loads are under way.
  constexpr int lanes_per_thread = 8, register_bytes = 256, code_limit = 512;
  const std::int64_t vectors = ceil_div(columns, width);
  std::int64_t x = std::min<std::int64_t>(power_above(vectors), lanes == leaf_lanes ? 16 : 32);
  std::int64_t sharing = std::min<std::int64_t>(lanes, block_threads / x);
  while (sharing > 1 && lanes / sharing < lanes_per_thread && x * 2 <= power_above(vectors)) {
    sharing /= 2;
    x *= 2;
  }
  if (sharing == 1) x = std::min<std::int64_t>(power_above(vectors), block_threads);
  while (width > 1 && width * (lanes / sharing) * states_bytes > register_bytes) width /= 2;
  int steps = static_cast<int>(std::clamp<std::int64_t>(
      lanes_per_thread * sharing / lanes, 1, ceil_div(std::min<std::int64_t>(plan.length, leaf_length), lanes)));
  const auto too_long = [&] { return steps * width * (lanes / sharing) * count_needed(work, roles) > code_limit; };
  while (steps > 1 && too_long()) steps /= 2;
  while (width > 1 && too_long()) width /= 2;
  const std::int64_t leaves = ceil_div(plan.length, leaf_length);
  const std::int64_t column_blocks = ceil_div(columns, x * width);
  facts.width = static_cast<std::uint8_t>(width);
  facts.lanes = static_cast<std::uint8_t>(lanes);
  facts.threads = static_cast<std::uint8_t>(sharing);
  facts.steps = static_cast<std::uint8_t>(steps);
  facts.several = sharing > 1;
  facts.partial = leaves > 1;
  for (int k = 0; k < work.n_operands(); ++k) facts.operands[k].aligned = facts.operands[k].mode == Mode::linear;
  plan.block_x = static_cast<std::uint32_t>(x);
  plan.block_y = static_cast<std::uint32_t>(sharing);
  plan.extras[0] = columns;
  plan.extras[1] = column_blocks;
  plan.extras[2] = magic_of(column_blocks);
  plan.extras[3] = leaves;
  plan.extras[4] = magic_of(leaves);
  plan.grid = column_blocks * leaves * (plan.rows / columns);
}

/// How the lanes of a leaf lie in vectors of `width` over threads that hold `held` lanes each.
void set_lanes(Facts& facts, int lanes, int width, int held) {
  facts.width = static_cast<std::uint8_t>(width);
  facts.vectors = static_cast<std::uint8_t>(held / width);
  facts.threads = static_cast<std::uint8_t>(lanes / held);
}

}  // namespace

Plan plan_reduction(const Limits& limits, const Work& work, const Roles& roles) {
  Plan plan;
  Layout layout(work, roles, plan);
  layout.split_axes(work.n_reduced);
  Facts& facts = plan.facts;
  layout.set_streaming(limits);
  facts.wide = plan.rows >= index_limit || plan.length >= index_limit;
  if (const int axis = find_column_axis(work, layout); axis >= 0) {
    plan_columns(work, roles, layout, plan, axis);
    return plan;
  }

  facts.kernel = Kernel::leaves;
  const auto vector = [&](int k) { return layout.mode(k) == Mode::linear && !layout.index(k); };
  const auto lanes = static_cast<int>(std::min<std::int64_t>(leaf_lanes, power_above(plan.length)));
  const int width = std::min(lanes, aligned_width(work, layout, layout.largest(vector), facts.outer, vector));
  const int held = std::max(width, std::min(4, lanes));
  set_lanes(facts, lanes, width, held);
  facts.whole = plan.length % width == 0;
  facts.lanes = static_cast<std::uint8_t>(lanes);

  // Steps at a time: about 128 bytes under way per thread, unless the code would grow too long.
  constexpr int bytes_under_way = 128, elements_limit = 64, code_limit = 512;
  int steps = static_cast<int>(std::min<std::int64_t>(8, ceil_div(std::min<std::int64_t>(plan.length, leaf_length), lanes)));
  steps = static_cast<int>(std::bit_ceil(static_cast<unsigned>(steps)));
  const int bytes = std::max(1, position_bytes(work, layout));
  while (steps > 1 && (steps * held * bytes > bytes_under_way || steps * held > elements_limit ||
                       steps * held * count_needed(work, roles) > code_limit))
    steps /= 2;
  facts.steps = static_cast<std::uint8_t>(steps);

  // Rows that end within a turn: as many at once as keep the same number of bytes under way.
  if (plan.length <= steps * lanes) {
    const auto fewer = static_cast<int>(ceil_div(plan.length, facts.threads));  // elements of a thread, or more
    int rows = 1;
    while (rows < 8 && 2 * rows * fewer * bytes <= bytes_under_way && 2 * rows * steps * held <= elements_limit &&
           2 * rows * steps * held * count_needed(work, roles) <= code_limit &&
           plan.rows >= 2 * rows * (block_threads / facts.threads) * std::int64_t{limits.multiprocessors})
      rows *= 2;
    facts.rows = static_cast<std::uint8_t>(rows);
  }

  const std::int64_t leaves = ceil_div(plan.length, leaf_length), in_block = block_threads / facts.threads;
  const std::int64_t slots = leaves == 1 ? 1 : std::min(in_block, power_above(leaves));
  const std::int64_t chunks = ceil_div(leaves, slots);
  facts.several = leaves > 1;
  facts.partial = chunks > 1;
  for (int k = 0; k < work.n_operands(); ++k) facts.operands[k].aligned = layout.mode(k) == Mode::linear;
  plan.extras[0] = leaves;
  plan.extras[1] = std::countr_zero(static_cast<std::uint64_t>(slots));
  plan.extras[2] = chunks;
  plan.extras[3] = magic_of(chunks);
  plan.grid = ceil_div(plan.rows, in_block / slots * std::max<int>(facts.rows, 1)) * chunks;
  return plan;
}

std::int64_t count_partials(const Plan& plan) {
  return plan.rows * plan.extras[plan.facts.kernel == Kernel::columns ? 3 : 2];
}

Plan plan_finish(const Work& work, const Roles& roles, const Plan& first) {
  static_cast<void>(work);
  static_cast<void>(roles);
  Plan plan = first;
  const bool columns = first.facts.kernel == Kernel::columns;
  const std::int64_t count = first.extras[columns ? 3 : 2];
  plan.facts.kernel = Kernel::finish;
  plan.facts.partial = false;
  plan.facts.several = plan.facts.whole = false;
  plan.facts.threads = count <= 8 ? 1 : count <= 8 * 32 ? 32 : 0;  // 0: the block
  plan.facts.width = plan.facts.vectors = plan.facts.steps = 1;
  plan.facts.lanes = plan.facts.rows = 0;
  for (OperandFacts& operand : plan.facts.operands) {
    operand.aligned = operand.streaming = false;
    if (operand.mode != Mode::unused) operand.mode = operand.row ? Mode::zero : Mode::unused;
  }
  plan.extras[0] = count;
  plan.extras[1] = columns ? 1 : count;
  plan.extras[2] = columns ? plan.rows : 1;
  const std::int64_t rows_per_block = plan.facts.threads == 0 ? 1 : block_threads / plan.facts.threads;
  plan.grid = ceil_div(plan.rows, rows_per_block);
  plan.block_x = block_threads;
  plan.block_y = 1;
  return plan;
}

bool plan_staged(const Limits& limits, const Work& work, const Roles& roles, Plan* result) {
  Plan& plan = *result = Plan();
  Layout layout(work, roles, plan);
  layout.split_axes(work.n_reduced);
  Facts& facts = plan.facts;
  facts.kernel = Kernel::staged;
  layout.set_streaming(limits);
  facts.wide = plan.rows >= index_limit;
  if (plan.length > TD_MAX_STAGED_ROW) return false;
  int linear = 0, bytes = 0;
  for (int k = 0; k < work.n_operands(); ++k) {
    if (!layout.used(k) || layout.row(k)) continue;
    if (layout.mode(k) == Mode::split) return false;
    if (layout.mode(k) == Mode::linear && !layout.index(k)) ++linear;
    if (!layout.is_output(k)) bytes += size_of(layout.dtype(k));
  }
  if (linear == 0) return false;
  // Values that outlive their stage stay in registers as well.
  for (int i = 0; i < work.n_instructions; ++i) {
    const int v = work.first_instruction() + i;
    if (roles.needed[v] && !roles.row[v] && roles.stage[v] < roles.last_stage) bytes += size_of(roles.dtype[v]);
  }
  constexpr int thread_bytes = 384, thread_bytes_limit = 768, code_limit = 2048;
  const auto lanes = static_cast<int>(std::min<std::int64_t>(leaf_lanes, power_above(plan.length)));
  const std::int64_t leaves = ceil_div(plan.length, leaf_length);
  int steps = static_cast<int>(ceil_div(std::min<std::int64_t>(plan.length, leaf_length), lanes));
  if (steps > 8) steps = static_cast<int>(ceil_div(steps, 4) * 4);
  int held = std::min(4, lanes);
  while (held > 1 && lanes == leaf_lanes && held * steps * bytes > thread_bytes) held /= 2;
  if (held * steps * bytes > thread_bytes_limit || held * steps * count_needed(work, roles) > code_limit) return false;
  if (leaves > 1 && lanes / held <= 32) held = 1;  // groups of several warps combine through shared memory

  const auto vector = [&](int k) { return layout.mode(k) == Mode::linear && !layout.row(k) && !layout.index(k); };
  const int width = std::min(held, aligned_width(work, layout, layout.largest(vector), facts.outer, vector));
  set_lanes(facts, lanes, width, held);
  facts.whole = plan.length % width == 0;
  facts.lanes = static_cast<std::uint8_t>(lanes);
  facts.steps = static_cast<std::uint8_t>(steps);
  facts.groups = static_cast<std::uint8_t>(leaves);
  for (int k = 0; k < work.n_operands(); ++k) facts.operands[k].aligned = layout.mode(k) == Mode::linear;
  const auto row_threads = static_cast<std::uint32_t>(facts.threads * leaves);
  plan.block_x = std::max<std::uint32_t>(row_threads, block_threads);
  if (leaves > 1) plan.block_x = row_threads;
  plan.grid = ceil_div(plan.rows, plan.block_x / row_threads);
  return true;
}

void encode(const Work& work, const Plan& plan, std::string* key) {
  const Facts& facts = plan.facts;
  const auto put = [&](auto... values) {
    const char bytes[] = {static_cast<char>(values)...};
    key->append(bytes, sizeof bytes);
  };
  key->clear();
  put(facts.kernel, facts.wide | facts.partial << 1 | facts.several << 2 | facts.whole << 3, facts.outer, facts.inner,
      facts.width, facts.vectors, facts.threads, facts.steps, facts.groups, facts.rows, facts.lanes, facts.tile, work.n_inputs,
      work.n_constants, work.n_instructions, work.n_loads, work.n_outputs, work.n_reduced != 0);
  const auto append = [&](const void* data, int bytes) {
    key->append(static_cast<const char*>(data), static_cast<std::size_t>(bytes));
  };
  append(work.input_dtypes, work.n_inputs);
  append(work.constant_dtypes, work.n_constants);
  append(work.outputs, work.n_outputs);
  for (int i = 0; i < work.n_instructions; ++i) {
    const td_instruction& instruction = work.instructions[i];
    put(instruction.kind, instruction.op, instruction.dtype, instruction.result);
    append(instruction.sources, arity_of(instruction));
  }
  for (int k = 0; k < work.n_operands(); ++k) {
    const OperandFacts& operand = facts.operands[k];
    put(static_cast<int>(operand.mode) | operand.aligned << 3 | operand.index << 4 | operand.row << 5 | operand.streaming << 6);
  }
}

Arguments::Arguments(const Work& work, const Roles& roles, const Plan& plan) {
  unsigned char* next = bytes_;
  const Facts& facts = plan.facts;
  const auto axis_length = [&](int axis) { return work.shape[plan.axes[axis]]; };
  const auto value = [&](Field field, int i, int axis) -> std::int64_t {
    switch (field) {
      case Field::rows: return plan.rows;
      case Field::length: return plan.length;
      case Field::outer_length: return axis_length(i);
      case Field::outer_magic: return magic_of(axis_length(i));
      case Field::inner_length: return axis_length(facts.outer + i);
      case Field::inner_magic: return magic_of(axis_length(facts.outer + i));
      case Field::extra: return plan.extras[i];
      case Field::partials: return reinterpret_cast<std::intptr_t>(plan.partials[i]);
      case Field::pointer: return reinterpret_cast<std::intptr_t>(work.operand(i).data);
      case Field::outer_stride: return work.operand(i).strides[plan.axes[axis]];
      default: return work.operand(i).strides[plan.axes[facts.outer + axis]];
    }
  };
  each_argument(work, roles, facts, [&](Field field, int i, int axis) {
    if (field == Field::constant) {
      std::memcpy(next, work.constants[i].bytes, 16);
      next += 16;
    } else {
      const std::int64_t word = value(field, i, axis);
      std::memcpy(next, &word, 8);
      next += 8;
    }
  });
}

}  // namespace tandem::cuda
