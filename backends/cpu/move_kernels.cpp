// Movements: elements between strided memory and contiguous blocks.
#include "kernel_types.hpp"
#include "vector_width.hpp"

#include <immintrin.h>

#include <utility>

namespace tandem::cpu::TD_ISA {
namespace {

struct alignas(8) Wide {  // 16 bytes
  u64 low, high;
};

// An element is moved as an integer of its size; of complex64 that needs more alignment than the element has.
template <class T>
TD_FN T load(const T* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
TD_FN void store(T* to, T value) {
  __builtin_memcpy(to, &value, sizeof value);
}

// Runs that lie apart are not foreseen by the processor, so they are asked for ahead.
TD_FN void ask_for(int64_t address, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(reinterpret_cast<const void*>(address + i));
}

// ---- transposition ----

// Bytes: longer runs, and those that lie closer, are foreseen.
constexpr int64_t longest_asked = 256, apart = 512;

constexpr bool lie_apart(int64_t bytes) { return bytes >= apart || bytes <= -apart; }

template <class V, int lanes, int... i>
TD_FN void interleave(V a, V b, V& low, V& high, std::integer_sequence<int, i...>) {
  low = __builtin_shufflevector(a, b, (i / 2 + i % 2 * lanes)...);
  high = __builtin_shufflevector(a, b, (lanes / 2 + i / 2 + i % 2 * lanes)...);
}

// A square of lanes x lanes: interleaving the rows i and i + lanes / 2 for all i, log2(lanes) times, transposes.
template <class T, int lanes>
TD_FN void transpose_square(T* to, int64_t to_row, const T* from, int64_t from_column) {
  typedef typename Vector<T, lanes>::type V;
  V x[lanes], y[lanes];
#pragma GCC unroll 64
  for (int i = 0; i < lanes; ++i) __builtin_memcpy(&x[i], from + i * from_column, sizeof(V));
#pragma GCC unroll 8
  for (int round = 1; round < lanes; round *= 2) {
#pragma GCC unroll 32
    for (int i = 0; i < lanes / 2; ++i)
      interleave<V, lanes>(x[i], x[i + lanes / 2], y[2 * i], y[2 * i + 1], std::make_integer_sequence<int, lanes>());
#pragma GCC unroll 64
    for (int i = 0; i < lanes; ++i) x[i] = y[i];
  }
#pragma GCC unroll 64
  for (int i = 0; i < lanes; ++i) __builtin_memcpy(to + i * to_row, &x[i], sizeof(V));
}

template <class T>
TD_FN void copy_elements(T* to, int64_t to_row, int64_t to_column, const T* from, int64_t from_row, int64_t from_column,
                         int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      store(to + r * to_row + c * to_column, load(from + r * from_row + c * from_column));
}

// to has unit stride along columns, from along rows. Squares of `lanes`, then smaller ones for what is left.
template <class T, int lanes>
void transpose(T* to, int64_t to_row, const T* from, int64_t from_column, int64_t rows, int64_t columns) {
  if constexpr (lanes == 1) {
    copy_elements<T>(to, to_row, 1, from, 1, from_column, rows, columns);
  } else {
    const int64_t whole_rows = rows & -lanes, whole_columns = columns & -lanes;
    const int64_t run = rows * int64_t{sizeof(T)}, step = from_column * int64_t{sizeof(T)};
    for (int64_t c = 0; whole_rows > 0 && c < whole_columns; c += lanes) {
      if (run <= longest_asked && lie_apart(step))
        for (int i = 0; i < lanes; ++i) ask_for(reinterpret_cast<int64_t>(from) + (c + lanes + i) * step, run);
      for (int64_t r = 0; r < whole_rows; r += lanes)
        transpose_square<T, lanes>(to + r * to_row + c, to_row, from + r + c * from_column, from_column);
    }
    if (whole_columns < columns)
      transpose<T, lanes / 2>(to + whole_columns, to_row, from + whole_columns * from_column, from_column, whole_rows,
                              columns - whole_columns);
    if (whole_rows < rows)
      transpose<T, lanes / 2>(to + whole_rows * to_row, to_row, from + whole_rows, from_column, rows - whole_rows,
                              columns);
  }
}

template <class T>
TD_FN void transpose_any(T* to, int64_t to_row, const T* from, int64_t from_column, int64_t rows, int64_t columns) {
  if constexpr (sizeof(T) == 16)
    copy_elements<T>(to, to_row, 1, from, 1, from_column, rows, columns);
  else
    transpose<T, (sizeof(T) < 4 ? 16 : vector_bytes) / sizeof(T)>(to, to_row, from, from_column, rows, columns);
}

// ---- copies ----

// Copies of a fixed size, the second one ending where the run ends.
template <int bytes>
TD_FN void copy_ends(char* to, const char* from, int64_t run) {
  __builtin_memcpy(to, from, bytes);
  __builtin_memcpy(to + run - bytes, from + run - bytes, bytes);
}

TD_FN void copy_run(char* to, const char* from, int64_t run) {
  if (run >= 64) {
    for (int64_t i = 0; i + 64 < run; i += 64) __builtin_memcpy(to + i, from + i, 64);
    __builtin_memcpy(to + run - 64, from + run - 64, 64);
  } else if (run >= 32) {
    copy_ends<32>(to, from, run);
  } else if (run >= 16) {
    copy_ends<16>(to, from, run);
  } else if (run >= 8) {
    copy_ends<8>(to, from, run);
  } else {
    for (int64_t i = 0; i < run; ++i) to[i] = from[i];
  }
}

void copy_runs(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t run, int64_t rows) {
  constexpr int64_t longest = 2048, rows_ahead = 24;
  if (run > longest) {
    for (int64_t r = 0; r < rows; ++r) __builtin_memcpy(to + r * to_step, from + r * from_step, run);
    return;
  }
  const bool asks = lie_apart(from_step);
  for (int64_t r = 0; r < rows; ++r, to += to_step, from += from_step) {
    if (asks) ask_for(reinterpret_cast<int64_t>(from) + rows_ahead * from_step, run);
    copy_run(to, from, run);
  }
}

template <class T>
void copy_row(T* to, int64_t to_step, const T* from, int64_t from_step, int64_t n) {
  if (to_step == 1 && from_step == 0) {
    const T value = load(from);
    for (int64_t i = 0; i < n; ++i) store(to + i, value);
  } else if (to_step == 1 && from_step == 2) {
    for (int64_t i = 0; i < n; ++i) store(to + i, load(from + 2 * i));
  } else if (to_step == 1 && from_step == -1) {
    for (int64_t i = 0; i < n; ++i) store(to + i, load(from - i));
  } else {
    for (int64_t i = 0; i < n; ++i) store(to + i * to_step, load(from + i * from_step));
  }
}

template <class T>
void copy(void* target, int64_t to_row, int64_t to_column, const void* source, int64_t from_row, int64_t from_column,
          int64_t rows, int64_t columns) {
  T* to = static_cast<T*>(target);
  const T* from = static_cast<const T*>(source);
  if (to_column == 1 && from_column == 1) {
    constexpr int64_t size = sizeof(T);
    return copy_runs(static_cast<char*>(target), to_row * size, static_cast<const char*>(source), from_row * size,
                     columns * size, rows);
  }
  if (rows > 1) {
    if (to_column == 1 && from_row == 1) return transpose_any<T>(to, to_row, from, from_column, rows, columns);
    if (to_row == 1 && from_column == 1) return transpose_any<T>(to, to_column, from, from_row, columns, rows);
  }
  for (int64_t r = 0; r < rows; ++r) copy_row<T>(to + r * to_row, to_column, from + r * from_row, from_column, columns);
}

// Each value is written as a whole vector; what is too much is written over by the next one.
template <class T>
void repeat(void* target, const void* source, int64_t from_row, int64_t rows, int64_t columns) {
  constexpr int64_t lanes = 64 / sizeof(T);
  T* to = static_cast<T*>(target);
  const T* from = static_cast<const T*>(source);
  for (int64_t r = 0; r < rows; ++r, to += columns, from += from_row)
    for (int64_t c = 0; c < columns; c += lanes)
      for (int64_t i = 0; i < lanes; ++i) store(to + c + i, load(from));
}

template <class T>
void fill(void* target, const void* source, int64_t n) {
  T* to = static_cast<T*>(target);
  const T value = load(static_cast<const T*>(source));
  for (int64_t i = 0; i < n; ++i) store(to + i, value);
}

void count(int64_t* to, int64_t first, int64_t step, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = first + i * step;
}

// ---- streaming ----

typedef long long Line __attribute__((vector_size(vector_bytes)));

TD_FN void stream_line(void* to, const void* from) {
  Line line;
  __builtin_memcpy(&line, from, sizeof line);
#if defined(__AVX512F__)
  _mm512_stream_si512(static_cast<__m512i*>(to), (__m512i)line);
#elif defined(__AVX2__)
  _mm256_stream_si256(static_cast<__m256i*>(to), (__m256i)line);
#else
  _mm_stream_si128(static_cast<__m128i*>(to), (__m128i)line);
#endif
}

// Whole cache lines are streamed, the two ends written as usual.
void stream(void* target, const void* source, int64_t bytes) {
  char* to = static_cast<char*>(target);
  const char* from = static_cast<const char*>(source);
  const int64_t head = -reinterpret_cast<int64_t>(to) & 63;
  if (head + 64 > bytes) {
    __builtin_memcpy(to, from, bytes);
    return;
  }
  __builtin_memcpy(to, from, head);
  const int64_t end = head + ((bytes - head) & -64);
  for (int64_t i = head; i < end; i += vector_bytes) stream_line(to + i, from + i);
  __builtin_memcpy(to + end, from + end, bytes - end);
}

void fence() { _mm_sfence(); }

}  // namespace

const Movers movers = {
    {copy<u8>, copy<u16>, copy<u32>, copy<u64>, copy<Wide>},
    {repeat<u8>, repeat<u16>, repeat<u32>, repeat<u64>, repeat<Wide>},
    {fill<u8>, fill<u16>, fill<u32>, fill<u64>, fill<Wide>},
    count,
    stream,
    fence,
};

}  // namespace tandem::cpu::TD_ISA
