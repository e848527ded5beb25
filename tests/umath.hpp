// NumPy's accuracy set: inputs with correctly rounded results for 20 functions, in data/umath.
#pragma once

#include <fstream>
#include <sstream>

#include "rows.hpp"

namespace tandem::test {

/// A function of the set, by its name there, and the operation that is it.
struct UmathFunction {
  const char* numpy_name;
  td_op op;
};
inline void PrintTo(const UmathFunction& f, std::ostream* out) { *out << f.numpy_name; }

inline constexpr UmathFunction umath_functions[] = {
    {"arccos", TD_OP_acos},   {"arccosh", TD_OP_acosh}, {"arcsin", TD_OP_asin},   {"arcsinh", TD_OP_asinh},
    {"arctan", TD_OP_atan},   {"arctanh", TD_OP_atanh}, {"cbrt", TD_OP_cbrt},     {"cos", TD_OP_cos},
    {"cosh", TD_OP_cosh},     {"exp", TD_OP_exp},       {"exp2", TD_OP_exp2},     {"expm1", TD_OP_expm1},
    {"log", TD_OP_log},       {"log10", TD_OP_log10},   {"log1p", TD_OP_log1p},   {"log2", TD_OP_log2},
    {"sin", TD_OP_sin},       {"sinh", TD_OP_sinh},     {"tan", TD_OP_tan},       {"tanh", TD_OP_tanh}};

/// What the set says of one dtype. The tolerance is the largest error that NumPy allows, in ULP.
template <class T>
struct UmathColumns {
  Values<T> inputs, outputs;
  double tolerance = 0;
};
struct UmathSet {
  UmathColumns<Half> halves;
  UmathColumns<float> floats;
  UmathColumns<double> doubles;
};

/// Reads the set of a function from the folder data/umath; throws std::runtime_error if it is not there or not
/// understood.
inline UmathSet read_umath(const UmathFunction& function) {
  const std::string name = "umath-validation-set-" + std::string(function.numpy_name) + ".csv";
  std::ifstream file(data_folder("umath") + "/" + name);
  if (!file.is_open()) throw std::runtime_error("the file " + name + " is missing");
  UmathSet set;
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("np.")) continue;
    std::istringstream fields(line);
    std::string dtype, input, output, tolerance;
    std::getline(fields, dtype, ',');
    std::getline(fields, input, ',');
    std::getline(fields, output, ',');
    std::getline(fields, tolerance, ',');
    const std::uint64_t in = std::stoull(input, nullptr, 16), out = std::stoull(output, nullptr, 16);
    const auto add = [&]<class T, class Bits>(UmathColumns<T>& columns, Bits) {
      columns.inputs.push_back(std::bit_cast<T>(static_cast<Bits>(in)));
      columns.outputs.push_back(std::bit_cast<T>(static_cast<Bits>(out)));
      columns.tolerance = std::max(columns.tolerance, std::stod(tolerance));
    };
    if (dtype == "np.float16") add(set.halves, std::uint16_t{});
    else if (dtype == "np.float32") add(set.floats, std::uint32_t{});
    else if (dtype == "np.float64") add(set.doubles, std::uint64_t{});
    else throw std::runtime_error("an unknown dtype: " + line);
  }
  return set;
}

}  // namespace tandem::test
