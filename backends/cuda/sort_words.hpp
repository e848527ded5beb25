// Radix sorts with the memory that they need.
#pragma once

#include "device.hpp"
#include "sort_kernels.hpp"

namespace tandem::cuda {

/// call(memory, bytes), first asked for the memory that it needs.
template <class Call>
td_status with_memory(Device& device, const char* what, td_error* error, Call call) {
  std::size_t bytes = 0;
  if (const td_status status = check(call(nullptr, &bytes), what, error); status != TD_OK) return status;
  Scratch memory(device, std::int64_t(bytes), error);
  return memory ? check(call(memory.as<void>(), &bytes), what, error) : TD_OUT_OF_MEMORY;
}

/// Sorts words[0, count) by some of their bits; *sorted is words or spare.
template <class Word>
td_status sort_words(Device& device, Word* words, Word* spare, std::int64_t count, int begin_bit, int end_bit,
                     Word** sorted, td_error* error) {
  return with_memory(device, "a radix sort", error, [&](void* memory, std::size_t* bytes) {
    return radix_sort(device.stream, memory, bytes, words, spare, sorted, count, begin_bit, end_bit);
  });
}

}  // namespace tandem::cuda
