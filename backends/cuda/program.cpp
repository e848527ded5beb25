// run_program: the launches of the kernels of a program's passes.
#include <list>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "arguments.hpp"
#include "device.hpp"
#include "generator.hpp"
#include "kernel_cache.hpp"
#include "passes.hpp"
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

constexpr const char* next_kernel_name = "tandem_next_kernel";

/// One call of run_program.
class Run final : public Executor {
 public:
  Run(Device& device, td_error* error) : device_(device), error_(error) {}

  td_status launch(const Work& work, const Roles& roles, const Plan& plan) override;
  void prepare(const Work& work, const Roles& roles, const Plan& plan) override;
  void* scratch(std::int64_t bytes) override {
    scratch_.emplace_back(device_, bytes, error_);
    return scratch_.back().as<void>();
  }

 private:
  td_status check_program(const Work& work);
  const std::string& key_of(const Work& work, const Plan& plan);
  td_status find_kernel(const Work& work, const Roles& roles, const Plan& plan, cudaKernel_t* kernel);

  Device& device_;
  td_error* const error_;
  std::list<Scratch> scratch_;
  struct {
    const Work* work = nullptr;
    const Roles* roles;
    const Plan* plan;
  } after_;  // of the launch after the next one
  bool is_new_ = false;  // the kernel that was found last
};

td_status Run::check_program(const Work& work) {
  for (int i = 0; i < work.n_instructions; ++i) {
    const td_instruction& instruction = work.instructions[i];
    if (has_kernel(instruction)) continue;
    const bool reduction = instruction.kind == TD_REDUCE;
    const bool known = instruction.op < (reduction ? int(TD_REDUCTION_COUNT) : int(TD_OP_COUNT));
    const char* const name =
        !known ? "an unknown operation" : (reduction ? reduction_names : operation_names)[instruction.op];
    const char* const dtype = instruction.dtype < TD_DTYPE_COUNT ? dtype_names[instruction.dtype] : "an unknown dtype";
    return fail(error_, TD_NOT_SUPPORTED, "%s has no kernel for %s", name, dtype);
  }
  return TD_OK;
}

const std::string& Run::key_of(const Work& work, const Plan& plan) {
  thread_local std::string key;
  encode(work, plan, &key);
  key.push_back(static_cast<char>(device_.ordinal));
  return key;
}

void Run::prepare(const Work& work, const Roles& roles, const Plan& plan) {
  after_ = {&work, &roles, &plan};
}

td_status Run::find_kernel(const Work& work, const Roles& roles, const Plan& plan, cudaKernel_t* kernel) {
  const auto after = std::exchange(after_, {});
  *kernel = kernels().find(key_of(work, plan));
  is_new_ = *kernel == nullptr;
  if (!is_new_) return TD_OK;
  if (const td_status status = check_program(work); status != TD_OK) return status;
  Stopwatch watch;
  std::string text = generate(work, roles, plan);
  if (after.work != nullptr) text += generate_kernel(*after.work, *after.roles, *after.plan, next_kernel_name);
  log(TD_LOG_DEBUG, "a kernel's text: %.2f ms to write %zu bytes", watch.lap(), text.size());
  if (const td_status status = get_kernel(device_, text, kernel_name, kernel, error_); status != TD_OK) return status;
  kernels().insert(key_of(work, plan), *kernel);
  if (after.work == nullptr) return TD_OK;
  cudaKernel_t next;
  const td_status status = get_kernel(device_, text, next_kernel_name, &next, error_);
  if (status == TD_OK) kernels().insert(key_of(*after.work, *after.plan), next);
  return status;
}

td_status Run::launch(const Work& work, const Roles& roles, const Plan& plan) {
  for (int k = 0; k < work.n_operands(); ++k) {
    if (plan.facts.operands[k].mode == Mode::unused || work.operand(k).data == nullptr) continue;
    const int dtype = k < work.n_inputs         ? work.input_dtypes[k]
                      : k < work.first_output() ? int(TD_BOOL)
                                                : roles.dtype[work.outputs[k - work.first_output()]];
    if (reinterpret_cast<std::uintptr_t>(work.operand(k).data) % static_cast<unsigned>(size_of(dtype)) != 0)
      return fail(error_, TD_INVALID_ARGUMENT, "the address %p of an operand is no multiple of the size of %s",
                  work.operand(k).data, dtype_names[dtype]);
  }
  if (plan.grid > 0x7fffffff)
    return fail(error_, TD_NOT_SUPPORTED, "a program of %lld blocks is too large for a launch",
                static_cast<long long>(plan.grid));
  cudaKernel_t kernel;
  if (const td_status status = find_kernel(work, roles, plan, &kernel); status != TD_OK) return status;
  Arguments arguments(work, roles, plan);
  void* parameters[] = {arguments.data()};
  Stopwatch watch;
  const td_status status =
      check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(plan.grid)),
                             dim3(plan.block_x, plan.block_y), parameters, 0, device_.stream),
            "launch of a program", error_);
  if (is_new_) log(TD_LOG_DEBUG, "a kernel's first launch: %.2f ms", watch.lap());
  return status;
}

}  // namespace

td_status run_program(td_device* device, const td_program* program, const td_operand* inputs, const td_operand* outputs,
                      td_error* error) {
  const Current current(device_of(device));
  try {
    Run run(device_of(device), error);
    return run_passes({device_of(device).multiprocessors, device_of(device).l2_bytes}, *program, inputs, outputs, run);
  } catch (const std::bad_alloc&) {
    return fail(error, TD_OUT_OF_MEMORY, "no host memory for a kernel's text");
  } catch (...) {
    return fail(error, TD_INTERNAL, "an unexpected exception while a program was prepared");
  }
}

}  // namespace tandem::cuda
