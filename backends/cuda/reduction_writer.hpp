// What kernels with reductions share: before them (the prologue), their states, and after them (the epilogue).
#pragma once

#include "writer.hpp"

namespace tandem::cuda {

class ReductionWriter : public Writer {
 public:
  ReductionWriter(const Work& work, const Roles& roles, const Facts& facts) : Writer(work, roles, facts) {
    mark(prologue_, true, false);
    mark(epilogue_, false, true);
  }

 protected:
  /// Whether a source of a reduction depends on the value.
  bool prologue(int v) const { return prologue_[v]; }

  /// Full inputs that are read in vectors.
  bool is_vector(int k) const { return full_input(k) && operand(k).mode == Mode::linear && !operand(k).index; }
  bool any_vector() const {
    for (int k = 0; k < work_.n_inputs; ++k)
      if (is_vector(k)) return true;
    return false;
  }

  /// Whether element e of a thread is in the row: if rows are whole vectors, the first of its vector decides.
  std::string inside() const {
    return facts_.whole ? text_of("offset - e % ", facts_.width, " < left") : "offset < left";
  }

  template <class Each>
  void for_each_reduction(Each each) const {
    int number = 0;
    for (int v = work_.first_instruction(); v < work_.n_values(); ++v)
      if (is_reduction(v) && needed(v)) each(v, number++);
  }

  /// Row inputs, loads, and maps of them.
  template <class Choose>
  void write_row_values(const char* indent, Choose choose) {
    for (int v = 0; v < work_.n_inputs; ++v)
      if (used(v) && operand(v).row && choose(v))
        body_.add(indent, "const ", type(v), " v", v, " = ", element(v, "0"), ";\n");
    write_instructions(indent, [&](int v) { return choose(v) && roles_.row[v] && roles_.stage[v] == 0; });
  }

  void write_states(const char* indent, int count) {
    for_each_reduction([&](int v, int) {
      body_.add(indent, reduction(v), "::State r", v, "[", count, "];\n#pragma unroll\n", indent,
                "for (int i = 0; i < ", count, "; ++i) r", v, "[i] = ", reduction(v), "::none();\n");
    });
  }

  /// The elements v<source> join their lanes.
  void write_combines(const char* indent, const char* lane, const char* position) {
    for_each_reduction([&](int v, int) {
      const std::string r = reduction(v);
      body_.add(indent, "r", v, "[", lane, "] = ", r, "::append(r", v, "[", lane, "], v", instruction(v).sources[0],
                ", ", position, ");\n");
    });
  }

  /// From the states r<v>_row of a row to its outputs.
  void write_epilogue(const char* indent) {
    for (int v = 0; v < work_.n_inputs; ++v)
      if (used(v) && operand(v).row && epilogue_[v])
        body_.add(indent, "const ", type(v), " v", v, " = ", element(v, "0"), ";\n");
    for_each_reduction([&](int v, int) {
      body_.add(indent, "const ", type_of(roles_.dtype[v]), " v", v, " = ", reduction(v), "::result(r", v, "_row);\n");
    });
    write_instructions(indent, [&](int v) { return epilogue_[v] && roles_.row[v]; });
    for (int i = 0; i < work_.n_outputs; ++i)
      body_.add(indent, "store_element(p", work_.first_output() + i, ", v", work_.outputs[i], ");\n");
  }

 private:
  bool prologue_[max_values], epilogue_[max_values];
};

}  // namespace tandem::cuda
