#include "missing_verbs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <utility>

#include "verbs.hpp"

namespace tandem::detail {
namespace {

/// A stand-in is a plain function, so what it says about its backend hangs on a number that it is compiled with.
constexpr int max_backends = 16;
std::string& description(int slot) {
  static auto& texts = *new std::array<std::string, max_backends>;
  return texts[std::size_t(slot)];
}

template <int slot, Verb verb, class Function>
struct Missing;

template <int slot, Verb verb, class... Arguments>
struct Missing<slot, verb, td_status (*)(Arguments...)> {
  static td_status call(Arguments... arguments) {
    td_error* error = error_of(arguments...);
    std::snprintf(error->message, sizeof error->message, "%s does not provide the verb %s", description(slot).c_str(),
                  name(verb));
    return TD_NOT_SUPPORTED;
  }
};

template <int slot, Verb verb, class... Arguments>
struct Missing<slot, verb, void (*)(Arguments...)> {
  static void call(Arguments...) {}
};

template <int slot>
void fill(td_backend& table) {
#define X(result, verb, arguments) \
  if (!table.verb) table.verb = Missing<slot, Verb::verb, decltype(table.verb)>::call;
  TD_ALL_VERBS(X, X)
#undef X
}

template <int... slots>
constexpr auto make_fillers(std::integer_sequence<int, slots...>) {
  return std::array{fill<slots>...};
}

}  // namespace

const td_backend* complete_table(const td_backend& table, const std::string& path) {
  static std::atomic<int> next{0};
  constexpr auto fillers = make_fillers(std::make_integer_sequence<int, max_backends>());
  const int slot = std::min(next.fetch_add(1), max_backends - 1);  // beyond that the last one's name is shown
  description(slot) = "backend " + std::string(table.name) + " (" + path + ")";
  auto* full = new td_backend{};
  std::memcpy(full, &table, std::min<std::size_t>(table.struct_size, sizeof *full));
  fillers[std::size_t(slot)](*full);
  return full;
}

}  // namespace tandem::detail
