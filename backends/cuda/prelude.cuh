/* Building blocks of generated kernels: vectors of elements, index arithmetic, and the tree of docs/reductions.md. Part
 * of every generated text, after quick.cuh; includes nothing.
 */
namespace tandem {
namespace scalar {

template <class T>
struct alignas(16) Constant {
  T value;
};

// n / length for n < 2^31, by the multiplier and the shift that the host found (Granlund and Montgomery, Division by
// invariant integers using multiplication, 1994), or by a division in 64 bits.
TD_FN u32 divide(u32 n, i64 magic, i64) { return (high_product(n, (u32)magic) + n) >> (u32)(magic >> 32); }
TD_FN u64 divide(u64 n, i64, i64 length) { return n / (u64)length; }

// ---- elements ---------------------------------------------------------------------------------------------------

template <bool streaming, int count, class T>
TD_FN void load_vector(T* x, const T* from) {
  const Chunk<count * sizeof(T)> chunk = load_chunk(Streaming<streaming>(), (const Chunk<count * sizeof(T)>*)from);
  memcpy(x, &chunk, sizeof chunk);
}
template <bool streaming, int count, class T>
TD_FN void store_vector(T* to, const T* x) {
  Chunk<count * sizeof(T)> chunk;
  memcpy(&chunk, x, sizeof chunk);
  store_chunk(Streaming<streaming>(), (Chunk<count * sizeof(T)>*)to, chunk);
}
template <class T>
TD_FN T load_element(const T* from) {
  T x;
  load_vector<false, 1>(&x, from);
  return x;
}
template <class T>
TD_FN void store_element(T* to, T x) {
  store_vector<false, 1>(to, &x);
}
template <int count, class T>
TD_FN bool is_aligned(const T* p) {
  return ((u64)p & (count * sizeof(T) - 1)) == 0;
}

// Elements [i, i + count) of p, at least one of which must be inside [0, length). The others may hold anything: a
// vector with an element of an array can be read as a whole, for it lies within one aligned piece of memory.
template <bool streaming, bool aligned, int count, class T>
TD_FN void load_part(T* x, const T* p, i64 i, i64 length) {
  if (aligned || is_aligned<count>(p + i)) {
    load_vector<streaming, count>(x, p + i);
  } else {
#pragma unroll
    for (int k = 0; k < count; ++k) {
      x[k] = T();
      if ((u64)(i + k) < (u64)length) x[k] = load_element(p + i + k);
    }
  }
}
// Stores those inside; whole: none is outside.
template <bool streaming, bool aligned, int count, class T>
TD_FN void store_part(T* p, const T* x, i64 i, i64 length, bool whole) {
  if (whole && (aligned || is_aligned<count>(p + i))) {
    store_vector<streaming, count>(p + i, x);
  } else {
#pragma unroll
    for (int k = 0; k < count; ++k)
      if ((u64)(i + k) < (u64)length) store_element(p + i + k, x[k]);
  }
}

// Element k of a vector in registers, which are not addressed by a variable.
template <int count, class T>
TD_FN T pick(const T* x, int k) {
  T element = x[0];
#pragma unroll
  for (int i = 1; i < count; ++i)
    if (i == k) element = x[i];
  return element;
}
template <int count, class T>
TD_FN void put(T* x, int k, T element) {
#pragma unroll
  for (int i = 0; i < count; ++i)
    if (i == k) x[i] = element;
}

// ---- reductions -------------------------------------------------------------------------------------------------
// A reduction R has a State, none() with which combining changes nothing, append(state, element, position) for elements
// in ascending positions, combine(), result().

template <class State>
TD_FN State shuffle_down(State x, int distance) {
  u32 words[(sizeof(State) + 3) / 4] = {};
  memcpy(words, &x, sizeof x);
#pragma unroll
  for (int i = 0; i < (int)(sizeof words / 4); ++i) words[i] = shuffle_word_down(words[i], distance);
  memcpy(&x, words, sizeof x);
  return x;
}
template <class State>
TD_FN State shuffle_from(State x, int from) {
  u32 words[(sizeof(State) + 3) / 4] = {};
  memcpy(words, &x, sizeof x);
#pragma unroll
  for (int i = 0; i < (int)(sizeof words / 4); ++i) words[i] = shuffle_word_from(words[i], from);
  memcpy(&x, words, sizeof x);
  return x;
}

// A product of complex numbers has no identity, so its state knows whether there is a factor.
template <class T>
struct Factor {
  T value;
  bool present;
};

// argmax and argmin: the best element so far and where it was. Nothing is at the last of all positions.
template <class T, class Position>
struct Best {
  compute_t<T> value;
  Position position;
};
template <class T, class Position, bool greatest>
struct FirstBest {
  typedef Best<T, Position> State;
  static TD_FN State none() {
    return State{cast<compute_t<T>>(greatest ? lowest<T>() : highest<T>()), (Position) ~(Position)0};
  }
  // An element wins that is not at most the best, also if it is NaN; nothing wins after a NaN.
  static TD_FN State append(State a, T element, i64 position) {
    const compute_t<T> x = cast<compute_t<T>>(element);
    const bool at_most = greatest ? less_equal(x, a.value) : less_equal(a.value, x);
    const bool wins = (!at_most & !isnan(a.value)) | (a.position == (Position) ~(Position)0);
    return State{select(wins, x, a.value), wins ? (Position)position : a.position};
  }
  static TD_FN State combine(State a, State b) {
    const bool a_nan = isnan(a.value), b_nan = isnan(b.value), earlier = b.position < a.position;
    const bool better = greatest ? less(a.value, b.value) : less(b.value, a.value);
    const bool even = (a_nan & b_nan) | equal(a.value, b.value);
    const bool wins = better | (b_nan & !a_nan) | (even & earlier);
    return State{select(wins, b.value, a.value), wins ? b.position : a.position};
  }
  static TD_FN i64 result(State x) { return (i64)x.position; }
};

// Combines the halves of `count` states until `left` are left.
template <class R, int count, int left>
TD_FN void fold(typename R::State* x) {
  if constexpr (count > left) {
#pragma unroll
    for (int i = 0; i < count / 2; ++i) x[i] = R::combine(x[i], x[i + count / 2]);
    fold<R, count / 2, left>(x);
  }
}

// Halves the lanes of `threads` neighbouring threads of a warp, each of which holds vectors * width of them: element k
// of vector v in thread t is lane (v * threads + t) * width + k. Thread 0 gets the result. The whole warp must take
// part.
template <class R, int threads, int vectors, int width>
TD_FN typename R::State halve(typename R::State* x) {
  fold<R, vectors * width, width>(x);
#pragma unroll
  for (int h = threads / 2; h > 0; h /= 2) {
#pragma unroll
    for (int k = 0; k < width; ++k) x[k] = R::combine(x[k], shuffle_down(x[k], h));
  }
  fold<R, width, 1>(x);
  return x[0];
}

// Halves the lanes of columns that threads of equal threadIdx.x share: thread y holds the lanes y, y + sharing, ... of
// `width` columns, the columns of a lane side by side in x. The threads y = 0 get the results. The whole block must
// take part.
template <class R, int sharing, int held, int width>
TD_FN void halve_columns(typename R::State* x, typename R::State* shared) {
  fold<R, held * width, width>(x);
  if constexpr (sharing > 1) {
    typename R::State* const mine = shared + (threadIdx.y * blockDim.x + threadIdx.x) * width;
    const int row = blockDim.x * width;
#pragma unroll
    for (int k = 0; k < width; ++k) mine[k] = x[k];
    __syncthreads();
    for (int h = sharing / 2; h > 0; h /= 2) {
      if ((int)threadIdx.y < h) {
#pragma unroll
        for (int k = 0; k < width; ++k) mine[k] = x[k] = R::combine(x[k], mine[h * row + k]);
      }
      __syncthreads();
    }
  }
}

// Halves the 128 lanes of a leaf that the threads of several warps hold as halve() wants them. `lanes` is shared memory
// for the lanes of all leaves of the block; `leaves` gets the results. The whole block must take part.
template <class R, int threads, int vectors, int width>
TD_FN void halve_across(const typename R::State* x, typename R::State* lanes, typename R::State* leaves) {
  const int thread = threadIdx.x % threads;
  typename R::State* const mine = lanes + threadIdx.x / threads * 128;
#pragma unroll
  for (int e = 0; e < vectors * width; ++e) mine[(e / width * threads + thread) * width + e % width] = x[e];
  __syncthreads();
  if (thread < 32) {
    typename R::State four[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) four[i] = mine[i * 32 + thread];
    const typename R::State leaf = halve<R, 32, 4, 1>(four);
    if (thread == 0) leaves[threadIdx.x / threads] = leaf;
  }
  __syncthreads();
}

// Combines neighbours among up to 2^bits states, one a thread of the warp; every 2^bits-th thread gets its result.
template <class R>
TD_FN typename R::State pair_up(typename R::State x, int bits) {
#pragma unroll 1
  for (int b = 0; b < bits; ++b) x = R::combine(x, shuffle_down(x, 1 << b));
  return x;
}

// The pairs of a run of eight partial results, of which `count` exist.
template <class R>
TD_FN typename R::State pair_eight(const typename R::State* partials, i64 stride, i64 count) {
  typename R::State x[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = i < count ? partials[i * stride] : R::none();
#pragma unroll
  for (int h = 4; h > 0; h /= 2) {
#pragma unroll
    for (int i = 0; i < h; ++i) x[i] = R::combine(x[2 * i], x[2 * i + 1]);
  }
  return x[0];
}

// All partial results of a row in pairs, by the whole block of 256 threads; overwrites them. Every thread returns the
// result.
template <class R>
TD_FN typename R::State pair_block(typename R::State* partials, i64 stride, i64 count) {
  __shared__ typename R::State warps[8];
  do {
    const i64 runs = (count + 2047) / 2048;
    for (i64 run = 0; run < runs; ++run) {
      const i64 first = run * 2048 + threadIdx.x * 8;
      typename R::State x = pair_up<R>(pair_eight<R>(partials + first * stride, stride, count - first), 5);
      if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = x;
      __syncthreads();
      if (threadIdx.x < 32) {
        x = pair_up<R>(threadIdx.x < 8 ? warps[threadIdx.x] : R::none(), 3);
        if (threadIdx.x == 0) partials[run * stride] = x;
      }
      __syncthreads();
    }
    count = runs;
  } while (count > 1);
  return partials[0];
}

}  // namespace scalar
}  // namespace tandem
