// Recording elementwise operations and reductions, and running what was recorded.
//
// docs/fusion.md says what joins one pass and what makes an expression run.
#pragma once

#include <cstdint>

#include "../array/node.hpp"

namespace tandem::detail {

/// Why a pending expression was run.
enum class FlushReason : std::uint8_t {
  host_read,     // a value was read on the host
  verb,          // a function that is not elementwise needed it
  eval,          // eval() or strides, data, ...
  view,          // a view of it was taken
  write,         // it was assigned into memory
  instructions,  // more than TD_MAX_INSTRUCTIONS would have come together
  inputs,        // more than TD_MAX_INPUTS arrays
  constants,     // more than TD_MAX_CONSTANTS scalars
  memory,        // it kept too much memory alive
  broadcast,     // it is smaller than the result, so that computing it inside would repeat work
  row_space,     // its rows are not those of the expression that it meets
  row_length,    // rows too long for maps after a reduction
  eager,         // TANDEM_EAGER=1
  count
};
const char* name(FlushReason reason) noexcept;

/// A node, or a constant of the operand dtype.
struct Source {
  NodePtr node;
  td_constant constant;
};

/// Records an elementwise operation. Sources broadcast to `shape` and have `operand_dtype` (bool for the condition of
/// where); they are moved from.
NodePtr record_map(const char* function, td_op op, DType operand_dtype, DType result_dtype, DeviceState& device,
                   const Shape& shape, Source* sources, int n_sources);

/// Records x as another dtype, or returns x if it has that dtype.
NodePtr record_cast(const char* function, NodePtr x, DType dtype);

/// Records a reduction over the axes of the mask. No reduced axis is empty and size is not 0.
NodePtr record_reduction(const char* function, td_reduction reduction, NodePtr x, std::uint32_t row_axes, bool keepdims,
                         DType result_dtype);

/// Makes the node ready; throws with `function` as the start of the message and leaves everything as it was.
void evaluate(const char* function, Node& node, FlushReason reason);

/// Computes the node straight into a view of its shape and dtype that overlaps no source of it.
void evaluate_into(const char* function, Node& node, void* data, const Shape& strides);

/// Whether the pending expression reads memory of `owner`.
bool reads_memory_of(const Node& node, const Node& owner);

/// How often each reason occurred in this process.
long long flush_count(FlushReason reason) noexcept;

}  // namespace tandem::detail
