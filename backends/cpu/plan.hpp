// A program lowered to kernels: which steps run once per row, which at every position, in which stage, and where their
// results lie.
//
// Values get new numbers here (ids), because lowering adds some: float16 and bfloat16 values are widened to float32
// before an operation and its result is narrowed, and row values that meet full values are expanded to whole blocks.
//
// Stage s of a row walks its positions once. It computes the full values that depend on chains of s reductions, and
// feeds the reductions of such values. Row values of stage s are computed before.
#pragma once

#include "kernels.hpp"

namespace tandem::cpu {

constexpr int max_program_values = TD_MAX_INPUTS + TD_MAX_CONSTANTS + TD_MAX_INSTRUCTIONS;
constexpr int max_steps = 2 * TD_MAX_INSTRUCTIONS + max_program_values;  // operation and narrowing; widenings
constexpr int max_ids = 2 * (TD_MAX_INPUTS + TD_MAX_CONSTANTS + max_steps + TD_MAX_INSTRUCTIONS);

using Id = uint16_t;
constexpr Id no_id = UINT16_MAX;

enum class Form : uint8_t {
  constant,  // the same everywhere: its slot is filled once
  row,       // one per row of a tile
  full,      // one per position
  expanded   // a row value repeated for every position of a block
};

/// Where the elements of a value lie.
enum class Place : uint8_t {
  slot,      // a slot of its own
  shared,    // a slot that other values use before and after it
  kept       // a buffer for a whole tile: the value is used in later stages as well
};

struct Value {
  uint8_t dtype, size_class, stage, last_stage;
  Form form;
  Place place;
  Id slot;  // or the number among the kept ones
  int size() const noexcept { return 1 << size_class; }
};

struct Step {
  Map run;
  Id target;
  Id sources[TD_MAX_SOURCES];
};

struct Expansion {
  Id from, to;
};

struct Reduction {
  const Combiner* combiner;  // one of the two is set
  const Searcher* searcher;
  Id source, target;
};

/// What happens at one stage: [first, last) are ranges of the plan's arrays.
struct Stage {
  uint16_t row_steps, steps, expansions, reductions;  // where each range begins; the next stage's is its end
  uint32_t inputs;                                    // bits of the full inputs that are read
  uint32_t outputs;                                   // bits of the full outputs that are written
};

constexpr int max_stages = TD_MAX_INSTRUCTIONS + 1;

struct Plan {
  int n_inputs = 0, n_constants = 0, n_outputs = 0, n_stages = 0, n_ids = 0;
  int n_slots = 0, n_kept = 0;
  int n_row_steps = 0, n_steps = 0, n_expansions = 0, n_reductions = 0;
  int max_size = 1;           // bytes of the widest element
  uint32_t full_outputs = 0;  // bits
  Value values[max_ids];      // inputs and constants come first, with the program's numbers
  Id outputs[TD_MAX_OUTPUTS];
  Step row_steps[max_steps], steps[max_steps];
  Expansion expansions[max_ids / 2];
  Reduction reductions[TD_MAX_INSTRUCTIONS];
  Stage stages[max_stages + 1];

  bool is_full_output(int i) const noexcept { return full_outputs >> i & 1; }
};

/// Lowers a program. `late_outputs` are bits of outputs that must not be written before the last stage, since they lie
/// where an input does.
td_status make_plan(const td_program& program, const td_operand* inputs, uint32_t late_outputs, Plan& plan,
                    td_error* error) noexcept;

}  // namespace tandem::cpu
