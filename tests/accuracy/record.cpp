#include "record.hpp"

#include <gnu/libc-version.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <sstream>

#include <tandem/info.hpp>

namespace tandem::test {
namespace {

/// JSON has no infinity.
std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}
double to_number(const std::string& text) {
  return text == "null" ? std::numeric_limits<double>::infinity() : std::stod(text);
}

/// One string, word or bracket of JSON; commas and colons are skipped. Empty at the end.
std::string next_token(std::istream& in) {
  char c = 0;
  while (in.get(c) && (std::isspace(static_cast<unsigned char>(c)) || c == ',' || c == ':')) {
  }
  if (!in) return {};
  std::string token(1, c);
  if (c == '"') {
    in.unget();
    in >> std::quoted(token);
  } else if (!std::strchr("{}[]", c)) {
    while (in.get(c) && !std::isspace(static_cast<unsigned char>(c)) && !std::strchr(",:{}[]", c)) token += c;
    if (in) in.unget();
  }
  return token;
}

using Members = std::map<std::string, std::string>;

Measured measured(const Members& row) {
  return {row.at("op"), row.at("dtype"), to_number(row.at("ulp")), to_number(row.at("budget")),
          std::stoll(row.at("inputs")), row.at("worst")};
}

}  // namespace

std::map<std::string, std::string> facts_here(const std::string& command) {
  const Device device;
  std::string column(device.backend()), machine, libraries = std::string("glibc ") + gnu_get_libc_version();
  for (const BackendInfo& backend : backends()) {
    const bool here = backend.name == device.backend();
    for (const auto& [key, value] : backend.facts) {
      if (key == device.name() || (key == "processor" && machine.empty())) machine = value;  // the GPU, else the CPU
      if (!here) continue;
      if (key == "instruction set") column += " " + value.substr(value.rfind('-') + 1);
      // Behind a comma stands where the library was found.
      if (key == "runtime" || key == "driver" || key == "NVRTC")
        libraries += ", " + key + " " + value.substr(0, value.find(','));
    }
  }
  const std::time_t now = std::time(nullptr);
  char date[16];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  return {{"column", column},    {"machine", machine}, {"libraries", libraries},
          {"tandem", version()}, {"date", date},       {"command", command}};
}

void write_record(const std::filesystem::path& file, const Record& record) {
  std::ofstream out(file);
  out << "{\n";
  for (const auto& [key, value] : record.facts) out << std::quoted(key) << ": " << std::quoted(value) << ",\n";
  out << "\"rows\": [";
  const char* separator = "\n";
  for (const Measured& row : record.rows) {
    out << separator << "{\"op\": " << std::quoted(row.op) << ", \"dtype\": " << std::quoted(row.dtype)
        << ", \"ulp\": " << number(row.error) << ", \"budget\": " << number(row.budget)
        << ", \"inputs\": " << row.inputs << ", \"worst\": " << std::quoted(row.worst) << "}";
    separator = ",\n";
  }
  out << "\n]\n}\n";
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

Record read_record(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  Record record;
  std::vector<Members> rows;
  int depth = 0;
  for (std::string token = next_token(in); !token.empty(); token = next_token(in)) {
    if (token == "{" && ++depth == 2) rows.emplace_back();
    if (token == "}") --depth;
    if (std::strchr("{}[]", token[0])) continue;
    if (const std::string value = next_token(in); value != "[")
      (depth == 2 ? rows.back() : record.facts)[token] = value;
  }
  try {
    for (const Members& row : rows) record.rows.push_back(measured(row));
    if (record.facts.at("column").empty() || rows.empty()) throw std::runtime_error("no rows");
  } catch (const std::exception& error) {
    throw std::runtime_error(file.string() + " is not a record of accuracy: " + error.what());
  }
  return record;
}

}  // namespace tandem::test
