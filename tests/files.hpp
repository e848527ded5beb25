// What the tests of files share: a folder for them, their bytes, and damaged versions of them.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "support.hpp"

namespace tandem::test {

/// A folder of its own that goes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tandem-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder " + name);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::ostringstream content;
  content << in.rdbuf();
  return content.str();
}

inline void write_file(const std::string& path, const std::string& content) {
  if (!(std::ofstream(path, std::ios::binary) << content << std::flush)) throw std::runtime_error("cannot write " + path);
}

/// A file in memory, with a path to open it by.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("tandem-test", MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  void write(const std::string& content) {
    if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, content.data(), content.size(), 0) != std::ssize(content))
      throw std::runtime_error("no file in memory");
  }

 private:
  int descriptor_;
};

/// Calls function(damaged, is_truncated) with every truncation of `bytes` to less than `depth` bytes, every value of
/// some bits and some values of all of the first `depth` bytes, and `random_count` random changes anywhere.
template <class Function>
void for_each_damage(const std::string& bytes, std::size_t depth, int random_count, Function&& function) {
  depth = std::min(depth, bytes.size());
  for (std::size_t length = 0; length < depth; ++length) function(bytes.substr(0, length), true);
  for (std::size_t at = 0; at < depth; ++at)
    for (const int change : {1, 2, 4, 8, 16, 32, 64, 128, 255, '\'' ^ bytes[at], ' ' ^ bytes[at], '9' ^ bytes[at]}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      function(damaged, false);
    }
  constexpr std::string_view likely = "0123456789()[]{},:'\"<>|LTF \n\\\xff";
  Random random(7);
  const auto position = [&](std::size_t below) {
    return static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(below) - 1));
  };
  for (int i = 0; i < random_count; ++i) {
    std::string damaged = bytes;
    for (std::int64_t changes = random.integer(1, 4); changes > 0; --changes) {
      const std::size_t at = position(random.uniform() < 0.8 ? std::min(depth, damaged.size()) : damaged.size());
      const auto length = static_cast<std::size_t>(random.integer(1, 8));
      switch (random.integer(0, 3)) {
        case 0: damaged[at] = static_cast<char>(random.bits()); break;
        case 1: damaged[at] = likely[position(likely.size())]; break;
        case 2: damaged.erase(at + 1, length); break;
        default: damaged.insert(at, bytes.substr(position(bytes.size()), length));
      }
    }
    function(damaged, false);
  }
}

}  // namespace tandem::test
