// run_program: passes over the space of a program, and the launches of their kernels.
#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "arguments.hpp"
#include "device.hpp"
#include "generator.hpp"
#include "kernel_cache.hpp"
#include "verbs.hpp"

namespace tandem::cuda {

namespace {

constexpr const char* operation_names[] = {
#define TD_OP(name, ...) #name,
#include <tandem/ops.def>
};
constexpr const char* reduction_names[] = {
#define TD_REDUCTION(name, ...) #name,
#include <tandem/ops.def>
};
constexpr const char* dtype_names[] = {
#define X(NAME, type, text, bytes) text,
    TD_DTYPES(X)
#undef X
};

/// Kernels by device and encode()'s bytes, for the life of the process.
class Kernels {
 public:
  cudaKernel_t find(const std::string& key) {
    std::shared_lock lock(mutex_);
    const auto found = kernels_.find(key);
    return found == kernels_.end() ? nullptr : found->second;
  }
  void insert(const std::string& key, cudaKernel_t kernel) {
    std::unique_lock lock(mutex_);
    kernels_.emplace(key, kernel);
  }

 private:
  std::shared_mutex mutex_;
  std::unordered_map<std::string, cudaKernel_t> kernels_;
};

Kernels& kernels() {
  static Kernels& kernels = *new Kernels;
  return kernels;
}

/// One call of run_program.
class Run {
 public:
  Run(Device& device, td_error* error)
      : device_(device), limits_{device.multiprocessors, device.l2_bytes}, error_(error) {}

  td_status run(const Work& work);

 private:
  td_status run_maps(const Work& work, const Roles& roles);
  td_status run_rows(const Work& work, const Roles& roles);
  td_status run_reduction(const Work& work, const Roles& roles);
  td_status run_passes(const Work& work, const Roles& roles);
  td_status check_program(const Work& work);
  td_status launch(const Work& work, const Roles& roles, const Plan& plan);
  td_status find_kernel(const Work& work, const Roles& roles, const Plan& plan, cudaKernel_t* kernel);

  Device& device_;
  const Limits limits_;
  td_error* const error_;
};

std::int64_t product(const std::int64_t* first, const std::int64_t* last) {
  std::int64_t result = 1;
  for (; first != last; ++first) result *= *first;
  return result;
}

td_status Run::check_program(const Work& work) {
  for (int i = 0; i < work.n_instructions; ++i) {
    const td_instruction& instruction = work.instructions[i];
    if (has_kernel(instruction)) continue;
    const bool reduction = instruction.kind == TD_REDUCE;
    const bool known = instruction.op < (reduction ? int(TD_REDUCTION_COUNT) : int(TD_OP_COUNT));
    const char* const name = !known ? "an unknown operation" : (reduction ? reduction_names : operation_names)[instruction.op];
    const char* const dtype = instruction.dtype < TD_DTYPE_COUNT ? dtype_names[instruction.dtype] : "an unknown dtype";
    return fail(error_, TD_NOT_SUPPORTED, "%s has no kernel for %s", name, dtype);
  }
  return TD_OK;
}

td_status Run::find_kernel(const Work& work, const Roles& roles, const Plan& plan, cudaKernel_t* kernel) {
  thread_local std::string key;
  encode(work, plan, &key);
  key.push_back(static_cast<char>(device_.ordinal));
  *kernel = kernels().find(key);
  if (*kernel != nullptr) return TD_OK;
  td_status status = check_program(work);
  if (status == TD_OK) status = get_kernel(device_, generate(work, roles, plan), kernel_name, kernel, error_);
  if (status == TD_OK) kernels().insert(key, *kernel);
  return status;
}

td_status Run::launch(const Work& work, const Roles& roles, const Plan& plan) {
  for (int k = 0; k < work.n_operands(); ++k) {
    if (plan.facts.operands[k].mode == Mode::unused || work.operand(k).data == nullptr) continue;
    const int dtype = k < work.n_inputs ? work.input_dtypes[k]
                      : k < work.first_output() ? int(TD_BOOL)
                                                : roles.dtype[work.outputs[k - work.first_output()]];
    if (reinterpret_cast<std::uintptr_t>(work.operand(k).data) % static_cast<unsigned>(size_of(dtype)) != 0)
      return fail(error_, TD_INVALID_ARGUMENT, "the address %p of an operand is no multiple of the size of %s",
                  work.operand(k).data, dtype_names[dtype]);
  }
  if (plan.grid > 0x7fffffff)
    return fail(error_, TD_NOT_SUPPORTED, "a program of %lld blocks is too large for a launch", static_cast<long long>(plan.grid));
  cudaKernel_t kernel;
  if (const td_status status = find_kernel(work, roles, plan, &kernel); status != TD_OK) return status;
  Arguments arguments(work, roles, plan);
  void* parameters[] = {arguments.data()};
  return check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(plan.grid)),
                                dim3(plan.block_x, plan.block_y), parameters, 0, device_.stream),
               "launch of a program", error_);
}

td_status Run::run(const Work& work) {
  constexpr int reductions_of_a_pass = 8;  // their states live in registers and shared memory
  const Roles roles(work);
  if (roles.n_reductions == 0) return run_maps(work, roles);
  if (roles.n_reductions > reductions_of_a_pass) return run_passes(work, roles);
  if (!roles.any_full_output && roles.last_stage == 1) return run_reduction(work, roles);
  Plan plan;
  if (plan_staged(limits_, work, roles, &plan)) return launch(work, roles, plan);
  return run_passes(work, roles);
}

// An output may be the same view as a row input of the others, so outputs at every position come before those of the rows.
td_status Run::run_maps(const Work& work, const Roles& roles) {
  if (work.n_reduced == 0) return launch(work, roles, plan_map(limits_, work, roles));
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
    if (const td_status status = launch(full, full_roles, plan_map(limits_, full, full_roles)); status != TD_OK) return status;
  }
  return roles.any_row_output ? run_rows(work, roles) : TD_OK;
}

// The outputs of rows, in the space of the rows.
td_status Run::run_rows(const Work& work, const Roles& roles) {
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
  return launch(rows, row_roles, plan_map(limits_, rows, row_roles));
}

// An upper bound of sizeof(R::State) in prelude.cuh and in Writer::reduction.
std::int64_t state_bytes(const td_instruction& reduction) {
  const std::int64_t value = std::max(size_of(reduction.dtype), 4);
  const bool argument = reduction.op == TD_REDUCE_argmax || reduction.op == TD_REDUCE_argmin;
  return argument || reduction.op == TD_REDUCE_prod ? (value + 7) / 8 * 8 + 8 : value;
}

td_status Run::run_reduction(const Work& work, const Roles& roles) {
  Plan plan = plan_reduction(limits_, work, roles);
  if (!plan.facts.partial) return launch(work, roles, plan);
  const std::int64_t count = count_partials(plan);
  std::int64_t bytes = 0;
  std::vector<std::int64_t> offsets;
  for (int i = 0; i < work.n_instructions; ++i) {
    if (work.instructions[i].kind != TD_REDUCE || !roles.needed[work.first_instruction() + i]) continue;
    offsets.push_back(bytes);
    bytes += (count * state_bytes(work.instructions[i]) + 255) / 256 * 256;
  }
  Scratch scratch(device_, bytes, error_);
  if (!scratch) return TD_OUT_OF_MEMORY;
  for (std::size_t i = 0; i < offsets.size(); ++i) plan.partials[i] = scratch.as<std::byte>() + offsets[i];
  const td_status status = launch(work, roles, plan);
  return status != TD_OK ? status : launch(work, roles, plan_finish(work, roles, plan));
}

// Any staged program: the reductions of one stage after those of the one before, each with its results in memory, then the
// maps behind them. Memory is read once a stage.
td_status Run::run_passes(const Work& work, const Roles& roles) {
  constexpr int pass_reductions = 4;
  const int row_axes = work.ndim - work.n_reduced;
  const std::int64_t rows = product(work.shape, work.shape + row_axes);
  std::vector<std::int64_t> strides(static_cast<std::size_t>(work.ndim), 0);
  std::int64_t stride = 1;
  for (int axis = row_axes - 1; axis >= 0; stride *= work.shape[axis--]) strides[static_cast<std::size_t>(axis)] = stride;

  std::vector<td_instruction> instructions(work.instructions, work.instructions + work.n_instructions);
  std::vector<td_operand> loads(work.load_operands, work.load_operands + work.n_loads);
  std::deque<Scratch> results;
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
        results.emplace_back(device_, rows * size_of(roles.dtype[values[i]]), error_);
        if (!results.back()) return TD_OUT_OF_MEMORY;
        outputs.push_back({results.back().as<std::byte>(), strides.data()});
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

td_status run_program(td_device* device, const td_program* program, const td_operand* inputs, const td_operand* outputs,
                      td_error* error) {
  const Work work{program->n_inputs,        program->n_constants,     program->n_instructions, 0,
                  program->n_outputs,       program->input_dtypes,    program->constant_dtypes, program->constants,
                  program->instructions,    program->outputs,         program->ndim,           program->n_reduced,
                  program->shape,           inputs,                   nullptr,                 outputs};
  const Current current(device_of(device));
  try {
    return Run(device_of(device), error).run(work);
  } catch (const std::bad_alloc&) {
    return fail(error, TD_OUT_OF_MEMORY, "no host memory for a kernel's text");
  } catch (...) {
    return fail(error, TD_INTERNAL, "an unexpected exception while a program was prepared");
  }
}

}  // namespace tandem::cuda
