/* A backend of two devices that adds float32 arrays: what docs/writing-a-backend.md calls the first step. It knows the
 * table only up to run_program, as if it had been built before the later verbs existed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tandem/backend.h>

struct td_device {
  int64_t used;
};
static struct td_device devices[2];

static td_status device_count(int32_t* count, td_error* error) {
  (void)error;
  *count = 2;
  return TD_OK;
}

static td_status open_device(int32_t index, td_device** device, td_error* error) {
  (void)error;
  *device = &devices[index];
  return TD_OK;
}

static td_status device_info(td_device* device, td_device_info* info, td_error* error) {
  (void)device, (void)error;
  memset(info, 0, sizeof *info);
  strcpy(info->name, "tiny");
  info->shares_host_memory = 1;
  return TD_OK;
}

static td_status describe(td_info_sink sink, void* user, td_error* error) {
  (void)error;
  sink(user, "motto", "small is \"beautiful\"");
  return TD_OK;
}

static td_status allocate(td_device* device, int64_t bytes, void** pointer, td_error* error) {
  const size_t whole = ((size_t)bytes + TD_PADDING + TD_ALIGNMENT - 1) / TD_ALIGNMENT * TD_ALIGNMENT;
  *pointer = aligned_alloc(TD_ALIGNMENT, whole);
  if (!*pointer) {
    snprintf(error->message, sizeof error->message, "%lld bytes are too many", (long long)bytes);
    return TD_OUT_OF_MEMORY;
  }
  device->used += bytes;
  return TD_OK;
}

static void release(td_device* device, void* pointer, int64_t bytes) {
  free(pointer);
  device->used -= bytes;
}

static td_status copy(td_device* device, td_copy_kind kind, void* to, const void* from, int64_t bytes, td_error* error) {
  (void)device, (void)kind, (void)error;
  memmove(to, from, (size_t)bytes);
  return TD_OK;
}

static td_status memory_stats(td_device* device, td_memory_stats* stats, td_error* error) {
  (void)error;
  memset(stats, 0, sizeof *stats);
  stats->used_bytes = device->used;
  return TD_OK;
}

static td_status synchronize(td_device* device, td_error* error) {
  (void)device, (void)error;
  return TD_OK;
}

static int supported(const td_program* program) {
  if (program->n_constants || program->n_outputs != 1 || program->ndim != 1) return 0;
  for (int i = 0; i < program->n_inputs; ++i)
    if (program->input_dtypes[i] != TD_FLOAT32) return 0;
  for (int i = 0; i < program->n_instructions; ++i) {
    const td_instruction* at = &program->instructions[i];
    if (at->kind != TD_MAP || (at->op != TD_OP_add && at->op != TD_OP_positive)) return 0;
  }
  return 1;
}

/* Programs of additions and copies along one axis. */
static td_status run_program(td_device* device, const td_program* program, const td_operand* inputs,
                             const td_operand* outputs, td_error* error) {
  (void)device;
  if (!supported(program)) {
    strcpy(error->message, "tiny adds float32 arrays and does nothing else");
    return TD_NOT_SUPPORTED;
  }
  for (int64_t at = 0; at < program->shape[0]; ++at) {
    float values[TD_MAX_INPUTS + TD_MAX_INSTRUCTIONS];
    float* next = values;
    for (int i = 0; i < program->n_inputs; ++i) *next++ = ((const float*)inputs[i].data)[at * inputs[i].strides[0]];
    for (int i = 0; i < program->n_instructions; ++i) {
      const uint8_t* sources = program->instructions[i].sources;
      const int adds = program->instructions[i].op == TD_OP_add;
      *next++ = adds ? values[sources[0]] + values[sources[1]] : values[sources[0]];
    }
    ((float*)outputs[0].data)[at * outputs[0].strides[0]] = values[program->outputs[0]];
  }
  return TD_OK;
}

static const td_backend table = {
    .abi_version = TD_ABI_VERSION,
    .struct_size = offsetof(td_backend, matmul),
    .name = "tiny",
    .version = "0.1",
    .device_count = device_count,
    .open_device = open_device,
    .device_info = device_info,
    .describe = describe,
    .allocate = allocate,
    .free = release,
    .copy = copy,
    .memory_stats = memory_stats,
    .synchronize = synchronize,
    .run_program = run_program,
};

const td_backend* tandem_backend(const td_host* host) {
  host->log(TD_LOG_INFO, "tiny is here");
  return &table;
}
