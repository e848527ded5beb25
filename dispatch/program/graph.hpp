// Walking pending expressions. Nodes turn ready and drop their sources while other threads look at them, so every walk
// holds the graph lock; it is never held while a program runs.
#pragma once

#include "expression.hpp"

namespace tandem::detail {

/// Sets the exact cost of a node that would have these sources: each instruction, input and constant counted once.
void measure(Node& node, const Source* sources, int n);

}  // namespace tandem::detail
