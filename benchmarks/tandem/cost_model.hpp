// What a call costs on a device, told from a calibration.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibration.hpp"

namespace tandem::bench {

/// A pass through memory costs what copies, sums of rows or columns of that many bytes cost. The steps of a program come on
/// top: each operation has a cost an element, which was measured in a program of several of them. Other calls cost as much
/// for each element, or for each multiply-add, as those of their kind that are nearest in size, on logarithmic scales.
class CostModel {
 public:
  explicit CostModel(const DeviceCalibration& device);

  /// Seconds of one call of a load; none for a kind of which nothing was measured.
  std::optional<double> seconds(const profile::Load& load) const;

 private:
  struct Point {
    double count, size, width, bytes, seconds;
  };
  struct StepCost {
    double cached = -1, many = -1;  // seconds an element; -1: not measured
  };

  bool is_program(const std::string& kind) const;
  double work(const std::string& kind, double count, double size, double bytes) const;
  double nearest(const std::vector<Point>& points, const std::string& kind, const Point& at) const;
  double pass_seconds(const profile::Load& load) const;
  double step_seconds(const profile::Load& load) const;
  double step_cost(const std::string& step, double elements) const;
  double combined(double pass, double steps) const;
  void learn_step(const std::string& step, const Sample& sample);

  std::map<std::string, std::vector<Point>> points_;
  std::map<std::string, StepCost> steps_;
  /// Exponent of the mean of a pass and its steps: 1 would be their sum.
  static constexpr double overlap = 1.5;

  std::map<double, double> reference_;  // cost of tanh by number of elements
  double latency_ = 0;
  bool hides_steps_ = false;  // a device with memory of its own computes while it waits for memory
};

}  // namespace tandem::bench
