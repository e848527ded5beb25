// The worst errors of the operations of ops.def, over many inputs.
#pragma once

#include <string>
#include <vector>

#include "../rows.hpp"

namespace tandem::test {

/// What was found for an operation and a dtype; errors in ULP of the result, for complex results of their modulus.
struct Measured {
  std::string op, dtype;
  double error = 0, budget = 0;  // 0: every bit is right
  long long inputs = 0;
  std::string worst;  // the call with the largest error, empty if there was none

  bool within_budget() const { return error <= budget; }
};

/// Runs an operation on the default device for each floating-point dtype that it takes. `count` is the number of random
/// inputs: half of them in the range of the row, the others of all sizes, near special numbers, and close to one
/// another. With these come the special numbers themselves, all numbers of float16 and bfloat16 for functions of one
/// argument, and NumPy's accuracy set. Complex dtypes get half of the random inputs, float16 and bfloat16 a quarter,
/// operations that must be exact an eighth. The inputs are the same in each run.
std::vector<Measured> measure(const Row& row, std::size_t count);

}  // namespace tandem::test
