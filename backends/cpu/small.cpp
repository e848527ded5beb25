// The short way for maps of few elements that lie one after the other: no plan, no tiling, no threads, one block.
#include "small.hpp"

#include <cstring>

#include "kernels.hpp"

namespace tandem::cpu {
namespace {

constexpr int64_t block_bytes = 24 << 10;

}  // namespace

bool run_small(const td_program& program, const td_operand* inputs, const td_operand* outputs) noexcept {
  const int64_t n = program.shape[0], room = padded(n);
  const int n_values = program.n_inputs + program.n_constants + program.n_instructions;
  if (program.ndim != 1 || program.n_reduced != 0 || n > 512 || n_values > 32) return false;
  for (int i = 0; i < program.n_outputs; ++i)
    if (outputs[i].strides[0] != 1) return false;

  const Kernels& k = kernels();
  alignas(64) char memory[block_bytes];
  char* next = memory;
  void* at[32];
  uint8_t classes[32];  // of their sizes
  int number = 0;
  const auto place = [&](int dtype) {
    void* block = next;
    classes[number] = size_class_of[dtype];
    at[number++] = block;
    next += room << size_class_of[dtype];
    return next <= memory + block_bytes ? block : nullptr;
  };
  for (int i = 0; i < program.n_inputs; ++i) {
    void* block = place(program.input_dtypes[i]);
    if (!block || !inputs[i].data) return false;
    if (inputs[i].strides[0] == 1)
      std::memcpy(block, inputs[i].data, n << classes[i]);
    else if (inputs[i].strides[0] == 0)
      k.movers->fill[classes[i]](block, inputs[i].data, room);
    else
      return false;
  }
  for (int i = 0; i < program.n_constants; ++i) {
    void* block = place(program.constant_dtypes[i]);
    if (!block) return false;
    k.movers->fill[size_class_of[program.constant_dtypes[i]]](block, &program.constants[i], room);
  }
  for (int i = 0; i < program.n_instructions; ++i) {
    const td_instruction& x = program.instructions[i];
    if (x.kind == TD_REDUCE || x.op >= TD_OP_COUNT) return false;
    if (x.dtype >= TD_DTYPE_COUNT || x.result >= TD_DTYPE_COUNT) return false;
    const Map run = x.kind == TD_CAST ? k.casts[x.dtype][x.result] : k.maps[x.dtype][x.op];
    void* block = place(x.result);
    if (!run || !block) return false;
    run(block, at[x.sources[0]], at[x.sources[1]], at[x.sources[2]], at[x.sources[3]], room);
  }
  for (int i = 0; i < program.n_outputs; ++i)
    std::memcpy(outputs[i].data, at[program.outputs[i]], n << classes[program.outputs[i]]);
  return true;
}

}  // namespace tandem::cpu
