// Kinds and limits of dtypes, promotion of arrays with numbers, casts as functions, and what the library says of
// itself.
#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::DType;
using tandem::Shape;

namespace {

TEST(IsDType, KnowsTheStandardsKinds) {
  const auto members = [](const char* kind) {
    std::string names;
    for (DType dtype : all_dtypes)
      if (td::isdtype(dtype, kind)) names += std::string(td::name(dtype)) + " ";
    return names;
  };
  EXPECT_EQ(members("bool"), "bool ");
  EXPECT_EQ(members("signed integer"), "int8 int16 int32 int64 ");
  EXPECT_EQ(members("unsigned integer"), "uint8 uint16 uint32 uint64 ");
  EXPECT_EQ(members("integral"), members("signed integer") + members("unsigned integer"));
  EXPECT_EQ(members("real floating"), "float16 bfloat16 float32 float64 ");
  EXPECT_EQ(members("complex floating"), "complex64 complex128 ");
  EXPECT_EQ(members("numeric"), members("integral") + members("real floating") + members("complex floating"));
  EXPECT_TRUE(td::isdtype(td::int8, td::int8));
  EXPECT_FALSE(td::isdtype(td::int8, td::uint8));
  EXPECT_TRUE(td::isdtype(td::bool_, {"real floating", td::bool_}));
  EXPECT_FALSE(td::isdtype(td::int8, {"real floating", td::bool_}));
  EXPECT_TRUE(throws([] { td::isdtype(td::int8, "float"); }, "isdtype: ", {"\"float\""}));
}

TEST(Limits, AreThoseOfCpp) {
  const auto check_float = []<class F>(Type<F>, DType dtype) {
    using L = std::numeric_limits<F>;
    const td::FloatInfo info = td::finfo(dtype);
    EXPECT_EQ(info.bits, int(8 * sizeof(F)));
    EXPECT_EQ(info.eps, double(L::epsilon()));
    EXPECT_EQ(info.max, double(L::max()));
    EXPECT_EQ(info.min, double(L::lowest()));
    EXPECT_EQ(info.smallest_normal, double(L::min()));
    EXPECT_EQ(info.smallest_subnormal, double(L::denorm_min()));
    EXPECT_EQ(info.dtype, td::dtype_of_v<F>);
  };
  check_float(Type<float>{}, td::float32);
  check_float(Type<float>{}, td::complex64);
  check_float(Type<double>{}, td::float64);
  check_float(Type<double>{}, td::complex128);
  for (DType dtype : {td::float16, td::bfloat16}) {
    const Format format = dtype == td::float16 ? format_of<td::Half> : format_of<td::BFloat16>;
    const td::FloatInfo info = td::finfo(td::zeros({2}, {.dtype = dtype}));
    EXPECT_EQ(info.bits, 16);
    EXPECT_EQ(info.eps, double(format.epsilon()));
    EXPECT_EQ(info.max, double(format.largest()));
    EXPECT_EQ(info.smallest_normal, double(format.smallest_normal()));
    EXPECT_EQ(info.smallest_subnormal, double(format.smallest()));
  }
  for (DType dtype : all_dtypes) {
    if (!td::is_integer(dtype)) {
      EXPECT_TRUE(throws([&] { td::iinfo(dtype); }, "iinfo: dtype", {td::name(dtype)}));
      continue;
    }
    EXPECT_TRUE(throws([&] { td::finfo(dtype); }, "finfo: dtype", {td::name(dtype)}));
    with_type(dtype, [&]<class T>(Type<T>) {
      if constexpr (std::integral<T>) {
        const td::IntegerInfo info = td::iinfo(dtype);
        EXPECT_EQ(info.bits, int(8 * sizeof(T)));
        EXPECT_EQ(info.max, std::uint64_t(std::numeric_limits<T>::max()));
        EXPECT_EQ(info.min, std::int64_t(std::numeric_limits<T>::min()));
        EXPECT_EQ(info.dtype, dtype);
      }
    });
  }
}

TEST(ResultType, OfArraysDTypesAndNumbers) {
  const Array small = td::zeros({2}, {.dtype = td::int8});
  EXPECT_EQ(td::result_type(small, td::float32), td::float32);
  EXPECT_EQ(td::result_type(small, 300), td::int8);
  EXPECT_EQ(td::result_type(small, 2.5), td::float64);
  EXPECT_EQ(td::result_type(td::float32, 2.5, 1), td::float32);
  EXPECT_EQ(td::result_type(td::float32, std::complex<double>(0, 1)), td::complex64);
  EXPECT_EQ(td::result_type(true, 1), td::int64);
  EXPECT_EQ(td::result_type(~0ull), td::uint64);
  EXPECT_EQ(td::result_type(td::int64, td::uint64), td::float64);
  EXPECT_EQ(td::result_type({td::int8, small, 1.5}), td::float64);
  EXPECT_TRUE(throws([] { td::result_type(std::initializer_list<td::TypeOperand>{}); }, "result_type: no dtypes"));
}

TEST(CanCast, OfArrays) {
  EXPECT_TRUE(td::can_cast(td::zeros({1}, {.dtype = td::int8}), td::int16));
  EXPECT_FALSE(td::can_cast(td::zeros({1}), td::float32));
  EXPECT_TRUE(td::can_cast(td::zeros({1}), td::float32, td::Casting::same_kind));
}

TEST(Astype, AsFunction) {
  const Array x = td::array({1.5, -2.5}).eval();
  EXPECT_TRUE(same(td::astype(x, td::int32), td::array({1, -2}, {.dtype = td::int32})));
  EXPECT_EQ(td::astype(x, td::float64).data(), x.data());
  EXPECT_NE(td::astype(x, td::float64, {.copy = true}).data(), x.data());
  EXPECT_EQ(td::astype(x, td::float32, {.device = "cpu"}).device(), td::Device("cpu"));
  EXPECT_TRUE(throws([] { td::astype(td::zeros({1}, {.dtype = td::complex64}), td::float32); }, "astype: "));
}

TEST(NamespaceInfo, SaysWhatTheStandardAsks) {
  const td::NamespaceInfo info = td::array_namespace_info();
  EXPECT_TRUE(info.capabilities().boolean_indexing);
  EXPECT_TRUE(info.capabilities().data_dependent_shapes);
  EXPECT_EQ(info.capabilities().max_dimensions, 32);
  EXPECT_EQ(info.default_device(), td::Device());
  EXPECT_EQ(info.default_dtypes().real_floating, td::zeros({1}).dtype());
  EXPECT_EQ(info.default_dtypes().complex_floating, td::array({std::complex<double>()}).dtype());
  EXPECT_EQ(info.default_dtypes().integral, td::arange(1).dtype());
  EXPECT_EQ(info.default_dtypes().indexing, td::argmax(td::zeros({1})).dtype());
  EXPECT_EQ(info.devices(), td::devices());
  EXPECT_EQ(info.dtypes().size(), 13u);
  const auto some = info.dtypes({.kind = {"bool", "complex floating"}});
  ASSERT_EQ(some.size(), 3u);
  EXPECT_EQ(some[2], std::pair(std::string_view("complex128"), td::complex128));
  EXPECT_EQ(td::array_api_version, "2025.12");
}

TEST(Constants, AreNumbers) {
  EXPECT_EQ(td::e, std::exp(1.0));
  EXPECT_EQ(td::pi, std::acos(-1.0));
  EXPECT_TRUE(std::isinf(td::inf) && td::inf > 0);
  EXPECT_TRUE(std::isnan(td::nan));
  EXPECT_EQ((td::zeros({2}, {.dtype = td::float32}) + td::pi).dtype(), td::float32);
}

}  // namespace
