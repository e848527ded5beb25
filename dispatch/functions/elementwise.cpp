#include <tandem/elementwise.hpp>

#include <cmath>

#include "../array/shape_rules.hpp"
#include "common.hpp"

namespace tandem {
namespace detail {
namespace {

bool is_comparison(td_op op) noexcept { return op >= TD_OP_equal && op <= TD_OP_greater_equal; }

bool is_logic(td_op op) noexcept { return op >= TD_OP_logical_and && op <= TD_OP_logical_xor; }

/// The dtype in which an operation computes operands that promoted to `dtype`; throws Error if it takes none.
DType compute_dtype(td_op op, DType dtype) {
  const OpRow& row = op_rows[op];
  if (op == TD_OP_make_complex) dtype = promote_types(inexact_dtype(dtype), float32);
  if (row.types & type_set(dtype)) return dtype;
  if (is_bool(dtype) && row.types & TD_I) {
    if (op == TD_OP_subtract || op == TD_OP_negative)
      fail(row.name, std::string("bool is not supported; use ") +
                         (op == TD_OP_subtract ? "logical_xor or not_equal" : "logical_not"));
    if (op == TD_OP_sign) fail(row.name, "bool is not supported");
    return int8;
  }
  if (!is_inexact(dtype) && row.types & TD_F) return op == TD_OP_divide ? float64 : inexact_dtype(dtype);
  fail(row.name, "dtype " + std::string(name(dtype)) + " is not supported");
}

/// Shape of the result; throws Error with the shapes of the arrays, and for more elements than can be counted.
Shape result_shape(const char* function, const Operand* const* operands, int n) {
  Shape shape;
  bool first = true;
  for (int i = 0; i < n; ++i) {
    if (!operands[i]->is_array()) continue;
    if (first) {
      shape = operands[i]->array().shape();
      first = false;
    } else if (!broadcast_into(shape, operands[i]->array().shape())) {
      std::string text = "shapes";
      const char* separator = " ";
      for (int k = 0; k < n; ++k)
        if (operands[k]->is_array()) {
          text += separator + to_string(operands[k]->array().shape());
          separator = " and ";
        }
      fail(function, text + " do not broadcast");
    }
  }
  element_count(function, shape);
  return shape;
}

/// A comparison of an integer array with a C++ integer outside its dtype has one answer for all elements (NumPy 2).
std::optional<bool> constant_comparison(td_op op, const Operand& a, const Operand& b) {
  const bool array_first = a.is_array();
  if (array_first == b.is_array()) return std::nullopt;
  const Array& x = array_first ? a.array() : b.array();
  const Scalar& s = array_first ? b.scalar() : a.scalar();
  if (s.kind() != Scalar::Kind::integer || !is_integer(x.dtype()) || fits(s, x.dtype())) return std::nullopt;
  if (op == TD_OP_equal) return false;
  if (op == TD_OP_not_equal) return true;
  const bool scalar_above = s.above_int64() || s.integer() > 0;
  const bool first_below_second = array_first == scalar_above;
  return (op == TD_OP_less || op == TD_OP_less_equal) == first_below_second;
}

/// int64-like against uint64 compares the numbers themselves, not their roundings to float64.
Array compare_signs(td_op op, const Array& a, const Array& b) {
  const bool a_signed = is_signed_integer(a.dtype());
  const Array below = less(a_signed ? a : b, 0);
  const Array x = a_signed ? a.astype(uint64) : a;
  const Array y = a_signed ? b : b.astype(uint64);
  const Operand first(x), second(y);
  const bool true_if_below = op == TD_OP_not_equal || (op == TD_OP_less || op == TD_OP_less_equal) == a_signed;
  if (op != TD_OP_equal && true_if_below) return logical_or(below, elementwise(op, {&first, &second}));
  return logical_and(logical_not(below), elementwise(op, {&first, &second}));
}

/// The first array's node if all arrays have its dtype, device and shape, as most do: then there is nothing to promote or
/// broadcast. Else null.
const Node* common_model(const Operand* const* operands, int n) {
  const Node* model = nullptr;
  for (int i = 0; i < n; ++i) {
    if (!operands[i]->is_array()) continue;
    const Node* x = operands[i]->array().node().get();
    if (!x) operands[i]->array().dtype();  // throws: it was moved from
    if (!model)
      model = x;
    else if (x->dtype != model->dtype || x->device != model->device || !(x->shape == model->shape))
      return nullptr;
  }
  return model;
}

/// Integer powers have no fractions to put a negative exponent's result into.
void check_exponent(const Operand& exponent) {
  std::int64_t least = 0;
  if (!exponent.is_array()) {
    const Scalar& scalar = exponent.scalar();
    if (scalar.kind() == Scalar::Kind::integer && !scalar.above_int64()) least = scalar.integer();
  } else if (is_signed_integer(exponent.array().dtype()) && exponent.array().size() > 0) {
    least = reduce("pow", TD_REDUCE_min, exponent.array(), {}, false).item<std::int64_t>();
  }
  if (least < 0) fail("pow", "integers to negative integer powers, as " + std::to_string(least) + ", are not allowed");
}

}  // namespace

Array elementwise(td_op op, std::initializer_list<const Operand*> list) {
  const OpRow& row = op_rows[op];
  const Operand* const* operands = list.begin();
  const int n = int(list.size());
  const bool conditional = op == TD_OP_where;
  const Node* model = common_model(operands, n);
  DType promoted;
  if (model && !conditional) {
    promoted = model->dtype;
    for (int i = 0; i < n; ++i)
      if (!operands[i]->is_array()) promoted = promote_weak(promoted, operands[i]->scalar());
  } else {
    const bool as_floats = !(row.types & TD_I) && op != TD_OP_divide;
    promoted = conditional ? promote_operands(operands + 1, 2) : promote_operands(operands, n, as_floats);
  }
  if (is_comparison(op)) {
    if (auto answer = constant_comparison(op, *operands[0], *operands[1])) {
      const Array& x = (operands[0]->is_array() ? operands[0] : operands[1])->array();
      return constant_array(row.name, *x.node()->device, x.shape(), *answer, bool_);
    }
    if (promoted == float64 && operands[0]->is_array() && operands[1]->is_array() &&
        is_integer(operands[0]->array().dtype()) && is_integer(operands[1]->array().dtype())) {
      common_device(row.name, operands, n);
      return compare_signs(op, operands[0]->array(), operands[1]->array());
    }
  }
  const DType dtype = compute_dtype(op, promoted);
  DeviceState& device = model ? *model->device : common_device(row.name, operands, n);
  // The sources keep the model alive, unless casts stand between: a cast that runs drops what it was made from.
  const bool plain = model && dtype == model->dtype && !(conditional && !is_bool(dtype));
  Shape broadcast;
  if (!plain) broadcast = model ? model->shape : result_shape(row.name, operands, n);
  const Shape& shape = plain ? model->shape : broadcast;
  if (op == TD_OP_pow && is_integer(dtype) && element_count(row.name, shape) > 0) check_exponent(*operands[1]);
  Source sources[TD_MAX_SOURCES];
  for (int i = 0; i < n; ++i) {
    const DType own = conditional && i == 0 ? bool_ : dtype;
    if (operands[i]->is_array()) {
      sources[i].node = operands[i]->take().node();
      if (sources[i].node->dtype != own) sources[i].node = record_cast(row.name, std::move(sources[i].node), own);
    } else {
      const Scalar& scalar = operands[i]->scalar();
      // Logic asks only whether a number is zero, so that integers outside the dtype will do.
      const Scalar value = is_logic(op) ? Scalar(scalar.real() != 0 || scalar.imag() != 0) : scalar;
      sources[i].constant = make_constant(row.name, value, own);
    }
  }
  return Array(record_map(row.name, op, dtype, result_dtype(row.result, dtype), device, shape, sources, n));
}

}  // namespace detail

#define TD_DETAIL_DEFINE_1(name) \
  Array name(const Operand& a) { return detail::elementwise(TD_OP_##name, {&a}); }
#define TD_DETAIL_DEFINE_2(name) \
  Array name(const Operand& a, const Operand& b) { return detail::elementwise(TD_OP_##name, {&a, &b}); }
#define TD_DETAIL_DEFINE_3(name)                                    \
  Array name(const Operand& a, const Operand& b, const Operand& c) { \
    return detail::elementwise(TD_OP_##name, {&a, &b, &c});          \
  }
#define TD_DETAIL_DEFINE_4(name)                                                      \
  Array name(const Operand& a, const Operand& b, const Operand& c, const Operand& d) { \
    return detail::elementwise(TD_OP_##name, {&a, &b, &c, &d});                        \
  }
#define TD_OP(name, arity, ...) TD_DETAIL_DEFINE_##arity(name)
#include <tandem/ops.def>

Array round(const Operand& x, int decimals) {
  const detail::FunctionName function("round");
  if (decimals == 0) return rint(x);
  if (x.is_array() && is_complex(x.array().dtype()))
    return make_complex(round(real(x.array()), decimals), round(imag(x.array()), decimals));
  const bool integral = x.is_array() && !is_inexact(x.array().dtype());
  if (integral && decimals > 0) return positive(x);
  const double scale = std::pow(10.0, std::abs(decimals));
  if (integral) {
    const DType dtype = x.array().dtype();
    return multiply(rint(divide(x, scale)), scale).astype(dtype);
  }
  return decimals > 0 ? divide(rint(multiply(x, scale)), scale) : multiply(rint(divide(x, scale)), scale);
}

Array isclose(const Operand& a, const Operand& b, const CloseOptions& options) {
  const detail::FunctionName function("isclose");
  if (!options.equal_nan) return isclose(a, b, options.rtol, options.atol);
  const auto keep = [](const Operand& x) { return x.is_array() ? x.array() : Array(x.scalar()); };
  const Array x = keep(a), y = keep(b);
  return logical_or(isclose(x, y, options.rtol, options.atol), logical_and(isnan(x), isnan(y)));
}

Array nan_to_num(const Operand& operand, const NanToNumOptions& options) {
  const detail::FunctionName function("nan_to_num");
  const Array x = operand.is_array() ? operand.take() : Array(operand.scalar());
  if (!is_inexact(x.dtype())) return x;
  if (is_complex(x.dtype())) return make_complex(nan_to_num(real(x), options), nan_to_num(imag(x), options));
  const double largest = finfo(x.dtype()).max;
  return nan_to_num(x, options.nan, options.posinf.value_or(largest), options.neginf.value_or(-largest));
}

Array clip(const Operand& operand, const ClipOptions& options) {
  const detail::FunctionName function("clip");
  const Array x = operand.is_array() ? operand.take() : Array(operand.scalar());
  // An integer beyond the end of x's dtype bounds nothing.
  const auto bounds = [&](const std::optional<Scalar>& bound, bool from_above) {
    if (!bound) return false;
    if (bound->kind() != Scalar::Kind::integer || !is_integer(x.dtype()) || detail::fits(*bound, x.dtype())) return true;
    const bool above = bound->above_int64() || bound->integer() > 0;
    if (above != from_above) detail::make_constant(function, *bound, x.dtype());  // throws
    return false;
  };
  const Array low = bounds(options.min, false) ? maximum(x, *options.min) : x;
  return bounds(options.max, true) ? minimum(low, *options.max) : low;
}

}  // namespace tandem
