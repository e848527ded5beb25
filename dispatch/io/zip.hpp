// Zip archives: members that are stored or deflated, with sizes beyond 32 bits where needed (ZIP64). Figures and names
// of fields: PKWARE's APPNOTE 6.3.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bytes.hpp"

namespace tandem::detail {

struct ZipMember {
  std::string name;
  std::uint64_t header = 0;      // where its local header begins
  std::uint64_t compressed = 0;  // bytes in the archive
  std::uint64_t size = 0;        // bytes that they stand for
  std::uint32_t crc = 0;
  std::uint16_t method = 0;
  std::uint16_t flags = 0;

  static constexpr std::uint16_t stored = 0, deflated = 8;
};

/// The archive's members in the order of its directory. Throws Error for a damaged directory.
std::vector<ZipMember> read_zip_directory(const Input& input);

/// Where the bytes of a member begin. Throws Error if they do not lie in the archive, or in a form that is not read.
std::uint64_t find_zip_member(const Input& input, const Place& place, const ZipMember& member);

/// Reads what a member stands for.
class ZipMemberReader final : public Reader {
 public:
  /// `begin` is find_zip_member's.
  ZipMemberReader(const Input& input, const Place& place, const ZipMember& member, std::uint64_t begin);
  ~ZipMemberReader() override;
  std::size_t read(void* target, std::size_t count) override;
  std::optional<std::uint64_t> left() override { return left_; }
  /// Throws Error unless everything has been read and has the right checksum.
  void finish();

 private:
  std::size_t inflate_into(void* target, std::size_t count);
  struct Inflater;
  InputReader in_;
  std::unique_ptr<Inflater> inflater_;  // null for stored members
  std::uint64_t left_;
  std::uint32_t crc_ = 0, expected_crc_;
};

class ZipWriter;

/// A member that is being written.
class ZipMemberWriter final : public Writer {
 public:
  ~ZipMemberWriter() override;
  void write(const void* data, std::size_t count) override;
  /// The last step: completes the member's header.
  void finish();

 private:
  friend class ZipWriter;
  ZipMemberWriter(ZipWriter& archive, ZipMember member, bool compress);
  void deflate_all(int flush);
  struct Deflater;
  ZipWriter& archive_;
  ZipMember member_;
  std::uint64_t begin_ = 0;
  std::unique_ptr<Deflater> deflater_;  // null for stored members
};

class ZipWriter {
 public:
  explicit ZipWriter(Output& out) : out_(out) {}
  /// Begins a member; the one before must be finished. Its bytes begin at a multiple of 64 unless they are compressed.
  ZipMemberWriter add(const std::string& name, bool compress);
  /// The last step: writes the directory.
  void finish();

 private:
  friend class ZipMemberWriter;
  Output& out_;
  std::vector<ZipMember> members_;
};

}  // namespace tandem::detail
