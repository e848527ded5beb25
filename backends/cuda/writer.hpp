// Writing the text of a kernel: what the kinds of kernels share. One file a kind derives from it.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "arguments.hpp"
#include "plan.hpp"

namespace tandem::cuda {

/// Text put together from strings and numbers.
class Text {
 public:
  template <class... Parts>
  void add(const Parts&... parts) {
    (append(parts), ...);
  }
  const std::string& str() const { return text_; }

 private:
  template <class Part>
  void append(const Part& part) {
    if constexpr (std::is_integral_v<Part> && !std::is_same_v<Part, char>)
      text_ += std::to_string(part);
    else
      text_ += part;
  }
  std::string text_;
};

template <class... Parts>
std::string text_of(const Parts&... parts) {
  Text text;
  text.add(parts...);
  return text.str();
}

/// The type of scalar.h behind a dtype.
const char* type_of(int dtype);

class Writer {
 public:
  Writer(const Work& work, const Roles& roles, const Facts& facts) : work_(work), roles_(roles), facts_(facts) {}
  std::string finish(const std::string& name, std::string_view launch_bounds);

 protected:
  // ---- values: v<number> ----
  bool is_input(int v) const { return v < work_.n_inputs; }
  bool is_reduction(int v) const { return kind(v) == TD_REDUCE; }
  int kind(int v) const { return v < work_.first_instruction() ? -1 : instruction(v).kind; }
  const td_instruction& instruction(int v) const { return work_.instructions[v - work_.first_instruction()]; }
  bool needed(int v) const { return roles_.needed[v]; }

  /// What the sources of needed reductions, or the outputs, or both depend on, not looking behind reductions.
  void mark(bool (&marked)[max_values], bool for_reductions, bool for_outputs) const;

  /// Declares constants, and the inputs of one element a row, as v<number>.
  void write_constants(const char* indent);
  /// `const T v = ...;` for every map, cast and load that `choose` picks, in order; `quick` as for call().
  template <class Choose>
  void write_instructions(const char* indent, Choose choose, bool quick = false);
  /// The call that computes an instruction; if `quick`, by quick.cuh where that has the operation, with `special`.
  std::string call(const td_instruction& instruction, bool quick = false);
  /// Whether quick.cuh has the operation.
  bool is_quick(const td_instruction& instruction) const;
  /// The struct of a reduction, declared when first asked for.
  std::string reduction(int v);

  // ---- operands: p<number>, the pointer (or the offset, of the index array) for the row at hand ----
  const OperandFacts& operand(int k) const { return facts_.operands[k]; }
  const char* streaming(int k) const { return operand(k).streaming ? "true" : "false"; }
  bool split(int k) const { return operand(k).mode == Mode::split; }
  bool used(int k) const { return operand(k).mode != Mode::unused; }
  int dtype(int k) const;
  const char* type(int k) const { return type_of(dtype(k)); }
  bool full_input(int k) const { return k < work_.n_inputs && used(k) && !operand(k).row; }
  /// Coordinates of the outer axes o0... of `row`, but for the last `omit` ones.
  void write_outer_coordinates(const char* indent, int omit = 0);
  /// p<k> for every operand that `choose` picks: g.p<k> plus the outer coordinates' strides, but for the last `omit`
  /// axes.
  template <class Choose>
  void write_bases(const char* indent, Choose choose, int omit = 0);
  /// Coordinates <prefix>0... of the inner axes at `position`, if `choose` picks any operand.
  template <class Choose>
  void write_inner_coordinates(const char* indent, const char* prefix, std::string_view position, Choose choose);
  /// The offset of operand k along the inner axes at `position`, whose coordinates are <prefix>0...
  std::string inner_offset(int k, const char* prefix, std::string_view position) const;
  /// An element of operand k at an offset from p<k>.
  std::string element(int k, std::string_view offset) const;

  const Work& work_;
  const Roles& roles_;
  const Facts& facts_;
  Text body_;

 private:
  std::string arguments() const;

  Text functions_;
  bool operation_done_[TD_OP_COUNT][TD_DTYPE_COUNT][2] = {};
  bool reduction_done_[TD_REDUCTION_COUNT][TD_DTYPE_COUNT] = {};
};

// One function per kind of kernel, in the file of its name.
std::string write_map(const Work& work, const Roles& roles, const Facts& facts, const std::string& name);
std::string write_transposed(const Work& work, const Roles& roles, const Facts& facts, const std::string& name);
std::string write_leaves(const Work& work, const Roles& roles, const Facts& facts, const std::string& name);
std::string write_columns(const Work& work, const Roles& roles, const Facts& facts, const std::string& name);
std::string write_finish(const Work& work, const Roles& roles, const Facts& facts, const std::string& name);
std::string write_staged(const Work& work, const Roles& roles, const Facts& facts, const std::string& name);

template <class Choose>
void Writer::write_instructions(const char* indent, Choose choose, bool quick) {
  for (int v = work_.first_instruction(); v < work_.n_values(); ++v) {
    const td_instruction& i = instruction(v);
    if (i.kind == TD_REDUCE || !choose(v)) continue;
    const std::string value =
        i.kind == load_kind ? text_of("load_element(p", work_.n_inputs + i.op, ")") : call(i, quick);
    body_.add(indent, "const ", type_of(i.result), " v", v, " = ", value, ";\n");
  }
}

template <class Choose>
void Writer::write_bases(const char* indent, Choose choose, int omit) {
  for (int k = 0; k < work_.n_operands(); ++k) {
    if (!used(k) || !choose(k)) continue;
    std::string offset;
    for (int axis = 0; axis < facts_.outer - omit; ++axis)
      offset += text_of(axis == 0 ? "" : " + ", "(i64)o", axis, " * g.p", k, "_o", axis);
    if (operand(k).index) {
      body_.add(indent, "const i64 p", k, " = ", offset.empty() ? "0" : offset, ";\n");
    } else {
      const char* qualifier = k < work_.first_output() ? "const " : "";
      body_.add(indent, qualifier, type(k), "* const p", k, " = g.p", k, offset.empty() ? "" : " + ", offset, ";\n");
    }
  }
}

template <class Choose>
void Writer::write_inner_coordinates(const char* indent, const char* prefix, std::string_view position, Choose choose) {
  bool any = false;
  for (int k = 0; k < work_.n_operands(); ++k) any |= used(k) && choose(k);
  if (!any) return;
  body_.add(indent, "const Index ", prefix, "_all = (Index)(", position, ");\n");
  std::string rest = text_of(prefix, "_all");
  for (int axis = facts_.inner - 1; axis > 0; --axis) {
    const std::string next = axis == 1 ? text_of(prefix, "0") : text_of(prefix, "_above", axis);
    body_.add(indent, "const Index ", next, " = divide(", rest, ", g.inner_magic", axis, ", g.inner_length", axis,
              "), ");
    body_.add(prefix, axis, " = ", rest, " - ", next, " * (Index)g.inner_length", axis, ";\n");
    rest = next;
  }
}

}  // namespace tandem::cuda
