// Elementwise functions.
#include "calls.hpp"

namespace td = tandem;

namespace tandem::test::replay {
namespace {

/// NumPy's own error, which adds to the budget of the function: its loops keep 4 ULP.
constexpr double numpys_error = 4;

/// `x += b` and so on.
void update(Array& x, const std::string& name, const td::Operand& b) {
  if (name == "add") x += b;
  else if (name == "subtract") x -= b;
  else if (name == "multiply") x *= b;
  else if (name == "divide") x /= b;
  else if (name == "remainder") x %= b;
  else if (name == "bitwise_and") x &= b;
  else if (name == "bitwise_xor") x ^= b;
  else if (name == "bitwise_left_shift") x <<= b;
  else throw std::runtime_error("no operator " + name);
}

}  // namespace

void add_elementwise(Functions& f) {
  // Elementwise: every row of ops.def, with its budget.
#define CALL_OF_1(name) [](const Arguments& a) { return Results{td::name(a.operand(0))}; }
#define CALL_OF_2(name) [](const Arguments& a) { return Results{td::name(a.operand(0), a.operand(1))}; }
#define CALL_OF_3(name) [](const Arguments& a) { return Results{td::name(a.operand(0), a.operand(1), a.operand(2))}; }
#define CALL_OF_4(name) {}
#define TD_OP(name, arity, types, result, expression, low, high, budget, doc)                  \
  f[#name] = {.call = CALL_OF_##arity(name), .ulp = budget == 0 ? 0 : budget + numpys_error, \
              .ulp_complex = budget == 0 ? 0 : budget + numpys_error};
#include <tandem/ops.def>
  // Complex forms of what is exact for reals, and not for complex numbers.
  for (const char* name : {"multiply", "divide", "abs", "sign", "square", "reciprocal", "sqrt"})
    f[name].ulp_complex = 4 + numpys_error;
  for (const char* name : {"maximum", "minimum", "fmax", "fmin", "clip"}) f[name].zeros_alike = true;

  f["isclose"].call = [](const Arguments& a) { return Results{td::isclose(a.operand(0), a.operand(1))}; };
  f["round"].call = [](const Arguments& a) { return Results{td::round(a.operand(0), a.axis(1))}; };
  f["nan_to_num"].call = [](const Arguments& a) {
    const td::NanToNumOptions options{a.real(1), a.optional_real(2), a.optional_real(3)};
    return Results{td::nan_to_num(a.operand(0), options)};
  };
  f["in_place"] = {.call = [](const Arguments& a) {
    Array x = a.array(0);
    update(x, a.text(1), a.operand(2));
    return Results{x};
  }, .ulp_complex = 4 + numpys_error,
     .says = {"add", "subtract", "multiply", "divide", "remainder", "bitwise_and", "bitwise_xor", "bitwise_left_shift"}};
  f["clip_to"].call = [](const Arguments& a) {
    const auto bound = [&](std::size_t i) { return a.has(i) ? std::optional(a.scalar(i)) : std::nullopt; };
    return Results{td::clip(a.operand(0), td::ClipOptions{bound(1), bound(2)})};
  };
  f["clip_to"].zeros_alike = true;
  f["clip_to"].says = {"clip"};
  f["astype"].call = [](const Arguments& a) { return Results{a.array(0).astype(*a.dtype(1))}; };
}

}  // namespace tandem::test::replay
