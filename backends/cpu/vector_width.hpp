// The width of a vector register. For *_kernels.cpp only: each of these files is compiled for several instruction sets.
#pragma once

namespace tandem::cpu::TD_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <class T, int lanes>
struct Vector {
  typedef T type __attribute__((vector_size(lanes * sizeof(T))));
};

}  // namespace
}  // namespace tandem::cpu::TD_ISA
