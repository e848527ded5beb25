#include "disk_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace tandem::cuda {
namespace {

// A file: the magic, the key's length, the image's length, the key's text, the image, a checksum of all before it.
constexpr std::string_view magic = "tandem kernel 2\n";
constexpr off_t largest_file = off_t{256} << 20;

/// As FNV-1a of 64 bits, but eight bytes at a time, whose upper bits must be brought down.
std::uint64_t hash(std::string_view text, std::uint64_t start = 0xcbf29ce484222325u) {
  for (std::size_t at = 0; at < text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, std::min<std::size_t>(8, text.size() - at));
    start = (start ^ word) * 0x100000001b3u;
    start ^= start >> 29;
  }
  return start ^ text.size();
}

void append(std::string* text, std::uint64_t number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  text->append(bytes, sizeof bytes);
}

std::string contents(const std::string& key, const std::string& image) {
  std::string text(magic);
  text.reserve(magic.size() + 24 + key.size() + image.size());
  append(&text, key.size());
  append(&text, image.size());
  text += key;
  text += image;
  append(&text, hash(text));
  return text;
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }
  bool close() {
    const int number = std::exchange(number_, -1);
    return number < 0 || ::close(number) == 0;
  }

 private:
  int number_;
};

/// Whether the file is this user's and nobody else may write it.
bool is_ours(const struct stat& status) {
  return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

Descriptor open_folder(const std::string& path) {
  Descriptor folder(path.empty() ? -1 : open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status;
  if (folder && (fstat(folder.number(), &status) != 0 || !is_ours(status))) folder.close();
  return folder;
}

void make_folders(const std::string& path) {
  for (std::size_t end = 1; end != path.npos;) {
    end = path.find('/', end + 1);
    (void)mkdir(path.substr(0, end).c_str(), 0700);
  }
}

bool read_file(int folder, const std::string& name, std::string* text) {
  const Descriptor file(openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status;
  if (!file || fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode) || !is_ours(status)) return false;
  if (status.st_size > largest_file) return false;
  text->resize(std::size_t(status.st_size));
  for (std::size_t done = 0; done < text->size();) {
    const ssize_t count = read(file.number(), text->data() + done, text->size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += std::size_t(count);
  }
  return true;
}

bool write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += std::size_t(count);
  }
  return true;  // what a crash may leave behind is no image by its checksum
}

}  // namespace

std::string KernelKey::text() const {
  std::string text;
  for (const std::string* part : {&compiler, &options, &source}) {
    append(&text, part->size());
    text += *part;
  }
  return text;
}

std::string DiskCache::file_name(const KernelKey& key) {
  const std::string text = key.text();
  char name[64];
  std::snprintf(name, sizeof name, "%016llx%016llx.kernel", static_cast<unsigned long long>(hash(text)),
                static_cast<unsigned long long>(hash(text, 0x6c62272e07bb0142u)));
  return name;
}

bool DiskCache::load(const KernelKey& key, std::string* image) const {
  const Descriptor folder = open_folder(folder_);
  std::string found;
  if (!folder || !read_file(folder.number(), file_name(key), &found)) return false;
  const std::string wanted = key.text();
  const std::size_t begin = magic.size() + 2 * sizeof(std::uint64_t) + wanted.size();
  if (found.size() < begin + sizeof(std::uint64_t)) return false;
  std::string rest = found.substr(begin, found.size() - begin - sizeof(std::uint64_t));
  if (found != contents(wanted, rest)) return false;
  *image = std::move(rest);
  return true;
}

bool DiskCache::store(const KernelKey& key, const std::string& image) const {
  static std::atomic<unsigned> count{0};
  if (folder_.empty()) return false;
  make_folders(folder_);
  const Descriptor folder = open_folder(folder_);
  if (!folder) return false;
  const std::string name = file_name(key);
  const std::string temporary =
      name + "." + std::to_string(getpid()) + "." + std::to_string(count.fetch_add(1)) + ".temporary";
  Descriptor file(
      openat(folder.number(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return false;
  const bool written = write_all(file.number(), contents(key.text(), image));
  if (file.close() && written && renameat(folder.number(), temporary.c_str(), folder.number(), name.c_str()) == 0)
    return true;
  (void)unlinkat(folder.number(), temporary.c_str(), 0);
  return false;
}

std::string cache_folder() {
  if (const char* folder = secure_getenv("TANDEM_CACHE_DIR")) return folder[0] == '/' ? folder : "";
  if (const char* caches = secure_getenv("XDG_CACHE_HOME"); caches != nullptr && caches[0] == '/')
    return std::string(caches) + "/tandem";
  const char* home = secure_getenv("HOME");
  return home != nullptr && home[0] == '/' ? std::string(home) + "/.cache/tandem" : "";
}

}  // namespace tandem::cuda
