// How a profile looks.
#include <tandem/profile.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "../json.hpp"

namespace tandem::profile {
namespace {

std::string scaled(double value, const std::array<const char*, 4>& units, double step) {
  std::size_t unit = 0;
  while (unit + 1 < units.size() && value >= step) value /= step, ++unit;
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, unit == 0 && value == std::floor(value) ? "%.0f %s" : "%.2f %s", value,
                units[unit]);
  return buffer;
}
std::string bytes_text(double bytes) { return scaled(bytes, {"B", "KiB", "MiB", "GiB"}, 1024); }
std::string seconds_text(double seconds) { return scaled(seconds * 1e6, {"us", "ms", "s", "ks"}, 1000); }
std::string number_text(const char* format, double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

using Cells = std::array<std::string, 8>;
constexpr std::array<const char*, 8> titles = {"device", "calls", "on device", "host",
                                               "moved",  "GB/s",  "ceiling",   "operation"};

Cells cells(const Report& report, const Operation& operation) {
  double ceiling = 0;
  for (const DeviceMemory& device : report.devices)
    if (device.device == operation.device) ceiling = device.ceiling;
  const double rate = operation.device_seconds > 0 ? operation.bytes / operation.device_seconds : 0;
  const bool within = !operation.name.starts_with("copy ") || operation.name == "copy on the device";
  return {operation.device,
          std::to_string(operation.calls),
          operation.device_seconds > 0 ? seconds_text(operation.device_seconds) : "",
          seconds_text(operation.host_seconds),
          operation.bytes > 0 ? bytes_text(operation.bytes) : "",
          rate > 0 ? number_text("%.2f", rate / 1e9) : "",
          rate > 0 && ceiling > 0 && within ? number_text("%.0f %%", 100 * rate / ceiling) : "",
          operation.name};
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

/// Sentences below the table.
std::vector<std::string> notes(const Report& report) {
  std::vector<std::string> lines;
  for (const DeviceMemory& device : report.devices)
    lines.push_back(device.device + ": at most " + bytes_text(double(device.peak_bytes)) + " in live arrays" +
                    (device.ceiling > 0 ? "; the ceiling is a copy on the device, " +
                                              number_text("%.1f", device.ceiling / 1e9) + " GB/s" : ""));
  std::string flushes;
  for (const auto& [reason, count] : report.flushes)
    flushes += (flushes.empty() ? "" : ", ") + reason + " " + std::to_string(count);
  if (!flushes.empty()) lines.push_back("programs ran because of: " + flushes);
  return lines;
}

/// Members of an object: "name": value, one after the other.
class Object {
 public:
  template <class Value>
  Object& add(const char* name, const Value& value) {
    text_ += (text_.empty() ? "" : ", ") + detail::json_text(name) + ": " + json(value);
    return *this;
  }
  std::string text() const { return "{" + text_ + "}"; }

 private:
  static std::string json(const std::string& value) { return detail::json_text(value); }
  static std::string json(long long value) { return std::to_string(value); }
  static std::string json(double value) { return number_text("%.17g", value); }
  template <class First, class Second>
  static std::string json(const std::pair<First, Second>& pair) {
    return "[" + json(pair.first) + ", " + json(pair.second) + "]";
  }
  template <class Value>
  static std::string json(const std::vector<Value>& list) {
    std::string text;
    for (const Value& value : list) text += (text.empty() ? "" : ", ") + json(value);
    return "[" + text + "]";
  }
  static std::string json(const Operation& o) {
    return Object().add("device", o.device).add("name", o.name).add("calls", o.calls)
        .add("device_seconds", o.device_seconds).add("host_seconds", o.host_seconds).add("bytes", o.bytes).text();
  }
  static std::string json(const Load& l) {
    return Object().add("device", l.device).add("operation", l.operation).add("kind", l.kind).add("count", l.count)
        .add("size", l.size).add("width", l.width).add("steps", l.steps).add("calls", l.calls)
        .add("device_seconds", l.device_seconds).add("host_seconds", l.host_seconds).add("bytes", l.bytes).text();
  }
  static std::string json(const DeviceMemory& m) {
    return Object().add("device", m.device).add("peak_bytes", m.peak_bytes).add("ceiling", m.ceiling).text();
  }

  std::string text_;
};

}  // namespace

std::string Report::json() const {
  return Object().add("operations", operations).add("loads", loads).add("devices", devices).add("flushes", flushes).text() +
         "\n";
}

std::string Report::text() const {
  std::vector<Cells> table;
  std::array<std::size_t, 8> widths{};
  for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::string(titles[i]).size();
  for (const Operation& operation : operations) {
    table.push_back(cells(*this, operation));
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], table.back()[i].size());
  }
  std::string out = "tandem: profile\n";
  const auto line = [&](const auto& row) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string cell = row[i];
      const std::string gap(widths[i] - cell.size(), ' ');
      out += i == 0 ? "  " + cell + gap : i + 1 == widths.size() ? "  " + cell : "  " + gap + cell;
    }
    out += "\n";
  };
  line(titles);
  for (const Cells& row : table) line(row);
  for (const std::string& note : notes(*this)) out += "  " + note + "\n";
  return out;
}

std::string Report::html() const {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Tandem: profile</title>\n<style>\n"
      "body { font-family: sans-serif; margin: 2em; }\ntable { border-collapse: collapse; }\n"
      "th, td { padding: 0.2em 0.8em; text-align: right; border-bottom: 1px solid #ddd; }\n"
      "th:first-child, td:first-child, th:last-child, td:last-child { text-align: left; }\n"
      "tr > td:nth-child(3) { background: linear-gradient(to left, #9ecae1 var(--share), transparent var(--share)); }\n"
      "</style></head><body>\n<h1>Tandem: profile</h1>\n<table>\n<tr>";
  double longest = 0;
  for (const Operation& operation : operations) longest = std::max(longest, operation.device_seconds);
  for (const char* title : titles) out += std::string("<th>") + title + "</th>";
  out += "</tr>\n";
  for (const Operation& operation : operations) {
    const double share = longest > 0 ? 100 * operation.device_seconds / longest : 0;
    out += "<tr style=\"--share: " + number_text("%.1f", share) + "%\">";
    for (const std::string& cell : cells(*this, operation)) out += "<td>" + escaped(cell) + "</td>";
    out += "</tr>\n";
  }
  out += "</table>\n";
  for (const std::string& note : notes(*this)) out += "<p>" + escaped(note) + "</p>\n";
  return out + "</body></html>\n";
}

}  // namespace tandem::profile
