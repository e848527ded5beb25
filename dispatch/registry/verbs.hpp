// The verbs as data: their names, and what backend.h says about each of their parameters. Whoever treats all verbs alike
// is written over these, so that a new verb needs no other edit.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <tandem/backend.h>

namespace tandem::detail {

enum class Verb {
#define X(result, verb, arguments) verb,
  TD_ALL_VERBS(X, X)
#undef X
      count
};

inline constexpr const char* verb_names[] = {
#define X(result, verb, arguments) #verb,
    TD_ALL_VERBS(X, X)
#undef X
};
constexpr const char* name(Verb verb) noexcept { return verb_names[int(verb)]; }

/// A verb's place in the table.
template <Verb verb>
inline constexpr int verb_member = 0;
#define X(result, verb, arguments) \
  template <>                      \
  inline constexpr auto verb_member<Verb::verb> = &td_backend::verb;
TD_ALL_VERBS(X, X)
#undef X

enum class Role : std::uint8_t { in, out, inout };

struct Parameter {
  std::string_view name;
  Role role = Role::in;
  bool counted = false;  // an array as long as the parameter before it says
};

constexpr int max_parameters = 12;
struct Signature {
  std::array<Parameter, max_parameters> parameters{};
  int size = 0;
};

/// Reads a parameter list as backend.h has it: "(td_device * device, const td_view* a, TD_OUT const td_view* c, ...)".
constexpr Signature parse_signature(std::string_view text) {
  Signature result;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    std::string_view one = text.substr(0, comma);
    text = comma == text.npos ? std::string_view() : text.substr(comma + 1);
    Parameter& parameter = result.parameters[std::size_t(result.size++)];
    if (one.find("TD_INOUT ") != one.npos)
      parameter.role = Role::inout;
    else if (one.find("TD_OUT ") != one.npos)
      parameter.role = Role::out;
    parameter.name = one.substr(one.find_last_of(" *") + 1);
    if (result.size > 1) {
      const std::string_view before = result.parameters[std::size_t(result.size - 2)].name;
      parameter.counted = before.starts_with("n_") && before.substr(2) == parameter.name;
    }
  }
  return result;
}

inline constexpr Signature signatures[] = {
#define X(result, verb, arguments) parse_signature(#arguments),
    TD_ALL_VERBS(X, X)
#undef X
};

/// Whether a verb that takes views says which it writes.
constexpr bool says_what_it_writes(std::string_view text, const Signature& signature) {
  if (text.find("td_view") == text.npos) return true;
  for (int i = 0; i < signature.size; ++i)
    if (signature.parameters[std::size_t(i)].role != Role::in) return true;
  return false;
}
#define X(result, verb, arguments)                                           \
  static_assert(says_what_it_writes(#arguments, signatures[int(Verb::verb)]), \
                "mark what " #verb " writes by TD_OUT in backend.h");
TD_ALL_VERBS(X, X)
#undef X

/// Calls function(const td_view&, const Parameter&) for each array among a verb's arguments behind the device; those that
/// are NULL are left out.
template <Verb verb, class Function, class... Arguments>
void for_each_view(Function&& function, Arguments... arguments) {
  [[maybe_unused]] std::int64_t previous = 0;
  int at = 1;
  [[maybe_unused]] const auto visit = [&](auto argument) {
    [[maybe_unused]] const Parameter& parameter = signatures[int(verb)].parameters[std::size_t(at++)];
    if constexpr (std::same_as<decltype(argument), const td_view*>) {
      const std::int64_t n = !argument ? 0 : parameter.counted ? previous : 1;
      for (std::int64_t i = 0; i < n; ++i) function(argument[i], parameter);
    }
    if constexpr (std::integral<decltype(argument)>) previous = argument;
  };
  (visit(arguments), ...);
}

/// The last argument of a verb that returns a status.
template <class... Arguments>
td_error* error_of(Arguments... arguments) {
  td_error* error = nullptr;
  ((void)[&] {
    if constexpr (std::same_as<Arguments, td_error*>) error = arguments;
  }(), ...);
  return error;
}

}  // namespace tandem::detail
