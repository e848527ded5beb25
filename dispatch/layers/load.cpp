#include "load.hpp"

namespace tandem::detail {
namespace {

double positions(const td_program& program) {
  double n = 1;
  for (int axis = 0; axis < program.ndim; ++axis) n *= double(program.shape[axis]);
  return n;
}

}  // namespace

Features features_of(Tag<Verb::run_program>, const td_program* program, const td_operand* inputs, const td_operand*,
                     td_error*) {
  const int last = program->ndim - 1;
  bool strided = false, repeats = false, reduces = false, fused = false, staged = false;
  const std::vector<bool> rows = row_values(*program, inputs);
  for (int i = 0; i < program->n_inputs; ++i) {
    if (!inputs[i].data || rows[std::size_t(i)]) continue;
    strided = strided || std::abs(inputs[i].strides[last]) > 1;
    for (int axis = 0; axis < program->ndim; ++axis) repeats = repeats || inputs[i].strides[axis] == 0;
  }
  for (int i = 0; i < program->n_instructions; ++i) {
    const int value = program->n_inputs + program->n_constants + i;
    const td_instruction& instruction = program->instructions[i];
    if (instruction.kind == TD_REDUCE) reduces = true;
    fused = fused || (instruction.kind != TD_REDUCE && !rows[std::size_t(value)]);
    if (instruction.kind != TD_MAP || !reduces) continue;
    // A map of a reduction's result and of full values: the row is gone through again.
    if (program->n_reduced > 0 && !rows[std::size_t(value)])
      for (int k = 0; k < source_count(instruction); ++k) staged = staged || rows[instruction.sources[k]];
  }
  const double length = double(row_length(*program)), all = positions(*program);
  const DType dtype = value_dtype(*program, program->outputs[0]);
  if (!reduces) return {strided ? "map strided" : "map", dtype, 1, all, double(program->shape[last])};
  const char* variant = staged    ? "rows again"
                        : strided ? (fused ? "columns fused" : "columns")
                        : fused   ? "rows fused"
                                  : "rows";
  return {variant, dtype, all / length, length, repeats ? 16.0 : 1.0};
}

Features features_of(Tag<Verb::random>, const td_random* random, const td_view* out, td_error*) {
  constexpr const char* names[] = {"bits", "uniform", "normal", "integers", "exponential", "gamma", "poisson", "binomial"};
  return of_elements(*out, names[random->distribution]);
}

Features features_of(Tag<Verb::fft>, const td_view* x, td_transform transform, std::int32_t n_axes,
                     const std::int32_t* axes, double, const td_view* out, td_error*) {
  double length = 1;
  for (int i = 0; i < n_axes; ++i) length *= double(std::max(x->shape[axes[i]], out->shape[axes[i]]));
  const td_view& longer = element_count(*x) > element_count(*out) ? *x : *out;
  const bool real = transform == TD_FFT_REAL || transform == TD_FFT_HERMITIAN;
  return {real ? "real" : "", real_dtype(DType(x->dtype)), std::max(1.0, double(element_count(longer)) / length), length,
          double(n_axes)};
}

Steps steps_of(Tag<Verb::run_program>, const td_program* program, const td_operand* inputs, const td_operand*,
               td_error*) {
  const double all = positions(*program), rows = all / double(row_length(*program));
  const std::vector<bool> row = row_values(*program, inputs);
  Steps steps;
  for (int i = 0; i < program->n_instructions; ++i) {
    const td_instruction& instruction = program->instructions[i];
    const bool at_rows = instruction.kind == TD_REDUCE ? row[instruction.sources[0]]
                                                       : row[std::size_t(program->n_inputs + program->n_constants + i)];
    const std::string name = operation_name(instruction) + " " + std::string(tandem::name(DType(instruction.dtype)));
    const auto same = std::find_if(steps.begin(), steps.end(), [&](const auto& step) { return step.first == name; });
    const double times = at_rows ? rows : all;
    if (same == steps.end())
      steps.emplace_back(name, times);
    else
      same->second += times;
  }
  return steps;
}

std::string kind_text(Verb verb, const char* operation, const Features& features) {
  if (verb == Verb::run_program) return features.variant;
  if (verb == Verb::copy) return operation;
  const Verb as = verb == Verb::gather_checked ? Verb::gather : verb;
  std::string text = std::string(name(as)) + " " + std::string(name(features.dtype));
  return *features.variant ? text + " " + features.variant : text;
}

}  // namespace tandem::detail
