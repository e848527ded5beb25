// Integer products: tiles of both factors in shared memory, a small square of sums per thread in registers.
//
// Sums wrap, so they may be taken modulo 2^32 (2^64 for 64-bit integers) in any order, and cut to the type at the end.
// One-byte elements go four to a word along k: dp4a adds four products at once; bool is an or of ands of words.
#include "matmul_kernels.hpp"

namespace tandem::cuda {
namespace {

using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = unsigned long long;

constexpr int side = 16;  // threads along each side of a tile
constexpr int threads = side * side;
constexpr int depth = 16;  // of a tile, in words

/// Sums of a thread along each side of a tile of large and of small products.
template <class Rule>
constexpr int large = sizeof(typename Rule::Word) == 8 ? 4 : 8;
constexpr int small = 2;

/// How elements of a type are multiplied: `together` of them in a word.
template <class T_, class Word_ = u32, int together_ = 1>
struct Integers {
  using T = T_;
  using Word = Word_;
  static constexpr int together = together_;
  __device__ static Word add_product(Word sum, Word a, Word b) {
    if constexpr (together == 4) return __dp4a(a, b, sum);
    else return sum + a * b;
  }
  __device__ static void add_atomically(Word* sum, Word part) { atomicAdd(sum, part); }
  __device__ static T result(Word sum) { return T(sum); }
};
struct Booleans {
  using T = bool;
  using Word = u32;
  static constexpr int together = 4;
  __device__ static u32 add_product(u32 sum, u32 a, u32 b) { return sum | (a & b); }
  __device__ static void add_atomically(u32* sum, u32 part) { atomicOr(sum, part); }
  __device__ static bool result(u32 sum) { return sum != 0; }
};

/// A tile of c of size x size sums; each thread has `mine` x `mine` of them, in squares of `chunk` columns and rows.
template <class Rule, int mine_>
struct Tile {
  using Word = typename Rule::Word;
  static constexpr int mine = mine_, size = side * mine;
  static constexpr int chunk = mine * sizeof(Word) >= 16 ? 16 / sizeof(Word) : mine;
  static constexpr int loads = size * depth / threads;  // words of each factor that a thread loads at a time
  Word words[depth][size + 16 / sizeof(Word)];

  /// Number in the tile of a thread's sum i.
  __device__ static int position(int thread, int i) { return i / chunk * (side * chunk) + thread * chunk + i % chunk; }
};

/// One factor as a block reads it: `outer` counts rows of a or columns of b, `inner` is the axis that the sum runs
/// over.
struct Reader {
  const void* data;
  i64 outer_length, inner_length, outer_stride, inner_stride;
};

/// The word of elements inner .. inner + together - 1; zeros beyond the ends.
template <class Rule>
__device__ typename Rule::Word load(const Reader& reader, i64 outer, i64 word) {
  using Word = typename Rule::Word;
  using T = typename Rule::T;
  const i64 inner = word * Rule::together;
  if (outer >= reader.outer_length || inner >= reader.inner_length) return 0;
  const T* const from = static_cast<const T*>(reader.data) + outer * reader.outer_stride + inner * reader.inner_stride;
  if constexpr (Rule::together == 1) {
    return Word(*from);
  } else {
    if (reader.inner_stride == 1 && inner + 4 <= reader.inner_length && reinterpret_cast<std::uintptr_t>(from) % 4 == 0)
      return *reinterpret_cast<const Word*>(from);
    Word result = 0;
#pragma unroll
    for (int i = 0; i < Rule::together; ++i)
      if (inner + i < reader.inner_length) result |= Word(from[i * reader.inner_stride]) << 8 * i;
    return result;
  }
}

/// A thread's share of a factor's tile, through registers, so that loads run ahead of the sums.
template <class Rule, int mine>
struct Share {
  using Shape = Tile<Rule, mine>;
  typename Rule::Word words[Shape::loads];

  /// Neighbouring threads load neighbouring elements.
  __device__ static void locate(bool along_inner, int i, int* outer, int* inner) {
    const int at = i * threads + threadIdx.x;
    *outer = along_inner ? at / depth : at % Shape::size;
    *inner = along_inner ? at % depth : at / Shape::size;
  }
  __device__ void load_from(const Reader& reader, bool along_inner, i64 first_outer, i64 first_word) {
#pragma unroll
    for (int i = 0; i < Shape::loads; ++i) {
      int outer, inner;
      locate(along_inner, i, &outer, &inner);
      words[i] = load<Rule>(reader, first_outer + outer, first_word + inner);
    }
  }
  __device__ void store_to(Shape& tile, bool along_inner) const {
#pragma unroll
    for (int i = 0; i < Shape::loads; ++i) {
      int outer, inner;
      locate(along_inner, i, &outer, &inner);
      tile.words[inner][outer] = words[i];
    }
  }
};

struct Launch {
  Products products;
  i64 row_tiles, column_tiles;
  i64 split_words;  // words along k of each part of a sum
  i64 splits;
  void* sums;  // Rule::Word by element of c; null if c gets the sums at once
};

__device__ i64 magnitude(i64 x) { return x < 0 ? -x : x; }

template <class Rule, int mine>
__global__ void __launch_bounds__(threads, 2) multiply(Launch launch) {
  using Word = typename Rule::Word;
  using T = typename Rule::T;
  using Shape = Tile<Rule, mine>;
  __shared__ __align__(16) Shape a_tile, b_tile;
  const Products& products = launch.products;

  i64 number = blockIdx.x;
  const i64 split = number % launch.splits;
  number /= launch.splits;
  const i64 first_column = number % launch.column_tiles * Shape::size;
  number /= launch.column_tiles;
  const i64 first_row = number % launch.row_tiles * Shape::size, matrix = number / launch.row_tiles;

  i64 a_offset = 0, b_offset = 0, rest = matrix;
  for (int axis = products.batch_ndim - 1; axis >= 0; --axis) {
    const i64 position = rest % products.batch_shape[axis];
    a_offset += position * products.a.batch_strides[axis];
    b_offset += position * products.b.batch_strides[axis];
    rest /= products.batch_shape[axis];
  }
  const Reader a{static_cast<const T*>(products.a.data) + a_offset, products.m, products.k, products.a.row_stride,
                 products.a.column_stride};
  const Reader b{static_cast<const T*>(products.b.data) + b_offset, products.n, products.k, products.b.column_stride,
                 products.b.row_stride};
  const bool a_inner = magnitude(a.inner_stride) <= magnitude(a.outer_stride);
  const bool b_inner = magnitude(b.inner_stride) < magnitude(b.outer_stride);

  const int row = threadIdx.x / side, column = threadIdx.x % side;
  Word sums[mine][mine] = {};
  Share<Rule, mine> a_share, b_share;
  const i64 words = (products.k + Rule::together - 1) / Rule::together;
  const i64 begin = split * launch.split_words, end = min(begin + launch.split_words, words);
  a_share.load_from(a, a_inner, first_row, begin);
  b_share.load_from(b, b_inner, first_column, begin);
  for (i64 word = begin; word < end; word += depth) {
    __syncthreads();
    a_share.store_to(a_tile, a_inner);
    b_share.store_to(b_tile, b_inner);
    __syncthreads();
    if (word + depth < end) {
      a_share.load_from(a, a_inner, first_row, word + depth);
      b_share.load_from(b, b_inner, first_column, word + depth);
    }
#pragma unroll
    for (int inner = 0; inner < depth; ++inner) {
      Word x[mine], y[mine];
#pragma unroll
      for (int i = 0; i < mine; ++i) {
        x[i] = a_tile.words[inner][Shape::position(row, i)];
        y[i] = b_tile.words[inner][Shape::position(column, i)];
      }
#pragma unroll
      for (int i = 0; i < mine; ++i)
#pragma unroll
        for (int j = 0; j < mine; ++j) sums[i][j] = Rule::add_product(sums[i][j], x[i], y[j]);
    }
  }

#pragma unroll
  for (int i = 0; i < mine; ++i) {
#pragma unroll
    for (int j = 0; j < mine; ++j) {
      const i64 to_row = first_row + Shape::position(row, i), to_column = first_column + Shape::position(column, j);
      if (to_row >= products.m || to_column >= products.n) continue;
      const i64 element = (matrix * products.m + to_row) * products.n + to_column;
      if (launch.sums != nullptr) Rule::add_atomically(static_cast<Word*>(launch.sums) + element, sums[i][j]);
      else static_cast<T*>(products.c)[element] = Rule::result(sums[i][j]);
    }
  }
}

template <class Rule>
__global__ void __launch_bounds__(threads) finish(const typename Rule::Word* sums, typename Rule::T* c, i64 count) {
  const i64 i = i64(blockIdx.x) * threads + threadIdx.x;
  if (i < count) c[i] = Rule::result(sums[i]);
}

i64 divide_up(i64 a, i64 b) { return (a + b - 1) / b; }

bool is_large(const Products& products) { return products.m > 64 && products.n > 64; }

template <class Rule, int mine>
cudaError_t launch(cudaStream_t stream, const Products& products, i64 splits, void* sums) {
  constexpr int size = side * mine;
  const i64 words = divide_up(products.k, Rule::together);
  const i64 split_words = divide_up(divide_up(words, splits), depth) * depth;
  const Launch arguments{products,    divide_up(products.m, size), divide_up(products.n, size),
                         split_words, splits,                      splits == 1 ? nullptr : sums};
  const i64 blocks = arguments.row_tiles * arguments.column_tiles * products.count() * splits;
  if (blocks > 0x7fffffff) return cudaErrorInvalidConfiguration;
  multiply<Rule, mine><<<unsigned(blocks), threads, 0, stream>>>(arguments);
  if (splits > 1) {
    const i64 count = products.count() * products.m * products.n;
    finish<Rule><<<unsigned(divide_up(count, threads)), threads, 0, stream>>>(
        static_cast<const typename Rule::Word*>(sums), static_cast<typename Rule::T*>(products.c), count);
  }
  return cudaGetLastError();
}

template <class Rule>
cudaError_t launch(cudaStream_t stream, const Products& products, i64 splits, void* sums) {
  return is_large(products) ? launch<Rule, large<Rule>>(stream, products, splits, sums)
                            : launch<Rule, small>(stream, products, splits, sums);
}

}  // namespace

std::int64_t integer_splits(const Products& products, std::int64_t item_bytes, int multiprocessors) {
  constexpr i64 least_depth = 16 * depth;  // of a part, in words
  const int most_mine = item_bytes == 8 ? large<Integers<u64, u64>> : large<Integers<u32>>;
  const int size = side * (is_large(products) ? most_mine : small);
  const i64 tiles = divide_up(products.m, size) * divide_up(products.n, size) * products.count();
  const i64 wanted = 4 * multiprocessors / tiles, most = divide_up(products.k, item_bytes == 1 ? 4 : 1) / least_depth;
  return wanted < 1 || most < 1 ? 1 : wanted < most ? wanted : most;
}

std::int64_t integer_sums_bytes(const Products& products, std::int64_t item_bytes, std::int64_t splits) {
  return splits == 1 ? 0 : products.count() * products.m * products.n * (item_bytes == 8 ? 8 : 4);
}

cudaError_t multiply_integers(cudaStream_t stream, const Products& products, bool boolean, std::int64_t item_bytes,
                              std::int64_t splits, void* sums) {
  if (boolean) return launch<Booleans>(stream, products, splits, sums);
  switch (item_bytes) {
    case 1: return launch<Integers<u8, u32, 4>>(stream, products, splits, sums);
    case 2: return launch<Integers<u16>>(stream, products, splits, sums);
    case 4: return launch<Integers<u32>>(stream, products, splits, sums);
    default: return launch<Integers<u64, u64>>(stream, products, splits, sums);
  }
}

}  // namespace tandem::cuda
