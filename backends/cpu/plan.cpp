#include "plan.hpp"

#include <algorithm>

#include "verbs.hpp"

namespace tandem::cpu {
namespace {

constexpr const char* dtype_names[TD_DTYPE_COUNT] = {
#define X(NAME, type, text, bytes) text,
    TD_DTYPES(X)
#undef X
};

constexpr uint8_t arities[TD_OP_COUNT] = {
#define TD_OP(name, arity, ...) arity,
#include <tandem/ops.def>
};

constexpr const char* op_names[TD_OP_COUNT] = {
#define TD_OP(name, ...) #name,
#include <tandem/ops.def>
};

constexpr const char* reduction_names[TD_REDUCTION_COUNT] = {
#define TD_REDUCTION(name, ...) #name,
#include <tandem/ops.def>
};

bool is_half(int dtype) noexcept { return dtype == TD_FLOAT16 || dtype == TD_BFLOAT16; }

constexpr uint16_t until_end = UINT16_MAX;  // of the stage

class Lowering {
 public:
  Lowering(const td_program& program, const td_operand* inputs, Plan& plan) noexcept
      : program_(program), inputs_(inputs), plan_(plan), kernels_(kernels()) {}

  td_status run(uint32_t late_outputs, td_error* error) noexcept {
    add_operands();
    for (int i = 0; i < program_.n_instructions; ++i) {
      const td_instruction& instruction = program_.instructions[i];
      const Id id = lower(instruction);
      if (id == no_id) return refuse(instruction, error);
      numbers_[plan_.n_inputs + plan_.n_constants + i] = id;
    }
    add_outputs();
    if (plan_.n_stages > 1) sort_by_stage();
    divide_into_stages(late_outputs);
    assign_places();
    return TD_OK;
  }

 private:
  Id add_value(int dtype, Form form, int stage) noexcept {
    const Id id = static_cast<Id>(plan_.n_ids++);
    const uint8_t size_class = size_class_of[dtype];
    Value& value = plan_.values[id];  // field by field: the processor is slow to read together what was written apart
    value.dtype = static_cast<uint8_t>(dtype);
    value.size_class = size_class;
    value.stage = value.last_stage = static_cast<uint8_t>(stage);
    value.form = form;
    value.place = Place::slot;
    plan_.max_size = std::max(plan_.max_size, 1 << size_class);
    wide_[id] = expanded_[id] = no_id;
    plan_.n_stages = std::max(plan_.n_stages, stage + 1);
    return id;
  }

  void add_operands() noexcept {
    plan_.n_inputs = program_.n_inputs;
    plan_.n_constants = program_.n_constants;
    plan_.n_stages = 1;
    const int first_row_axis = program_.ndim - program_.n_reduced;
    for (int i = 0; i < program_.n_inputs; ++i) {
      const int64_t* strides = inputs_[i].strides;
      const bool full = program_.n_reduced == 0 || std::any_of(strides + first_row_axis, strides + program_.ndim,
                                                               [](int64_t stride) { return stride != 0; });
      numbers_[i] = add_value(program_.input_dtypes[i], full ? Form::full : Form::row, 0);
    }
    for (int i = 0; i < program_.n_constants; ++i)
      numbers_[plan_.n_inputs + i] = add_value(program_.constant_dtypes[i], Form::constant, 0);
  }

  Id lower(const td_instruction& instruction) noexcept {
    Id sources[TD_MAX_SOURCES];
    if (instruction.dtype >= TD_DTYPE_COUNT || instruction.result >= TD_DTYPE_COUNT) return no_id;
    if (instruction.kind == TD_REDUCE) return lower_reduction(instruction);
    const bool is_cast = instruction.kind == TD_CAST;
    if (!is_cast && instruction.op >= TD_OP_COUNT) return no_id;
    const int arity = is_cast ? 1 : arities[instruction.op];
    for (int k = 0; k < arity; ++k) sources[k] = numbers_[instruction.sources[k]];
    if (is_cast) return cast(sources[0], instruction.result);
    if (instruction.op == TD_OP_positive) return sources[0];
    const Map own = kernels_.maps[instruction.dtype][instruction.op];
    if (own) return add_step(own, instruction.result, sources, arity);
    if (!is_half(instruction.dtype)) return no_id;
    const Map run = kernels_.maps[TD_FLOAT32][instruction.op];
    if (!run) return no_id;
    for (int k = 0; k < arity; ++k) sources[k] = widened(sources[k]);
    if (!is_half(instruction.result)) return add_step(run, instruction.result, sources, arity);
    const Id result = add_step(run, TD_FLOAT32, sources, arity);
    return cast(result, instruction.result);
  }

  Id cast(Id id, int dtype) noexcept {
    const int from = plan_.values[id].dtype;
    return from == dtype ? id : add_step(kernels_.casts[from][dtype], dtype, &id, 1);
  }

  /// The float32 form of a float16 or bfloat16 value; other values (the condition of where) as they are.
  Id widened(Id id) noexcept {
    if (!is_half(plan_.values[id].dtype)) return id;
    if (wide_[id] == no_id) {
      const Id wide = cast(id, TD_FLOAT32);
      wide_[id] = wide;
    }
    return wide_[id];
  }

  /// A row value in the form that full values combine with.
  Id expanded(Id id) noexcept {
    if (plan_.values[id].form != Form::row) return id;
    if (expanded_[id] == no_id) {
      const Value value = plan_.values[id];
      const Id to = add_value(value.dtype, Form::expanded, value.stage);
      plan_.expansions[plan_.n_expansions++] = {id, to};
      expanded_[id] = to;
    }
    return expanded_[id];
  }

  Id add_step(Map run, int result, const Id* sources, int arity) noexcept {
    bool full = program_.n_reduced == 0;
    int stage = 0;
    for (int k = 0; k < arity; ++k) {
      full |= plan_.values[sources[k]].form == Form::full;
      stage = std::max<int>(stage, plan_.values[sources[k]].stage);
    }
    Step& step = full ? plan_.steps[plan_.n_steps++] : plan_.row_steps[plan_.n_row_steps++];
    step.run = run;
    for (int k = 0; k < TD_MAX_SOURCES; ++k) {
      const Id source = sources[k < arity ? k : 0];
      step.sources[k] = full ? expanded(source) : source;
    }
    return step.target = add_value(result, full ? Form::full : Form::row, stage);
  }

  Id lower_reduction(const td_instruction& instruction) noexcept {
    if (instruction.op >= TD_REDUCTION_COUNT) return no_id;
    const Id source = expanded(widened(numbers_[instruction.sources[0]]));
    const int dtype = is_half(instruction.dtype) ? int{TD_FLOAT32} : instruction.dtype;
    const Combiner* combiner = &kernels_.combiners[instruction.op][dtype];
    const Searcher* searcher = &kernels_.searchers[instruction.op][dtype];
    if (!combiner->combine) combiner = nullptr;
    if (!searcher->search) searcher = nullptr;
    if (!combiner && !searcher) return no_id;
    const int result = searcher ? int{TD_INT64} : dtype;
    const Id target = add_value(result, Form::row, plan_.values[source].stage + 1);
    plan_.reductions[plan_.n_reductions++] = {combiner, searcher, source, target};
    return cast(target, instruction.result);
  }

  td_status refuse(const td_instruction& instruction, td_error* error) const noexcept {
    const bool reduces = instruction.kind == TD_REDUCE;
    const int count = reduces ? int{TD_REDUCTION_COUNT} : int{TD_OP_COUNT};
    if (instruction.op >= count || instruction.dtype >= TD_DTYPE_COUNT || instruction.result >= TD_DTYPE_COUNT)
      return fail(error, TD_INVALID_ARGUMENT, "unknown operation %d on dtype %d", instruction.op, instruction.dtype);
    return fail(error, TD_NOT_SUPPORTED, "%s has no kernel for %s",
                reduces ? reduction_names[instruction.op] : op_names[instruction.op], dtype_names[instruction.dtype]);
  }

  void add_outputs() noexcept {
    plan_.n_outputs = program_.n_outputs;
    for (int i = 0; i < program_.n_outputs; ++i) {
      const Id id = plan_.outputs[i] = numbers_[program_.outputs[i]];
      const Form form = plan_.values[id].form;
      if (form == Form::full || program_.n_reduced == 0) plan_.full_outputs |= 1u << i;
    }
  }

  int stage_of(const Step& step) const noexcept { return plan_.values[step.target].stage; }
  int stage_of(const Expansion& expansion) const noexcept { return plan_.values[expansion.to].stage; }
  int stage_of(const Reduction& reduction) const noexcept { return plan_.values[reduction.source].stage; }

  /// Stable; the arrays are short and mostly in order.
  template <class T>
  void sort(T* items, int count) const noexcept {
    for (int i = 1; i < count; ++i) {
      const T item = items[i];
      int k = i;
      for (; k > 0 && stage_of(items[k - 1]) > stage_of(item); --k) items[k] = items[k - 1];
      items[k] = item;
    }
  }

  void sort_by_stage() noexcept {
    sort(plan_.row_steps, plan_.n_row_steps);
    sort(plan_.steps, plan_.n_steps);
    sort(plan_.expansions, plan_.n_expansions);
    sort(plan_.reductions, plan_.n_reductions);
  }

  void use(Id id, int stage) noexcept {
    Value& value = plan_.values[id];
    value.last_stage = std::max<uint8_t>(value.last_stage, static_cast<uint8_t>(stage));
    if (id < plan_.n_inputs && value.form == Form::full) plan_.stages[stage].inputs |= 1u << id;
  }

  void divide_into_stages(uint32_t late_outputs) noexcept {
    int row_step = 0, step = 0, expansion = 0, reduction = 0;
    for (int s = 0; s <= plan_.n_stages; ++s) {
      Stage& stage = plan_.stages[s];
      stage.row_steps = static_cast<uint16_t>(row_step);
      stage.steps = static_cast<uint16_t>(step);
      stage.expansions = static_cast<uint16_t>(expansion);
      stage.reductions = static_cast<uint16_t>(reduction);
      stage.inputs = stage.outputs = 0;
      if (s == plan_.n_stages) break;
      while (row_step < plan_.n_row_steps && stage_of(plan_.row_steps[row_step]) == s) ++row_step;
      while (expansion < plan_.n_expansions && stage_of(plan_.expansions[expansion]) == s) ++expansion;
      for (; step < plan_.n_steps && stage_of(plan_.steps[step]) == s; ++step)
        for (Id source : plan_.steps[step].sources) use(source, s);
      for (; reduction < plan_.n_reductions && stage_of(plan_.reductions[reduction]) == s; ++reduction)
        use(plan_.reductions[reduction].source, s);
    }
    for (int i = 0; i < plan_.n_outputs; ++i) {
      if (!plan_.is_full_output(i)) continue;
      const int stage = late_outputs >> i & 1 ? plan_.n_stages - 1 : plan_.values[plan_.outputs[i]].stage;
      plan_.stages[stage].outputs |= 1u << i;
      use(plan_.outputs[i], stage);
    }
  }

  /// Results of steps share slots within a stage: a slot is free after the last use of its value.
  void assign_places() noexcept {
    uint16_t last_use[max_ids];
    for (int id = 0; id < plan_.n_ids; ++id) {
      Value& value = plan_.values[id];
      last_use[id] = 0;
      if (value.form != Form::full || id < plan_.n_inputs) {
        value.slot = static_cast<Id>(plan_.n_slots++);
      } else if (value.last_stage > value.stage) {
        value.place = Place::kept;
        value.slot = static_cast<Id>(plan_.n_kept++);
      } else {
        value.place = Place::shared;
      }
    }
    for (int k = 0; k < plan_.n_steps; ++k)
      for (Id source : plan_.steps[k].sources) last_use[source] = static_cast<uint16_t>(k);
    for (int i = 0; i < plan_.n_reductions; ++i) last_use[plan_.reductions[i].source] = until_end;
    for (int i = 0; i < plan_.n_outputs; ++i) last_use[plan_.outputs[i]] = until_end;

    const int first_shared = plan_.n_slots;
    Id free[max_steps];
    for (int s = 0; s < plan_.n_stages; ++s) {
      int n_free = 0;
      for (int slot = first_shared; slot < plan_.n_slots; ++slot) free[n_free++] = static_cast<Id>(slot);
      for (int k = plan_.stages[s].steps; k < plan_.stages[s + 1].steps; ++k) {
        Value& target = plan_.values[plan_.steps[k].target];
        const auto release = [&](bool same_size) {
          for (Id source : plan_.steps[k].sources) {
            const Value& value = plan_.values[source];
            if (value.place != Place::shared || last_use[source] != k) continue;
            if ((value.size_class == target.size_class) != same_size) continue;
            free[n_free++] = value.slot;
            last_use[source] = until_end;  // not twice
          }
        };
        release(true);  // an operation may overwrite an operand of the same size
        if (target.place == Place::shared) target.slot = n_free > 0 ? free[--n_free] : static_cast<Id>(plan_.n_slots++);
        release(false);
      }
    }
  }

  const td_program& program_;
  const td_operand* const inputs_;
  Plan& plan_;
  const Kernels& kernels_;
  Id numbers_[max_program_values];  // of the program's values, as ids
  Id wide_[max_ids], expanded_[max_ids];
};

}  // namespace

td_status make_plan(const td_program& program, const td_operand* inputs, uint32_t late_outputs, Plan& plan,
                    td_error* error) noexcept {
  return Lowering(program, inputs, plan).run(late_outputs, error);
}

}  // namespace tandem::cpu
