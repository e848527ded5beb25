// Statistics, reductions without NaN, numerical methods.
#include "calls.hpp"

namespace td = tandem;

namespace tandem::test::replay {
namespace {

td::ReduceOptions reduction(const Arguments& a) { return {.axis = a.axes(1), .keepdims = a.flag(2)}; }
td::RowOptions rows(const Arguments& a) { return {.axis = a.axes(1), .keepdims = a.flag(2)}; }
td::VarOptions variance(const Arguments& a) {
  return {.axis = a.axes(1), .correction = a.real(3), .keepdims = a.flag(2)};
}
td::CumulativeOptions cumulative(const Arguments& a) { return {.axis = a.optional_axis(1)}; }

td::QuantileOptions quantile_options(const Arguments& a) {
  return {.axis = a.axes(2), .keepdims = a.flag(3),
          .method = a.choice<td::QuantileMethod>(
              4, {"inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen",
                  "weibull", "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint",
                  "nearest"})};
}

td::ConvolveMode mode(const Arguments& a, std::size_t i) {
  return a.choice<td::ConvolveMode>(i, {"full", "same", "valid"});
}

}  // namespace

void add_statistics(Functions& f) {
  f["quantile"].call = [](const Arguments& a) {
    return Results{a.is_list(1) ? td::quantile(a.array(0), a.reals(1), quantile_options(a))
                                : td::quantile(a.array(0), a.real(1), quantile_options(a))};
  };
  f["percentile"].call = [](const Arguments& a) {
    return Results{a.is_list(1) ? td::percentile(a.array(0), a.reals(1), quantile_options(a))
                                : td::percentile(a.array(0), a.real(1), quantile_options(a))};
  };
  f["nanquantile"].call = [](const Arguments& a) {
    return Results{a.is_list(1) ? td::nanquantile(a.array(0), a.reals(1), quantile_options(a))
                                : td::nanquantile(a.array(0), a.real(1), quantile_options(a))};
  };
  f["nanpercentile"].call = [](const Arguments& a) {
    return Results{a.is_list(1) ? td::nanpercentile(a.array(0), a.reals(1), quantile_options(a))
                                : td::nanpercentile(a.array(0), a.real(1), quantile_options(a))};
  };
  f["median"].call = GIVES(td::median(a.array(0), rows(a)));
  f["ptp"].call = GIVES(td::ptp(a.array(0), rows(a)));
  f["average"].call = GIVES(
      td::average(a.array(0), {.axis = a.axes(1), .weights = a.optional_array(3), .keepdims = a.flag(2)}));
  f["cov"].call = GIVES(td::cov(a.array(0), {.rowvar = a.flag(1), .correction = a.real(2)}));
  f["corrcoef"].call = GIVES(td::corrcoef(a.array(0), {.rowvar = a.flag(1)}));
  f["histogram"].call = [](const Arguments& a) {
    td::HistogramOptions options{.weights = a.optional_array(3), .density = a.flag(4)};
    if (a.has(2)) options.range = std::pair(a.reals(2).at(0), a.reals(2).at(1));
    const td::Operand bins = a.operand(1);
    const auto [counts, edges] = bins.is_array() ? td::histogram(a.array(0), bins.array(), options)
                                                 : td::histogram(a.array(0), a.integer(1), options);
    return Results{counts, edges};
  };
  f["bincount"].call =
      GIVES(td::bincount(a.array(0), {.weights = a.optional_array(1), .minlength = a.integer(2)}));
  f["digitize"].call = GIVES(td::digitize(a.array(0), a.array(1), {.right = a.flag(2)}));

  f["nansum"].call = GIVES(td::nansum(a.array(0), reduction(a)));
  f["nanprod"].call = GIVES(td::nanprod(a.array(0), reduction(a)));
  f["nanmax"].call = GIVES(td::nanmax(a.array(0), reduction(a)));
  f["nanmin"].call = GIVES(td::nanmin(a.array(0), reduction(a)));
  f["nanargmax"].call = GIVES(td::nanargmax(a.array(0), reduction(a)));
  f["nanargmin"].call = GIVES(td::nanargmin(a.array(0), reduction(a)));
  f["nanmean"].call = GIVES(td::nanmean(a.array(0), reduction(a)));
  f["nanvar"].call = GIVES(td::nanvar(a.array(0), variance(a)));
  f["nanstd"].call = GIVES(td::nanstd(a.array(0), variance(a)));
  f["nanmedian"].call = GIVES(td::nanmedian(a.array(0), rows(a)));
  f["nancumsum"].call = GIVES(td::nancumsum(a.array(0), cumulative(a)));
  f["nancumprod"].call = GIVES(td::nancumprod(a.array(0), cumulative(a)));
  for (const char* name : {"ptp", "nansum", "nanmax", "nanmin", "median", "nanmedian", "quantile", "percentile",
                           "nanquantile", "nanpercentile"})
    f[name].zeros_alike = true;

  f["convolve"].call = GIVES(td::convolve(a.array(0), a.array(1), {.mode = mode(a, 2)}));
  f["correlate"].call = GIVES(td::correlate(a.array(0), a.array(1), {.mode = mode(a, 2)}));
  for (const char* name : {"convolve", "correlate"}) f[name].zeros_alike = true;
  f["interp"].call = [](const Arguments& a) {
    const auto end = [&](std::size_t i) { return a.has(i) ? std::optional(a.scalar(i)) : std::nullopt; };
    return Results{td::interp(a.array(0), a.array(1), a.array(2), {.left = end(3), .right = end(4)})};
  };
  f["trapezoid"].call =
      GIVES(td::trapezoid(a.array(0), {.x = a.optional_array(1), .dx = a.real(2), .axis = a.axis(3)}));
  f["gradient"].call = GIVES(td::gradient(
      a.array(0), {.x = a.optional_array(1), .dx = a.real(2), .axis = a.optional_axis(3), .edge_order = a.axis(4)}));
  f["polyval"].call = GIVES(td::polyval(a.array(0), a.array(1)));
  f["softmax"].call = GIVES(td::softmax(a.array(0), {.axis = a.axes(1)}));
  f["log_softmax"].call = GIVES(td::log_softmax(a.array(0), {.axis = a.axes(1)}));
  f["logsumexp"].call = GIVES(td::logsumexp(a.array(0), rows(a)));
  f["allclose"].call = GIVES(Array(
      td::allclose(a.operand(0), a.operand(1), {.rtol = a.real(2), .atol = a.real(3), .equal_nan = a.flag(4)})));
  f["isclose_to"] = {.call = GIVES(td::isclose(a.operand(0), a.operand(1),
                                               {.rtol = a.real(2), .atol = a.real(3), .equal_nan = a.flag(4)})),
                     .says = {"isclose"}};
  f["array_equal"].call = GIVES(Array(td::array_equal(a.array(0), a.array(1), {.equal_nan = a.flag(2)})));
}

}  // namespace tandem::test::replay
