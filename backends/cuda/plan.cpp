// The keys and the arguments of plans.
#include "plan.hpp"

#include <cstring>

#include "arguments.hpp"
#include "layout.hpp"

namespace tandem::cuda {

const ExtraNames& extra_names(Kernel kernel) {
  static constexpr ExtraNames names[] = {
      {{"column_blocks", "column_magic"}, 2},
      {{"height", "tile_rows", "tile_row_magic", "tile_columns", "tile_column_magic"}, 5},
      {{"leaves", "slot_bits", "chunks", "chunk_magic"}, 4},
      {{"columns", "column_blocks", "column_magic", "leaves", "leaf_magic"}, 5},
      {{"count", "row_stride", "item_stride"}, 3},
      {{}, 0},
  };
  return names[static_cast<int>(kernel)];
}

void encode(const Work& work, const Plan& plan, std::string* key) {
  const Facts& facts = plan.facts;
  const auto put = [&](auto... values) {
    const char bytes[] = {static_cast<char>(values)...};
    key->append(bytes, sizeof bytes);
  };
  key->clear();
  put(facts.kernel, facts.wide | facts.partial << 1 | facts.several << 2 | facts.whole << 3, facts.outer, facts.inner,
      facts.width, facts.vectors, facts.threads, facts.steps, facts.groups, facts.rows, facts.lanes, facts.tile,
      work.n_inputs, work.n_constants, work.n_instructions, work.n_loads, work.n_outputs, work.n_reduced != 0);
  const auto append = [&](const void* data, int bytes) {
    key->append(static_cast<const char*>(data), static_cast<std::size_t>(bytes));
  };
  append(work.input_dtypes, work.n_inputs);
  append(work.constant_dtypes, work.n_constants);
  append(work.outputs, work.n_outputs);
  for (int i = 0; i < work.n_instructions; ++i) {
    const td_instruction& instruction = work.instructions[i];
    put(instruction.kind, instruction.op, instruction.dtype, instruction.result);
    append(instruction.sources, arity_of(instruction));
  }
  for (int k = 0; k < work.n_operands(); ++k) {
    const OperandFacts& operand = facts.operands[k];
    put(static_cast<int>(operand.mode) | operand.aligned << 3 | operand.index << 4 | operand.row << 5 |
        operand.streaming << 6);
  }
}

Arguments::Arguments(const Work& work, const Roles& roles, const Plan& plan) {
  unsigned char* next = bytes_;
  const Facts& facts = plan.facts;
  const auto axis_length = [&](int axis) { return work.shape[plan.axes[axis]]; };
  const auto value = [&](Field field, int i, int axis) -> std::int64_t {
    switch (field) {
      case Field::rows: return plan.rows;
      case Field::length: return plan.length;
      case Field::outer_length: return axis_length(i);
      case Field::outer_magic: return magic_of(axis_length(i));
      case Field::inner_length: return axis_length(facts.outer + i);
      case Field::inner_magic: return magic_of(axis_length(facts.outer + i));
      case Field::extra: return plan.extras[i];
      case Field::partials: return reinterpret_cast<std::intptr_t>(plan.partials[i]);
      case Field::pointer: return reinterpret_cast<std::intptr_t>(work.operand(i).data);
      case Field::outer_stride: return work.operand(i).strides[plan.axes[axis]];
      default: return work.operand(i).strides[plan.axes[facts.outer + axis]];
    }
  };
  each_argument(work, roles, facts, [&](Field field, int i, int axis) {
    if (field == Field::constant) {
      std::memcpy(next, work.constants[i].bytes, 16);
      next += 16;
    } else {
      const std::int64_t word = value(field, i, axis);
      std::memcpy(next, &word, 8);
      next += 8;
    }
  });
}

}  // namespace tandem::cuda
