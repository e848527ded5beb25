#include "worker.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tandem::cpu {
namespace {

constexpr int64_t nothing = INT64_MIN;
constexpr int64_t piece = 128;           // elements that are computed and streamed at a time
constexpr int64_t shortest_ahead = 256;  // blocks shorter than this are not worth looking ahead

}  // namespace

void make_layout(const Tiling& t, bool with_results, Layout& layout) noexcept {
  const Plan& plan = *t.plan;
  const int64_t block = padded(t.block_positions * t.max_width);
  layout.slot_bytes = align(block * plan.max_size) + 64;  // not a power of two: slots should not compete for cache sets
  int64_t bytes = plan.n_slots * layout.slot_bytes;
  const auto take = [&](int64_t wanted) {
    const int64_t at = bytes;
    bytes += align(wanted) + 64;
    return at;
  };
  for (int i = 0; i < plan.n_reductions; ++i) {
    const Reduction& reduction = plan.reductions[i];
    const int64_t size = plan.values[reduction.source].size();
    layout.lanes[i] = take(reduction.searcher ? align(t.max_width * size) + t.max_width * int64_t{sizeof(int64_t)}
                                              : lane_count * t.max_width * size);
    layout.results[i] = 0;
    if (with_results && reduction.combiner) layout.results[i] = take(t.leaves * t.max_width * size);
  }
  const int64_t tile_elements = t.row_length * t.max_width + 2 * block_unit;  // the last block is padded
  for (int id = 0; plan.n_kept > 0 && id < plan.n_ids; ++id)
    if (plan.values[id].place == Place::kept)
      layout.kept[plan.values[id].slot] = take(tile_elements * plan.values[id].size());
  for (int i = 0; plan.n_stages > 1 && i < plan.n_inputs; ++i)
    if (t.operands[i].copied_at >= 0) layout.copies[i] = take(tile_elements * t.operands[i].size());
  for (int i = 0; t.panel_at >= 0 && i < plan.n_inputs; ++i)
    if (t.operands[i].in_panel) layout.copies[i] = take(t.panel_rows * padded(t.chunk) * t.operands[i].size());
  layout.piece = take(piece * plan.max_size);
  layout.bytes = bytes;
}

Worker::Worker(const Tiling& tiling, const Layout& layout) noexcept
    : t_(tiling),
      plan_(*tiling.plan),
      layout_(layout),
      movers_(*kernels().movers),
      scratch_(layout.bytes <= int64_t{sizeof local_} ? 0 : layout.bytes) {
  arena_ = layout.bytes <= int64_t{sizeof local_} ? local_ : scratch_.as<char>();
  if (!arena_) return;
  for (int i = 0; i < plan_.n_inputs; ++i) filled_[i] = nothing;
  const int64_t block = padded(t_.block_positions * t_.max_width);
  for (int id = 0; id < plan_.n_ids; ++id) {
    if (plan_.values[id].place != Place::kept) at_[id] = slot(static_cast<Id>(id));
    if (plan_.values[id].form == Form::constant)
      movers_.fill[plan_.values[id].size_class](at_[id], &t_.program->constants[id - plan_.n_inputs], block);
  }
}

// ---- tiles ----

void Worker::start(int64_t tile) noexcept {
  for (int at = t_.chunk_at; at >= 0; --at) {
    const int64_t steps = at == 0 ? t_.tiles : (t_.length(at) + t_.step(at) - 1) / t_.step(at);
    coordinates_[at] = (at == 0 ? tile : tile % steps) * t_.step(at);
    tile /= steps;
  }
}

void Worker::next_tile() noexcept {
  for (int at = t_.chunk_at; at >= 0; --at) {
    coordinates_[at] += t_.step(at);
    if (coordinates_[at] < t_.length(at)) return;
    coordinates_[at] = 0;
  }
}

void Worker::enter_tile() noexcept {
  chunk_ = t_.chunk_at < 0 ? 1 : std::min(t_.chunk, t_.length(t_.chunk_at) - coordinates_[t_.chunk_at]);
  width_ = chunk_ * t_.inner;
  for (int i = 0; i < t_.n_operands; ++i) {
    int64_t offset = 0;
    for (int at = 0; at <= t_.chunk_at; ++at) offset += coordinates_[at] * t_.operands[i].strides[t_.axes[at]];
    base_[i] = offset;
  }
}

void Worker::run_tiles(int64_t first, int64_t last) noexcept {
  start(first);
  for (int64_t tile = first; tile < last; ++tile, next_tile()) {
    enter_tile();
    if (t_.has_rows())
      run_row_tile();
    else
      run_map_tile();
  }
  movers_.fence();
}

void Worker::run_map_tile() noexcept {
  if (t_.panel_at < 0) return run_block(0, 0, 1);
  fill_panels();
  const int64_t rows = std::min(t_.panel_rows, t_.length(t_.panel_at) - coordinates_[t_.panel_at]);
  const int axis = t_.axes[t_.panel_at];
  for (panel_row_ = 0; panel_row_ < rows; ++panel_row_) {
    run_block(0, 0, 1);
    for (int i = 0; i < t_.n_operands; ++i) base_[i] += t_.operands[i].strides[axis];
  }
}

void Worker::run_row_tile() noexcept {
  LeafResults results;
  for (int i = 0; i < plan_.n_reductions; ++i) {
    results.values[i] = arena_ + layout_.results[i];
    results.positions[i] = nullptr;
  }
  fetch_row_inputs();
  for (int s = 0; s < plan_.n_stages; ++s) {
    enter_stage(s);
    const Stage &stage = plan_.stages[s], &end = plan_.stages[s + 1];
    if (stage.steps == end.steps && stage.reductions == end.reductions && stage.outputs == 0) continue;
    reset_searches(s);
    for (int64_t leaf = 0; leaf < t_.leaves; ++leaf) walk_leaf(s, leaf, results);
    leave_stage(s, results);
  }
  store_row_outputs();
}

void Worker::enter_stage(int s) noexcept {
  const Stage &stage = plan_.stages[s], &end = plan_.stages[s + 1];
  run_steps(plan_.row_steps + stage.row_steps, plan_.row_steps + end.row_steps, padded(width_));
  for (int i = stage.expansions; i < end.expansions; ++i) {
    const Expansion expansion = plan_.expansions[i];
    const int size_class = plan_.values[expansion.from].size_class;
    const int64_t count = std::min(t_.block_positions, t_.row_length);
    if (width_ == 1)
      movers_.fill[size_class](at_[expansion.to], at_[expansion.from], padded(count));
    else
      movers_.copy[size_class](at_[expansion.to], width_, 1, at_[expansion.from], 0, 1, count, width_);
  }
}

void Worker::leave_stage(int s, const LeafResults& results) noexcept {
  for (int i = plan_.stages[s].reductions; i < plan_.stages[s + 1].reductions; ++i) combine_leaves(i, results);
}

void Worker::walk_leaf(int s, int64_t leaf, const LeafResults& results) noexcept {
  const int64_t first = leaf * leaf_length, last = std::min(first + leaf_length, t_.row_length);
  for (int64_t position = first; position < last; position += t_.block_positions) {
    const int64_t count = std::min(t_.block_positions, last - position);
    run_block(s, position, count);
    for (int i = plan_.stages[s].reductions; i < plan_.stages[s + 1].reductions; ++i) accumulate(i, position, count);
  }
  for (int i = plan_.stages[s].reductions; i < plan_.stages[s + 1].reductions; ++i)
    finish_leaf(i, leaf, last - first, results);
}

void Worker::store_row_outputs() noexcept {
  for (int i = 0; i < plan_.n_outputs; ++i)
    if (!plan_.is_full_output(i)) store(t_.output(i), base_[plan_.n_inputs + i], 0, 1, at_[plan_.outputs[i]]);
}

// Leaves of one tile share what enter_tile and enter_stage make.
void Worker::run_leaves(int64_t first, int64_t last, const LeafResults* results) noexcept {
  for (int64_t unit = first; unit < last; ++unit) {
    const int64_t tile = unit / t_.leaves, leaf = unit % t_.leaves;
    if (unit == first || leaf == 0) {
      start(tile);
      enter_tile();
      fetch_row_inputs();
      enter_stage(0);
      reset_searches(0);
    }
    walk_leaf(0, leaf, results[tile]);
  }
  movers_.fence();
}

void Worker::finish_tiles(int64_t first, int64_t last, const LeafResults* results) noexcept {
  start(first);
  for (int64_t tile = first; tile < last; ++tile, next_tile()) {
    enter_tile();
    fetch_row_inputs();
    enter_stage(0);
    leave_stage(0, results[tile]);
    for (int s = 1; s < plan_.n_stages; ++s) enter_stage(s);
    store_row_outputs();
  }
}

// ---- blocks ----

void Worker::run_steps(const Step* first, const Step* last, int64_t n) const noexcept {
  for (const Step* step = first; step != last; ++step)
    step->run(at_[step->target], at_[step->sources[0]], at_[step->sources[1]], at_[step->sources[2]],
              at_[step->sources[3]], n);
}

// While several steps work on a block the processor's own prefetching pauses: after each of them a part of the next
// block is asked for, few enough lines at a time not to wait for any.
void Worker::divide_ahead(int64_t parts) noexcept {
  for (int i = 0; i < n_ahead_; ++i) ahead_[i].part = align((ahead_[i].end - ahead_[i].next) / parts);
}

void Worker::fetch_ahead() noexcept {
  for (int i = 0; i < n_ahead_; ++i) {
    Ahead& ahead = ahead_[i];
    for (const int64_t stop = std::min(ahead.next + ahead.part, ahead.end); ahead.next < stop; ahead.next += 64)
      __builtin_prefetch(reinterpret_cast<const void*>(ahead.next));
  }
}

void Worker::run_block(int s, int64_t position, int64_t count) noexcept {
  const Stage &stage = plan_.stages[s], &end = plan_.stages[s + 1];
  const int64_t n = count * width_;
  n_ahead_ = 0;
  for (uint32_t inputs = stage.inputs; inputs != 0; inputs &= inputs - 1)
    fetch(std::countr_zero(inputs), s, position, count);
  for (int id = 0; plan_.n_kept > 0 && id < plan_.n_ids; ++id) {
    const Value& value = plan_.values[id];
    if (value.place == Place::kept) at_[id] = arena_ + layout_.kept[value.slot] + position * width_ * value.size();
  }
  uint32_t waiting = stage.outputs;
  for (uint32_t outputs = stage.outputs; outputs != 0; outputs &= outputs - 1) {
    const int i = std::countr_zero(outputs);
    if (offer_output(i, position, count)) waiting &= ~(1u << i);
  }
  const Step *first = plan_.steps + stage.steps, *last = plan_.steps + end.steps;
  const int streamed = n < shortest_ahead || first == last ? -1 : streamed_by(last[-1], waiting, count);
  if (streamed < 0 && (last - first < 2 || n < shortest_ahead)) {
    run_steps(first, last, padded(n));
  } else {
    const Step* plain_end = streamed < 0 ? last : last - 1;
    divide_ahead(plain_end - first + (streamed < 0 ? 0 : (n + piece - 1) / piece));
    for (const Step* step = first; step != plain_end; ++step) {
      run_steps(step, step + 1, padded(n));
      fetch_ahead();
    }
    if (streamed >= 0) {
      const Operand& x = t_.output(streamed);
      run_streaming(last[-1], x.data + (base_[plan_.n_inputs + streamed] + offset_of(x, position)) * x.size(), n);
      waiting &= ~(1u << streamed);
    }
  }
  for (; waiting != 0; waiting &= waiting - 1) {
    const int i = std::countr_zero(waiting);
    store(t_.output(i), base_[plan_.n_inputs + i], position, count, at_[plan_.outputs[i]]);
  }
}

/// The output that goes past the caches as soon as the step has made it, or -1.
int Worker::streamed_by(const Step& step, uint32_t waiting, int64_t count) const noexcept {
  if (std::popcount(waiting) != 1) return -1;  // another output might be the same value
  const int i = std::countr_zero(waiting);
  const Operand& x = t_.output(i);
  return x.streams && plan_.outputs[i] == step.target && plan_.values[step.target].place == Place::shared &&
                 points_into(x, count)
             ? i
             : -1;
}

/// Runs the last step of a block in pieces, so that reading, computing and writing overlap.
void Worker::run_streaming(const Step& step, char* to, int64_t n) noexcept {
  const char* sources[TD_MAX_SOURCES];
  int64_t sizes[TD_MAX_SOURCES];
  for (int k = 0; k < TD_MAX_SOURCES; ++k) {
    sources[k] = static_cast<const char*>(at_[step.sources[k]]);
    sizes[k] = plan_.values[step.sources[k]].size();
  }
  const int64_t size = plan_.values[step.target].size();
  char* own = arena_ + layout_.piece;
  for (int64_t i = 0; i < n; i += piece) {
    const int64_t count = std::min(piece, n - i);
    step.run(own, sources[0] + i * sizes[0], sources[1] + i * sizes[1], sources[2] + i * sizes[2],
             sources[3] + i * sizes[3], padded(count));
    fetch_ahead();
    movers_.stream(to + i * size, own, count * size);
  }
}

/// Whether the block's elements are adjacent in memory.
bool Worker::points_into(const Operand& x, int64_t count) const noexcept {
  return x.is_run() && (count == 1 || (x.linear && x.position_stride == width_));
}

/// How far behind a block of n elements lies what will be read next.
int64_t Worker::distance_ahead(const Operand& x, int s, int64_t n) const noexcept {
  if (t_.panel_at >= 0) return x.strides[t_.axes[t_.panel_at]];
  if (s > 0 && t_.chunk_at >= 0) return t_.chunk * x.strides[t_.axes[t_.chunk_at]];  // this row has been read
  return plan_.stages[s + 1].steps - plan_.stages[s].steps > 1 ? n : 2 * piece;
}

void Worker::fetch(int i, int stage, int64_t position, int64_t count) noexcept {
  const Operand& x = t_.operands[i];
  if (x.in_panel) {
    at_[i] = arena_ + layout_.copies[i] + panel_row_ * padded(t_.chunk) * x.size();
    return;
  }
  const int64_t n = count * width_, offset = offset_of(x, position);
  const int64_t at = base_[i] + offset;
  if (x.by_rows) {
    at_[i] = x.data + at * x.size();
    return;
  }
  char* own = slot(static_cast<Id>(i));
  if (x.copied_at >= 0) {
    own = arena_ + layout_.copies[i] + position * width_ * x.size();
    at_[i] = own;
    if (x.copied_at == stage) copy_positions<true>(x, base_[i], position, count, own);
    return;
  }
  if (x.data && points_into(x, count)) {
    char* data = x.data + at * x.size();
    if (n == padded(n) || data + padded(n) * x.size() <= x.end) {
      at_[i] = data;
      const int64_t from = reinterpret_cast<int64_t>(data) + distance_ahead(x, stage, n) * x.size();
      ahead_[n_ahead_++] = {from, from + n * x.size(), 0};
    } else {
      std::memcpy(own, data, n * x.size());
      at_[i] = own;
    }
    return;
  }
  at_[i] = own;
  if (!t_.has_rows()) {
    if (filled_[i] == at && filled_width_[i] >= n) return;
    filled_[i] = at;
    filled_width_[i] = n;
  }
  copy_positions<true>(x, base_[i], position, count, own);
}

void Worker::fetch_row_inputs() noexcept {
  n_ahead_ = 0;
  for (int i = 0; i < plan_.n_inputs; ++i)
    if (plan_.values[i].form == Form::row) fetch(i, 0, 0, 1);
}

void Worker::fill_panels() noexcept {
  const int row_axis = t_.axes[t_.panel_at], column_axis = t_.axes[t_.chunk_at];
  const int64_t rows = std::min(t_.panel_rows, t_.length(t_.panel_at) - coordinates_[t_.panel_at]);
  for (int i = 0; i < plan_.n_inputs; ++i) {
    const Operand& x = t_.operands[i];
    if (x.in_panel)
      movers_.copy[x.size_class](arena_ + layout_.copies[i], padded(t_.chunk), 1, x.data + base_[i] * x.size(),
                                 x.strides[row_axis], x.strides[column_axis], rows, chunk_);
  }
}

/// Lets the step that makes an output write it itself; false if the block must be stored afterwards.
bool Worker::offer_output(int i, int64_t position, int64_t count) noexcept {
  const Operand& x = t_.output(i);
  const int64_t n = count * width_;
  if (!x.direct) return false;
  const Id id = plan_.outputs[i];
  const bool offered = n == padded(n) && points_into(x, count);
  at_[id] = offered ? x.data + (base_[plan_.n_inputs + i] + offset_of(x, position)) * x.size() : slot(id);
  return offered;
}

void Worker::store(const Operand& x, int64_t base, int64_t position, int64_t count, const void* from) const noexcept {
  if (!points_into(x, count))
    return copy_positions<false>(x, base, position, count, static_cast<char*>(const_cast<void*>(from)));
  char* to = x.data + (base + offset_of(x, position)) * x.size();
  const int64_t bytes = count * width_ * x.size();
  if (x.streams)
    movers_.stream(to, from, bytes);
  else
    std::memcpy(to, from, bytes);
}

// ---- strided copies ----

int64_t Worker::offset_of(const Operand& x, int64_t position) const noexcept {
  if (x.linear) return position * x.position_stride;
  int64_t offset = 0;
  for (int axis = t_.program->ndim - 1; position > 0; --axis) {
    offset += position % t_.program->shape[axis] * x.strides[axis];
    position /= t_.program->shape[axis];
  }
  return offset;
}

int Worker::box_of(const Operand& x, Dimension* dimensions) const noexcept {
  std::copy_n(x.box, x.n_box, dimensions);
  if (x.n_box > 0) dimensions[0].length *= chunk_;
  return x.n_box;
}

/// Copies between a block and an operand; `offset` is that of position 0.
template <bool gathers>
void Worker::copy_positions(const Operand& x, int64_t offset, int64_t position, int64_t count,
                            char* block) const noexcept {
  Dimension dimensions[TD_MAX_NDIM + 1];
  const int n_box = box_of(x, dimensions + 1);
  if (x.linear || count == 1) {
    dimensions[0] = {count, x.position_stride};
    const int skip = count == 1;
    return copy_box<gathers>(x, offset + offset_of(x, position), dimensions + skip, n_box + 1 - skip, block);
  }
  const int last_axis = t_.program->ndim - 1;
  const int64_t run = t_.program->shape[last_axis];
  while (count > 0) {
    const int64_t part = std::min(count, run - position % run);
    dimensions[0] = {part, x.position_stride};
    copy_box<gathers>(x, offset + offset_of(x, position), dimensions, n_box + 1, block);
    block += part * width_ * x.size();
    position += part;
    count -= part;
  }
}

/// Copies a box; the first dimension is the outermost.
template <bool gathers>
void Worker::copy_box(const Operand& x, int64_t offset, const Dimension* dimensions, int n,
                      char* block) const noexcept {
  const Dimension one = {1, 0};
  const Dimension row = n > 1 ? dimensions[n - 2] : one, column = n > 0 ? dimensions[n - 1] : one;
  int64_t index[TD_MAX_NDIM + 1] = {};
  for (;;) {
    if (!x.data) {
      for (int64_t r = 0; r < row.length; ++r)
        movers_.count(reinterpret_cast<int64_t*>(block) + r * column.length, offset + r * row.stride, column.stride,
                      column.length);
    } else if (gathers && column.stride == 0) {
      movers_.repeat[x.size_class](block, x.data + offset * x.size(), row.stride, row.length, column.length);
    } else if constexpr (gathers) {
      movers_.copy[x.size_class](block, column.length, 1, x.data + offset * x.size(), row.stride, column.stride,
                                 row.length, column.length);
    } else {
      movers_.copy[x.size_class](x.data + offset * x.size(), row.stride, column.stride, block, column.length, 1,
                                 row.length, column.length);
    }
    block += row.length * column.length * x.size();
    int axis = n - 3;
    for (; axis >= 0; --axis) {
      offset += dimensions[axis].stride;
      if (++index[axis] < dimensions[axis].length) break;
      offset -= dimensions[axis].stride * dimensions[axis].length;
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

}  // namespace tandem::cpu
