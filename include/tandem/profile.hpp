// What a part of a program cost, by operation: the layer profile for a scope of the program (docs/layers.md).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tandem/export.hpp>

namespace tandem::profile {

/// Calls of one verb, of one fused program, or transfers in one direction, on one device.
struct Operation {
  std::string device;
  std::string name;            // "matmul", "multiply add sqrt (float32)", "copy host to device"
  long long calls = 0;
  double device_seconds = 0;   // between events on the device; of a backend without events host_seconds
  double host_seconds = 0;     // until the call returned
  double bytes = 0;            // of the arrays read and written, each element once
};

struct DeviceMemory {
  std::string device;
  long long peak_bytes;        // of live arrays, seen when memory was asked for
  double ceiling;              // bytes per second, read and written, of copying on the device; 0: not measured
};

struct Report {
  std::vector<Operation> operations;  // the longest device time first
  std::vector<DeviceMemory> devices;
  std::vector<std::pair<std::string, long long>> flushes;  // reasons that occurred, see docs/fusion.md

  /// A table for people.
  TANDEM_API std::string text() const;
  /// The same as a page of HTML that needs nothing else.
  TANDEM_API std::string html() const;
};

/// Counts what all threads do on all devices from its construction to its end. May be nested. Where no scope lives (and
/// TANDEM_LAYERS does not name profile), nothing is counted and nothing is slower.
class TANDEM_API Scope {
 public:
  Scope();
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  /// What was counted so far; waits for the devices and measures the ceilings of those that had work, once in a process.
  Report report() const;

  struct State;

 private:
  State* const state_;
};

}  // namespace tandem::profile
