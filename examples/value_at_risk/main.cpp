// Value at risk of a portfolio of four stock indices, on every device of this machine: what each one computes, whether
// they agree to the last bit, and what the computation and the transfers took.
//
//     value_at_risk --weights 0.4,0.2,0.2,0.2 --scenarios 10000000 --days 10
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <tandem/tandem.hpp>

#include "compare.hpp"
#include "risk.hpp"

namespace fs = std::filesystem;
namespace td = tandem;

namespace {

constexpr const char* usage = R"(usage: value_at_risk [options]
  --weights W,W,...   share of each asset, sum 1 (default: equal)
  --scenarios N       simulated paths (default 4000000)
  --days N            days of a path (default 10)
  --seed N            of the random numbers (default 42)
  --chunk N           scenarios in memory at once (default 1048576); changes no result
  --backend NAME,...  devices to compute on, as cpu, cuda, cuda:1, reference (default: cpu and cuda if it works)
  --data FILE         CSV with a header, a column of dates and a column of daily closes per asset
  --csv FILE          writes figures and times there, one row per device and quantity
)";

/// A bad argument or file: exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::vector<double> weights;
  std::int64_t scenarios = 4'000'000, days = 10, seed = 42, chunk = 1 << 20;
  std::vector<std::string> backends;
  std::string data, csv;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  if (parts.empty() || text.back() == ',') parts.emplace_back();
  return parts;
}

template <class T> T number(const std::string& text, const std::string& what) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError(what + ": '" + text + "' is not a" + (std::is_integral_v<T> ? " whole number" : " number"));
  return value;
}

std::int64_t integer(const std::string& text, const std::string& what, std::int64_t lowest, std::int64_t highest) {
  const auto value = number<std::int64_t>(text, what);
  if (value < lowest || value > highest) {
    throw UsageError(what + ": " + text + " is not between " + std::to_string(lowest) + " and " +
                     std::to_string(highest));
  }
  return value;
}

Options parse(int argc, char** argv) {
  constexpr std::int64_t most_scenarios = 2'000'000'000;
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--help") {
      std::cout << usage;
      std::exit(0);
    }
    constexpr const char* known[] = {"--weights", "--scenarios", "--days", "--seed",
                                     "--chunk",   "--backend",   "--data", "--csv"};
    if (std::find(std::begin(known), std::end(known), name) == std::end(known))
      throw UsageError("unknown option '" + name + "'");
    if (i + 1 == argc) throw UsageError(name + " needs a value");
    const std::string value = argv[++i];
    if (name == "--weights") {
      for (const auto& part : split(value)) options.weights.push_back(number<double>(part, name));
    } else if (name == "--scenarios") {
      options.scenarios = integer(value, name, 1, most_scenarios);
    } else if (name == "--days") {
      options.days = integer(value, name, 1, 10'000);
    } else if (name == "--seed") {
      options.seed = integer(value, name, 0, INT64_MAX);
    } else if (name == "--chunk") {
      options.chunk = integer(value, name, 1, most_scenarios);
    } else if (name == "--backend") {
      options.backends = split(value);
    } else if (name == "--data") {
      options.data = value;
    } else {
      options.csv = value;
    }
  }
  return options;
}

/// The data file: in the install tree beside the program, else in the source tree.
fs::path find_data() {
  constexpr const char* file = "eustockmarkets.csv";
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (fs::path folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    const fs::path candidate = folder / "share/tandem/examples/data" / file;
    if (fs::exists(candidate, error)) return candidate;
  }
#ifdef TANDEM_EXAMPLES_DATA
  return fs::path(TANDEM_EXAMPLES_DATA) / file;
#else
  throw UsageError(std::string(file) + " is not in share/tandem/examples/data above the program; name it with --data");
#endif
}

struct Data {
  std::vector<std::string> assets;
  std::vector<std::vector<double>> closes;  // per asset
};

std::string unquoted(std::string text) {
  std::erase_if(text, [](char c) { return c == '"' || c == '\r'; });
  return text;
}

Data read_data(const fs::path& path) {
  std::ifstream in(path);
  const std::string name = path.string();
  std::string line;
  if (!in || !std::getline(in, line)) throw UsageError(name + ": cannot be read: " + std::strerror(errno));
  Data data;
  data.assets = split(unquoted(line));
  data.assets.erase(data.assets.begin());
  data.closes.resize(data.assets.size());
  for (int row = 2; std::getline(in, line); ++row) {
    const std::string where = name + ", line " + std::to_string(row);
    const auto cells = split(unquoted(line));
    if (cells.size() != data.assets.size() + 1)
      throw UsageError(where + ": " + std::to_string(cells.size()) + " columns where the header has " +
                       std::to_string(data.assets.size() + 1));
    for (std::size_t i = 0; i < data.assets.size(); ++i) {
      auto& closes = data.closes[i];
      const double close = number<double>(cells[i + 1], where);
      if (!(close > 0) || std::isinf(close)) throw UsageError(where + ": a close must be positive and finite");
      if (!closes.empty() && !(close > 0.6 * closes.back() && close < 1.6 * closes.back()))
        throw UsageError(where + ": " + data.assets[i] + " goes from " + std::to_string(closes.back()) + " to " +
                         std::to_string(close) + " in a day; changes beyond -40 % and +60 % are taken for errors");
      closes.push_back(close);
    }
  }
  if (data.assets.empty() || data.closes[0].size() < 4)
    throw UsageError(name + ": needs a column of dates, one of closes per asset and at least 4 days");
  return data;
}

risk::Model make_model(const Options& options, const Data& data) {
  risk::Model model;
  model.weights = options.weights;
  if (model.weights.empty()) model.weights.assign(data.assets.size(), 1.0 / static_cast<double>(data.assets.size()));
  if (model.weights.size() != data.assets.size())
    throw UsageError("--weights: " + std::to_string(model.weights.size()) + " weights for " +
                     std::to_string(data.assets.size()) + " assets");
  const double sum = std::accumulate(model.weights.begin(), model.weights.end(), 0.0);
  if (!(std::abs(sum - 1) <= 1e-9)) throw UsageError("--weights: the sum is " + std::to_string(sum) + ", not 1");
  for (const auto& closes : data.closes) model.prices.insert(model.prices.end(), closes.begin(), closes.end());
  model.scenarios = options.scenarios;
  model.days = static_cast<int>(options.days);
  model.seed = static_cast<std::uint64_t>(options.seed);
  model.chunk = options.chunk;
  return model;
}

std::string on_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

/// The devices to compute on. One that was asked for must work; of the default ones, a missing GPU is only reported.
std::vector<td::Device> choose_devices(const std::vector<std::string>& names) {
  if (!names.empty()) return {names.begin(), names.end()};
  std::vector<td::Device> devices{"cpu"};
  for (const td::BackendInfo& backend : td::backends()) {
    if (backend.name != "cuda") continue;
    if (backend.problem.empty() && !backend.devices.empty()) devices.emplace_back("cuda");
    else std::cout << "No column for a GPU: " << on_one_line(backend.problem) << "\n";
  }
  return devices;
}

struct Run {
  td::Device device;
  double first_seconds;  // of a short run before: includes what is compiled or loaded once
  risk::Result result;
};

struct Row {
  std::string name, unit;
  double (*value)(const Run& run, const Run& baseline);
};

double all_seconds(const Run& run) {
  return run.result.compute_seconds + run.result.to_device.seconds + run.result.to_host.seconds;
}

const std::vector<Row> risk_rows = {
    {"historical, 1 day: VaR 95 %", "%", [](const Run& r, const Run&) { return r.result.historical.var95; }},
    {"historical, 1 day: ES 95 %", "%", [](const Run& r, const Run&) { return r.result.historical.es95; }},
    {"historical, 1 day: VaR 99 %", "%", [](const Run& r, const Run&) { return r.result.historical.var99; }},
    {"historical, 1 day: ES 99 %", "%", [](const Run& r, const Run&) { return r.result.historical.es99; }},
    {"simulated, all days: VaR 95 %", "%", [](const Run& r, const Run&) { return r.result.simulated.var95; }},
    {"simulated, all days: ES 95 %", "%", [](const Run& r, const Run&) { return r.result.simulated.es95; }},
    {"simulated, all days: VaR 99 %", "%", [](const Run& r, const Run&) { return r.result.simulated.var99; }},
    {"simulated, all days: ES 99 %", "%", [](const Run& r, const Run&) { return r.result.simulated.es99; }},
};

const std::vector<Row> time_rows = {
    {"computation", "s", [](const Run& r, const Run&) { return r.result.compute_seconds; }},
    {"host to device", "s", [](const Run& r, const Run&) { return r.result.to_device.seconds; }},
    {"host to device", "MB", [](const Run& r, const Run&) { return 1e-6 * r.result.to_device.bytes; }},
    {"device to host", "s", [](const Run& r, const Run&) { return r.result.to_host.seconds; }},
    {"device to host", "MB", [](const Run& r, const Run&) { return 1e-6 * r.result.to_host.bytes; }},
    {"computation, first run", "s", [](const Run& r, const Run&) { return r.first_seconds; }},
};

// Against the first device.
const std::vector<Row> speed_up_rows = {
    {"computation alone", "x",
     [](const Run& r, const Run& b) { return b.result.compute_seconds / r.result.compute_seconds; }},
    {"with transfers", "x", [](const Run& r, const Run& b) { return all_seconds(b) / all_seconds(r); }},
};

void print_table(const char* title, const std::vector<Row>& rows, const std::vector<Run>& runs) {
  std::printf("\n%-40s", title);
  for (const Run& run : runs) std::printf("%14s", run.device.name().c_str());
  std::printf("\n");
  for (const Row& row : rows) {
    std::printf("  %-33s%5s", row.name.c_str(), row.unit.c_str());
    for (const Run& run : runs) std::printf("%14.6f", row.value(run, runs.front()));
    std::printf("\n");
  }
}

void write_csv(const std::string& path, const std::vector<Run>& runs) {
  std::ofstream out(path);
  out << "device,quantity,unit,value\n";
  for (const Run& run : runs) {
    for (const auto* rows : {&risk_rows, &time_rows, &speed_up_rows}) {
      for (const Row& row : *rows) {
        char value[40];
        std::snprintf(value, sizeof value, "%.17g", row.value(run, runs.front()));
        out << run.device.name() << ",\"" << (rows == &speed_up_rows ? "speed-up, " : "") << row.name << "\","
            << row.unit << "," << value << "\n";
      }
    }
  }
  if (!out.flush()) throw UsageError(path + ": cannot be written: " + std::strerror(errno));
}

void run_all(const Options& options) {
  const fs::path path = options.data.empty() ? find_data() : fs::path(options.data);
  const Data data = read_data(path);
  const risk::Model model = make_model(options, data);
  std::printf("%zu assets, %zu daily closes; %lld scenarios of %d days, seed %llu\n", data.assets.size(),
              data.closes[0].size(), static_cast<long long>(model.scenarios), model.days,
              static_cast<unsigned long long>(model.seed));
  for (std::size_t i = 0; i < data.assets.size(); ++i)
    std::printf("  %-8s weight %.4f\n", data.assets[i].c_str(), model.weights[i]);
  std::vector<Run> runs;
  for (const td::Device& device : choose_devices(options.backends)) {
    const double first = model.run(device).compute_seconds;  // with what is done once: libraries loaded, kernels compiled
    runs.push_back({device, first, model.run(device)});
  }
  print_table("Losses in percent of the portfolio", risk_rows, runs);
  print_table("Time", time_rows, runs);
  if (runs.size() > 1) print_table("Speed-up", speed_up_rows, runs);
  std::printf("\n");
  for (std::size_t i = 1; i < runs.size(); ++i) {
    std::cout << risk::agreement(runs[0].device.name(), runs[0].result.steps, runs[i].device.name(),
                                 runs[i].result.steps);
  }
  if (!options.csv.empty()) write_csv(options.csv, runs);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run_all(parse(argc, argv));
    return 0;
  } catch (const UsageError& error) {
    std::cerr << "value_at_risk: " << error.what() << "\n\n" << usage;
    return 2;
  } catch (const td::BackendUnavailable& error) {
    std::cerr << "value_at_risk: " << error.what() << "\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "value_at_risk: " << error.what() << "\n";
    return 1;
  }
}
