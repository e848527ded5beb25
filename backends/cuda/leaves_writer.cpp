// Kernels of reductions: the leaves of rows, and the pairs of their results.
#include "reduction_writer.hpp"

namespace tandem::cuda {

namespace {

/// A group of facts.threads neighbouring threads takes a leaf: thread t holds vectors * width of its lanes, as halve()
/// wants them, and meets `steps` elements of each lane at a time, a turn. Groups of a block that share a row pair up
/// their results. Where rows end within a turn, a group takes several at once, so that all their loads are under way
/// together.
class LeavesWriter : public ReductionWriter {
 public:
  using ReductionWriter::ReductionWriter;

  std::string write(const std::string& name) {
    body_.add("  const u32 group = threadIdx.x / ", facts_.threads, ", thread = threadIdx.x % ", facts_.threads, ";\n");
    write_constants("  ");
    if (facts_.rows > 0)
      write_rows();
    else
      write_leaf();
    return finish(name, text_of(block_threads));
  }

 private:
  int held() const { return facts_.vectors * facts_.width; }
  int lanes() const { return facts_.threads * held(); }
  int elements() const { return facts_.steps * held(); }
  int in_block() const { return block_threads / facts_.threads; }

  void write_vectors(const char* indent, int count) {
    for (int k = 0; k < work_.n_inputs; ++k)
      if (is_vector(k)) body_.add(indent, type(k), " x", k, "[", count, "];\n");
  }

  void write_vector_loads(const char* indent, const char* first) {
    if (!any_vector()) return;
    body_.add("#pragma unroll\n", indent, "for (int i = 0; i < ", facts_.steps * facts_.vectors, "; ++i) {\n", indent,
              "  const int offset = i * ", facts_.width * facts_.threads, ";\n", indent, "  if (offset < left) {\n");
    for (int k = 0; k < work_.n_inputs; ++k)
      if (is_vector(k))
        body_.add(indent, "    load_vector<", streaming(k), ", ", facts_.width, ">(x", k, " + ", first, "i * ",
                  facts_.width, ", p", k, " + mine + offset);\n");
    body_.add(indent, "  }\n", indent, "}\n");
  }

  // From the elements of a turn to the lanes' states.
  void write_elements(const char* indent, const char* first) {
    const std::string deeper = text_of(indent, "    ");
    body_.add("#pragma unroll\n", indent, "for (int e = 0; e < ", elements(), "; ++e) {\n", indent,
              "  const int lane = e % ", held(), ", offset = e / ", facts_.width, " * ", facts_.width * facts_.threads,
              " + e % ", facts_.width, ";\n", indent, "  if (", inside(), ") {\n", deeper,
              "const i64 position = mine + offset;\n");
    write_inner_coordinates(deeper.c_str(), "i", "position", [&](int k) { return full_input(k) && split(k); });
    for (int k = 0; k < work_.n_inputs; ++k) {
      if (!full_input(k)) continue;
      body_.add(deeper, "const ", type(k), " v", k, " = ",
                is_vector(k) ? text_of("x", k, "[", first, "e]") : element(k, inner_offset(k, "i", "position")), ";\n");
    }
    write_instructions(deeper.c_str(), [&](int v) { return prologue(v) && !roles_.row[v]; });
    write_combines(deeper.c_str(), "lane", "position");
    body_.add(indent, "  }\n", indent, "}\n");
  }

  void write_halving(const char* indent, const char* suffix) {
    for_each_reduction([&](int v, int) {
      body_.add(indent, "const ", reduction(v), "::State r", v, suffix, " = halve<", reduction(v), ", ", facts_.threads,
                ", ", facts_.vectors, ", ", facts_.width, ">(r", v, ");\n");
    });
  }

  void write_row_position(const char* indent) {
    body_.add(indent, "const Index this_row = (Index)blockIdx.x * ", in_block() * facts_.rows, " + u * ", in_block(),
              " + group;\n", indent, "const bool active = this_row < (Index)g.rows;\n", indent,
              "const Index row = active ? this_row : (Index)g.rows - 1;\n", indent, "const i64 mine = thread * ",
              facts_.width, ";\n", indent, "const int left = active ? (int)(g.length - mine) : 0;\n");
    write_outer_coordinates(indent);
    write_bases(indent, [](int) { return true; });
  }

  void write_rows() {
    write_vectors("  ", facts_.rows * elements());
    const std::string first = text_of("u * ", elements(), " + ");
    body_.add("#pragma unroll\n  for (int u = 0; u < ", facts_.rows, "; ++u) {\n");
    write_row_position("    ");
    write_vector_loads("    ", first.c_str());
    body_.add("  }\n#pragma unroll\n  for (int u = 0; u < ", facts_.rows, "; ++u) {\n");
    write_row_position("    ");
    write_row_values("    ", [&](int v) { return prologue(v); });
    write_states("    ", held());
    write_elements("    ", first.c_str());
    write_halving("    ", "_row");
    body_.add("    if (thread == 0 && active) {\n");
    write_epilogue("      ");
    body_.add("    }\n  }\n");
  }

  void write_leaf() {
    write_leaf_position();
    write_row_values("  ", [&](int v) { return prologue(v); });
    write_states("  ", held());
    body_.add("  for (i64 start = begin; start < end; start += ", facts_.steps * lanes(), ") {\n",
              "    const i64 mine = start + thread * ", facts_.width, ";\n    const int left = (int)(end - mine);\n");
    write_vectors("    ", elements());
    write_vector_loads("    ", "");
    write_elements("    ", "");
    body_.add("  }\n");
    write_halving("  ", facts_.several ? "_leaf" : "_row");
    if (facts_.several) {
      write_pairs();
    } else {
      body_.add("  if (thread == 0 && active) {\n");
      write_epilogue("    ");
      body_.add("  }\n");
    }
  }

  void write_leaf_position() {
    if (facts_.several) {
      body_.add("  const u32 row_block = divide((u32)blockIdx.x, g.chunk_magic, g.chunks);\n",
                "  const u32 chunk = blockIdx.x - row_block * (u32)g.chunks, slots = 1u << (u32)g.slot_bits;\n",
                "  const Index this_row = (Index)row_block * (", in_block(),
                " >> (u32)g.slot_bits) + (group >> (u32)g.slot_bits);\n",
                "  const i64 leaf = (i64)chunk * slots + (group & (slots - 1));\n",
                "  const bool active = this_row < (Index)g.rows && leaf < g.leaves;\n", "  const i64 begin = leaf * ",
                leaf_length, ";\n", "  const i64 end = !active ? begin : g.length < begin + ", leaf_length,
                " ? g.length : begin + ", leaf_length, ";\n");
    } else {
      body_.add(
          "  const Index this_row = (Index)blockIdx.x * ", in_block(), " + group;\n",
          "  const bool active = this_row < (Index)g.rows;\n  const i64 begin = 0, end = active ? g.length : 0;\n");
    }
    body_.add("  const Index row = active ? this_row : (Index)g.rows - 1;\n");
    write_outer_coordinates("  ");
    write_bases("  ", [](int) { return true; });
  }

  // The results of the block's leaves: its first threads stand for the groups.
  void write_pairs() {
    for_each_reduction([&](int v, int) {
      body_.add("  __shared__ ", reduction(v), "::State r", v, "_leaves[", in_block(), "];\n", "  if (thread == 0) r",
                v, "_leaves[group] = r", v, "_leaf;\n");
    });
    const int finishing = in_block() < 32 ? 32 : in_block();
    body_.add("  __syncthreads();\n  if (threadIdx.x < ", finishing, ") {\n");
    for_each_reduction([&](int v, int) {
      const std::string mine =
          text_of("threadIdx.x < ", in_block(), " ? r", v, "_leaves[threadIdx.x] : ", reduction(v), "::none()");
      body_.add("    const ", reduction(v), "::State r", v, "_row = pair_up<", reduction(v), ">(", mine,
                ", (int)g.slot_bits);\n");
    });
    body_.add("    const u32 group = threadIdx.x;\n", "    const Index row = (Index)row_block * (", in_block(),
              " >> (u32)g.slot_bits) + (group >> (u32)g.slot_bits);\n", "    if (group < ", in_block(),
              " && (group & (slots - 1)) == 0 && row < (Index)g.rows) {\n");
    if (facts_.partial) {
      for_each_reduction([&](int v, int number) {
        body_.add("      ((", reduction(v), "::State*)g.partials", number, ")[(i64)row * g.chunks + chunk] = r", v,
                  "_row;\n");
      });
    } else {
      write_outer_coordinates("      ");
      write_bases("      ", [&](int k) { return operand(k).row; });
      write_epilogue("      ");
    }
    body_.add("    }\n  }\n");
  }
};

/// The partial results of each row in pairs, then what follows a reduction.
class FinishWriter : public ReductionWriter {
 public:
  using ReductionWriter::ReductionWriter;

  std::string write(const std::string& name) {
    const int threads = facts_.threads;
    if (threads == 0)
      body_.add("  const Index row = blockIdx.x;\n");
    else if (threads == 1)
      body_.add("  const Index this_row = (Index)blockIdx.x * ", block_threads, " + threadIdx.x;\n");
    else
      body_.add("  const Index this_row = (Index)blockIdx.x * ", block_threads / threads, " + threadIdx.x / ", threads,
                ";\n");
    if (threads != 0)
      body_.add(
          "  const bool active = this_row < (Index)g.rows;\n  const Index row = active ? this_row : (Index)g.rows - "
          "1;\n");
    for_each_reduction([&](int v, int number) {
      const std::string r = reduction(v);
      const std::string base = text_of("(", r, "::State*)g.partials", number, " + (i64)row * g.row_stride");
      body_.add("  const ", r, "::State r", v, "_row = ");
      if (threads == 0)
        body_.add("pair_block<", r, ">(", base, ", g.item_stride, g.count);\n");
      else if (threads == 1)
        body_.add("pair_eight<", r, ">(", base, ", g.item_stride, g.count);\n");
      else
        body_.add("pair_up<", r, ">(pair_eight<", r, ">(", base,
                  " + threadIdx.x % 32 * 8 * g.item_stride, g.item_stride, ", "g.count - threadIdx.x % 32 * 8), 5);\n");
    });
    body_.add(threads == 0   ? "  if (threadIdx.x == 0) {\n"
              : threads == 1 ? "  if (active) {\n"
                             : "  if (active && threadIdx.x % 32 == 0) {\n");
    write_outer_coordinates("    ");
    write_bases("    ", [](int) { return true; });
    write_constants("    ");
    write_epilogue("    ");
    body_.add("  }\n");
    return finish(name, text_of(block_threads));
  }
};

}  // namespace

std::string write_leaves(const Work& work, const Roles& roles, const Facts& facts, const std::string& name) {
  return LeavesWriter(work, roles, facts).write(name);
}

std::string write_finish(const Work& work, const Roles& roles, const Facts& facts, const std::string& name) {
  return FinishWriter(work, roles, facts).write(name);
}

}  // namespace tandem::cuda
