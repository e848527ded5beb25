// The subcommands of `tandem`; each returns an exit status.
#pragma once

#include <string>
#include <vector>

#include "yardstick.hpp"

namespace tandem::bench {

/// `tandem bench`: every case on every device beside the CPU, see cases.hpp; with --yardstick run_yardstick.
int bench_command(const std::vector<std::string>& arguments);
/// `tandem calibrate`: measures the devices and keeps what explain needs.
int calibrate_command(const std::vector<std::string>& arguments);
/// `tandem explain -- PROGRAM`: what a program costs here and would cost on another device.
int explain_command(const std::vector<std::string>& arguments);
int info_command(const std::vector<std::string>& arguments);
int ops_command(const std::vector<std::string>& arguments);
int replay_command(const std::vector<std::string>& arguments);
int version_command(const std::vector<std::string>& arguments);

}  // namespace tandem::bench
