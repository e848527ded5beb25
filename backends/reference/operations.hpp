// The rows of ops.def as functions of single values.
#pragma once

#include <tandem/backend.h>

#include <memory>

#include "value.hpp"

namespace tandem::reference {

/// One elementwise operation, or cast, on one element; operands beyond its arity are ignored.
using Operation = Value (*)(const Value& a, const Value& b, const Value& c, const Value& d);

/// The operation of a row of ops.def on operands of a dtype; throws Failure where the row has no such kernel.
Operation find_operation(int op, int dtype);

/// How many operands a row of ops.def has.
int arity_of(int op);

/// The conversion of one dtype to another.
Operation find_cast(int from, int to);

/// The operation of a reduction on two partial results; throws Failure where the row of ops.def has no such kernel.
using Combine = Value (*)(const Value& a, const Value& b);
Combine find_combine(int reduction, int dtype);

/// A reduction in progress. Elements come in the order of the row; finish gives the result and starts a new row.
class Reduction {
 public:
  virtual ~Reduction() = default;
  virtual void add(const Value& element) = 0;
  virtual Value finish() = 0;
};

/// Throws Failure where the row of ops.def has no such kernel.
std::unique_ptr<Reduction> make_reduction(int reduction, int dtype);

}  // namespace tandem::reference
