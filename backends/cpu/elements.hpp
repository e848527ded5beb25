// Elements that are moved but not computed with: by size alone, and no better aligned than any dtype of that size.
#pragma once

#include "kernels.hpp"

namespace tandem::cpu {

template <class Word, int words>
struct [[gnu::may_alias]] Element {
  Word values[words];
};

/// Calls body(Element{}) with the one of the dtype's size.
template <class Body>
void with_element(int dtype, Body body) noexcept {
  switch (size_class_of[dtype]) {
    case 0: return body(Element<uint8_t, 1>{});
    case 1: return body(Element<uint16_t, 1>{});
    case 2: return body(Element<uint32_t, 1>{});
    case 3: return body(Element<uint32_t, 2>{});
    default: return body(Element<uint64_t, 2>{});
  }
}

/// Bytes of an element.
inline int64_t item_bytes(int dtype) noexcept { return int64_t{1} << size_class_of[dtype]; }

}  // namespace tandem::cpu
