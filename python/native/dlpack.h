// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The binary interface of DLPack 1.x as far as this extension uses it: tensors, the two kinds of
// capsules, and the table of functions that a type offers as `__dlpack_c_exchange_api__`. Fields
// are those of the standard (https://dmlc.github.io/dlpack); what has no use here has no name here.
#ifndef TESSERA_PYTHON_DLPACK_H
#define TESSERA_PYTHON_DLPACK_H

#include <stdint.h>

enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLCUDAManaged = 13 };
enum {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLBool = 6,
  kDLFloat8_e4m3fn = 10,
  kDLFloat8_e5m2 = 12
};

typedef struct DLVersion {
  uint32_t major, minor;
} DLVersion;

typedef struct DLTensor {
  void *data;
  struct {
    int32_t type, id;
  } device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t *shape;
  int64_t *strides; // in elements; NULL: row-major
  uint64_t byte_offset;
} DLTensor;

// Of a capsule named "dltensor".
typedef struct DLManaged {
  DLTensor tensor;
  void *context;
  void (*deleter)(struct DLManaged *);
} DLManaged;

// Of a capsule named "dltensor_versioned".
typedef struct DLManagedVersioned {
  DLVersion version;
  void *context;
  void (*deleter)(struct DLManagedVersioned *);
  uint64_t flags;
  DLTensor tensor;
} DLManagedVersioned;
#define DLPACK_READ_ONLY 1u

// What a capsule named "dlpack_exchange_api" points at. Functions of Python objects return 0, or -1
// with an exception.
typedef struct DLExchange {
  DLVersion version;
  const struct DLExchange *older; // NULL: none
  int (*allocate)(DLTensor *prototype, DLManagedVersioned **made, void *context,
                  void (*fail)(void *context, const char *kind, const char *message));
  int (*to_managed)(void *object, DLManagedVersioned **made);
  int (*to_object)(DLManagedVersioned *stolen, void **made);
  int (*view)(void *object, DLTensor *to); // valid while the object is
  int (*current_stream)(int32_t device_type, int32_t device_id, void **stream);
} DLExchange;

#endif
