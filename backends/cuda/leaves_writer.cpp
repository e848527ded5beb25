// Kernels of reductions: the leaves of rows, and the pairs of their results.
#include "reduction_writer.hpp"

namespace tandem::cuda {

namespace {

/// A group of facts.threads neighbouring threads takes a leaf: thread t holds vectors * width of its lanes, as halve()
/// wants them, and meets `steps` elements of each lane at a time. Groups of a block that share a row pair up their results.
class LeavesWriter : public ReductionWriter {
 public:
  using ReductionWriter::ReductionWriter;

  std::string write(const std::string& name) {
    write_position();
    write_constants("  ");
    write_row_values("  ", [&](int v) { return prologue(v); });
    write_states("  ", held());
    write_loop();
    write_results();
    return finish(name, text_of(block_threads));
  }

 private:
  int held() const { return facts_.vectors * facts_.width; }
  int lanes() const { return facts_.threads * held(); }
  int in_block() const { return block_threads / facts_.threads; }

  void write_position() {
    body_.add("  const u32 group = threadIdx.x / ", facts_.threads, ", thread = threadIdx.x % ", facts_.threads, ";\n");
    if (facts_.several) {
      body_.add("  const u32 row_block = divide((u32)blockIdx.x, g.chunk_magic, g.chunks);\n",
                "  const u32 chunk = blockIdx.x - row_block * (u32)g.chunks, slots = 1u << (u32)g.slot_bits;\n",
                "  const Index this_row = (Index)row_block * (", in_block(), " >> (u32)g.slot_bits) + (group >> (u32)g.slot_bits);\n",
                "  const i64 leaf = (i64)chunk * slots + (group & (slots - 1));\n",
                "  const bool active = this_row < (Index)g.rows && leaf < g.leaves;\n",
                "  const i64 begin = leaf * ", leaf_length, ";\n",
                "  const i64 end = !active ? begin : g.length < begin + ", leaf_length, " ? g.length : begin + ", leaf_length,
                ";\n");
    } else {
      body_.add("  const Index this_row = (Index)blockIdx.x * ", in_block(), " + group;\n",
                "  const bool active = this_row < (Index)g.rows;\n  const i64 begin = 0, end = active ? g.length : 0;\n");
    }
    body_.add("  const Index row = active ? this_row : (Index)g.rows - 1;\n");
    write_outer_coordinates("  ");
    write_bases("  ", [](int) { return true; });
  }

  // Loads of whole vectors come first, so that all of a turn are under way together.
  void write_loop() {
    const int elements = facts_.steps * held();
    body_.add("  for (i64 start = begin; start < end; start += ", facts_.steps * lanes(), ") {\n",
              "    const i64 mine = start + thread * ", facts_.width, ";\n    const int left = (int)(end - mine);\n");
    for (int k = 0; k < work_.n_inputs; ++k)
      if (is_vector(k)) body_.add("    ", type(k), " x", k, "[", elements, "];\n");
    if (any_vector()) write_vector_loads();
    body_.add("#pragma unroll\n    for (int e = 0; e < ", elements, "; ++e) {\n",
              "      const int lane = e % ", held(), ", offset = e / ", facts_.width, " * ", facts_.width * facts_.threads,
              " + e % ", facts_.width, ";\n",
              "      if (", inside(), ") {\n        const i64 position = mine + offset;\n");
    write_inner_coordinates("        ", "i", "position", [&](int k) { return full_input(k) && split(k); });
    for (int k = 0; k < work_.n_inputs; ++k) {
      if (!full_input(k)) continue;
      body_.add("        const ", type(k), " v", k, " = ",
                is_vector(k) ? text_of("x", k, "[e]") : element(k, inner_offset(k, "i", "position")), ";\n");
    }
    write_instructions("        ", [&](int v) { return prologue(v) && !roles_.row[v]; });
    write_combines("        ", "lane", "position");
    body_.add("      }\n    }\n  }\n");
  }

  void write_vector_loads() {
    body_.add("#pragma unroll\n    for (int i = 0; i < ", facts_.steps * facts_.vectors, "; ++i) {\n",
              "      const int offset = i * ", facts_.width * facts_.threads, ";\n",
              "      if (offset < left) {\n");
    for (int k = 0; k < work_.n_inputs; ++k)
      if (is_vector(k))
        body_.add("        load_vector<", facts_.streaming ? "true" : "false", ", ", facts_.width, ">(x", k, " + i * ", facts_.width,
                  ", p", k, " + mine + offset);\n");
    body_.add("      }\n    }\n");
  }

  void write_results() {
    for_each_reduction([&](int v, int) {
      body_.add("  const ", reduction(v), "::State r", v, "_leaf = halve<", reduction(v), ", ", facts_.threads, ", ",
                facts_.vectors, ", ", facts_.width, ">(r", v, ");\n");
    });
    if (!facts_.several) {
      for_each_reduction([&](int v, int) { body_.add("  const ", reduction(v), "::State r", v, "_row = r", v, "_leaf;\n"); });
      body_.add("  if (thread == 0 && active) {\n");
      write_epilogue("    ");
      body_.add("  }\n");
      return;
    }
    for_each_reduction([&](int v, int) {
      body_.add("  __shared__ ", reduction(v), "::State r", v, "_leaves[", in_block(), "];\n",
                "  if (thread == 0) r", v, "_leaves[group] = r", v, "_leaf;\n");
    });
    // The first threads stand for the groups now.
    const int finishing = in_block() < 32 ? 32 : in_block();
    body_.add("  __syncthreads();\n  if (threadIdx.x < ", finishing, ") {\n");
    for_each_reduction([&](int v, int) {
      const std::string mine = text_of("threadIdx.x < ", in_block(), " ? r", v, "_leaves[threadIdx.x] : ", reduction(v), "::none()");
      body_.add("    const ", reduction(v), "::State r", v, "_row = pair_up<", reduction(v), ">(", mine, ", (int)g.slot_bits);\n");
    });
    body_.add("    const u32 group = threadIdx.x;\n",
              "    const Index row = (Index)row_block * (", in_block(), " >> (u32)g.slot_bits) + (group >> (u32)g.slot_bits);\n",
              "    if (group < ", in_block(), " && (group & (slots - 1)) == 0 && row < (Index)g.rows) {\n");
    if (facts_.partial) {
      for_each_reduction([&](int v, int number) {
        body_.add("      ((", reduction(v), "::State*)g.partials", number, ")[(i64)row * g.chunks + chunk] = r", v, "_row;\n");
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
    if (threads == 0) body_.add("  const Index row = blockIdx.x;\n");
    else if (threads == 1) body_.add("  const Index this_row = (Index)blockIdx.x * ", block_threads, " + threadIdx.x;\n");
    else body_.add("  const Index this_row = (Index)blockIdx.x * ", block_threads / threads, " + threadIdx.x / ", threads, ";\n");
    if (threads != 0)
      body_.add("  const bool active = this_row < (Index)g.rows;\n  const Index row = active ? this_row : (Index)g.rows - 1;\n");
    for_each_reduction([&](int v, int number) {
      const std::string r = reduction(v);
      const std::string base = text_of("(", r, "::State*)g.partials", number, " + (i64)row * g.row_stride");
      body_.add("  const ", r, "::State r", v, "_row = ");
      if (threads == 0) body_.add("pair_block<", r, ">(", base, ", g.item_stride, g.count);\n");
      else if (threads == 1) body_.add("pair_eight<", r, ">(", base, ", g.item_stride, g.count);\n");
      else body_.add("pair_up<", r, ">(pair_eight<", r, ">(", base, " + threadIdx.x % 32 * 8 * g.item_stride, g.item_stride, ",
                     "g.count - threadIdx.x % 32 * 8), 5);\n");
    });
    body_.add(threads == 0 ? "  if (threadIdx.x == 0) {\n"
                           : threads == 1 ? "  if (active) {\n" : "  if (active && threadIdx.x % 32 == 0) {\n");
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
