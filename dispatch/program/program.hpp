// A program under construction, and its way to the backend.
#pragma once

#include <cstdint>

#include "../array/node.hpp"

namespace tandem::detail {

/// Holds a td_program and everything it points to. Operand strides are given over the whole iteration space, row axes
/// included, in logical order; run() brings the axes into the form that backend.h promises.
class Program {
 public:
  Program() noexcept {}  // start() first; the arrays stay undefined until they are filled
  Program(const Shape& shape, std::uint32_t row_axes) noexcept { start(shape, row_axes); }
  /// Empties the program. `shape` has no zero lengths; `row_axes` has a bit per axis that reductions run along.
  void start(const Shape& shape, std::uint32_t row_axes) noexcept;

  /// Adds an operand or instruction and returns its number within its kind.
  int add_input(DType dtype, void* data, const Shape& strides);
  int add_constant(DType dtype, const td_constant& value);
  /// Sources are value numbers; add all inputs and constants before the first instruction.
  int add_instruction(const td_instruction& instruction);
  void add_output(int value, void* data, const Shape& strides);

  /// The same for a space that is one run of `count` elements, as all contiguous operands of one shape make it: each
  /// operand has stride 1, or 0 for a single element.
  void start_flat(std::int64_t count) noexcept;
  void add_flat_input(DType dtype, void* data, std::int64_t stride) noexcept;
  void add_flat_output(int value, void* data) noexcept;

  int n_inputs() const noexcept { return n_inputs_; }
  int n_constants() const noexcept { return n_constants_; }

  /// Executes the program on the device; throws with `function` as the start of the message.
  void run(const char* function, DeviceState& device);

 private:
  struct Axis {
    std::int64_t length;
    bool row;
    std::int64_t strides[TD_MAX_INPUTS + TD_MAX_OUTPUTS];  // inputs, then outputs
  };
  void collapse();

  bool flat_;
  int ndim_, n_inputs_, n_constants_, n_instructions_, n_outputs_;
  Axis axes_[TD_MAX_NDIM];
  void* data_[TD_MAX_INPUTS + TD_MAX_OUTPUTS];
  std::uint8_t input_dtypes_[TD_MAX_INPUTS], constant_dtypes_[TD_MAX_CONSTANTS], outputs_[TD_MAX_OUTPUTS];
  td_constant constants_[TD_MAX_CONSTANTS];
  td_instruction instructions_[TD_MAX_INSTRUCTIONS];
};

/// Copies a view of `shape` into another view of the same shape and dtype on the same device.
void copy_view(const char* function, DeviceState& device, DType dtype, const Shape& shape, void* from,
               const Shape& from_strides, void* to, const Shape& to_strides);

}  // namespace tandem::detail
