#include "writer.hpp"

#include "generator.hpp"

namespace tandem::cuda {

namespace {

enum class Result { same, boolean, real, complex, index };
constexpr Result TD_SAME = Result::same, TD_REAL = Result::real, TD_COMPLEX = Result::complex, TD_INDEX = Result::index;

struct Operation {
  const char* name;
  int arity;
  const char* expression;
};
constexpr Operation operations[] = {
#define TD_OP(name, arity, types, result, expression, ...) {#name, arity, #expression},
#include <tandem/ops.def>
};

struct Reduction {
  const char* name;
  const char* combine;
  const char* identity;
};
constexpr Reduction reductions[] = {
#define TD_REDUCTION(name, types, result, combine, identity, ...) {#name, #combine, #identity},
#include <tandem/ops.def>
};

/// How quick.cuh computes an operation on float32; null where it does not.
const char* quick_expression(int op) {
  switch (op) {
    case TD_OP_divide: return "quick_divide(a, b, special)";
    case TD_OP_reciprocal: return "quick_divide(1.0f, a, special)";
    case TD_OP_sqrt: return "quick_sqrt(a, special)";
    default: return nullptr;
  }
}

}  // namespace

const char* type_of(int dtype) {
  static constexpr const char* types[] = {
#define X(NAME, type, text, bytes) #type,
      TD_DTYPES(X)
#undef X
  };
  return types[dtype];
}

int Writer::dtype(int k) const {
  if (k < work_.n_inputs) return work_.input_dtypes[k];
  if (k >= work_.first_output()) return roles_.dtype[work_.outputs[k - work_.first_output()]];
  for (int v = work_.first_instruction(); v < work_.n_values(); ++v)
    if (kind(v) == load_kind && instruction(v).op == k - work_.n_inputs) return instruction(v).result;
  return TD_BOOL;
}

void Writer::mark(bool (&marked)[max_values], bool for_reductions, bool for_outputs) const {
  for (bool& m : marked) m = false;
  for (int i = 0; i < work_.n_outputs && for_outputs; ++i) marked[work_.outputs[i]] = true;
  for (int v = work_.n_values() - 1; v >= work_.first_instruction(); --v) {
    if (is_reduction(v) ? !(for_reductions && needed(v)) : !marked[v]) continue;
    for (int k = 0, arity = arity_of(instruction(v)); k < arity; ++k) marked[instruction(v).sources[k]] = true;
  }
}

bool Writer::is_quick(const td_instruction& i) const {
  const bool in_float = i.dtype == TD_FLOAT32 || i.dtype == TD_FLOAT16 || i.dtype == TD_BFLOAT16;
  return i.kind == TD_MAP && in_float && quick_expression(i.op) != nullptr;
}

std::string Writer::call(const td_instruction& i, bool quick) {
  const char* const from = type_of(i.dtype);
  const char* const to = type_of(i.result);
  if (i.kind == TD_CAST) return text_of("cast<", to, ">(v", i.sources[0], ")");

  const Operation& operation = operations[i.op];
  const bool condition = i.op == TD_OP_where;
  quick = quick && is_quick(i);
  const std::string name = text_of(quick ? "quick_" : "op_", operation.name, "_", from);
  if (!operation_done_[i.op][i.dtype][quick]) {
    operation_done_[i.op][i.dtype][quick] = true;
    functions_.add("TD_FN ", to, " ", name, "(");
    for (int k = 0; k < operation.arity; ++k)
      functions_.add(k == 0 ? "" : ", ", condition && k == 0 ? "bool" : from, " x", k);
    functions_.add(quick ? ", bool& special" : "", ") {\n  typedef ", from, " T;\n");
    for (int k = 0; k < operation.arity; ++k) {
      const char* const letter[] = {"a", "b", "c", "d"};
      if (condition && k == 0)
        functions_.add("  const bool p = x0;\n");
      else
        functions_.add("  const compute_t<T> ", letter[k], " = cast<compute_t<T>>(x", k, ");\n");
    }
    functions_.add("  return cast<", to, ">(", quick ? quick_expression(i.op) : operation.expression, ");\n}\n");
  }
  std::string text = name + "(";
  for (int k = 0; k < operation.arity; ++k) text += text_of(k == 0 ? "v" : ", v", i.sources[k]);
  return text + (quick ? ", special)" : ")");
}

std::string Writer::reduction(int v) {
  const td_instruction& i = instruction(v);
  const Reduction& row = reductions[i.op];
  const char* const type = type_of(i.dtype);
  const std::string name = text_of("reduce_", row.name, "_", type);
  if (reduction_done_[i.op][i.dtype]) return name;
  reduction_done_[i.op][i.dtype] = true;

  if (i.op == TD_REDUCE_argmax || i.op == TD_REDUCE_argmin) {
    const char* const greatest = i.op == TD_REDUCE_argmax ? "true" : "false";
    functions_.add("struct ", name, " : FirstBest<", type, ", Index, ", greatest, "> {};\n");
    return name;
  }
  const bool has_identity = !(i.op == TD_REDUCE_prod && (i.dtype == TD_COMPLEX64 || i.dtype == TD_COMPLEX128));
  functions_.add("struct ", name, " {\n  typedef ", type, " T;\n");
  if (has_identity) {
    functions_.add("  typedef compute_t<T> State;\n", "  static TD_FN State none() { return cast<State>((T)(",
                   row.identity, ")); }\n", "  static TD_FN State combine(State a, State b) { return ", row.combine,
                   "; }\n", "  static TD_FN State append(State a, T x, i64) { return combine(a, cast<State>(x)); }\n",
                   "  static TD_FN T result(State x) { return cast<T>(x); }\n};\n");
  } else {
    functions_.add("  typedef Factor<T> State;\n", "  static TD_FN State none() { return State{one<T>(), false}; }\n",
                   "  static TD_FN State combine(State x, State y) {\n    const T a = x.value, b = y.value;\n",
                   "    return !y.present ? x : !x.present ? y : State{", row.combine, ", true};\n  }\n",
                   "  static TD_FN State append(State a, T x, i64) { return combine(a, State{x, true}); }\n",
                   "  static TD_FN T result(State x) { return x.value; }\n};\n");
  }
  return name;
}

void Writer::write_constants(const char* indent) {
  for (int i = 0; i < work_.n_constants; ++i) {
    const int v = work_.first_constant() + i;
    if (needed(v)) body_.add(indent, "const ", type_of(roles_.dtype[v]), " v", v, " = g.c", i, ".value;\n");
  }
}

void Writer::write_outer_coordinates(const char* indent, int omit) {
  std::string rest = "row";
  for (int axis = facts_.outer - omit - 1; axis >= 0; --axis) {
    if (axis == 0) {
      body_.add(indent, "const Index o0 = ", rest, ";\n");
      break;
    }
    const std::string next = text_of("row_above", axis);
    body_.add(indent, "const Index ", next, " = divide(", rest, ", g.outer_magic", axis, ", g.outer_length", axis,
              "), o", axis, " = ", rest, " - ", next, " * (Index)g.outer_length", axis, ";\n");
    rest = next;
  }
}

std::string Writer::inner_offset(int k, const char* prefix, std::string_view position) const {
  if (operand(k).mode == Mode::zero) return "0";
  if (operand(k).mode == Mode::linear) return std::string(position);
  if (operand(k).mode == Mode::strided) return text_of("(i64)(", position, ") * g.p", k, "_i0");
  std::string offset;
  for (int axis = 0; axis < facts_.inner; ++axis)
    offset += text_of(axis == 0 ? "" : " + ", "(i64)", prefix, axis, " * g.p", k, "_i", axis);
  return offset;
}

std::string Writer::element(int k, std::string_view offset) const {
  if (operand(k).index) return text_of("p", k, " + ", offset);
  return text_of("load_element(p", k, " + ", offset, ")");
}

std::string Writer::arguments() const {
  Text text;
  text.add("struct Arguments {\n");
  each_argument(work_, roles_, facts_, [&](Field field, int i, int axis) {
    switch (field) {
      case Field::constant: text.add("  Constant<", type_of(work_.constant_dtypes[i]), "> c", i, ";\n"); break;
      case Field::rows: text.add("  i64 rows;\n"); break;
      case Field::length: text.add("  i64 length;\n"); break;
      case Field::outer_length: text.add("  i64 outer_length", i, ";\n"); break;
      case Field::outer_magic: text.add("  i64 outer_magic", i, ";\n"); break;
      case Field::inner_length: text.add("  i64 inner_length", i, ";\n"); break;
      case Field::inner_magic: text.add("  i64 inner_magic", i, ";\n"); break;
      case Field::extra: text.add("  i64 ", extra_names(facts_.kernel).names[i], ";\n"); break;
      case Field::partials: text.add("  void* partials", i, ";\n"); break;
      case Field::pointer: {
        const char* qualifier = i < work_.first_output() ? "const " : "";
        text.add("  ", qualifier, type(i), "* p", i, ";\n");
        break;
      }
      case Field::outer_stride: text.add("  i64 p", i, "_o", axis, ";\n"); break;
      case Field::inner_stride: text.add("  i64 p", i, "_i", axis, ";\n"); break;
    }
  });
  text.add("};\n");
  return text.str();
}

std::string Writer::finish(const std::string& name, std::string_view launch_bounds) {
  return text_of("namespace tandem {\nnamespace scalar {\nnamespace ", name, "_parts {\ntypedef ",
                 facts_.wide ? "u64" : "u32", " Index;\n", functions_.str(), arguments(),
                 "extern \"C\" __global__ void __launch_bounds__(", launch_bounds, ") ", name,
                 "(const __grid_constant__ Arguments g) {\n", body_.str(), "}\n}\n}\n}\n");
}

std::string generate_kernel(const Work& work, const Roles& roles, const Plan& plan, const std::string& name) {
  const auto write = [&] {
    switch (plan.facts.kernel) {
      case Kernel::map: return write_map;
      case Kernel::transposed: return write_transposed;
      case Kernel::leaves: return write_leaves;
      case Kernel::columns: return write_columns;
      case Kernel::finish: return write_finish;
      default: return write_staged;
    }
  }();
  return write(work, roles, plan.facts, name);
}

std::string generate(const Work& work, const Roles& roles, const Plan& plan) {
  return text_of(device_text, scalar_text, quick_text, prelude_text, generate_kernel(work, roles, plan, kernel_name));
}

}  // namespace tandem::cuda
