// Finding and loading backends, with those of tests/dispatch, which third parties could have written: they lie in
// TANDEM_BACKEND_DIR. Messages are checked in full, for they are all that a user has to go by.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "support.hpp"

namespace tandem::test {
namespace {

std::string third_party_folder() {
  const char* folder = std::getenv("TANDEM_BACKEND_DIR");
  if (!folder) throw std::runtime_error("TANDEM_BACKEND_DIR must name the folder of the third parties' backends");
  return folder;
}

const BackendInfo* find(const std::vector<BackendInfo>& list, std::string_view name) {
  const auto at = std::find_if(list.begin(), list.end(), [&](const BackendInfo& b) { return b.name == name; });
  return at == list.end() ? nullptr : &*at;
}

std::string own_folder() {
  static const std::string folder = std::filesystem::path(find(backends(), "cpu")->path).parent_path();
  return folder;
}

template <class Function>
std::string message(Function&& function) {
  try {
    function();
  } catch (const BackendUnavailable& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// What Device(name) says if the file in the third parties' folder has this problem.
std::string not_usable(const std::string& name, const std::string& problem) {
  const std::string file = "/libtandem_" + name + ".so: ";
  return "Device: backend " + name + " cannot be used: no usable library:\n  " + third_party_folder() + file + problem +
         "\n  " + own_folder() + file + "no such file";
}

TEST(Loading, every_path_and_why_it_failed) {
  const std::pair<const char*, const char*> cases[] = {
      {"nowhere", "no such file"},
      {"text", "cannot be loaded: file too short"},
      {"no_symbol", "is no backend; it has no symbol tandem_backend"},
      {"no_table", "tandem_backend returned no table"},
      {"wrong_abi", "was built for ABI version 7, this is version 1"},
      {"short_head", "has a table that is too short"},
      {"nameless", "does not say its name"},
      {"misnamed", "calls itself somebody, not misnamed"},
  };
  for (const auto& [name, problem] : cases) {
    EXPECT_EQ(message([&] { Device device(name); }), not_usable(name, problem));
    EXPECT_EQ(message([&] { Device device(name); }), not_usable(name, problem)) << "the second time";
  }
}

TEST(Loading, a_loaded_backend_speaks_for_itself) {
  const std::string folder = third_party_folder();
  EXPECT_EQ(message([] { Device device("no_device"); }), "Device: backend no_device cannot be used: " + folder +
                                                             "/libtandem_no_device.so: the driver is too old: "
                                                             "version 1, 2 is needed");
  EXPECT_EQ(message([] { Device device("no_verbs"); }), "Device: backend no_verbs cannot be used: " + folder +
                                                            "/libtandem_no_verbs.so: backend no_verbs (" + folder +
                                                            "/libtandem_no_verbs.so) does not provide the verb "
                                                            "device_count");
  EXPECT_EQ(message([] { Device device("cannot_open"); }), "Device: device 0 is in use by another process");
  EXPECT_EQ(message([] { Device device("tiny:2"); }), "Device: there is no tiny:2; backend tiny has 2 devices");
  EXPECT_EQ(message([] { Device device("cpu:1"); }), "Device: there is no cpu:1; backend cpu has 1 device");
}

TEST(Loading, names_that_make_no_sense) {
  for (const char* name : {"", ":", "cpu:", ":0", "cpu:x", "cpu:0x", "cpu:-1", "../cpu", "a b", "cpu:99999999999"})
    EXPECT_TRUE(throws([&] { Device device(name); }, "Device: \"" + std::string(name) + "\" is no device")) << name;
}

TEST(Loading, never_from_the_current_folder) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(third_party_folder());
  const std::string text = run_probe("default_device", {{"TANDEM_BACKEND_DIR", "::"}, {"TANDEM_BACKEND", "tiny"}});
  std::filesystem::current_path(before);
  EXPECT_EQ(text, "Device: TANDEM_BACKEND=tiny: backend tiny cannot be used: no usable library:\n  " + own_folder() +
                      "/libtandem_tiny.so: no such file");
}

TEST(Loading, by_many_threads_at_once) { EXPECT_EQ(run_probe("threads", {}), "tiny:1 tiny:1 tiny:1 tiny:1 "); }
const Probe threads("threads", [] {
  std::string names[4];
  std::vector<std::thread> pool;
  for (std::string& name : names) pool.emplace_back([&] { name = Device("tiny:1").name(); });
  for (std::thread& thread : pool) thread.join();
  std::string text;
  for (const std::string& name : names) text += name + " ";
  return text;
});

TEST(ThirdParty, adds) {
  const Device tiny("tiny:1");
  EXPECT_EQ(tiny.name(), "tiny:1");
  EXPECT_EQ(tiny.backend(), "tiny");
  EXPECT_EQ(tiny.index(), 1);
  EXPECT_TRUE(tiny.shares_host_memory());
  {
    const Array a = array(std::vector<float>{1, 2, 3}, {.device = tiny}), b = array(std::vector<float>{10, 20, 30}, {.device = tiny});
    const Array c = a + b;
    EXPECT_EQ(c.device(), tiny);
    EXPECT_EQ(c.to_vector<float>(), (std::vector<float>{11, 22, 33}));
    EXPECT_EQ((c(slice(none, none, -2)) + c(slice(0, 2))).to_vector<float>(), (std::vector<float>{44, 33}));
    EXPECT_GT(tiny.memory().used_bytes, 0);
    EXPECT_EQ(Device("tiny:0").memory().used_bytes, 0);
    EXPECT_EQ(c.to("cpu").to_vector<float>(), (std::vector<float>{11, 22, 33}));
  }
  EXPECT_EQ(tiny.memory().used_bytes, 0);
}

TEST(ThirdParty, refuses_what_it_lacks) {
  const Array a = array(std::vector<float>{1, 2, 3}, {.device = "tiny:0"});
  EXPECT_TRUE(throws<NotSupported>([&] { (a * a).eval(); }, "eval: tiny adds float32 arrays and does nothing else"));
  const std::string file = third_party_folder() + "/libtandem_tiny.so";
  EXPECT_TRUE(throws<NotSupported>([&] { sort(a); }, "sort: backend tiny (" + file + ") does not provide the verb sort"));
  EXPECT_TRUE(throws<NotSupported>([&] { Event event(Device("tiny:0")); },
                                   "Event: backend tiny (" + file + ") does not provide the verb event_create"));
  EXPECT_EQ(a.to_vector<float>(), (std::vector<float>{1, 2, 3}));
}

const Probe default_device("default_device", [] {
  try {
    const Array a = ones({3}, {.dtype = float32});
    return a.device().name();
  } catch (const Error& error) {
    return std::string(error.what());
  }
});

TEST(Choice, by_environment) {
  const auto chosen = [](const std::string& backend) { return run_probe("default_device", {{"TANDEM_BACKEND", backend}}); };
  EXPECT_EQ(chosen("cpu"), "cpu");
  EXPECT_EQ(chosen("cpu:0"), "cpu");
  EXPECT_EQ(chosen("reference"), "reference");
  EXPECT_EQ(chosen("tiny:1"), "tiny:1");
  EXPECT_EQ(chosen("wrong_abi").find("Device: TANDEM_BACKEND=wrong_abi: backend wrong_abi cannot be used: "), 0u);
  EXPECT_EQ(chosen("no device"),
            "Device: TANDEM_BACKEND=no device: \"no device\" is no device; \"cpu\", \"cuda\" or \"cuda:1\" would be");
  const std::vector<BackendInfo> list = backends();
  const BackendInfo* cuda = find(list, "cuda");
  ASSERT_NE(cuda, nullptr);
  for (const char* automatic : {"", "auto"}) EXPECT_EQ(chosen(automatic), cuda->devices.empty() ? "cpu" : "cuda:0");
}

TEST(Choice, by_program) {
  const Device before;
  set_default_device("reference");
  EXPECT_EQ(zeros({2}).device().name(), "reference");
  EXPECT_EQ(devices().front().name(), "reference");
  set_default_device(before);
  EXPECT_EQ(zeros({2}).device(), before);
}

TEST(Choice, devices_in_one_process_do_not_mix) {
  const Array a = ones({3}, {.device = "cpu"}), b = ones({3}, {.device = "reference"});
  EXPECT_EQ((a + a).device().name(), "cpu");
  EXPECT_EQ((b + b).device().name(), "reference");
  EXPECT_TRUE(throws([&] { a + b; }, "add: arrays are on different devices, cpu and reference; use to(device)"));
  EXPECT_TRUE(throws([&] { concat({a, b}); }, "concat: ", {"cpu and reference"}));
  Array target = a;
  EXPECT_TRUE(throws([&] { target(slice(0, 3)) = b; }, "assign: ", {"cpu and reference"}));
  EXPECT_EQ((a + b.to("cpu")).to_vector<double>(), (std::vector<double>{2, 2, 2}));
  EXPECT_EQ((a.to("reference") + b).to_vector<double>(), (std::vector<double>{2, 2, 2}));
}

/// Standard error of a probe that makes an array.
std::string log_lines(const std::string& level) {
  const std::string file = "dispatch_test_log.txt";
  run_probe("log_to_file", {{"TANDEM_LOG", level}, {"TANDEM_BACKEND", "tiny:0"}});
  FILE* in = std::fopen(file.c_str(), "r");
  std::string text(10000, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), in));
  std::fclose(in);
  std::filesystem::remove(file);
  return text;
}
const Probe log_to_file("log_to_file", [] {
  if (!std::freopen("dispatch_test_log.txt", "w", stderr)) throw std::runtime_error("freopen failed");
  return Device().name() + Device().name();
});

TEST(Log, levels) {
  EXPECT_EQ(log_lines(""), "");
  EXPECT_EQ(log_lines("warning"), "");
  EXPECT_EQ(log_lines("info"), "tandem: info: tiny is here\n");
  EXPECT_EQ(log_lines("debug"), "tandem: info: tiny is here\ntandem: debug: backend tiny loaded from " +
                                    third_party_folder() + "/libtandem_tiny.so\n");
  EXPECT_EQ(log_lines("loud"), "tandem: warning: TANDEM_LOG=loud is none of error, warning, info, debug\n");
}

TEST(Info, shows_what_was_found) {
  const std::vector<BackendInfo> list = backends();
  const BackendInfo* tiny = find(list, "tiny");
  ASSERT_NE(tiny, nullptr);
  EXPECT_EQ(tiny->path, third_party_folder() + "/libtandem_tiny.so");
  EXPECT_EQ(tiny->problem, "");
  EXPECT_EQ(tiny->devices, (std::vector<std::string>{"tiny:0", "tiny:1"}));
  ASSERT_EQ(tiny->facts.size(), 1u);
  EXPECT_EQ(tiny->facts[0].second, "small is \"beautiful\"");
  const std::string text = run_probe("info", {{"TANDEM_UNHEARD_OF", "1"}});
  EXPECT_NE(text.find("\n  motto: small is \"beautiful\"\n"), text.npos) << text;
  EXPECT_NE(text.find("was built for ABI version 7, this is version 1"), text.npos) << text;
  EXPECT_NE(text.find("\n  TANDEM_UNHEARD_OF is not a variable of tandem\n"), text.npos) << text;
  EXPECT_NE(text.find("\n  TANDEM_BACKEND=cpu\n"), text.npos) << text;
  const std::string json = info(true);
  EXPECT_NE(json.find(R"("facts": {"motto": "small is \"beautiful\""})"), json.npos) << json;
}
const Probe info_text("info", [] { return info(); });

}  // namespace
}  // namespace tandem::test
