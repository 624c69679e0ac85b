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
 * context of device 0 (of tessera_rt_set_device) is retained and made current for the call. A
 * launch of DLPack tensors runs on the device of the tensors: if the current context is one of
 * another device, the primary context of that device is made current for the call. So a module may
 * be used on several devices.
 *
 * Structs: those that the host allocates and the library fills, or the other way round, begin with
 * `struct_size`. The host sets it to sizeof before each call. A library that is newer than the host
 * writes what fits, and one that is older sets the rest to 0. A size below that of version 1 is
 * TESSERA_RT_INVALID. Structs without `struct_size` are elements of arrays, and stay as they are.
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

/* The version of this interface, as a number: it is raised when functions or fields are added to
 * what a release has. */
#define TESSERA_RT_API_VERSION 1

typedef struct tessera_rt_module tessera_rt_module;
typedef struct tessera_rt_kernel tessera_rt_kernel;
typedef struct tessera_rt_ranking tessera_rt_ranking;

typedef enum tessera_rt_status {
  TESSERA_RT_OK = 0,
  TESSERA_RT_INVALID = 1,  /* the arguments violate the contract */
  TESSERA_RT_ARTIFACT = 2, /* the artifact is unusable */
  TESSERA_RT_DRIVER = 3,   /* no driver, no device, or the driver refused */
  TESSERA_RT_MEMORY = 4    /* out of memory */
} tessera_rt_status;

/* One argument of a launch. All fields that do not apply are ignored. The struct is frozen. */
typedef struct tessera_rt_arg {
  void *pointer;          /* array: address of the first element, offset applied */
  const int64_t *sizes;   /* array: in elements, one for each dimension */
  const int64_t *strides; /* array: in elements; NULL means row-major and contiguous */
  uint64_t bits;          /* scalar: its bits in the low bytes; i1: 0 or 1 */
} tessera_rt_arg;

/* One value of a launch of DLPack tensors. The struct is frozen.
 * `tensor` of an array is a DLTensor of DLPack (any version: its layout has never changed), which
 * the library reads during the call and does not own. `tensor` of a scalar is NULL. */
typedef struct tessera_rt_value {
  const void *tensor; /* array: const DLTensor * */
  uint64_t bits;      /* scalar: as in tessera_rt_arg */
} tessera_rt_value;

typedef struct tessera_rt_arg_info {
  size_t struct_size;
  const char *name;
  int is_array;
  const char *element; /* "bf16", "f32", ...; of a scalar its type */
  size_t element_size; /* bytes */
  size_t rank;         /* array */
  int reads, writes;   /* array */
  int strided;         /* array: strides may be given */
  int is_output;       /* array: it is written and never read */
  const char *access;  /* "read", "write", "readwrite", "none"; "none" of a scalar */
  int64_t align;       /* array: bytes that its address must be a multiple of */
} tessera_rt_arg_info;

/* What must hold for one dimension of an array. */
typedef struct tessera_rt_dim_info {
  size_t struct_size;
  int64_t size;             /* elements; -1: not fixed */
  const char *symbol;       /* equal symbols are equal sizes in all arguments; NULL: none */
  int64_t size_divisible;   /* the size is a multiple of it; 1: any */
  int64_t stride_divisible; /* the stride is a multiple of it; 1: any */
  int64_t stride;           /* elements; -1: not fixed */
} tessera_rt_dim_info;

/* What the driver knows of one launch of a variant; all -1 on the CPU. */
typedef struct tessera_rt_launch_info {
  size_t struct_size;
  const char *symbol;
  int registers;      /* per thread */
  int local_bytes;    /* per thread: spills and stack */
  int static_shared;  /* bytes */
  int dynamic_shared; /* bytes, as the contract says */
  int threads;        /* per block */
} tessera_rt_launch_info;

/* A member of a kernel, and what a launch of it would be. The texts live as long as the ranking. */
typedef struct tessera_rt_ranked {
  size_t struct_size;
  const char *member;       /* "BM=128,BN=256"; "" of a kernel that is no family */
  const char *variant_name; /* that the member would use; NULL: it cannot take the arguments */
  const char *reason;       /* why it cannot; NULL: it can */
  size_t variant;           /* the number of the variant; 0 without one */
  int64_t nanoseconds;      /* the predicted time; -1: there is no prediction */
  int is_chosen;            /* a launch takes this variant */
} tessera_rt_ranked;

/* Version of this library, e.g. "0.1.0". */
TESSERA_RT_API const char *tessera_rt_version(void);
/* TESSERA_RT_API_VERSION of this library. A host needs at least that of its header. */
TESSERA_RT_API int tessera_rt_api_version(void);
TESSERA_RT_API void tessera_rt_free_error(char *error);

/* Reads artifact and contract; needs no driver. The bytes are copied. */
TESSERA_RT_API tessera_rt_module *tessera_rt_load_file(const char *path, char **error);
TESSERA_RT_API tessera_rt_module *tessera_rt_load_bytes(const void *bytes, size_t size,
                                                        char **error);
/* Frees everything of the module; no kernel of it may be running. NULL is fine. */
TESSERA_RT_API void tessera_rt_unload(tessera_rt_module *module);

/* The code of a variant that a launch is about to take. The texts live as long as the call. */
typedef struct tessera_rt_wanted {
  size_t struct_size;
  const char *kernel;
  const char *member;  /* "BM=128,BN=256"; NULL of a kernel that is no family */
  const char *variant; /* "lines", "aligned", ... */
} tessera_rt_wanted;
typedef enum tessera_rt_code_status {
  TESSERA_RT_CODE_READY = 0, /* the artifact was given */
  TESSERA_RT_CODE_NONE = 1,  /* the variant does not compile: launches take the next best one */
  TESSERA_RT_CODE_STOPPED =
      2 /* nothing is known of it: the launch fails, the next one asks again */
} tessera_rt_code_status;
typedef struct tessera_rt_code tessera_rt_code;
/* Where the code of a module on demand comes from. `compile` gives what tilec makes with --kernel,
 * with --members of that one member, and --variants. It is called by any thread that launches, and
 * by several at the same time for different variants; for each of them until it has answered ready
 * or none. Other threads that launch the same variant wait, so no host lock that `compile` takes
 * may be held during a launch (Python's, say). An artifact that cannot be used, an empty one for
 * example, counts as none. `release` may be NULL; it is called when the module is unloaded. */
typedef struct tessera_rt_code_source {
  size_t struct_size;
  void *user; /* handed to the functions */
  tessera_rt_code_status (*compile)(void *user, const tessera_rt_wanted *wanted,
                                    tessera_rt_code *code);
  void (*release)(void *user);
} tessera_rt_code_source;
/* What `compile` calls: with the artifact, which is copied, or with one line that says why there is
 * none. */
TESSERA_RT_API void tessera_rt_code_set(tessera_rt_code *code, const void *artifact, size_t size);
TESSERA_RT_API void tessera_rt_code_explain(tessera_rt_code *code, const char *reason);
/* A module without code, made of the contract that the compiler gives for emit=contract. Launches
 * choose by it among all members of families, and get the code of the variant that they
 * take from `source`, whose struct is copied. NULL with an error; then `release` is not called. */
TESSERA_RT_API tessera_rt_module *tessera_rt_load_on_demand(const char *contract, size_t size,
                                                            const tessera_rt_code_source *source,
                                                            char **error);

TESSERA_RT_API const char *tessera_rt_target(const tessera_rt_module *module); /* "cpu", "sm_90a" */
TESSERA_RT_API const char *tessera_rt_compiler(const tessera_rt_module *module);
/* The launch contract, a JSON text (docs/Contract.md). It lives as long as the module. */
TESSERA_RT_API const char *tessera_rt_contract(const tessera_rt_module *module);
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
/* Functions that workspaces come from, instead of the driver's (on the CPU malloc). Both get the
 * number of the device (0 on the CPU) and the stream on which the launch is ordered, so that memory
 * that one launch has released may serve the next one of that stream. The memory is aligned to 256
 * bytes; `allocate` answers NULL if there is none. A workspace is released when its launch has been
 * queued. What a launch has got whose stream is captured is released when the module is unloaded,
 * because the graph goes on using it, unless `is_of_graph` says that the host has seen to that.
 * What the kernel restores (docs/Contract.md: counters, flags) does not come from these functions:
 * it stays until the module is unloaded, and pools of graphs may hold no such memory. The functions
 * are called
 * while the kernel is locked: they must not use that kernel, and no host lock may be held during a
 * launch that they take (Python's, say). */
typedef struct tessera_rt_allocator {
  size_t struct_size;
  void *user; /* handed to the functions */
  void *(*allocate)(void *user, size_t bytes, int device, void *stream);
  void (*release)(void *user, void *pointer, size_t bytes, int device, void *stream);
  /* May be NULL. Asked of memory that `allocate` has given while the stream is captured: not 0 if
   * it is the graph's, which keeps it beyond its release. */
  int (*is_of_graph)(void *user, void *pointer, int device, void *stream);
} tessera_rt_allocator;
/* The struct is copied. Before the first launch of the module only. */
TESSERA_RT_API tessera_rt_status tessera_rt_set_allocator(tessera_rt_module *module,
                                                          const tessera_rt_allocator *allocator,
                                                          char **error);
/* Loads the code onto the device (or into the process) now instead of at the first launch. A module
 * on demand has none yet: tessera_rt_prepare_tensors compiles and loads what a launch needs. */
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
TESSERA_RT_API tessera_rt_status tessera_rt_arg_dim(const tessera_rt_kernel *kernel, size_t arg,
                                                    size_t dim, tessera_rt_dim_info *info);
TESSERA_RT_API size_t tessera_rt_num_variants(const tessera_rt_kernel *kernel);
TESSERA_RT_API const char *tessera_rt_variant_name(const tessera_rt_kernel *kernel, size_t variant);
TESSERA_RT_API size_t tessera_rt_num_launches(const tessera_rt_kernel *kernel, size_t variant);
TESSERA_RT_API tessera_rt_status tessera_rt_launch_at(tessera_rt_kernel *kernel, size_t variant,
                                                      size_t launch, tessera_rt_launch_info *info,
                                                      char **error);

/* A kernel may be a family: variants in several members, of which a launch takes the one with the
 * least predicted time (docs/Contract.md). A kernel that is no family has 0 members. */
TESSERA_RT_API size_t tessera_rt_num_members(const tessera_rt_kernel *kernel);
/* NULL if there is no such member. */
TESSERA_RT_API const char *tessera_rt_member_name(const tessera_rt_kernel *kernel, size_t member);
/* The member's name of a variant, "" if the kernel is no family, NULL if there is no such variant.
 */
TESSERA_RT_API const char *tessera_rt_variant_member(const tessera_rt_kernel *kernel,
                                                     size_t variant);

/* Restricts launches to one variant, by its whole name ("BM=128,BN=256/aligned" in a family). It
 * must exist; a launch whose guards do not hold is then an error. NULL lifts every restriction. */
TESSERA_RT_API tessera_rt_status tessera_rt_force_variant(tessera_rt_kernel *kernel,
                                                          const char *name, char **error);
/* Restricts launches to the variants of one member, which must exist. A launch that none of them
 * can take is then an error. NULL lifts every restriction: a member that is forced replaces a
 * variant that was, and the other way round. */
TESSERA_RT_API tessera_rt_status tessera_rt_force_member(tessera_rt_kernel *kernel,
                                                         const char *name, char **error);
/* Checks the arguments as a launch would and says which variant it would take. */
TESSERA_RT_API tessera_rt_status tessera_rt_check(tessera_rt_kernel *kernel,
                                                  const tessera_rt_arg *args, size_t num_args,
                                                  size_t *variant, char **error);

/* What a launch of these arguments chooses from: all members, by predicted time, then those without
 * a prediction, then those that cannot take the arguments. (A kernel that is no family counts as
 * one member.) A variant that is forced stands for its member. Arguments that violate a fact are an
 * error. The ranking is freed with tessera_rt_free_ranking, before the module is unloaded. */
TESSERA_RT_API tessera_rt_status tessera_rt_rank(tessera_rt_kernel *kernel,
                                                 const tessera_rt_arg *args, size_t num_args,
                                                 tessera_rt_ranking **ranking, char **error);
TESSERA_RT_API size_t tessera_rt_ranking_size(const tessera_rt_ranking *ranking);
TESSERA_RT_API tessera_rt_status tessera_rt_ranking_at(const tessera_rt_ranking *ranking,
                                                       size_t index, tessera_rt_ranked *ranked);
TESSERA_RT_API void tessera_rt_free_ranking(tessera_rt_ranking *ranking);

/* Launches the kernel. GPU: asynchronous on `stream` (a CUstream; NULL is the default stream). CPU:
 * returns when done. What a launch costs the host beside the driver's call is a
 * table look-up, if one like it came before: with the same sizes, strides, alignments, and scalars
 * on which guards or sizes depend. The arrays may be others. */
TESSERA_RT_API tessera_rt_status tessera_rt_launch(tessera_rt_kernel *kernel,
                                                   const tessera_rt_arg *args, size_t num_args,
                                                   void *stream, char **error);

/* The same for DLPack tensors. Their types, ranks and devices are checked, too. All are in the
 * memory of one device: kDLCUDA or kDLCUDAManaged for a cubin, kDLCPU, kDLCUDAHost or
 * kDLCUDAManaged for a CPU artifact. The launch runs on that device, and `stream` is one of it.
 * Integer arguments take signed and unsigned tensors, f8 arguments also tensors of 8-bit unsigned
 * integers. The host orders the stream after whatever still writes the tensors. */
TESSERA_RT_API tessera_rt_status tessera_rt_launch_tensors(tessera_rt_kernel *kernel,
                                                           const tessera_rt_value *values,
                                                           size_t count, void *stream,
                                                           char **error);
/* Does what a capture of such launches on `stream` into a CUDA graph needs done before: loads the
 * code, and allocates and fills the workspaces that are kept. Launches nothing; waits for the
 * stream if it has filled something. A workspace that the kernel restores must be prepared so, or
 * by an earlier launch on the stream: the capture of a launch without it is an error. Other
 * launches may be captured without preparation. A graph uses the workspaces of the stream on which
 * it was captured, so it must not run at the same time as launches on that stream, or as other
 * graphs that were captured on it. Workspaces that come from an allocator are exempt from that,
 * except those that the kernel restores. */
TESSERA_RT_API tessera_rt_status tessera_rt_prepare_tensors(tessera_rt_kernel *kernel,
                                                            const tessera_rt_value *values,
                                                            size_t count, void *stream,
                                                            char **error);
TESSERA_RT_API tessera_rt_status tessera_rt_check_tensors(tessera_rt_kernel *kernel,
                                                          const tessera_rt_value *values,
                                                          size_t count, size_t *variant,
                                                          char **error);

TESSERA_RT_API tessera_rt_status tessera_rt_rank_tensors(tessera_rt_kernel *kernel,
                                                         const tessera_rt_value *values,
                                                         size_t count, tessera_rt_ranking **ranking,
                                                         char **error);

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
/* The same for a stream of that device. A stream that is captured is not waited for. */
TESSERA_RT_API tessera_rt_status tessera_rt_synchronize_on(tessera_rt_module *module, int device,
                                                           void *stream, char **error);
/* What is queued on `later` from now on begins after all that is queued on `earlier` now. Both are
 * streams of that device. Nothing is done if only one of them is captured: work of a graph has no
 * order with other work. */
TESSERA_RT_API tessera_rt_status tessera_rt_order(tessera_rt_module *module, int device,
                                                  void *earlier, void *later, char **error);

#ifdef __cplusplus
}
#endif

#endif /* TESSERA_RUNTIME_H */
