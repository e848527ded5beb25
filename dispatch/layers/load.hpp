// What decides the cost of a call beside its device: features that are the same on every backend.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../program/ops.hpp"
#include "programs.hpp"
#include "wrap.hpp"

namespace tandem::detail {

/// The sizes of a call, as profile::Load states them.
struct Features {
  const char* variant = "";  // a text that lives as long as the process
  DType dtype = float32;
  double count = 1, size = 1, width = 1;
};

/// Of a stack of matrices (..., rows, columns): their number, the edge of the cube that holds rows x columns x depth, and
/// the shortest of the three edges in units of it.
inline Features of_matrices(const td_view& stack, double depth, const char* variant) {
  const double rows = double(stack.shape[stack.ndim - 2]), columns = double(stack.shape[stack.ndim - 1]);
  const double edge = std::cbrt(rows * columns * depth);
  return {variant, DType(stack.dtype), double(element_count(stack)) / (rows * columns), edge,
          std::min({rows, columns, depth}) / edge};
}

/// Of lines along an axis: their number and length. The width is the step from one element of the line to the next.
inline Features of_lines(const td_view& x, int axis, const char* variant) {
  const double length = x.ndim == 0 ? 1 : double(x.shape[axis]);
  const double step = x.ndim == 0 ? 1 : std::abs(double(x.strides[axis]));
  return {variant, DType(x.dtype), double(element_count(x)) / length, length, std::max(step, 1.0)};
}

inline Features of_elements(const td_view& x, const char* variant = "") {
  return {variant, DType(x.dtype), 1, double(element_count(x)), 1};
}

/// What most verbs are: so many elements of the first array that they write.
template <Verb verb, class... Arguments>
Features features_of(Tag<verb>, Arguments... arguments) {
  Features features;
  bool found = false;
  for_each_view<verb>(
      [&](const td_view& view, const Parameter& parameter) {
        if (found || parameter.role == Role::in) return;
        features = of_elements(view);
        found = true;
      },
      arguments...);
  return features;
}

inline Features features_of(Tag<Verb::copy>, td_copy_kind, void*, const void*, std::int64_t bytes, td_error*) {
  return {"", uint8, 1, double(bytes), 1};
}
Features features_of(Tag<Verb::run_program>, const td_program* program, const td_operand* inputs,
                     const td_operand* outputs, td_error*);
inline Features features_of(Tag<Verb::matmul>, const td_view* a, const td_view*, const td_view* c,
                            td_precision precision, td_error*) {
  return of_matrices(*c, double(a->shape[a->ndim - 1]), precision == TD_PRECISION_TF32 ? "tf32" : "");
}
inline Features features_of(Tag<Verb::sort>, const td_view* x, std::int32_t, const td_view* values,
                            const td_view* indices, td_error*) {
  return of_lines(*x, x->ndim - 1, !indices ? "values" : !values ? "indices" : "both");
}
inline Features features_of(Tag<Verb::partition>, const td_view* x, std::int32_t, const td_view*, const td_view* values,
                            const td_view* indices, td_error*) {
  return of_lines(*x, x->ndim - 1, !indices ? "values" : !values ? "indices" : "both");
}
Features features_of(Tag<Verb::random>, const td_random* random, const td_view* out, td_error*);
inline Features features_of(Tag<Verb::scan>, const td_view* x, std::int32_t axis, td_reduction reduction, const td_view*,
                            td_error*) {
  return of_lines(*x, axis, reduction_rows[reduction].name);
}
/// Places that are looked up, and the elements that lie together at each. The width is the number of places that there are.
inline Features of_places(const td_view& x, std::int32_t axis, std::int32_t n_indices, const td_view* indices,
                          const char* variant) {
  double together = 1;
  for (int i = axis + n_indices; i < x.ndim; ++i) together *= double(x.shape[i]);
  return {variant, DType(x.dtype), double(element_count(indices[0])), together, double(element_count(x)) / together};
}
inline Features features_of(Tag<Verb::gather>, const td_view* x, std::int32_t axis, std::int32_t n, const td_view* indices,
                            const td_view*, td_error*) {
  return of_places(*x, axis, n, indices, "");
}
inline Features features_of(Tag<Verb::gather_checked>, const td_view* x, std::int32_t axis, std::int32_t n,
                            const td_view* indices, const td_view*, std::int32_t*, td_error*) {
  return of_places(*x, axis, n, indices, "");
}
inline Features features_of(Tag<Verb::scatter>, const td_view* x, std::int32_t axis, std::int32_t n,
                            const td_view* indices, const td_view*, td_scatter mode, td_error*) {
  return of_places(*x, axis, n, indices, mode == TD_SCATTER_ADD ? "add" : mode == TD_SCATTER_LAST ? "last" : "unique");
}
inline Features features_of(Tag<Verb::select>, const td_view*, const td_view* mask, const td_view* out, td_error*) {
  Features features = of_elements(*mask);
  features.dtype = DType(out->dtype);
  return features;
}
inline Features features_of(Tag<Verb::searchsorted>, const td_view* sorted, const td_view* values, std::int32_t,
                            const td_view*, td_error*) {
  return {"", DType(values->dtype), double(element_count(*values)), std::log2(1.0 + double(element_count(*sorted))), 1};
}
inline Features of_square(const td_view& a, const char* variant = "") {
  return of_matrices(a, double(a.shape[a.ndim - 1]), variant);
}
inline Features features_of(Tag<Verb::cholesky>, const td_view* a, std::int32_t, const td_view*, td_error*) {
  return of_square(*a);
}
inline Features features_of(Tag<Verb::lu>, const td_view* a, const td_view*, const td_view*, td_error*) {
  return of_square(*a);
}
inline Features features_of(Tag<Verb::solve>, const td_view* a, td_structure structure, const td_view* b, const td_view*,
                            td_error*) {
  // Factors cost a third of n^3 multiply-adds, each column of b n^2.
  const double n = double(a->shape[a->ndim - 1]), k = double(b->shape[b->ndim - 1]);
  return of_matrices(*a, structure == TD_GENERAL ? n / 3 + k : k, structure == TD_GENERAL ? "" : "triangular");
}
inline Features of_rectangle(const td_view& a, const char* variant) {
  return of_matrices(a, double(std::min(a.shape[a.ndim - 1], a.shape[a.ndim - 2])), variant);
}
inline Features features_of(Tag<Verb::qr>, const td_view* a, const td_view*, const td_view*, td_error*) {
  return of_rectangle(*a, "");
}
inline Features features_of(Tag<Verb::svd>, const td_view* a, const td_view* u, const td_view*, const td_view*,
                            td_error*) {
  return of_rectangle(*a, u ? "" : "values");
}
inline Features features_of(Tag<Verb::eigh>, const td_view* a, std::int32_t, const td_view*, const td_view* v,
                            td_error*) {
  return of_square(*a, v ? "" : "values");
}
inline Features features_of(Tag<Verb::eig>, const td_view* a, const td_view*, const td_view* v, td_error*) {
  return of_square(*a, v ? "" : "values");
}
Features features_of(Tag<Verb::fft>, const td_view* x, td_transform transform, std::int32_t n_axes,
                     const std::int32_t* axes, double scale, const td_view* out, td_error*);

/// profile::Load::steps of a call.
using Steps = std::vector<std::pair<std::string, double>>;
template <Verb verb, class... Arguments>
Steps steps_of(Tag<verb>, Arguments...) {
  return {};
}
Steps steps_of(Tag<Verb::run_program>, const td_program* program, const td_operand* inputs, const td_operand* outputs,
               td_error*);

/// profile::Load::kind: of programs the variant alone.
std::string kind_text(Verb verb, const char* operation, const Features& features);

}  // namespace tandem::detail
