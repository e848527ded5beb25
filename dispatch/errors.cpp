#include "errors.hpp"

namespace tandem::detail {
namespace {

constinit thread_local const char* outermost = nullptr;

}  // namespace

FunctionName::FunctionName(const char* name) noexcept : name_(name), outermost_(!outermost) {
  if (outermost_) outermost = name;
}

FunctionName::~FunctionName() {
  if (outermost_) outermost = nullptr;
}

const char* speaker(const char* function) noexcept { return outermost ? outermost : function; }

std::string message(const char* function, const std::string& text) {
  return std::string(speaker(function)) + ": " + text;
}

}  // namespace tandem::detail
