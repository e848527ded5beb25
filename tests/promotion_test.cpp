// Result dtypes: NumPy 2's promotion (NEP 50), with bfloat16 placed beside float16.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;

namespace {

constexpr DType b = td::bool_, i1 = td::int8, i2 = td::int16, i4 = td::int32, i8 = td::int64, u1 = td::uint8,
                u2 = td::uint16, u4 = td::uint32, u8 = td::uint64, f2 = td::float16, bf = td::bfloat16,
                f4 = td::float32, f8 = td::float64, c8 = td::complex64, cc = td::complex128;

// np.promote_types of NumPy 2.4 for all pairs in the order of DType. bfloat16 meets integers as float16 does, and
// float16 in float32, which holds both.
constexpr DType table[15][15] = {
  {b, i1, i2, i4, i8, u1, u2, u4, u8, f2, bf, f4, f8, c8, cc},
  {i1, i1, i2, i4, i8, i2, i4, i8, f8, f2, bf, f4, f8, c8, cc},
  {i2, i2, i2, i4, i8, i2, i4, i8, f8, f4, f4, f4, f8, c8, cc},
  {i4, i4, i4, i4, i8, i4, i4, i8, f8, f8, f8, f8, f8, cc, cc},
  {i8, i8, i8, i8, i8, i8, i8, i8, f8, f8, f8, f8, f8, cc, cc},
  {u1, i2, i2, i4, i8, u1, u2, u4, u8, f2, bf, f4, f8, c8, cc},
  {u2, i4, i4, i4, i8, u2, u2, u4, u8, f4, f4, f4, f8, c8, cc},
  {u4, i8, i8, i8, i8, u4, u4, u4, u8, f8, f8, f8, f8, cc, cc},
  {u8, f8, f8, f8, f8, u8, u8, u8, u8, f8, f8, f8, f8, cc, cc},
  {f2, f2, f4, f8, f8, f2, f4, f8, f8, f2, f4, f4, f8, c8, cc},
  {bf, bf, f4, f8, f8, bf, f4, f8, f8, f4, bf, f4, f8, c8, cc},
  {f4, f4, f4, f8, f8, f4, f4, f8, f8, f4, f4, f4, f8, c8, cc},
  {f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, cc, cc},
  {c8, c8, c8, cc, cc, c8, c8, cc, cc, c8, c8, c8, cc, c8, cc},
  {cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc},
};

Array one(DType dtype) { return td::ones({2}, {.dtype = dtype}); }

TEST(Promotion, TypesFollowTheTable) {
  for (DType x : all_dtypes)
    for (DType y : all_dtypes)
      EXPECT_EQ(td::promote_types(x, y), table[int(x)][int(y)]) << x << " with " << y;
}

TEST(Promotion, ArraysPromoteByDtypeAlone) {
  for (DType x : all_dtypes)
    for (DType y : all_dtypes) {
      const DType expected = table[int(x)][int(y)];
      EXPECT_EQ((one(x) + one(y)).dtype(), expected) << x << " + " << y;
      EXPECT_EQ((one(x) * td::zeros({}, {.dtype = y})).dtype(), expected) << x << " * 0-d " << y;
      EXPECT_EQ(td::maximum(td::zeros({}, {.dtype = x}), td::zeros({}, {.dtype = y})).dtype(), expected);
      EXPECT_EQ((one(x) == one(y)).dtype(), b);
      EXPECT_EQ(td::concat({one(x), one(y)}).dtype(), expected);
      EXPECT_EQ(td::where(one(b), one(x), one(y)).dtype(), expected);
    }
}

TEST(Promotion, ValuesSurvivePromotion) {
  EXPECT_TRUE(
      same(td::full({1}, -1, {.dtype = i1}) + td::full({1}, 255, {.dtype = u1}), td::array({254}, {.dtype = i2})));
  EXPECT_TRUE(same(td::full({1}, -1, {.dtype = i4}) + td::full({1}, 4294967295u, {.dtype = u4}),
                   td::array({4294967294}, {.dtype = i8})));
  EXPECT_TRUE(same(td::full({1}, 16777217, {.dtype = i4}) + td::zeros({1}, {.dtype = f4}), td::array({16777217.0})));
  EXPECT_TRUE(
      same(td::full({1}, 0.5, {.dtype = f2}) + td::full({1}, 1, {.dtype = bf}), td::array({1.5}, {.dtype = f4})));
}

TEST(Promotion, SeveralAtOnce) {
  EXPECT_EQ(td::result_type({i1, u1, f2}), f2);  // not by pairs from the left: int8 with uint8 is int16
  EXPECT_EQ(td::result_type({u2, c8, i2}), c8);
  EXPECT_EQ(td::result_type({i8, u8, i1}), f8);
  EXPECT_EQ(td::clip(one(i2), one(u2), one(f4)).dtype(), f4);
  EXPECT_EQ(td::concat({one(i2), one(u2), one(f4)}).dtype(), f4);
  EXPECT_EQ(td::result_type({f4}), f4);
  EXPECT_TRUE(throws([] { td::result_type({}); }, "result_type: "));
}

TEST(WeakScalars, KeepTheDtypeOfTheirKind) {
  EXPECT_EQ((one(u1) + 1).dtype(), u1);
  EXPECT_EQ((one(f4) + 1.0).dtype(), f4);
  EXPECT_EQ((one(f4) * 2.5).dtype(), f4);
  EXPECT_EQ((1 - one(f2)).dtype(), f2);
  EXPECT_EQ((one(bf) / 3).dtype(), bf);
  EXPECT_EQ((one(f4) + true).dtype(), f4);
  EXPECT_EQ((one(i1) + true).dtype(), i1);
  EXPECT_EQ((one(c8) * 2.0).dtype(), c8);
}

TEST(WeakScalars, RaiseTheKind) {
  EXPECT_EQ((one(f4) + std::complex<double>(0, 1)).dtype(), c8);
  EXPECT_EQ((one(i4) + 1.0).dtype(), f8);
  EXPECT_EQ((one(i1) + 1.0).dtype(), f8);
  EXPECT_EQ((one(i4) + std::complex<float>(0, 1)).dtype(), cc);
  EXPECT_EQ((one(b) + 1).dtype(), i8);
  EXPECT_EQ((one(b) + 1.0).dtype(), f8);
  EXPECT_EQ((one(b) + true).dtype(), b);
}

TEST(WeakScalars, AloneHaveTheirOwnDtype) {
  EXPECT_EQ(td::add(1, 2).dtype(), i8);
  EXPECT_EQ(td::add(1, 2.0).dtype(), f8);
  EXPECT_EQ(td::sqrt(4).dtype(), f8);
  EXPECT_EQ(td::add(true, false).dtype(), b);
  EXPECT_EQ(td::add(18446744073709551615u, 0).dtype(), u8);
  EXPECT_EQ(td::add(1, 2).shape(), td::Shape{});
}

TEST(WeakScalars, LargeRealsOverflowToInfinity) {
  EXPECT_TRUE(std::isinf((one(f4) + 3e100).to_vector<float>()[0]));
  EXPECT_EQ((one(f4) + td::array(3.0)).dtype(), f8);  // an array is never weak
}

TEST(WeakScalars, IntegersOutsideTheDtypeAreErrors) {
  EXPECT_TRUE(throws([] { one(u1) + 300; }, "add: ", {"300", "uint8"}));
  EXPECT_TRUE(throws([] { one(u1) + -1; }, "add: ", {"-1", "uint8"}));
  EXPECT_TRUE(throws([] { one(i1) * 128; }, "multiply: ", {"128", "int8"}));
  EXPECT_TRUE(throws([] { td::maximum(one(i4), 1LL << 40); }, "maximum: ", {"int32"}));
  EXPECT_TRUE(throws([] { one(i8) - 18446744073709551615u; }, "subtract: ", {"18446744073709551615", "int64"}));
}

TEST(Logic, TakesIntegersOutsideTheDtype) {
  const Array x = td::array({0, 1}, {.dtype = i1});
  EXPECT_TRUE(same(td::logical_or(x, 300), td::array({true, true})));
  EXPECT_TRUE(same(td::logical_and(-200, x), td::array({false, true})));
  EXPECT_TRUE(same(td::logical_xor(x, UINT64_MAX), td::array({true, false})));
  EXPECT_TRUE(same(td::logical_and(x, std::nan("")), td::array({false, true})));
}

TEST(Comparisons, WithIntegersOutsideTheDtypeHaveOneAnswer) {
  const Array x = td::array({0, 1, 255}, {.dtype = u1});
  const Array yes = td::full({3}, true), no = td::full({3}, false);
  EXPECT_TRUE(same(x == -1, no));
  EXPECT_TRUE(same(x != -1, yes));
  EXPECT_TRUE(same(x < -1, no));
  EXPECT_TRUE(same(x <= -1, no));
  EXPECT_TRUE(same(x > -1, yes));
  EXPECT_TRUE(same(x < 256, yes));
  EXPECT_TRUE(same(x >= 256, no));
  EXPECT_TRUE(same(300 > x, yes));
  EXPECT_TRUE(same(300 <= x, no));
}

TEST(Comparisons, OfSignedWithUnsignedAreExact) {
  const Array u = td::array({18446744073709551615u, 9223372036854775808u, 5u}, {.dtype = u8});
  const Array s = td::array({-1, INT64_MIN, 5}, {.dtype = i8});
  EXPECT_TRUE(same(u == s, td::array({false, false, true})));
  EXPECT_TRUE(same(u != s, td::array({true, true, false})));
  EXPECT_TRUE(same(s < u, td::array({true, true, false})));
  EXPECT_TRUE(same(s >= u, td::array({false, false, true})));
  EXPECT_TRUE(same(u > s, td::array({true, true, false})));
  EXPECT_TRUE(same(u <= s, td::array({false, false, true})));
  const Array near = td::array({9007199254740993}, {.dtype = i8});
  EXPECT_TRUE(same(near == td::array({9007199254740992u}, {.dtype = u8}), td::array({false})));
}

TEST(Where, ScalarsAreWeak) {
  const Array c = td::array({true, false});
  EXPECT_EQ(td::where(c, one(f4), 1).dtype(), f4);
  EXPECT_EQ(td::where(c, 0, one(u1)).dtype(), u1);
  EXPECT_EQ(td::where(c, 1, 2.0).dtype(), f8);
  EXPECT_TRUE(throws([&] { td::where(c, one(u1), 300); }, "where: ", {"300", "uint8"}));
  EXPECT_TRUE(same(td::where(td::array({2, 0}), 1, 5), td::array({1, 5})));  // any dtype is a condition
}

TEST(FloatFunctions, OfIntegersComputeInTheFloatThatHoldsThem) {
  EXPECT_EQ(td::sqrt(one(b)).dtype(), f2);
  EXPECT_EQ(td::sqrt(one(i1)).dtype(), f2);
  EXPECT_EQ(td::sqrt(one(u1)).dtype(), f2);
  EXPECT_EQ(td::sin(one(i2)).dtype(), f4);
  EXPECT_EQ(td::sin(one(u2)).dtype(), f4);
  EXPECT_EQ(td::exp(one(i4)).dtype(), f8);
  EXPECT_EQ(td::exp(one(u8)).dtype(), f8);
  EXPECT_EQ(td::hypot(one(i1), one(i2)).dtype(), f4);
  EXPECT_EQ(td::atan2(one(u1), one(i1)).dtype(), f2);  // each for itself: together they would be int16
  EXPECT_EQ(td::logaddexp(one(u2), one(i2)).dtype(), f4);
  EXPECT_EQ(td::copysign(one(i4), one(f4)).dtype(), f8);
  EXPECT_EQ(td::angle(one(c8)).dtype(), f4);
}

TEST(Division, OfIntegersIsFloat64) {
  for (DType dtype : {b, i1, u1, i2, u2, i4, u4, i8, u8}) EXPECT_EQ((one(dtype) / one(dtype)).dtype(), f8) << dtype;
  EXPECT_EQ((one(f2) / one(i1)).dtype(), f2);
}

TEST(Bool, ArithmeticIsLogicWhereItMeansSomething) {
  const Array t = td::array({true, true, false}), u = td::array({true, false, false});
  EXPECT_TRUE(same(t + u, td::array({true, true, false})));
  EXPECT_TRUE(same(t * u, td::array({true, false, false})));
  EXPECT_TRUE(same(~t, td::array({false, false, true})));
  EXPECT_TRUE(throws([&] { t - u; }, "subtract: bool"));
  EXPECT_TRUE(throws([&] { -t; }, "negative: bool"));
  EXPECT_EQ(td::floor_divide(t, u).dtype(), i1);
  EXPECT_EQ(td::pow(t, u).dtype(), i1);
  EXPECT_EQ((t << u).dtype(), i1);
  EXPECT_EQ(td::abs(t).dtype(), b);
}

TEST(UnsupportedDtypes, AreNamed) {
  EXPECT_TRUE(throws([] { td::floor(one(c8)); }, "floor: ", {"complex64"}));
  EXPECT_TRUE(throws([] { td::floor_divide(one(cc), one(f4)); }, "floor_divide: ", {"complex128"}));
  EXPECT_TRUE(throws([] { one(cc) % one(cc); }, "remainder: ", {"complex128"}));
  EXPECT_TRUE(throws([] { one(f4) & one(i4); }, "bitwise_and: ", {"float64"}));
  EXPECT_TRUE(throws([] { td::arange(3.0) << 1; }, "bitwise_left_shift: ", {"float64"}));
}

TEST(InPlace, CastsWithinTheKindOnly) {
  Array i = one(i4), f = one(f4);
  EXPECT_TRUE(throws([&] { i += one(f8); }, "add: ", {"float64", "int32"}));
  EXPECT_TRUE(throws([&] { i /= 2; }, "divide: ", {"float64", "int32"}));
  EXPECT_TRUE(throws([&] { f += one(c8); }, "add: ", {"complex64", "float32"}));
  EXPECT_TRUE(same(i, one(i4)));  // and nothing has happened
  f += one(f8);
  EXPECT_EQ(f.dtype(), f4);
  i += one(i1);
  EXPECT_TRUE(same(i, td::array({2, 2}, {.dtype = i4})));
  Array u = one(u1);
  EXPECT_TRUE(throws([&] { u += 300; }, "add: ", {"300", "uint8"}));
}

TEST(Reductions, WidenAsNumPy) {
  for (DType dtype : {b, i1, i2, i4, i8}) {
    EXPECT_EQ(td::sum(one(dtype)).dtype(), i8) << dtype;
    EXPECT_EQ(td::prod(one(dtype)).dtype(), i8) << dtype;
  }
  for (DType dtype : {u1, u2, u4, u8}) EXPECT_EQ(td::sum(one(dtype)).dtype(), u8) << dtype;
  for (DType dtype : {f2, bf, f4, f8, c8, cc}) {
    EXPECT_EQ(td::sum(one(dtype)).dtype(), dtype);
    EXPECT_EQ(td::prod(one(dtype)).dtype(), dtype);
    EXPECT_EQ(td::mean(one(dtype)).dtype(), dtype);
    EXPECT_EQ(td::var(one(dtype)).dtype(), td::real_dtype(dtype));
    EXPECT_EQ(td::std(one(dtype)).dtype(), td::real_dtype(dtype));
  }
  for (DType dtype : {b, i1, u4, i8}) {
    EXPECT_EQ(td::mean(one(dtype)).dtype(), f8);
    EXPECT_EQ(td::var(one(dtype)).dtype(), f8);
  }
  for (DType dtype : all_dtypes) {
    EXPECT_EQ(td::max(one(dtype)).dtype(), dtype);
    EXPECT_EQ(td::min(one(dtype)).dtype(), dtype);
    EXPECT_EQ(td::argmax(one(dtype)).dtype(), i8);
    EXPECT_EQ(td::any(one(dtype)).dtype(), b);
    EXPECT_EQ(td::all(one(dtype)).dtype(), b);
    EXPECT_EQ(td::count_nonzero(one(dtype)).dtype(), i8);
  }
  EXPECT_EQ(td::sum(one(i4), {.dtype = f4}).dtype(), f4);
  EXPECT_EQ(td::sum(one(f4), {.dtype = f8}).dtype(), f8);
}

TEST(Concatenation, CountsEmptyArrays) {
  EXPECT_EQ(td::concat({td::zeros({0}), one(i4)}).dtype(), f8);
  EXPECT_EQ(td::stack({one(i8), one(u8)}).dtype(), f8);
  EXPECT_EQ(td::stack({one(b), one(i1)}).dtype(), i1);
}

TEST(Casting, RulesAreNumPys) {
  EXPECT_TRUE(td::can_cast(i4, f8));
  EXPECT_FALSE(td::can_cast(i4, f4));
  EXPECT_FALSE(td::can_cast(i8, u8));
  EXPECT_TRUE(td::can_cast(i8, f8));  // NumPy calls it safe
  EXPECT_TRUE(td::can_cast(u1, i2));
  EXPECT_TRUE(td::can_cast(f8, f4, td::Casting::same_kind));
  EXPECT_FALSE(td::can_cast(f8, i8, td::Casting::same_kind));
  EXPECT_TRUE(td::can_cast(i8, i1, td::Casting::same_kind));
  EXPECT_FALSE(td::can_cast(i8, u8, td::Casting::same_kind));
  EXPECT_TRUE(td::can_cast(u8, i1, td::Casting::same_kind));
  EXPECT_TRUE(td::can_cast(cc, b, td::Casting::unsafe));
  for (DType x : all_dtypes) {
    EXPECT_TRUE(td::can_cast(x, x));
    EXPECT_TRUE(td::can_cast(b, x));
  }
}

TEST(Names, AreNumPys) {
  for (DType x : all_dtypes) EXPECT_EQ(td::dtype_from_name(td::name(x)), x);
  EXPECT_EQ(td::name(td::bool_), "bool");
  EXPECT_EQ(td::name(td::complex128), "complex128");
  EXPECT_TRUE(throws([] { td::dtype_from_name("float"); }, "dtype_from_name: ", {"float"}));
  EXPECT_EQ(td::itemsize(bf), 2);
  EXPECT_EQ(td::itemsize(cc), 16);
}

}  // namespace
