// JSON as the core writes it.
#pragma once

#include <string>

namespace tandem::detail {

/// A text in quotes.
std::string json_text(const std::string& text);

}  // namespace tandem::detail
