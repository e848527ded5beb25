// Elementwise operations: every expression of ops.def for every dtype of its row.
#include "operations.hpp"

#include "types.hpp"

namespace tandem::reference {

namespace {

#define TD_OP(name, arity, types, result, expression, ...)                                                   \
  template <class T>                                                                                         \
  struct name##_row {                                                                                        \
    static constexpr bool has_kernel = ((types) & kind_of<T>) != 0;                                          \
    static Value apply(const Value& first, [[maybe_unused]] const Value& second,                             \
                       [[maybe_unused]] const Value& third, [[maybe_unused]] const Value& fourth) {          \
      [[maybe_unused]] const bool p = first.as<bool>();                                                      \
      [[maybe_unused]] const auto a = cast<compute_t<T>>(first.as<T>());                                       \
      [[maybe_unused]] const auto b = cast<compute_t<T>>(second.as<T>());                                      \
      [[maybe_unused]] const auto c = cast<compute_t<T>>(third.as<T>());                                       \
      [[maybe_unused]] const auto d = cast<compute_t<T>>(fourth.as<T>());                                      \
      return Value::of(cast<Result<T, result>>(expression));                                                 \
    }                                                                                                        \
  };
#include <tandem/ops.def>

template <template <class> class Row>
Operation choose(int dtype) {
  return with_type(dtype, [](auto type) -> Operation {
    using T = typename decltype(type)::type;
    if constexpr (Row<T>::has_kernel) {
      return Row<T>::apply;
    } else {
      return nullptr;
    }
  });
}

template <class From, class To>
Value apply_cast(const Value& a, const Value&, const Value&, const Value&) {
  return Value::of(cast<To>(a.as<From>()));
}

}  // namespace

Operation find_operation(int op, int dtype) {
  Operation operation = nullptr;
  const char* name = "an unknown operation";
  switch (op) {
#define TD_OP(row, ...)                   \
  case TD_OP_##row:                       \
    operation = choose<row##_row>(dtype); \
    name = #row;                          \
    break;
#include <tandem/ops.def>
    default: break;
  }
  if (operation == nullptr) throw Failure(TD_NOT_SUPPORTED, std::string(name) + " has no kernel for " + name_of(dtype));
  return operation;
}

int arity_of(int op) {
  switch (op) {
#define TD_OP(row, arity, ...) \
  case TD_OP_##row: return arity;
#include <tandem/ops.def>
    default: return 0;
  }
}

Operation find_cast(int from, int to) {
  return with_type(from, [&](auto from_type) {
    return with_type(to, [](auto to_type) -> Operation {
      return apply_cast<typename decltype(from_type)::type, typename decltype(to_type)::type>;
    });
  });
}

}  // namespace tandem::reference
