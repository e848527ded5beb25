// From a program to a launch: which kernel runs it, with which facts, arguments and grid.
//
// A Plan's facts (and the program's own text: dtypes, instructions, outputs) decide the generated code; lengths,
// strides, pointers and constants are arguments. encode() puts the former into a string of bytes, the key of a kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tandem/backend.h>

namespace tandem::cuda {

constexpr int max_values = 256;
constexpr int max_operands = TD_MAX_INPUTS + TD_MAX_INSTRUCTIONS + TD_MAX_INSTRUCTIONS;
constexpr int block_threads = 256;
constexpr int leaf_length = 4096, leaf_lanes = 128;

/// An instruction of our own: the row value `op` that an earlier pass left in memory (Work::loads).
constexpr std::uint8_t load_kind = TD_REDUCE + 1;

/// A program in one pass over its space. As td_program, but passes may read and write row values in memory of our own.
struct Work {
  int n_inputs, n_constants, n_instructions, n_loads, n_outputs;
  const std::uint8_t* input_dtypes;
  const std::uint8_t* constant_dtypes;
  const td_constant* constants;
  const td_instruction* instructions;
  const std::uint8_t* outputs;
  int ndim, n_reduced;
  const std::int64_t* shape;
  const td_operand* input_operands;
  const td_operand* load_operands;
  const td_operand* output_operands;

  int first_constant() const { return n_inputs; }
  int first_instruction() const { return n_inputs + n_constants; }
  int n_values() const { return first_instruction() + n_instructions; }
  /// Operands in one sequence: inputs, loads, outputs.
  int n_operands() const { return n_inputs + n_loads + n_outputs; }
  int first_output() const { return n_inputs + n_loads; }
  const td_operand& operand(int k) const {
    if (k < n_inputs) return input_operands[k];
    if (k < first_output()) return load_operands[k - n_inputs];
    return output_operands[k - first_output()];
  }
};

/// What the values of a program are.
struct Roles {
  std::uint8_t dtype[max_values];
  std::uint8_t stage[max_values];        // how many reductions follow one another before it
  bool row[max_values];                  // one per row
  bool needed[max_values];               // for an output
  bool row_output[max_operands];         // by output
  int n_reductions = 0, last_stage = 0;  // of what is needed
  bool any_full_output = false, any_row_output = false;

  explicit Roles(const Work& work);
};

/// Number of sources of an instruction, and bytes of a dtype.
int arity_of(const td_instruction& instruction);
int size_of(int dtype);
/// An upper bound of the bytes of a reduction's state (Writer::reduction).
std::int64_t state_bytes(const td_instruction& reduction, bool wide);
/// Whether the row of ops.def has a kernel for the dtype of the instruction.
bool has_kernel(const td_instruction& instruction);

enum class Kernel : std::uint8_t {
  map,         // a vector of elements a thread
  transposed,  // square tiles; operands that lie the other way go through shared memory
  leaves,      // reductions: leaves of a row by neighbouring threads
  columns,     // reductions: rows side by side in memory, threads along them
  finish,      // the partial results of leaves or columns
  staged       // rows in registers: reductions, and maps of their results
};

/// How an operand moves along the inner axes of a kernel.
enum class Mode : std::uint8_t {
  unused,
  zero,     // not at all
  linear,   // to the next element
  strided,  // by a stride (one inner axis)
  split,    // by the strides of several inner axes
  tile      // strided, but to the next element along the other axis of a tile
};

struct OperandFacts {
  Mode mode = Mode::unused;
  bool aligned = false;    // every vector that starts at a multiple of its length
  bool index = false;      // the index array
  bool row = false;        // one element per row
  bool streaming = false;  // more data than the caches hold, each element met once
};

struct Facts {
  Kernel kernel = Kernel::map;
  bool wide = false;     // 64-bit numbers of rows and positions
  bool partial = false;  // leaves, columns: write partial results for a finishing kernel
  bool several = false;  // leaves: a row has more than one leaf in the block; columns: several threads share a column
  bool whole = false;    // leaves, staged: the length of a row is a multiple of the width
  std::uint8_t outer = 0, inner = 1;  // axes
  std::uint8_t width = 1;             // elements of a vector
  std::uint8_t vectors = 1;           // of a thread at a time (leaves, staged)
  std::uint8_t threads = 1;  // that share a leaf (leaves, staged), a column (columns), or partial results (finish)
  std::uint8_t steps = 1;    // elements of a lane at a time
  std::uint8_t groups = 1;   // staged: leaves of a row
  std::uint8_t rows = 0;     // leaves: rows of a group at once, 0 if the turns of a leaf are a loop
  std::uint8_t lanes = 128;  // of a leaf (columns)
  std::uint8_t tile = 0;     // side (transposed)
  OperandFacts operands[max_operands];
};

/// Arguments of a kernel beside constants, pointers, lengths and strides, by kernel.
constexpr int max_extras = 8;
struct ExtraNames {
  const char* names[max_extras];
  int count;
};
const ExtraNames& extra_names(Kernel kernel);

struct Plan {
  Facts facts;
  std::uint8_t axes[TD_MAX_NDIM];     // of the program, in the kernel's order: outer, then inner ones
  std::int64_t rows = 1, length = 1;  // of the outer and of the inner axes
  std::int64_t extras[max_extras] = {};
  void* partials[TD_MAX_INSTRUCTIONS] = {};  // by needed reduction
  std::int64_t grid = 1;
  std::uint32_t block_x = block_threads, block_y = 1;
};

struct Limits {
  int multiprocessors;
  std::int64_t l2_bytes;
};

Plan plan_map(const Limits& limits, const Work& work, const Roles& roles);
/// Of a program whose outputs are row values that depend on reductions of stage 0 at most. If the plan is `partial`,
/// plan_finish makes the second kernel's.
Plan plan_reduction(const Limits& limits, const Work& work, const Roles& roles);
Plan plan_finish(const Plan& first);
/// How many partial results the plan's kernel writes for each reduction.
std::int64_t count_partials(const Plan& plan);
/// Whether one kernel can hold the rows of a staged program, and its plan.
bool plan_staged(const Limits& limits, const Work& work, const Roles& roles, Plan* plan);

/// Bytes that are equal exactly if all that decides the generated text is.
void encode(const Work& work, const Plan& plan, std::string* key);

/// The argument structure of a launch.
class Arguments {
 public:
  Arguments(const Work& work, const Roles& roles, const Plan& plan);
  void* data() { return bytes_; }

 private:
  alignas(16) unsigned char bytes_[32760];
};

}  // namespace tandem::cuda
