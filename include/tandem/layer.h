/* The interface of layers, in plain C: what stands between a program and a device's verbs, for any program, without a
 * change to it. docs/layers.md tells of those that come with Tandem and shows how one is written.
 *
 * A layer is a shared library `libtandem_layer_<name>.so` that exports one function, tandem_layer(). If TANDEM_LAYERS
 * names it, the core finds it where backends are found, and for each device that is opened calls `wrap` with a table
 * whose verbs pass every call on to what lies below: the backend, or another layer. The layer puts functions of its own
 * into the places that it cares for. The rules of backend.h hold for them: they may be called from several threads at
 * once, return a td_status with a message, and throw nothing.
 */
#ifndef TANDEM_LAYER_H
#define TANDEM_LAYER_H

#include <tandem/backend.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One layer in front of one device; lives as long as the process. The layer's verbs get it as their td_device. */
typedef struct td_layer {
  const td_backend* inner; /* what lies below, and its device: layer->inner->matmul(layer->device, ...) */
  td_device* device;
  const char* device_name; /* "cpu", "cuda:0" */
  void* state;             /* the layer's own */
} td_layer;

static inline td_layer* td_layer_of(td_device* device) { return (td_layer*)(void*)device; }

typedef struct td_layer_plugin {
  uint32_t abi_version; /* TD_ABI_VERSION it was built with */
  uint32_t struct_size; /* sizeof(td_backend) it was built with */
  const char* name;
  /* Called once for each device, before its first use. `options` is what TANDEM_LAYERS has behind the name and a colon,
   * or an empty string. Verbs of the table that are not about one device (device_count, open_device, describe) are not
   * called through it. Anything but TD_OK makes opening the device fail with the message. */
  td_status (*wrap)(td_layer* layer, const char* options, td_backend* table, td_error* error);
} td_layer_plugin;

/* The one exported symbol. Must not fail, start threads or initialize anything. */
typedef const td_layer_plugin* (*td_layer_entry)(const td_host* host);
#define TD_LAYER_ENTRY_NAME "tandem_layer"
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const td_layer_plugin* tandem_layer(const td_host* host);

#ifdef __cplusplus
}
#endif
#endif
