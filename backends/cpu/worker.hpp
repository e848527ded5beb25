// One thread's execution of a range of tiles.
#pragma once

#include "tiling.hpp"
#include "verbs.hpp"

namespace tandem::cpu {

/// Bytes that end at a cache line.
constexpr int64_t align(int64_t bytes) noexcept { return (bytes + 63) & -64; }

/// Where things lie in a worker's memory.
struct Layout {
  int64_t slot_bytes;
  int64_t lanes[TD_MAX_INSTRUCTIONS];    // by reduction: its lanes, or the best values so far and their positions
  int64_t results[TD_MAX_INSTRUCTIONS];  // by reduction: the results of the leaves of a tile
  int64_t kept[max_steps];               // by number
  int64_t copies[TD_MAX_INPUTS];         // by input: its panel, or its copy of a tile
  int64_t piece;                         // a piece of an output that is streamed
  int64_t bytes;
};

/// `with_results`: leaves of a tile are combined by the worker itself.
void make_layout(const Tiling& tiling, bool with_results, Layout& layout) noexcept;

/// Where the results of leaves go: for each reduction [leaf][row]. A search may have no place for positions: then it is
/// the worker's own, and goes through all leaves of a tile.
struct LeafResults {
  char* values[TD_MAX_INSTRUCTIONS];
  int64_t* positions[TD_MAX_INSTRUCTIONS];
};

class Worker {
 public:
  Worker(const Tiling& tiling, const Layout& layout) noexcept;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  explicit operator bool() const noexcept { return arena_ != nullptr; }

  /// Runs whole tiles.
  void run_tiles(int64_t first, int64_t last) noexcept;

  /// Runs stage 0 of leaves [first, last), counted through all tiles; results of tile t at results[t].
  void run_leaves(int64_t first, int64_t last, const LeafResults* results) noexcept;
  /// Combines the leaves of tiles [first, last) and finishes them; there must be nothing to walk after stage 0.
  void finish_tiles(int64_t first, int64_t last, const LeafResults* results) noexcept;

 private:
  // tiles
  void start(int64_t tile) noexcept;
  void next_tile() noexcept;
  void enter_tile() noexcept;
  void run_map_tile() noexcept;
  void run_row_tile() noexcept;
  void enter_stage(int stage) noexcept;
  void leave_stage(int stage, const LeafResults& results) noexcept;
  void walk_leaf(int stage, int64_t leaf, const LeafResults& results) noexcept;
  void store_row_outputs() noexcept;

  // blocks
  void run_block(int stage, int64_t position, int64_t count) noexcept;
  void run_steps(const Step* first, const Step* last, int64_t n) const noexcept;
  bool points_into(const Operand& x, int64_t count) const noexcept;
  void divide_ahead(int64_t parts) noexcept;
  void fetch_ahead() noexcept;
  int streamed_by(const Step& step, uint32_t waiting, int64_t count) const noexcept;
  void run_streaming(const Step& step, char* to, int64_t n) noexcept;
  int64_t distance_ahead(const Operand& x, int stage, int64_t n) const noexcept;
  void fetch(int input, int stage, int64_t position, int64_t count) noexcept;
  void fetch_row_inputs() noexcept;
  void fill_panels() noexcept;
  bool offer_output(int output, int64_t position, int64_t count) noexcept;
  void store(const Operand& x, int64_t offset, int64_t position, int64_t count, const void* from) const noexcept;

  // strided copies
  int64_t offset_of(const Operand& x, int64_t position) const noexcept;
  int box_of(const Operand& x, Dimension* dimensions) const noexcept;
  template <bool gathers>
  void copy_positions(const Operand& x, int64_t offset, int64_t position, int64_t count, char* block) const noexcept;
  template <bool gathers>
  void copy_box(const Operand& x, int64_t offset, const Dimension* dimensions, int n, char* block) const noexcept;

  // reductions
  void reset_searches(int stage) noexcept;
  int64_t* search_positions(int reduction) const noexcept;
  void accumulate(int reduction, int64_t position, int64_t count) noexcept;
  void take_in(const Combiner& combiner, char* lanes, const char* values, int size, int64_t at, int64_t count) noexcept;
  void take_in_rows(const Combiner& combiner, char* lanes, const char* values, int size, int64_t stride,
                    int64_t count) noexcept;
  void finish_leaf(int reduction, int64_t leaf, int64_t length, const LeafResults& results) noexcept;
  void combine_leaves(int reduction, const LeafResults& results) noexcept;

  char* slot(Id id) const noexcept { return arena_ + plan_.values[id].slot * layout_.slot_bytes; }

  const Tiling& t_;
  const Plan& plan_;
  const Layout& layout_;
  const Movers& movers_;
  char* arena_;
  int64_t coordinates_[TD_MAX_NDIM];
  int64_t base_[max_operands];   // offsets of the tile
  int64_t chunk_, width_;        // of the tile
  int64_t panel_row_ = 0;
  struct Ahead {
    int64_t next, end, part;  // addresses, and bytes to ask for at a time
  } ahead_[TD_MAX_INPUTS];    // what inputs that are used where they lie will read next
  int n_ahead_ = 0;
  int64_t filled_[TD_MAX_INPUTS], filled_width_[TD_MAX_INPUTS];  // what a map's gathered inputs hold: offset, elements
  void* at_[max_ids];
  alignas(64) char local_[24 << 10];
  Scratch scratch_;
};

}  // namespace tandem::cpu
