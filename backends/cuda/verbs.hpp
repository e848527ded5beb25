// The verbs of the CUDA backend, one file each; backend.cpp puts them into the table.
#pragma once

#include <tandem/backend.h>

#include "device.hpp"

namespace tandem::cuda {

// device.cpp
td_status device_count(int32_t* count, td_error* error);
td_status open_device(int32_t index, td_device** device, td_error* error);
td_status device_info(td_device* device, td_device_info* info, td_error* error);
td_status synchronize(td_device* device, td_error* error);
td_status event_create(td_device* device, td_event** event, td_error* error);
void event_destroy(td_device* device, td_event* event);
td_status event_record(td_device* device, td_event* event, td_error* error);
td_status event_synchronize(td_device* device, td_event* event, td_error* error);
td_status event_elapsed(td_device* device, td_event* begin, td_event* end, double* seconds, td_error* error);
// memory.cpp
td_status allocate(td_device* device, int64_t bytes, void** pointer, td_error* error);
void free(td_device* device, void* pointer, int64_t bytes);
td_status memory_stats(td_device* device, td_memory_stats* stats, td_error* error);
td_status trim(td_device* device, td_error* error);
td_status set_memory_limit(td_device* device, int64_t bytes, td_error* error);
// transfer.cpp
td_status copy(td_device* device, td_copy_kind kind, void* to, const void* from, int64_t bytes, td_error* error);
// program.cpp
td_status run_program(td_device*, const td_program*, const td_operand* inputs, const td_operand* outputs, td_error*);
// matmul.cpp, sort.cu, random.cu, cholesky.cpp
td_status matmul(td_device*, const td_view* a, const td_view* b, const td_view* c, td_precision, td_error*);
td_status sort(td_device*, const td_view* x, int32_t descending, const td_view* values, const td_view* indices,
               td_error*);
td_status random(td_device*, const td_random*, const td_view* out, td_error*);
td_status cholesky(td_device*, const td_view* a, int32_t upper, const td_view* l, td_error*);
// gather.cpp
td_status gather(td_device*, const td_view* x, int32_t axis, int32_t n_indices, const td_view* indices,
                 const td_view* out, td_error*);
td_status gather_checked(td_device*, const td_view* x, int32_t axis, int32_t n_indices, const td_view* indices,
                         const td_view* out, int32_t* inside, td_error*);
td_status scatter(td_device*, const td_view* x, int32_t axis, int32_t n_indices, const td_view* indices,
                  const td_view* values, td_scatter mode, td_error*);
// select.cpp
td_status select(td_device*, const td_view* x, const td_view* mask, const td_view* out, td_error*);
td_status searchsorted(td_device*, const td_view* sorted, const td_view* values, int32_t right, const td_view* out,
                       td_error*);
// scan.cpp
td_status scan(td_device*, const td_view* x, int32_t axis, td_reduction, const td_view* out, td_error*);
// lu.cpp, qr.cpp, svd.cpp, eigen.cpp
td_status lu(td_device*, const td_view* a, const td_view* lu, const td_view* pivots, td_error*);
td_status solve(td_device*, const td_view* a, td_structure, const td_view* b, const td_view* x, td_error*);
td_status qr(td_device*, const td_view* a, const td_view* q, const td_view* r, td_error*);
td_status svd(td_device*, const td_view* a, const td_view* u, const td_view* s, const td_view* vh, td_error*);
td_status eigh(td_device*, const td_view* a, int32_t upper, const td_view* w, const td_view* v, td_error*);
td_status eig(td_device*, const td_view* a, const td_view* w, const td_view* v, td_error*);
// fft.cpp
td_status fft(td_device*, const td_view* x, td_transform, int32_t n_axes, const int32_t* axes, double scale,
              const td_view* out, td_error*);

}  // namespace tandem::cuda
