// The program `accuracy`: measures the worst error of every operation on a device, and prints docs/accuracy.md.
//   accuracy [--backend NAME] [--inputs N] [--only REGEX] [--json FILE]
//   accuracy --page FOLDER
// NAME is cpu, cuda, cuda:1, reference, ...; by default TANDEM_BACKEND decides. N is the number of random inputs of
// each operation and dtype. The page is made of the records in FOLDER, accuracy-*.json. Exit status 1: a budget of
// ops.def was exceeded; 77: there is no such device.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <regex>

#include "record.hpp"

namespace tandem::test {
namespace {

int usage() {
  std::fprintf(stderr,
               "usage: accuracy [--backend NAME] [--inputs N] [--only REGEX] [--json FILE]\n"
               "       accuracy --page FOLDER\n");
  return 2;
}

int print_page(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("accuracy-") && name.ends_with(".json")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Record> records;
  for (const auto& file : files) records.push_back(read_record(file));
  std::fputs(accuracy_page(records).c_str(), stdout);
  return 0;
}

struct Options {
  std::string only = ".", json;
  std::size_t inputs = 1'000'000;
};

int measure_all(const Options& options) {
  const std::regex only(options.only);
  Record record;
  int failures = 0;
  const auto start = std::chrono::steady_clock::now();
  for (const Row& row : rows) {
    if (!std::regex_search(row.name, only)) continue;
    for (Measured& found : measure(row, options.inputs)) {
      failures += !found.within_budget();
      std::printf("%-16s %-10s %8.3f of %g %s %s\n", found.op.c_str(), found.dtype.c_str(), found.error, found.budget,
                  found.within_budget() ? "" : "EXCEEDED", found.worst.c_str());
      std::fflush(stdout);
      record.rows.push_back(std::move(found));
    }
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("%d of %zu budgets exceeded; %.0f s\n", failures, record.rows.size(), seconds.count());
  if (!options.json.empty()) {
    record.facts = facts_here("accuracy --inputs " + std::to_string(options.inputs));
    write_record(options.json, record);
  }
  return failures == 0 ? 0 : 1;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() == 2 && arguments[0] == "--page") return print_page(arguments[1]);
  Options options;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    if (i + 1 == arguments.size()) return usage();
    const std::string &name = arguments[i], &value = arguments[i + 1];
    if (name == "--backend") setenv("TANDEM_BACKEND", value.c_str(), 1);
    else if (name == "--inputs") options.inputs = std::stoul(value);
    else if (name == "--only") options.only = value;
    else if (name == "--json") options.json = value;
    else return usage();
  }
  if (const int status = refuse(); status >= 0) return status;
  return measure_all(options);
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  try {
    return tandem::test::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "accuracy: %s\n", error.what());
    return 1;
  }
}
