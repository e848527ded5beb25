/* What the kernels of backends/cuda's .cuh files need of CUDA, for a test that includes them: their threads are fibers of
 * blocks.hpp. Blocks run in order and one at a time, so that nobody has to wait for another block. */
#pragma once

#include <cuda_runtime_api.h>
#include <math.h>
#include <string.h>
#include <vector_types.h>

#include <stdexcept>

#include "blocks.hpp"

#undef __device__
#undef __global__
#undef __shared__
#undef __launch_bounds__
#undef __forceinline__
#define __device__
#define __global__
#define __launch_bounds__(...)
#define __forceinline__
#define __shared__ static

#define threadIdx tandem::test::Blocks::instance().machine.thread
#define blockIdx tandem::test::Blocks::instance().machine.block
#define blockDim tandem::test::Blocks::instance().machine.block_size

inline void __syncthreads() { tandem::test::Blocks::instance().machine.synchronize(); }
inline unsigned __shfl_sync(unsigned, unsigned word, int lane) {
  return tandem::test::Blocks::instance().machine.shuffle(word, lane);
}
template <class T>
T __ldcs(const T* place) { return *place; }
template <class T>
void __stcs(T* place, T value) { *place = value; }
inline void __syncwarp() { __shfl_sync(~0u, 0, 0); }
inline unsigned long long atomicAdd(unsigned long long* place, unsigned long long value) {
  return (*place += value) - value;
}

namespace tandem::cuda {

inline void tell_word(unsigned long long* place, unsigned long long word) { *place = word; }
inline unsigned long long overhear_word(const unsigned long long* place) { return *place; }
inline unsigned long long hear_word(const unsigned long long* place) {
  if (*place == 0) throw std::logic_error("a tile waits for a later one");
  return *place;
}

}  // namespace tandem::cuda
