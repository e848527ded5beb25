// The layer parity finds faults that are planted in a copy of the reference backend (faulty/backend.cpp): each is named
// by verb or operation and index, and can be replayed.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support.hpp"

namespace td = tandem;
namespace la = tandem::linalg;
using namespace tandem::test;
using tandem::Array;

namespace {

/// Every verb that writes arrays, on small arrays with more than five elements.
void call_all_verbs() {
  const Array x = td::random::normal({4, 3}, {.seed = 1}), square = td::random::normal({2, 3, 3}, {.seed = 2});
  const Array y = td::random::normal({4, 3}, {.seed = 3, .dtype = td::float32});
  td::random::poisson({8}, 4.0, {.seed = 4});
  (td::exp(x) * 3).eval();
  td::sqrt(td::abs(x)).eval();
  (td::sin(y) < 0.5f).eval();
  td::sum(td::random::normal({7, 40}, {.seed = 5}) * 3.0, {.axis = 1}).eval();
  td::mean(td::random::normal({7, 40}, {.seed = 5}), {.axis = 1}).eval();
  x.astype(td::float32).eval();
  td::matmul(x, x.T());
  td::sort(x);
  td::argsort(x);
  td::partition(x, 1);
  td::argpartition(td::random::normal({3, 9}, {.seed = 6}), 4);
  td::take(x, td::array({0, 2, 1}), {.axis = 1});
  td::take_along_axis(x, td::argsort(x).astype(td::int32));  // whose indices the verb checks
  Array written = x.copy();
  written(td::array({1, 3})) = 7.0;
  x(x < 1).eval();
  td::cumulative_sum(x, {.axis = 1});
  td::searchsorted(td::sort(x.reshape({12})), y.astype(td::float64).reshape({12}));
  la::cholesky(td::matmul(square, td::matrix_transpose(square)) + td::eye(3));
  la::det(square);
  la::solve(square, td::random::normal({2, 3, 2}, {.seed = 7}));
  la::qr(square);
  la::svd(square);
  la::eigh(square);
  la::eig(square);
  td::fft::fft(x);
  td::fft::rfft(x, {.axis = 0});
}

std::string file_in(const std::string& message) {
  const std::string before = "tandem replay ";
  const std::size_t begin = message.find(before) + before.size();
  return message.substr(begin, message.find(' ', begin) - begin);
}

std::string said_by_replay(const std::string& file, const td::parity::ReplayOptions& options = {}) {
  try {
    return td::parity::replay(file, options).text;
  } catch (const td::Error& error) {
    return error.what();
  }
}

/// What the layer says, and what the replay of the file says that it wrote: on the same backends, and on one alone.
const Probe faults("faults", [] {
  try {
    call_all_verbs();
    return std::string("nothing");
  } catch (const td::Error& error) {
    const std::string message = error.what(), file = file_in(message);
    const std::string text = message + "\n--\n" + said_by_replay(file) + "--\n" +
                             said_by_replay(file, {.backend = "reference", .parity = "reference"});
    std::remove(file.c_str());
    return text;
  }
});

std::string beside_the_test(const char* name) {
  return std::filesystem::read_symlink("/proc/self/exe").replace_filename(name).string();
}

using Environment = std::vector<std::pair<std::string, std::string>>;
/// The device of the suite beside the faulty backend, in one of two roles.
Environment environment(const std::string& fault, bool fault_is_second = false) {
  const std::string device = td::Device().name();
  return {{"TANDEM_BACKEND_DIR", beside_the_test("faulty")}, {"FAULT", fault},
          {"TANDEM_LAYERS", "parity"},
          {"TANDEM_BACKEND", fault_is_second ? device : "faulty"},
          {"TANDEM_PARITY", fault_is_second ? "faulty" : device}};
}

struct Fault {
  const char *name, *found;
};
void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class Faults : public ::testing::TestWithParam<Fault> {};

TEST_P(Faults, AreFoundNamedAndReplayed) {
  const auto& [name, found] = GetParam();
  for (const bool second : {false, true}) {
    if (second && std::string_view(name).starts_with("gather_checked") && on_backend("cpu")) continue;  // it has none
    const std::string text = run_probe("faults", environment(name, second));
    const std::size_t replay = text.find("\n--\n"), alone = text.find("\n--\n", replay + 1);
    ASSERT_NE(alone, text.npos) << text;
    const std::string said = std::string("parity: ") + found;
    EXPECT_NE(text.substr(0, replay).find(said), text.npos) << text;
    EXPECT_NE(text.substr(replay, alone - replay).find(std::string("they differ: ") + found), text.npos) << text;
    EXPECT_NE(text.substr(alone).find("reference and reference agree"), text.npos) << text;
  }
}

constexpr Fault planted[] = {
    {"exp:far", "exp of float64 ("},
    {"multiply", "multiply of float64 ("},
    {"sqrt", "sqrt of float64 ("},
    {"less", "less of float32 ("},
    {"sum", "sum of float64 over a row of 40 at (5, 0) of (7, 1)"},
    {"cast", "cast to float32 of float64 ("},
    {"matmul.c", "matmul: c at (1, 1)"},
    {"sort.values:swap", "sort: values at (1, 2) of (4, 3)"},
    {"sort.indices", "sort: indices at (1, 2) of (4, 3)"},
    {"partition.values:ulp", "partition: values at (1, 2) of (4, 3)"},
    {"partition.indices", "partition: indices at (0, 5) of (3, 9)"},
    {"random.out:ulp", "random: out at (1, 2) of (4, 3)"},
    {"gather.out:swap", "gather: out at (1, 2) of (4, 3)"},
    {"gather_checked.out:swap", "gather_checked: out at (1, 2) of (4, 3)"},
    {"scatter.x:ulp", "scatter: x at (1, 2) of (4, 3)"},
    {"select.out:swap", "select: out at (5,) of (10,)"},
    {"scan.out:ulp", "scan: out at (1, 2) of (4, 3)"},
    {"searchsorted.out", "searchsorted: out at (5,) of (12,)"},
    {"cholesky.l", "cholesky: l"},
    {"lu.lu", "lu: the product of l and u at ("},
    {"lu.pivots", "lu: "},
    {"solve.x", "solve: the product a x at ("},
    {"solve.x:singular", "solve: "},
    {"cholesky.l:singular", "cholesky: "},
    {"qr.q", "qr: q^H q at ("},
    {"qr.r", "qr: the product q r at ("},
    {"svd.u:swap", "svd: u^H u at ("},
    {"svd.s", "svd: s at (2) of matrix 1"},
    {"svd.vh", "svd: vh vh^H at ("},
    {"eigh.w", "eigh: w at (2) of matrix 1"},
    {"eigh.v:swap", "eigh: v^H v at ("},
    {"eig.w", "eig: the sum of powers 1 of w"},
    {"eig.v", "eig: "},
    {"fft.out", "fft: out at (1, 2) of (4, 3)"},
};
INSTANTIATE_TEST_SUITE_P(All, Faults, ::testing::ValuesIn(planted), [](const auto& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (c == '.' || c == ':') c = '_';
  return name;
});

TEST(Parity, FindsNothingWithoutAFault) {
  EXPECT_EQ(run_probe("faults", environment("")), "nothing");
  EXPECT_EQ(run_probe("faults", environment("", true)), "nothing");
}

/// Rows that depend on one another within rounding errors.
const Probe nearly_singular("nearly_singular", [] {
  const Array a = td::array({{0.1, 1.0}, {0.4, 4.0 + 1e-15}}), positive = td::array({{1.0, 1.0}, {1.0, 1.0 + 2e-16}});
  std::string text;
  for (const bool cholesky : {false, true}) try {
      cholesky ? la::cholesky(positive) : la::solve(a, td::ones({2, 1}));
    } catch (const td::Error& error) {
      text += error.what() + std::string("\n");
    }
  return text;
});

TEST(Parity, RoundingMayDecideWhatIsSingular) {
  for (const char* fault : {"solve.x:singular", "cholesky.l:singular"}) {
    const std::string text = run_probe("nearly_singular", environment(fault));
    EXPECT_EQ(text.find("parity"), text.npos) << text;
    EXPECT_NE(text.find("the matrix is singular"), text.npos) << text;
  }
}

const Probe reported("reported", [] {
  const Array x = td::ones({2, 3}).copy();
  for (int i = 0; i < 3; ++i) (td::exp(x) * x).eval();
  std::string text = std::to_string(td::sum(td::exp(x)).item<double>());
  for (int number = 1; number < 5; ++number) {
    const std::string file = "tandem-parity-" + std::to_string(getpid()) + "-" + std::to_string(number) + ".call";
    if (std::remove(file.c_str()) == 0) text += ", " + std::to_string(number);
  }
  return text;
});

/// Each program once, and goes on with what the device made of it: five times e and once -e.
TEST(Parity, OnlyReportsIfAskedTo) {
  Environment variables = environment("exp:far");
  for (auto& [key, value] : variables)
    if (key == "TANDEM_LAYERS") value = "parity:report";
  variables.emplace_back("TANDEM_EAGER", "0");
  EXPECT_EQ(run_probe("reported", variables), "10.873127, 1, 2");
}

// ---- files ----

const Probe writes_a_file("writes_a_file", [] {
  try {
    call_all_verbs();
  } catch (const td::Error& error) {
    return file_in(error.what());
  }
  return std::string();
});

std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Replay, DamagedFilesAreErrors) {
  const std::string file = run_probe("writes_a_file", environment("exp:far")), whole = content_of(file);
  ASSERT_GT(whole.size(), 500u);
  const auto said = [&](const std::string& content) {
    std::ofstream(file, std::ios::binary) << content << std::flush;
    return said_by_replay(file, {.backend = "reference"});
  };
  EXPECT_NE(said(whole).find("reference and"), std::string::npos);
  for (std::size_t length = 0; length < whole.size(); length += 1 + length / 40)
    EXPECT_TRUE(said(whole.substr(0, length)).starts_with("replay: " + file + ": is ")) << length;
  EXPECT_TRUE(said(whole + "x").starts_with("replay: " + file + ": is damaged: "));
  for (std::size_t at = 0; at < whole.size(); at += 1 + at / 30) {
    std::string content = whole;
    content[at] = static_cast<char>(content[at] ^ 0x40);
    EXPECT_TRUE(said(content).starts_with("replay: " + file + ": ")) << at;
  }
  std::remove(file.c_str());
  EXPECT_EQ(said_by_replay(file).find("replay: " + file + ": cannot be read"), 0u);
}

/// The hash is right, but not what it is of: what nobody could have recorded is refused.
TEST(Replay, FilesThatMakeNoSense) {
  constexpr std::size_t head = 32;
  Random random(1);
  for (const char* fault : {"matmul.c", "exp:far", "gather.out:swap", "fft.out"}) {
    const std::string file = run_probe("writes_a_file", environment(fault)), whole = content_of(file);
    int refused = 0;
    for (std::size_t i = 0; i < cases(800); ++i) {
      std::string content = whole;
      const std::size_t at = head + random.bits() % (content.size() - head);
      content[at] = static_cast<char>(random.bits());
      std::uint64_t hash = 14695981039346656037u;
      for (std::size_t k = head; k < content.size(); ++k)
        hash = (hash ^ static_cast<unsigned char>(content[k])) * 1099511628211u;
      std::memcpy(content.data() + 24, &hash, sizeof hash);
      std::ofstream(file, std::ios::binary) << content << std::flush;
      try {
        td::parity::replay(file, {.backend = "none", .parity = "none"});
      } catch (const td::BackendUnavailable&) {  // it was read
      } catch (const td::Error& error) {
        ++refused;
        EXPECT_TRUE(std::string_view(error.what()).starts_with("replay: ")) << error.what();
      }
    }
    EXPECT_GT(refused, int(cases(800)) / 10) << fault;
    std::remove(file.c_str());
  }
}

TEST(Replay, MistakesAreNamed) {
  const auto message = [](const std::string& layers, const std::string& parity) {
    return run_probe("refused_by_parity", {{"TANDEM_LAYERS", layers}, {"TANDEM_PARITY", parity}});
  };
  EXPECT_EQ(message("parity:none", "").find("Device: TANDEM_LAYERS: parity:none: backend none cannot be used: "), 0u);
  EXPECT_EQ(message("parity", "nobody").find("Device: TANDEM_PARITY=nobody: backend nobody cannot be used: "), 0u);
  EXPECT_EQ(message("parity", "reference:3").find("Device: TANDEM_PARITY=reference:3: there is no reference:3; "),
            0u);
  EXPECT_EQ(message("parity:../cpu", "").find("Device: TANDEM_LAYERS: parity:../cpu: \"../cpu\" is no device"), 0u);
}

const Probe refused_by_parity("refused_by_parity", [] {
  try {
    return td::Device().name();
  } catch (const td::Error& error) {
    return std::string(error.what());
  }
});

}  // namespace
