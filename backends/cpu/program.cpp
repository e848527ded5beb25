// The verb run_program: a program becomes a plan of kernels and a tiling of its space, and threads run the tiles.
#include <atomic>

#include "small.hpp"
#include "worker.hpp"

namespace tandem::cpu {
namespace {

constexpr int64_t inline_work = 1 << 16;  // kernel steps times elements that are not worth a second thread
constexpr int64_t range_work = 1 << 15;   // and of a thread's smallest range

/// Outputs that lie where an input does.
uint32_t outputs_in_place(const td_program& program, const td_operand* inputs, const td_operand* outputs) noexcept {
  uint32_t bits = 0;
  for (int i = 0; i < program.n_outputs; ++i)
    for (int k = 0; k < program.n_inputs; ++k)
      if (inputs[k].data == outputs[i].data) bits |= 1u << i;
  return bits;
}

class Run {
 public:
  Run(const Plan& plan, const Tiling& tiling) noexcept : plan_(plan), t_(tiling) {}

  td_status run(td_error* error) noexcept {
    const int64_t tile_work = t_.row_length * t_.max_width * (plan_.n_steps + plan_.n_reductions + 1);
    const bool small = tile_work * t_.tiles <= inline_work;
    if (!small && t_.leaves > 1 && t_.tiles < 8 * thread_count() && ends_after_one_walk())
      run_by_leaves(tile_work / t_.leaves);
    else
      run_by_tiles(small ? t_.tiles : 1 + range_work / tile_work);
    if (!failed_) return TD_OK;
    return fail(error, TD_OUT_OF_MEMORY, "no memory for intermediate values");
  }

 private:
  /// Whether nothing of a row is walked again once its reductions are known.
  bool ends_after_one_walk() const noexcept {
    for (int s = 1; s < plan_.n_stages; ++s) {
      const Stage &stage = plan_.stages[s], &end = plan_.stages[s + 1];
      if (stage.steps != end.steps || stage.reductions != end.reductions || stage.outputs != 0) return false;
    }
    return true;
  }

  template <class Work>
  void run_workers(int64_t count, int64_t grain, const Layout& layout, Work work) noexcept {
    parallel_for(count, grain, [&](int64_t first, int64_t last) {
      Worker worker(t_, layout);
      if (worker)
        work(worker, first, last);
      else
        failed_ = true;
    });
  }

  void run_by_tiles(int64_t grain) noexcept {
    Layout layout;
    make_layout(t_, true, layout);
    run_workers(t_.tiles, grain, layout,
                [](Worker& worker, int64_t first, int64_t last) { worker.run_tiles(first, last); });
  }

  void run_by_leaves(int64_t leaf_work) noexcept {
    Layout layout;
    make_layout(t_, false, layout);
    const int64_t results = t_.tiles * t_.leaves * t_.max_width, per_reduction = results * (plan_.max_size + 8);
    Scratch memory(plan_.n_reductions * per_reduction + t_.tiles * int64_t{sizeof(LeafResults)});
    if (!memory) {
      failed_ = true;
      return;
    }
    LeafResults* places = memory.as<LeafResults>();
    char* values = reinterpret_cast<char*>(places + t_.tiles);
    for (int64_t tile = 0; tile < t_.tiles; ++tile)
      for (int i = 0; i < plan_.n_reductions; ++i) {
        const int64_t place = tile * t_.leaves * t_.max_width;
        char* own = values + i * per_reduction;
        places[tile].values[i] = own + results * 8 + place * plan_.max_size;
        places[tile].positions[i] = reinterpret_cast<int64_t*>(own) + place;
      }
    run_workers(t_.tiles * t_.leaves, 1 + range_work / leaf_work, layout,
                [&](Worker& worker, int64_t first, int64_t last) { worker.run_leaves(first, last, places); });
    if (failed_) return;
    run_workers(t_.tiles, t_.tiles, layout,
                [&](Worker& worker, int64_t first, int64_t last) { worker.finish_tiles(first, last, places); });
  }

  const Plan& plan_;
  const Tiling& t_;
  std::atomic<bool> failed_ = false;
};

}  // namespace

td_status run_program(td_device*, const td_program* program, const td_operand* inputs, const td_operand* outputs,
                      td_error* error) {
  if (run_small(*program, inputs, outputs)) return TD_OK;
  Plan plan;
  const td_status status = make_plan(*program, inputs, outputs_in_place(*program, inputs, outputs), plan, error);
  if (status != TD_OK) return status;
  Tiling tiling;
  make_tiling(*program, plan, inputs, outputs, tiling);
  return Run(plan, tiling).run(error);
}

}  // namespace tandem::cpu
