#include "timing.hpp"

#include <algorithm>
#include <vector>

namespace tandem::bench {

Timing time_call(const Device& device, const std::function<Array()>& call, int loops, double budget, double longest) {
  const auto timed = [&](int count) {
    const auto start = Clock::now();
    Array result;
    for (int i = 0; i < count; ++i) {
      result = call();
      result.eval();
    }
    device.synchronize();
    return seconds_since(start) / count;
  };
  const double first = timed(1), second = timed(1);
  if (second > longest) return {second, 0, second, first, 1};
  if (loops == 0) loops = std::clamp(int(1e-4 / second), 1, 1000);
  std::vector<double> times;
  const auto start = Clock::now();
  while (times.size() < 3 || (seconds_since(start) < budget && times.size() < 100)) {
    times.push_back(timed(loops));
    if (seconds_since(start) > longest) break;
  }
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  const double low = times[times.size() / 4], high = times[times.size() - 1 - times.size() / 4];
  return {median, std::max(median - low, high - median) / median, times.front(), first, int(times.size())};
}

}  // namespace tandem::bench
