// Several threads at once, with arrays of their own and shared ones; life after fork.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;

namespace {

constexpr int n_threads = 8;

/// Runs function(thread) on all threads, started together, and passes on what they throw.
template <class Function>
void in_threads(Function&& function) {
  std::atomic<int> waiting{0};
  std::vector<std::thread> threads;
  std::vector<std::string> errors(n_threads);
  for (int t = 0; t < n_threads; ++t)
    threads.emplace_back([&, t] {
      ++waiting;
      while (waiting < n_threads) std::this_thread::yield();
      try {
        function(t);
      } catch (const std::exception& error) {
        errors[std::size_t(t)] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors) EXPECT_EQ(error, "");
}

/// A bit of everything, as one number.
std::uint64_t all_verbs(std::uint64_t seed) {
  const Array x = td::random::normal({60, 70}, {.seed = seed, .dtype = td::float32});
  std::uint64_t h = hash(td::exp(x) * 2 + td::sqrt(td::abs(x)));
  const auto add = [&](const Array& y) { h = h * 31 + hash(y); };
  add(td::sum(x, {.axis = 0}));
  add(td::var(x, {.axis = 1}));
  add(td::argmax(x));
  add(td::sort(x, {.axis = 0}));
  add(td::argsort(x));
  add(x.T().copy());
  add(x.astype(td::int8));
  add(td::matmul(td::random::integers({20, 30}, -5, 5, {.seed = seed}),
                 td::random::integers({30, 10}, -5, 5, {.seed = seed})));
  add(td::random::integers({100}, 0, 1000, {.seed = seed}));
  add(td::quantile(x, 0.3, {.axis = 1}));
  const Array l = td::linalg::cholesky(td::matmul(x, x.T()) + td::eye(60, {}, {.dtype = td::float32}) * 60);
  add(td::all(td::isfinite(l)));
  Array y = x;
  y(0) = 1;
  y += x;
  add(y);
  return h;
}

TEST(Threads, OwnArrays) {
  std::vector<std::uint64_t> expected;
  for (int t = 0; t < n_threads; ++t) expected.push_back(all_verbs(std::uint64_t(t)));
  in_threads([&](int t) {
    for (std::size_t round = 0; round < cases(8); ++round)
      EXPECT_EQ(all_verbs(std::uint64_t(t)), expected[std::size_t(t)]);
  });
}

TEST(Threads, SharedArraysAreRead) {
  const Array x = td::random::normal({200, 50}, {.seed = 1}).copy();
  const Array expected = (td::tanh(x) + td::sum(x, {.axis = 1, .keepdims = true})).eval();
  in_threads([&](int) {
    for (int round = 0; round < 20; ++round)
      EXPECT_TRUE(same(td::tanh(x) + td::sum(x, {.axis = 1, .keepdims = true}), expected));
  });
}

TEST(Threads, OnePendingExpressionIsNeededByAll) {
  for (int round = 0; round < 50; ++round) {
    const Array x = td::random::normal({30, 40}, {.seed = std::uint64_t(round)}).copy();
    const Array part = x * 2 + 1, whole = td::exp(part) - part, total = td::sum(whole, {.axis = 0});
    const Array a = (x * 2 + 1).eval(), b = (td::exp(a) - a).eval(), c = td::sum(b, {.axis = 0}).eval();
    in_threads([&](int t) {
      const Array* const first = t % 3 == 0 ? &whole : t % 3 == 1 ? &part : &total;
      first->eval();
      EXPECT_TRUE(same(part, a));
      EXPECT_TRUE(same(whole, b));
      EXPECT_TRUE(same(total, c));
      EXPECT_TRUE(same(whole + part, b + a));
    });
  }
}

TEST(Threads, CopiesOfOneArrayAreWritten) {
  const Array x = td::arange(1000).copy();
  in_threads([&](int t) {
    for (int round = 0; round < 50; ++round) {
      Array y = x;
      y(td::slice(t, td::none, n_threads)) = -1;
      y += 1;
      EXPECT_EQ(y(t).item<int>(), 0);
      EXPECT_EQ(y(t + 1).item<int>(), t + 2);
    }
  });
  EXPECT_TRUE(same(x, td::arange(1000)));
}

TEST(Threads, ArraysDieElsewhere) {
  std::vector<Array> made(n_threads);
  in_threads([&](int t) {
    made[std::size_t(t)] = td::full({5000}, t) * 2;
    made[std::size_t(t)].eval();
  });
  in_threads([&](int t) {
    Array other = std::move(made[std::size_t((t + 1) % n_threads)]);
    EXPECT_EQ(td::sum(other).item<int>(), 2 * 5000 * ((t + 1) % n_threads));
  });
}

TEST(Threads, DefaultDeviceIsFoundOnce) {
  const td::Device expected;
  in_threads([&](int) { EXPECT_EQ(td::Device(), expected); });
}

TEST(Fork, ChildGoesOnComputing) {
  if (!on_backend("cpu") && !on_backend("reference")) GTEST_SKIP() << "only backends on the CPU survive a fork";
  const Array x = td::random::uniform({500'000}, {.seed = 1}).copy();
  const std::uint64_t expected = hash(td::sum(td::exp(x))), verbs = all_verbs(3);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int status = 1;
    try {
      status = hash(td::sum(td::exp(x))) == expected && all_verbs(3) == verbs ? 0 : 2;
    } catch (...) {
      status = 3;
    }
    _exit(status);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(hash(td::sum(td::exp(x))), expected);
}

}  // namespace
