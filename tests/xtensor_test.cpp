// Interop with xtensor: values, layouts, what is shared and what is copied.
#include "support.hpp"

#include <tandem/xtensor.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace tandem {
namespace {

bool shares_host_memory() { return Device().shares_host_memory(); }

template <class T> std::vector<T> elements(const auto& expression) {
  return std::vector<T>(expression.template begin<xt::layout_type::row_major>(),
                        expression.template end<xt::layout_type::row_major>());
}

TEST(FromXtensor, copies_a_variable) {
  xt::xarray<double> source = {{1, 2, 3}, {4, 5, 6}};
  const Array a = from_xtensor(source);
  source(0, 0) = 100;
  EXPECT_EQ(a.shape(), (Shape{2, 3}));
  EXPECT_EQ(a.dtype(), float64);
  EXPECT_EQ(a.device(), Device());
  EXPECT_EQ(a.to_vector<double>(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(FromXtensor, evaluates_expressions_and_views) {
  const xt::xarray<float> source = {{1, 2, 3}, {4, 5, 6}};
  const Array sum = from_xtensor(source + source);
  EXPECT_EQ(sum.dtype(), float32);
  EXPECT_EQ(sum.to_vector<float>(), (std::vector<float>{2, 4, 6, 8, 10, 12}));
  const Array column = from_xtensor(xt::view(source, xt::all(), 1));
  EXPECT_EQ(column.shape(), Shape{2});
  EXPECT_EQ(column.to_vector<float>(), (std::vector<float>{2, 5}));
  const Array backwards = from_xtensor(xt::view(source, 0, xt::range(xt::placeholders::_, xt::placeholders::_, -1)));
  EXPECT_EQ(backwards.to_vector<float>(), (std::vector<float>{3, 2, 1}));
}

TEST(FromXtensor, adopts_what_is_moved_in) {
  xt::xarray<double> source = {{1, 2, 3}, {4, 5, 6}};
  const double* memory = source.data();
  const Array a = from_xtensor(std::move(source));
  if (shares_host_memory()) {
    EXPECT_EQ(a.data(), memory);
  }
  EXPECT_EQ(a.to_vector<double>(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ((a + 1).to_vector<double>(), (std::vector<double>{2, 3, 4, 5, 6, 7}));
}

TEST(FromXtensor, column_major_elements_keep_their_places) {
  xt::xarray<int, xt::layout_type::column_major> source = {{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(from_xtensor(source).to_vector<int>(), (std::vector<int>{1, 2, 3, 4, 5, 6}));
  const int* memory = source.data();
  const Array a = from_xtensor(std::move(source));
  EXPECT_EQ(a.to_vector<int>(), (std::vector<int>{1, 2, 3, 4, 5, 6}));
  if (shares_host_memory()) {
    EXPECT_EQ(a.data(), memory);
    EXPECT_EQ(a.strides(), (Shape{1, 2}));
  }
}

TEST(FromXtensor, takes_every_container_and_shape) {
  xt::xtensor<std::complex<float>, 1> complex = {{1, 2}, {3, -4}};
  const std::vector<std::complex<float>> expected(complex.begin(), complex.end());
  EXPECT_EQ(from_xtensor(std::move(complex)).to_vector<std::complex<float>>(), expected);
  const Array flags = from_xtensor(xt::xarray<bool>{true, false, true});
  EXPECT_EQ(flags.dtype(), bool_);
  EXPECT_EQ(flags.to_vector<bool>(), (std::vector<bool>{true, false, true}));
  const Array scalar = from_xtensor(xt::xarray<double>(7.5));
  EXPECT_EQ(scalar.ndim(), 0);
  EXPECT_EQ(scalar.item<double>(), 7.5);
  const Array nothing = from_xtensor(xt::xarray<double>(std::vector<std::size_t>{3, 0}));
  EXPECT_EQ(nothing.shape(), (Shape{3, 0}));
  EXPECT_TRUE(nothing.to_vector<double>().empty());
}

TEST(FromXtensor, shared_containers_are_common_memory) {
  auto source = std::make_shared<xt::xarray<double>>(xt::xarray<double>{1, 2, 3});
  const std::weak_ptr<xt::xarray<double>> watch = source;
  {
    Array a = from_xtensor(source);
    a(0) = 10;
    EXPECT_EQ((*source)(0), shares_host_memory() ? 10 : 1);
    const Array second = a;
    a(1) = 20;
    EXPECT_EQ((*source)(1), 2) << "a write changed memory that another array shares";
    EXPECT_EQ(a.to_vector<double>(), (std::vector<double>{10, 20, 3}));
    EXPECT_EQ(second.to_vector<double>(), (std::vector<double>{10, 2, 3}));
    source.reset();
    EXPECT_EQ(watch.expired(), !shares_host_memory());
    EXPECT_EQ(second.to_vector<double>(), (std::vector<double>{10, 2, 3}));
  }
  EXPECT_TRUE(watch.expired());
  EXPECT_THROW(from_xtensor(std::shared_ptr<xt::xarray<double>>()), Error);
}

TEST(ToXtensor, copies_in_order_and_casts) {
  const Array a = arange(6).reshape({2, 3});
  const xt::xarray<std::int64_t> same = to_xtensor<std::int64_t>(a);
  EXPECT_EQ(same, (xt::xarray<std::int64_t>{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(to_xtensor<float>(a.transpose()), (xt::xarray<float>{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(to_xtensor<std::int64_t>(a(all, slice(none, none, -2))), (xt::xarray<std::int64_t>{{2, 0}, {5, 3}}));
  EXPECT_EQ(to_xtensor<double>(Array(2.5))(), 2.5);
  EXPECT_EQ(to_xtensor<double>(zeros({0, 4})).shape(0), 0u);
  EXPECT_EQ(to_xtensor<bool>(a > 2), (xt::xarray<bool>{{false, false, false}, {true, true, true}}));
}

class AsXtensor : public testing::Test {
 protected:
  void SetUp() override {
    if (!shares_host_memory()) GTEST_SKIP() << Device().name() << " does not share the host's memory";
  }
};

TEST_F(AsXtensor, shows_the_arrays_own_memory) {
  const Array a = array({{1.5, 2.5, 3.5}, {4.5, 5.5, 6.5}});
  const auto view = as_xtensor<double>(a);
  EXPECT_EQ(&view(0, 0), a.data());
  EXPECT_EQ(view.shape(1), 3u);
  EXPECT_EQ(elements<double>(view), a.to_vector<double>());
  EXPECT_EQ(xt::sum(view)(), 24.0);
  static_assert(std::is_const_v<std::remove_reference_t<decltype(view(0, 0))>>, "the view is read-only");
}

TEST_F(AsXtensor, strides_of_any_sign) {
  const Array a = array({{1.0, 2.0, 3.0, 4.0}, {5.0, 6.0, 7.0, 8.0}, {9.0, 10.0, 11.0, 12.0}});
  const Array views[] = {a.transpose(), a.flip(), a(slice(none, none, -2), slice(1, none, 2)), a(all, 1),
                         a(1, slice(none, none, -3)), a(slice(0, 1)).broadcast_to({3, 4}), a(1, 2), a(slice(2, 2))};
  for (const Array& x : views) {
    const auto view = as_xtensor<double>(x);
    ASSERT_EQ(view.dimension(), static_cast<std::size_t>(x.ndim()));
    EXPECT_EQ(elements<double>(view), x.to_vector<double>()) << x.shape() << " " << x.strides();
  }
}

TEST_F(AsXtensor, keeps_the_memory_alive_and_unchanged) {
  Array a = full({1000}, 3.0);
  const auto view = as_xtensor<double>(a);
  a(0) = 4;
  EXPECT_EQ(view(0), 3.0);
  a = zeros({1});
  EXPECT_EQ(xt::sum(view)(), 3000.0);
}

TEST_F(AsXtensor, evaluates_expressions) {
  const Array a = arange(5);
  EXPECT_EQ(elements<std::int64_t>(as_xtensor<std::int64_t>(a)), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(elements<double>(as_xtensor<double>(a / 2)), (std::vector<double>{0, 0.5, 1, 1.5, 2}));
}

TEST_F(AsXtensor, refuses_another_dtype) {
  try {
    as_xtensor<double>(zeros({2}, {.dtype = float32}));
    FAIL() << "a float32 array was viewed as float64";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "as_xtensor: array of dtype float32 viewed as float64; to_xtensor copies and casts");
  }
}

}  // namespace
}  // namespace tandem
