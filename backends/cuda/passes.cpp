#include "passes.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace tandem::cuda {

namespace {

class Passes {
 public:
  Passes(const Limits& limits, Executor& executor) : limits_(limits), executor_(executor) {}
  td_status run(const Work& work);

 private:
  td_status run_maps(const Work& work, const Roles& roles);
  td_status run_rows(const Work& work, const Roles& roles);
  td_status run_reduction(const Work& work, const Roles& roles);
  td_status run_stages(const Work& work, const Roles& roles);

  const Limits limits_;
  Executor& executor_;
};

std::int64_t product(const std::int64_t* first, const std::int64_t* last) {
  std::int64_t result = 1;
  for (; first != last; ++first) result *= *first;
  return result;
}

td_status Passes::run(const Work& work) {
  constexpr int reductions_of_a_pass = 8;  // their states live in registers and shared memory
  const Roles roles(work);
  if (roles.n_reductions == 0) return run_maps(work, roles);
  if (roles.n_reductions > reductions_of_a_pass) return run_stages(work, roles);
  if (!roles.any_full_output && roles.last_stage == 1) return run_reduction(work, roles);
  Plan plan;
  if (plan_staged(limits_, work, roles, &plan)) return executor_.launch(work, roles, plan);
  return run_stages(work, roles);
}

// An output may be the same view as a row input of the others, so outputs at every position come before those of the
// rows.
td_status Passes::run_maps(const Work& work, const Roles& roles) {
  if (work.n_reduced == 0) return executor_.launch(work, roles, plan_map(limits_, work, roles));
  if (roles.any_full_output) {
    std::array<std::uint8_t, TD_MAX_OUTPUTS> values;
    std::array<td_operand, TD_MAX_OUTPUTS> operands;
    Work full = work;
    full.n_outputs = full.n_reduced = 0;
    for (int i = 0; i < work.n_outputs; ++i) {
      if (roles.row_output[i]) continue;
      values[full.n_outputs] = work.outputs[i];
      operands[full.n_outputs++] = work.output_operands[i];
    }
    full.outputs = values.data();
    full.output_operands = operands.data();
    const Roles full_roles(full);
    if (const td_status status = executor_.launch(full, full_roles, plan_map(limits_, full, full_roles));
        status != TD_OK)
      return status;
  }
  return roles.any_row_output ? run_rows(work, roles) : TD_OK;
}

// The outputs of rows, in the space of the rows.
td_status Passes::run_rows(const Work& work, const Roles& roles) {
  static constexpr std::int64_t one = 1, zero = 0;
  std::array<std::uint8_t, TD_MAX_OUTPUTS> values;
  std::array<td_operand, TD_MAX_INPUTS> inputs;
  std::vector<td_operand> loads(work.load_operands, work.load_operands + work.n_loads);
  std::array<td_operand, TD_MAX_OUTPUTS> outputs;
  Work rows = work;
  rows.ndim = work.ndim - work.n_reduced;
  rows.n_reduced = rows.n_outputs = 0;
  std::copy_n(work.input_operands, work.n_inputs, inputs.begin());
  for (int i = 0; i < work.n_outputs; ++i) {
    if (!roles.row_output[i]) continue;
    values[rows.n_outputs] = work.outputs[i];
    outputs[rows.n_outputs++] = work.output_operands[i];
  }
  if (rows.ndim == 0) {
    rows.ndim = 1;
    rows.shape = &one;
    const auto flatten = [&](auto& operands) {
      for (td_operand& operand : operands) operand.strides = &zero;
    };
    flatten(inputs);
    flatten(loads);
    flatten(outputs);
  }
  rows.outputs = values.data();
  rows.input_operands = inputs.data();
  rows.load_operands = loads.data();
  rows.output_operands = outputs.data();
  const Roles row_roles(rows);
  return executor_.launch(rows, row_roles, plan_map(limits_, rows, row_roles));
}

td_status Passes::run_reduction(const Work& work, const Roles& roles) {
  Plan plan = plan_reduction(limits_, work, roles);
  if (!plan.facts.partial) return executor_.launch(work, roles, plan);
  const std::int64_t count = count_partials(plan);
  std::int64_t bytes = 0;
  std::vector<std::int64_t> offsets;
  for (int i = 0; i < work.n_instructions; ++i) {
    if (work.instructions[i].kind != TD_REDUCE || !roles.needed[work.first_instruction() + i]) continue;
    offsets.push_back(bytes);
    bytes += (count * state_bytes(work.instructions[i], plan.facts.wide) + 255) / 256 * 256;
  }
  auto* const memory = static_cast<std::byte*>(executor_.scratch(bytes));
  if (memory == nullptr) return TD_OUT_OF_MEMORY;
  for (std::size_t i = 0; i < offsets.size(); ++i) plan.partials[i] = memory + offsets[i];
  const Plan finish = plan_finish(plan);
  executor_.prepare(work, roles, finish);
  const td_status status = executor_.launch(work, roles, plan);
  return status != TD_OK ? status : executor_.launch(work, roles, finish);
}

// Any staged program: the reductions of one stage after those of the one before, each with its results in memory, then
// the maps behind them. Memory is read once a stage.
td_status Passes::run_stages(const Work& work, const Roles& roles) {
  constexpr int pass_reductions = 4;
  const int row_axes = work.ndim - work.n_reduced;
  const std::int64_t rows = product(work.shape, work.shape + row_axes);
  std::vector<std::int64_t> strides(static_cast<std::size_t>(work.ndim), 0);
  std::int64_t stride = 1;
  for (int axis = row_axes - 1; axis >= 0; stride *= work.shape[axis--])
    strides[static_cast<std::size_t>(axis)] = stride;

  std::vector<td_instruction> instructions(work.instructions, work.instructions + work.n_instructions);
  std::vector<td_operand> loads(work.load_operands, work.load_operands + work.n_loads);
  for (int stage = 1; stage <= roles.last_stage; ++stage) {
    std::vector<std::uint8_t> values;
    for (int i = 0; i < work.n_instructions; ++i) {
      const int v = work.first_instruction() + i;
      if (work.instructions[i].kind == TD_REDUCE && roles.needed[v] && roles.stage[v] == stage)
        values.push_back(static_cast<std::uint8_t>(v));
    }
    for (std::size_t first = 0; first < values.size(); first += pass_reductions) {
      const std::size_t n = std::min<std::size_t>(pass_reductions, values.size() - first);
      std::vector<td_operand> outputs;
      for (std::size_t i = first; i < first + n; ++i) {
        void* const memory = executor_.scratch(rows * size_of(roles.dtype[values[i]]));
        if (memory == nullptr) return TD_OUT_OF_MEMORY;
        outputs.push_back({memory, strides.data()});
      }
      Work pass = work;
      pass.instructions = instructions.data();
      pass.n_loads = static_cast<int>(loads.size());
      pass.load_operands = loads.data();
      pass.n_outputs = static_cast<int>(n);
      pass.outputs = values.data() + first;
      pass.output_operands = outputs.data();
      if (const td_status status = run_reduction(pass, Roles(pass)); status != TD_OK) return status;
      for (std::size_t i = 0; i < n; ++i) {
        td_instruction& done = instructions[static_cast<std::size_t>(values[first + i] - work.first_instruction())];
        done.kind = load_kind;
        done.op = static_cast<std::uint8_t>(loads.size());
        loads.push_back(outputs[i]);
      }
    }
  }
  Work rest = work;
  rest.instructions = instructions.data();
  rest.n_loads = static_cast<int>(loads.size());
  rest.load_operands = loads.data();
  return run_maps(rest, Roles(rest));
}

}  // namespace

td_status run_passes(const Limits& limits, const td_program& program, const td_operand* inputs,
                     const td_operand* outputs, Executor& executor) {
  const Work work{program.n_inputs,
                  program.n_constants,
                  program.n_instructions,
                  0,
                  program.n_outputs,
                  program.input_dtypes,
                  program.constant_dtypes,
                  program.constants,
                  program.instructions,
                  program.outputs,
                  program.ndim,
                  program.n_reduced,
                  program.shape,
                  inputs,
                  nullptr,
                  outputs};
  return Passes(limits, executor).run(work);
}

}  // namespace tandem::cuda
