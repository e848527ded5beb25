#include <algorithm>
#include <map>
#include <memory>

#include "../errors.hpp"
#include "../reference_count.hpp"
#include "npy.hpp"
#include "zip.hpp"

namespace tandem {
namespace {

constexpr std::string_view suffix = ".npy";

/// One array to a file that stays complete or absent.
void write_archive(detail::Output& out, std::span<const NamedArray> arrays, bool compress) {
  constexpr std::size_t longest_name = 65535 - suffix.size();
  const detail::Place& place = out.place();
  const detail::FunctionName scope(place.function);
  std::vector<std::string_view> names;
  for (const NamedArray& item : arrays) {
    if (item.name.empty() || item.name.size() > longest_name || item.name.find('\0') != std::string::npos)
      place.fail(detail::quoted(item.name) + " is no name for an array");
    names.push_back(item.name);
  }
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
    place.fail("two arrays are called " + detail::quoted(*twice));

  detail::ZipWriter archive(out);
  for (const NamedArray& item : arrays) {
    const detail::NpyContent content(place.function, item.array);
    detail::ZipMemberWriter member = archive.add(item.name + std::string(suffix), compress);
    content.write_to(member);
    member.finish();
  }
  archive.finish();
  out.finish();
}

void write_file(const char* function, const std::string& path, std::span<const NamedArray> arrays, bool compress) {
  detail::FileOutput out({function, path});
  write_archive(out, arrays, compress);
}

void write_stream(const char* function, std::ostream& stream, std::span<const NamedArray> arrays, bool compress) {
  detail::StreamOutput out({function, "the stream"}, stream);
  write_archive(out, arrays, compress);
}

}  // namespace

struct detail::NpzArchive {
  NpzArchive(std::unique_ptr<detail::Input> source, const LoadOptions& load_options)
      : input(std::move(source)), options(load_options) {
    for (detail::ZipMember& member : detail::read_zip_directory(*input)) {
      if (!member.name.ends_with(suffix)) continue;
      names.push_back(member.name.substr(0, member.name.size() - suffix.size()));
      if (!members.emplace(names.back(), std::move(member)).second)
        input->place().fail("has two arrays called " + detail::quoted(names.back()));
    }
  }

  std::unique_ptr<detail::Input> input;
  LoadOptions options;
  std::vector<std::string> names;
  std::map<std::string, detail::ZipMember, std::less<>> members;
  mutable detail::ReferenceCount references;
};

void detail::retain(const NpzArchive* archive) noexcept { archive->references.add(); }

void detail::release(const NpzArchive* archive) noexcept {
  if (archive->references.drop()) delete archive;
}

NpzFile::NpzFile(detail::CountedPtr<const detail::NpzArchive> archive) noexcept : archive_(std::move(archive)) {}

const std::vector<std::string>& NpzFile::names() const noexcept { return archive_->names; }

bool NpzFile::contains(std::string_view name) const noexcept { return archive_->members.contains(name); }

Array NpzFile::operator[](std::string_view name) const {
  const detail::FunctionName function("NpzFile");
  const auto found = archive_->members.find(name);
  const detail::Input& input = *archive_->input;
  if (found == archive_->members.end()) {
    constexpr std::size_t shown = 8;
    std::string others;
    for (std::size_t i = 0; i < std::min(names().size(), shown); ++i) others += (i ? ", " : "") + detail::quoted(names()[i]);
    if (names().size() > shown) others += ", ...";
    detail::Place{function, input.place().name}.fail("has no array " + detail::quoted(name) + "; it has " +
                                                      (others.empty() ? "none" : others));
  }
  const detail::ZipMember& member = found->second;
  const detail::Place place{function, input.place().name + ": " + detail::quoted(name)};
  const std::uint64_t begin = detail::find_zip_member(input, place, member);
  if (archive_->options.memory_map && member.method == detail::ZipMember::stored)
    return detail::read_npy(input, place, begin, begin + member.size, archive_->options);
  detail::ZipMemberReader reader(input, place, member, begin);
  Array array = detail::read_npy(reader, archive_->options);
  reader.finish();
  return array;
}

NpzFile loadz(const std::string& path, const LoadOptions& options) {
  auto input = std::make_unique<detail::Input>(detail::Place{"loadz", path});
  if (!input->size()) {  // a pipe: the directory is at the end
    detail::InputReader reader(*input);
    input = std::make_unique<detail::Input>(reader.place(), detail::read_rest(reader));
  }
  return NpzFile(detail::CountedPtr<const detail::NpzArchive>(new detail::NpzArchive(std::move(input), options)));
}

NpzFile loadz(std::istream& in, const LoadOptions& options) {
  detail::StreamReader reader({"loadz", "the stream"}, in);
  auto input = std::make_unique<detail::Input>(reader.place(), detail::read_rest(reader));
  return NpzFile(detail::CountedPtr<const detail::NpzArchive>(new detail::NpzArchive(std::move(input), options)));
}

void savez(const std::string& path, std::span<const NamedArray> arrays) { write_file("savez", path, arrays, false); }
void savez(std::ostream& out, std::span<const NamedArray> arrays) { write_stream("savez", out, arrays, false); }
void savez_compressed(const std::string& path, std::span<const NamedArray> arrays) {
  write_file("savez_compressed", path, arrays, true);
}
void savez_compressed(std::ostream& out, std::span<const NamedArray> arrays) {
  write_stream("savez_compressed", out, arrays, true);
}

}  // namespace tandem
