// Kernels of programs without reductions in which an operand lies the other way: through square tiles of shared memory.
#include "writer.hpp"

namespace tandem::cuda {

namespace {

/// Axes: batches, then the tile's rows (along which operands of Mode::tile are contiguous) and columns (the others).
class TransposedWriter : public Writer {
 public:
  using Writer::Writer;

  std::string write(const std::string& name) {
    write_position();
    write_outer_coordinates("  ");
    write_bases("  ", [](int) { return true; });
    write_tiles();
    write_constants("  ");
    body_.add("#pragma unroll\n  for (int pass = 0; pass < ", passes(), "; ++pass) {\n",
              "    const i64 i = top + y + pass * ", rows_per_pass(),
              ", j = left + x;\n    if (i < g.height && j < g.length) {\n", "      const bool whole = j + ", width(),
              " <= g.length;\n");
    write_loads();
    write_elements();
    write_stores();
    body_.add("    }\n  }\n");
    return finish(name, text_of(block_threads));
  }

 private:
  int width() const { return facts_.width; }
  int side() const { return facts_.tile; }
  int rows_per_pass() const { return block_threads / (side() / width()); }
  int passes() const { return side() / rows_per_pass(); }
  bool tile(int k) const { return operand(k).mode == Mode::tile; }
  bool vector(int k) const { return operand(k).mode == Mode::linear && !operand(k).index; }
  // A row of a tile is longer by a word of the memory's banks than its elements.
  int pitch(int k) const { return side() + (size_of(dtype(k)) < 4 ? 4 / size_of(dtype(k)) : 1); }
  std::string accessor(const char* name, int k) const {
    return text_of(name, "<", streaming(k), ", ", operand(k).aligned ? "true" : "false", ", ", width(), ">");
  }

  void write_position() {
    body_.add("  const u32 above = divide((u32)blockIdx.x, g.tile_column_magic, g.tile_columns);\n",
              "  const i64 left = (i64)(blockIdx.x - above * (u32)g.tile_columns) * ", side(), ";\n",
              "  const u32 batch = divide(above, g.tile_row_magic, g.tile_rows);\n",
              "  const i64 top = (i64)(above - batch * (u32)g.tile_rows) * ", side(), ";\n  const Index row = batch;\n",
              "  const int x = threadIdx.x % ", side() / width(), " * ", width(), ", y = threadIdx.x / ",
              side() / width(), ";\n");
  }

  // All of a tile is under way before the first element is put down.
  void write_tiles() {
    for (int k = 0; k < work_.n_inputs; ++k) {
      if (!tile(k)) continue;
      body_.add("  __shared__ ", type(k), " tile", k, "[", side(), "][", pitch(k), "];\n  ", type(k), " x", k, "_in[",
                passes(), "][", width(), "];\n");
    }
    body_.add("#pragma unroll\n  for (int pass = 0; pass < ", passes(),
              "; ++pass) {\n    const i64 j = left + y + pass * ", rows_per_pass(),
              ", i = top + x;\n    if (i < g.height && j < g.length) {\n");
    for (int k = 0; k < work_.n_inputs; ++k)
      if (tile(k))
        body_.add("      ", accessor("load_part", k), "(x", k, "_in[pass], p", k, " + j * g.p", k,
                  "_i1, i, g.height);\n");
    body_.add("    }\n  }\n#pragma unroll\n  for (int pass = 0; pass < ", passes(),
              "; ++pass) {\n#pragma unroll\n    for (int k = 0; k < ", width(), "; ++k) {\n");
    for (int k = 0; k < work_.n_inputs; ++k)
      if (tile(k)) body_.add("      tile", k, "[y + pass * ", rows_per_pass(), "][x + k] = x", k, "_in[pass][k];\n");
    body_.add("    }\n  }\n  __syncthreads();\n");
  }

  std::string offset(int k) const { return text_of("i * g.p", k, "_i0 + (j + k) * g.p", k, "_i1"); }

  void write_loads() {
    for (int k = 0; k < work_.first_output(); ++k)
      if (used(k) && vector(k))
        body_.add("      ", type(k), " x", k, "[", width(), "];\n      ", accessor("load_part", k), "(x", k, ", p", k,
                  " + i * g.p", k, "_i0, j, g.length);\n");
  }

  std::string loaded(int k) const {
    if (tile(k)) return text_of("tile", k, "[x + k][y + pass * ", rows_per_pass(), "]");
    if (vector(k)) return text_of("x", k, "[k]");
    if (operand(k).index) return element(k, offset(k));
    return text_of("j + k < g.length ? ", element(k, offset(k)), " : ", type(k), "()");
  }

  void write_elements() {
    for (int k = work_.first_output(); k < work_.n_operands(); ++k)
      body_.add("      ", type(k), " x", k, "[", width(), "];\n");
    body_.add("#pragma unroll\n      for (int k = 0; k < ", width(), "; ++k) {\n");
    for (int v = 0; v < work_.n_inputs; ++v)
      if (used(v)) body_.add("        const ", type(v), " v", v, " = ", loaded(v), ";\n");
    for (int v = work_.first_instruction(); v < work_.n_values(); ++v)
      if (kind(v) == load_kind && needed(v))
        body_.add("        const ", type_of(instruction(v).result), " v", v, " = ",
                  loaded(work_.n_inputs + instruction(v).op), ";\n");
    write_instructions("        ", [&](int v) { return needed(v) && kind(v) != load_kind; });
    for (int i = 0; i < work_.n_outputs; ++i)
      body_.add("        x", work_.first_output() + i, "[k] = v", work_.outputs[i], ";\n");
    body_.add("      }\n");
  }

  void write_stores() {
    for (int k = work_.first_output(); k < work_.n_operands(); ++k) {
      if (vector(k))
        body_.add("      ", accessor("store_part", k), "(p", k, " + i * g.p", k, "_i0, x", k,
                  ", j, g.length, whole);\n");
      else
        body_.add("#pragma unroll\n      for (int k = 0; k < ", width(),
                  "; ++k)\n        if (j + k < g.length) store_element(p", k, " + ", offset(k), ", x", k, "[k]);\n");
    }
  }
};

}  // namespace

std::string write_transposed(const Work& work, const Roles& roles, const Facts& facts, const std::string& name) {
  return TransposedWriter(work, roles, facts).write(name);
}

}  // namespace tandem::cuda
