// What the layers are made of: one function for each verb, all of them instances of one template.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include <tandem/layer.h>

#include "../registry/verbs.hpp"

namespace tandem::detail {

/// A verb as a type: a layer overloads `call` for the verbs that it treats in a way of their own, and has one template
/// for all others.
template <Verb verb>
struct Tag {};

/// Whether a verb writes arrays.
template <Verb verb>
constexpr bool writes_arrays() {
  if (verb == Verb::run_program) return true;
  for (const Parameter& parameter : signatures[int(verb)].parameters)
    if (parameter.role != Role::in) return true;
  return false;
}

/// Base of a layer in front of one device.
class Layer {
 public:
  explicit Layer(td_layer& layer) : layer_(layer) {}

  const char* device_name() const noexcept { return layer_.device_name; }

  /// Calls the verb of what lies below.
  template <Verb verb, class... Arguments>
  auto forward(Tag<verb>, Arguments... arguments) const {
    return (layer_.inner->*verb_member<verb>)(layer_.device, arguments...);
  }
  const td_backend& inner() const noexcept { return *layer_.inner; }
  td_device* device() const noexcept { return layer_.device; }

 private:
  td_layer& layer_;
};

/// Fills an error's message.
[[gnu::format(printf, 3, 4)]] inline td_status refuse(td_error* error, td_status status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return status;
}

template <class Find, Verb verb, class Function>
struct Wrapped {  // device_count, open_device, describe: not about one device
  static void put(td_backend&) {}
};

template <class Find, Verb verb, class Result, class... Arguments>
struct Wrapped<Find, verb, Result (*)(td_device*, Arguments...)> {
  static Result call(td_device* device, Arguments... arguments) {
    try {
      return Find::of(device).call(Tag<verb>{}, arguments...);
    } catch (const std::bad_alloc&) {
      if constexpr (!std::is_void_v<Result>) return refuse(error_of(arguments...), TD_OUT_OF_MEMORY, "out of memory");
    } catch (const std::exception& problem) {
      if constexpr (!std::is_void_v<Result>)
        return refuse(error_of(arguments...), TD_INTERNAL, "%s", problem.what());
    }
  }
  static void put(td_backend& table) { table.*verb_member<verb> = call; }
};

/// Puts a layer's functions into a table. `Find::of(td_device*)` gives the layer in front of a device, which has
/// `call(Tag<verb>, arguments...)`.
template <class Find>
void wrap_all(td_backend& table) {
#define X(result, verb, arguments) Wrapped<Find, Verb::verb, decltype(table.verb)>::put(table);
  TD_ALL_VERBS(X, X)
#undef X
}

/// `of` of the layers whose verbs get a td_layer as their device.
template <class L>
L& layer_state(td_device* device) {
  return *static_cast<L*>(td_layer_of(device)->state);
}

}  // namespace tandem::detail
