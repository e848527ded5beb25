// NVIDIA's run-time compiler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tandem/backend.h>

namespace tandem::cuda {

/// The compiler that was loaded.
struct CompilerInfo {
  int major = 0, minor = 0;
  std::string path;
};

/// Loads the compiler if that has not happened; TD_UNAVAILABLE if it cannot be.
td_status compiler_info(CompilerInfo* info, td_error* error);

/// What tells the compiler from others: its file's name, size and time. Loads it only if the file cannot be found
/// otherwise, which takes longer than anything else that a kernel on disk needs.
std::string compiler_identity();

/// What a source is compiled with.
struct Target {
  int architecture;  // 10 * major + minor
  bool portable;     // PTX, which the driver compiles for cards that this compiler does not know
};

/// How to compile for a card, given the architectures that the compiler knows, in ascending order: for the card itself,
/// else for an older one of its generation, else as PTX for the newest that is older; TD_UNAVAILABLE if the card is
/// older than all.
td_status choose_target(int architecture, const std::vector<int>& known, Target* target, td_error* error);

/// choose_target() for the compiler that was loaded.
td_status find_target(int architecture, Target* target, td_error* error);

/// The options of every compilation, and those of one for a target, in order.
std::vector<std::string> common_options();
std::vector<std::string> compiler_options(const Target& target);

/// Compiles; the image is a cubin, or PTX if the target is portable. The compiler's log is in the message if it fails.
td_status compile(std::string_view source, const Target& target, std::string* image, td_error* error);

}  // namespace tandem::cuda
