#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "arguments.hpp"
#include "commands.hpp"
#include "explanation.hpp"
#include "timing.hpp"

namespace tandem::bench {
namespace {

/// Runs a program under the layer profile; what it writes goes where our own output goes.
struct Run {
  profile::Report report;
  double wall = 0;
};
Run run_profiled(const std::vector<std::string>& command) {
  const auto folder = std::filesystem::temp_directory_path();
  std::string file = (folder / "tandem-explain-XXXXXX.json").string();
  const int descriptor = mkstemps(file.data(), 5);
  if (descriptor < 0) throw std::runtime_error("cannot make a file in " + folder.string());
  close(descriptor);
  const auto begin = Clock::now();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) {
    const char* layers = std::getenv("TANDEM_LAYERS");
    const std::string own = "profile:" + file;
    setenv("TANDEM_LAYERS", (layers && *layers ? std::string(layers) + "," + own : own).c_str(), 1);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    std::fprintf(stderr, "tandem explain: cannot run %s: %s\n", words[0], std::strerror(errno));
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  Run run;
  run.wall = seconds_since(begin);
  const bool ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  const bool wrote = std::filesystem::file_size(file) > 0;
  if (wrote) run.report = read_report(file);
  std::filesystem::remove(file);
  if (!ended)
    throw std::runtime_error(command[0] + (WIFEXITED(status) ? " ended with " + std::to_string(WEXITSTATUS(status))
                                                             : " was ended by signal " + std::to_string(WTERMSIG(status))));
  if (!wrote || run.report.loads.empty())
    throw std::runtime_error(command[0] + " computed nothing with Tandem");
  return run;
}

/// The calibration that comes with the library.
std::string recorded_file() {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  const auto installed = program.parent_path().parent_path() / "share/tandem/results" / TANDEM_CALIBRATION;
  if (std::filesystem::exists(installed)) return installed.string();
  return TANDEM_RESULTS "/" TANDEM_CALIBRATION;
}

}  // namespace

int explain_command(const std::vector<std::string>& arguments) {
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  std::string target, own, page, device;
  read_arguments({arguments.begin(), separator},
                 {{"--target", [&](const std::string& value) { target = value; }},
                  {"--device", [&](const std::string& value) { device = value; }},
                  {"--here", [&](const std::string& value) { own = value; }},
                  {"--html", [&](const std::string& value) { page = value; }}},
                 {});
  if (separator == arguments.end() || separator + 1 == arguments.end())
    throw std::runtime_error("what is to be run? tandem explain [OPTIONS] -- PROGRAM [ARGUMENTS]");
  const std::vector<std::string> command(separator + 1, arguments.end());
  const bool explicit_own = !own.empty();
  if (!explicit_own) own = calibration_file();
  std::optional<Calibration> here, there;
  if (explicit_own || std::filesystem::exists(own)) here = read_calibration(own);
  if (!target.empty()) there = read_calibration(target);
  const Run run = run_profiled(command);
  const std::string main = main_device(run.report);
  std::string program;
  for (const std::string& word : command) program += (program.empty() ? "" : " ") + word;
  // The other device: of the file that was named, of this machine, or of the machine that was recorded.
  const auto other_of = [&](const Calibration& calibration) -> const DeviceCalibration* {
    for (const DeviceCalibration& one : calibration.devices)
      if (device.empty() ? one.device != main : one.device == device) return &one;
    return nullptr;
  };
  std::string origin;
  const DeviceCalibration* other = there ? other_of(*there) : here ? other_of(*here) : nullptr;
  if (!other && !there) there = read_calibration(recorded_file()), other = other_of(*there);
  if (!other) throw std::runtime_error("the calibration has no device " + (device.empty() ? "beside " + main : device));
  if (there) origin = "as measured on " + there->date + (target.empty() ? "; " TANDEM_CALIBRATION : " in " + target);
  const Explanation explanation = explain(run.report, run.wall, program, here ? here->find(main) : nullptr, *other, origin);
  std::fflush(stdout);
  std::printf("\n%s", explanation_text(explanation, run.report).c_str());
  if (!here)
    std::printf("`tandem calibrate` measures this machine (20 s): then predictions are checked here, and other sizes told\n");
  if (!page.empty()) write_text(page, explanation_page(explanation, run.report));
  return 0;
}

}  // namespace tandem::bench
