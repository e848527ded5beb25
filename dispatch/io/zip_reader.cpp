#include <zlib.h>

#include <algorithm>

#include "zip.hpp"
#include "zip_format.hpp"

namespace tandem::detail {
namespace {

using Format = ZipFormat;

std::string read_bytes(const Input& input, std::uint64_t offset, std::size_t count) {
  std::string bytes(count, '\0');
  bytes.resize(input.read_at(offset, bytes.data(), count));
  return bytes;
}

struct Directory {
  std::uint64_t offset, bytes, count;
};

/// The record at the end of an archive, behind which at most a comment stands.
std::string find_end(const Input& input, std::uint64_t& position) {
  constexpr std::uint64_t longest_comment = 65535;
  const std::uint64_t size = input.size().value_or(0);
  const std::uint64_t first = size - std::min(size, longest_comment + Format::end_bytes);
  const std::string tail = read_bytes(input, first, size - first);
  for (std::size_t at = tail.size() < Format::end_bytes ? 0 : tail.size() - Format::end_bytes + 1; at-- > 0;) {
    if (read_number<std::uint32_t>(&tail[at]) != Format::directory_end) continue;
    if (at + Format::end_bytes + read_number<std::uint16_t>(&tail[at + 20]) != tail.size()) continue;
    position = first + at;
    return tail.substr(at, Format::end_bytes);
  }
  if (read_bytes(input, 0, 6) == "\x93NUMPY") input.place().fail("is a .npy file; load reads it");
  input.place().fail("is no zip archive, or is incomplete: the record that ends one is missing");
}

Directory find_directory(const Input& input) {
  std::uint64_t end = 0;
  const std::string record = find_end(input, end);
  Directory directory{read_number<std::uint32_t>(&record[16]), read_number<std::uint32_t>(&record[12]),
                      read_number<std::uint16_t>(&record[10])};
  const auto disk = read_number<std::uint16_t>(&record[4]), first_disk = read_number<std::uint16_t>(&record[6]);
  if (end >= Format::locator_64_bytes) {
    const std::string locator = read_bytes(input, end - Format::locator_64_bytes, Format::locator_64_bytes);
    if (locator.size() == Format::locator_64_bytes && read_number<std::uint32_t>(&locator[0]) == Format::locator_64) {
      const auto position = read_number<std::uint64_t>(&locator[8]);
      const std::string record_64 = read_bytes(input, position, Format::end_64_bytes);
      if (position > end || record_64.size() < Format::end_64_bytes ||
          read_number<std::uint32_t>(&record_64[0]) != Format::directory_end_64)
        input.place().fail("is damaged: there is no ZIP64 record at byte " + std::to_string(position));
      directory = {read_number<std::uint64_t>(&record_64[48]), read_number<std::uint64_t>(&record_64[40]),
                   read_number<std::uint64_t>(&record_64[32])};
      end = position;
    }
  }
  if ((disk != 0 && disk != Format::see_64_short) || (first_disk != 0 && first_disk != Format::see_64_short))
    input.place().fail("is one of several files of an archive; only whole ones are read");
  if (directory.bytes > end || directory.offset != end - directory.bytes)
    input.place().fail("is damaged: its directory of " + std::to_string(directory.bytes) + " bytes at byte " +
                       std::to_string(directory.offset) + " does not end at byte " + std::to_string(end));
  return directory;
}

/// Replaces figures that stand in the ZIP64 record among the extra fields.
bool read_extra(std::string_view extra, ZipMember& member, bool disk_too) {
  std::uint64_t* const wanted[] = {member.size == Format::see_64 ? &member.size : nullptr,
                                   member.compressed == Format::see_64 ? &member.compressed : nullptr,
                                   member.header == Format::see_64 ? &member.header : nullptr};
  bool missing = disk_too;
  for (const std::uint64_t* figure : wanted) missing |= figure != nullptr;
  while (extra.size() >= 4) {
    const auto id = read_number<std::uint16_t>(extra.data()), length = read_number<std::uint16_t>(extra.data() + 2);
    if (length > extra.size() - 4) return false;
    if (id == Format::extra_64) {
      std::string_view figures = extra.substr(4, length);
      for (std::uint64_t* figure : wanted) {
        if (!figure) continue;
        if (figures.size() < 8) return false;
        *figure = read_number<std::uint64_t>(figures.data());
        figures.remove_prefix(8);
      }
      missing = false;
    }
    extra.remove_prefix(4 + length);
  }
  return !missing;
}

}  // namespace

std::vector<ZipMember> read_zip_directory(const Input& input) {
  const Directory directory = find_directory(input);
  const std::string records = read_bytes(input, directory.offset, directory.bytes);
  std::vector<ZipMember> members;
  std::size_t at = 0;
  const auto damaged = [&]() {
    input.place().fail("is damaged: entry " + std::to_string(members.size() + 1) + " of its directory of " +
                       std::to_string(directory.count) + " is not valid");
  };
  while (members.size() < directory.count) {
    if (records.size() - at < Format::entry_bytes || read_number<std::uint32_t>(&records[at]) != Format::directory_entry)
      damaged();
    const char* const entry = &records[at];
    const std::size_t name = read_number<std::uint16_t>(entry + 28), extra = read_number<std::uint16_t>(entry + 30),
                      comment = read_number<std::uint16_t>(entry + 32);
    if (records.size() - at - Format::entry_bytes < name + extra + comment) damaged();
    ZipMember member;
    member.flags = read_number<std::uint16_t>(entry + 8);
    member.method = read_number<std::uint16_t>(entry + 10);
    member.crc = read_number<std::uint32_t>(entry + 16);
    member.compressed = read_number<std::uint32_t>(entry + 20);
    member.size = read_number<std::uint32_t>(entry + 24);
    member.header = read_number<std::uint32_t>(entry + 42);
    member.name.assign(entry + Format::entry_bytes, name);
    const bool other_disk = read_number<std::uint16_t>(entry + 34) == Format::see_64_short;
    if (!read_extra({entry + Format::entry_bytes + name, extra}, member, other_disk)) damaged();
    members.push_back(std::move(member));
    at += Format::entry_bytes + name + extra + comment;
  }
  if (at != records.size()) damaged();
  return members;
}

std::uint64_t find_zip_member(const Input& input, const Place& place, const ZipMember& member) {
  constexpr std::uint64_t densest = 1032;  // what deflate makes at most of one byte
  if (member.flags & Format::encrypted) place.fail("is encrypted");
  if (member.method != ZipMember::stored && member.method != ZipMember::deflated)
    place.fail("is compressed by method " + std::to_string(member.method) + "; stored (0) and deflated (8) are read");
  const std::string record = read_bytes(input, member.header, Format::local_header_bytes);
  if (record.size() < Format::local_header_bytes || read_number<std::uint32_t>(&record[0]) != Format::local_header)
    place.fail("is damaged: no member begins at byte " + std::to_string(member.header));
  const std::uint64_t begin = member.header + Format::local_header_bytes + read_number<std::uint16_t>(&record[26]) +
                              read_number<std::uint16_t>(&record[28]);
  const std::uint64_t end = *input.size();
  if (begin > end || member.compressed > end - begin)
    place.fail("is damaged: its " + std::to_string(member.compressed) + " bytes at byte " + std::to_string(begin) +
               " reach beyond the end of the archive");
  const bool possible = member.method == ZipMember::stored ? member.size == member.compressed
                                                           : member.size / densest <= member.compressed;
  if (!possible)
    place.fail("is damaged: " + std::to_string(member.compressed) + " bytes cannot stand for " +
               std::to_string(member.size));
  return begin;
}

struct ZipMemberReader::Inflater {
  z_stream stream{};
  bool at_end = false;
  char buffer[1 << 16];
};

ZipMemberReader::ZipMemberReader(const Input& input, const Place& place, const ZipMember& member, std::uint64_t begin)
    : Reader(place), in_(input, place, begin, begin + member.compressed), left_(member.size), expected_crc_(member.crc) {
  if (member.method == ZipMember::stored) return;
  inflater_ = std::make_unique<Inflater>();
  if (inflateInit2(&inflater_->stream, -MAX_WBITS) != Z_OK) {
    inflater_.reset();
    place.fail("zlib cannot be used");
  }
}

ZipMemberReader::~ZipMemberReader() {
  if (inflater_) inflateEnd(&inflater_->stream);
}

std::size_t ZipMemberReader::read(void* target, std::size_t count) {
  count = std::min<std::uint64_t>(count, left_);
  if (count == 0) return 0;  // zlib's checksum of a null pointer starts anew
  const std::size_t got = inflater_ ? inflate_into(target, count) : in_.read(target, count);
  crc_ = static_cast<std::uint32_t>(crc32_z(crc_, static_cast<const Bytef*>(target), got));
  left_ -= got;
  return got;
}

std::size_t ZipMemberReader::inflate_into(void* target, std::size_t count) {
  constexpr std::size_t most = 1 << 30;  // zlib counts in unsigned int
  z_stream& stream = inflater_->stream;
  std::size_t done = 0;
  while (done < count && !inflater_->at_end) {
    if (stream.avail_in == 0) {
      stream.next_in = reinterpret_cast<Bytef*>(inflater_->buffer);
      stream.avail_in = static_cast<uInt>(in_.read(inflater_->buffer, sizeof inflater_->buffer));
    }
    const std::size_t room = std::min(count - done, most);
    stream.next_out = static_cast<Bytef*>(target) + done;
    stream.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream, Z_NO_FLUSH);
    done += room - stream.avail_out;
    inflater_->at_end = status == Z_STREAM_END;
    if (status != Z_OK && status != Z_STREAM_END)
      place().fail(std::string("is damaged: ") + (stream.msg ? stream.msg : "the compressed bytes end too early"));
  }
  return done;
}

void ZipMemberReader::finish() {
  char more;
  if (inflater_ && !inflater_->at_end && inflate_into(&more, 1) > 0) place().fail("is damaged: it is longer than it says");
  if (left_ != 0) place().fail("has " + std::to_string(left_) + " bytes behind its array");
  if (crc_ != expected_crc_) place().fail("is damaged: its checksum (CRC-32) is wrong");
}

}  // namespace tandem::detail
