// Arrays are values: whoever writes copies first if anyone else can see the memory.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::none;
using tandem::slice;

namespace {

Array numbers() { return td::arange(6, {.dtype = td::float64}).reshape({2, 3}).copy(); }

TEST(Copies, AreIndependent) {
  const Array original = numbers();
  Array a = original, b = a;
  a(0, 0) = 100;
  EXPECT_TRUE(same(b, original));
  b += 1;
  EXPECT_EQ(a(0, 0).item<double>(), 100);
  EXPECT_TRUE(same(original, numbers()));
  EXPECT_TRUE(same(b, numbers() + 1));
}

TEST(Copies, OfViewsSeeNoWrites) {
  Array a = numbers();
  const Array row = a(1), column = a(td::all, 0), flipped = a.flip(), transposed = a.T(),
              wide = a(0).broadcast_to({4, 3});
  a(td::ellipsis) = -1;
  EXPECT_TRUE(same(row, numbers()(1)));
  EXPECT_TRUE(same(column, numbers()(td::all, 0)));
  EXPECT_TRUE(same(flipped, numbers().flip()));
  EXPECT_TRUE(same(transposed, numbers().T()));
  EXPECT_TRUE(same(wide, numbers()(0).broadcast_to({4, 3})));
  EXPECT_TRUE(same(a, td::full({2, 3}, -1.0)));
}

TEST(Writes, ToAViewLeaveItsBase) {
  Array a = numbers();
  Array row = a(1);
  row(0) = 50;
  row *= 2;
  EXPECT_TRUE(same(a, numbers()));
  EXPECT_TRUE(same(row, td::array({100.0, 8.0, 10.0})));
  Array wide = a(0).broadcast_to({2, 3});
  wide(0, 0) = 7;  // one element, not a column of them
  EXPECT_TRUE(same(wide, td::array({{7.0, 1.0, 2.0}, {0.0, 1.0, 2.0}})));
  Array reshaped = a.reshape({3, 2});
  reshaped(0) = 9;
  EXPECT_TRUE(same(a, numbers()));
}

TEST(Writes, WithoutOnlookersKeepTheMemory) {
  Array a = numbers();
  const void* memory = a.data();
  a(0) = 5;
  a(td::all, 1) += 2;
  EXPECT_EQ(a.data(), memory);
  EXPECT_EQ(a.mutable_data(), memory);
  {
    const Array onlooker = a;
    a(0) = 6;
    EXPECT_NE(a.data(), onlooker.data());
  }
  const void* fresh = a.data();
  a(0) = 7;
  EXPECT_EQ(a.data(), fresh);
}

TEST(Writes, MutableDataCopiesFirst) {
  Array a = numbers();
  const Array b = a;
  EXPECT_NE(a.mutable_data(), b.data());
  EXPECT_TRUE(same(a, b));
  const void* before = a.data();
  EXPECT_EQ(a.mutable_data(), before);
}

TEST(PendingExpressions, KeepTheValuesTheyWereMadeFrom) {
  Array a = numbers();
  const Array sum = a + 1, product = a(0) * 2, total = td::sum(a), part = a(slice(none, none, -1)) + 0.5;
  a(td::ellipsis) = -7;
  EXPECT_TRUE(same(sum, numbers() + 1));
  EXPECT_TRUE(same(product, numbers()(0) * 2));
  EXPECT_TRUE(same(total, td::array(15.0)));
  EXPECT_TRUE(same(part, numbers()(slice(none, none, -1)) + 0.5));
}

TEST(PendingExpressions, OutliveTheirOperands) {
  const auto make_sum = [] {
    const Array a = numbers(), b = numbers() * 3;
    return a + b;
  };
  const Array sum = make_sum();
  EXPECT_TRUE(same(sum, numbers() * 4));
  Array x = numbers();
  Array y = x * 2;
  x = td::zeros({1});
  EXPECT_TRUE(same(y, numbers() * 2));
  EXPECT_TRUE(same(std::move(y) + 1, numbers() * 2 + 1));
}

TEST(PendingExpressions, AreCopiedLikeValues) {
  Array a = numbers() + 1;
  Array b = a;
  b(0) = 0;
  EXPECT_TRUE(same(a, numbers() + 1));
  Array c = numbers() + 1;
  c(0, 0) = 5;
  c += c;
  EXPECT_EQ(c(0, 0).item<double>(), 10);
  EXPECT_EQ(c(1, 2).item<double>(), 12);
}

TEST(SelfAssignment, ChangesNothing) {
  Array a = numbers();
  Array& alias = a;
  a = alias;
  EXPECT_TRUE(same(a, numbers()));
  a(td::all) = a;
  EXPECT_TRUE(same(a, numbers()));
  a(0) = a(0);
  EXPECT_TRUE(same(a, numbers()));
  a = a + 0.0;
  EXPECT_TRUE(same(a, numbers()));
}

TEST(Overlap, ReadsBeforeItWrites) {
  Array a = td::arange(8);
  a(slice(2, none)) = a(slice(0, -2)) * 10;
  EXPECT_TRUE(same(a, td::array({0, 1, 0, 10, 20, 30, 40, 50})));
  Array b = td::arange(4);
  b += b(slice(none, none, -1));
  EXPECT_TRUE(same(b, td::full({4}, 3)));
  Array c = td::arange(9).reshape({3, 3});
  c += c.T();
  EXPECT_TRUE(same(c, td::array({{0, 4, 8}, {4, 8, 12}, {8, 12, 16}})));
  Array d = td::arange(4);
  d(slice(0, 2)) = d(slice(2, 4)) + d(slice(0, 2));
  EXPECT_TRUE(same(d, td::array({2, 4, 2, 3})));
  Array e = td::arange(3);
  e(td::all) = e(1);
  EXPECT_TRUE(same(e, td::full({3}, 1)));
  Array f = td::arange(4) + 1;
  f(slice(1, none)) += f(0);
  EXPECT_TRUE(same(f, td::array({1, 3, 4, 5})));
}

TEST(Overlap, OfAPendingValueHeldElsewhere) {
  Array a = td::arange(4);
  const Array doubled = a * 2;
  a(slice(0, 2)) = doubled(slice(2, 4));
  EXPECT_TRUE(same(a, td::array({4, 6, 2, 3})));
  EXPECT_TRUE(same(doubled, td::array({0, 2, 4, 6})));
}

TEST(CompoundAssignment, LeavesCopiesAlone) {
  Array a = numbers();
  const Array before = a;
  const void* seen = before.data();
  a += 1;
  a -= 0.5;
  a *= a;
  a /= 2;
  EXPECT_EQ(before.data(), seen);
  EXPECT_TRUE(same(before, numbers()));
  EXPECT_TRUE(same(a, (numbers() + 1 - 0.5) * (numbers() + 1 - 0.5) / 2));
}

TEST(Moves, HandOverAndLeaveAnErrorBehind) {
  Array a = numbers();
  const void* memory = a.data();
  Array b = std::move(a);
  EXPECT_EQ(b.data(), memory);
  EXPECT_TRUE(throws([&] { (void)a.shape(); }, "Array: "));  // NOLINT: what use after move does is what is tested
  a = b;
  EXPECT_TRUE(same(a, numbers()));
}

TEST(Adopted, MemoryIsSharedUntilItsOwnerGoes) {
  if (!on_backend("cpu") && !on_backend("reference")) GTEST_SKIP() << "no host memory";
  bool released = false;
  double values[6] = {0, 1, 2, 3, 4, 5};
  {
    const std::shared_ptr<void> owner(values, [&](void*) { released = true; });
    Array a = Array::adopt(values, td::float64, {2, 2}, {3, 1}, owner, td::Device());
    EXPECT_TRUE(same(a, td::array({{0.0, 1.0}, {3.0, 4.0}})));
    a(0, 0) = 9;
    EXPECT_EQ(values[0], 9);  // writable through this array
    const Array pending = a + 1;
    a = td::zeros({1});
    EXPECT_FALSE(released);
    EXPECT_TRUE(same(pending, td::array({{10.0, 2.0}, {4.0, 5.0}})));
  }
  EXPECT_TRUE(released);
  EXPECT_TRUE(throws([&] { Array::adopt(values, td::float64, {2, 2}, {1}, nullptr, td::Device()); },
                     "adopt: ", {"(2, 2)", "(1,)"}));
}

TEST(Adopted, ReadOnlyMemoryIsCopiedBeforeAWrite) {
  if (!on_backend("cpu") && !on_backend("reference")) GTEST_SKIP() << "no host memory";
  const double values[] = {0, 1, 2, 3};
  const auto adopted = [&] { return Array::adopt(values, td::float64, {2, 2}, {2, 1}, nullptr, td::Device()); };
  Array a = adopted();
  EXPECT_EQ(a.data(), values);
  a(0, 0) = 9;
  EXPECT_NE(a.data(), values);
  Array view = adopted()(1);  // the only view of memory that nobody else uses
  EXPECT_EQ(view.data(), values + 2);
  view(0) = 7;
  view *= 2;
  EXPECT_TRUE(same(view, td::array({14.0, 6.0})));
  EXPECT_TRUE(same(a, td::array({{9.0, 1.0}, {2.0, 3.0}})));
  EXPECT_TRUE(same(adopted(), td::array({{0.0, 1.0}, {2.0, 3.0}})));
}

TEST(Adopted, BadAddressesAreRefused) {
  double values[2] = {};
  double* const nowhere = nullptr;
  EXPECT_TRUE(throws([&] { Array::adopt(nowhere, td::float64, {2}, {1}, nullptr, td::Device()); }, "adopt: null"));
  EXPECT_TRUE(throws([&] { Array::adopt(reinterpret_cast<char*>(values) + 1, td::float32, {1}, {1}, nullptr, td::Device()); },
                     "adopt: ", {"float32 is no multiple of 4"}));
  EXPECT_EQ(Array::adopt(nowhere, td::float64, {0}, {1}, nullptr, td::Device()).size(), 0);
}

TEST(Adopted, NothingOutsideIsWritten) {
  if (!on_backend("cpu") && !on_backend("reference")) GTEST_SKIP() << "no host memory";
  for (std::int64_t n : {1, 5, 31, 64, 100, 513}) {
    std::vector<float> memory(static_cast<std::size_t>(n) + 32, -5.0f);
    Array a = Array::adopt(memory.data() + 16, td::float32, {n}, {1}, nullptr, td::Device());
    a(td::all) = 2;
    a(td::all) = td::sqrt(a) + td::exp(a);
    a(td::all) *= 3;
    for (std::size_t i = 0; i < 16; ++i) {
      EXPECT_EQ(memory[i], -5.0f);
      EXPECT_EQ(memory[memory.size() - 1 - i], -5.0f);
    }
  }
}

TEST(MovedFrom, ArraysThrowInsteadOfCrashing) {
  Array a = td::ones({3});
  const Array b = std::move(a);
  EXPECT_TRUE(throws([&] { a + 1; }, "Array: ", {"moved"}));
  EXPECT_TRUE(throws([&] { b + a; }, "Array: ", {"moved"}));
  EXPECT_TRUE(throws([&] { td::where(a, b, b); }, "Array: ", {"moved"}));
  EXPECT_TRUE(throws([&] { td::sum(a); }, "sum: ", {"moved"}));
  EXPECT_TRUE(throws([&] { a.reshape({3}); }, "Array: ", {"moved"}));
  a = b * 2;
  EXPECT_TRUE(same(a, td::full({3}, 2.0)));
}


// What must not compile, checked here through concepts.
template <class L, class R> concept Assignable = requires(L&& l, R r) { std::forward<L>(l) = r; };
template <class L, class R> concept Addable = requires(L&& l, R r) { std::forward<L>(l) += r; };
template <class L> concept WritesIndexed = requires(L&& l) { std::forward<L>(l)(0) = 1; };
template <class L> concept AddsIndexed = requires(L&& l) { std::forward<L>(l)(0) += 1; };
template <class L> concept HasMutableData = requires(L&& l) { std::forward<L>(l).mutable_data(); };

static_assert(Assignable<Array&, Array>);
static_assert(!Assignable<Array, Array>);
static_assert(!Assignable<const Array&, Array>);
static_assert(Addable<Array&, double>);
static_assert(!Addable<Array, double>);
static_assert(!Addable<const Array&, double>);
static_assert(WritesIndexed<Array&>);
static_assert(!WritesIndexed<Array>);
static_assert(!WritesIndexed<const Array&>);
static_assert(AddsIndexed<Array&>);
static_assert(!AddsIndexed<Array>);
static_assert(HasMutableData<Array&>);
static_assert(!HasMutableData<Array>);
static_assert(!HasMutableData<const Array&>);
static_assert(!Assignable<td::View&, double>);  // `auto v = a(0); v = 1` would be lost or surprise
static_assert(!std::is_copy_constructible_v<td::View>);
static_assert(std::is_nothrow_copy_constructible_v<Array> && std::is_nothrow_move_assignable_v<Array>);
static_assert(!td::Element<char*> && td::Element<std::complex<float>>);

}  // namespace
