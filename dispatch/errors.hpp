// Whose words a refusal is, and how it is thrown.
#pragma once

#include <string>

#include <tandem/error.hpp>

namespace tandem::detail {

/// The name of a function that is made of other public ones, declared in its first line. As long as it lives, what they
/// refuse on this thread is said in its name: a user who called trace hears of trace, not of the diagonal that it sums.
/// Nested ones change nothing, the outermost is what the user called. Costs two accesses to a thread's variable.
class FunctionName {
 public:
  explicit FunctionName(const char* name) noexcept;
  ~FunctionName();
  FunctionName(const FunctionName&) = delete;
  operator const char*() const noexcept { return name_; }

 private:
  const char* name_;
  bool outermost_;
};

/// What a refusal by `function` starts with: the name of the outermost FunctionName, or without one its own.
const char* speaker(const char* function) noexcept;

/// "function: text", where the function is its speaker.
std::string message(const char* function, const std::string& text);

/// Throws it.
template <class Exception = Error>
[[noreturn, gnu::cold, gnu::noinline]] void fail(const char* function, const std::string& text) {
  throw Exception(message(function, text));
}

}  // namespace tandem::detail
