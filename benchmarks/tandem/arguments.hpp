// What commands share in reading their arguments and in what they write.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <tandem/tandem.hpp>

namespace tandem::bench {

/// What to do with the value of each option, and with each switch, by name. Throws std::runtime_error, naming the
/// argument, for others, for missing values and for what a handler throws.
void read_arguments(const std::vector<std::string>& arguments,
                    const std::map<std::string, std::function<void(const std::string&)>>& options,
                    const std::map<std::string, std::function<void()>>& switches = {});

/// "cpu,cuda" as devices; all that work here but the reference if it is empty.
std::vector<Device> devices_of(const std::string& names);

/// A number above 0. Throws std::runtime_error for others.
double positive_number(const std::string& text);

/// Writes a file. Throws std::runtime_error, naming it, if that fails.
void write_text(const std::string& file, const std::string& text);

/// Shows how far a long command is, on one line of a terminal; elsewhere nothing. An empty `next` clears it.
void show_progress(double share, const std::string& next);

}  // namespace tandem::bench
