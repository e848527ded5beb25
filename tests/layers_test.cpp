// The layers, in processes of their own where TANDEM_LAYERS puts them.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <tandem/profile.hpp>

#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;

namespace {

const Probe work("work", [] {
  const td::Array x = td::ones({2, 3}).copy();
  return std::to_string(td::sum(td::matmul(x, x.T()) * 2).item<double>());
});

TEST(Layers, ChangeNoResult) {
  for (const char* layers : {"", "check", "profile", "trace:/dev/null", "profile,check,trace:/dev/null", "parity",
                             "check,parity:reference", "trace:/dev/null,profile,check:throw"})
    EXPECT_EQ(run_probe("work", {{"TANDEM_LAYERS", layers}}), "24.000000") << layers;
}

const Probe refused("refused", [] {
  try {
    return td::Device().name();
  } catch (const td::Error& error) {
    return std::string(error.what());
  }
});

TEST(Layers, MistakesAreNamed) {
  const auto message = [](const char* layers) { return run_probe("refused", {{"TANDEM_LAYERS", layers}}); };
  EXPECT_EQ(message("chek").find("Device: TANDEM_LAYERS=chek: there is no layer chek; Tandem has check, parity, "
                                 "profile, trace"), 0u);
  EXPECT_EQ(message("check,check"), "Device: TANDEM_LAYERS=check,check: the layer check stands there twice");
  EXPECT_EQ(message("check:x").find("Device: TANDEM_LAYERS: check has no option \"x\""), 0u);
}

const Probe info_probe("layers_info", [] { return td::info(); });
TEST(Layers, InfoShowsThem) {
  const std::string text = run_probe("layers_info", {{"TANDEM_LAYERS", "profile,parity:cpu,check"}});
  EXPECT_NE(text.find("\nlayer: profile\nlayer: parity:cpu\nlayer: check\n"), text.npos) << text;
}

template <class Function>
std::string said(Function&& function) {
  try {
    function();
  } catch (const td::Error& error) {
    return error.what();
  }
  return "nothing";
}
const Probe divides("divides", [] {
  return said([] { (td::array({1.0, 2.0}) / td::array({1.0, 0.0}) + 1).eval(); });
});
const Probe multiplies("multiplies", [] {
  return said([] { td::matmul(td::full({2, 2}, 1e300), td::full({2, 2}, 1e300)); });
});
const Probe unwritten("unwritten", [] { return said([] { (td::empty({3}) + 1).eval(); }); });

TEST(Check, NamesTheOperation) {
  const auto found = [](const char* probe) { return run_probe(probe, {{"TANDEM_LAYERS", "check:throw"}}); };
  EXPECT_NE(found("divides").find("check: divide of float64 made inf from 2, 0"), std::string::npos) << found("divides");
  EXPECT_NE(found("multiplies").find("check: the verb matmul made inf from finite numbers"), std::string::npos);
  EXPECT_NE(found("unwritten").find("that nobody has written"), std::string::npos);
}

TEST(Profile, ScopeCountsWhatRunsInIt) {
  const td::Array x = td::ones({100}).copy();
  td::profile::Report report;
  {
    const td::profile::Scope scope;
    td::exp(x).eval();
    td::exp(x).eval();
    report = scope.report();
  }
  const auto at = std::find_if(report.operations.begin(), report.operations.end(),
                               [](const auto& o) { return o.name == "exp (float64)"; });
  ASSERT_NE(at, report.operations.end()) << report.text();
  EXPECT_EQ(at->calls, 2);
  EXPECT_EQ(at->bytes, 2 * 1600);
  EXPECT_GT(at->device_seconds, 0);
  EXPECT_NE(report.html().find("exp (float64)"), std::string::npos);
  td::exp(x).eval();
  EXPECT_EQ(at->calls, 2);
}

TEST(Profile, LoadsSayWhatACallCosts) {
  const td::Array x = td::ones({20, 30}).copy(), y = td::ones({30, 40}).copy();
  td::profile::Report report;
  {
    const td::profile::Scope scope;
    td::matmul(x, y).eval();
    td::sum(td::exp(x) * 2, {.axis = 1}).eval();
    td::sort(x).eval();
    report = scope.report();
  }
  const auto load = [&](const std::string& kind) {
    const auto at = std::find_if(report.loads.begin(), report.loads.end(), [&](const auto& l) { return l.kind == kind; });
    return at == report.loads.end() ? td::profile::Load{} : *at;
  };
  EXPECT_EQ(load("matmul float64").calls, 1) << report.json();
  EXPECT_NEAR(load("matmul float64").size, std::cbrt(20 * 30 * 40), 1e-9);
  EXPECT_NEAR(load("matmul float64").width, 20 / std::cbrt(20 * 30 * 40), 1e-9);
  if (std::getenv("TANDEM_EAGER")) return;  // then each of them is a program
  const td::profile::Load rows = load("rows fused");
  EXPECT_EQ(rows.count, 20) << report.json();
  EXPECT_EQ(rows.size, 30);
  const std::vector<std::pair<std::string, double>> steps = {
      {"exp float64", 600}, {"multiply float64", 600}, {"sum float64", 600}};
  EXPECT_EQ(rows.steps, steps) << report.json();
  EXPECT_EQ(load("sort float64 values").count, 20) << report.json();
  EXPECT_NE(report.json().find("\"kind\": \"sort float64 values\""), std::string::npos);
}

}  // namespace
