// How a program's iteration space is cut up, and how its operands lie in the pieces.
//
// A tile is a set of neighbouring rows (of single positions, where there are no row axes): a box that covers the last
// non-row axes fully and one axis before them, the chunk axis, in chunks. Within a tile, values lie as [position][row].
// A block is a range of positions of a tile: what kernels work on at a time.
#pragma once

#include "plan.hpp"

namespace tandem::cpu {

constexpr int64_t leaf_length = 4096, lane_count = 128;  // of the tree of a reduction, docs/reductions.md

constexpr int max_operands = TD_MAX_INPUTS + TD_MAX_OUTPUTS;

struct Dimension {
  int64_t length, stride;
};

/// An input or output.
struct Operand {
  char* data;  // null: the index array
  const int64_t* strides;
  const char* end;      // reading up to here is allowed; null where other threads may write behind the operand's block
  int size_class;
  bool linear;          // the positions of a row follow at position_stride
  bool streams;         // written past the caches
  bool direct;          // kernels may write to it
  bool in_panel;        // read through a transposed copy
  bool by_rows;         // reduced where it lies, one position after the other
  int copied_at;        // the stage in which a copy of the tile is made that later ones use; -1 if there is none
  int n_box;
  int64_t position_stride;
  Dimension box[TD_MAX_NDIM];  // of a tile, collapsed; the first has its length for a chunk of 1 here
  int size() const noexcept { return 1 << size_class; }
  /// Whether the rows of a tile are neighbours in memory.
  bool is_run() const noexcept { return n_box == 0 || (n_box == 1 && box[0].stride == 1); }
};

struct Tiling {
  const td_program* program;
  const Plan* plan;
  int n_axes;                 // non-row axes
  int axes[TD_MAX_NDIM];      // these, in the order in which they are walked
  int chunk_at;               // place in it of the chunk axis; -1 if there is no axis
  int panel_at;               // place in it of the axis that panels span; -1 if there are none
  int64_t chunk, inner;       // chunk length; rows per unit of it
  int64_t panel_rows;
  int64_t tiles, row_length, leaves;
  int64_t max_width;          // rows of a tile
  int64_t block_positions;    // positions of a block; divides 4096 unless it is the whole row
  Operand operands[max_operands];  // inputs, then outputs
  int n_operands;

  int64_t length(int at) const noexcept { return program->shape[axes[at]]; }
  /// What coordinate number `at` of a tile counts in.
  int64_t step(int at) const noexcept { return at == chunk_at ? chunk : at == panel_at ? panel_rows : 1; }
  const Operand& output(int i) const noexcept { return operands[plan->n_inputs + i]; }
  bool has_rows() const noexcept { return program->n_reduced > 0; }
};

/// Fills everything of `tiling`.
void make_tiling(const td_program& program, const Plan& plan, const td_operand* inputs, const td_operand* outputs,
                 Tiling& tiling) noexcept;

}  // namespace tandem::cpu
