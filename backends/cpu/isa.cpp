#include "isa.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "verbs.hpp"

namespace tandem::cpu {
namespace {

Isa best() noexcept {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return Isa::v4;
  return __builtin_cpu_supports("x86-64-v3") ? Isa::v3 : Isa::v2;
}

Isa capped() noexcept {
  const char* text = std::getenv("TANDEM_CPU_ISA");
  const std::string_view wanted = text ? text : "";
  for (const Isa level : {Isa::v2, Isa::v3, Isa::v4})
    if (wanted == name(level)) return std::min(level, best());
  if (!wanted.empty()) log(TD_LOG_WARNING, "TANDEM_CPU_ISA=%s is not v2, v3 or v4: ignored", text);
  return best();
}

}  // namespace

Isa isa() noexcept {
  static const Isa level = capped();
  return level;
}

const char* name(Isa level) noexcept {
  constexpr const char* names[] = {"v2", "v3", "v4"};
  return names[int(level)];
}

}  // namespace tandem::cpu
