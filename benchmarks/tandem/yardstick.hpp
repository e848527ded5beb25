// The yardstick: about a hundred workloads. Names, shapes, dtypes and value ranges of all but the many_ and small_ ones
// of linear algebra are shared with scripts that time the same work in NumPy, CuPy, PyTorch and JAX.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tandem/tandem.hpp>

namespace tandem::bench {

struct Workload {
  std::string name;
  /// Makes the inputs; `salt` varies the random numbers.
  std::function<std::vector<Array>()> make;
  std::function<Array(const std::vector<Array>&)> call;
  double bytes;  // least memory traffic: each input read once, each output written once
  double flops;
  int loops = 1;  // calls between two synchronizations
};

/// All workloads, at a tenth of the size if `small`.
std::vector<Workload> yardstick_workloads(bool small);

/// `tandem bench --yardstick [--device NAMES] [--json FILE] [--only REGEX] [--max-s SECONDS] [--small]`: returns the
/// exit status.
int run_yardstick(const std::vector<std::string>& arguments);

}  // namespace tandem::bench
