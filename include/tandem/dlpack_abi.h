/* The structures of DLPack 1.x, for programs that have no dlpack.h of their own. Include one of the two, not both.
 *
 * These are facts of a binary interface that libraries share: https://dmlc.github.io/dlpack/latest/c_api.html. Names,
 * order and values are those of the header `dlpack/dlpack.h` of version 1.1; comments and choice are ours. */
#ifndef TANDEM_DLPACK_ABI_H
#define TANDEM_DLPACK_ABI_H
#ifdef DLPACK_DLPACK_H_
#error "dlpack/dlpack.h has been included, which declares the same"
#endif
#define DLPACK_DLPACK_H_

#include <stdint.h>

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 1
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL) /* the consumer must not write */
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL) /* the producer made a copy for the consumer */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint32_t major; /* another one: only version, manager_ctx, deleter and flags may be read */
  uint32_t minor;
} DLPackVersion;

#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3,    /* host memory that is pinned */
  kDLCUDAManaged = 13 /* memory that the CUDA driver moves between the two */
} DLDeviceType;

typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef enum {
  kDLInt = 0U,
  kDLUInt = 1U,
  kDLFloat = 2U,
  kDLOpaqueHandle = 3U,
  kDLBfloat = 4U,
  kDLComplex = 5U, /* bits: of both parts together */
  kDLBool = 6U     /* a byte each */
} DLDataTypeCode;

typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes; /* 1 unless elements are short vectors */
} DLDataType;

typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides; /* in elements; null: row-major without gaps */
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self); /* null: nothing to do */
} DLManagedTensor;

typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#ifdef __cplusplus
}
#endif
#endif
