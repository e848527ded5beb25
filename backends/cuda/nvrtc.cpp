#include "nvrtc.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <nvrtc.h>
#include <sys/stat.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <memory>

#include "device.hpp"
#include "library.hpp"

namespace tandem::cuda {
namespace {

#define TD_NVRTC_FUNCTIONS(X)                                                                                    \
  X(Version) X(GetNumSupportedArchs) X(GetSupportedArchs) X(CreateProgram) X(DestroyProgram) X(CompileProgram)   \
  X(GetProgramLogSize) X(GetProgramLog) X(GetCUBINSize) X(GetCUBIN) X(GetPTXSize) X(GetPTX) X(GetErrorString)

struct Compiler {
#define X(name) decltype(&nvrtc##name) name = nullptr;
  TD_NVRTC_FUNCTIONS(X)
#undef X
  CompilerInfo info;
  std::vector<int> architectures;
  td_status status = TD_OK;  // of loading
  td_error error{};
};

/// NVRTC opens its built-in functions by their bare name when it compiles; the loader finds them if they are open
/// already.
void preload_builtins(const std::string& library) {
  char real[PATH_MAX];
  if (realpath(library.c_str(), real) == nullptr) return;
  const std::string folder = std::string(real).substr(0, std::string(real).rfind('/') + 1);
  DIR* entries = opendir(folder.c_str());
  if (entries == nullptr) return;
  while (const dirent* entry = readdir(entries))
    if (std::string_view(entry->d_name).starts_with("libnvrtc-builtins.so."))
      (void)dlopen((folder + entry->d_name).c_str(), RTLD_NOW | RTLD_LOCAL);
  closedir(entries);
}

constexpr int newest_version = 13;

td_status load(Compiler& compiler) {
  Library library;
  Stopwatch watch;
  td_error* error = &compiler.error;
  td_status status = open_library("nvrtc", {newest_version, 12}, &library, error);
#define X(name) if (status == TD_OK) status = find_symbol(library, "nvrtc" #name, &compiler.name, error);
  TD_NVRTC_FUNCTIONS(X)
#undef X
  if (status != TD_OK) return status;
  preload_builtins(library.path);
  compiler.info.path = library.path;
  int count = 0;
  nvrtcResult result = compiler.Version(&compiler.info.major, &compiler.info.minor);
  if (result == NVRTC_SUCCESS) result = compiler.GetNumSupportedArchs(&count);
  compiler.architectures.resize(std::size_t(count));
  if (result == NVRTC_SUCCESS) result = compiler.GetSupportedArchs(compiler.architectures.data());
  if (result != NVRTC_SUCCESS)
    return fail(error, TD_UNAVAILABLE, "%s does not work: %s", library.path.c_str(), compiler.GetErrorString(result));
  std::sort(compiler.architectures.begin(), compiler.architectures.end());
  log(TD_LOG_DEBUG, "NVRTC %d.%d loaded in %.2f ms from %s", compiler.info.major, compiler.info.minor, watch.lap(),
      library.path.c_str());
  return TD_OK;
}

/// The compiler, loaded by the first call; null if it cannot be.
const Compiler* find_compiler(td_status* status, td_error* error) {
  static const Compiler& compiler = *[] {
    auto* made = new Compiler;
    made->status = load(*made);
    return made;
  }();
  *status = compiler.status;
  if (compiler.status == TD_OK) return &compiler;
  fail(error, compiler.status, "%s", compiler.error.message);
  return nullptr;
}

/// The log from its first error on, as much as a message holds.
std::string log_of(const Compiler& compiler, nvrtcProgram program) {
  std::size_t size = 0;
  if (compiler.GetProgramLogSize(program, &size) != NVRTC_SUCCESS || size <= 1) return "it gives no reason";
  std::string log(size, '\0');
  if (compiler.GetProgramLog(program, log.data()) != NVRTC_SUCCESS) return "it gives no reason";
  log.pop_back();
  const std::size_t first = log.find("error");
  if (first == log.npos) return log;
  const std::size_t line = log.rfind('\n', first);
  return log.substr(line == log.npos ? 0 : line + 1);
}

td_status read_image(const Compiler& compiler, nvrtcProgram program, bool portable, std::string* image,
                     td_error* error) {
  std::size_t size = 0;
  nvrtcResult result = portable ? compiler.GetPTXSize(program, &size) : compiler.GetCUBINSize(program, &size);
  if (result == NVRTC_SUCCESS) {
    image->resize(size);
    result = portable ? compiler.GetPTX(program, image->data()) : compiler.GetCUBIN(program, image->data());
  }
  if (result == NVRTC_SUCCESS && size > 0) return TD_OK;
  return fail(error, TD_INTERNAL, "the compiler gave no code: %s", compiler.GetErrorString(result));
}

}  // namespace

td_status compiler_info(CompilerInfo* info, td_error* error) {
  td_status status;
  if (const Compiler* compiler = find_compiler(&status, error)) *info = compiler->info;
  return status;
}

std::string compiler_identity() {
  static const std::string& identity = *[] {
    std::string file = library_file("nvrtc", newest_version);
    CompilerInfo info;
    td_error ignored;
    if (file.empty() && compiler_info(&info, &ignored) == TD_OK) file = info.path;
    char real[PATH_MAX];
    struct stat status;
    if (file.empty() || realpath(file.c_str(), real) == nullptr || stat(real, &status) != 0) return new std::string;
    return new std::string(std::string(real).substr(std::string(real).rfind('/') + 1) + " " +
                           std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
                           std::to_string(status.st_mtim.tv_nsec));
  }();
  return identity;
}

td_status choose_target(int architecture, const std::vector<int>& known, Target* target, td_error* error) {
  const auto after = std::upper_bound(known.begin(), known.end(), architecture);
  if (after == known.begin())
    return fail(error, TD_UNAVAILABLE,
                "the compiler knows no device as old as compute capability %d.%d; its oldest is %d.%d",
                architecture / 10, architecture % 10, known.empty() ? 0 : known.front() / 10,
                known.empty() ? 0 : known.front() % 10);
  const int newest = *(after - 1);
  *target = {newest, newest / 10 != architecture / 10};
  return TD_OK;
}

td_status find_target(int architecture, Target* target, td_error* error) {
  td_status status;
  const Compiler* compiler = find_compiler(&status, error);
  return compiler ? choose_target(architecture, compiler->architectures, target, error) : status;
}

std::vector<std::string> common_options() {
  return {"--std=c++17",      "--fmad=false",     "--ftz=false",
          "--prec-div=true", "--prec-sqrt=true", "--device-as-default-execution-space"};
}

std::vector<std::string> compiler_options(const Target& target) {
  const char* const form = target.portable ? "compute_" : "sm_";
  std::vector<std::string> options = common_options();
  options.insert(options.begin(), "--gpu-architecture=" + (form + std::to_string(target.architecture)));
  // Without textures and the like, which kernels here do not use: a fifth of the time of compiling a small one.
  CompilerInfo info;
  td_error ignored;
  if (compiler_info(&info, &ignored) == TD_OK && info.major >= 13) options.push_back("--minimal");
  return options;
}

td_status compile(std::string_view source, const Target& target, std::string* image, td_error* error) {
  td_status status;
  const Compiler* const compiler = find_compiler(&status, error);
  if (compiler == nullptr) return status;
  nvrtcProgram program = nullptr;
  nvrtcResult result =
      compiler->CreateProgram(&program, std::string(source).c_str(), "program.cu", 0, nullptr, nullptr);
  if (result != NVRTC_SUCCESS)
    return fail(error, TD_INTERNAL, "the compiler does not start: %s", compiler->GetErrorString(result));
  const auto destroy = [&](nvrtcProgram* owned) { compiler->DestroyProgram(owned); };
  const std::unique_ptr<nvrtcProgram, decltype(destroy)> owner(&program, destroy);
  const std::vector<std::string> options = compiler_options(target);
  std::vector<const char*> arguments;
  for (const std::string& option : options) arguments.push_back(option.c_str());
  result = compiler->CompileProgram(program, int(arguments.size()), arguments.data());
  if (result == NVRTC_ERROR_COMPILATION)
    return fail(error, TD_INTERNAL, "a kernel does not compile: %s", log_of(*compiler, program).c_str());
  if (result != NVRTC_SUCCESS)
    return fail(error, TD_INTERNAL, "the compiler failed: %s: %s", compiler->GetErrorString(result),
                log_of(*compiler, program).c_str());
  return read_image(*compiler, program, target.portable, image, error);
}

}  // namespace tandem::cuda
