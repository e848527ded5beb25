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

/// Calls of one operation and about one size: what their cost on another device can be told from. Sizes are those of the
/// first call; the others differ by an eighth of an octave at most.
struct Load {
  std::string device, operation;
  /// What the cost depends on beside the sizes: the verb, its dtype and variant, "sort float32 values"; the direction of a
  /// transfer; of programs how they go through memory, "map", "map strided", "rows", "columns", the two
  /// with "fused" where more than the elements are reduced, or "rows again".
  std::string kind;
  /// Parts that are independent of one another (matrices of a stack, lines along an axis, rows of a reduction, places of a
  /// gather), and the elements of each; of matrices the edge of the cube of their multiply-adds.
  double count = 1, size = 1;
  /// Of matrices the shortest edge in units of `size`; of lines the step between elements; of maps the length of the last
  /// axis; of rows 16 where an input is broadcast; of places how many there are to look up; of Fourier transforms the number
  /// of axes.
  double width = 1;
  /// Of programs: operation and dtype, "exp float32", and how often one call executes it.
  std::vector<std::pair<std::string, double>> steps;
  long long calls = 0;
  double device_seconds = 0, host_seconds = 0, bytes = 0;  // of all calls, as in Operation
};

struct DeviceMemory {
  std::string device;
  long long peak_bytes;        // of live arrays, seen when memory was asked for
  double ceiling;              // bytes per second, read and written, of copying on the device; 0: not measured
};

struct Report {
  std::vector<Operation> operations;  // the longest device time first
  std::vector<Load> loads;
  std::vector<DeviceMemory> devices;
  std::vector<std::pair<std::string, long long>> flushes;  // reasons that occurred, see docs/fusion.md

  /// A table for people.
  TANDEM_API std::string text() const;
  /// The same as a page of HTML that needs nothing else.
  TANDEM_API std::string html() const;
  /// All of it, for programs: an object with the members of this structure.
  TANDEM_API std::string json() const;
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
