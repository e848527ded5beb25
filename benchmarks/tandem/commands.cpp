#include "commands.hpp"

#include <cstdio>

#include "dispatch/program/ops.hpp"

namespace tandem::bench {
namespace {

std::string dtype_text(int types) {
  std::string text;
  const auto append = [&](int bit, const char* name) {
    if (types & bit) text += (text.empty() ? "" : ", ") + std::string(name);
  };
  append(detail::TD_B, "bool");
  append(detail::TD_I, "integer");
  append(detail::TD_F, "float");
  append(detail::TD_C, "complex");
  return text;
}

const char* result_text(int rule) {
  switch (rule) {
    case detail::TD_SAME: return "same";
    case detail::TD_REAL: return "real part's";
    case detail::TD_COMPLEX: return "complex";
    case detail::TD_INDEX: return "int64";
    default: return "bool";
  }
}

/// Text for a cell of a Markdown table.
std::string cell(const char* text) {
  std::string out;
  for (; *text; ++text) {
    if (*text == '|') out += '\\';
    out += *text;
  }
  return out;
}

void print_levels() {
  std::printf(
      "# What backends must agree on\n\n"
      "Printed by `tandem replay --levels` from the table that the layer parity uses ([layers.md](layers.md)). The "
      "result of each\nverb of [backend.h](../include/tandem/backend.h) that writes arrays, on two backends from the "
      "same inputs. eps is the\ndistance from 1 to the next number of the dtype (float16 and bfloat16 products: of "
      "float32), "
      "|a| Frobenius' norm, max|a|\nthe largest modulus, a_j a column.\n\n"
      "| verb | agreement |\n|---|---|\n");
  for (const parity::Level& level : parity::levels())
    std::printf("| `%s` | %s |\n", level.verb.c_str(), cell(level.agreement.c_str()).c_str());
}

}  // namespace

int info_command(const std::vector<std::string>& arguments) {
  const bool json = arguments.size() == 1 && arguments[0] == "--json";
  if (!arguments.empty() && !json) {
    std::fprintf(stderr, "usage: tandem info [--json]\n");
    return 2;
  }
  std::fputs(info(json).c_str(), stdout);
  return 0;
}

int replay_command(const std::vector<std::string>& arguments) {
  if (arguments == std::vector<std::string>{"--levels"}) {
    print_levels();
    return 0;
  }
  parity::ReplayOptions options;
  std::string file;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string* target = arguments[i] == "--backend" ? &options.backend
                          : arguments[i] == "--parity" ? &options.parity
                                                       : nullptr;
    if (target && i + 1 < arguments.size()) {
      *target = arguments[++i];
    } else if (!target && file.empty() && !arguments[i].starts_with("--")) {
      file = arguments[i];
    } else {
      file.clear();
      break;
    }
  }
  if (file.empty()) {
    std::fprintf(stderr, "usage: tandem replay FILE [--backend NAME] [--parity NAME]\n       tandem replay --levels\n");
    return 2;
  }
  const parity::Replay replay = parity::replay(file, options);
  std::fputs(replay.text.c_str(), stdout);
  return replay.agrees ? 0 : 1;
}

int version_command(const std::vector<std::string>&) {
  std::printf("tandem %s\n", version());
  return 0;
}

int ops_command(const std::vector<std::string>&) {
  std::printf(
      "# Operations\n\n"
      "Printed by `tandem ops` from [ops.def](../include/tandem/ops.def). A function called with other dtypes promotes "
      "first:\nbool and integers to the float that holds them. The last column is the accuracy budget for float32 and "
      "float64 in units in\nthe last place; 0 means correctly rounded and the same bits on every backend. What was "
      "measured is in\n[accuracy.md](accuracy.md).\n\n"
      "## Elementwise\n\n"
      "| function | arguments | dtypes | result | what it computes | ULP |\n|---|---|---|---|---|---|\n");
  for (const detail::OpRow& row : detail::op_rows)
    std::printf("| `%s` | %d | %s | %s | %s | %d |\n", row.name, row.arity, dtype_text(row.types).c_str(),
                result_text(row.result), cell(row.doc).c_str(), row.ulp);
  std::printf("\n## Reductions\n\n| function | dtypes | result | what it computes |\n|---|---|---|---|\n");
  for (const detail::ReductionRow& row : detail::reduction_rows)
    std::printf("| `%s` | %s | %s | %s |\n", row.name, dtype_text(row.types).c_str(), result_text(row.result),
                cell(row.doc).c_str());
  return 0;
}

}  // namespace tandem::bench
