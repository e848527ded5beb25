#include <algorithm>
#include <cstdio>
#include <sstream>
#include <utility>

#include "record.hpp"

namespace tandem::test {
namespace {

const Measured* find(const Record& record, const std::string& op, const std::string& dtype) {
  for (const Measured& row : record.rows)
    if (row.op == op && row.dtype == dtype) return &row;
  return nullptr;
}

std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", value < 10 ? 2 : 1, value);
  return text;
}

/// The text in lines of at most 120 characters, broken at blanks.
std::string paragraph(const std::string& text) {
  std::istringstream words(text);
  std::string lines, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > 120) lines += std::exchange(line, "") + "\n";
    line += (line.empty() ? "" : " ") + word;
  }
  return lines + line + "\n";
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// The largest error that a table would show as 0.50.
constexpr double half = 0.505;

enum class Errors { none, half, more };

/// What was found for an operation in all records together; nullptr if nothing.
struct Summary {
  const Measured* worst = nullptr;
  Errors errors = Errors::none;
};
Summary summary(const std::vector<Record>& records, const std::string& op, const std::string& dtype) {
  Summary result;
  for (const Record& record : records) {
    const Measured* found = find(record, op, dtype);
    if (found && (!result.worst || found->error > result.worst->error)) result.worst = found;
  }
  if (result.worst && result.worst->error > 0)
    result.errors = result.worst->error < half ? Errors::half : Errors::more;
  return result;
}

/// Operations of a dtype whose errors are of that kind, in the order of ops.def.
std::vector<std::string> operations(const std::vector<Record>& records, const std::string& dtype, Errors errors) {
  std::vector<std::string> list;
  for (const Row& row : rows) {
    const Summary found = summary(records, row.name, dtype);
    if (found.worst && found.errors == errors) list.push_back("`" + std::string(row.name) + "`");
  }
  return list;
}

/// Dtypes with the same operations of that kind of errors share a paragraph.
std::string paragraphs(const std::vector<Record>& records, std::vector<std::string> dtypes, Errors errors) {
  std::string text;
  while (!dtypes.empty()) {
    const std::vector<std::string> ops = operations(records, dtypes[0], errors);
    std::vector<std::string> alike;
    std::erase_if(dtypes, [&](const std::string& dtype) {
      const bool same = operations(records, dtype, errors) == ops;
      if (same) alike.push_back(dtype);
      return same;
    });
    if (!ops.empty()) text += "\n" + paragraph(listed(alike) + ": " + listed(ops) + ".");
  }
  return text;
}

std::string table(const std::vector<Record>& records, const std::string& dtype) {
  std::string text = "\n## " + dtype + "\n\n| function |", rule = "|---|", lines;
  for (const Record& record : records) {
    text += " " + record.facts.at("column") + " |";
    rule += "---|";
  }
  for (const Row& row : rows) {
    const Summary found = summary(records, row.name, dtype);
    if (found.errors != Errors::more) continue;
    lines += "| `" + std::string(row.name) + "` |";
    for (const Record& record : records) {
      const Measured* cell = find(record, row.name, dtype);
      lines += " " + (cell ? decimal(cell->error) : "") + " |";
    }
    char budget[32];
    std::snprintf(budget, sizeof budget, " %g |", found.worst->budget);
    lines += budget + (" `" + found.worst->worst) + "` |\n";
  }
  return lines.empty() ? "" : text + " budget | worst at |\n" + rule + "---|---|\n" + lines;
}

}  // namespace

std::string accuracy_page(const std::vector<Record>& records) {
  std::string text = "# Measured accuracy\n\n";
  text += paragraph(
      "Printed by `accuracy --page benchmarks/results`, a program of the [tests](../tests), from the records that its "
      "`--json` wrote. For each function of [ops.md](ops.md): the largest distance from a truth of higher precision "
      "that was found on each backend, in units in the last place of the result (ULP), its budget, and the call that was "
      "worst. A correctly rounded result has up to 0.5. Of complex results the unit is that of the modulus. A figure "
      "beyond a budget fails the tests.");
  text += "\n" + paragraph(
      "The inputs: half are uniform in the range of the function's row of [ops.def](../include/tandem/ops.def), the "
      "others of all sizes, near special points and close to one another; all numbers of float16 and bfloat16 for "
      "functions of one argument; NumPy's accuracy set. A sample finds errors and proves no bound.");
  text += "\n| column | machine | libraries | Tandem | date | command |\n|---|---|---|---|---|---|\n";
  for (const Record& record : records) {
    text += "|";
    for (const char* key : {"column", "machine", "libraries", "tandem", "date", "command"}) {
      const std::string& value = record.facts.at(key);
      text += value.empty() ? " |" : key == std::string("command") ? " `" + value + "` |" : " " + value + " |";
    }
    text += "\n";
  }
  const std::vector<std::string> dtypes = {"float32", "float64", "complex64", "complex128", "float16", "bfloat16"};
  for (const std::string& dtype : dtypes) text += table(records, dtype);
  text += "\n## Half a unit\n\nWithin 0.50 on all of these backends, which is what rounding costs.\n";
  text += paragraphs(records, dtypes, Errors::half);
  text += "\n## Exact\n\nNo bit differs from what IEEE 754 defines, on all of these backends.\n";
  return text + paragraphs(records, dtypes, Errors::none);
}

}  // namespace tandem::test
