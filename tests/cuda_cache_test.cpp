// Compiled kernels on disk, and the compiler. No device is needed.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "disk_cache.hpp"
#include "kernel_cache.hpp"
#include "nvrtc.hpp"

namespace tandem::cuda {
namespace {

namespace fs = std::filesystem;

/// A fresh folder, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "tandem-cache-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

const KernelKey key{"the source", "--gpu-architecture=sm_90\n", "NVRTC 13.0"};
const std::string image("\x7f" "ELF\0 and more", 14);

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
}

unsigned mode(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

std::size_t files_in(const std::string& path) {
  return std::size_t(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
}

/// What is loaded, or "a miss".
std::string loaded(const DiskCache& cache, const KernelKey& wanted = key) {
  std::string text = "untouched";
  if (cache.load(wanted, &text)) return text;
  EXPECT_EQ(text, "untouched");
  return "a miss";
}

TEST(DiskCache, keeps_what_was_stored) {
  const Folder folder;
  const DiskCache cache(folder / "a/b/tandem");
  EXPECT_EQ(loaded(cache), "a miss");
  ASSERT_TRUE(cache.store(key, image));
  EXPECT_EQ(loaded(cache), image);
  ASSERT_TRUE(cache.store(key, "another image"));
  EXPECT_EQ(loaded(cache), "another image");
  EXPECT_EQ(files_in(cache.folder()), 1u);
  EXPECT_EQ(mode(cache.folder()), 0700u);
  EXPECT_EQ(mode(folder / "a"), 0700u);
  EXPECT_EQ(mode(cache.folder() + "/" + DiskCache::file_name(key)), 0600u);
  EXPECT_EQ(loaded(DiskCache(cache.folder())), "another image");
}

TEST(DiskCache, tells_keys_apart) {
  const Folder folder;
  const DiskCache cache(folder.path());
  ASSERT_TRUE(cache.store(key, image));
  const KernelKey others[] = {
      {"the source ", key.options, key.compiler},
      {key.source, "--gpu-architecture=sm_80\n", key.compiler},
      {key.source, key.options, "NVRTC 12.9"},
      {key.source + key.options, "", key.compiler},
      {"", key.options + key.source, key.compiler},
  };
  for (const KernelKey& other : others) {
    EXPECT_NE(other.text(), key.text());
    EXPECT_EQ(loaded(cache, other), "a miss");
    // Also if their files had the same name.
    fs::copy_file(folder / DiskCache::file_name(key), folder / DiskCache::file_name(other),
                  fs::copy_options::overwrite_existing);
    EXPECT_EQ(loaded(cache, other), "a miss");
    ASSERT_TRUE(cache.store(other, "its own"));
    EXPECT_EQ(loaded(cache, other), "its own");
  }
  EXPECT_EQ(loaded(cache), image);
}

TEST(DiskCache, refuses_damaged_files) {
  const Folder folder;
  const DiskCache cache(folder.path());
  ASSERT_TRUE(cache.store(key, image));
  const std::string path = folder / DiskCache::file_name(key);
  const std::string whole = read(path);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write(path, whole.substr(0, length));
    ASSERT_EQ(loaded(cache), "a miss") << "the first " << length << " bytes";
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = char(changed[i] ^ 1);
    write(path, changed);
    ASSERT_EQ(loaded(cache), "a miss") << "byte " << i << " changed";
  }
  write(path, whole + "x");
  EXPECT_EQ(loaded(cache), "a miss");
  ASSERT_TRUE(cache.store(key, image)) << "a damaged file is replaced";
  EXPECT_EQ(read(path), whole);
  EXPECT_EQ(loaded(cache), image);
}

TEST(DiskCache, takes_only_what_is_the_users_own) {
  const Folder folder;
  const DiskCache cache(folder / "cache");
  ASSERT_TRUE(cache.store(key, image));
  const std::string file = cache.folder() + "/" + DiskCache::file_name(key);

  fs::permissions(cache.folder(), fs::perms(0770));
  EXPECT_EQ(loaded(cache), "a miss") << "others may write into the folder";
  EXPECT_FALSE(cache.store(key, image));
  fs::permissions(cache.folder(), fs::perms(0700));
  EXPECT_EQ(loaded(cache), image);

  fs::permissions(file, fs::perms(0622));
  EXPECT_EQ(loaded(cache), "a miss") << "others may write the file";
  fs::permissions(file, fs::perms(0600));

  fs::rename(file, folder / "elsewhere");
  fs::create_symlink(folder / "elsewhere", file);
  EXPECT_EQ(loaded(cache), "a miss") << "a link";
  ASSERT_TRUE(cache.store(key, "new")) << "which is replaced, not followed";
  EXPECT_EQ(loaded(cache), "new");
  EXPECT_NE(read(folder / "elsewhere").find(image), std::string::npos);

  fs::remove(file);
  fs::create_directory(file);
  EXPECT_EQ(loaded(cache), "a miss") << "a folder";
  EXPECT_FALSE(cache.store(key, image));
  EXPECT_EQ(files_in(cache.folder()), 1u) << "no temporary file stays behind";
}

TEST(DiskCache, works_without_a_usable_folder) {
  const Folder folder;
  write(folder / "file", "text");
  for (const std::string& path : {std::string(), folder / "file", folder / "file/cache", std::string("/proc/tandem")}) {
    const DiskCache cache(path);
    EXPECT_FALSE(cache.store(key, image)) << path;
    EXPECT_EQ(loaded(cache), "a miss") << path;
  }
  EXPECT_EQ(read(folder / "file"), "text");
  if (geteuid() == 0) return;  // who may write everywhere
  const DiskCache cache(folder / "read only");
  ASSERT_TRUE(cache.store(key, image));
  fs::permissions(cache.folder(), fs::perms(0500));
  EXPECT_FALSE(cache.store(key, "new"));
  EXPECT_EQ(loaded(cache), image);
  fs::permissions(cache.folder(), fs::perms(0700));
}

TEST(DiskCache, serves_several_processes_at_once) {
  const Folder folder;
  const DiskCache cache(folder / "cache");
  constexpr int processes = 4, rounds = 40;
  // Each stores images of one letter; whatever another one finds must be whole.
  const auto run = [&](int process) {
    for (int round = 0; round < rounds; ++round) {
      const KernelKey shared{std::to_string(round % 4), key.options, key.compiler};
      if (!cache.store(shared, std::string(200'000, char('a' + process)))) return 1;
      std::string found;
      if (!cache.load(shared, &found)) return 2;
      if (found != std::string(200'000, found[0])) return 3;
    }
    return 0;
  };
  pid_t children[processes];
  for (int i = 0; i < processes; ++i) {
    children[i] = fork();
    ASSERT_GE(children[i], 0);
    if (children[i] == 0) _exit(run(i));
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files_in(cache.folder()), 4u);
}

/// Sets a variable for the length of a test; null removes it.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old, had_ = true;
    set(value);
  }
  ~Variable() { set(had_ ? old_.c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) { value ? setenv(name_, value, 1) : unsetenv(name_); }
  const char* name_;
  std::string old_;
  bool had_ = false;
};

TEST(DiskCache, has_its_place) {
  const auto place = [](const char* own, const char* caches, const char* home) {
    const Variable a("TANDEM_CACHE_DIR", own), b("XDG_CACHE_HOME", caches), c("HOME", home);
    return cache_folder();
  };
  EXPECT_EQ(place("/own", "/caches", "/home/me"), "/own");
  EXPECT_EQ(place("", "/caches", "/home/me"), "");
  EXPECT_EQ(place("relative", "/caches", "/home/me"), "");
  EXPECT_EQ(place(nullptr, "/caches", "/home/me"), "/caches/tandem");
  EXPECT_EQ(place(nullptr, nullptr, "/home/me"), "/home/me/.cache/tandem");
  EXPECT_EQ(place(nullptr, "relative", "/home/me"), "/home/me/.cache/tandem");
  EXPECT_EQ(place(nullptr, "", ""), "");
  EXPECT_EQ(place(nullptr, nullptr, nullptr), "");
}

constexpr const char* kernel =
    "extern \"C\" __global__ void twice(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }\n";

/// Whether the compiler is there; the status of a test that needs it is "skipped" otherwise.
bool have_compiler(std::string* reason) {
  CompilerInfo info;
  td_error error{};
  const td_status status = compiler_info(&info, &error);
  EXPECT_TRUE(status == TD_OK || status == TD_UNAVAILABLE);
  *reason = error.message;
  return status == TD_OK;
}

TEST(Compiler, makes_machine_code_for_the_card) {
  std::string reason, first, second;
  if (!have_compiler(&reason)) GTEST_SKIP() << reason;
  td_error error{};
  for (const int architecture : {80, 90}) {
    ASSERT_EQ(compile(kernel, architecture, &first, &error), TD_OK) << error.message;
    EXPECT_EQ(first.substr(0, 4), "\x7f" "ELF");
    ASSERT_EQ(compile(kernel, architecture, &second, &error), TD_OK) << error.message;
    EXPECT_EQ(first, second);
  }
  ASSERT_EQ(compile(kernel, 999, &first, &error), TD_OK) << error.message;
  EXPECT_NE(first.find(".entry twice"), std::string::npos) << "PTX for cards to come";
  EXPECT_EQ(first.back(), '\0');
}

TEST(Compiler, does_not_contract_or_flush) {
  std::string reason, text;
  if (!have_compiler(&reason)) GTEST_SKIP() << reason;
  td_error error{};
  ASSERT_EQ(compile("extern \"C\" __global__ void f(float* x) { x[0] = x[1] * x[2] + x[3] / sqrtf(x[4]); }", 999, &text,
                    &error), TD_OK) << error.message;
  for (const char* wanted : {"mul.f32", "add.f32", "div.rn.f32", "sqrt.rn.f32"})
    EXPECT_TRUE(text.find(wanted) != text.npos || text.find(std::string(wanted).insert(3, ".rn")) != text.npos)
        << wanted;
  EXPECT_EQ(text.find("fma"), text.npos);
  EXPECT_EQ(text.find("ftz"), text.npos);
}

TEST(Compiler, says_what_is_wrong) {
  std::string reason, text;
  if (!have_compiler(&reason)) GTEST_SKIP() << reason;
  td_error error{};
  EXPECT_EQ(compile("extern \"C\" __global__ void f() { nonsense; }", 90, &text, &error), TD_INTERNAL);
  EXPECT_EQ(std::string(error.message).rfind("a kernel does not compile: ", 0), 0u) << error.message;
  EXPECT_NE(std::string(error.message).find("identifier \"nonsense\" is undefined"), std::string::npos)
      << error.message;
}

TEST(Compiler, chooses_the_target) {
  const std::vector<int> known{80, 86, 89, 90, 120};
  const auto chosen = [&](int architecture) {
    Target target{0, false};
    td_error error{};
    const td_status status = choose_target(architecture, known, &target, &error);
    if (status != TD_OK) return std::to_string(status) + ": " + error.message;
    return compiler_options(target).front();
  };
  EXPECT_EQ(chosen(90), "--gpu-architecture=sm_90");
  EXPECT_EQ(chosen(87), "--gpu-architecture=sm_86");
  EXPECT_EQ(chosen(100), "--gpu-architecture=compute_90");
  EXPECT_EQ(chosen(121), "--gpu-architecture=sm_120");
  EXPECT_EQ(chosen(130), "--gpu-architecture=compute_120");
  EXPECT_EQ(chosen(75), std::to_string(TD_UNAVAILABLE) +
                            ": the compiler knows no device as old as compute capability 7.5; its oldest is 8.0");
}

TEST(Compiler, results_are_kept_by_architecture) {
  std::string reason, code, found;
  if (!have_compiler(&reason)) GTEST_SKIP() << reason;
  const Folder folder;
  const DiskCache cache(folder.path());
  td_error error{};
  ASSERT_EQ(compile(kernel, Target{90, false}, &code, &error), TD_OK) << error.message;
  ASSERT_TRUE(cache.store(kernel_key(kernel, 90), code));
  ASSERT_TRUE(cache.load(kernel_key(kernel, 90), &found));
  EXPECT_EQ(found, code);
  EXPECT_FALSE(cache.load(kernel_key(kernel, 80), &found));
  EXPECT_NE(kernel_key(kernel, 90).compiler.find("libnvrtc.so."), std::string::npos);
}

}  // namespace
}  // namespace tandem::cuda
