// Kernels of programs without reductions: a vector of elements a thread, rows over the blocks.
#include "writer.hpp"

namespace tandem::cuda {

namespace {

class MapWriter : public Writer {
 public:
  using Writer::Writer;

  std::string write(const std::string& name) {
    write_position();
    write_outer_coordinates("  ");
    write_bases("  ", [](int) { return true; });
    write_first();
    write_constants("  ");
    write_loads();
    write_elements();
    write_stores();
    return finish(name, text_of(block_threads));
  }

 private:
  int width() const { return facts_.width; }
  bool shifted() const {
    const OperandFacts& first = operand(work_.first_output());
    return first.mode == Mode::linear && !first.aligned && width() > 1;
  }

  std::string loaded(int k, bool picked) const {
    if (operand(k).mode == Mode::zero) return text_of("x", k);
    return picked ? text_of("pick<", width(), ">(x", k, ", k)") : text_of("x", k, "[k]");
  }

  bool quick() const {
    bool some = false;
    for (int v = work_.first_instruction(); v < work_.n_values() && width() > 1; ++v)
      some |= needed(v) && is_quick(instruction(v));
    return some;
  }

  // Where quotients or roots occur, the elements of a vector are first computed without branches. If that does not
  // serve one of them, the whole vector is computed again, in a loop, whose body is there once.
  void write_elements() {
    for (int k = work_.first_output(); k < work_.n_operands(); ++k)
      body_.add("  ", type(k), " x", k, "[", width(), "];\n");
    if (!quick()) return write_loop("  ", false, false);
    body_.add("  bool special = false;\n");
    write_loop("  ", true, false);
    body_.add("  if (special) {\n");
    write_loop("    ", false, true);
    body_.add("  }\n");
  }

  void write_loop(const std::string& indent, bool quick, bool rolled) {
    const std::string inner = indent + "  ";
    body_.add("#pragma unroll", rolled ? " 1" : "", "\n", indent, "for (int k = 0; k < ", width(), "; ++k) {\n");
    for (int v = 0; v < work_.n_inputs; ++v)
      if (used(v)) body_.add(inner, "const ", type(v), " v", v, " = ", loaded(v, rolled), ";\n");
    for (int v = work_.first_instruction(); v < work_.n_values(); ++v) {
      if (kind(v) != load_kind || !needed(v)) continue;
      const int k = work_.n_inputs + instruction(v).op;
      body_.add(inner, "const ", type(k), " v", v, " = ", loaded(k, rolled), ";\n");
    }
    write_instructions(inner.c_str(), [&](int v) { return needed(v) && kind(v) != load_kind; }, quick);
    for (int i = 0; i < work_.n_outputs; ++i) {
      const int k = work_.first_output() + i, v = work_.outputs[i];
      if (rolled)
        body_.add(inner, "put<", width(), ">(x", k, ", k, v", v, ");\n");
      else
        body_.add(inner, "x", k, "[k] = v", v, ";\n");
    }
    body_.add(indent, "}\n");
  }

  void write_position() {
    if (facts_.outer > 0) {
      body_.add("  const u32 row_block = divide((u32)blockIdx.x, g.column_magic, g.column_blocks);\n",
                "  const u32 column_block = blockIdx.x - row_block * (u32)g.column_blocks;\n",
                "  const Index row = (Index)row_block * blockDim.y + threadIdx.y;\n",
                "  if (row >= (Index)g.rows) return;\n");
    } else {
      body_.add("  const u32 column_block = blockIdx.x;\n");
    }
  }

  // Where the first output is not aligned, vectors start before the row by as much as puts them on aligned addresses.
  void write_first() {
    body_.add("  const i64 first = ((i64)column_block * blockDim.x + threadIdx.x) * ", width());
    if (shifted()) {
      const int k = work_.first_output();
      body_.add(" - ((i64)p", k, " / (i64)sizeof(", type(k), ") & ", width() - 1, ")");
    }
    body_.add(";\n  if (first >= g.length) return;\n  const bool whole = first >= 0 && first + ", width(),
              " <= g.length;\n");
  }

  std::string accessor(const char* name, int k) const {
    return text_of(name, "<", streaming(k), ", ", operand(k).aligned ? "true" : "false", ", ", width(), ">");
  }

  // Elements outside the row are computed as well, from whatever is there.
  void write_loads() {
    for (int k = 0; k < work_.first_output(); ++k) {
      if (!used(k)) continue;
      if (operand(k).mode == Mode::zero) {
        body_.add("  const ", type(k), " x", k, " = ",
                  operand(k).index ? text_of("p", k) : text_of("load_element(p", k, ")"), ";\n");
      } else if (operand(k).mode == Mode::linear && !operand(k).index) {
        body_.add("  ", type(k), " x", k, "[", width(), "];\n  ", accessor("load_part", k), "(x", k, ", p", k,
                  ", first, g.length);\n");
      } else {
        body_.add("  ", type(k), " x", k, "[", width(), "] = {};\n");
      }
    }
    const auto gathered = [&](int k) {
      return k < work_.first_output() && used(k) &&
             (operand(k).mode == Mode::strided || operand(k).mode == Mode::split ||
              (operand(k).mode == Mode::linear && operand(k).index));
    };
    write_gathers(gathered, [&](int k, const std::string& offset) {
      body_.add("      x", k, "[k] = ", element(k, offset), ";\n");
    });
  }

  template <class Choose, class Each>
  void write_gathers(Choose choose, Each each) {
    bool some = false;
    for (int k = 0; k < work_.n_operands(); ++k) some |= used(k) && choose(k);
    if (!some) return;
    body_.add("#pragma unroll\n  for (int k = 0; k < ", width(),
              "; ++k) {\n    if ((u64)(first + k) < (u64)g.length) {\n");
    write_inner_coordinates("      ", "i", "first + k", [&](int k) { return choose(k) && split(k); });
    for (int k = 0; k < work_.n_operands(); ++k)
      if (used(k) && choose(k)) each(k, inner_offset(k, "i", "(first + k)"));
    body_.add("    }\n  }\n");
  }

  void write_stores() {
    for (int k = work_.first_output(); k < work_.n_operands(); ++k)
      if (operand(k).mode == Mode::linear)
        body_.add("  ", accessor("store_part", k), "(p", k, ", x", k, ", first, g.length, whole);\n");
    write_gathers([&](int k) { return k >= work_.first_output() && operand(k).mode != Mode::linear; },
                  [&](int k, const std::string& offset) {
                    body_.add("      store_element(p", k, " + ", offset, ", x", k, "[k]);\n");
                  });
  }
};

}  // namespace

std::string write_map(const Work& work, const Roles& roles, const Facts& facts, const std::string& name) {
  return MapWriter(work, roles, facts).write(name);
}

}  // namespace tandem::cuda
