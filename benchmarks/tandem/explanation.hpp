// CPU or GPU, for one program: what it cost here, and what it would cost there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cost_model.hpp"

namespace tandem::bench {

/// Errors of predictions, as shares of what was measured: the median, and what nine of ten do not exceed.
struct Errors {
  double median = 0, ninth = 0;
};
Errors errors_of(const std::vector<Prediction>& checks);

/// One operation of the program.
struct ExplainedOperation {
  std::string name;
  bool transfer = false;
  long long calls = 0;
  double bytes = 0;
  double measured = 0;                  // seconds here
  std::optional<double> here, there;    // predicted; none: nothing like it was measured
};

struct Explanation {
  std::string program;
  std::string here, there;        // devices
  std::string there_origin;       // "recorded 2026-12-03 on ...", or empty
  double wall = 0;                // seconds of the whole program
  double start_there = 0;         // seconds until the other device has its first result
  std::vector<ExplainedOperation> operations;  // those that decide the most first
  Errors errors_here, errors_there;            // of the calibrations
  bool calibrated_here = false;
  /// Speed-up of the operations with arrays that many times as large.
  std::vector<std::pair<double, double>> scaled;

  double measured() const;        // of all operations that can be predicted
  double predicted_here() const;
  double predicted_there() const;
  double transfers_there() const;
  double not_predicted() const;   // seconds measured of operations without a prediction
};

/// The report is of the device that it has the most of. `here` may be null.
Explanation explain(const profile::Report& report, double wall, const std::string& program, const DeviceCalibration* here,
                    const DeviceCalibration& there, const std::string& there_origin);

std::string verdict(const Explanation& explanation);
/// What would change it.
std::vector<std::string> advice(const Explanation& explanation, const profile::Report& report);
std::string explanation_text(const Explanation& explanation, const profile::Report& report);
std::string explanation_page(const Explanation& explanation, const profile::Report& report);

/// The device that most of a report's time was spent on.
std::string main_device(const profile::Report& report);

}  // namespace tandem::bench
