#include <zlib.h>

#include <algorithm>

#include "zip.hpp"
#include "zip_format.hpp"

namespace tandem::detail {
namespace {

using Format = ZipFormat;

// 45: what reads ZIP64. The time is the first that the format has, so that the same arrays give the same file.
constexpr std::uint16_t version = 45, made_by_unix = 3 << 8 | version, time = 0, date = 1 << 5 | 1;
constexpr std::uint32_t mode = 0100600u << 16;

std::uint32_t short_form(std::uint64_t figure) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(figure, Format::see_64));
}

/// The header in front of a member. Its length does not depend on the sizes, which are not known at first.
std::string local_header(const ZipMember& member) {
  constexpr std::uint64_t alignment = 64;
  std::string extra;
  append_numbers(extra, Format::extra_64, std::uint16_t{16}, member.size, member.compressed);
  if (member.method == ZipMember::stored) {
    constexpr std::size_t field = 6;
    const std::uint64_t end = member.header + Format::local_header_bytes + member.name.size() + extra.size() + field;
    const auto padding = static_cast<std::uint16_t>((alignment - end % alignment) % alignment);
    append_numbers(extra, Format::extra_padding, static_cast<std::uint16_t>(2 + padding), std::uint16_t{alignment});
    extra.append(padding, '\0');
  }
  std::string header;
  append_numbers(header, Format::local_header, version, member.flags, member.method, time, date, member.crc,
                 Format::see_64, Format::see_64, static_cast<std::uint16_t>(member.name.size()),
                 static_cast<std::uint16_t>(extra.size()));
  return header + member.name + extra;
}

std::string directory_entry(const ZipMember& member) {
  std::string figures;
  for (const std::uint64_t figure : {member.size, member.compressed, member.header})
    if (figure >= Format::see_64) append_numbers(figures, figure);
  std::string extra;
  if (!figures.empty()) append_numbers(extra, Format::extra_64, static_cast<std::uint16_t>(figures.size()));
  extra += figures;
  std::string entry;
  append_numbers(entry, Format::directory_entry, made_by_unix, version, member.flags, member.method, time, date,
                 member.crc, short_form(member.compressed), short_form(member.size),
                 static_cast<std::uint16_t>(member.name.size()), static_cast<std::uint16_t>(extra.size()),
                 std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0}, mode, short_form(member.header));
  return entry + member.name + extra;
}

}  // namespace

struct ZipMemberWriter::Deflater {
  z_stream stream{};
  char buffer[1 << 16];
};

ZipMemberWriter ZipWriter::add(const std::string& name, bool compress) {
  ZipMember member;
  member.name = name;
  member.header = out_.position();
  member.method = compress ? ZipMember::deflated : ZipMember::stored;
  for (const char c : name)
    if (static_cast<unsigned char>(c) >= 128) member.flags = Format::utf8;
  return {*this, std::move(member), compress};
}

ZipMemberWriter::ZipMemberWriter(ZipWriter& archive, ZipMember member, bool compress)
    : archive_(archive), member_(std::move(member)) {
  const std::string header = local_header(member_);
  archive_.out_.write(header.data(), header.size());
  begin_ = archive_.out_.position();
  if (!compress) return;
  constexpr int memory_level = 8;  // zlib's default
  deflater_ = std::make_unique<Deflater>();
  if (deflateInit2(&deflater_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, memory_level, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    deflater_.reset();
    archive_.out_.place().fail("zlib cannot be used");
  }
}

ZipMemberWriter::~ZipMemberWriter() {
  if (deflater_) deflateEnd(&deflater_->stream);
}

void ZipMemberWriter::write(const void* data, std::size_t count) {
  if (count == 0) return;  // zlib's checksum of a null pointer starts anew
  member_.crc = static_cast<std::uint32_t>(crc32_z(member_.crc, static_cast<const Bytef*>(data), count));
  member_.size += count;
  if (!deflater_) return archive_.out_.write(data, count);
  constexpr std::size_t most = 1 << 30;  // zlib counts in unsigned int
  for (std::size_t done = 0; done < count;) {
    const std::size_t part = std::min(count - done, most);
    deflater_->stream.next_in = const_cast<Bytef*>(static_cast<const Bytef*>(data)) + done;
    deflater_->stream.avail_in = static_cast<uInt>(part);
    deflate_all(Z_NO_FLUSH);
    done += part;
  }
}

void ZipMemberWriter::deflate_all(int flush) {
  z_stream& stream = deflater_->stream;
  do {
    stream.next_out = reinterpret_cast<Bytef*>(deflater_->buffer);
    stream.avail_out = sizeof deflater_->buffer;
    deflate(&stream, flush);
    archive_.out_.write(deflater_->buffer, sizeof deflater_->buffer - stream.avail_out);
  } while (stream.avail_out == 0);
}

void ZipMemberWriter::finish() {
  if (deflater_) deflate_all(Z_FINISH);
  member_.compressed = archive_.out_.position() - begin_;
  const std::string header = local_header(member_);
  archive_.out_.patch(member_.header, header.data(), header.size());
  archive_.members_.push_back(std::move(member_));
}

void ZipWriter::finish() {
  const std::uint64_t begin = out_.position(), count = members_.size();
  for (const ZipMember& member : members_) {
    const std::string entry = directory_entry(member);
    out_.write(entry.data(), entry.size());
  }
  const std::uint64_t end = out_.position();
  std::string record;
  if (count >= Format::see_64_short || end >= Format::see_64) {
    append_numbers(record, Format::directory_end_64, std::uint64_t{Format::end_64_bytes - 12}, made_by_unix, version,
                   std::uint32_t{0}, std::uint32_t{0}, count, count, end - begin, begin);
    append_numbers(record, Format::locator_64, std::uint32_t{0}, end, std::uint32_t{1});
  }
  const auto short_count = static_cast<std::uint16_t>(std::min<std::uint64_t>(count, Format::see_64_short));
  append_numbers(record, Format::directory_end, std::uint16_t{0}, std::uint16_t{0}, short_count, short_count,
                 short_form(end - begin), short_form(begin), std::uint16_t{0});
  out_.write(record.data(), record.size());
}

}  // namespace tandem::detail
