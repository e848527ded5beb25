// run_program: all values of a program at one position of the space, then at the next.
//
// A row is walked once per stage. The walk of stage s computes the values that depend on chains of at most s
// reductions, and feeds the reductions that combine values of stage s; their results are there for the walks that
// follow. The last walk writes the outputs. Without row axes the whole space counts as one row.
#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "operations.hpp"
#include "strided.hpp"
#include "verbs.hpp"

namespace tandem::reference {

namespace {

int first_row_axis(const td_program& program) { return program.n_reduced == 0 ? 0 : program.ndim - program.n_reduced; }

/// An input or output of the program and the place in it that the evaluation has reached.
class Operand {
 public:
  Operand(const td_program& program, const td_operand& operand, int dtype)
      : data_(static_cast<std::byte*>(operand.data)),
        element_size_(static_cast<int64_t>(size_of(dtype))),
        rows_(program.shape, operand.strides, 0, first_row_axis(program)),
        positions_(program.shape, operand.strides, first_row_axis(program), program.ndim) {}

  Value load() const {
    const int64_t offset = rows_.offset() + positions_.offset();
    if (data_ == nullptr) return Value::of(static_cast<i64>(offset));  // the index array
    Value value;
    std::memcpy(value.bytes, data_ + offset * element_size_, element_size_);
    return value;
  }

  void store(const Value& value) const {
    std::memcpy(data_ + (rows_.offset() + positions_.offset()) * element_size_, value.bytes, element_size_);
  }

  void start_row() { positions_.restart(); }
  void next_position() { positions_.next(); }
  void next_row() { rows_.next(); }

 private:
  std::byte* const data_;
  const int64_t element_size_;
  Walk rows_, positions_;
};

struct Step {
  Operation operation;
  const uint8_t* sources;
  int target, stage;
};

struct Reducer {
  std::unique_ptr<Reduction> reduction;
  int source, target, stage;
};

class Evaluation {
 public:
  Evaluation(const td_program& program, const td_operand* inputs, const td_operand* outputs);
  void run();

 private:
  void add_instruction(const td_instruction& instruction, int target);
  void run_row();
  void combine(int stage);
  void write();
  void start_row();
  void next_position();
  void compute(int stage);

  const td_program& program_;
  const int64_t rows_, row_length_;
  std::deque<Operand> inputs_, outputs_;
  std::vector<Step> steps_;
  std::vector<Reducer> reducers_;
  int last_stage_ = 0;

  // By the number of the value; every number that fits its type has an entry.
  std::vector<Value> values_ = std::vector<Value>(256);
  std::vector<int> stages_ = std::vector<int>(256);
  std::vector<bool> row_value_ = std::vector<bool>(256);
};

int64_t product(const int64_t* first, const int64_t* last) {
  return std::accumulate(first, last, int64_t{1}, std::multiplies<>());
}

Evaluation::Evaluation(const td_program& program, const td_operand* inputs, const td_operand* outputs)
    : program_(program),
      rows_(product(program.shape, program.shape + first_row_axis(program))),
      row_length_(product(program.shape + first_row_axis(program), program.shape + program.ndim)) {
  std::vector<int> dtypes;
  for (int i = 0; i < program.n_inputs; ++i) {
    inputs_.emplace_back(program, inputs[i], program.input_dtypes[i]);
    row_value_[i] = program.n_reduced > 0 &&
                    std::all_of(inputs[i].strides + first_row_axis(program), inputs[i].strides + program.ndim,
                                [](int64_t stride) { return stride == 0; });
    dtypes.push_back(program.input_dtypes[i]);
  }
  for (int i = 0; i < program.n_constants; ++i) {
    std::memcpy(values_[dtypes.size()].bytes, program.constants[i].bytes, sizeof program.constants[i].bytes);
    row_value_[dtypes.size()] = program.n_reduced > 0;
    dtypes.push_back(program.constant_dtypes[i]);
  }
  for (int i = 0; i < program.n_instructions; ++i) {
    add_instruction(program.instructions[i], static_cast<int>(dtypes.size()));
    dtypes.push_back(program.instructions[i].result);
  }
  for (int i = 0; i < program.n_outputs; ++i) {
    outputs_.emplace_back(program, outputs[i], dtypes[program.outputs[i]]);
  }
}

void Evaluation::add_instruction(const td_instruction& instruction, int target) {
  const uint8_t* sources = instruction.sources;
  if (instruction.kind == TD_REDUCE) {
    const int stage = stages_[sources[0]];
    reducers_.push_back({make_reduction(instruction.op, instruction.dtype), sources[0], target, stage});
    stages_[target] = stage + 1;
    row_value_[target] = true;
  } else {
    const bool is_cast = instruction.kind == TD_CAST;
    const int arity = is_cast ? 1 : arity_of(instruction.op);
    const Operation operation = is_cast ? find_cast(instruction.dtype, instruction.result)
                                        : find_operation(instruction.op, instruction.dtype);
    for (int i = 0; i < arity; ++i) stages_[target] = std::max(stages_[target], stages_[sources[i]]);
    row_value_[target] = std::all_of(sources, sources + arity, [&](int source) { return row_value_[source]; });
    steps_.push_back({operation, sources, target, stages_[target]});
  }
  last_stage_ = std::max(last_stage_, stages_[target]);
}

void Evaluation::run() {
  for (int64_t row = 0; row < rows_; ++row) {
    run_row();
    for (Operand& input : inputs_) input.next_row();
    for (Operand& output : outputs_) output.next_row();
  }
}

// Inputs that are row values are read before anything of the row is written: an output may be the same view.
void Evaluation::run_row() {
  start_row();
  for (int i = 0; i < program_.n_inputs; ++i) {
    if (row_value_[i]) values_[i] = inputs_[i].load();
  }
  for (int stage = 0; stage < last_stage_; ++stage) combine(stage);
  write();
}

void Evaluation::combine(int stage) {
  start_row();
  for (int64_t position = 0; position < row_length_; ++position) {
    compute(stage);
    for (Reducer& reducer : reducers_) {
      if (reducer.stage == stage) reducer.reduction->add(values_[reducer.source]);
    }
    next_position();
  }
  for (Reducer& reducer : reducers_) {
    if (reducer.stage == stage) values_[reducer.target] = reducer.reduction->finish();
  }
}

// Row values are the same at all positions, and are written at the first.
void Evaluation::write() {
  const uint8_t* numbers = program_.outputs;
  const bool rows_only = std::all_of(numbers, numbers + program_.n_outputs, [&](int n) { return row_value_[n]; });
  const int64_t count = rows_only ? 1 : row_length_;
  start_row();
  for (int64_t position = 0; position < count; ++position) {
    compute(last_stage_);
    for (int i = 0; i < program_.n_outputs; ++i) {
      if (position == 0 || !row_value_[numbers[i]]) outputs_[i].store(values_[numbers[i]]);
    }
    next_position();
  }
}

void Evaluation::start_row() {
  for (Operand& input : inputs_) input.start_row();
  for (Operand& output : outputs_) output.start_row();
}

void Evaluation::next_position() {
  for (Operand& input : inputs_) input.next_position();
  for (Operand& output : outputs_) output.next_position();
}

// All values at the current position but those that need more than `stage` reductions.
void Evaluation::compute(int stage) {
  for (int i = 0; i < program_.n_inputs; ++i) {
    if (!row_value_[i]) values_[i] = inputs_[i].load();
  }
  for (const Step& step : steps_) {
    if (step.stage > stage) continue;
    const uint8_t* from = step.sources;
    values_[step.target] = step.operation(values_[from[0]], values_[from[1]], values_[from[2]], values_[from[3]]);
  }
}

}  // namespace

td_status run_program(td_device*, const td_program* program, const td_operand* inputs, const td_operand* outputs,
                      td_error* error) {
  return guarded(error, [&] { Evaluation(*program, inputs, outputs).run(); });
}

}  // namespace tandem::reference
