// .npz archives: what NumPy wrote, what we write, and what damaged ones do.
#include <set>

#include "files.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;

namespace {

std::string data_file(const std::string& name) { return data_folder("npy") + "/" + name; }

std::vector<td::NamedArray> some_arrays() {
  return {{"x", td::arange(6.0).reshape({2, 3})},
          {"columns", td::arange(12).reshape({3, 4}).transpose()},
          {"flags", td::array({true, false, true})},
          {"größe/b", td::array({std::complex<float>(1, -2)}, {.dtype = td::complex64})},
          {"nothing", td::zeros({0, 3})},
          {"scalar", Array(2.5).astype(td::bfloat16)},
          {"zeros", td::zeros({5000})}};
}

std::string archive_of(const std::vector<td::NamedArray>& arrays, bool compress) {
  std::ostringstream out;
  compress ? td::savez_compressed(out, arrays) : td::savez(out, arrays);
  return out.str();
}

td::NpzFile open_bytes(const std::string& bytes) {
  std::istringstream in(bytes);
  return td::loadz(in);
}

TEST(Npz, ReadsWhatNumPyWrote) {
  const Array x = td::arange(6.0).reshape({2, 3});
  for (const char* name : {"stored.npz", "deflated.npz", "zip64.npz"})
    for (const bool mapped : {false, true}) {
      const td::NpzFile file = td::loadz(data_file(name), {.memory_map = mapped});
      EXPECT_EQ(file.names(), (std::vector<std::string>{"x", "flags", "folder/z", "größe"})) << name;
      EXPECT_TRUE(same(file["x"], x)) << name;
      EXPECT_TRUE(same(file["flags"], x != 0)) << name;
      EXPECT_TRUE(same(file["folder/z"], (x * std::complex<double>(1, -1)).astype(td::complex64))) << name;
      EXPECT_TRUE(same(file["größe"], Array(3))) << name;
    }
}

TEST(Npz, ArraysComeBack) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npz";
  for (const bool compress : {false, true}) {
    const auto arrays = some_arrays();
    compress ? td::savez_compressed(path, arrays) : td::savez(path, arrays);
    EXPECT_EQ(folder.count(), 1u);
    EXPECT_EQ(read_file(path), archive_of(arrays, compress));
    for (const bool mapped : {false, true}) {
      const td::NpzFile file = td::loadz(path, {.memory_map = mapped});
      ASSERT_EQ(file.names().size(), arrays.size());
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        EXPECT_EQ(file.names()[i], arrays[i].name);
        EXPECT_TRUE(same(file[arrays[i].name], arrays[i].array)) << arrays[i].name;
      }
      EXPECT_TRUE(file.contains("x"));
      EXPECT_FALSE(file.contains("x.npy"));
    }
  }
  td::savez(path, {{"one", td::ones({2})}, {"two", td::ones({3}) * 2}});
  EXPECT_TRUE(same(td::loadz(path)["two"], td::full({3}, 2.0)));
  td::savez(path, {});
  EXPECT_TRUE(td::loadz(path).names().empty());
}

TEST(Npz, StoredArraysAreMappedInPlace) {
  if (!td::Device().shares_host_memory()) GTEST_SKIP() << td::Device().name() << " does not share the host's memory";
  const TemporaryFolder folder;
  const std::string path = folder / "x.npz";
  td::savez(path, some_arrays());
  const std::string bytes = read_file(path);
  for (const td::NamedArray& item : some_arrays()) {
    Array x = td::loadz(path, {.memory_map = true})[item.name];
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.data()) % 64, 0u) << item.name;
    EXPECT_TRUE(same(x, item.array));
    x(td::ellipsis) = 1;
  }
  EXPECT_EQ(read_file(path), bytes);
}

TEST(Npz, LargeAndManyArrays) {
  const Array x = td::random::uniform({300'000}, {.seed = 1, .dtype = td::float32});
  const std::string deflated = archive_of({{"x", x}, {"y", x.flip()}}, true);
  EXPECT_TRUE(same(open_bytes(deflated)["x"], x));
  EXPECT_TRUE(same(open_bytes(deflated)["y"], x.flip()));
  if (!on_backend("cpu")) return;
  std::vector<td::NamedArray> many;  // more than 16 bits count
  for (int i = 0; i < 66'000; ++i) many.push_back({std::to_string(i), td::zeros({1}, {.dtype = td::uint8})});
  many[65'900].array = td::ones({1});
  const td::NpzFile file = open_bytes(archive_of(many, false));
  EXPECT_EQ(file.names().size(), many.size());
  EXPECT_TRUE(same(file["65900"], td::ones({1})));
}

TEST(Npz, RefusesBadNames) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npz";
  const Array x = td::ones({2});
  EXPECT_TRUE(throws([&] { td::savez(path, {{"", x}}); }, "savez: " + path + ": '' is no name"));
  EXPECT_TRUE(throws([&] { td::savez(path, {{std::string("a\0b", 3), x}}); }, "savez: ", {"'a?b' is no name"}));
  EXPECT_TRUE(throws([&] { td::savez_compressed(path, {{"a", x}, {"b", x}, {"a", x}}); },
                     "savez_compressed: " + path + ": two arrays are called 'a'"));
  EXPECT_TRUE(throws([&] { td::savez("/dev/full", {{"a", td::zeros({1000})}}); }, "savez: /dev/full: cannot be written"));
  EXPECT_EQ(folder.count(), 0u);
}

TEST(Npz, SaysWhatIsMissing) {
  const TemporaryFolder folder;
  EXPECT_TRUE(throws([&] { td::loadz(folder / "x.npz"); }, "loadz: ", {"x.npz: cannot be read: No such file"}));
  const std::string npy = data_file("float64.npy"), npz = data_file("stored.npz");
  EXPECT_TRUE(throws([&] { td::loadz(npy); }, "loadz: " + npy + ": is a .npy file; load reads it"));
  EXPECT_TRUE(throws([&] { td::load(npz); }, "load: " + npz + ": is a zip archive of arrays; loadz opens it"));
  EXPECT_TRUE(throws([&] { td::loadz(npz)["y"]; }, "NpzFile: " + npz + ": has no array 'y'; it has 'x', 'flags', "));
  EXPECT_TRUE(throws([&] { open_bytes(""); }, "loadz: the stream: is no zip archive"));
}

TEST(Npz, WrongChecksumsAreFound) {
  for (const bool compress : {false, true}) {
    std::string bytes = archive_of({{"x", td::arange(1000)}}, compress);
    bytes[bytes.size() / 2] ^= 4;
    EXPECT_TRUE(throws([&] { open_bytes(bytes)["x"]; }, "NpzFile: the stream: 'x': is damaged")) << compress;
  }
}

TEST(Npz, SizesThatLie) {
  // A member that says it has 16 GiB, in the directory as everywhere else, behind few compressed bytes.
  std::string bytes = archive_of({{"x", td::zeros({100'000})}}, true);
  const auto put = [&](std::size_t at, std::uint32_t value) { std::memcpy(&bytes[at], &value, sizeof value); };
  const std::size_t entry = bytes.find("PK\1\2");
  put(entry + 24, 0xfffffff0);
  EXPECT_TRUE(throws([&] { open_bytes(bytes)["x"]; }, "NpzFile: ", {"bytes cannot stand for 4294967280"}));
  put(entry + 24, 900'128);
  EXPECT_TRUE(throws([&] { open_bytes(bytes)["x"]; }, "NpzFile: ", {"has 100000 bytes behind its array"}));
  put(entry + 24, 800'128 - 8);
  EXPECT_TRUE(throws([&] { open_bytes(bytes)["x"]; }, "NpzFile: ", {"799992 of the 800000 bytes"}));
}

TEST(Npz, DamagedArchivesAreMappedWithinTheFile) {
  MemoryFile file;
  const std::string bytes = archive_of({{"x", td::arange(6)}, {"yz", td::array({true, false})}}, false);
  for_each_damage(bytes, bytes.size(), static_cast<int>(cases(2000)), [&](const std::string& damaged, bool) {
    file.write(damaged);
    try {
      const td::NpzFile archive = td::loadz(file.path(), {.memory_map = true});
      for (const std::string& name : archive.names()) (void)hash(archive[name]);
    } catch (const td::Error& error) {
      const std::string_view message = error.what();
      EXPECT_TRUE(message.starts_with("loadz: " + file.path()) || message.starts_with("NpzFile: " + file.path())) << message;
    }
  });
}

TEST(Npz, DamagedArchivesAreErrorsOrTheArrays) {
  for (const bool compress : {false, true}) {
    const std::vector<td::NamedArray> arrays = {{"x", td::arange(6)}, {"yz", td::array({true, false})}};
    std::set<std::uint64_t> originals;
    for (const td::NamedArray& item : arrays) originals.insert(hash(item.array));
    const std::string bytes = archive_of(arrays, compress);
    for_each_damage(bytes, bytes.size(), static_cast<int>(cases(4000)), [&](const std::string& damaged, bool) {
      try {
        const td::NpzFile file = open_bytes(damaged);
        for (const std::string& name : file.names()) EXPECT_TRUE(originals.contains(hash(file[name]))) << name;
      } catch (const td::Error& error) {
        const std::string_view message = error.what();
        EXPECT_TRUE(message.starts_with("loadz: the stream: ") || message.starts_with("NpzFile: the stream: ")) << message;
      }
    });
  }
}

}  // namespace
