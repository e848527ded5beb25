// Kernels of reductions whose rows lie side by side in memory: threads along the rows.
#include "reduction_writer.hpp"

namespace tandem::cuda {

namespace {

/// The last outer axis enumerates columns, one row each. Threads x take `width` columns, threads y share the lanes of a
/// leaf: lane y, y + sharing, ... The modes of operands say how they move along the columns.
class ColumnsWriter : public ReductionWriter {
 public:
  using ReductionWriter::ReductionWriter;

  std::string write(const std::string& name) {
    write_position();
    write_outer_coordinates("  ", 1);
    write_bases("  ", [](int) { return true; }, 1);
    write_constants("  ");
    write_row_inputs();
    write_states("  ", held() * facts_.width);
    write_loop();
    write_halving();
    write_results();
    return finish(name, text_of(block_threads));
  }

 private:
  int held() const { return facts_.lanes / facts_.threads; }
  int elements() const { return facts_.steps * held(); }

  void write_position() {
    body_.add("  const u32 above = divide((u32)blockIdx.x, g.column_magic, g.column_blocks);\n",
              "  const u32 column_block = blockIdx.x - above * (u32)g.column_blocks;\n",
              "  const u32 batch = divide(above, g.leaf_magic, g.leaves), leaf = above - batch * (u32)g.leaves;\n",
              "  const Index row = batch;\n", "  const i64 column = ((i64)column_block * blockDim.x + threadIdx.x) * ",
              facts_.width, ";\n", "  const bool active = column < g.columns;\n", "  const i64 begin = (i64)leaf * ",
              leaf_length, ";\n", "  const i64 end = !active ? begin : g.length < begin + ", leaf_length,
              " ? g.length : begin + ", leaf_length, ";\n");
  }

  // Of the columns at hand.
  void write_row_inputs() {
    for (int k = 0; k < work_.first_output(); ++k) {
      if (!used(k) || !operand(k).row) continue;
      body_.add("  ", type(k), " x", k, "[", facts_.width, "] = {};\n#pragma unroll\n  for (int k = 0; k < ",
                facts_.width, "; ++k)\n    if (active) x", k, "[k] = ", element(k, column_offset(k)), ";\n");
    }
  }

  std::string column_offset(int k) const { return text_of("(column + k) * g.p", k, "_o", facts_.outer - 1); }

  std::string row_offset(int k) const {
    if (facts_.inner == 1) return text_of("position * g.p", k, "_i0");
    std::string offset;
    for (int axis = 0; axis < facts_.inner; ++axis)
      offset += text_of(axis == 0 ? "" : " + ", "(i64)i", axis, " * g.p", k, "_i", axis);
    return offset;
  }

  void write_inner(const char* indent) {
    if (facts_.inner > 1) write_inner_coordinates(indent, "i", "position", [&](int k) { return full_input(k); });
  }

  void write_loop() {
    const int turn = facts_.steps * facts_.lanes;
    body_.add("  for (i64 start = begin; start < end; start += ", turn,
              ") {\n    const i64 mine = start + threadIdx.y;\n", "    const int left = (int)(end - mine);\n");
    for (int k = 0; k < work_.n_inputs; ++k)
      if (is_vector(k)) body_.add("    ", type(k), " x", k, "[", elements() * facts_.width, "];\n");
    if (any_vector()) write_vector_loads();
    body_.add("#pragma unroll\n    for (int e = 0; e < ", elements(), "; ++e) {\n      const int offset = e * ",
              facts_.threads, ";\n      const i64 position = mine + offset;\n      if (offset < left) {\n");
    write_inner("        ");
    body_.add("#pragma unroll\n        for (int k = 0; k < ", facts_.width, "; ++k) {\n          const int lane = e % ",
              held(), " * ", facts_.width, " + k;\n");
    for (int k = 0; k < work_.n_inputs; ++k) {
      if (!used(k) || !prologue(k)) continue;
      body_.add("          const ", type(k), " v", k, " = ");
      if (operand(k).row)
        body_.add("x", k, "[k];\n");
      else if (is_vector(k))
        body_.add("x", k, "[e * ", facts_.width, " + k];\n");
      else
        body_.add(element(k, row_offset(k) + " + " + column_offset(k)), ";\n");
    }
    for (int v = work_.first_instruction(); v < work_.n_values(); ++v)
      if (kind(v) == load_kind && prologue(v))
        body_.add("          const ", type_of(instruction(v).result), " v", v, " = x",
                  work_.n_inputs + instruction(v).op, "[k];\n");
    write_instructions("          ", [&](int v) { return prologue(v) && kind(v) != load_kind; });
    write_combines("          ", "lane", "position");
    body_.add("        }\n      }\n    }\n  }\n");
  }

  void write_vector_loads() {
    body_.add("#pragma unroll\n    for (int e = 0; e < ", elements(), "; ++e) {\n      const int offset = e * ",
              facts_.threads, ";\n      if (offset < left) {\n        const i64 position = mine + offset;\n");
    write_inner("        ");
    for (int k = 0; k < work_.n_inputs; ++k)
      if (is_vector(k))
        body_.add("        load_vector<", streaming(k), ", ", facts_.width, ">(x", k, " + e * ", facts_.width, ", p", k,
                  " + ", row_offset(k), " + column);\n");
    body_.add("      }\n    }\n");
  }

  void write_halving() {
    if (facts_.several) {
      body_.add("  __shared__ union {\n");
      for_each_reduction([&](int v, int) {
        body_.add("    ", reduction(v), "::State r", v, "[", block_threads * facts_.width, "];\n");
      });
      body_.add("  } shared;\n");
    }
    for_each_reduction([&](int v, int) {
      const std::string r = reduction(v);
      body_.add("  halve_columns<", r, ", ", facts_.threads, ", ", held(), ", ", facts_.width, ">(r", v, ", ",
                facts_.several ? text_of("shared.r", v) : text_of("(", r, "::State*)0"), ");\n");
    });
  }

  void write_results() {
    body_.add("  if (threadIdx.y == 0 && active) {\n#pragma unroll\n    for (int k = 0; k < ", facts_.width,
              "; ++k) {\n", "      const Index row = (Index)batch * (Index)g.columns + (Index)(column + k);\n");
    if (facts_.partial) {
      for_each_reduction([&](int v, int number) {
        body_.add("      ((", reduction(v), "::State*)g.partials", number, ")[(i64)leaf * g.rows + row] = r", v,
                  "[k];\n");
      });
    } else {
      for_each_reduction(
          [&](int v, int) { body_.add("      const ", reduction(v), "::State r", v, "_row = r", v, "[k];\n"); });
      write_outer_coordinates("      ");
      write_bases("      ", [&](int k) { return operand(k).row; });
      write_epilogue("      ");
    }
    body_.add("    }\n  }\n");
  }
};

}  // namespace

std::string write_columns(const Work& work, const Roles& roles, const Facts& facts, const std::string& name) {
  return ColumnsWriter(work, roles, facts).write(name);
}

}  // namespace tandem::cuda
