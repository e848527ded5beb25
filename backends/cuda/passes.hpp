// run_program's passes over the space of a program.
#pragma once

#include <tandem/backend.h>

#include "plan.hpp"

namespace tandem::cuda {

/// What executes the passes: a device, or a test.
class Executor {
 public:
  virtual td_status launch(const Work& work, const Roles& roles, const Plan& plan) = 0;
  /// Says that such a launch comes after the next one, so that its kernel may be compiled together with that one's.
  virtual void prepare(const Work&, const Roles&, const Plan&) {}
  /// Memory for results between passes, as long as the executor lives; null if there is none.
  virtual void* scratch(std::int64_t bytes) = 0;

 protected:
  ~Executor() = default;
};

/// Runs any program. TD_OUT_OF_MEMORY if there is no scratch memory, else what the first failing launch returned.
td_status run_passes(const Limits& limits, const td_program& program, const td_operand* inputs,
                     const td_operand* outputs, Executor& executor);

}  // namespace tandem::cuda
