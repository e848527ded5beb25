// Kernels of staged programs whose rows lie side by side in memory: a block takes a few rows through all stages.
#include "reduction_writer.hpp"

namespace tandem::cuda {

namespace {

/// The last outer axis enumerates columns, one row each. A block takes a strip of facts.vectors times facts.width of
/// them: thread (x, y) the vector x of the lane y % 128 of leaf y / 128. The first g.kept elements of each leaf stay in
/// shared memory from the first stage on, the others are left to the L2 cache. What belongs to a row is computed by all
/// its threads: value v of column k of the thread is w<v>[k].
class StripsWriter : public ReductionWriter {
 public:
  StripsWriter(const Work& work, const Roles& roles, const Facts& facts) : ReductionWriter(work, roles, facts) {
    for (int stage = 0; stage < roles_.last_stage; ++stage) mark_sources(stage);
  }

  std::string write(const std::string& name) {
    write_position();
    write_outer_coordinates("  ", 1);
    write_bases("  ", [](int) { return true; }, 1);
    write_constants("  ");
    write_row_arrays();
    write_row_maps(0);
    write_shared_arrays();
    for (int stage = 0; stage < roles_.last_stage; ++stage) {
      write_stage(stage);
      write_row_maps(stage + 1);
    }
    write_results();
    const int threads = facts_.vectors * facts_.groups * leaf_lanes;
    return finish(name, text_of(threads, ", ", 1024 / threads));
  }

 private:
  int columns() const { return facts_.vectors * facts_.width; }
  bool is_constant(int v) const { return v >= work_.first_constant() && v < work_.first_instruction(); }
  /// Whether the row at hand has a value w<v>.
  bool in_row_array(int v) const {
    if (is_input(v)) return used(v) && operand(v).row;
    return !is_constant(v) && roles_.row[v] && needed(v);
  }
  /// Whether the reduction is one of those that `stage` feeds.
  bool joins(int v, int stage) const { return is_reduction(v) && needed(v) && roles_.stage[v] == stage + 1; }
  /// Whether an input's elements of the first stage are met again.
  bool is_kept(int k) const {
    if (!is_vector(k) || !marked_[0][k]) return false;
    for (int stage = 1; stage < roles_.last_stage; ++stage)
      if (marked_[stage][k]) return true;
    return false;
  }

  /// What the loop of a stage computes or takes from rows.
  void mark_sources(int stage) {
    bool(&marked)[max_values] = marked_[stage];
    for (int v = work_.n_values() - 1; v >= work_.first_instruction(); --v) {
      if (!joins(v, stage) && !(marked[v] && !roles_.row[v])) continue;
      for (int k = 0, arity = arity_of(instruction(v)); k < arity; ++k) marked[instruction(v).sources[k]] = true;
    }
  }

  void write_position() {
    body_.add("  const u32 batch = divide((u32)blockIdx.x, g.column_magic, g.column_blocks);\n",
              "  const u32 column_block = blockIdx.x - batch * (u32)g.column_blocks;\n",
              "  const Index row = batch;\n", "  const i64 column = ((i64)column_block * ", facts_.vectors,
              " + threadIdx.x) * ", facts_.width, ";\n", "  const bool active = column < g.columns;\n",
              "  const u32 group = threadIdx.y / ", leaf_lanes, ", lane = threadIdx.y % ", leaf_lanes, ";\n",
              "  const i64 begin = (i64)group * ", leaf_length, ";\n",
              "  const i64 end = !active ? begin : g.length < begin + ", leaf_length, " ? g.length : begin + ",
              leaf_length, ";\n");
  }

  std::string column_offset(int k) const { return text_of("(column + k) * g.p", k, "_o", facts_.outer - 1); }

  void write_column_loop(const char* indent) {
    body_.add("#pragma unroll\n", indent, "for (int k = 0; k < ", facts_.width, "; ++k) {\n");
  }

  void write_row_arrays() {
    for (int v = 0; v < work_.n_values(); ++v)
      if (in_row_array(v)) body_.add("  ", type_of(roles_.dtype[v]), " w", v, "[", facts_.width, "] = {};\n");
    for (int k = 0; k < work_.n_inputs; ++k) {
      if (!in_row_array(k)) continue;
      write_column_loop("  ");
      body_.add("    if (active) w", k, "[k] = ", element(k, column_offset(k)), ";\n  }\n");
    }
  }

  /// The maps that depend on the reductions up to `stage` alone.
  void write_row_maps(int stage) {
    const auto chosen = [&](int v) {
      return v >= work_.first_instruction() && in_row_array(v) && !is_reduction(v) && roles_.stage[v] == stage;
    };
    bool source[max_values] = {}, any = false;
    for (int v = work_.first_instruction(); v < work_.n_values(); ++v) {
      if (!chosen(v)) continue;
      any = true;
      for (int k = 0, arity = arity_of(instruction(v)); k < arity; ++k) source[instruction(v).sources[k]] = true;
    }
    if (!any) return;
    write_column_loop("  ");
    write_from_row("    ", [&](int v) { return source[v] && !chosen(v); });
    write_instructions("    ", chosen);
    for (int v = work_.first_instruction(); v < work_.n_values(); ++v)
      if (chosen(v)) body_.add("    w", v, "[k] = v", v, ";\n");
    body_.add("  }\n");
  }

  template <class Choose>
  void write_from_row(const char* indent, Choose choose) {
    for (int v = 0; v < work_.n_values(); ++v)
      if (in_row_array(v) && choose(v))
        body_.add(indent, "const ", type_of(roles_.dtype[v]), " v", v, " = w", v, "[k];\n");
  }

  int leaves() const { return columns() * facts_.groups; }

  /// One reduction after the other uses the memory for lanes.
  void write_shared_arrays() {
    body_.add("  __shared__ union {\n");
    for_each_reduction([&](int v, int) {
      body_.add("    ", reduction(v), "::State r", v, "[", leaves() * leaf_lanes, "];\n");
    });
    body_.add("  } lanes;\n");
    int bytes = 0;  // of the kept elements of one row of each leaf
    for (int k = 0; k < work_.n_inputs; ++k) {
      if (!is_kept(k)) continue;
      if (bytes == 0) body_.add("  TD_LAUNCHED_SHARED(kept);\n");
      body_.add("  ", type(k), "* const kept", k, " = (", type(k), "*)((char*)kept + g.kept * ", bytes, ");\n");
      bytes += columns() * facts_.groups * size_of(dtype(k));
    }
  }

  void write_stage(int stage) {
    for_each_reduction([&](int v, int) {
      if (!joins(v, stage)) return;
      const std::string r = reduction(v);
      body_.add("  ", r, "::State r", v, "[", facts_.width, "];\n");
      write_column_loop("  ");
      body_.add("    r", v, "[k] = ", r, "::none();\n  }\n");
    });
    write_loop(stage);
    for_each_reduction([&](int v, int) {
      if (joins(v, stage)) write_result(v);
    });
  }

  void write_loop(int stage) {
    const auto reads = [&](int k) { return is_vector(k) && marked_[stage][k]; };
    body_.add("  for (i64 start = begin; start < end; start += ", facts_.steps * leaf_lanes,
              ") {\n    const i64 mine = start + lane;\n    const int left = (int)(end - mine);\n",
              "    const bool keeps = start - begin < g.kept;\n");
    for (int k = 0; k < work_.n_inputs; ++k)
      if (reads(k)) body_.add("    ", type(k), " x", k, "[", facts_.steps * facts_.width, "];\n");
    body_.add("    if (keeps) {\n");
    write_loads(stage, reads, true);
    body_.add("    } else {\n");
    write_loads(stage, reads, false);
    body_.add("    }\n");

    write_element_loop("    ");
    body_.add("      const i64 position = mine + offset;\n      if (offset < left) {\n");
    write_column_loop("        ");
    write_from_row("          ", [&](int v) { return marked_[stage][v]; });
    for (int k = 0; k < work_.n_inputs; ++k) {
      if (!full_input(k) || !marked_[stage][k]) continue;
      body_.add("          const ", type(k), " v", k, " = ",
                is_vector(k) ? text_of("x", k, "[e * ", facts_.width, " + k]")
                             : element(k, text_of("position * g.p", k, "_i0 + ", column_offset(k))),
                ";\n");
    }
    write_instructions("          ", [&](int v) { return marked_[stage][v] && !roles_.row[v]; });
    for_each_reduction([&](int v, int) {
      if (joins(v, stage))
        body_.add("          r", v, "[k] = ", reduction(v), "::append(r", v, "[k], v", instruction(v).sources[0],
                  ", position);\n");
    });
    body_.add("        }\n      }\n    }\n  }\n");
  }

  void write_element_loop(const char* indent) {
    body_.add("#pragma unroll\n", indent, "for (int e = 0; e < ", facts_.steps, "; ++e) {\n", indent,
              "  const int offset = e * ", leaf_lanes, ";\n");
  }

  /// Memory is read for the last time where its elements are kept, and in the last stage. Other blocks read beside it:
  /// a strip is narrower than what DRAM likes to read.
  template <class Reads>
  void write_loads(int stage, Reads reads, bool keeps) {
    const auto last = [&](int k) { return operand(k).streaming && (keeps || stage == roles_.last_stage - 1); };
    const auto place = [&](int k) {
      return text_of("kept", k, " + ((group * (u32)g.kept + (u32)(mine + offset - begin)) * ", facts_.vectors,
                     " + threadIdx.x) * ", facts_.width);
    };
    const auto write_each = [&](auto write) {
      write_element_loop("      ");
      body_.add("        if (offset < left) {\n");
      for (int k = 0; k < work_.n_inputs; ++k)
        if (reads(k)) write(k);
      body_.add("        }\n      }\n");
    };
    write_each([&](int k) {
      const std::string to = text_of("x", k, " + e * ", facts_.width);
      if (keeps && stage > 0 && is_kept(k))
        body_.add("          kept_vector<", facts_.width, ">(", to, ", ", place(k), ");\n");
      else
        body_.add("          load_vector_among<", last(k) ? "true" : "false", ", ", facts_.width, ">(", to, ", p", k,
                  " + (mine + offset) * g.p", k, "_i0 + column);\n");
    });
    if (!keeps || stage > 0) return;
    write_each([&](int k) {
      if (is_kept(k))
        body_.add("          keep_vector<", facts_.width, ">(", place(k), ", x", k, " + e * ", facts_.width, ");\n");
    });
  }

  void write_result(int v) {
    const std::string r = reduction(v);
    body_.add("  __shared__ ", r, "::State r", v, "_leaves[", leaves(), "];\n  halve_strip<", r, ", ", facts_.groups,
              ", ", facts_.vectors, ", ", facts_.width, ">(r", v, ", lanes.r", v, ", r", v, "_leaves);\n");
    write_column_loop("  ");
    body_.add("    const ", r, "::State* const leaves = r", v, "_leaves + threadIdx.x * ", facts_.width, " + k;\n",
              "    w", v, "[k] = ", r, "::result(",
              pairs(r, [&](int i) { return text_of("leaves[", i * columns(), "]"); }), ");\n  }\n");
  }

  void write_results() {
    body_.add("  if (threadIdx.y == 0 && active) {\n");
    write_column_loop("    ");
    body_.add("      const Index row = (Index)batch * (Index)g.columns + (Index)(column + k);\n");
    write_outer_coordinates("      ");
    write_bases("      ", [&](int k) { return k >= work_.first_output(); });
    for (int i = 0; i < work_.n_outputs; ++i) {
      const int v = work_.outputs[i];
      body_.add("      store_element(p", work_.first_output() + i, ", ", is_constant(v) ? "v" : "w", v,
                is_constant(v) ? "" : "[k]", ");\n");
    }
    body_.add("    }\n  }\n");
  }

  bool marked_[TD_MAX_INSTRUCTIONS][max_values] = {};  // by stage
};

}  // namespace

std::string write_strips(const Work& work, const Roles& roles, const Facts& facts, const std::string& name) {
  return StripsWriter(work, roles, facts).write(name);
}

}  // namespace tandem::cuda
