#include "blas.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "verbs.hpp"

namespace tandem::cpu {
namespace {

constexpr int own_threads = 1;  // of get_parallel

struct Library {
  Blas functions{};
  bool usable = false;
  std::string problem;
  std::string path, core, configuration;
};

/// OpenBLAS 0.3.21 and older take processors that they do not know for the oldest one: a fifth of the speed on AVX-512.
/// The kernels that this one can run; null leaves the choice to the library.
const char* wanted_core() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return __builtin_cpu_is("amd") ? "Zen" : "Haswell";
  return nullptr;
}

/// Kernels without AVX: what the library falls back to.
bool is_weak(std::string_view core) {
  for (const char* name : {"Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom", "Athlon", "Opteron",
                           "Barcelona", "Bobcat", "Generic"})
    if (core.starts_with(name)) return true;
  return false;
}

std::string own_folder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void*>(&wanted_core), &info) || !info.dli_fname) return "";
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

/// Tries the places in order; `problem` collects why each failed.
void* open(std::string& problem) {
  // A bundled OpenBLAS does not find what it needs itself, but our own run path leads there.
  for (const char* needed : {"libquadmath.so.0", "libgfortran.so.5"}) dlopen(needed, RTLD_NOW | RTLD_LOCAL);
  std::vector<std::string> candidates{own_folder() + "bundle/libopenblas.so.0"};
  if (std::string_view(TANDEM_OPENBLAS_HINT).size() > 0)
    candidates.push_back(std::string(TANDEM_OPENBLAS_HINT) + "/libopenblas.so.0");
  candidates.emplace_back("/usr/lib/x86_64-linux-gnu/openblas-openmp/libopenblas.so.0");
  candidates.emplace_back("libopenblas.so.0");
  for (const std::string& candidate : candidates) {
    if (void* library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    const char* reason = dlerror();
    problem += std::string("; ") + (reason ? reason : candidate.c_str());
  }
  return nullptr;
}

/// A product with known result: a library that gets it wrong on this processor must not be used.
template <class T>
bool multiplies(Blas::Gemm<T, T> gemm, int m, int n, int k) {
  std::vector<T> a(std::size_t(m) * std::size_t(k)), b(std::size_t(k) * std::size_t(n));
  std::vector<T> c(std::size_t(m) * std::size_t(n), T(NAN)), sums(c.size());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = T(int(i % 7) - 3);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = T(int(i % 5) - 2);
  gemm(row_major, no_transpose, no_transpose, m, n, k, 1, a.data(), k, b.data(), n, 0, c.data(), n);
  for (int i = 0; i < m; ++i)
    for (int p = 0; p < k; ++p)
      for (int j = 0; j < n; ++j) sums[std::size_t(i * n + j)] += a[std::size_t(i * k + p)] * b[std::size_t(p * n + j)];
  return c == sums;  // small integers: exact in any order
}

/// One product for the kernels of small matrices, one for the others.
bool is_correct(const Blas& f) {
  return multiplies<float>(f.sgemm, 33, 33, 33) && multiplies<double>(f.dgemm, 33, 33, 33) &&
         multiplies<float>(f.sgemm, 129, 143, 67) && multiplies<double>(f.dgemm, 129, 143, 67);
}

const Blas* loaded = nullptr;
std::atomic<int> single_threaded{0};  // SingleThreadedBlas that limit it

void single_thread_in_child() {
  if (loaded && loaded->set_num_threads) loaded->set_num_threads(1);
}

Library load() {
  Library library;
  const char* chosen = std::getenv("OPENBLAS_CORETYPE") ? nullptr : wanted_core();
  if (chosen) setenv("OPENBLAS_CORETYPE", chosen, 1);
  void* handle = open(library.problem);
  if (chosen) unsetenv("OPENBLAS_CORETYPE");
  if (!handle) {
    library.problem = "OpenBLAS was not found (Debian and Ubuntu: libopenblas0-openmp)" + library.problem;
    return library;
  }
  std::string missing;
  const auto bind = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (!function && missing.empty()) missing = name;
  };
  Blas& f = library.functions;
  bind(f.sgemm, "cblas_sgemm");
  bind(f.dgemm, "cblas_dgemm");
  bind(f.cgemm, "cblas_cgemm");
  bind(f.zgemm, "cblas_zgemm");
  bind(f.sgemv, "cblas_sgemv");
  bind(f.dgemv, "cblas_dgemv");
  bind(f.cgemv, "cblas_cgemv");
  bind(f.zgemv, "cblas_zgemv");
  const auto bind_lapack = [&](auto& lapack, char type) {
    const auto bind_one = [&](auto& function, const char* name) {
      bind(function, (type + std::string(name) + "_").c_str());
    };
    const bool real = type == 's' || type == 'd';
    bind_one(lapack.gemm, "gemm");
    bind_one(lapack.trsm, "trsm");
    bind_one(lapack.laswp, "laswp");
    bind_one(lapack.potrf, "potrf");
    bind_one(lapack.getrf, "getrf");
    bind_one(lapack.getrs, "getrs");
    bind_one(lapack.trtrs, "trtrs");
    bind_one(lapack.geqrf, "geqrf");
    bind_one(lapack.make_q, real ? "orgqr" : "ungqr");
    bind_one(lapack.gebrd, "gebrd");
    bind_one(lapack.larft, "larft");
    bind_one(lapack.larfb, "larfb");
    bind(lapack.bdsdc, type == 's' || type == 'c' ? "sbdsdc_" : "dbdsdc_");
    bind_one(lapack.gesdd, "gesdd");
    bind_one(lapack.syevd, real ? "syevd" : "heevd");
    bind_one(lapack.geev, "geev");
  };
  bind_lapack(f.s, 's');
  bind_lapack(f.d, 'd');
  bind_lapack(f.c, 'c');
  bind_lapack(f.z, 'z');
  bind(f.set_num_threads, "openblas_set_num_threads");
  bind(f.get_parallel, "openblas_get_parallel");
  char* (*core)() = nullptr;
  char* (*configuration)() = nullptr;
  bind(core, "openblas_get_corename");
  bind(configuration, "openblas_get_config");
  if (!missing.empty()) {
    library.problem = "OpenBLAS lacks the function " + missing;
    return library;
  }
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(f.sgemm), &info) && info.dli_fname) library.path = info.dli_fname;
  library.core = core();
  library.configuration = configuration();
  if (chosen && is_weak(library.core))
    log(TD_LOG_WARNING,
        "OpenBLAS (%s) uses its slow %s kernels although the processor can run %s: it lacks them or was loaded before",
        library.path.c_str(), library.core.c_str(), chosen);
  if (f.get_parallel() == own_threads) f.set_num_threads(largest_thread_count());
  if (!is_correct(f)) {
    library.problem = library.path + " computes wrong products on this processor with its " + library.core + " kernels";
    return library;
  }
  library.usable = true;
  return library;
}

const Library& library() {
  static const Library& only = *[] {
    auto* created = new Library(load());
    if (created->usable) {
      loaded = &created->functions;
      pthread_atfork(nullptr, nullptr, single_thread_in_child);
    }
    return created;
  }();
  return only;
}

}  // namespace

const Blas* blas(td_error* error) {
  const Library& found = library();
  if (found.usable) return &found.functions;
  fail(error, TD_UNAVAILABLE, "%s", found.problem.c_str());
  return nullptr;
}

// The number of threads is one for the whole process: the first one that needs a single thread sets it, the last one
// resets it. With one thread anyway, as in a forked child, there is nothing to do.
SingleThreadedBlas::SingleThreadedBlas(const Blas& blas)
    : blas_(blas), limits_(blas.get_parallel() == own_threads && largest_thread_count() > 1) {
  if (limits_ && single_threaded.fetch_add(1) == 0) blas_.set_num_threads(1);
}

SingleThreadedBlas::~SingleThreadedBlas() {
  if (limits_ && single_threaded.fetch_sub(1) == 1) blas_.set_num_threads(largest_thread_count());
}

void describe_blas(td_info_sink sink, void* user) {
  const Library& found = library();
  if (!found.usable) {
    sink(user, "BLAS", found.problem.c_str());
    return;
  }
  sink(user, "BLAS", found.path.c_str());
  sink(user, "BLAS configuration", found.configuration.c_str());
  sink(user, "BLAS kernels", found.core.c_str());
  constexpr const char* threading[] = {"one thread", "its own threads", "OpenMP"};
  sink(user, "BLAS threading", threading[found.functions.get_parallel() % 3]);
}

}  // namespace tandem::cpu
