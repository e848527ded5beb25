// NumPy's accuracy set: 26,610 inputs with correctly rounded results for 20 functions.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "support.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;

namespace {

struct Function {
  const char* numpy_name;
  Array (*call)(const td::Operand&);
  int budget;
};

#define TD_OP(name, arity, types, result, expression, low, high, ulp, doc) constexpr int budget_of_##name = ulp;
#include <tandem/ops.def>
#define FUNCTION(numpy_name, name)                                                  \
  Function {                                                                        \
    #numpy_name, [](const td::Operand& x) { return td::name(x); }, budget_of_##name \
  }
const Function functions[] = {
    FUNCTION(arccos, acos), FUNCTION(arccosh, acosh), FUNCTION(arcsin, asin), FUNCTION(arcsinh, asinh),
    FUNCTION(arctan, atan), FUNCTION(arctanh, atanh), FUNCTION(cbrt, cbrt),   FUNCTION(cos, cos),
    FUNCTION(cosh, cosh),   FUNCTION(exp, exp),       FUNCTION(exp2, exp2),   FUNCTION(expm1, expm1),
    FUNCTION(log, log),     FUNCTION(log10, log10),   FUNCTION(log1p, log1p), FUNCTION(log2, log2),
    FUNCTION(sin, sin),     FUNCTION(sinh, sinh),     FUNCTION(tan, tan),     FUNCTION(tanh, tanh)};

void PrintTo(const Function& f, std::ostream* out) { *out << f.numpy_name; }

template <class T>
struct Set {
  Values<T> inputs, outputs;
  double tolerance = 0;
};

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
void check(const Function& function, const Set<T>& set) {
  if (set.inputs.empty()) return;
  const Values<T> got = read<T>(function.call(make<T>(set.inputs)));
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (const double steps = steps_between<T>(got[i], set.outputs[i]); steps > worst) {
      worst = steps;
      at = i;
    }
  const double allowed = std::max(set.tolerance, double(function.budget));
  std::printf("%-8s %-8s %6zu inputs, worst %g ULP at %s, allowed %g\n", function.numpy_name,
              std::string(td::name(td::dtype_of_v<T>)).c_str(), got.size(), worst, text<T>(set.inputs[at]).c_str(),
              allowed);
  EXPECT_LE(worst, allowed) << "gave " << text<T>(got[at]) << ", correct is " << text<T>(set.outputs[at]);
}

class Umath : public ::testing::TestWithParam<Function> {};

TEST_P(Umath, StaysWithinNumPysTolerance) {
  const std::filesystem::path folder = data_folder("umath");
  std::ifstream file(folder / ("umath-validation-set-" + std::string(GetParam().numpy_name) + ".csv"));
  ASSERT_TRUE(file.is_open());
  Set<td::Half> halves;
  Set<float> floats;
  Set<double> doubles;
  std::string line;
  int rows = 0;
  while (std::getline(file, line)) {
    if (!line.starts_with("np.")) continue;
    ++rows;
    std::istringstream fields(line);
    std::string dtype, input, output, tolerance;
    std::getline(fields, dtype, ',');
    std::getline(fields, input, ',');
    std::getline(fields, output, ',');
    std::getline(fields, tolerance, ',');
    const std::uint64_t in = std::stoull(input, nullptr, 16), out = std::stoull(output, nullptr, 16);
    const auto add = [&]<class T, class Bits>(Set<T>& set, Bits) {
      set.inputs.push_back(std::bit_cast<T>(static_cast<Bits>(in)));
      set.outputs.push_back(std::bit_cast<T>(static_cast<Bits>(out)));
      set.tolerance = std::max(set.tolerance, std::stod(tolerance));
    };
    if (dtype == "np.float16") add(halves, std::uint16_t{});
    else if (dtype == "np.float32") add(floats, std::uint32_t{});
    else if (dtype == "np.float64") add(doubles, std::uint64_t{});
    else FAIL() << "an unknown dtype: " << line;
  }
  EXPECT_GT(rows, 100);
  check(GetParam(), halves);
  check(GetParam(), floats);
  check(GetParam(), doubles);
}

INSTANTIATE_TEST_SUITE_P(NumPy, Umath, ::testing::ValuesIn(functions),
                         [](const auto& info) { return std::string(info.param.numpy_name); });

}  // namespace
