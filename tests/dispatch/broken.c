/* Backends with one thing wrong each, chosen by definitions. */
#include <stdio.h>
#include <string.h>
#include <tandem/backend.h>

#ifndef ABI
#define ABI TD_ABI_VERSION
#endif
#ifndef SIZE
#define SIZE sizeof(td_backend)
#endif
#ifndef NAME
#define NAME "broken"
#endif
#ifndef COUNT
#define COUNT no_device
#endif
#ifndef OPEN
#define OPEN 0
#endif
#ifndef TABLE
#define TABLE &table
#endif

static inline td_status no_device(int32_t* count, td_error* error) {
  *count = 0;
  strcpy(error->message, "the driver is too old: version 1, 2 is needed");
  return TD_UNAVAILABLE;
}

static inline td_status one_device(int32_t* count, td_error* error) {
  (void)error;
  *count = 1;
  return TD_OK;
}

static inline td_status cannot_open(int32_t index, td_device** device, td_error* error) {
  (void)device;
  snprintf(error->message, sizeof error->message, "device %d is in use by another process", (int)index);
  return TD_UNAVAILABLE;
}

static const td_backend table = {
    .abi_version = ABI, .struct_size = SIZE, .name = NAME, .version = "1", .device_count = COUNT, .open_device = OPEN};

const td_backend* tandem_backend(const td_host* host) {
  (void)host, (void)table;
  return TABLE;
}
