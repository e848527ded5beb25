// What a machine measured, as a JSON file, and the page of the documentation that is made of such files.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "measure.hpp"

namespace tandem::test {

struct Record {
  /// "column" is the heading of its column: the backend, for the CPU with the instruction set. The others tell what was
  /// measured: "tandem", "date", "machine", "libraries", "command".
  std::map<std::string, std::string> facts;
  std::vector<Measured> rows;
};

/// The facts about the default device, the program and the day.
std::map<std::string, std::string> facts_here(const std::string& command);

/// Both throw std::runtime_error that names the file if it cannot be written, read or understood.
void write_record(const std::filesystem::path& file, const Record& record);
Record read_record(const std::filesystem::path& file);

/// docs/accuracy.md; columns in the order of the records.
std::string accuracy_page(const std::vector<Record>& records);

}  // namespace tandem::test
