// Plans of programs with reductions.
#include <algorithm>

#include "layout.hpp"

namespace tandem::cuda {

namespace {

constexpr std::int64_t shared_bytes_limit = 40 << 10;  // of a block, of the 48 KiB that every block may have

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

/// Bytes of the states of all reductions.
std::int64_t states_bytes(const Work& work, const Roles& roles, bool wide) {
  std::int64_t bytes = 0;
  for (int i = 0; i < work.n_instructions; ++i)
    if (work.instructions[i].kind == TD_REDUCE && roles.needed[work.first_instruction() + i])
      bytes += state_bytes(work.instructions[i], wide);
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
    facts.operands[k].mode = linear(k)                                             ? Mode::linear
                             : layout.stride(k, last) == 0 && !layout.is_output(k) ? Mode::zero
                                                                                   : Mode::strided;
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
  const std::int64_t states = states_bytes(work, roles, facts.wide);
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
  while (width > 1 && width * (lanes / sharing) * states > register_bytes) width /= 2;
  int steps = static_cast<int>(std::clamp<std::int64_t>(
      lanes_per_thread * sharing / lanes, 1, ceil_div(std::min<std::int64_t>(plan.length, leaf_length), lanes)));
  const auto too_long = [&] { return steps * width * (lanes / sharing) * count_needed(work, roles) > code_limit; };
  while (steps > 1 && too_long()) steps /= 2;
  while (width > 1 && too_long()) width /= 2;
  while (width > 1 && block_threads * width * states > shared_bytes_limit) width /= 2;
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
  int steps =
      static_cast<int>(std::min<std::int64_t>(8, ceil_div(std::min<std::int64_t>(plan.length, leaf_length), lanes)));
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

Plan plan_finish(const Plan& first) {
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
  constexpr int thread_bytes = 384, thread_bytes_limit = 768, code_limit = 1024;
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
  const std::int64_t block_leaves = leaves > 1 ? leaves : block_threads / facts.threads;
  if (facts.threads > 32 && block_leaves * leaf_lanes * states_bytes(work, roles, facts.wide) > shared_bytes_limit)
    return false;
  const auto row_threads = static_cast<std::uint32_t>(facts.threads * leaves);
  plan.block_x = std::max<std::uint32_t>(row_threads, block_threads);
  if (leaves > 1) plan.block_x = row_threads;
  plan.grid = ceil_div(plan.rows, plan.block_x / row_threads);
  return true;
}

}  // namespace tandem::cuda
