#include "program.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tandem::detail {

namespace {
constexpr int first_output = TD_MAX_INPUTS;
}

void Program::start(const Shape& shape, std::uint32_t row_axes) noexcept {
  flat_ = false;
  ndim_ = shape.size();
  n_inputs_ = n_constants_ = n_instructions_ = n_outputs_ = 0;
  for (int i = 0; i < ndim_; ++i) {
    axes_[i].length = shape[i];
    axes_[i].row = row_axes >> i & 1;
  }
}

int Program::add_input(DType dtype, void* data, const Shape& strides) {
  for (int i = 0; i < ndim_; ++i) axes_[i].strides[n_inputs_] = strides[i];
  data_[n_inputs_] = data;
  input_dtypes_[n_inputs_] = std::uint8_t(dtype);
  return n_inputs_++;
}

int Program::add_constant(DType dtype, const td_constant& value) {
  for (int i = 0; i < n_constants_; ++i)
    if (constant_dtypes_[i] == std::uint8_t(dtype) && std::memcmp(&constants_[i], &value, sizeof value) == 0) return i;
  constants_[n_constants_] = value;
  constant_dtypes_[n_constants_] = std::uint8_t(dtype);
  return n_constants_++;
}

int Program::add_instruction(const td_instruction& instruction) {
  instructions_[n_instructions_] = instruction;
  return n_inputs_ + n_constants_ + n_instructions_++;
}

void Program::add_output(int value, void* data, const Shape& strides) {
  const int slot = first_output + n_outputs_;
  for (int i = 0; i < ndim_; ++i) axes_[i].strides[slot] = strides[i];
  data_[slot] = data;
  outputs_[n_outputs_++] = std::uint8_t(value);
}

void Program::start_flat(std::int64_t count) noexcept {
  flat_ = true;
  ndim_ = 1;
  n_inputs_ = n_constants_ = n_instructions_ = n_outputs_ = 0;
  axes_[0].length = count;
  axes_[0].row = false;
}

void Program::add_flat_input(DType dtype, void* data, std::int64_t stride) noexcept {
  axes_[0].strides[n_inputs_] = stride;
  data_[n_inputs_] = data;
  input_dtypes_[n_inputs_++] = std::uint8_t(dtype);
}

void Program::add_flat_output(int value, void* data) noexcept {
  axes_[0].strides[first_output + n_outputs_] = 1;
  data_[first_output + n_outputs_] = data;
  outputs_[n_outputs_++] = std::uint8_t(value);
}

void Program::collapse() {
  const auto uses = [&](auto&& test) {  // whether the test holds for every operand
    for (int i = 0; i < n_inputs_; ++i)
      if (!test(i)) return false;
    for (int i = 0; i < n_outputs_; ++i)
      if (!test(first_output + i)) return false;
    return true;
  };
  // Axes in place: rows last, lengths of 1 dropped but for one row axis (or one axis at all).
  bool any_row = false;
  for (int i = 0; i < ndim_; ++i) any_row |= axes_[i].row;
  Axis* end = axes_ + ndim_;
  Axis* rows = any_row ? std::stable_partition(axes_, end, [](const Axis& a) { return !a.row; }) : end;
  Axis* out = axes_;
  for (Axis* a = axes_; a != rows; ++a)
    if (a->length != 1) {
      if (out != a) *out = *a;
      ++out;
    }
  // Non-row axes in descending order of the first output's strides (of which there is one); insertion sort, as there
  // are few and they are mostly in order.
  if (n_outputs_ > 0)
    for (Axis* a = axes_ + 1; a < out; ++a)
      for (Axis* b = a; b > axes_ && std::abs(b[-1].strides[first_output]) < std::abs(b->strides[first_output]); --b)
        std::swap(b[-1], *b);
  const auto merge = [&](Axis* begin, Axis* stop) {  // merges neighbours within [begin, stop); returns the new end
    if (begin == stop) return stop;
    Axis* last = begin;
    for (Axis* a = begin + 1; a != stop; ++a) {
      if (uses([&](int k) { return last->strides[k] == a->strides[k] * a->length; })) {
        const std::int64_t length = last->length * a->length;
        *last = *a;
        last->length = length;
      } else {
        *++last = *a;
      }
    }
    return last + 1;
  };
  out = merge(axes_, out);
  if (any_row) {
    Axis* begin = out;
    const Axis first_row = *rows;
    for (Axis* a = rows; a != end; ++a)
      if (a->length != 1) *out++ = *a;
    if (out == begin) *out++ = first_row;
    out = merge(begin, out);
  } else if (out == axes_) {
    out->length = 1;  // a single element
    out->row = false;
    for (auto& stride : out->strides) stride = 0;
    ++out;
  }
  ndim_ = int(out - axes_);
}

void Program::run(const char* function, DeviceState& device) {
  if (!flat_) collapse();
  std::int64_t shape[TD_MAX_NDIM];
  std::int64_t strides[(TD_MAX_INPUTS + TD_MAX_OUTPUTS) * TD_MAX_NDIM];
  td_operand operands[TD_MAX_INPUTS + TD_MAX_OUTPUTS];
  int n_reduced = 0;
  std::int64_t* next = strides;
  const auto fill = [&](int slot) {
    operands[slot] = {data_[slot], next};
    for (int i = 0; i < ndim_; ++i) *next++ = axes_[i].strides[slot];
  };
  for (int i = 0; i < ndim_; ++i) {
    shape[i] = axes_[i].length;
    n_reduced += axes_[i].row;
  }
  for (int i = 0; i < n_inputs_; ++i) fill(i);
  for (int i = 0; i < n_outputs_; ++i) fill(first_output + i);
  const td_program program{n_inputs_,      n_constants_,  n_instructions_, n_outputs_, input_dtypes_, constant_dtypes_,
                           constants_,     instructions_, outputs_,        ndim_,      n_reduced,     shape};
  call(function, device.table->run_program, device.handle, &program, static_cast<const td_operand*>(operands),
       static_cast<const td_operand*>(operands + first_output));
}

void copy_view(const char* function, DeviceState& device, DType dtype, const Shape& shape, void* from,
               const Shape& from_strides, void* to, const Shape& to_strides) {
  for (std::int64_t length : shape)
    if (length == 0) return;
  Program program(shape, 0);
  program.add_input(dtype, from, from_strides);
  const std::uint8_t type = std::uint8_t(dtype);
  program.add_output(program.add_instruction({TD_MAP, TD_OP_positive, type, type, {0}}), to, to_strides);
  program.run(function, device);
}

}  // namespace tandem::detail
