/* Stands for backends/cuda/device.cuh where the host compiler compiles a generated kernel: its threads are fibers of
 * tests/cuda_emulation_test.cpp, which runs the blocks one after the other.
 */
#include <math.h>
#include <string.h>

#define TD_FN inline __attribute__((always_inline))
#define __device__
#define __global__
#define __forceinline__
#define __launch_bounds__(...)
#define __grid_constant__
#define __shared__ static /* one block at a time */

namespace tandem {
namespace emulator {

struct Index {
  unsigned int x, y;
};

/* What the emulator offers to a kernel. */
struct Machine {
  Index thread, block, block_size;
  void (*synchronize)();
  unsigned int (*shuffle)(unsigned int word, int lane);
  void (*check)(const void* address, unsigned int bytes);
};
extern "C" {
Machine* tandem_machine;
}

}  // namespace emulator

#define threadIdx tandem::emulator::tandem_machine->thread
#define blockIdx tandem::emulator::tandem_machine->block
#define blockDim tandem::emulator::tandem_machine->block_size
#define __syncthreads() tandem::emulator::tandem_machine->synchronize()

namespace scalar {

template <int bytes>
struct alignas(bytes) Chunk {
  unsigned char data[bytes];
};
template <bool streaming>
struct Streaming {};

template <bool streaming, int bytes>
TD_FN Chunk<bytes> load_chunk(Streaming<streaming>, const Chunk<bytes>* from) {
  emulator::tandem_machine->check(from, bytes);
  return *from;
}
template <bool streaming, int bytes>
TD_FN void store_chunk(Streaming<streaming>, Chunk<bytes>* to, Chunk<bytes> x) {
  emulator::tandem_machine->check(to, bytes);
  *to = x;
}

TD_FN unsigned int shuffle_word_down(unsigned int x, int distance) {
  const int lane = (int)(threadIdx.y * blockDim.x + threadIdx.x) % 32 + distance;
  return emulator::tandem_machine->shuffle(x, lane > 31 ? lane - distance : lane);
}
TD_FN unsigned int shuffle_word_from(unsigned int x, int from) { return emulator::tandem_machine->shuffle(x, from); }
TD_FN unsigned int high_product(unsigned int a, unsigned int b) { return (unsigned int)((unsigned long)a * b >> 32); }

#define TANDEM_APPROXIMATIONS
/* Off by up to 2^-22, as the machine's may be. */
TD_FN float approximate_reciprocal(float x) { return 1 / x * (1 + (threadIdx.x % 3 - 1.0f) * 0x1p-22f); }
TD_FN float approximate_reciprocal_sqrt(float x) { return 1 / sqrtf(x) * (1 + (threadIdx.x % 3 - 1.0f) * 0x1p-22f); }

}  // namespace scalar
}  // namespace tandem
