#include "machine.hpp"

#include <sys/sysinfo.h>

#include <algorithm>
#include <fstream>

namespace tandem::cpu {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The number in a file of limits; without one ("max", no file) there is no limit.
std::int64_t limit_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t limit = 0;
  return file >> limit && limit > 0 ? limit : INT64_MAX;
}

/// The smallest limit of the control group, in version 1 or 2, and of those around it.
std::int64_t group_limit() {
  std::int64_t smallest = std::min(limit_in("/sys/fs/cgroup/memory.max"),
                                   limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const bool version2 = line.starts_with("0::"), version1 = line.find(":memory:") != line.npos;
    if (!version2 && !version1) continue;
    for (std::string group = line.substr(line.rfind(':') + 1); group.size() > 1; group.resize(group.rfind('/')))
      smallest = std::min(smallest, version2 ? limit_in("/sys/fs/cgroup" + group + "/memory.max")
                                             : limit_in("/sys/fs/cgroup/memory" + group + "/memory.limit_in_bytes"));
  }
  return smallest;
}

struct sysinfo system_information() {
  struct sysinfo information {};
  sysinfo(&information);
  return information;
}

}  // namespace

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (const auto colon = line.find(": "); line.starts_with("model name") && colon != line.npos)
      return line.substr(colon + 2);
  return "x86-64 processor";
}

std::int64_t machine_memory() {
  const struct sysinfo information = system_information();
  return std::min(std::int64_t(information.totalram) * std::int64_t(information.mem_unit), group_limit());
}

std::int64_t machine_swap() {
  const struct sysinfo information = system_information();
  return std::int64_t(information.totalswap) * std::int64_t(information.mem_unit);
}

std::string huge_pages() {
  const std::string modes = first_line("/sys/kernel/mm/transparent_hugepage/enabled");  // "always [madvise] never"
  const auto open = modes.find('['), close = modes.find(']');
  return open == modes.npos || close == modes.npos ? "never" : modes.substr(open + 1, close - open - 1);
}

}  // namespace tandem::cpu
