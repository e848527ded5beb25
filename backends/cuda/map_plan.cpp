// Plans of programs without reductions.
#include <algorithm>

#include "layout.hpp"

namespace tandem::cuda {

namespace {

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
bool plan_transposed(const Work& work, Layout& layout, Plan& plan) {
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
  constexpr int shared_limit = 32, shared_limit_of_large = 10;  // bytes of a position, so that tiles fit into 48 KiB
  int shared_bytes = 0;
  for (int k = 0; k < work.n_inputs; ++k) {
    if (layout.mode(k) != Mode::strided || layout.index(k) || layout.stride(k, last - 1) != 1) continue;
    if (shared_bytes + size_of(layout.dtype(k)) > shared_limit) continue;
    facts.operands[k].mode = Mode::tile;
    shared_bytes += size_of(layout.dtype(k));
  }
  const int largest =
      layout.largest([&](int k) { return layout.mode(k) == Mode::linear || layout.mode(k) == Mode::tile; });
  facts.tile = shared_bytes <= shared_limit_of_large && largest <= 4 ? 64 : 32;
  facts.width =
      static_cast<std::uint8_t>(std::min({16 / largest, facts.tile * facts.tile / block_threads, facts.tile / 4}));
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
  return true;
}

}  // namespace

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
  if (plan_transposed(work, layout, plan)) return plan;

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

}  // namespace tandem::cuda
