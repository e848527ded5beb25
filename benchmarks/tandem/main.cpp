// The command `tandem`.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <tandem/tandem.hpp>

#include "commands.hpp"

namespace {

struct Command {
  const char* name;
  const char* help;
  int (*run)(const std::vector<std::string>& arguments);
};

constexpr Command commands[] = {
    {"info", "info [--json]: backends found or why not, devices, libraries, environment", tandem::bench::info_command},
    {"ops", "ops: the table of elementwise operations and reductions, in Markdown", tandem::bench::ops_command},
    {"replay",
     "replay FILE [--backend NAME] [--parity NAME] or --levels: a call that the layer parity recorded, made again",
     tandem::bench::replay_command},
    {"bench",
     "bench [--device NAMES] [--only REGEX] [--budget SECONDS] [--from FILE] [--target FILE] [--json FILE] "
     "[--html FILE]: CPU or GPU, by operation and size\n"
     "  bench --yardstick [--device NAMES] [--json FILE] [--only REGEX] [--max-s SECONDS] [--small]",
     tandem::bench::bench_command},
    {"calibrate",
     "calibrate [--device NAMES] [--seconds SECONDS] [--json FILE] [--details]: measures what this machine's devices can do",
     tandem::bench::calibrate_command},
    {"explain",
     "explain [--target FILE] [--device NAME] [--here FILE] [--html FILE] -- PROGRAM [ARGUMENTS]: what it costs here and "
     "would cost on the other device",
     tandem::bench::explain_command},
    {"version", "version", tandem::bench::version_command},
};

int usage(std::FILE* out) {
  std::fprintf(out, "usage: tandem COMMAND\n\n");
  for (const Command& command : commands) std::fprintf(out, "  %s\n", command.help);
  return out == stdout ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return usage(stderr);
  const std::string name = argv[1];
  if (name == "--help" || name == "help") return usage(stdout);
  for (const Command& command : commands) {
    if (name != command.name) continue;
    try {
      return command.run({argv + 2, argv + argc});
    } catch (const std::exception& error) {
      std::fprintf(stderr, "tandem %s: %s\n", command.name, error.what());
      return 1;
    }
  }
  std::fprintf(stderr, "tandem: there is no command %s\n", name.c_str());
  return usage(stderr);
}
