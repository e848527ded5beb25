/* What generated kernels use of the machine itself: accesses of up to 16 bytes, shuffles, high products. The rest of a
 * kernel's text (scalar.h, quick.cuh, prelude.cuh, the kernel) is plain C++. Part of every generated text; includes
 * nothing.
 */
#define TD_FN __device__ __forceinline__
#pragma nv_diag_suppress 177

namespace tandem {
namespace scalar {

// bytes that are moved as one access
template <int bytes>
struct alignas(bytes) Chunk {
  unsigned int words[bytes / 4];
};
template <>
struct Chunk<2> {
  unsigned short word;
};
template <>
struct Chunk<1> {
  unsigned char word;
};

// Streamed data will not be needed again soon: it is the first to leave the caches. The accesses are volatile so that
// no load moves behind the store to the same place.
#define TD_ACCESSES(streaming, load, store)                                                                           \
  TD_FN Chunk<16> load_chunk(Streaming<streaming>, const Chunk<16>* from) {                                           \
    Chunk<16> x;                                                                                                      \
    asm volatile(load ".v4.u32 {%0, %1, %2, %3}, [%4];"                                                               \
                 : "=r"(x.words[0]), "=r"(x.words[1]), "=r"(x.words[2]), "=r"(x.words[3])                             \
                 : "l"(from));                                                                                        \
    return x;                                                                                                         \
  }                                                                                                                   \
  TD_FN Chunk<8> load_chunk(Streaming<streaming>, const Chunk<8>* from) {                                             \
    Chunk<8> x;                                                                                                       \
    asm volatile(load ".v2.u32 {%0, %1}, [%2];" : "=r"(x.words[0]), "=r"(x.words[1]) : "l"(from));                    \
    return x;                                                                                                         \
  }                                                                                                                   \
  TD_FN Chunk<4> load_chunk(Streaming<streaming>, const Chunk<4>* from) {                                             \
    Chunk<4> x;                                                                                                       \
    asm volatile(load ".u32 %0, [%1];" : "=r"(x.words[0]) : "l"(from));                                               \
    return x;                                                                                                         \
  }                                                                                                                   \
  TD_FN Chunk<2> load_chunk(Streaming<streaming>, const Chunk<2>* from) {                                             \
    Chunk<2> x;                                                                                                       \
    asm volatile(load ".u16 %0, [%1];" : "=h"(x.word) : "l"(from));                                                   \
    return x;                                                                                                         \
  }                                                                                                                   \
  TD_FN Chunk<1> load_chunk(Streaming<streaming>, const Chunk<1>* from) {                                             \
    unsigned int x;                                                                                                   \
    asm volatile(load ".u8 %0, [%1];" : "=r"(x) : "l"(from));                                                         \
    return Chunk<1>{(unsigned char)x};                                                                                \
  }                                                                                                                   \
  TD_FN void store_chunk(Streaming<streaming>, Chunk<16>* to, Chunk<16> x) {                                          \
    asm volatile(store ".v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(x.words[0]), "r"(x.words[1]), "r"(x.words[2]), \
                 "r"(x.words[3])                                                                                      \
                 : "memory");                                                                                         \
  }                                                                                                                   \
  TD_FN void store_chunk(Streaming<streaming>, Chunk<8>* to, Chunk<8> x) {                                            \
    asm volatile(store ".v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(x.words[0]), "r"(x.words[1]) : "memory");             \
  }                                                                                                                   \
  TD_FN void store_chunk(Streaming<streaming>, Chunk<4>* to, Chunk<4> x) {                                            \
    asm volatile(store ".u32 [%0], %1;" ::"l"(to), "r"(x.words[0]) : "memory");                                       \
  }                                                                                                                   \
  TD_FN void store_chunk(Streaming<streaming>, Chunk<2>* to, Chunk<2> x) {                                            \
    asm volatile(store ".u16 [%0], %1;" ::"l"(to), "h"(x.word) : "memory");                                           \
  }                                                                                                                   \
  TD_FN void store_chunk(Streaming<streaming>, Chunk<1>* to, Chunk<1> x) {                                            \
    asm volatile(store ".u8 [%0], %1;" ::"l"(to), "r"((unsigned int)x.word) : "memory");                              \
  }
template <bool streaming>
struct Streaming {};
TD_ACCESSES(false, "ld.global", "st.global")
TD_ACCESSES(true, "ld.global.cs", "st.global.cs")
#undef TD_ACCESSES

// The word of the thread `distance` further on in the warp, or of the thread `from`. All threads of the warp take part.
TD_FN unsigned int shuffle_word_down(unsigned int x, int distance) {
  return __shfl_down_sync(0xffffffffu, x, distance);
}
TD_FN unsigned int shuffle_word_from(unsigned int x, int from) { return __shfl_sync(0xffffffffu, x, from); }

TD_FN unsigned int high_product(unsigned int a, unsigned int b) { return __umulhi(a, b); }

}  // namespace scalar
}  // namespace tandem
