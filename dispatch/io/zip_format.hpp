// What the reader and the writer of zip archives know of their records.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace tandem::detail {

struct ZipFormat {
  static constexpr std::uint32_t local_header = 0x04034b50, directory_entry = 0x02014b50, directory_end = 0x06054b50,
                                 directory_end_64 = 0x06064b50, locator_64 = 0x07064b50;
  static constexpr std::size_t local_header_bytes = 30, entry_bytes = 46, end_bytes = 22, end_64_bytes = 56,
                               locator_64_bytes = 20;
  static constexpr std::uint16_t encrypted = 1, utf8 = 1 << 11;
  static constexpr std::uint16_t extra_64 = 1, extra_padding = 0xd935;
  static constexpr std::uint32_t see_64 = 0xffffffff;  // instead of a figure that stands in the ZIP64 record
  static constexpr std::uint16_t see_64_short = 0xffff;
};

/// The little-endian number of type T there.
template <class T> T read_number(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Appends numbers in little-endian order, each of the size of its type.
template <class... T> void append_numbers(std::string& record, T... values) {
  (record.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
}

}  // namespace tandem::detail
