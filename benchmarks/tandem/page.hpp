// `tandem bench --html`.
#pragma once

#include <string>

#include "measurements.hpp"

namespace tandem::bench {

/// One page of HTML that needs nothing else: speed-ups over sizes with break-even points, rooflines, transfers, facts.
/// The CPU of `measured` stands beside every other device of both.
std::string bench_page(const Measurements& measured, const Measurements& recorded);

}  // namespace tandem::bench
