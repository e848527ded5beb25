#include "page.hpp"

#include <nlohmann/json.hpp>

#include "comparison.hpp"

namespace tandem::bench {
namespace {

using nlohmann::json;

const char* const page_text =
#include "page_text.inc"
    ;

json optional_number(const std::optional<double>& number) { return number ? json(*number) : json(nullptr); }

json comparison_json(const DeviceCurves& base, const DeviceCurves& other) {
  json list = json::array();
  for (const ComparedCase& one : compare(base, other)) {
    json sizes = json::array();
    for (const Comparison& size : one.sizes)
      sizes.push_back({{"n", size.n}, {"base", size.base}, {"other", size.other}, {"there", size.there},
                       {"back", size.back}, {"speed_up", size.speed_up()},
                       {"with_transfers", size.speed_up_with_transfers()},
                       {"uses", optional_number(size.uses_to_pay())}});
    list.push_back({{"name", one.name}, {"what", one.what}, {"sizes", sizes},
                    {"break_even", optional_number(one.break_even)},
                    {"break_even_with_transfers", optional_number(one.break_even_with_transfers)}});
  }
  return {{"base", base.device}, {"other", other.device}, {"cases", list}};
}

}  // namespace

std::string bench_page(const Measurements& measured, const Measurements& recorded) {
  json data = json::parse(to_json(measured));
  data["comparisons"] = json::array();
  const DeviceCurves* const host = measured.find("cpu");
  for (json& device : data["devices"]) device["recorded"] = "";
  json others = json::parse(to_json(recorded))["devices"];
  for (json& device : others) {
    device["recorded"] = recorded.date;
    data["devices"].push_back(device);
  }
  for (const Measurements* const from : {&measured, &recorded})
    for (const DeviceCurves& device : from->devices)
      if (host && device.device != "cpu") data["comparisons"].push_back(comparison_json(*host, device));
  std::string page = page_text, text = data.dump();
  for (std::size_t at = 0; (at = text.find("</", at)) != text.npos;) text.replace(at, 2, "<\\/");  // ends no script
  constexpr std::string_view place = "/*DATA*/";
  return page.replace(page.find(place), place.size(), text);
}

}  // namespace tandem::bench
