#include "common.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <tandem/elementwise.hpp>
#include <tandem/reductions.hpp>

#include "../array/shape_rules.hpp"
#include "../program/scalar_host.hpp"

namespace tandem::detail {
namespace {

std::string integer_text(const Scalar& s) {
  return s.above_int64() ? std::to_string(static_cast<std::uint64_t>(s.integer())) : std::to_string(s.integer());
}

}  // namespace

bool fits(const Scalar& s, DType dtype) noexcept {
  if (dtype == uint64) return s.above_int64() || s.integer() >= 0;
  if (s.above_int64()) return false;
  const int bits = itemsize(dtype) * 8;
  if (is_signed_integer(dtype)) return bits == 64 || (s.integer() >= -(1ll << (bits - 1)) && s.integer() < 1ll << (bits - 1));
  return s.integer() >= 0 && s.integer() < 1ll << bits;
}

void refuse_complex(const char* function, const Array& x) {
  if (is_complex(x.dtype())) fail(function, "dtype " + std::string(name(x.dtype())) + " is not supported");
}

std::string describe_number(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

std::string describe_dtypes(DType a, DType b) { return std::string(name(a)) + " and " + std::string(name(b)); }

td_constant make_constant(const char* function, const Scalar& s, DType dtype) {
  if (s.kind() == Scalar::Kind::integer && is_integer(dtype) && !fits(s, dtype))
    fail(function, "integer " + integer_text(s) + " is out of bounds for " + std::string(name(dtype)));
  if (s.kind() == Scalar::Kind::complex && !is_complex(dtype) && !is_bool(dtype))
    fail(function, "a complex number does not convert to " + std::string(name(dtype)));
  td_constant constant{};
  with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    T value;
    if (s.kind() == Scalar::Kind::complex)
      value = scalar::cast<T>(scalar::c128{s.real(), s.imag()});
    else if (s.kind() == Scalar::Kind::real)
      value = scalar::cast<T>(scalar::f64(s.real()));
    else if (s.above_int64())
      value = scalar::cast<T>(scalar::u64(s.integer()));
    else
      value = scalar::cast<T>(scalar::i64(s.integer()));
    std::memcpy(constant.bytes, &value, sizeof value);
  });
  return constant;
}

DType promote_weak(DType dtype, const Scalar& scalar) noexcept {
  switch (scalar.kind()) {
    case Scalar::Kind::boolean: return dtype;
    case Scalar::Kind::integer: return is_bool(dtype) ? int64 : dtype;
    case Scalar::Kind::real: return is_inexact(dtype) ? dtype : float64;
    default: return is_inexact(dtype) ? promote_types(dtype, complex64) : complex128;
  }
}

DType promote(std::span<const TypeOperand> operands) {
  bool any_array = false, above_int64 = false;
  DType result = bool_;
  for (const TypeOperand& operand : operands)
    if (operand.dtype()) {
      result = std::max(result, *operand.dtype());
      any_array = true;
    }
  for (const TypeOperand& operand : operands)
    if (operand.dtype()) result = promote_types(result, *operand.dtype());
  for (const TypeOperand& operand : operands) {
    if (operand.dtype()) continue;
    const Scalar& scalar = operand.scalar();
    above_int64 |= scalar.above_int64();
    result = any_array ? promote_weak(result, scalar)
                       : promote_types(result, scalar.kind() == Scalar::Kind::integer ? int64 : scalar.dtype());
  }
  return !any_array && above_int64 && result == int64 ? uint64 : result;
}

DType promote(std::span<const Array> arrays) {
  const std::vector<TypeOperand> types(arrays.begin(), arrays.end());
  return promote(types);
}

DType promote_operands(const Operand* const* operands, int n, bool as_floats) {
  TypeOperand types[TD_MAX_SOURCES] = {bool_, bool_, bool_, bool_};
  for (int i = 0; i < n; ++i) {
    if (!operands[i]->is_array()) {
      types[i] = operands[i]->scalar();
      continue;
    }
    const DType dtype = operands[i]->array().dtype();
    types[i] = as_floats ? inexact_dtype(dtype) : dtype;
  }
  return promote({types, static_cast<std::size_t>(n)});
}

namespace {
void require_same(const char* function, const DeviceState* a, const DeviceState* b) {
  if (a != b) fail(function, "arrays are on different devices, " + a->name + " and " + b->name + "; use to(device)");
}
}  // namespace

DeviceState& common_device(const char* function, const Operand* const* operands, int n) {
  DeviceState* device = nullptr;
  for (int i = 0; i < n; ++i)
    if (operands[i]->is_array()) {
      DeviceState* own = operands[i]->array().node()->device;
      if (device) require_same(function, device, own);
      device = own;
    }
  return device ? *device : default_device();
}

DeviceState& common_device(const char* function, std::span<const Array> arrays) {
  if (arrays.empty()) return default_device();
  DeviceState* device = arrays[0].node()->device;
  for (const Array& x : arrays) require_same(function, device, x.node()->device);
  return *device;
}

DeviceState& device_of(const std::optional<Device>& device) { return device ? *device->state() : default_device(); }

Node& ready(const char* function, const Array& x, FlushReason reason) {
  Node& node = *x.node();
  evaluate(function, node, reason);
  return node;
}

Array adopt_elements(void* data, DType dtype, const Shape& shape, const Shape& strides, std::shared_ptr<void> owner,
                     const Device& device, bool writable) {
  const auto adopt = [&](DType as) {
    return writable ? Array::adopt(data, as, shape, strides, owner, device)
                    : Array::adopt(static_cast<const void*>(data), as, shape, strides, owner, device);
  };
  if (dtype == bool_ && element_count("adopt", shape) > 0)
    if (const Array bytes = adopt(uint8); any(greater(bytes, 1))) return not_equal(bytes, 0).eval();
  return adopt(dtype);
}

td_view view_of(const Node& node) noexcept {
  return {node.data, td_dtype(node.dtype), node.shape.size(), node.shape.data(), node.strides.data()};
}

Array host_array(const char* function, DeviceState& device, DType dtype, const Shape& shape, const void* values) {
  NodePtr node = allocate_node(function, device, dtype, shape);
  if (node->bytes) call(function, device.table->copy, device.handle, TD_HOST_TO_DEVICE, node->data, values, node->bytes);
  return Array(std::move(node));
}

Array index_array(DeviceState& device, const Shape& shape, const Shape& strides) {
  return Array(index_node(device, shape, strides));
}

Array constant_array(const char* function, DeviceState& device, const Shape& shape, const Scalar& value, DType dtype) {
  Source source{{}, make_constant(function, value, dtype)};
  return Array(record_map(function, TD_OP_positive, dtype, dtype, device, shape, &source, 1));
}

}  // namespace tandem::detail
