#include "explanation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <map>

#include "comparison.hpp"
#include "workloads.hpp"

namespace tandem::bench {
namespace {

[[gnu::format(printf, 1, 2)]] std::string format(const char* text, ...) {
  char buffer[1024];
  va_list arguments;
  va_start(arguments, text);
  std::vsnprintf(buffer, sizeof buffer, text, arguments);
  va_end(arguments);
  return buffer;
}

bool crosses(const std::string& kind) { return kind == "copy host to device" || kind == "copy device to host"; }

/// The same call with arrays `factor` times as large.
profile::Load scaled(profile::Load load, double factor) {
  const std::string verb = load.kind.substr(0, load.kind.find(' '));
  const bool matrices = verb == "matmul" || verb == "cholesky" || verb == "lu" || verb == "solve" || verb == "qr" ||
                        verb == "svd" || verb == "eigh" || verb == "eig";
  if (matrices && load.count > 1)
    load.count *= factor;
  else
    load.size *= matrices ? std::sqrt(factor) : factor;
  load.bytes *= factor;
  for (auto& step : load.steps) step.second *= factor;
  return load;
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

Errors errors_of(const std::vector<Prediction>& checks) {
  std::vector<double> errors;
  for (const Prediction& check : checks) errors.push_back(std::abs(check.predicted / check.measured - 1));
  if (errors.empty()) return {};
  std::sort(errors.begin(), errors.end());
  return {errors[errors.size() / 2], errors[std::min(errors.size() - 1, errors.size() * 9 / 10)]};
}

double Explanation::measured() const {
  double sum = 0;
  for (const ExplainedOperation& operation : operations) sum += operation.there ? operation.measured : 0;
  return sum;
}
double Explanation::predicted_here() const {
  double sum = 0;
  for (const ExplainedOperation& operation : operations) sum += operation.there ? operation.here.value_or(0) : 0;
  return sum;
}
double Explanation::predicted_there() const {
  double sum = 0;
  for (const ExplainedOperation& operation : operations) sum += operation.there.value_or(0);
  return sum;
}
double Explanation::transfers_there() const {
  double sum = 0;
  for (const ExplainedOperation& operation : operations) sum += operation.transfer ? operation.there.value_or(0) : 0;
  return sum;
}
double Explanation::not_predicted() const {
  double sum = 0;
  for (const ExplainedOperation& operation : operations) sum += operation.there ? 0 : operation.measured;
  return sum;
}

std::string main_device(const profile::Report& report) {
  std::map<std::string, double> seconds;
  for (const profile::Load& load : report.loads) seconds[load.device] += load.device_seconds;
  const auto most = std::max_element(seconds.begin(), seconds.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == seconds.end() ? "" : most->first;
}

Explanation explain(const profile::Report& report, double wall, const std::string& program, const DeviceCalibration* here,
                    const DeviceCalibration& there, const std::string& there_origin) {
  Explanation result;
  result.program = program;
  result.here = main_device(report);
  result.there = there.device;
  result.there_origin = there_origin;
  result.wall = wall;
  result.start_there = there.start;
  result.errors_there = errors_of(there.checks);
  result.calibrated_here = here != nullptr;
  if (here) result.errors_here = errors_of(here->checks);
  const CostModel other(there);
  std::optional<CostModel> own;
  if (here) own.emplace(*here);
  std::map<std::string, ExplainedOperation> operations;
  for (const profile::Load& load : report.loads) {
    if (load.device != result.here) continue;
    ExplainedOperation& operation = operations[load.operation];
    const double calls = double(load.calls);
    if (operation.calls == 0) {
      operation.name = load.operation;
      operation.transfer = crosses(load.kind);
      operation.there = 0;
      if (own) operation.here = 0;
    }
    operation.calls += load.calls;
    operation.bytes += load.bytes;
    operation.measured += load.device_seconds;
    const auto add = [&](std::optional<double>& sum, const std::optional<double>& one) {
      if (sum && one)
        *sum += *one * calls;
      else
        sum.reset();
    };
    add(operation.there, other.seconds(load));
    if (own) add(operation.here, own->seconds(load));
  }
  for (auto& [name, operation] : operations) result.operations.push_back(operation);
  std::sort(result.operations.begin(), result.operations.end(), [](const auto& a, const auto& b) {
    return std::max(a.measured, a.there.value_or(0)) > std::max(b.measured, b.there.value_or(0));
  });
  // How the answer changes with size: both sides predicted, so that they are alike in what they leave out.
  if (own)
    for (double factor = 1.0 / 64; factor <= 1024; factor *= 4) {
      double a = 0, b = 0;
      for (const profile::Load& load : report.loads) {
        if (load.device != result.here) continue;
        const profile::Load large = scaled(load, factor);
        const auto one = own->seconds(large), two = other.seconds(large);
        if (!one || !two) continue;
        a += *one * double(load.calls);
        b += *two * double(load.calls);
      }
      if (b > 0) result.scaled.emplace_back(factor, a / b);
    }
  return result;
}

std::string verdict(const Explanation& e) {
  const double a = e.measured(), b = e.predicted_there();
  if (a <= 0 || b <= 0) return "There is nothing to compare: no operation of the program can be predicted.";
  const double ratio = a / b;
  const std::string faster = ratio > 1 ? e.there : e.here;
  const double factor = ratio > 1 ? ratio : 1 / ratio;
  if (factor < 1.2) return format("No difference that counts: within a factor of %.2f.", factor);
  std::string text = format("%s: its operations take %.1f times less time than on %s.", faster.c_str(), factor,
                            (ratio > 1 ? e.here : e.there).c_str());
  const double rest = std::max(e.wall - a, 0.0);
  if (rest > a)
    text += format(" But %.0f %% of the program's %s is spent outside of them, and would stay.", 100 * share(rest, e.wall),
                   seconds_text(e.wall).c_str());
  else if (ratio > 1 && e.start_there > a - b)
    text += format(" But one run saves %s, and %s needs %s to start: it pays for programs that run longer.",
                   seconds_text(a - b).c_str(), e.there.c_str(), seconds_text(e.start_there).c_str());
  return text;
}

std::vector<std::string> advice(const Explanation& e, const profile::Report& report) {
  std::vector<std::string> list;
  const double there = e.predicted_there(), transfers = e.transfers_there(), here = e.measured();
  if (share(transfers, there) > 0.2) {
    double here_transfers = 0;
    for (const ExplainedOperation& operation : e.operations) here_transfers += operation.transfer ? operation.measured : 0;
    list.push_back(format("stay resident: transfers are %.0f %% of the time on %s; without any the speed-up would be %s "
                          "instead of %s",
                          100 * share(transfers, there), e.there.c_str(),
                          ratio_text((here - here_transfers) / (there - transfers)).c_str(), ratio_text(here / there).c_str()));
  }
  const auto flips = std::find_if(e.scaled.begin(), e.scaled.end(),
                                  [&](const auto& at) { return at.first > 1 && here / there < 1.2 && at.second > 1.2; });
  if (flips != e.scaled.end())
    list.push_back(format("batch: with arrays %.0f times as large the speed-up would be %s", flips->first,
                          ratio_text(flips->second).c_str()));
  const auto small = std::find_if(e.scaled.begin(), e.scaled.end(),
                                  [&](const auto& at) { return at.first < 1 && here / there > 1.2 && at.second > 1; });
  if (small != e.scaled.end() && small->first < 1)
    list.push_back(format("it stays the faster one down to arrays of a %.0fth of their size", 1 / small->first));
  long long calls = 0, passes = 0;
  for (const ExplainedOperation& operation : e.operations) calls += operation.calls;
  std::string reasons;
  for (const auto& [reason, count] : report.flushes) {
    passes += count;
    reasons += (reasons.empty() ? "" : ", ") + reason + " " + std::to_string(count);
  }
  if (calls > 0 && here / double(calls) < 20e-6)
    list.push_back(format("fuse: a call takes %s on the average, most of which is the price of any call; programs ran "
                          "because of %s (docs/fusion.md)",
                          seconds_text(here / double(calls)).c_str(), reasons.c_str()));
  return list;
}

std::string explanation_text(const Explanation& e, const profile::Report& report) {
  std::string text = format("%s\n\n%s\n", e.program.c_str(), verdict(e).c_str());
  for (const std::string& line : advice(e, report)) text += "  - " + line + "\n";
  text += format("\n%10s %12s %12s %12s %9s  %s\n", "calls", e.here.c_str(), e.calibrated_here ? "predicted" : "",
                 e.there.c_str(), "speed-up", "operation");
  const auto seconds = [](const std::optional<double>& s) { return s ? seconds_text(*s) : std::string("?"); };
  std::size_t shown = 0;
  double rest_measured = 0, rest_there = 0;
  for (const ExplainedOperation& operation : e.operations) {
    if (shown == 16) {
      rest_measured += operation.measured;
      rest_there += operation.there.value_or(0);
      continue;
    }
    ++shown;
    text += format("%10lld %12s %12s %12s %9s  %s\n", operation.calls, seconds_text(operation.measured).c_str(),
                   e.calibrated_here ? seconds(operation.here).c_str() : "", seconds(operation.there).c_str(),
                   operation.there && *operation.there > 0 ? ratio_text(operation.measured / *operation.there).c_str() : "",
                   operation.name.substr(0, 60).c_str());
  }
  if (e.operations.size() > shown)
    text += format("%10s %12s %12s %12s %9s  %zu more\n", "", seconds_text(rest_measured).c_str(), "",
                   seconds_text(rest_there).c_str(), "", e.operations.size() - shown);
  text += format("%10s %12s %12s %12s %9s  all operations\n", "", seconds_text(e.measured()).c_str(),
                 e.calibrated_here ? seconds_text(e.predicted_here()).c_str() : "", seconds_text(e.predicted_there()).c_str(),
                 e.predicted_there() > 0 ? ratio_text(e.measured() / e.predicted_there()).c_str() : "");
  text += format("\nof these on %s transfers %s; start of %s %s, once; the whole program took %s here\n", e.there.c_str(),
                 seconds_text(e.transfers_there()).c_str(), e.there.c_str(), seconds_text(e.start_there).c_str(),
                 seconds_text(e.wall).c_str());
  if (e.not_predicted() > 0)
    text += format("not predicted, and left out: operations of %s here\n", seconds_text(e.not_predicted()).c_str());
  if (!e.there_origin.empty()) text += e.there + " is " + e.there_origin + "\n";
  if (e.calibrated_here)
    text += format("error of this prediction where it can be checked, on %s: %+.0f %%\n", e.here.c_str(),
                   100 * (e.predicted_here() / e.measured() - 1));
  text += format("errors on programs that calibration has not seen, median and 90th percentile: %s %.0f %% and %.0f %%",
                 e.there.c_str(), 100 * e.errors_there.median, 100 * e.errors_there.ninth);
  if (e.calibrated_here)
    text += format("; %s %.0f %% and %.0f %%", e.here.c_str(), 100 * e.errors_here.median, 100 * e.errors_here.ninth);
  return text + "\n";
}

std::string explanation_page(const Explanation& e, const profile::Report& report) {
  const auto escaped = [](const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    return out;
  };
  const double longest = [&] {
    double most = 1e-12;
    for (const ExplainedOperation& operation : e.operations)
      most = std::max({most, operation.measured, operation.there.value_or(0)});
    return most;
  }();
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Tandem: CPU or GPU?</title>\n<style>\n"
      ":root { color-scheme: light dark; --a: #d95f02; --b: #1b9e77; }\n"
      "body { font-family: system-ui, sans-serif; margin: 1.2em auto; max-width: 60em; padding: 0 1em; }\n"
      ".verdict { font-size: 1.25em; }\n.operation { margin: 0.9em 0; }\n.bar { height: 0.7em; min-width: 2px; }\n"
      ".here { background: var(--a); } .there { background: var(--b); }\n"
      ".name { overflow-wrap: anywhere; }\n.small { opacity: 0.75; font-size: 0.9em; }\n"
      ".key::before { content: '\\25A0'; margin-right: 0.3em; } .key.h::before { color: var(--a); } "
      ".key.t::before { color: var(--b); }\n</style></head><body>\n";
  page += "<h1>CPU or GPU?</h1>\n<p class=\"name small\">" + escaped(e.program) + "</p>\n<p class=\"verdict\">" +
          escaped(verdict(e)) + "</p>\n<ul>\n";
  for (const std::string& line : advice(e, report)) page += "<li>" + escaped(line) + "</li>\n";
  page += "</ul>\n<p><span class=\"key h\">" + escaped(e.here) + ", measured</span> &nbsp; <span class=\"key t\">" +
          escaped(e.there) + ", predicted</span></p>\n";
  for (const ExplainedOperation& operation : e.operations) {
    page += "<div class=\"operation\"><div class=\"name\">" + escaped(operation.name) +
            format(" <span class=\"small\">%lld calls</span></div>", operation.calls);
    page += format("<div class=\"bar here\" style=\"width:%.2f%%\"></div>", 100 * operation.measured / longest);
    if (operation.there) page += format("<div class=\"bar there\" style=\"width:%.2f%%\"></div>", 100 * *operation.there / longest);
    page += "<div class=\"small\">" + seconds_text(operation.measured) + " here, " +
            (operation.there ? seconds_text(*operation.there) + " there" : "not predicted there") + "</div></div>\n";
  }
  page += "<h2>How far to trust this</h2>\n<p>";
  if (e.calibrated_here)
    page += format("The same prediction for %s, where the program ran, is %+.0f %% off. ", e.here.c_str(),
                   100 * (e.predicted_here() / e.measured() - 1));
  page += format("Of programs that calibration has not seen half are predicted within %.0f %% on %s, nine of ten within "
                 "%.0f %%.</p>\n",
                 100 * e.errors_there.median, e.there.c_str(), 100 * e.errors_there.ninth);
  if (!e.scaled.empty()) {
    page += "<h2>With arrays of other sizes</h2>\n<p>Predicted speed-up of " + escaped(e.there) + ":</p>\n<ul>\n";
    for (const auto& [factor, ratio] : e.scaled)
      page += format("<li>%s of these sizes: %s</li>\n",
                     factor < 1 ? format("1/%.0f", 1 / factor).c_str() : format("%.0f times", factor).c_str(),
                     ratio_text(ratio).c_str());
    page += "</ul>\n";
  }
  return page + "</body></html>\n";
}

}  // namespace tandem::bench
