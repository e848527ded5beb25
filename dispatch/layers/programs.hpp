// What layers do with programs: name them, take them apart, compute single values of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "elements.hpp"

namespace tandem::detail {

/// "sqrt", "sum", "cast to float32".
std::string operation_name(const td_instruction& instruction);

/// The program's operations in order, repeated ones once: "multiply add sqrt (float32)", "add x64 (float64)".
std::string program_name(const td_program& program);

/// Number of a program's values.
inline int value_count(const td_program& program) {
  return program.n_inputs + program.n_constants + program.n_instructions;
}
DType value_dtype(const td_program& program, int value);

/// For each value whether it is a row value, as backend.h defines it.
std::vector<bool> row_values(const td_program& program, const td_operand* inputs);

/// The positions of a program's space that a row has; 1 if it has no rows.
std::int64_t row_length(const td_program& program);

/// An input or output as a view over the space; along the row axes of a row value it has length 1.
td_view operand_view(const td_program& program, const td_operand& operand, DType dtype, bool row,
                     std::vector<std::int64_t>& shape);

/// A value of a program at all positions, on the host. Constants have one element.
struct ProgramValue {
  DType dtype;
  std::int64_t repeat;  // positions that share an element
  std::vector<std::byte> bytes;

  const std::byte* at(std::int64_t position) const noexcept {
    return bytes.data() + position / repeat * itemsize(dtype);
  }
};

/// Computes one value of a program on a device, of those instructions alone that it needs.
ProgramValue compute_value(const Target& target, const td_program& program, const td_operand* inputs, int value);

/// How many sources an instruction has.
int source_count(const td_instruction& instruction);

}  // namespace tandem::detail
