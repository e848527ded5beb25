// Every row of ops.def: values, dtypes and shapes, for each dtype that has a kernel, in each layout.
#include "rows.hpp"
#include "truth.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;
using tandem::Shape;

namespace {

/// Special values in all combinations (fewer of them the more operands), then random ones; `multiple_of` elements.
template <class T>
Operands<T> operands(const Row& row, std::size_t random_count, std::size_t multiple_of) {
  Values<T> special = special_values<T>();
  const std::size_t wanted = row.arity <= 2 ? special.size() : row.arity == 3 ? 12 : 6;
  const std::size_t step = std::max<std::size_t>(1, special.size() / wanted);
  Values<T> chosen;
  for (std::size_t i = 0; i < special.size(); i += step) chosen.push_back(special[i]);
  if (row.arity > 2 && step > 1) chosen.push_back(special.back());

  Operands<T> x;
  std::size_t combinations = 1;
  for (int k = 0; k < row.arity; ++k) combinations *= chosen.size();
  const auto add = [&](const std::array<Stored<T>, 4>& values) {
    if (in_domain<T>(row, values.data()))
      for (std::size_t k = 0; k < 4; ++k) x[k].push_back(values[k]);
  };
  for (std::size_t i = 0; i < combinations; ++i) {
    std::array<Stored<T>, 4> values{};
    for (std::size_t k = 0, rest = i; k < static_cast<std::size_t>(row.arity); ++k, rest /= chosen.size())
      values[k] = chosen[rest % chosen.size()];
    add(values);
  }
  std::array<Values<T>, 4> random;
  for (std::size_t k = 0; k < 4; ++k) random[k] = random_values<T>(random_count, row.low, row.high, row.op * 4 + k + 1);
  for (std::size_t i = 0; i < random_count; ++i) add({random[0][i], random[1][i], random[2][i], random[3][i]});
  std::array<Stored<T>, 4> last{};
  for (std::size_t k = 0; k < 4; ++k) last[k] = x[k].back();
  while (x[0].size() % multiple_of != 0) add(last);
  return x;
}

/// Compares a result with the truth about the operands' logical elements; stops at the third difference.
template <class T>
void check(const Row& row, const Array& result, const Operands<T>& x) {
  const DType expected_dtype = row.result_of(td::dtype_of_v<T>);
  ASSERT_EQ(td::name(result.dtype()), td::name(expected_dtype));
  with_type(expected_dtype, [&]<class R>(Type<R>) {
    const Values<R> got = read<R>(result);
    ASSERT_EQ(got.size(), x[0].size());
    int shown = 0;
    for (std::size_t i = 0; i < got.size() && shown < 3; ++i) {
      const std::array<Stored<T>, 4> operand = {x[0][i], x[1][i], x[2][i], x[3][i]};
      const Expected expected = truth<T>(row.op, row.budget, operand.data());
      if (agrees<R>(got[i], expected, row.op)) continue;
      ++shown;
      std::string arguments;
      for (int k = 0; k < row.arity; ++k) arguments += (k ? ", " : "") + text<T>(operand[static_cast<std::size_t>(k)]);
      ADD_FAILURE() << row.name << "(" << arguments << ") of " << td::name(td::dtype_of_v<T>) << " gave "
                    << text<R>(got[i]) << ", expected " << (expected.exact ? "exactly " : "about ")
                    << double(expected.number.real()) << " + " << double(expected.number.imag()) << "i or "
                    << static_cast<long long>(expected.whole);
    }
  });
}

class Ops : public ::testing::TestWithParam<Row> {
 protected:
  /// Calls function(Type<T>{}) for each dtype that has a kernel.
  template <class Function>
  void for_each_type(Function&& function) {
    for (DType dtype : all_dtypes)
      if (GetParam().takes(dtype)) with_type(dtype, function);
  }
};

TEST_P(Ops, ValuesInEveryLayout) {
  const Row& row = GetParam();
  for_each_type([&]<class T>(Type<T>) {
    const Operands<T> x = operands<T>(row, cases(800), 28);
    const Shape shape = {7, static_cast<std::int64_t>(x[0].size() / 28), 4};
    for (Layout layout : all_layouts) {
      SCOPED_TRACE(name(layout));
      std::array<Array, 4> arrays;
      Operands<T> logical;
      for (std::size_t k = 0; k < 4; ++k) {
        LaidOut<T> laid = lay_out<T>(x[k], shape, layout);
        arrays[k] = laid.array;
        logical[k] = laid.values;
      }
      const Array result = call<T>(row, arrays);
      EXPECT_EQ(result.shape(), shape);
      check<T>(row, result, logical);
    }
  });
}

TEST_P(Ops, MixedLayoutsAndBroadcastOperands) {
  const Row& row = GetParam();
  if (row.arity < 2) return;
  for_each_type([&]<class T>(Type<T>) {
    const Operands<T> x = operands<T>(row, 0, 12);
    const Shape shape = {3, static_cast<std::int64_t>(x[0].size() / 12), 4};
    constexpr Layout mixture[] = {Layout::transposed, Layout::broadcast, Layout::negative, Layout::strided};
    std::array<Array, 4> arrays;
    Operands<T> logical;
    for (std::size_t k = 0; k < 4; ++k) {
      LaidOut<T> laid = lay_out<T>(x[k], shape, mixture[k]);
      arrays[k] = laid.array;
      logical[k] = laid.values;
    }
    const Array result = call<T>(row, arrays);
    EXPECT_EQ(result.shape(), shape);
    check<T>(row, result, logical);
  });
}

TEST_P(Ops, EmptyAndZeroDimensional) {
  const Row& row = GetParam();
  for_each_type([&]<class T>(Type<T>) {
    const DType dtype = td::dtype_of_v<T>;
    std::array<Array, 4> arrays;
    for (const Shape& shape : {Shape{0}, Shape{3, 0, 2}}) {
      arrays.fill(td::zeros(shape, {.dtype = dtype}));
      const Array result = call<T>(row, arrays);
      EXPECT_EQ(result.shape(), shape);
      EXPECT_EQ(result.dtype(), row.result_of(dtype));
    }
    Operands<T> x;
    for (std::size_t k = 0; k < 4; ++k) {
      x[k] = random_values<T>(1, std::max(row.low, 0.0), row.high, 7 + k);
      arrays[k] = make<T>(x[k], {});
    }
    const Array result = call<T>(row, arrays);
    EXPECT_EQ(result.shape(), Shape{});
    check<T>(row, result, x);
  });
}

TEST_P(Ops, ElementsDependOnTheirOperandsAlone) {
  const Row& row = GetParam();
  for_each_type([&]<class T>(Type<T>) {
    const std::size_t n = 1200;
    std::array<Array, 4> arrays;
    for (std::size_t k = 0; k < 4; ++k)
      arrays[k] =
          make<T>(random_values<T>(n, std::is_integral_v<T> ? std::max(row.low, 0.0) : row.low, row.high, 11 + k));
    const Array all = call<T>(row, arrays).eval();
    for (const auto& [begin, length] : {std::pair{0, 1}, {1, 3}, {5, 17}, {64, 63}, {100, 65}, {511, 513}, {1199, 1}}) {
      std::array<Array, 4> part;
      const td::Index range = td::slice(begin, begin + length);
      for (std::size_t k = 0; k < 4; ++k) part[k] = std::as_const(arrays[k])(range).copy();
      EXPECT_TRUE(same(call<T>(row, part), all(range))) << row.name << " from " << begin << " for " << length;
    }
  });
}

TEST_P(Ops, ResultsStayInsideTheirSlice) {
  const Row& row = GetParam();
  for_each_type([&]<class T>(Type<T>) {
    const DType result_dtype = row.result_of(td::dtype_of_v<T>);
    for (std::int64_t length : {1, 7, 33, 130}) {
      std::array<Array, 4> arrays;
      for (std::size_t k = 0; k < 4; ++k)
        arrays[k] =
            make<T>(random_values<T>(static_cast<std::size_t>(length), std::max(row.low, 0.0), row.high, 3 + k));
      Array target = td::ones({length + 10}, {.dtype = result_dtype});
      target(td::slice(5, 5 + length)) = call<T>(row, arrays);
      EXPECT_TRUE(same(std::as_const(target)(td::slice(0, 5)), td::ones({5}, {.dtype = result_dtype})));
      EXPECT_TRUE(same(std::as_const(target)(td::slice(-5)), td::ones({5}, {.dtype = result_dtype})));
      EXPECT_TRUE(same(std::as_const(target)(td::slice(5, 5 + length)), call<T>(row, arrays)));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, Ops, ::testing::ValuesIn(rows),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(OpsInPlace, OutputMayBeAnInput) {
  Array x = td::arange(1000, {.dtype = td::float64});
  const Array before = x.copy();
  x *= x;
  EXPECT_TRUE(same(x, before * before));
  x(td::slice(10, 20)) += x(td::slice(10, 20));
  EXPECT_TRUE(same(x(td::slice(10, 20)), (before * before * 2.0)(td::slice(10, 20))));
  EXPECT_TRUE(same(x(td::slice(20, td::none)), (before * before)(td::slice(20, td::none))));
}

TEST(OpsPow, NegativePowerOfAnIntegerIsAnError) {
  EXPECT_TRUE(throws([] { td::pow(td::array({2, 3}), -1).eval(); }, "pow: "));
  EXPECT_TRUE(throws([] { td::pow(td::array({2, 3}), td::array({1, -1})).eval(); }, "pow: "));
  EXPECT_TRUE(same(td::pow(td::array({2.0, 4.0}), -1), td::array({0.5, 0.25})));
}

}  // namespace
