// What the operating system says about the machine.
#pragma once

#include <cstdint>
#include <string>

namespace tandem::cpu {

/// As /proc/cpuinfo names it.
std::string processor_name();

/// Bytes of memory that this process may use: that of the machine or, in a container, of its control group.
std::int64_t machine_memory();

/// Bytes of swap space.
std::int64_t machine_swap();

/// When the kernel uses huge pages: "always", "madvise" or "never".
std::string huge_pages();

}  // namespace tandem::cpu
