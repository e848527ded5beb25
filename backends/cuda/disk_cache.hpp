// Compiled kernels on disk. Nothing here fails: what cannot be read or written is compiled again.
#pragma once

#include <string>

namespace tandem::cuda {

/// All that a compiled kernel depends on.
struct KernelKey {
  std::string source;
  std::string options;   // of the compiler, among them the architecture
  std::string compiler;  // its version

  /// One text that differs if any of them does.
  std::string text() const;
};

/// A folder of files, one per kernel. Several processes may use it at once: a file appears whole or not at all. What it
/// holds is code, so the folder is made for its owner alone, and one that others own or may write to is not used.
class DiskCache {
 public:
  /// An empty path is a cache that keeps nothing.
  explicit DiskCache(std::string folder) : folder_(std::move(folder)) {}

  const std::string& folder() const { return folder_; }

  /// The image that was stored under this key; false if there is none that is whole and of exactly this key.
  bool load(const KernelKey& key, std::string* image) const;
  /// Whether the image is on disk now.
  bool store(const KernelKey& key, const std::string& image) const;

  /// The name of a key's file in the folder. Different keys may share one: the last one stored is kept.
  static std::string file_name(const KernelKey& key);

 private:
  std::string folder_;
};

/// $TANDEM_CACHE_DIR if it is set, where empty means no cache; else $XDG_CACHE_HOME/tandem, else ~/.cache/tandem.
/// Relative paths are ignored. Empty if there is none.
std::string cache_folder();

}  // namespace tandem::cuda
