// Kernels of staged programs: a row stays in the registers of its threads from the first reduction to the last map.
#include "reduction_writer.hpp"

namespace tandem::cuda {

namespace {

/// A row has `groups` leaves, and facts.threads threads take a leaf as in LeavesWriter; all its elements are held at
/// once, together with full values that later stages need. Inactive threads compute the last row again and write
/// nothing.
class StagedWriter : public ReductionWriter {
 public:
  StagedWriter(const Work& work, const Roles& roles, const Facts& facts) : ReductionWriter(work, roles, facts) {
    mark(marked_, true, true);
  }

  std::string write(const std::string& name) {
    write_position();
    write_constants("  ");
    write_row_values("  ", [&](int v) { return marked_[v]; });
    write_loads();
    for (int stage = 0; stage < roles_.last_stage; ++stage) write_stage(stage);
    write_last();
    return finish(name, row_threads() > block_threads ? "512" : text_of(block_threads));
  }

 private:
  int held() const { return facts_.vectors * facts_.width; }
  int lanes() const { return facts_.threads * held(); }
  int elements() const { return facts_.steps * held(); }
  int row_threads() const { return facts_.threads * facts_.groups; }
  bool in_warp() const { return facts_.threads <= 32; }
  bool full(int v) const { return !roles_.row[v]; }

  void write_position() {
    const int block = row_threads() > block_threads || facts_.groups > 1 ? row_threads() : block_threads;
    body_.add("  const u32 thread = threadIdx.x % ", facts_.threads, ";\n");
    if (facts_.groups > 1)
      body_.add("  const i64 begin = threadIdx.x / ", facts_.threads, " * ", leaf_length, ";\n");
    else
      body_.add("  const i64 begin = 0;\n");
    body_.add(
        "  const Index this_row = (Index)blockIdx.x * ", block / row_threads(), " + threadIdx.x / ", row_threads(),
        ";\n",
        "  const bool active = this_row < (Index)g.rows;\n  const Index row = active ? this_row : (Index)g.rows - 1;\n",
        "  const i64 mine = begin + thread * ", facts_.width, ";\n  const int left = (int)(g.length - mine);\n");
    write_outer_coordinates("  ");
    write_bases("  ", [](int) { return true; });
  }

  void write_loads() {
    for (int k = 0; k < work_.n_inputs; ++k) {
      if (!full_input(k)) continue;
      body_.add("  ", type(k), " x", k, "[", elements(), "];\n");
    }
    body_.add("#pragma unroll\n  for (int i = 0; i < ", facts_.steps * facts_.vectors,
              "; ++i) {\n    const int offset = i * ", facts_.width * facts_.threads, ";\n    if (offset < left) {\n");
    for (int k = 0; k < work_.n_inputs; ++k)
      if (is_vector(k))
        body_.add("      load_vector<", streaming(k), ", ", facts_.width, ">(x", k, " + i * ", facts_.width, ", p", k,
                  " + mine + offset);\n");
    body_.add("    }\n  }\n");
    bool gathered = false;
    for (int k = 0; k < work_.n_inputs; ++k) gathered |= full_input(k) && !is_vector(k);
    if (!gathered) return;
    write_element_loop();
    for (int k = 0; k < work_.n_inputs; ++k) {
      if (!full_input(k) || is_vector(k)) continue;
      body_.add("      x", k, "[e] = offset < left ? ", element(k, inner_offset(k, "i", "position")), " : ", type(k),
                "();\n");
    }
    body_.add("  }\n");
  }

  void write_element_loop() {
    body_.add("#pragma unroll\n  for (int e = 0; e < ", elements(), "; ++e) {\n    const int offset = e / ",
              facts_.width, " * ", facts_.width * facts_.threads, " + e % ", facts_.width,
              ";\n    const i64 position = mine + offset;\n");
  }

  // Whether a full value is computed in the loop of `stage`, and whether a later loop needs it.
  bool computed(int v, int stage) const { return marked_[v] && full(v) && roles_.stage[v] == stage; }
  bool kept(int v) const {
    for (int u = v + 1; u < work_.n_values(); ++u) {
      if (!marked_[u] && !(is_reduction(u) && needed(u))) continue;
      for (int k = 0, arity = arity_of(instruction(u)); k < arity; ++k)
        if (instruction(u).sources[k] == v &&
            (is_reduction(u) ? roles_.stage[u] - 1 : roles_.stage[u]) > roles_.stage[v] && (full(u) || is_reduction(u)))
          return true;
    }
    for (int i = 0; i < work_.n_outputs; ++i)
      if (work_.outputs[i] == v) return roles_.stage[v] < roles_.last_stage;
    return false;
  }

  void write_values(int stage) {
    for (int v = 0; v < work_.n_inputs; ++v)
      if (full_input(v)) body_.add("    const ", type(v), " v", v, " = x", v, "[e];\n");
    for (int v = work_.first_instruction(); v < work_.n_values(); ++v)
      if (marked_[v] && full(v) && !is_reduction(v) && roles_.stage[v] < stage && kept(v))
        body_.add("    const ", type_of(roles_.dtype[v]), " v", v, " = x", v, "[e];\n");
    write_instructions("    ", [&](int v) { return computed(v, stage); });
  }

  void write_stage(int stage) {
    const auto joins = [&](int v) { return roles_.stage[v] == stage + 1; };
    for (int v = work_.first_instruction(); v < work_.n_values(); ++v)
      if (computed(v, stage) && !is_reduction(v) && kept(v))
        body_.add("  ", type_of(roles_.dtype[v]), " x", v, "[", elements(), "];\n");
    for_each_reduction([&](int v, int) {
      if (joins(v))
        body_.add("  ", reduction(v), "::State r", v, "[", held(), "];\n#pragma unroll\n  for (int i = 0; i < ", held(),
                  "; ++i) r", v, "[i] = ", reduction(v), "::none();\n");
    });
    write_element_loop();
    write_values(stage);
    for (int v = work_.first_instruction(); v < work_.n_values(); ++v)
      if (computed(v, stage) && !is_reduction(v) && kept(v)) body_.add("    x", v, "[e] = v", v, ";\n");
    for_each_reduction([&](int v, int) {
      if (!joins(v)) return;
      const std::string r = reduction(v);
      body_.add("    if (", inside(), ") r", v, "[e % ", held(), "] = ", r, "::append(r", v, "[e % ", held(), "], v",
                instruction(v).sources[0], ", position);\n");
    });
    body_.add("  }\n");
    for_each_reduction([&](int v, int) {
      if (joins(v)) write_result(v);
    });
    write_instructions("  ", [&](int v) { return marked_[v] && !full(v) && roles_.stage[v] == stage + 1; });
  }

  // All threads of the row get the result.
  void write_result(int v) {
    const std::string r = reduction(v);
    const char* const type = type_of(roles_.dtype[v]);
    if (in_warp()) {
      body_.add("  const ", type, " v", v, " = ", r, "::result(shuffle_from(halve<", r, ", ", facts_.threads, ", ",
                facts_.vectors, ", ", facts_.width, ">(r", v, "), (int)(threadIdx.x % 32 - thread)));\n");
      return;
    }
    const int block_groups = facts_.groups > 1 ? facts_.groups : block_threads / facts_.threads;
    body_.add("  __shared__ ", r, "::State r", v, "_lanes[", block_groups * lanes(), "], r", v, "_leaves[",
              block_groups, "];\n");
    body_.add("  halve_across<", r, ", ", facts_.threads, ", ", facts_.vectors, ", ", facts_.width, ">(r", v, ", r", v,
              "_lanes, r", v, "_leaves);\n");
    std::string row = text_of("r", v, "_leaves[threadIdx.x / ", facts_.threads, "]");
    if (facts_.groups > 1) {
      const auto leaf = [&](int i) { return text_of("r", v, "_leaves[", i, "]"); };
      const auto pair = [&](const std::string& a, const std::string& b) {
        return text_of(r, "::combine(", a, ", ", b, ")");
      };
      row = pair(leaf(0), leaf(1));
      if (facts_.groups == 3) row = pair(row, leaf(2));
      if (facts_.groups == 4) row = pair(row, pair(leaf(2), leaf(3)));
    }
    body_.add("  const ", type, " v", v, " = ", r, "::result(", row, ");\n");
  }

  void write_last() {
    const int last = roles_.last_stage;
    if (roles_.any_full_output) {
      for (int i = 0; i < work_.n_outputs; ++i)
        if (!roles_.row_output[i]) body_.add("  ", type(work_.first_output() + i), " y", i, "[", elements(), "];\n");
      write_element_loop();
      write_values(last);
      for (int i = 0; i < work_.n_outputs; ++i)
        if (!roles_.row_output[i]) body_.add("    y", i, "[e] = v", work_.outputs[i], ";\n");
      body_.add("  }\n");
    }
    body_.add("  if (!active) return;\n");
    for (int i = 0; i < work_.n_outputs; ++i) {
      const int k = work_.first_output() + i;
      if (roles_.row_output[i]) {
        body_.add("  if (threadIdx.x % ", row_threads(), " == 0) store_element(p", k, ", v", work_.outputs[i], ");\n");
      } else if (operand(k).mode == Mode::linear) {
        write_vector_stores(k, i);
      } else {
        write_element_loop();
        body_.add("    if (offset < left) store_element(p", k, " + ", inner_offset(k, "i", "position"), ", y", i,
                  "[e]);\n  }\n");
      }
    }
  }

  void write_vector_stores(int k, int i) {
    body_.add("#pragma unroll\n  for (int i = 0; i < ", facts_.steps * facts_.vectors,
              "; ++i) {\n    const int offset = i * ", facts_.width * facts_.threads, ";\n    ");
    if (facts_.whole)
      body_.add("if (offset < left) store_vector<", streaming(k), ", ", facts_.width, ">(p", k, " + mine + offset, y",
                i, " + i * ", facts_.width, ");\n  }\n");
    else
      body_.add("store_part<", streaming(k), ", true, ", facts_.width, ">(p", k, ", y", i, " + i * ", facts_.width,
                ", mine + offset, g.length, offset + ", facts_.width, " <= left);\n  }\n");
  }

  bool marked_[max_values];
};

}  // namespace

std::string write_staged(const Work& work, const Roles& roles, const Facts& facts, const std::string& name) {
  return StagedWriter(work, roles, facts).write(name);
}

}  // namespace tandem::cuda
