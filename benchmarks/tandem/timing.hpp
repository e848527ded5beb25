// How long a call takes.
#pragma once

#include <chrono>
#include <functional>

#include <tandem/tandem.hpp>

namespace tandem::bench {

using Clock = std::chrono::steady_clock;
inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Timing {
  double seconds;  // of a call, the median
  double spread;   // distance of the farther quartile from the median, as a share of it
  double fastest;  // sample's; less than the median where others use the machine
  double first;    // of the first call
  int samples;
};

/// Times a call on a device: `loops` calls between two synchronizations a sample, or as many as take 0.1 ms if it is 0;
/// at least three samples, then until `budget` seconds are gone or there are 100. The result of one call is released
/// before the next. A call that takes longer than `longest` is made twice only.
Timing time_call(const Device& device, const std::function<Array()>& call, int loops, double budget, double longest);

}  // namespace tandem::bench
