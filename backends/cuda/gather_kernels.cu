#include "gather_kernels.hpp"

#include <math.h>

#pragma nv_diag_suppress 177  // of scalar.h, only some functions are used

#include "gather_device.cuh"

namespace tandem::cuda {
namespace {

using u128 = unsigned __int128;

unsigned blocks_for(i64 count, int of_a_thread = 1) {
  const i64 of_a_block = i64{gather_threads} * of_a_thread;
  return unsigned((count + of_a_block - 1) / of_a_block);
}

/// Calls body(a pointer to units) for the movement's size of unit.
template <class Body>
cudaError_t with_unit(const Movement& movement, Body body) {
  switch (movement.unit_bytes) {
    case 1: body(static_cast<std::uint8_t*>(nullptr)); break;
    case 2: body(static_cast<std::uint16_t*>(nullptr)); break;
    case 4: body(static_cast<std::uint32_t*>(nullptr)); break;
    case 8: body(static_cast<uint2*>(nullptr)); break;
    default: body(static_cast<uint4*>(nullptr)); break;
  }
  return cudaGetLastError();
}

template <class Word>
Sorted<Word> sorted_by(const TargetWords<Word>& targets) {
  return {targets.words, targets.low, targets.position_bits};
}

}  // namespace

cudaError_t gather(cudaStream_t stream, const Movement& movement, const void* x, void* out) {
  const Runs& runs = movement.runs;
  return with_unit(movement, [&]<class U>(U*) {
    if (runs.count() == runs.positions)
      gather_elements<<<blocks_for(runs.positions, elements_at_once), gather_threads, 0, stream>>>(
          runs, static_cast<const U*>(x), static_cast<U*>(out));
    else
      gather_units<<<blocks_for(runs.count()), gather_threads, 0, stream>>>(runs, static_cast<const U*>(x),
                                                                            static_cast<U*>(out));
  });
}

cudaError_t scatter_unique(cudaStream_t stream, const Movement& movement, const void* values, void* x) {
  return with_unit(movement, [&]<class U>(U*) {
    scatter_units<<<blocks_for(movement.runs.count()), gather_threads, 0, stream>>>(
        movement.runs, movement.values, static_cast<const U*>(values), static_cast<U*>(x));
  });
}

cudaError_t add_index_array(cudaStream_t stream, const Axes& axes, const Indexed& indexed, bool starts,
                            std::int64_t count, std::int64_t* offsets) {
  add_offsets<<<blocks_for(count), gather_threads, 0, stream>>>(axes, indexed, starts, count, offsets);
  return cudaGetLastError();
}

template <class Word>
cudaError_t make_target_words(cudaStream_t stream, const Movement& movement, const TargetWords<Word>& targets) {
  const Runs& runs = movement.runs;
  make_targets<<<blocks_for(runs.positions), gather_threads, 0, stream>>>(runs.indexed, runs.positions, targets.low,
                                                                         targets.position_bits, targets.words);
  return cudaGetLastError();
}

template <class Word>
cudaError_t scatter_last(cudaStream_t stream, const Movement& movement, const TargetWords<Word>& sorted,
                         const void* values, void* x) {
  return with_unit(movement, [&]<class U>(U*) {
    scatter_last_units<<<blocks_for(movement.runs.count()), gather_threads, 0, stream>>>(
        movement.runs, sorted_by(sorted), movement.values, static_cast<const U*>(values), static_cast<U*>(x));
  });
}

template <class Word>
cudaError_t scatter_add(cudaStream_t stream, const Movement& movement, const TargetWords<Word>& sorted, td_dtype dtype,
                        const void* values, void* x) {
  using namespace scalar;
  const unsigned blocks = blocks_for(movement.runs.count());
  switch (dtype) {
#define X(NAME, type, ...)                                                                                    \
  case TD_##NAME:                                                                                             \
    scatter_add_elements<<<blocks, gather_threads, 0, stream>>>(movement.runs, sorted_by(sorted), movement.values, \
                                                                static_cast<const type*>(values),            \
                                                                static_cast<type*>(x));                      \
    break;
    TD_DTYPES(X)
#undef X
    default: return cudaErrorInvalidValue;
  }
  return cudaGetLastError();
}

#define TD_INSTANCE(Word)                                                                                             \
  template cudaError_t make_target_words(cudaStream_t, const Movement&, const TargetWords<Word>&);                    \
  template cudaError_t scatter_last(cudaStream_t, const Movement&, const TargetWords<Word>&, const void*, void*);     \
  template cudaError_t scatter_add(cudaStream_t, const Movement&, const TargetWords<Word>&, td_dtype, const void*, void*);
TD_INSTANCE(u64)
TD_INSTANCE(u128)
#undef TD_INSTANCE

}  // namespace tandem::cuda
