// The verbs of the reference backend; backend.cpp puts them into the table.
#pragma once

#include <tandem/backend.h>

namespace tandem::reference {

// memory.cpp
td_status open_device(int32_t index, td_device** device, td_error* error);
td_status allocate(td_device* device, int64_t bytes, void** pointer, td_error* error);
void free(td_device* device, void* pointer, int64_t bytes);
td_status copy(td_device* device, td_copy_kind kind, void* to, const void* from, int64_t bytes, td_error* error);
td_status memory_stats(td_device* device, td_memory_stats* stats, td_error* error);
td_status trim(td_device* device, td_error* error);
td_status set_memory_limit(td_device* device, int64_t bytes, td_error* error);

// A file each; gather, scatter and select share indexing.cpp, sort, partition and searchsorted
// sort.cpp
td_status run_program(td_device* device, const td_program* program, const td_operand* inputs,
                      const td_operand* outputs, td_error* error);
td_status matmul(td_device* device, const td_view* a, const td_view* b, const td_view* c, td_precision precision,
                 td_error* error);
td_status sort(td_device* device, const td_view* x, int32_t descending, const td_view* values,
               const td_view* indices, td_error* error);
td_status partition(td_device* device, const td_view* x, int32_t descending, const td_view* ranks,
                    const td_view* values, const td_view* indices, td_error* error);
td_status random(td_device* device, const td_random* random, const td_view* out, td_error* error);
td_status cholesky(td_device* device, const td_view* a, int32_t upper, const td_view* l, td_error* error);
td_status gather(td_device* device, const td_view* x, int32_t axis, int32_t n_indices, const td_view* indices,
                 const td_view* out, td_error* error);
td_status gather_checked(td_device* device, const td_view* x, int32_t axis, int32_t n_indices, const td_view* indices,
                         const td_view* out, int32_t* inside, td_error* error);
td_status scatter(td_device* device, const td_view* x, int32_t axis, int32_t n_indices, const td_view* indices,
                  const td_view* values, td_scatter mode, td_error* error);
td_status select(td_device* device, const td_view* x, const td_view* mask, const td_view* out, td_error* error);
td_status scan(td_device* device, const td_view* x, int32_t axis, td_reduction reduction, const td_view* out,
               td_error* error);
td_status searchsorted(td_device* device, const td_view* sorted, const td_view* values, int32_t right,
                       const td_view* out, td_error* error);
td_status fft(td_device* device, const td_view* x, td_transform transform, int32_t n_axes, const int32_t* axes,
              double scale, const td_view* out, td_error* error);

// linalg.cpp
td_status lu(td_device* device, const td_view* a, const td_view* lu, const td_view* pivots, td_error* error);
td_status solve(td_device* device, const td_view* a, td_structure structure, const td_view* b, const td_view* x,
                td_error* error);
td_status qr(td_device* device, const td_view* a, const td_view* q, const td_view* r, td_error* error);
td_status svd(td_device* device, const td_view* a, const td_view* u, const td_view* s, const td_view* vh,
              td_error* error);
td_status eigh(td_device* device, const td_view* a, int32_t upper, const td_view* w, const td_view* v, td_error* error);
td_status eig(td_device* device, const td_view* a, const td_view* w, const td_view* v, td_error* error);

}  // namespace tandem::reference
