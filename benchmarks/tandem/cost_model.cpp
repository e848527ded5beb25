#include "cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <tandem/backend.h>

#include "probes.hpp"

namespace tandem::bench {
namespace {

/// Steps that a pass through memory contains.
bool is_free(const std::string& step) { return step.starts_with("positive ") || step.starts_with("sum "); }

double log_of(double x) { return std::log2(std::max(x, 1e-9)); }

/// Bytes of an element of the dtype that a text names, and whether it is complex; 0 for other texts.
struct Width {
  double bytes = 0;
  bool complex = false;
};
Width width_of(const std::string& dtype) {
  for (int d = 0; d < TD_DTYPE_COUNT; ++d)
    if (name(DType(d)) == dtype) return {double(itemsize(DType(d))), is_complex(DType(d))};
  return {};
}

}  // namespace

bool CostModel::is_program(const std::string& kind) const {
  return kind.starts_with("map") || kind.starts_with("rows") || kind.starts_with("columns");
}

double CostModel::work(const std::string& kind, double count, double size, double bytes) const {
  if (is_program(kind) || kind.starts_with("copy")) return bytes;
  const std::string verb = kind.substr(0, kind.find(' '));
  for (const char* cubic : {"matmul", "cholesky", "lu", "solve", "qr", "svd", "eigh", "eig"})
    if (verb == cubic) return count * size * size * size;
  return count * size;
}

/// Mean of the logarithms of seconds per unit of work at the nearest points, the nearer the heavier.
double CostModel::nearest(const std::vector<Point>& points, const std::string& kind, const Point& at) const {
  struct Near {
    double distance, rate;
  };
  std::vector<Near> near;
  for (const Point& point : points) {
    const double dc = log_of(point.count) - log_of(at.count), ds = log_of(point.size) - log_of(at.size),
                 dw = log_of(point.width) - log_of(at.width);
    near.push_back({dc * dc + ds * ds + dw * dw,
                    std::log(point.seconds / std::max(work(kind, point.count, point.size, point.bytes), 1.0))});
  }
  const std::size_t few = std::min<std::size_t>(near.size(), 3);
  std::partial_sort(near.begin(), near.begin() + std::ptrdiff_t(few), near.end(),
                    [](const Near& a, const Near& b) { return a.distance < b.distance; });
  double weights = 0, sum = 0;
  for (std::size_t i = 0; i < few; ++i) {
    const double weight = 1 / (near[i].distance * near[i].distance + 1e-6);
    weights += weight;
    sum += weight * near[i].rate;
  }
  return std::exp(sum / weights) * std::max(work(kind, at.count, at.size, at.bytes), 1.0);
}

double CostModel::pass_seconds(const profile::Load& load) const {
  const double calls = double(std::max(load.calls, 1LL));
  const Point at{load.count, load.size, load.width, load.bytes / calls, 0};
  auto found = points_.find(load.kind);
  if (found == points_.end()) found = points_.find(load.kind.starts_with("map") ? "map" : "rows");
  if (found == points_.end()) return 0;
  const std::vector<Point>& points = found->second;
  if (found->first != "map") return std::max(nearest(points, load.kind, at), latency_);
  // Along one line of sizes: between two neighbours on logarithmic scales.
  std::size_t after = 1;
  while (after + 1 < points.size() && points[after].bytes < at.bytes) ++after;
  const Point &low = points[after - 1], &high = points[after];
  if (at.bytes <= low.bytes) return low.seconds;
  if (at.bytes >= high.bytes) return high.seconds * at.bytes / high.bytes;
  const double share = (log_of(at.bytes) - log_of(low.bytes)) / (log_of(high.bytes) - log_of(low.bytes));
  return std::exp((1 - share) * std::log(low.seconds) + share * std::log(high.seconds));
}

double CostModel::combined(double pass, double steps) const {
  if (hides_steps_) return std::max({pass, steps, latency_});
  const double memory = std::max(pass - latency_, 0.0);
  return std::min(pass, latency_) + std::pow(std::pow(memory, overlap) + std::pow(steps, overlap), 1 / overlap);
}

double CostModel::step_cost(const std::string& step, double elements) const {
  auto found = steps_.find(step);
  double factor = 1;
  if (found == steps_.end()) {  // another dtype of the same width
    const std::size_t space = step.rfind(' ');
    const Width width = width_of(step.substr(space + 1));
    factor = width.complex ? 4 : 1;
    const bool wide = width.bytes / (width.complex ? 2 : 1) > 4;
    found = steps_.find(step.substr(0, space) + (wide ? " float64" : " float32"));
    if (found == steps_.end()) found = steps_.find(wide ? "add float64" : "add float32");
    if (found == steps_.end()) return 0;
  }
  double many = found->second.many, cached = found->second.cached;
  if (hides_steps_) return factor * std::max(many, 0.0);
  if (reference_.size() < 2) return factor * std::max(elements > cached_elements && many >= 0 ? many : cached, 0.0);
  const auto reference = [&](double n) {
    auto high = reference_.lower_bound(n);
    if (high == reference_.end()) return reference_.rbegin()->second;
    if (high == reference_.begin()) return high->second;
    const auto low = std::prev(high);
    const double share = (log_of(n) - log_of(low->first)) / (log_of(high->first) - log_of(low->first));
    return std::exp((1 - share) * std::log(low->second) + share * std::log(high->second));
  };
  const double ratio = reference(many_elements) / reference(cached_elements);
  if (many < 0) many = cached * ratio;
  if (cached < 0) cached = many / ratio;
  const double at = std::log(reference(elements)), small = std::log(reference(cached_elements)),
               large = std::log(reference(many_elements));
  if (std::abs(large - small) < 0.1) return factor * std::sqrt(cached * many) * std::exp(at - (small + large) / 2);
  const double share = (at - small) / (large - small), inside = std::clamp(share, 0.0, 1.0);
  const double beyond = at - (small + inside * (large - small));  // what the reference changes by outside both
  return factor * std::exp((1 - inside) * std::log(cached) + inside * std::log(many) + beyond);
}

double CostModel::step_seconds(const profile::Load& load) const {
  const double elements = load.count * load.size;
  double seconds = 0;
  for (const auto& [step, times] : load.steps)
    if (!is_free(step)) seconds += times * step_cost(step, elements);
  return seconds;
}

void CostModel::learn_step(const std::string& step, const Sample& sample) {
  const double pass = pass_seconds(sample.load), elements = sample.load.count * sample.load.size;
  const double memory = std::max(pass - latency_, 0.0), whole = std::max(sample.seconds - latency_, memory);
  double seconds = std::pow(std::pow(whole, overlap) - std::pow(memory, overlap), 1 / overlap), times = 1;
  // What is not well above the pass is hidden behind it.
  if (hides_steps_) seconds = sample.seconds > 1.3 * std::max(pass, latency_) ? sample.seconds : 0;
  for (const auto& [other, count] : sample.load.steps) {
    if (other == step)
      times = count;
    else if (!is_free(other))
      seconds -= count * step_cost(other, elements);
  }
  const double cost = std::max(seconds / times, 1e-15);
  if (step.starts_with("tanh ")) {
    if (step == "tanh float32") reference_[elements] = cost;
    if (elements != cached_elements && elements != many_elements) return;
  }
  StepCost& known = steps_[step];
  double& place = elements <= cached_elements ? known.cached : known.many;
  if (place < 0) place = cost;
}

CostModel::CostModel(const DeviceCalibration& device) {
  const auto found = device.facts.find("shares host memory");
  hides_steps_ = found != device.facts.end() && found->second == "no";
  const auto only_free = [](const profile::Load& load) {
    return std::all_of(load.steps.begin(), load.steps.end(), [](const auto& step) { return is_free(step.first); });
  };
  const auto goes_again = [](const profile::Load& load) {
    return load.kind == "rows again" || load.kind.ends_with(" fused");
  };
  const auto add_point = [&](const Sample& sample, double seconds) {
    const profile::Load& load = sample.load;
    points_[load.kind].push_back({load.count, load.size, load.width, load.bytes, seconds});
  };
  for (const Sample& sample : device.samples)
    if (!is_program(sample.load.kind) || only_free(sample.load)) add_point(sample, sample.seconds);
  for (auto& [kind, points] : points_)
    std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.bytes < b.bytes; });
  if (const auto map = points_.find("map"); map != points_.end()) latency_ = map->second.front().seconds;
  for (const Sample& sample : device.samples) {
    if (!is_program(sample.load.kind) || only_free(sample.load) || goes_again(sample.load)) continue;
    const double elements = sample.load.count * sample.load.size;
    const std::string* unknown = nullptr;
    for (const auto& [step, times] : sample.load.steps) {
      if (is_free(step)) continue;
      const auto known = steps_.find(step);
      const bool measured = known != steps_.end() &&
                            (elements <= cached_elements ? known->second.cached : known->second.many) >= 0;
      if (!measured || step == "tanh float32") unknown = &step;
    }
    if (unknown) learn_step(*unknown, sample);
  }
  for (const Sample& sample : device.samples)
    if (goes_again(sample.load))
      add_point(sample, std::max(sample.seconds - step_seconds(sample.load), sample.seconds / 2));
}

std::optional<double> CostModel::seconds(const profile::Load& load) const {
  const double calls = double(std::max(load.calls, 1LL));
  if (is_program(load.kind)) {
    if (points_.empty()) return {};
    return combined(pass_seconds(load), step_seconds(load));
  }
  const Point at{load.count, load.size, load.width, load.bytes / calls, 0};
  if (const auto found = points_.find(load.kind); found != points_.end()) return nearest(found->second, load.kind, at);
  // The same verb of another dtype, by the width of its elements.
  std::istringstream words(load.kind);
  std::string verb, dtype, variant;
  words >> verb >> dtype;
  std::getline(words, variant);
  const Width width = width_of(dtype);
  if (verb == "partition" && !points_.contains("partition float32 values")) verb = "sort";  // then the core sorts
  for (const char* other : {"float32", "float64", "int64"}) {
    const auto found = points_.find(verb + " " + other + variant);
    if (found == points_.end() || width.bytes == 0) continue;
    return nearest(found->second, load.kind, at) * width.bytes / width_of(other).bytes * (width.complex ? 2 : 1);
  }
  return {};
}

}  // namespace tandem::bench
