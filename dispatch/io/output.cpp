#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <utility>

#include "bytes.hpp"

namespace tandem::detail {
namespace {

/// Calls write(data, count) until everything has been written; throws Error.
template <class Write> void write_fully(const Place& place, const void* data, std::size_t count, Write&& write) {
  const char* from = static_cast<const char*>(data);
  while (count > 0) {
    const ssize_t written = write(from, count);
    if (written < 0) {
      if (errno == EINTR) continue;
      place.fail_with_errno("cannot be written");
    }
    from += written;
    count -= static_cast<std::size_t>(written);
  }
}

}  // namespace

void Output::write(const void* data, std::size_t count) {
  if (count == 0) return;
  append(data, count);
  position_ += count;
}

StreamOutput::StreamOutput(Place place, std::ostream& out) : Output(std::move(place)), out_(out), start_(out.tellp()) {}

void StreamOutput::append(const void* data, std::size_t count) {
  if (!out_.write(static_cast<const char*>(data), static_cast<std::streamsize>(count))) place().fail("cannot be written");
}

void StreamOutput::patch(std::uint64_t offset, const void* data, std::size_t count) {
  if (start_ < 0 || !out_.seekp(start_ + static_cast<std::int64_t>(offset))) place().fail("cannot seek");
  append(data, count);
  if (!out_.seekp(start_ + static_cast<std::int64_t>(position()))) place().fail("cannot seek");
}

void StreamOutput::finish() {
  if (!out_.flush()) place().fail("cannot be written");
}

FileOutput::FileOutput(Place place) : Output(std::move(place)), target_(this->place().name) {
  struct stat status;
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISREG(status.st_mode)) {
    // What a link points to is replaced, not the link.
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(target_.c_str(), nullptr), &std::free);
    if (!real) this->place().fail_with_errno("cannot be written");
    if (::access(real.get(), W_OK) != 0) this->place().fail_with_errno("cannot be written");
    target_ = real.get();
    open_temporary(status.st_mode & 0777);
  } else if (!exists && ::lstat(target_.c_str(), &status) != 0) {
    open_temporary(0666);
  } else {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) this->place().fail_with_errno("cannot be written");
  }
}

void FileOutput::open_temporary(unsigned mode) {
  static std::atomic<unsigned> counter{0};
  const std::size_t slash = target_.rfind('/');
  if (slash + 1 == target_.size()) {
    errno = target_.empty() ? ENOENT : EISDIR;
    place().fail_with_errno("cannot be written");
  }
  const std::string folder = slash == std::string::npos ? "" : target_.substr(0, slash + 1);
  do {
    temporary_ = folder + ".tandem-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) {
    temporary_.clear();
    place().fail_with_errno("cannot be written");
  }
}

FileOutput::~FileOutput() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileOutput::append(const void* data, std::size_t count) {
  write_fully(place(), data, count, [&](const char* from, std::size_t n) { return ::write(descriptor_, from, n); });
}

void FileOutput::patch(std::uint64_t offset, const void* data, std::size_t count) {
  write_fully(place(), data, count, [&](const char* from, std::size_t n) {
    const ssize_t written = ::pwrite(descriptor_, from, n, static_cast<off_t>(offset));
    if (written > 0) offset += static_cast<std::uint64_t>(written);
    return written;
  });
}

void FileOutput::finish() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) place().fail_with_errno("cannot be written");
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) place().fail_with_errno("cannot be written");
  temporary_.clear();
}

}  // namespace tandem::detail
