// Recording and running: fused results have the bits of single steps, bounds hold, reasons are counted.
#include <cstdlib>

#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;
using tandem::Shape;

namespace {

Array keep_rows(const Array& x, const Array& row) { return x - row; }

/// One random step over arrays of one shape; rows of reductions come back to full size at once.
Array random_step(Random& random, const Array& a, const Array& b) {
  switch (random.integer(0, 17)) {
    case 0: return a + b;
    case 1: return a - b * 0.5;
    case 2: return a * b;
    case 3: return td::where(td::real(a) < td::real(b), a, b);
    case 4: return td::sqrt(td::abs(a));
    case 5: return td::maximum(a, b);
    case 6: return td::exp(td::minimum(td::abs(a), 3));
    case 7: return td::tanh(a) + 1;
    case 8: return a / (td::abs(b) + 1);
    case 9: return a.astype(td::is_complex(a.dtype()) ? td::complex64 : td::float16);
    case 10: return td::is_complex(a.dtype()) ? td::conj(a) : a.astype(td::int32) + 1;
    case 11: return keep_rows(a, td::max(a, {.axis = 1, .keepdims = true}));
    case 12: return a / (td::sum(td::abs(a), {.axis = 1, .keepdims = true}) + 1);
    case 13: return keep_rows(a, td::mean(b, {.axis = 0, .keepdims = true}));
    case 14: return a + td::sum(b, {.axis = {0, 1}, .keepdims = true}) * 1e-3;
    case 15: return td::square(keep_rows(a, td::mean(a, {.axis = 1, .keepdims = true})));
    case 16: return a(td::all, td::slice(td::none, td::none, -1)) - 1;
    default: return -a;
  }
}

/// Hash of everything that a random program leaves behind.
std::uint64_t run_random_program(std::uint64_t seed) {
  Random random(seed);
  const Shape shapes[] = {{19, 131}, {700, 5}, {3, 4111}, {64, 64}, {1, 1}};
  const Shape& shape = shapes[random.integer(0, 4)];
  const DType dtypes[] = {td::float32, td::float64, td::float16, td::int32, td::complex64, td::bfloat16, td::uint8};
  std::vector<Array> pool;
  for (int i = 0; i < 6; ++i) {
    const DType dtype = dtypes[random.integer(0, 6)];
    const double low = td::is_unsigned_integer(dtype) ? 0 : -3;
    const Array x = td::random::uniform(shape, {.low = low, .high = 5, .seed = seed, .stream = std::uint64_t(i)});
    pool.push_back(x.astype(dtype));
  }
  for (int step = 0; step < 80; ++step) {
    const auto pick = [&]() -> const Array& { return pool[std::size_t(random.integer(0, 5))]; };
    Array result = random_step(random, pick(), pick());
    if (random.integer(0, 9) == 0) result.eval();
    pool[std::size_t(random.integer(0, 5))] = std::move(result);
  }
  std::uint64_t h = 0;
  for (const Array& x : pool) h = h * 1099511628211u + hash(x);
  return h;
}

std::string random_programs() {
  // A GPU compiles kernels for every one of them.
  const std::uint64_t programs = on_backend("cuda") ? 30 : 150;
  std::string lines;
  for (std::uint64_t seed = 1; seed <= programs; ++seed)
    lines += std::to_string(seed) + " " + std::to_string(run_random_program(seed)) + "\n";
  return lines;
}
const Probe programs_probe("random_programs", random_programs);

std::string staged_programs() {
  const Array x = td::random::normal({50, 1003}, {.seed = 9, .dtype = td::float32});
  const Array e = td::exp(x - td::max(x, {.axis = 1, .keepdims = true}));
  const Array softmax = e / td::sum(e, {.axis = 1, .keepdims = true});
  const Array unit = x / (td::sqrt(td::sum(x * x, {.axis = 1, .keepdims = true})) + 1e-8);
  const Array columns = x.T() - td::mean(x.T(), {.axis = 0, .keepdims = true});
  const Array moments = (x - td::mean(x, {.axis = 1, .keepdims = true})) / td::std(x, {.axis = 1, .keepdims = true});
  std::string text;
  for (const Array& y :
       {softmax, unit, columns, moments, td::var(x, {.axis = 0}), td::var(x, {.axis = 1, .correction = 1}), td::var(x),
        td::mean(td::square(x - 1), {.axis = 1}), td::sum(softmax, {.axis = 0})})
    text += std::to_string(hash(y)) + "\n";
  return text;
}
const Probe staged_probe("staged_programs", staged_programs);

TEST(Fusion, RandomProgramsHaveTheBitsOfSingleSteps) {
  EXPECT_EQ(random_programs(), run_probe("random_programs", {{"TANDEM_EAGER", "1"}}));
}

TEST(Fusion, StagedProgramsHaveTheBitsOfSingleSteps) {
  EXPECT_EQ(staged_programs(), run_probe("staged_programs", {{"TANDEM_EAGER", "1"}}));
}

class Expressions : public ::testing::Test {
 protected:
  Array x = td::random::uniform({4, 6}, {.seed = 1}).copy();
};

/// What is recorded and when it runs: nothing to see where every operation runs at once.
class Counted : public Expressions {
 protected:
  void SetUp() override {
    const char* eager = std::getenv("TANDEM_EAGER");
    if (eager && std::string_view(eager) == "1") GTEST_SKIP() << "TANDEM_EAGER=1";
  }
  /// How often the reason occurred in the call.
  template <class Function>
  static long long count(const char* reason, Function&& function) {
    const long long before = flushes(reason);
    function();
    return flushes(reason) - before;
  }
};

TEST_F(Counted, NothingRunsUntilAValueIsNeeded) {
  const Array a = td::ones({100}).copy();
  const long long before = flushes();
  const Array y = td::sqrt(a * a + a) * 2 + 1;
  EXPECT_FALSE(y.is_evaluated());
  EXPECT_EQ(flushes(), before);
  EXPECT_EQ(y(0).item<double>(), std::sqrt(2.0) * 2 + 1);
  EXPECT_TRUE(y.is_evaluated());
}

TEST_F(Counted, Reasons) {
  EXPECT_EQ(count("host_read", [&] { (x + 1).to_vector<double>(); }), 1);
  EXPECT_EQ(count("host_read", [&] { td::sum(x).item<double>(); }), 1);
  EXPECT_EQ(count("eval", [&] { (x + 1).eval(); }), 1);
  EXPECT_EQ(count("verb", [&] { td::sort(x + 1); }), 1);
  EXPECT_EQ(count("verb", [&] { td::matmul(x + 1, x.T()); }), 1);
  EXPECT_EQ(count("view", [&] { const Array y = x + 1; y(0); }), 1);
  EXPECT_EQ(count("write", [&] { Array y = td::zeros({4, 6}).copy(); y(td::all) = x + 1; }), 1);
  EXPECT_EQ(count("broadcast", [&] { const Array row = x(0) + 1; (x + row).eval(); }), 1);
  EXPECT_EQ(count("row_space", [&] {
    (x - td::sum(x, {.axis = 0, .keepdims = true}) - td::sum(x, {.axis = 1, .keepdims = true})).eval();
  }), 1);
  const Array wide = td::ones({2, 16385}).copy();
  EXPECT_EQ(count("row_length", [&] { (wide - td::sum(wide, {.axis = 1, .keepdims = true})).eval(); }), 1);
  EXPECT_EQ(count("row_length", [&] { (x - td::sum(x, {.axis = 1, .keepdims = true})).eval(); }), 0);
}

TEST_F(Counted, StagedExpressionsRunOnce) {
  const long long before = flushes();
  const Array e = td::exp(x - td::max(x, {.axis = 1, .keepdims = true}));
  const Array y = e / td::sum(e, {.axis = 1, .keepdims = true});
  y.eval();
  EXPECT_EQ(flushes(), before + 1);
  EXPECT_TRUE(near(td::sum(y, {.axis = 1}), td::ones({4}), 1e-15));
  const long long again = flushes();
  td::var(x, {.axis = 1}).eval();
  EXPECT_EQ(flushes(), again + 1);
}

TEST_F(Counted, LiveInnerNodesComeFromTheSamePass) {
  const Array a = x + 1, b = a * 2, c = b - x, d = td::sqrt(c);
  const long long before = flushes();
  d.eval();
  EXPECT_EQ(flushes(), before + 1);
  EXPECT_TRUE(a.is_evaluated() && b.is_evaluated() && c.is_evaluated());
  const Array expected = (x + 1).eval();
  const long long after = flushes();
  a.to_vector<double>();
  c.to_vector<double>();
  EXPECT_EQ(flushes(), after);
  EXPECT_TRUE(same(a, expected));
  EXPECT_TRUE(same(b, expected * 2));
  EXPECT_TRUE(same(c, expected * 2 - x));
}

TEST_F(Counted, TemporariesAreNotOutputs) {
  const auto allocations = [](auto&& make) {
    const long long before = td::Device().memory().allocations;
    const Array y = make();
    y.eval();
    return td::Device().memory().allocations - before;
  };
  const long long of_one = allocations([&] { return x + 1; });
  EXPECT_EQ(allocations([&] { return td::sqrt(x * x + x * 3) * 2 + 1; }), of_one);
}

TEST_F(Expressions, MoreLiveNodesThanOutputs) {
  std::vector<Array> steps = {x + 1};
  for (int i = 0; i < 9; ++i) steps.push_back(steps.back() * 1.25 - x);
  steps.back().eval();
  Array expected = x + 1;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_TRUE(same(steps[i], expected)) << i;
    expected = (expected * 1.25 - x).eval();
  }
}

TEST_F(Counted, RowAndFullOutputsOfOnePass) {
  const Array shifted = x + 1, total = td::sum(shifted, {.axis = 1, .keepdims = true}), scaled = shifted / total;
  const long long before = flushes();
  scaled.eval();
  EXPECT_EQ(flushes(), before + 1);
  EXPECT_TRUE(total.is_evaluated() && shifted.is_evaluated());
  EXPECT_TRUE(same(total, td::sum((x + 1).eval(), {.axis = 1, .keepdims = true})));
  EXPECT_TRUE(same(scaled, (x + 1).eval() / total));
}

TEST_F(Expressions, ConditionThatRunsWhileItIsRecorded) {
  // The cast of the condition to bool cannot join the rows, runs, and lets go of the temporary that it was made from.
  const Array rows = td::array({{1, 2}, {3, 4}});
  EXPECT_TRUE(same(td::where(td::array({2, 0}), td::sum(rows, {.axis = 1}), 5), td::array({3, 5})));
  EXPECT_TRUE(same(td::where(td::array({2, 0}), 1, 5), td::array({1, 5})));
}

TEST_F(Expressions, ValuesThatRepeatAlongRows) {
  // Full in shape, but the same all along each row: constants and broadcast arrays beside a reduction.
  const Array ones = td::ones({4, 6}), column = x(td::all, 0).reshape({4, 1}).broadcast_to({4, 6}),
              doubled = column * 2;
  EXPECT_TRUE(same(td::sum(ones, {.axis = 1}), td::full({4}, 6.0)));
  EXPECT_TRUE(same(ones, td::ones({4, 6}).copy()));
  EXPECT_TRUE(
      same(td::sum(doubled, {.axis = 1, .keepdims = true}), td::sum(doubled.copy(), {.axis = 1, .keepdims = true})));
  EXPECT_TRUE(same(doubled, (column.copy() * 2).copy()));
  const Array mean = td::mean(x, {.axis = 1, .keepdims = true});
  EXPECT_TRUE(same(td::ones({4, 6}) - mean, td::ones({4, 6}).copy() - mean.copy()));
  EXPECT_TRUE(same(column + 1 - td::sum(x, {.axis = 1, .keepdims = true}),
                   column.copy() + 1 - td::sum(x, {.axis = 1, .keepdims = true}).copy()));
  Array target = td::zeros({4, 6});
  target(td::all) = column + 1 - td::sum(x, {.axis = 1, .keepdims = true});
  EXPECT_TRUE(same(target, (column + 1 - td::sum(x, {.axis = 1, .keepdims = true})).copy()));
  Array written = ones;
  written(0, 0) = 5;
  EXPECT_TRUE(same(ones, td::ones({4, 6}).copy()));
  EXPECT_EQ(td::sum(written).item<double>(), 28);
}

TEST_F(Counted, SixtyFourInstructions) {
  for (int steps : {1, 63, 64, 65, 66, 128, 129, 200}) {
    Array y = x;
    const long long cuts = count("instructions", [&] {
      for (int i = 0; i < steps; ++i) y = y + 1.0;
    });
    EXPECT_EQ(cuts, (steps - 1) / 64) << steps;
    Array expected = x.copy();
    for (int i = 0; i < steps; ++i) expected = (expected + 1.0).eval();
    EXPECT_TRUE(same(y, expected)) << steps;
  }
}

TEST_F(Counted, SixteenInputs) {
  for (int inputs : {15, 16, 17, 40}) {
    std::vector<Array> arrays;
    for (int i = 0; i < inputs; ++i) arrays.push_back((x * i).eval());
    Array y = arrays[0];
    const long long cuts = count("inputs", [&] {
      for (int i = 1; i < inputs; ++i) y = y + arrays[std::size_t(i)];
    });
    EXPECT_EQ(cuts > 0, inputs > 16) << inputs;
    Array expected = arrays[0];
    for (int i = 1; i < inputs; ++i) expected = (expected + arrays[std::size_t(i)]).eval();
    EXPECT_TRUE(same(y, expected)) << inputs;
  }
}

TEST_F(Counted, OneArrayUsedOftenIsOneInput) {
  Array y = x;
  EXPECT_EQ(count("inputs", [&] {
    for (int i = 0; i < 40; ++i) y = y + x;
  }), 0);
  EXPECT_TRUE(near(y, x * 41, 1e-14));
}

TEST_F(Counted, SixtyFourConstants) {
  Array y = x, expected = x.copy();
  const long long cuts = count("constants", [&] {
    for (int i = 0; i < 40; ++i) y = td::fma(y, 1 + i * 0x1p-8, i * 0.25 + 100);
  });
  EXPECT_GT(cuts, 0);
  for (int i = 0; i < 40; ++i) expected = td::fma(expected, 1 + i * 0x1p-8, i * 0.25 + 100).eval();
  EXPECT_TRUE(same(y, expected));
}

TEST_F(Counted, SharedPartsCountOnce) {
  Array y = td::ones({3}).copy();
  EXPECT_EQ(count("instructions", [&] {
    for (int i = 0; i < 60; ++i) y = y + y;
  }), 0);
  EXPECT_EQ(y(0).item<double>(), 0x1p60);
  Array z = td::ones({3}).copy();
  for (int i = 0; i < 1000; ++i) z = (z + z) * 0.5;
  EXPECT_EQ(z(2).item<double>(), 1);
}

TEST(Bounds, AMillionStepsInConstantMemory) {
  Array x = td::zeros({100}).copy();
  const auto before = td::Device().memory();
  for (int i = 0; i < 1'000'000; ++i) x = x + 1;
  EXPECT_EQ(x(99).item<double>(), 1e6);
  const auto after = td::Device().memory();
  EXPECT_LE(after.used_bytes, before.used_bytes + (1 << 16));
  EXPECT_LE(after.peak_bytes, std::max(before.peak_bytes, before.used_bytes + (1 << 20)));
}

TEST(Bounds, InPlaceStepsToo) {
  Array x = td::zeros({100}).copy();
  for (int i = 0; i < 100'000; ++i) x += 1;
  EXPECT_EQ(x(0).item<double>(), 1e5);
}

TEST_F(Counted, DroppingUnusedExpressionsRunsNothing) {
  x = td::ones({10}).copy();
  const long long before = flushes();
  for (int i = 0; i < 1000; ++i) {
    Array y = x;
    for (int k = 0; k < 60; ++k) y = y * 2;
  }
  EXPECT_EQ(flushes(), before);
  std::vector<Array> kept;
  for (int i = 0; i < 20000; ++i) kept.push_back((kept.empty() ? x : kept.back()) + 1);
  EXPECT_EQ(kept.back()(0).item<double>(), 20001);
  kept.clear();  // a chain of 20000 nodes in order of creation
}

TEST(Errors, LeaveOperandsAsTheyWere) {
  Array a = td::ones({3}).copy();
  const Array pending = a + 1;
  EXPECT_TRUE(throws([&] { pending + td::zeros({4}); }, "add: ", {"(3,)", "(4,)"}));
  EXPECT_TRUE(throws([&] { a += td::zeros({4}); }, "add: "));
  EXPECT_TRUE(same(a, td::ones({3})));
  EXPECT_TRUE(same(pending, td::full({3}, 2.0)));
}

TEST_F(Counted, OutOfMemoryCanBeTriedAgain) {
  const td::Device device;
  const Array a = td::ones({1'000'000}).copy();
  const Array y = td::exp(a) * 2;
  device.set_memory_limit(device.memory().used_bytes + 4096);
  EXPECT_TRUE(throws<td::OutOfMemory>([&] { y.eval(); }, "eval: "));
  EXPECT_TRUE(throws<td::OutOfMemory>([&] { td::zeros({1'000'000}).eval(); }, ""));
  device.set_memory_limit(0);
  EXPECT_FALSE(y.is_evaluated());
  EXPECT_TRUE(near(y, td::full({1'000'000}, 2 * std::exp(1.0)), 1e-15));
}

}  // namespace
