// What the files of random draws share.
#pragma once

#include <tandem/random.hpp>

namespace tandem::random {

/// The dtype that multivariate_normal works in.
DType vector_dtype(const Array& mean, const Array& cov);

}  // namespace tandem::random
