// Arrays of more than 2^31 elements. Needs about 7 GiB of device memory: runs where TANDEM_TEST_LARGE=1.
#include <cstdlib>

#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;

namespace {

constexpr std::int64_t n = (std::int64_t{1} << 31) + 7;

class Large : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* wanted = std::getenv("TANDEM_TEST_LARGE");
    if (!wanted || std::string_view(wanted) != "1") GTEST_SKIP() << "set TANDEM_TEST_LARGE=1 to run it";
  }
};

TEST_F(Large, SumAndCount) {
  Array x = td::ones({n}, {.dtype = td::int8}).copy();
  td::Device device;
  device.set_memory_limit(device.memory().used_bytes + (std::int64_t{1} << 28));  // the widened elements are not stored
  EXPECT_EQ(td::sum(x).item<std::int64_t>(), n);
  device.set_memory_limit(0);
  x(n - 1) = 3;
  EXPECT_EQ(td::sum(x).item<std::int64_t>(), n + 2);
  EXPECT_EQ(td::argmax(x).item<std::int64_t>(), n - 1);
  EXPECT_EQ(td::max(x).item<int>(), 3);
  EXPECT_EQ(td::count_nonzero(x).item<std::int64_t>(), n);
}

TEST_F(Large, SlicesAtTheFarEnd) {
  Array x = td::zeros({n}, {.dtype = td::int8}).copy();
  x(td::slice(n - 3, td::none)) = td::array({1, 2, 3});
  EXPECT_EQ(x(td::slice(-5, td::none)).to_vector<int>(), (std::vector<int>{0, 0, 1, 2, 3}));
  EXPECT_EQ(x(td::slice(td::none, td::none, -1))(td::slice(0, 4)).to_vector<int>(), (std::vector<int>{3, 2, 1, 0}));
  EXPECT_EQ(x(td::slice(1, td::none, std::int64_t{1} << 30)).size(), 3);
  EXPECT_EQ(td::argmax(x).item<std::int64_t>(), n - 1);
  EXPECT_TRUE(throws<td::IndexError>([&] { x(n); }, "", {std::to_string(n)}));
}

TEST_F(Large, AddsBeyondThirtyTwoBits) {
  const Array x = td::full({n}, 5, {.dtype = td::int8}).copy();
  const Array y = (x + x).eval();
  EXPECT_EQ(y(n - 1).item<int>(), 10);
  EXPECT_EQ(y(std::int64_t{1} << 31).item<int>(), 10);
  EXPECT_EQ(td::min(y).item<int>(), 10);
  EXPECT_EQ(td::max(y).item<int>(), 10);
}

TEST_F(Large, RowsAndColumns) {
  const std::int64_t rows = (std::int64_t{1} << 30) + 5;
  const Array x = td::ones({rows, 2}, {.dtype = td::int8}).copy();
  EXPECT_EQ(td::sum(x, {.axis = 0}).to_vector<std::int64_t>(), (std::vector<std::int64_t>{rows, rows}));
  EXPECT_EQ(td::arange(n)(n - 1).item<std::int64_t>(), n - 1);
}

}  // namespace
