// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/*===- tessera_runtime.h - C interface of the launcher -----------------------===
 *
 * Loads an artifact of the Tessera compiler (a cubin or a CPU shared object), reads the contract it
 * carries (docs/Contract.md), checks arguments against it and launches its kernels. No LLVM is
 * linked; libcuda is opened when a cubin is first used.
 *
 *   char *error = NULL;
 *   tessera_rt_module *module = tessera_rt_load_file("gemm.cubin", &error);
 *   tessera_rt_kernel *gemm = tessera_rt_find_kernel(module, "gemm", &error);
 *   int64_t sizes[] = {4096, 4096};
 *   tessera_rt_arg args[3] = {{.pointer = a, .sizes = sizes}, {.pointer = b, .sizes = sizes},
 *                             {.pointer = c, .sizes = sizes}};
 *   if (tessera_rt_launch(gemm, args, 3, stream, &error)) { fprintf(stderr, "%s\n", error); ... }
 *
 * Errors: a function that can fail takes `char **error` (may be NULL). On failure it stores one
 * line that the caller frees with tessera_rt_free_error; on success it leaves *error alone. A
 * module or kernel that is NULL is such an error; what cannot fail answers 0, "" or NULL then.
 *
 * Threads: different modules are independent. Functions on one module may be called from any
 * thread; launches of one kernel are ordered among themselves.
 *
 * CUDA contexts: the calling thread's current context is used; if there is none, the primary
 * context of device 0 (of tessera_rt_set_device) is retained and made current for the call.
 */
#ifndef TESSERA_RUNTIME_H
#define TESSERA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TESSERA_RT_API __attribute__((visibility("default")))
#else
#define TESSERA_RT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tessera_rt_module tessera_rt_module;
typedef struct tessera_rt_kernel tessera_rt_kernel;

typedef enum tessera_rt_status {
  TESSERA_RT_OK = 0,
  TESSERA_RT_INVALID = 1,  /* the arguments violate the contract */
  TESSERA_RT_ARTIFACT = 2, /* the artifact is unusable */
  TESSERA_RT_DRIVER = 3,   /* no driver, no device, or the driver refused */
  TESSERA_RT_MEMORY = 4    /* out of memory */
} tessera_rt_status;

/* One argument of a launch. All fields that do not apply are ignored. */
typedef struct tessera_rt_arg {
  void *pointer;          /* array: address of the first element, offset applied */
  const int64_t *sizes;   /* array: in elements, one for each dimension */
  const int64_t *strides; /* array: in elements; NULL means row-major and contiguous */
  uint64_t bits;          /* scalar: its bits in the low bytes; i1: 0 or 1 */
} tessera_rt_arg;

typedef struct tessera_rt_arg_info {
  const char *name;
  int is_array;
  const char *element; /* "bf16", "f32", ...; of a scalar its type */
  size_t element_size; /* bytes */
  size_t rank;         /* array */
  int reads, writes;   /* array */
  int strided;         /* array: strides may be given */
} tessera_rt_arg_info;

/* What the driver knows of one launch of a variant; all -1 on the CPU. */
typedef struct tessera_rt_launch_info {
  const char *symbol;
  int registers;      /* per thread */
  int local_bytes;    /* per thread: spills and stack */
  int static_shared;  /* bytes */
  int dynamic_shared; /* bytes, as the contract says */
  int threads;        /* per block */
} tessera_rt_launch_info;

/* Version of this library, e.g. "0.1.0". */
TESSERA_RT_API const char *tessera_rt_version(void);
TESSERA_RT_API void tessera_rt_free_error(char *error);

/* Reads artifact and contract; needs no driver. The bytes are copied. */
TESSERA_RT_API tessera_rt_module *tessera_rt_load_file(const char *path, char **error);
TESSERA_RT_API tessera_rt_module *tessera_rt_load_bytes(const void *bytes, size_t size,
                                                        char **error);
/* Frees everything of the module; no kernel of it may be running. NULL is fine. */
TESSERA_RT_API void tessera_rt_unload(tessera_rt_module *module);

TESSERA_RT_API const char *tessera_rt_target(const tessera_rt_module *module); /* "cpu", "sm_90a" */
TESSERA_RT_API const char *tessera_rt_compiler(const tessera_rt_module *module);
/* CPU: threads that run blocks (0: all cores). GPU: the device used if no context is current. */
TESSERA_RT_API void tessera_rt_set_threads(tessera_rt_module *module, unsigned threads);
TESSERA_RT_API void tessera_rt_set_device(tessera_rt_module *module, int device);
/* GPU: whether dependent launches may begin before the launch before them in the stream has ended;
 * their code then waits for it (docs/Contract.md). On unless switched off; no result depends on it.
 */
TESSERA_RT_API void tessera_rt_set_dependent_launch(tessera_rt_module *module, int allowed);
/* GPU: whether large launches may have GPC-aware cluster numbering (docs/Contract.md). The first
 * such launch finds out the GPCs of the device, which takes some milliseconds. It is on unless it
 * is switched off before a launch with the same arguments. In a context where it is off when the
 * module is first used there, it stays off. No result depends on it. */
TESSERA_RT_API void tessera_rt_set_places(tessera_rt_module *module, int allowed);
/* Loads the code onto the device (or into the process) now instead of at the first launch. */
TESSERA_RT_API tessera_rt_status tessera_rt_prepare(tessera_rt_module *module, char **error);

TESSERA_RT_API size_t tessera_rt_num_kernels(const tessera_rt_module *module);
TESSERA_RT_API tessera_rt_kernel *tessera_rt_kernel_at(tessera_rt_module *module, size_t index);
/* The kernel of that name; with name NULL the only kernel. */
TESSERA_RT_API tessera_rt_kernel *tessera_rt_find_kernel(tessera_rt_module *module,
                                                         const char *name, char **error);
TESSERA_RT_API const char *tessera_rt_kernel_name(const tessera_rt_kernel *kernel);
TESSERA_RT_API size_t tessera_rt_num_args(const tessera_rt_kernel *kernel);
TESSERA_RT_API tessera_rt_status tessera_rt_arg_at(const tessera_rt_kernel *kernel, size_t index,
                                                   tessera_rt_arg_info *info);
TESSERA_RT_API size_t tessera_rt_num_variants(const tessera_rt_kernel *kernel);
TESSERA_RT_API const char *tessera_rt_variant_name(const tessera_rt_kernel *kernel, size_t variant);
TESSERA_RT_API size_t tessera_rt_num_launches(const tessera_rt_kernel *kernel, size_t variant);
TESSERA_RT_API tessera_rt_status tessera_rt_launch_at(tessera_rt_kernel *kernel, size_t variant,
                                                      size_t launch, tessera_rt_launch_info *info,
                                                      char **error);

/* Restricts launches to one variant (NULL: the first whose guards hold). It must exist; a launch
 * whose guards do not hold is then an error. */
TESSERA_RT_API tessera_rt_status tessera_rt_force_variant(tessera_rt_kernel *kernel,
                                                          const char *name, char **error);
/* Checks the arguments as a launch would and says which variant it would take. */
TESSERA_RT_API tessera_rt_status tessera_rt_check(tessera_rt_kernel *kernel,
                                                  const tessera_rt_arg *args, size_t num_args,
                                                  size_t *variant, char **error);

/* Launches the kernel. GPU: asynchronous on `stream` (a CUstream; NULL is the default stream). CPU:
 * returns when done. Repeating a launch with the same values costs a table look-up. */
TESSERA_RT_API tessera_rt_status tessera_rt_launch(tessera_rt_kernel *kernel,
                                                   const tessera_rt_arg *args, size_t num_args,
                                                   void *stream, char **error);

/* Memory where the module's kernels run, for hosts without an allocator of their own: device memory
 * for a cubin (256-byte aligned at least), host memory for a CPU artifact. Copies are synchronous.
 */
TESSERA_RT_API void *tessera_rt_alloc(tessera_rt_module *module, size_t bytes, char **error);
TESSERA_RT_API void tessera_rt_free(tessera_rt_module *module, void *pointer);
TESSERA_RT_API tessera_rt_status tessera_rt_copy_in(tessera_rt_module *module, void *to,
                                                    const void *host, size_t bytes, char **error);
TESSERA_RT_API tessera_rt_status tessera_rt_copy_out(tessera_rt_module *module, void *host,
                                                     const void *from, size_t bytes, char **error);
TESSERA_RT_API tessera_rt_status tessera_rt_synchronize(tessera_rt_module *module, void *stream,
                                                        char **error);

#ifdef __cplusplus
}
#endif

#endif /* TESSERA_RUNTIME_H */
