// Kernels of the program engine: loops over contiguous blocks, compiled once per instruction set. Files named
// *_kernels.cpp define the tables that are declared here.
#pragma once

#include <tandem/backend.h>

namespace tandem::cpu {

/// Kernels of maps and casts take multiples of this many elements, so that no loop has a tail: a value never depends on
/// its place in the block.
constexpr int64_t block_unit = 64;

constexpr int64_t padded(int64_t n) noexcept { return (n + block_unit - 1) & -block_unit; }

/// An elementwise operation: out[i] = f(a[i], b[i], c[i], d[i]) for i < n; operands beyond its arity are ignored. `out`
/// may be an operand of the same element size.
using Map = void (*)(void* out, const void* a, const void* b, const void* c, const void* d, int64_t n);

/// Combines partial results (docs/reductions.md). n, width and steps are exact: nothing outside is touched.
struct Combiner {
  /// lanes[i] = combine(lanes[i], values[i])
  void (*combine)(void* lanes, const void* values, int64_t n);
  /// lanes[i] = combine(lanes[i], values[s * stride + i]) for i < width and s = 0, 1, ... steps - 1
  void (*accumulate)(void* lanes, const void* values, int64_t width, int64_t stride, int64_t steps);
  /// Halves 128 lanes of one element down to the first.
  void (*fold)(void* lanes);
};

/// argmax and argmin of `width` rows side by side: best values and their positions.
struct Searcher {
  /// Takes in values[p * width + w], which are at position first + p of row w.
  void (*search)(void* best, int64_t* positions, const void* values, int64_t width, int64_t count, int64_t first);
  /// Takes in the bests of later positions.
  void (*combine)(void* best, int64_t* positions, const void* later, const int64_t* later_positions, int64_t width);
};

/// Movements of elements of 1, 2, 4, 8 or 16 bytes, indexed by the logarithm of the size.
constexpr int size_classes = 5;
constexpr uint8_t size_class_of[TD_DTYPE_COUNT] = {
#define X(NAME, type, text, bytes) bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : 4,
    TD_DTYPES(X)
#undef X
};

struct Movers {
  /// to[r * to_row + c * to_column] = from[r * from_row + c * from_column]
  void (*copy[size_classes])(void* to, int64_t to_row, int64_t to_column, const void* from, int64_t from_row,
                             int64_t from_column, int64_t rows, int64_t columns);
  /// to[r * columns + c] = from[r * from_row]; writes up to 64 bytes behind the last element
  void (*repeat[size_classes])(void* to, const void* from, int64_t from_row, int64_t rows, int64_t columns);
  /// to[i] = *value
  void (*fill[size_classes])(void* to, const void* value, int64_t n);
  /// to[i] = first + i * step
  void (*count)(int64_t* to, int64_t first, int64_t step, int64_t n);
  /// memcpy past the caches; `fence` makes it visible to other threads.
  void (*stream)(void* to, const void* from, int64_t bytes);
  void (*fence)();
};

struct Kernels {
  const Map* maps[TD_DTYPE_COUNT];  // by dtype of the operands, then operation; null where there is none
  const Map* const* casts;          // [from][to]
  const Combiner* const* combiners;  // by reduction, then dtype of the elements; null where there is none
  const Searcher* const* searchers;
  const Movers* movers;
};

/// Those for isa().
const Kernels& kernels() noexcept;

#define TD_DECLARE_MAPS(NAME, type, ...) extern const Map* const maps_##type;
#define TD_DECLARE_KERNELS(isa)                                        \
  namespace isa {                                                      \
  TD_DTYPES(TD_DECLARE_MAPS)                                           \
  extern const Map* const casts[TD_DTYPE_COUNT];                       \
  extern const Combiner* const combiners[TD_REDUCTION_COUNT];          \
  extern const Searcher* const searchers[TD_REDUCTION_COUNT];          \
  extern const Movers movers;                                          \
  }
TD_DECLARE_KERNELS(v2)
TD_DECLARE_KERNELS(v3)
TD_DECLARE_KERNELS(v4)
#undef TD_DECLARE_KERNELS
#undef TD_DECLARE_MAPS

}  // namespace tandem::cpu
