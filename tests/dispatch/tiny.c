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

/* Programs of one instruction, an addition of two float32 inputs along one axis. */
static td_status run_program(td_device* device, const td_program* program, const td_operand* inputs,
                             const td_operand* outputs, td_error* error) {
  (void)device;
  const td_instruction* add = program->instructions;
  if (program->n_instructions != 1 || add->kind != TD_MAP || add->op != TD_OP_add || add->dtype != TD_FLOAT32 ||
      program->n_inputs != 2 || program->ndim != 1) {
    strcpy(error->message, "tiny adds two float32 arrays and does nothing else");
    return TD_NOT_SUPPORTED;
  }
  const float *a = inputs[add->sources[0]].data, *b = inputs[add->sources[1]].data;
  for (int64_t i = 0; i < program->shape[0]; ++i)
    ((float*)outputs[0].data)[i * outputs[0].strides[0]] =
        a[i * inputs[add->sources[0]].strides[0]] + b[i * inputs[add->sources[1]].strides[0]];
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
