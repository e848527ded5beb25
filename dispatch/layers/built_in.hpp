// The layers that come with the core.
#pragma once

#include <string>

#include <tandem/layer.h>

namespace tandem::detail {

struct BuiltInLayer {
  const char* name;
  /// Fills the table and the layer's state; throws Error for options that it does not have.
  void (*wrap)(td_layer& layer, const std::string& options, td_backend& table);
};

void wrap_check(td_layer& layer, const std::string& options, td_backend& table);
void wrap_parity(td_layer& layer, const std::string& options, td_backend& table);
void wrap_profile(td_layer& layer, const std::string& options, td_backend& table);
void wrap_trace(td_layer& layer, const std::string& options, td_backend& table);

inline constexpr BuiltInLayer built_in_layers[] = {
    {"check", wrap_check}, {"parity", wrap_parity}, {"profile", wrap_profile}, {"trace", wrap_trace}};

}  // namespace tandem::detail
