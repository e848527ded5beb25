#include "partition_kernels.hpp"

namespace tandem::cpu::TD_ISA {
namespace {

using namespace sorting;

template <class T, class Key>
void make_keys(const T* x, int64_t stride, int64_t n, Key flip, Key* keys) {
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) keys[i] = Order<T>::key(x[i], flip);
  } else {
    for (int64_t i = 0; i < n; ++i) keys[i] = Order<T>::key(x[i * stride], flip);
  }
}

// Counts are as wide as keys, so that one comparison serves all lanes; they cannot overflow within 128 keys.
template <class Key>
void mark(const Key* keys, int64_t n, Key low, Key high, uint8_t* marks, int64_t* below, int64_t* inside) {
  using Count = Bits<(sizeof(Key) > 8 ? 8 : sizeof(Key))>;
  for (int64_t first = 0; first < n; first += 128) {
    const int64_t last = n - first < 128 ? n : first + 128;
    Count less = 0, in = 0;
    for (int64_t i = first; i < last; ++i) {
      const bool is_inside = keys[i] >= low && keys[i] <= high;
      less = Count(less + Count(keys[i] < low));
      in = Count(in + Count(is_inside));
      marks[i] = uint8_t(marks[i] | uint8_t(is_inside));
    }
    *below += int64_t(less);
    *inside += int64_t(in);
  }
}

template <class Key>
void add_above(const Key* keys, int64_t n, Key bound, bool inclusive, uint8_t* segments) {
  if (inclusive) {
    for (int64_t i = 0; i < n; ++i) segments[i] = uint8_t(segments[i] + uint8_t(keys[i] >= bound));
  } else {
    for (int64_t i = 0; i < n; ++i) segments[i] = uint8_t(segments[i] + uint8_t(keys[i] > bound));
  }
}

}  // namespace

template <class T>
PartitionKernels<T> partition_kernels() {
  using Key = typename Order<T>::Key;
  return {make_keys<T, Key>, mark<Key>, add_above<Key>};
}
#define X(NAME, type, text, bytes) template PartitionKernels<type> partition_kernels<type>();
TD_DTYPES(X)
#undef X

}  // namespace tandem::cpu::TD_ISA
