// The kernels of scan. Each thread has 16 neighbouring elements, a block of level 1 in the words of docs/reductions.md;
// 16 threads have a block of level 2.
#pragma once

#include <tandem/scalar.h>

#include "scan_plan.hpp"

namespace tandem::cuda {
namespace {

using scalar::i64;
using scalar::u32;
using scalar::u64;

#define TD_REDUCTION(name, types, result, expression, ...)              \
  struct name##_row {                                                   \
    template <class T>                                                  \
    static __device__ T combine([[maybe_unused]] T a, [[maybe_unused]] T b) { \
      using namespace scalar;                                           \
      return expression;                                                \
    }                                                                   \
  };
#include <tandem/ops.def>

// ---- between threads ----

/// The value of another lane. All threads of the warp take part.
template <class T>
__device__ T shuffle(T x, int lane) {
  constexpr int words = int(sizeof(T) + 3) / 4;
  u32 parts[words] = {};
  memcpy(parts, &x, sizeof x);
  for (int i = 0; i < words; ++i) parts[i] = __shfl_sync(0xffffffffu, parts[i], lane);
  memcpy(&x, parts, sizeof x);
  return x;
}

/// Doubling over 16 values of a thread.
template <class Row, class T>
__device__ void double_up(T (&x)[scan_children]) {
#pragma unroll
  for (int half = 1; half < scan_children; half *= 2)
#pragma unroll
    for (int i = 0; i < scan_children; ++i)
      if (i & half) x[i] = Row::combine(x[i / half * half - 1], x[i]);
}

/// Doubling over 16 neighbouring lanes.
template <class Row, class T>
__device__ T double_across(T x, int lane) {
#pragma unroll
  for (int half = 1; half < scan_children; half *= 2) {
    const int child = lane % scan_children;
    const T last = shuffle(x, (child & half) != 0 ? lane / half * half - 1 : lane);
    if (child & half) x = Row::combine(last, x);
  }
  return x;
}

/// What comes before a block: nothing, or a value.
template <class T>
struct Before {
  bool any;
  T value;
};

/// What comes before a child, given what comes before its block and the local prefix up to the child before it.
template <class Row, class T>
__device__ Before<T> before_child(Before<T> block, int child, T local) {
  if (child == 0) return block;
  return {true, block.any ? Row::combine(block.value, local) : local};
}

/// What tiles tell each other (see ScanPlan), and the number of the next tile to be taken. A tile is taken only after all
/// before it, so that whoever is waited for is on the way.
///
/// Each 32-bit part of a value shares a 64-bit word with a mark: who sees the mark has the part, too, so that nothing
/// depends on the order in which words arrive and no fence holds up the threads' other memory accesses. A place has
/// sizeof(T) / 4 rows of `width` words.
template <class T>
struct Board {
  static constexpr int parts = int(sizeof(T)) / 4;
  unsigned long long* words;
  unsigned long long* next_tile;

  __device__ void tell(i64 place, i64 width, int column, const T& value) const {
    u32 part[parts];
    memcpy(part, &value, sizeof value);
#pragma unroll
    for (int i = 0; i < parts; ++i) tell_word(words + (place * parts + i) * width + column, 1ull << 32 | part[i]);
  }
  /// Whether it is told by now.
  __device__ bool overhear(i64 place, T& value) const {
    u32 part[parts];
    bool told = true;
#pragma unroll
    for (int i = 0; i < parts; ++i) {
      const unsigned long long word = overhear_word(words + place * parts + i);
      part[i] = u32(word);
      told &= word != 0;
    }
    memcpy(&value, part, sizeof value);
    return told;
  }
  /// Waits until it is told.
  __device__ T hear(i64 place, i64 width, int column) const {
    u32 part[parts];
#pragma unroll
    for (int i = 0; i < parts; ++i) part[i] = u32(hear_word(words + (place * parts + i) * width + column));
    T value;
    memcpy(&value, part, sizeof value);
    return value;
  }
};

/// The tile's number among all; `shared` is a place in shared memory.
template <class T>
__device__ i64 take_tile(const Board<T>& board, unsigned long long* shared) {
  if (threadIdx.x == 0 && threadIdx.y == 0) *shared = atomicAdd(board.next_tile, 1ull);
  __syncthreads();
  return i64(*shared);
}

// ---- rows ----

/// What comes before a tile, found by the 32 threads of one warp, which tell the tile's total, and that of each block that
/// ends with it. `local` (shared) has by level the local prefix up to the child before this one. Lane 0 has the result.
///
/// Half of the warp listens at one level, half at the next; what is told already at the two levels after them is fetched
/// at the same time. Only a tile that ends a block has to hear the lower level first, since others wait for that total.
template <class Row, class T>
__device__ Before<T> look_back(const ScanPlan& plan, Board<T> board, i64 strand, i64 tile, T total, int lane,
                               T (&local)[most_scan_levels]) {
  const int half = lane / scan_children, sibling = lane % scan_children;
  const auto child_at = [&](int level) { return int((tile >> (4 * level)) % scan_children); };
  const auto place_at = [&](int level) { return strand * plan.places + plan.first[level] + (tile >> (4 * level)); };
  const auto listens = [&](int level) { return level < plan.levels && sibling < child_at(level); };
  const auto sibling_at = [&](int level) { return place_at(level) - child_at(level) + sibling; };
  bool tells = true, told = false;
  T x = total;
  for (int lower = 0; lower < plan.levels; lower += 2) {
    const int upper = lower + 1, level = lower + half;
    if (tells && lane == 0) board.tell(place_at(lower), 1, 0, total);
    T next = total;
    const bool next_told = listens(level + 2) && board.overhear(sibling_at(level + 2), next);
    const bool ends_block = tells && child_at(lower) == scan_children - 1 && upper < plan.levels;
    if (listens(level) && !told && (half == 0 || !ends_block)) x = board.hear(sibling_at(level), 1, 0);
    if (ends_block) {
      if (half == 0 && !listens(level)) x = total;
      total = shuffle(double_across<Row>(x, lane), scan_children - 1);
      if (lane == 0) board.tell(place_at(upper), 1, 0, total);
      if (half == 1 && !listens(level)) x = total;
      if (half == 1 && listens(level) && !told) x = board.hear(sibling_at(level), 1, 0);
    }
    x = double_across<Row>(x, lane);
    if (level < plan.levels && sibling == (child_at(level) > 0 ? child_at(level) - 1 : 0)) local[level] = x;
    tells = ends_block && child_at(upper) == scan_children - 1;
    total = shuffle(x, 2 * scan_children - 1);
    x = next;
    told = next_told;
  }
  __syncwarp();
  Before<T> before{false, total};
  for (int level = plan.levels - 1; level >= 0; --level)
    before = before_child<Row>(before, int((tile >> (4 * level)) % scan_children), local[level]);
  return before;
}

/// Moves a warp's 512 elements, 16 a thread, through shared memory, so that neighbouring threads meet neighbouring memory.
/// Elements behind `count` are not there.
template <class T>
struct alignas(16) Staging {
  static constexpr int elements = 32 * scan_children;
  static constexpr bool used = sizeof(T) <= 8;  // larger ones fill an access by themselves
  static constexpr int width = used ? 16 / int(sizeof(T)) : 1;
  struct alignas(16) Vector {
    T elements[width];
  };

  // Element e is at e + e / 16 * width, so that no order of vectors meets bank conflicts.
  T data[used ? elements + elements / 16 * width : 1];

  __device__ static int place(int element) { return element + element / 16 * width; }
  __device__ Vector& across(int i, int lane) {
    return reinterpret_cast<Vector&>(data[place(lane * width) + i * place(32 * width)]);
  }
  __device__ Vector& along(int i, int lane) { return reinterpret_cast<Vector&>(data[lane * place(16) + i * width]); }
  __device__ static bool in_vectors(const T* memory, int count) {
    return used && count == elements && reinterpret_cast<u64>(memory) % 16 == 0;
  }

  __device__ void load(const T* from, int count, int lane, T (&x)[scan_children]) {
    if constexpr (!used) {
#pragma unroll
      for (int i = 0; i < scan_children; ++i)
        x[i] = lane * scan_children + i < count ? from[lane * scan_children + i] : T{};
    } else {
      if (in_vectors(from, count)) {
        Vector vectors[scan_children / width];
#pragma unroll
        for (int i = 0; i < scan_children / width; ++i)
          vectors[i] = reinterpret_cast<const Vector*>(from)[i * 32 + lane];
#pragma unroll
        for (int i = 0; i < scan_children / width; ++i) across(i, lane) = vectors[i];
      } else {
#pragma unroll
        for (int i = 0; i < scan_children; ++i)
          data[place(i * 32 + lane)] = i * 32 + lane < count ? from[i * 32 + lane] : T{};
      }
      __syncwarp();
      resume(lane, x);
    }
  }

  /// A thread's elements leave their registers to others, and come back.
  __device__ void park(int lane, const T (&x)[scan_children]) {
    if constexpr (used)
#pragma unroll
      for (int i = 0; i < scan_children / width; ++i) memcpy(&along(i, lane), x + i * width, sizeof(Vector));
  }
  __device__ void resume(int lane, T (&x)[scan_children]) {
    if constexpr (used)
#pragma unroll
      for (int i = 0; i < scan_children / width; ++i) memcpy(x + i * width, &along(i, lane), sizeof(Vector));
  }

  __device__ void store(T* to, int count, int lane, const T (&x)[scan_children]) {
    if constexpr (!used) {
#pragma unroll
      for (int i = 0; i < scan_children; ++i)
        if (lane * scan_children + i < count) to[lane * scan_children + i] = x[i];
    } else {
      park(lane, x);
      __syncwarp();
      if (in_vectors(to, count)) {
#pragma unroll
        for (int i = 0; i < scan_children / width; ++i)
          reinterpret_cast<Vector*>(to)[i * 32 + lane] = across(i, lane);
      } else {
#pragma unroll
        for (int i = 0; i < scan_children; ++i)
          if (i * 32 + lane < count) to[i * 32 + lane] = data[place(i * 32 + lane)];
      }
    }
  }
};

/// A thread's elements, given what comes before the first one.
template <class Row, class T>
__device__ void put_before(Before<T> before, T (&x)[scan_children]) {
  if (!before.any) return;
#pragma unroll
  for (int i = 0; i < scan_children; ++i) x[i] = Row::combine(before.value, x[i]);
}

/// Blocks of row tiles that a multiprocessor must be able to hold: reading and writing overlap only between blocks.
template <class T> constexpr int resident_row_tiles = sizeof(T) > 8 ? 2 : sizeof(T) > 4 ? 4 : 6;

/// A block of threads per tile, as many threads as a row that is shorter than a tile needs.
template <class Row, class T>
__global__ void __launch_bounds__(row_tile_threads, resident_row_tiles<T>)
    scan_row_tiles(ScanPlan plan, const T* in, T* out, Board<T> board) {
  __shared__ Staging<T> staging[row_tile_threads / 32];
  __shared__ T segments[scan_children], local[most_scan_levels];
  __shared__ Before<T> before_tile;
  __shared__ unsigned long long taken;
  const unsigned thread = threadIdx.x;
  const int lane = int(thread % 32), child = int(thread % scan_children), segment = int(thread / scan_children);
  const i64 number = plan.tiles > 1 ? take_tile(board, &taken) : i64(blockIdx.x);
  const i64 row = plan.tiles == 1 ? number : plan.outer == 1 ? 0 : number / plan.tiles, tile = number - row * plan.tiles;
  const i64 begin = tile * plan.tile_length + thread / 32 * Staging<T>::elements, left = plan.length - begin;
  const int count = int(left < Staging<T>::elements ? left : Staging<T>::elements);

  T x[scan_children];
  Staging<T>& mine = staging[thread / 32];
  mine.load(in + row * plan.length + begin, count, lane, x);
  double_up<Row>(x);
  mine.park(lane, x);
  const T within_segment = double_across<Row>(x[scan_children - 1], lane);
  if (thread < scan_children) segments[thread] = T{};  // there may be fewer
  __syncthreads();
  if (child == scan_children - 1) segments[segment] = within_segment;
  __syncthreads();
  const T within_tile = double_across<Row>(segments[child], lane);

  Before<T> before{false, T{}};
  if (plan.tiles > 1) {
    const T total = shuffle(within_tile, scan_children - 1);
    if (thread < 32) {
      const Before<T> found = look_back<Row>(plan, board, row, tile, total, lane, local);
      if (thread == 0) before_tile = found;
    }
    __syncthreads();
    before = before_tile;
  }
  before = before_child<Row>(before, segment, shuffle(within_tile, (segment + scan_children - 1) % scan_children));
  before = before_child<Row>(before, child, shuffle(within_segment, child > 0 ? lane - 1 : lane));
  mine.resume(lane, x);
  put_before<Row>(before, x);
  mine.store(out + row * plan.out_step + begin, count, lane, x);
}

/// Rows of at most 256 elements: `threads_per_row`, a power of two up to 16, for each.
template <class Row, class T>
__global__ void __launch_bounds__(row_tile_threads)
    scan_short_rows(ScanPlan plan, int threads_per_row, const T* in, T* out) {
  const int lane = threadIdx.x % 32, child = threadIdx.x % threads_per_row;
  const i64 row = (i64(blockIdx.x) * row_tile_threads + threadIdx.x) / threads_per_row;
  const i64 begin = child * scan_children, count = row < plan.outer ? plan.length - begin : 0;
  const T* const from = in + row * plan.length + begin;
  T x[scan_children];
#pragma unroll
  for (int i = 0; i < scan_children; ++i) x[i] = i < count ? from[i] : T{};
  double_up<Row>(x);
  T within_row = x[scan_children - 1];
  for (int half = 1; half < threads_per_row; half *= 2) {
    const T last = shuffle(within_row, (child & half) != 0 ? lane / half * half - 1 : lane);
    if (child & half) within_row = Row::combine(last, within_row);
  }
  const T up_to_previous = shuffle(within_row, child > 0 ? lane - 1 : lane);
  put_before<Row>(before_child<Row>(Before<T>{false, T{}}, child, up_to_previous), x);
  T* const to = out + row * plan.out_step + begin;
#pragma unroll
  for (int i = 0; i < scan_children; ++i)
    if (i < count) to[i] = x[i];
}

// ---- columns ----

/// Totals of 16 children for 32 columns, which become local prefixes.
template <class T>
struct Children {
  T totals[scan_children][column_tile_width];

  template <class Row>
  __device__ void scan(int child, int column) {
    for (int half = 1; half < scan_children; half *= 2) {
      __syncthreads();
      T x = totals[child][column];
      if (child & half) x = Row::combine(totals[child / half * half - 1][column], x);
      __syncthreads();
      totals[child][column] = x;
    }
    __syncthreads();
  }
};

/// As look_back(), for the threads of a whole block, of which 16 have the same column. `local` has a place per level and
/// column.
template <class Row, class T>
__device__ Before<T> look_back_columns(const ScanPlan& plan, Board<T> board, i64 strand, i64 tile, T total,
                                       Children<T>& children, T (*local)[column_tile_width]) {
  const int column = threadIdx.x, thread = threadIdx.y;
  bool tells = true;
  for (int level = 0; level < plan.levels; ++level) {
    const i64 number = tile >> (4 * level), place = strand * plan.places + plan.first[level] + number;
    const int child = int(number % scan_children);
    if (tells && thread == 0) board.tell(place, column_tile_width, column, total);
    T x = total;
    if (thread < child) x = board.hear(place - child + thread, column_tile_width, column);
    __syncthreads();
    children.totals[thread][column] = x;
    children.template scan<Row>(thread, column);
    if (thread == 0) local[level][column] = children.totals[child > 0 ? child - 1 : 0][column];
    total = children.totals[scan_children - 1][column];
    tells = tells && child == scan_children - 1;
  }
  __syncthreads();
  Before<T> before{false, total};
  for (int level = plan.levels - 1; level >= 0; --level)
    before = before_child<Row>(before, int((tile >> (4 * level)) % scan_children), local[level][column]);
  return before;
}

/// A block of 32 x 16 threads per tile of 32 columns and 256 rows.
template <class Row, class T>
__global__ void __launch_bounds__(column_tile_width * scan_children)
    scan_column_tiles(ScanPlan plan, const T* in, T* out, Board<T> board) {
  __shared__ Children<T> runs, children;
  __shared__ T local[most_scan_levels][column_tile_width];
  __shared__ unsigned long long taken;
  const int column = threadIdx.x, run = threadIdx.y;
  // Neighbouring columns first: their rows lie side by side.
  i64 number = plan.tiles > 1 ? take_tile(board, &taken) : i64(blockIdx.x);
  const i64 group = number % plan.groups;
  number /= plan.groups;
  const i64 tile = number % plan.tiles, o = number / plan.tiles, strand = o * plan.groups + group;
  const i64 c = group * column_tile_width + column, begin = tile * plan.tile_length + run * scan_children;
  const i64 count = c < plan.inner ? plan.length - begin : 0;

  T x[scan_children];
  const T* const from = in + (o * plan.length + begin) * plan.inner + c;
#pragma unroll
  for (int i = 0; i < scan_children; ++i) x[i] = i < count ? from[i * plan.inner] : T{};
  double_up<Row>(x);
  runs.totals[run][column] = x[scan_children - 1];
  runs.template scan<Row>(run, column);

  Before<T> before{false, T{}};
  if (plan.tiles > 1)
    before = look_back_columns<Row>(plan, board, strand, tile, runs.totals[scan_children - 1][column], children, local);
  put_before<Row>(before_child<Row>(before, run, runs.totals[run > 0 ? run - 1 : 0][column]), x);
  T* const to = out + o * plan.out_step + begin * plan.inner + c;
#pragma unroll
  for (int i = 0; i < scan_children; ++i)
    if (i < count) to[i * plan.inner] = x[i];
}

}  // namespace
}  // namespace tandem::cuda
