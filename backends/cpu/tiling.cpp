#include "tiling.hpp"

#include <algorithm>

namespace tandem::cpu {
namespace {

constexpr int scratch_bytes = 32 << 10;   // what the blocks of all values together should take in the L1 cache
constexpr int64_t tile_bytes = 1 << 20;     // what a tile that is walked several times should take in the L2 cache
constexpr int64_t stream_bytes = 8 << 20;     // outputs from this size on are written past the caches
constexpr int64_t shortest_run = 128;         // inner axes shorter than this are not blocks of their own
constexpr int64_t shortest_row = 256;         // rows shorter than this are worked on side by side
constexpr int64_t widest_tile = 128, narrowest_tile = 16;
constexpr int64_t fewest_positions = 16;  // of a block whose operands are transposed
constexpr int64_t panel_columns = 256;

int64_t ceil_div(int64_t a, int64_t b) noexcept { return a <= b ? 1 : (a + b - 1) / b; }  // for a > 0
int64_t round_up(int64_t a, int64_t b) noexcept { return ceil_div(a, b) * b; }

/// The largest power of two up to n, at least 1.
int64_t power_below(int64_t n) noexcept {
  int64_t power = 1;
  while (2 * power <= n) power *= 2;
  return power;
}

class Cutter {
 public:
  explicit Cutter(Tiling& tiling) noexcept : t_(tiling), program_(*tiling.program), plan_(*tiling.plan) {}

  void run() noexcept {
    t_.n_axes = program_.ndim - program_.n_reduced;
    for (int i = 0; i < t_.n_axes; ++i) t_.axes[i] = i;
    t_.chunk_at = t_.panel_at = -1;
    t_.chunk = t_.inner = t_.panel_rows = t_.row_length = 1;
    for (int i = t_.n_axes; i < program_.ndim; ++i) t_.row_length *= program_.shape[i];
    t_.leaves = ceil_div(t_.row_length, leaf_length);
    if (t_.has_rows())
      cut_rows();
    else
      cut_map();
    t_.max_width = t_.chunk * t_.inner;
    t_.tiles = 1;
    for (int at = 0; at <= t_.chunk_at; ++at) t_.tiles *= ceil_div(t_.length(at), t_.step(at));
  }

  /// After the boxes of the operands are known.
  void choose_block_positions() noexcept {
    bool in_place = !needs_blocks();
    for (int i = 0; i < plan_.n_inputs && in_place; ++i) {
      if (plan_.values[i].form == Form::row) continue;
      Operand& x = t_.operands[i];
      x.by_rows = x.data && x.linear && x.is_run() && (t_.max_width > 1 || x.position_stride == 1);
      in_place = x.by_rows;
    }
    if (!in_place)
      for (Operand& x : t_.operands) x.by_rows = false;
    const int64_t fitting = block_elements() / t_.max_width;
    if (in_place)
      t_.block_positions = leaf_length;
    else if (fitting >= lane_count)
      t_.block_positions = t_.max_width == 1 ? power_below(fitting) : lane_count;
    else
      t_.block_positions = std::max(power_below(fitting), crosswise_ ? fewest_positions : 1);
    t_.block_positions = std::min(t_.block_positions, t_.row_length);
  }

 private:
  /// Whether anything happens to full values besides being reduced.
  bool needs_blocks() const noexcept { return plan_.n_steps > 0 || plan_.full_outputs != 0; }

  /// Elements of a block, so that the blocks of all values fit.
  int64_t block_elements() const noexcept {
    const int fitting = scratch_bytes / (plan_.max_size * std::max(plan_.n_slots, 4));
    return std::clamp(fitting & -128, 256, 2048);
  }

  /// Makes tiles of about `width` rows: inner axes fully as long as they are short.
  void cut_axes(int64_t width, int64_t shortest) noexcept {
    if (t_.n_axes == 0) return;
    int at = t_.n_axes - 1;
    while (at > 0 && t_.inner * t_.length(at) < std::min(shortest, width)) t_.inner *= t_.length(at--);
    t_.chunk_at = at;
    t_.chunk = std::min(t_.inner == 1 ? width : std::max<int64_t>(width / t_.inner, 1), t_.length(at));
  }

  void cut_map() noexcept {
    const int64_t elements = block_elements();
    t_.block_positions = 1;
    cut_axes(elements, shortest_run);
    if (t_.chunk_at != t_.n_axes - 1) return;
    if (find_panel_axis()) t_.chunk = std::min(t_.chunk, panel_columns);
    const int64_t length = t_.length(t_.chunk_at);
    const int64_t blocks = ceil_div(length, t_.chunk);
    t_.chunk = std::min(length, padded(ceil_div(length, blocks)));
  }

  /// Looks for an operand that is far from contiguous along the last axis but not along another one. That axis is then
  /// walked right outside the last one, in steps of a cache line, and such operands are copied in panels of some rows.
  bool find_panel_axis() noexcept {
    const int last = t_.n_axes - 1;
    for (int i = 0; i < plan_.n_inputs && t_.panel_at < 0; ++i) {
      const Operand& x = t_.operands[i];
      if (!x.data) continue;
      int best = -1;
      for (int axis = 0; axis < last; ++axis) {
        const int64_t stride = std::abs(x.strides[axis]);
        if (stride == 0 || program_.shape[axis] < 4 || stride * 4 > std::abs(x.strides[last])) continue;
        if (best < 0 || stride < std::abs(x.strides[best])) best = axis;
      }
      if (best < 0) continue;
      std::rotate(t_.axes + best, t_.axes + best + 1, t_.axes + last);
      t_.panel_at = last - 1;
    }
    if (t_.panel_at < 0) return false;
    const int panel_axis = t_.axes[t_.panel_at];
    for (int i = 0; i < plan_.n_inputs; ++i) {
      Operand& x = t_.operands[i];
      const int64_t stride = std::abs(x.strides[panel_axis]);
      x.in_panel = x.data && stride != 0 && stride * 4 <= std::abs(x.strides[last]);
      if (x.in_panel) t_.panel_rows = std::max<int64_t>(t_.panel_rows, 128 / x.size());
    }
    t_.panel_rows = std::min(t_.panel_rows, program_.shape[panel_axis]);
    return true;
  }

  /// The operand whose layout decides: the first full input in memory.
  const Operand* leading_input() const noexcept {
    for (int i = 0; i < plan_.n_inputs; ++i)
      if (plan_.values[i].form == Form::full && t_.operands[i].data) return &t_.operands[i];
    return nullptr;
  }

  void cut_rows() noexcept {
    const Operand* x = leading_input();
    const int last_row_axis = program_.ndim - 1;
    const bool along_rows = !x || t_.n_axes == 0 ||
                            std::abs(x->strides[last_row_axis]) <= std::abs(x->strides[t_.n_axes - 1]) ||
                            x->strides[t_.n_axes - 1] == 0;
    if (along_rows && t_.row_length >= shortest_row) return cut_axes(1, 1);
    crosswise_ = along_rows;
    int64_t width = along_rows && t_.row_length > fewest_positions ? widest_tile / 2 : widest_tile;
    if (!along_rows && !needs_blocks()) width = 2048 / x->size();
    if (t_.row_length > shortest_row && plan_.n_stages > 2) {  // walked more than once
      const int64_t row_bytes = t_.row_length * plan_.max_size * std::max(1, plan_.n_kept + plan_.n_inputs);
      width = std::clamp(power_below(tile_bytes / row_bytes), narrowest_tile, widest_tile);
    }
    cut_axes(width, width);
    if (t_.n_axes == 0 || t_.inner > 1) return;
    const int64_t length = t_.length(t_.chunk_at);
    t_.chunk = std::min(length, round_up(ceil_div(length, ceil_div(length, t_.chunk)), narrowest_tile));
  }

  Tiling& t_;
  const td_program& program_;
  const Plan& plan_;
  bool crosswise_ = false;  // rows that are contiguous lie side by side in tiles: they are transposed
};

void describe_operand(const td_program& program, const td_operand& operand, const Value& value, Operand& x) noexcept {
  x.data = static_cast<char*>(operand.data);
  x.strides = operand.strides;
  x.size_class = value.size_class;
  x.streams = x.direct = x.in_panel = x.by_rows = false;
  x.copied_at = -1;
  int64_t last = 0;
  for (int i = 0; i < program.ndim; ++i) last += (program.shape[i] - 1) * std::max<int64_t>(operand.strides[i], 0);
  x.end = x.data ? x.data + (last + 1) * x.size() : nullptr;
  x.linear = true;
  x.position_stride = 0;
  if (program.n_reduced == 0) return;
  x.position_stride = operand.strides[program.ndim - 1];
  for (int i = program.ndim - program.n_reduced; i + 1 < program.ndim; ++i)
    x.linear &= operand.strides[i] == operand.strides[i + 1] * program.shape[i + 1];
}

/// The box of a tile in an operand: the chunk axis and those after it, merged where they are one run.
void describe_box(const Tiling& t, Operand& x) noexcept {
  x.n_box = 0;
  if (t.max_width == 1) return;
  for (int at = t.chunk_at; at < t.n_axes; ++at) {
    const int64_t stride = x.strides[t.axes[at]];
    const int64_t length = at == t.chunk_at ? 1 : t.length(at);
    if (at > t.chunk_at && length == 1) continue;
    if (x.n_box > 0 && x.box[x.n_box - 1].stride == stride * length) {
      x.box[x.n_box - 1].length *= length;
      x.box[x.n_box - 1].stride = stride;
    } else {
      x.box[x.n_box++] = {length, stride};
    }
  }
}

/// A tile of an input that is scattered in memory is gathered once, if several stages read it.
void choose_copy(Tiling& t, int i) noexcept {
  Operand& x = t.operands[i];
  const Plan& plan = *t.plan;
  if (x.data && x.linear && x.is_run() && x.position_stride == t.max_width) return;
  int first = -1, readers = 0;
  for (int s = 0; s < plan.n_stages; ++s) {
    if (!(plan.stages[s].inputs >> i & 1)) continue;
    if (readers++ == 0) first = s;
  }
  if (readers > 1) x.copied_at = first;
}

}  // namespace

void make_tiling(const td_program& program, const Plan& plan, const td_operand* inputs, const td_operand* outputs,
                 Tiling& t) noexcept {
  t.program = &program;
  t.plan = &plan;
  t.n_operands = plan.n_inputs + plan.n_outputs;
  for (int i = 0; i < plan.n_inputs; ++i) describe_operand(program, inputs[i], plan.values[i], t.operands[i]);
  for (int i = 0; i < plan.n_outputs; ++i)
    describe_operand(program, outputs[i], plan.values[plan.outputs[i]], t.operands[plan.n_inputs + i]);
  Cutter cutter(t);
  cutter.run();

  int64_t elements = 1;
  for (int i = 0; i < program.ndim; ++i) elements *= program.shape[i];
  for (int i = 0; i < t.n_operands; ++i) describe_box(t, t.operands[i]);
  if (plan.n_stages > 1)
    for (int i = 0; i < plan.n_inputs; ++i) choose_copy(t, i);
  if (t.has_rows()) cutter.choose_block_positions();
  for (int i = 0; i < plan.n_outputs; ++i) {
    Operand& x = t.operands[plan.n_inputs + i];
    bool in_place = false;
    for (int k = 0; k < plan.n_inputs; ++k) {
      if (t.operands[k].data != x.data) continue;
      in_place = true;
      t.operands[k].end = nullptr;
    }
    if (!plan.is_full_output(i)) continue;
    x.streams = !in_place && elements * x.size() >= stream_bytes;
    const Value& value = plan.values[plan.outputs[i]];
    // In place, only the last step may write: nothing reads the input after it.
    const bool last = plan.n_outputs == 1 && plan.n_steps > 0 && plan.steps[plan.n_steps - 1].target == plan.outputs[i];
    const bool again = std::find(plan.outputs, plan.outputs + i, plan.outputs[i]) != plan.outputs + i;
    x.direct = !x.streams && value.place == Place::shared && (!in_place || last) && !again;
  }
}

}  // namespace tandem::cpu
