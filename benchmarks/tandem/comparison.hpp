// CPU or GPU: one device's times beside another's, with what the transfers cost.
#pragma once

#include <optional>

#include "measurements.hpp"

namespace tandem::bench {

/// A case at one size on two devices. `base` is where the data is, `other` where it could go.
struct Comparison {
  std::int64_t n = 0;
  double base = 0, other = 0;      // seconds, arrays resident
  double there = 0, back = 0;      // seconds of moving the inputs to `other` and the result back
  double speed_up() const { return base / other; }
  double speed_up_with_transfers() const { return base / (other + there + back); }
  /// How often the inputs must be used on `other` until that has paid for the transfers; none if it never does.
  std::optional<double> uses_to_pay() const;
};

struct ComparedCase {
  std::string name, what;
  std::vector<Comparison> sizes;  // those that both devices were measured at
  /// The size from which on `other` wins at all larger ones, without and with transfers: none if it does not win at
  /// the largest, 0 if it wins at all that were measured.
  std::optional<double> break_even, break_even_with_transfers;
};

std::vector<ComparedCase> compare(const DeviceCurves& base, const DeviceCurves& other);

/// "1.2 us", "3.4 ms"; "64 Ki", "16 Mi"; "12.3x".
std::string seconds_text(double seconds);
std::string size_text(double n);
std::string ratio_text(double ratio);

}  // namespace tandem::bench
