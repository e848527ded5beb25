// NumPy's accuracy set: 26,610 inputs with correctly rounded results for 20 functions.
#include "umath.hpp"

namespace td = tandem;
using namespace tandem::test;

namespace {

/// Numbers of the format between two numbers; NaNs are at distance 0 of one another.
template <class T>
double steps_between(Stored<T> a, Stored<T> b) {
  if (std::isnan(real_value(a)) || std::isnan(real_value(b)))
    return std::isnan(real_value(a)) && std::isnan(real_value(b)) ? 0 : std::numeric_limits<double>::infinity();
  using Bits =
      std::conditional_t<sizeof(T) == 8, std::int64_t, std::conditional_t<sizeof(T) == 4, std::int32_t, std::int16_t>>;
  const auto ordered = [](Stored<T> x) {
    const Bits bits = std::bit_cast<Bits>(x);
    return static_cast<long double>(bits < 0 ? std::numeric_limits<Bits>::min() - static_cast<__int128>(bits) : bits);
  };
  return static_cast<double>(std::fabs(ordered(a) - ordered(b)));
}

template <class T>
void check(const UmathFunction& function, const UmathColumns<T>& set) {
  if (set.inputs.empty()) return;
  const Row& row = rows[function.op];
  const Values<T> got = read<T>(call<T>(row, {make<T>(set.inputs)}));
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (const double steps = steps_between<T>(got[i], set.outputs[i]); steps > worst) {
      worst = steps;
      at = i;
    }
  const double allowed = std::max(set.tolerance, double(row.budget));
  std::printf("%-8s %-8s %6zu inputs, worst %g ULP at %s, allowed %g\n", function.numpy_name,
              std::string(td::name(td::dtype_of_v<T>)).c_str(), got.size(), worst, text<T>(set.inputs[at]).c_str(),
              allowed);
  EXPECT_LE(worst, allowed) << "gave " << text<T>(got[at]) << ", correct is " << text<T>(set.outputs[at]);
}

class Umath : public ::testing::TestWithParam<UmathFunction> {};

TEST_P(Umath, StaysWithinNumPysTolerance) {
  const UmathSet set = read_umath(GetParam());
  EXPECT_GT(set.halves.inputs.size() + set.floats.inputs.size() + set.doubles.inputs.size(), 100);
  check(GetParam(), set.halves);
  check(GetParam(), set.floats);
  check(GetParam(), set.doubles);
}

INSTANTIATE_TEST_SUITE_P(NumPy, Umath, ::testing::ValuesIn(umath_functions),
                         [](const auto& info) { return std::string(info.param.numpy_name); });

}  // namespace
