// .npy files: what NumPy wrote, what we write, and what is refused.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "files.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::Shape;

namespace {

std::string data_file(const std::string& name) { return data_folder("npy") + "/" + name; }

/// What make.py stores: 0 to 5 in two rows, minus i of it for complex dtypes.
Array stored_values(td::DType dtype) {
  const Array x = td::arange(6).reshape({2, 3});
  return td::is_complex(dtype) ? (x * std::complex<double>(1, -1)).astype(dtype) : x.astype(dtype);
}

Array through_stream(const Array& x) {
  std::stringstream stream;
  td::save(stream, x);
  return td::load(stream);
}

std::string npy_bytes(const Array& x) {
  std::ostringstream stream;
  td::save(stream, x);
  return stream.str();
}

/// A header of version 1.0 with that text, and elements.
std::string npy_with(const std::string& text, const std::string& elements) {
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes += static_cast<char>(text.size() & 255);
  bytes += static_cast<char>(text.size() >> 8);
  return bytes + text + elements;
}

Array load_bytes(const std::string& bytes) {
  std::istringstream stream(bytes);
  return td::load(stream);
}

TEST(Npy, ReadsWhatNumPyWrote) {
  for (const bool mapped : {false, true}) {
    const td::LoadOptions options{.memory_map = mapped};
    for (const td::DType dtype : all_dtypes) {
      if (dtype == td::bfloat16) continue;
      const std::string name(td::name(dtype));
      EXPECT_TRUE(same(td::load(data_file(name + ".npy"), options), stored_values(dtype))) << name;
      if (td::itemsize(dtype) > 1) {
        EXPECT_TRUE(same(td::load(data_file(name + "_big_endian.npy"), options), stored_values(dtype))) << name;
      }
    }
    for (const char* name : {"column_major.npy", "version_2.npy", "version_3.npy", "python2.npy"})
      EXPECT_TRUE(same(td::load(data_file(name), options), stored_values(td::float64))) << name;
    EXPECT_TRUE(same(td::load(data_file("column_major_big_endian.npy"), options), stored_values(td::float32)));
    EXPECT_TRUE(same(td::load(data_file("scalar.npy"), options), Array(2.5)));
    EXPECT_TRUE(same(td::load(data_file("empty.npy"), options), td::zeros({3, 0, 2}, {.dtype = td::int16})));
    EXPECT_TRUE(same(td::load(data_file("axes_32.npy"), options), td::full(Shape::filled(32, 1), 7, {.dtype = td::uint8})));
    for (const char* name : {"bfloat16.npy", "bfloat16_bytes.npy"})
      EXPECT_TRUE(same(td::load(data_file(name), options), td::array({1.0, -2.0, NAN}, {.dtype = td::bfloat16})));
    EXPECT_TRUE(same(td::load(data_file("loose_bools.npy"), options), td::array({false, true, true, true})));
  }
  EXPECT_EQ(td::load(data_file("column_major.npy")).strides(), (Shape{1, 2}));
}

TEST(Npy, WritesTheBytesThatNumPyWrites) {
  for (const td::DType dtype : all_dtypes) {
    if (dtype == td::bfloat16) continue;
    const std::string name = std::string(td::name(dtype)) + ".npy";
    EXPECT_EQ(npy_bytes(stored_values(dtype)), read_file(data_file(name))) << name;
  }
  for (const char* name : {"column_major.npy", "scalar.npy", "empty.npy", "axes_32.npy", "bfloat16.npy"})
    EXPECT_EQ(npy_bytes(td::load(data_file(name))), read_file(data_file(name))) << name;
}

TEST(Npy, EveryDtypeAndLayoutComesBack) {
  for (const td::DType dtype : all_dtypes)
    with_type(dtype, [&]<class T>(Type<T>) {
      Values<T> values = special_values<T>();
      values.resize(values.size() / 2 * 2);
      const Array x = make<T>(values, {2, static_cast<std::int64_t>(values.size() / 2)});
      for (const Layout layout : all_layouts) {
        const Array laid = lay_out(x, layout);
        EXPECT_TRUE(same(through_stream(laid), laid)) << td::name(dtype) << " " << name(layout);
      }
    });
  EXPECT_TRUE(same(through_stream(td::arange(6) * 2 + 1), td::array({1, 3, 5, 7, 9, 11})));  // an expression
}

TEST(Npy, LargeArraysComeBack) {
  const TemporaryFolder folder;
  const Array x = td::random::uniform({on_backend("reference") ? 300'000 : 5'000'000}, {.seed = 3});  // more than a piece
  td::save(folder / "x.npy", x);
  const std::uint64_t expected = hash(x);
  EXPECT_EQ(hash(td::load(folder / "x.npy")), expected);
  EXPECT_EQ(hash(td::load(folder / "x.npy", {.memory_map = true})), expected);
  EXPECT_EQ(folder.count(), 1u);
}

TEST(Npy, StreamsHoldSeveralArrays) {
  std::stringstream stream;
  td::save(stream, td::arange(3));
  stream << "between";
  td::save(stream, td::array({1.5, 2.5}));
  EXPECT_TRUE(same(td::load(stream), td::arange(3)));
  char between[7];
  stream.read(between, 7);
  EXPECT_EQ(std::string(between, 7), "between");
  EXPECT_TRUE(same(td::load(stream), td::array({1.5, 2.5})));
  EXPECT_TRUE(throws([&] { td::load(stream); }, "load: the stream: ", {"start of the header", "0 of 8"}));
}

TEST(Npy, ReadsFromPipes) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Array x = td::arange(1 << 16);
  const std::string bytes = npy_bytes(x);
  const auto feed = [&](std::size_t count) {
    for (std::size_t done = 0; done < count;) {
      const ssize_t n = write(ends[1], bytes.data() + done, count - done);
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    close(ends[1]);
  };
  std::thread whole(feed, bytes.size());
  EXPECT_TRUE(same(td::load("/dev/fd/" + std::to_string(ends[0])), x));
  whole.join();
  close(ends[0]);
  ASSERT_EQ(pipe(ends), 0);
  std::thread part(feed, 1000);
  EXPECT_TRUE(throws([&] { td::load("/dev/fd/" + std::to_string(ends[0])); }, "load: /dev/fd/",
                     {"ends after 872 of the 524288 bytes of elements of (65536,) of int64"}));
  part.join();
  close(ends[0]);
}

// ---- memory maps ----

class MemoryMap : public testing::Test {
 protected:
  void SetUp() override {
    if (!td::Device().shares_host_memory()) GTEST_SKIP() << td::Device().name() << " does not share the host's memory";
  }
  const TemporaryFolder folder;
};

TEST_F(MemoryMap, WritingNeverChangesTheFile) {
  const std::string path = folder / "x.npy";
  const Array x = td::arange(2000).reshape({40, 50});
  td::save(path, x);
  const std::string bytes = read_file(path);
  Array mapped = td::load(path, {.memory_map = true});
  const Array second = td::load(path, {.memory_map = true}), shared = mapped;
  mapped(3, 4) = -1;
  mapped(td::all, 0) += 5;
  EXPECT_EQ(mapped(3, 4).item<int>(), -1);
  EXPECT_TRUE(same(shared, x));
  EXPECT_TRUE(same(second, x));
  Array alone = td::load(path, {.memory_map = true});
  alone *= 2;
  alone(0) = 1;
  EXPECT_EQ(alone(1, 0).item<int>(), 100);
  EXPECT_EQ(read_file(path), bytes);
  EXPECT_TRUE(same(td::load(path), x));
}

TEST_F(MemoryMap, LivesAsLongAsItsArrays) {
  const std::string path = folder / "x.npy";
  td::save(path, td::arange(100'000));
  Array tail = td::load(path, {.memory_map = true})(td::slice(99'998, td::none));
  std::filesystem::remove(path);
  EXPECT_TRUE(same(tail, td::array({99'998, 99'999})));
  const Array sum = tail + 1;
  tail = td::zeros({1});
  EXPECT_TRUE(same(sum, td::array({99'999, 100'000})));
}

TEST_F(MemoryMap, TakesNoMemory) {
  const std::string path = folder / "x.npy";
  std::string header = npy_bytes(td::zeros({1}, {.dtype = td::uint8}));
  header.replace(header.find("(1,), }            "), 19, "(1099511627776,), }");  // 1 TiB
  header.pop_back();
  write_file(path, header);
  if (truncate(path.c_str(), static_cast<off_t>(header.size() + (1ull << 40))) != 0)
    GTEST_SKIP() << "the file system has no files of 1 TiB";
  Array x = td::load(path, {.memory_map = true});
  EXPECT_EQ(x.size(), std::int64_t{1} << 40);
  x(1 << 30) = 7;
  EXPECT_EQ(x(1 << 30).item<int>(), 7);
  EXPECT_EQ(x(-1).item<int>(), 0);
}

TEST_F(MemoryMap, AFileMaySaveOverItsOwnMap) {
  const std::string path = folder / "x.npy";
  td::save(path, td::arange(50'000));
  const Array mapped = td::load(path, {.memory_map = true});
  td::save(path, mapped * 2);
  EXPECT_TRUE(same(mapped, td::arange(50'000)));
  EXPECT_TRUE(same(td::load(path), td::arange(50'000) * 2));
}

// ---- writing ----

TEST(NpySave, AFailedWriteLeavesWhatWasThere) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npy";
  td::save(path, td::arange(3));
  const std::string before = read_file(path);
  // Beyond this size the system refuses to write, as it does on a full disk.
  struct rlimit old;
  getrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, SIG_IGN);
  const struct rlimit low{4096, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &low);
  const auto refused = throws([&] { td::save(path, td::zeros({10'000})); }, "save: " + path, {"cannot be written"});
  const auto no_new_file = throws([&] { td::save(folder / "y.npy", td::zeros({10'000})); }, "save: ");
  setrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, SIG_DFL);
  EXPECT_TRUE(refused);
  EXPECT_TRUE(no_new_file);
  EXPECT_EQ(read_file(path), before);
  EXPECT_EQ(folder.count(), 1u);
}

TEST(NpySave, WhatCannotBeWrittenIsAnError) {
  const TemporaryFolder folder;
  const Array x = td::zeros({1000});
  EXPECT_TRUE(throws([&] { td::save("/dev/full", x); }, "save: /dev/full: cannot be written", {"No space left"}));
  EXPECT_TRUE(throws([&] { td::save(folder / "no/x.npy", x); }, "save: ", {"no/x.npy: cannot be written", "No such file"}));
  EXPECT_TRUE(throws([&] { td::save(folder / "", x); }, "save: ", {"Is a directory"}));
  EXPECT_TRUE(throws([&] { td::save("", x); }, "save: ", {"No such file"}));
  std::ofstream full("/dev/full");
  EXPECT_TRUE(throws([&] { td::save(full, x); }, "save: the stream: cannot be written"));
  std::ofstream closed;
  EXPECT_TRUE(throws([&] { td::save(closed, x); }, "save: the stream: cannot be written"));
  EXPECT_EQ(folder.count(), 0u);
}

TEST(NpySave, KeepsLinksAndModes) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npy", link = folder / "link.npy";
  td::save(path, td::arange(3));
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  ASSERT_EQ(symlink("x.npy", link.c_str()), 0);
  td::save(link, td::arange(4));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(same(td::load(path), td::arange(4)));
  EXPECT_EQ(static_cast<int>(std::filesystem::status(path).permissions()), 0640);
  EXPECT_EQ(folder.count(), 2u);
}

// ---- refusals ----

TEST(NpyLoad, DtypesThatTandemLacksAreNamed) {
  const auto refuses = [](const std::string& name, const std::string& part) {
    const std::string path = data_file("refused_" + name + ".npy");
    return throws([&] { td::load(path); }, "load: " + path + ": ", {part});
  };
  EXPECT_TRUE(refuses("text", "descr '<U3' (text) is none of Tandem's dtypes"));
  EXPECT_TRUE(refuses("bytes", "descr '|S2' (text)"));
  EXPECT_TRUE(refuses("structured", "descr '[('a', '<f8'), ('b', '<i4')]' is a structured dtype"));
  EXPECT_TRUE(refuses("object", "descr '|O' (Python objects)"));
  EXPECT_TRUE(refuses("date", "descr '<M8[D]' (dates)"));
  EXPECT_TRUE(refuses("longdouble", "descr '<f16'"));
  EXPECT_TRUE(refuses("axes_33", "more than 32 axes"));
}

TEST(NpyLoad, FilesThatAreNoneOfItsOwn) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npy";
  EXPECT_TRUE(throws([&] { td::load(path); }, "load: " + path + ": cannot be read: No such file"));
  EXPECT_TRUE(throws([&] { td::load(folder / ""); }, "load: ", {"Is a directory"}));
  write_file(path, "");
  EXPECT_TRUE(throws([&] { td::load(path); }, "load: " + path + ": ", {"ends after 0 of 8 bytes"}));
  write_file(path, "1,2,3\n4,5,6\n");
  EXPECT_TRUE(throws([&] { td::load(path); }, "load: " + path + ": is no .npy file: it starts with '1,2,3?'"));
  write_file(path, std::string("\x93NUMPY\4\0abcdefgh", 16));
  EXPECT_TRUE(throws([&] { td::load(path); }, "load: ", {"has version 4.0 of the format"}));
  const std::string bytes = npy_bytes(td::arange(4));
  write_file(path, bytes + "x");
  EXPECT_TRUE(throws([&] { td::load(path); }, "load: ", {"33 bytes of elements where (4,) of int64 takes 32"}));
  write_file(path, bytes.substr(0, bytes.size() - 1));
  for (const bool mapped : {false, true})
    EXPECT_TRUE(throws([&] { td::load(path, {.memory_map = mapped}); }, "load: ", {"31 of the 32 bytes"}));
}

TEST(NpyLoad, HeadersThatLie) {
  const std::string start = "{'descr': '<f8', 'fortran_order': False, 'shape': ";
  const auto refuses = [&](const std::string& text, const std::string& part) {
    return throws([&] { load_bytes(npy_with(text, std::string(64, 'x'))); }, "load: the stream: ", {part});
  };
  EXPECT_TRUE(refuses(start + "(1152921504606846975,)}", "64 of the 9223372036854775800 bytes"));
  EXPECT_TRUE(refuses(start + "(1152921504606846976,)}", "more bytes than can be counted"));
  EXPECT_TRUE(refuses(start + "(4294967296, 4294967296)}", "more bytes than can be counted"));
  EXPECT_TRUE(refuses(start + "(9223372036854775808,)}", "a length was expected"));
  EXPECT_TRUE(refuses(start + "(-1,)}", "'-1,)}' at character 51 where a length was expected"));
  EXPECT_TRUE(refuses(start + "(1.5,)}", "where ',' or ')' was expected"));
  EXPECT_TRUE(refuses(start + "(8)}", "a tuple: (n,) for one axis"));
  EXPECT_TRUE(refuses(start + "[8]}", "a tuple of lengths"));
  EXPECT_TRUE(refuses(start + "(8,), 'shape': (8,)}", "one each of"));
  EXPECT_TRUE(refuses(start + "(8,), 'more': 1}", "one each of"));
  EXPECT_TRUE(refuses(start + "(8,)} + 1", "where the end was expected"));
  EXPECT_TRUE(refuses(start + "(8,)", "its end at character 54"));
  EXPECT_TRUE(refuses("{'descr': '<f8', 'shape': (8,)}", "no key 'fortran_order'"));
  EXPECT_TRUE(refuses("{'descr': '<f8', 'fortran_order': 1, 'shape': (8,)}", "True or False"));
  EXPECT_TRUE(refuses("{'descr': 'f8', 'fortran_order': False, 'shape': (8,)}", "descr 'f8'"));
  EXPECT_TRUE(refuses("{'descr': '', 'fortran_order': False, 'shape': (8,)}", "descr ''"));
  EXPECT_TRUE(refuses("__import__('os').system('true')", "a dictionary"));
  std::string huge("\x93NUMPY\2\0\xff\xff\xff\xff", 12);
  EXPECT_TRUE(throws([&] { load_bytes(huge); }, "load: ", {"the header is said to have 4294967295 bytes"}));
  for (const char* shape : {"(0, 4294967296, 4294967296)", "(4294967296, 4294967296, 0)"}) {
    const Array nothing = load_bytes(npy_with(start + shape + "}", ""));
    EXPECT_EQ(to_string(nothing.shape()), shape);
    EXPECT_EQ(nothing.size(), 0);
    EXPECT_EQ(nothing.nbytes(), 0);
  }
  EXPECT_TRUE(same(load_bytes(npy_with("{\"shape\":(2,),\n\"descr\":\"<u2\",\t'fortran_order':True,}", "abcd")),
                   td::array({25185, 25699}, {.dtype = td::uint16})));
}

/// Loads damaged bytes: a clean error, or an array that fills the file exactly.
void expect_load_or_error(const std::string& damaged, bool truncated, const std::string& path, bool mapped) {
  try {
    const Array x = td::load(path, {.memory_map = mapped});
    EXPECT_FALSE(truncated) << "a part was taken for the whole";
    EXPECT_GE(damaged.size(), static_cast<std::size_t>(x.nbytes()) + 10);
    (void)hash(x);
  } catch (const td::Error& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("load: " + path + ": ")) << error.what();
  }
  try {
    load_bytes(damaged);
  } catch (const td::Error& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("load: the stream: ")) << error.what();
  }
}

TEST(NpyLoad, DamagedFilesAreErrorsOrArrays) {
  MemoryFile file;
  bool mapped = false;
  for (const char* name : {"float64.npy", "bool.npy", "complex64_big_endian.npy", "column_major.npy", "version_3.npy",
                           "python2.npy", "loose_bools.npy", "refused_structured.npy", "scalar.npy"}) {
    const std::string bytes = read_file(data_file(name));
    for_each_damage(bytes, bytes.size(), static_cast<int>(cases(2000)), [&](const std::string& damaged, bool truncated) {
      file.write(damaged);
      expect_load_or_error(damaged, truncated, file.path(), mapped = !mapped);
    });
  }
}

}  // namespace
