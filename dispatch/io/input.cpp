#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <istream>

#include "../errors.hpp"
#include "bytes.hpp"

namespace tandem::detail {

void Place::fail(const std::string& text) const { detail::fail(function, name + ": " + text); }

void Place::fail_with_errno(const std::string& text) const { fail(text + ": " + std::strerror(errno)); }

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result = "'";
  for (char c : text.substr(0, longest)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > longest ? "...'" : "'");
}

void Reader::read_all_of(void* target, std::size_t count, const std::string& what) {
  if (const std::size_t got = read(target, count); got < count)
    place_.fail(what + " ends after " + std::to_string(got) + " of " + std::to_string(count) + " bytes");
}

std::size_t StreamReader::read(void* target, std::size_t count) {
  in_.read(static_cast<char*>(target), static_cast<std::streamsize>(count));
  const auto got = static_cast<std::size_t>(in_.gcount());
  if (in_.bad()) place().fail("cannot be read");
  return got;
}

std::optional<std::uint64_t> StreamReader::left() {
  if (!in_) return {};
  const auto here = in_.tellg();
  in_.seekg(0, std::ios::end);
  const auto end = in_.tellg();
  in_.clear(in_.rdstate() & ~std::ios::failbit);
  if (here == std::istream::pos_type(-1)) return {};
  in_.seekg(here);
  // Devices and generated files seek, but to an end at 0.
  if (end == std::istream::pos_type(-1) || end <= here) return {};
  return static_cast<std::uint64_t>(end - here);
}

Input::Input(Place place) : place_(std::move(place)) {
  descriptor_ = ::open(place_.name.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) place_.fail_with_errno("cannot be read");
  struct stat status;
  const int reason = ::fstat(descriptor_, &status) != 0 ? errno : S_ISDIR(status.st_mode) ? EISDIR : 0;
  if (reason != 0) {
    ::close(descriptor_);
    errno = reason;
    place_.fail_with_errno("cannot be read");
  }
  // Generated files, as in /proc, say that they are empty.
  if (S_ISREG(status.st_mode) && status.st_size > 0) size_ = static_cast<std::uint64_t>(status.st_size);
}

Input::Input(Place place, std::string content) : place_(std::move(place)), size_(content.size()), content_(std::move(content)) {}

Input::~Input() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t Input::read_at(std::uint64_t offset, void* target, std::size_t count) const {
  if (descriptor_ < 0) {
    if (offset >= content_.size()) return 0;
    count = std::min<std::size_t>(count, content_.size() - offset);
    std::memcpy(target, content_.data() + offset, count);
    return count;
  }
  std::size_t done = 0;
  while (done < count) {
    char* const to = static_cast<char*>(target) + done;
    const ssize_t got = size_ ? ::pread(descriptor_, to, count - done, static_cast<off_t>(offset + done))
                              : ::read(descriptor_, to, count - done);
    if (got == 0) break;
    if (got > 0) done += static_cast<std::size_t>(got);
    else if (errno != EINTR) place_.fail_with_errno("cannot be read");
  }
  return done;
}

std::shared_ptr<std::byte> Input::map(std::uint64_t begin, std::uint64_t end) const {
  if (descriptor_ < 0 || !size_ || begin >= end) return {};
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t first = begin / page * page;
  const std::size_t length = end - first;
  // Unreserved: a file may be larger than memory, since only pages that are written to take any.
  void* const base = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, descriptor_,
                            static_cast<off_t>(first));
  if (base == MAP_FAILED) return {};
  return {static_cast<std::byte*>(base) + (begin - first), [base, length](std::byte*) { ::munmap(base, length); }};
}

std::size_t InputReader::read(void* target, std::size_t count) {
  if (end_) count = std::min<std::uint64_t>(count, *end_ - position_);
  const std::size_t got = input_.read_at(position_, target, count);
  position_ += got;
  return got;
}

std::optional<std::uint64_t> InputReader::left() {
  if (!end_) return {};
  return *end_ - position_;
}

std::string read_rest(Reader& in) {
  std::string text;
  // A guess at most: a file may be shorter by now.
  std::size_t room = in.left().value_or(0) + (1 << 16);
  for (;;) {
    const std::size_t old = text.size();
    text.resize(old + room);
    const std::size_t got = in.read(text.data() + old, room);
    text.resize(old + got);
    if (got < room) return text;
    room = std::max(room, text.size());
  }
}

}  // namespace tandem::detail
