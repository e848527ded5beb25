#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>

#include "environment.hpp"
#include "registry.hpp"

namespace tandem::detail {
namespace {

constexpr const char* level_names[] = {"error", "warning", "info", "debug"};

td_log_level threshold() {
  static const td_log_level level = [] {
    const std::string wanted = environment("TANDEM_LOG");
    for (std::size_t i = 0; i < std::size(level_names); ++i)
      if (wanted == level_names[i]) return td_log_level(i);
    if (!wanted.empty())
      std::fprintf(stderr, "tandem: warning: TANDEM_LOG=%s is none of error, warning, info, debug\n", wanted.c_str());
    return TD_LOG_WARNING;
  }();
  return level;
}

}  // namespace

std::string environment(const char* name) {
  const char* value = secure_getenv(name);  // a program with more rights than its caller takes no orders
  return value ? value : "";
}

void log(td_log_level level, const std::string& message) {
  if (level <= threshold()) std::fprintf(stderr, "tandem: %s: %s\n", level_names[level], message.c_str());
}

}  // namespace tandem::detail
