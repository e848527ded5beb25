// Tables that are shorter than ours, or have empty slots.
#pragma once

#include <string>

#include <tandem/backend.h>

namespace tandem::detail {

/// A full table: the backend's verbs, and for those that it lacks functions that return TD_NOT_SUPPORTED and name the
/// verb, the backend and the file. Lives forever.
const td_backend* complete_table(const td_backend& table, const std::string& path);

}  // namespace tandem::detail
