// Files and streams as sequences of bytes; their errors name the function and the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

namespace tandem::detail {

/// Who reads or writes what: the start of messages, "load: unit.npy: ...".
struct Place {
  const char* function;
  std::string name;
  [[noreturn]] void fail(const std::string& text) const;
  /// "cannot be read: No such file or directory", from errno.
  [[noreturn]] void fail_with_errno(const std::string& text) const;
};

/// Text from a file for a message: shortened, without control characters.
std::string quoted(std::string_view text);

/// Bytes from a beginning to an end.
class Reader {
 public:
  explicit Reader(Place place) : place_(std::move(place)) {}
  Reader(const Reader&) = delete;
  virtual ~Reader() = default;
  /// Reads up to `count` bytes; fewer only at the end.
  virtual std::size_t read(void* target, std::size_t count) = 0;
  /// How many bytes are left, where that can be known without reading them.
  virtual std::optional<std::uint64_t> left() = 0;
  /// Reads `count` bytes; throws Error, naming `what` is incomplete, if the end comes first.
  void read_all_of(void* target, std::size_t count, const std::string& what);
  const Place& place() const noexcept { return place_; }

 private:
  Place place_;
};

/// What is left of a stream. Its length is known if it can seek.
class StreamReader final : public Reader {
 public:
  StreamReader(Place place, std::istream& in) : Reader(std::move(place)), in_(in) {}
  std::size_t read(void* target, std::size_t count) override;
  std::optional<std::uint64_t> left() override;

 private:
  std::istream& in_;
};

/// A file to read, or bytes in memory in its place.
class Input {
 public:
  /// Opens the file; throws Error.
  explicit Input(Place place);
  Input(Place place, std::string content);
  Input(const Input&) = delete;
  ~Input();
  const Place& place() const noexcept { return place_; }
  /// Bytes in all; unknown for what is no regular file and can only be read from its beginning on.
  std::optional<std::uint64_t> size() const noexcept { return size_; }
  /// Reads up to `count` bytes from there; fewer only at the end.
  std::size_t read_at(std::uint64_t offset, void* target, std::size_t count) const;
  /// The bytes [begin, end) in memory without reading them now, or null if that is impossible. Writing to them changes
  /// neither the file nor another mapping.
  std::shared_ptr<std::byte> map(std::uint64_t begin, std::uint64_t end) const;

 private:
  Place place_;
  int descriptor_ = -1;
  std::optional<std::uint64_t> size_;
  std::string content_;
};

/// The bytes [begin, end) of an input; `end` is unset for all that come.
class InputReader final : public Reader {
 public:
  explicit InputReader(const Input& input) : Reader(input.place()), input_(input), end_(input.size()) {}
  InputReader(const Input& input, const Place& place, std::uint64_t begin, std::uint64_t end)
      : Reader(place), input_(input), position_(begin), end_(end) {}
  std::size_t read(void* target, std::size_t count) override;
  std::optional<std::uint64_t> left() override;
  std::uint64_t position() const noexcept { return position_; }

 private:
  const Input& input_;
  std::uint64_t position_ = 0;
  std::optional<std::uint64_t> end_;
};

/// All bytes that are left.
std::string read_rest(Reader& in);

/// Where bytes go.
class Writer {
 public:
  Writer(const Writer&) = delete;
  virtual ~Writer() = default;
  virtual void write(const void* data, std::size_t count) = 0;

 protected:
  Writer() = default;
};

/// Bytes that go one after another and may be written again later.
class Output : public Writer {
 public:
  explicit Output(Place place) : place_(std::move(place)) {}
  const Place& place() const noexcept { return place_; }
  /// Appends.
  void write(const void* data, std::size_t count) final;
  /// Bytes appended so far.
  std::uint64_t position() const noexcept { return position_; }
  /// Replaces bytes appended earlier.
  virtual void patch(std::uint64_t offset, const void* data, std::size_t count) = 0;
  /// Makes sure that everything has been written; throws Error if not. Without it the result is given up.
  virtual void finish() = 0;

 private:
  virtual void append(const void* data, std::size_t count) = 0;
  Place place_;
  std::uint64_t position_ = 0;
};

class StreamOutput final : public Output {
 public:
  StreamOutput(Place place, std::ostream& out);
  void patch(std::uint64_t offset, const void* data, std::size_t count) override;
  void finish() override;

 private:
  void append(const void* data, std::size_t count) override;
  std::ostream& out_;
  std::int64_t start_;  // -1 if the stream does not know
};

/// A file that comes to stand under its name when it is finished; until then what stood there stays. What is no regular
/// file, such as a pipe, is written as it comes.
class FileOutput final : public Output {
 public:
  explicit FileOutput(Place place);
  ~FileOutput() override;
  void patch(std::uint64_t offset, const void* data, std::size_t count) override;
  void finish() override;

 private:
  void append(const void* data, std::size_t count) override;
  void open_temporary(unsigned mode);
  int descriptor_ = -1;
  std::string target_, temporary_;
};

}  // namespace tandem::detail
