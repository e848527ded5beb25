#include "comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tandem::bench {
namespace {

/// Where an advantage over sizes becomes one that stays, on straight lines of the logarithms.
template <class Advantage>
std::optional<double> crossing(const std::vector<Comparison>& sizes, Advantage advantage) {
  if (sizes.empty() || advantage(sizes.back()) < 1) return {};
  std::size_t first = sizes.size() - 1;
  while (first > 0 && advantage(sizes[first - 1]) >= 1) --first;
  if (first == 0) return 0.0;
  const Comparison &low = sizes[first - 1], &high = sizes[first];
  const double a = std::log(advantage(low)), b = std::log(advantage(high));  // a < 0 <= b
  return std::exp(std::log(double(low.n)) + a / (a - b) * std::log(double(high.n) / double(low.n)));
}

std::string scaled(double value, double step, const std::vector<const char*>& units) {
  std::size_t unit = 0;
  while (unit + 1 < units.size() && value >= step * 0.9995) value /= step, ++unit;
  char text[32];
  const char* const format = value < 9.995 ? "%.2f %s" : value < 99.95 ? "%.1f %s" : "%.0f %s";
  std::snprintf(text, sizeof text, format, value, units[unit]);
  return text;
}

}  // namespace

std::optional<double> Comparison::uses_to_pay() const {
  if (base <= other) return {};
  return std::max(1.0, std::ceil((there + back) / (base - other)));
}

std::vector<ComparedCase> compare(const DeviceCurves& base, const DeviceCurves& other) {
  std::vector<ComparedCase> list;
  for (const Curve& here : base.curves) {
    const Curve* const there = other.find(here.name);
    if (there == nullptr) continue;
    ComparedCase compared{here.name, here.what, {}, {}, {}};
    for (const Point& b : here.points)
      for (const Point& o : there->points)
        if (b.n == o.n)
          compared.sizes.push_back(
              {b.n, b.seconds, o.seconds, to_device_seconds(other, o.bytes_in), to_host_seconds(other, o.bytes_out)});
    compared.break_even = crossing(compared.sizes, [](const Comparison& c) { return c.speed_up(); });
    compared.break_even_with_transfers =
        crossing(compared.sizes, [](const Comparison& c) { return c.speed_up_with_transfers(); });
    list.push_back(std::move(compared));
  }
  return list;
}

std::string seconds_text(double seconds) { return scaled(seconds * 1e6, 1000, {"us", "ms", "s"}); }

std::string size_text(double n) {
  if (n < 1024) return std::to_string(std::lround(n));
  std::string text = scaled(n / 1024, 1024, {"Ki", "Mi", "Gi"});
  if (const auto zeros = text.find(".00 "); zeros != text.npos) text.erase(zeros, 3);
  if (const auto zeros = text.find(".0 "); zeros != text.npos) text.erase(zeros, 2);
  return text;
}

std::string ratio_text(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, ratio < 9.995 ? "%.2fx" : ratio < 99.95 ? "%.1fx" : "%.0fx", ratio);
  return text;
}

}  // namespace tandem::bench
