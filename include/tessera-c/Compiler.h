// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/*===- tessera-c/Compiler.h - C interface of the compiler ---------------------===
 *
 *   tessera_options *options = tessera_options_create();
 *   tessera_options_set(options, "target", "sm_90a");
 *   tessera_result *result = tessera_compile(text, strlen(text), options);
 *   if (!tessera_result_ok(result))
 *     fputs(tessera_result_diagnostics(result), stderr);
 *   else
 *     fwrite(tessera_result_artifact(result), 1, tessera_result_artifact_size(result), file);
 *   tessera_result_destroy(result);
 *   tessera_options_destroy(options);
 *
 * Compilations in several threads are independent. The library changes no global state. Strings of
 * a result live as long as the result. NULL may stand for options, a result or a text: it means no
 * options, a result that failed without a reason, and an empty text.
 */
#ifndef TESSERA_C_COMPILER_H
#define TESSERA_C_COMPILER_H

#include <stddef.h>

#if defined(__GNUC__)
#define TESSERA_API __attribute__((visibility("default")))
#else
#define TESSERA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tessera_options tessera_options;
typedef struct tessera_result tessera_result;

/* The version of this interface. It is raised by each release that adds to it; functions do not go,
 * or change, without a new SONAME. Structures begin with struct_size and grow at their end. */
#define TESSERA_API_VERSION 1
/* That of the library that is loaded. A function that came with version N is there if this is at
 * least N. */
TESSERA_API int tessera_api_version(void);

/* "tessera 0.1.0 (LLVM 22.1.8)" */
TESSERA_API const char *tessera_version(void);

TESSERA_API tessera_options *tessera_options_create(void);
TESSERA_API void tessera_options_destroy(tessera_options *options);

/* clang-format off */
/* Sets an option; returns 0, or 1 if there is no such option or value. The names are those of tilec:
 *
 *   target        sm_90a (default), cpu
 *   emit          tile raw placed planned scheduled specialized allocated (or cta) nvvm llvm ptx sass cubin
 *                 so json contract members; default cubin, or so for the CPU. contract is what
 *                 tessera_rt_load_on_demand takes: as json, of all members of families
 *   stop-after    tile raw placed planned scheduled specialized allocated nvvm llvm
 *   variants      auto any lines aligned operands cp_async repack tables tables_any
 *   plan          given, auto, or #cta.plan<...> for kernels without a plan
 *   define        NAME=NUMBER, the value of a parameter (tile.param), or KERNEL/NAME=NUMBER; may be repeated
 *   members       how many members of a family are compiled at most; 0: 8 in a cubin (of kernels without
 *                 products 20), otherwise 1. With 2 or more, a kernel without open parameters is a family of
 *                 two where its sums can be cut: as it stands, and with its last wave divided among blocks
 *   member        a member itself, as tile-tune prints it: "gemm_nt: BM=128,BN=256,BK=64"; may be repeated
 *   sizes         for launches of which sizes members are chosen, or the member where one kernel is made:
 *                 "M=64,N=4096,K=4096", a range "M=1..128", "A.0=64" of a dimension without a name,
 *                 "KERNEL/M=64" for one kernel; may be repeated
 *   kernel        the name of a kernel to compile, and no others; may be repeated
 *   fp-contract   on off
 *   require       one demand: tma wgmma pipelined peeled no_spills deterministic; may be repeated
 *   opt-level     0 to 3
 *   threads       for code generation and ptxas, at most 1024; 0 (default): as many as the machine runs
 *                 at once. ptxas notes the number in the cubin; the code does not depend on it
 *   lineinfo      on off
 *   check         on off
 *   dependent-launch   on (default) off: whether a kernel may begin before the one before it has ended
 *   predict            on off (default): every kernel has its predicted time in the launch contract
 *   save-temps    a directory
 *   temp-dir      a directory
 *   ptxas, nvdisasm, linker   programs or their directories
 *   tool-dir      a directory to look for programs in after PATH; may be repeated
 *   mcpu          for target cpu
 *   source-name   what diagnostics call the source
 *   timeout       seconds, e.g. 2.5, after which compilation gives up; 0 (default): never
 *   cache-dir     a directory that keeps results, to find them again; default: none. Not kept are errors,
 *                 emit=sass, and results with save-temps
 *   cache-key     for tessera_compile_module, whose results are kept only with it: a text that changes when
 *                 the dialects of the host do
 *   cache-limit   its size in bytes at most; default 1073741824, 0 for no limit
 *   tile-bytes    the largest tile; default 16777216, 0 for no limit
 *   thread-registers   what one tile may take in each thread of the GPU; default 1024, 0 for no limit
 *
 * A value that an option cannot have is refused here, and not when something is compiled.
 */
/* clang-format on */
TESSERA_API int tessera_options_set(tessera_options *options, const char *name, const char *value);

/* Why the last call of tessera_options_set with these options returned 1; "" if it returned 0. The
 * text is there until the next call or the options' end. */
TESSERA_API const char *tessera_options_error(const tessera_options *options);

/* Where a compilation stands. The strings live as long as the call. */
typedef struct tessera_progress {
  size_t struct_size;  /* sizeof(tessera_progress) in the library */
  const char *phase;   /* "parse", "raw", "optimize", "ptxas", ... */
  const char *kernel;  /* "": all kernels */
  const char *variant; /* "": all variants */
  double seconds;      /* since the compilation began */
} tessera_progress;

/* Called in the thread that compiles, when a phase begins and when it comes to another kernel. If
 * it returns something else than 0 the compilation is cancelled. NULL for none. */
TESSERA_API void tessera_options_set_progress(tessera_options *options,
                                              int (*callback)(void *user,
                                                              const tessera_progress *progress),
                                              void *user);

/* Ends compilations from other threads. It may serve several, and is destroyed after they have
 * ended. It cannot be taken back. A cancelled compilation ends ptxas and removes its files. */
typedef struct tessera_cancellation tessera_cancellation;
TESSERA_API tessera_cancellation *tessera_cancellation_create(void);
TESSERA_API void tessera_cancellation_cancel(tessera_cancellation *cancellation);
TESSERA_API void tessera_cancellation_destroy(tessera_cancellation *cancellation);
TESSERA_API void tessera_options_set_cancellation(tessera_options *options,
                                                  const tessera_cancellation *cancellation);

/* Compiles MLIR text or bytecode. `options` may be NULL. Never returns NULL. */
TESSERA_API tessera_result *tessera_compile(const char *source, size_t size,
                                            const tessera_options *options);
TESSERA_API void tessera_result_destroy(tessera_result *result);

TESSERA_API int tessera_result_ok(const tessera_result *result);

typedef enum tessera_status {
  TESSERA_OK = 0,
  TESSERA_ERROR = 1,     /* the program or the options have errors */
  TESSERA_CANCELLED = 2, /* by the host */
  TESSERA_TIMED_OUT = 3
} tessera_status;
TESSERA_API tessera_status tessera_result_status(const tessera_result *result);
/* Bytes, or text followed by NUL. */
TESSERA_API const void *tessera_result_artifact(const tessera_result *result);
TESSERA_API size_t tessera_result_artifact_size(const tessera_result *result);
/* Errors, warnings and notes as clang prints them; "" if there are none. */
TESSERA_API const char *tessera_result_diagnostics(const tessera_result *result);
/* The number of errors, and the message and place of each. Line and column are 0 if there is no
 * place. */
TESSERA_API size_t tessera_result_error_count(const tessera_result *result);
TESSERA_API const char *tessera_result_error(const tessera_result *result, size_t index,
                                             unsigned *line, unsigned *column);
/* 1 if the result was found in the cache (option cache-dir). */
TESSERA_API int tessera_result_cached(const tessera_result *result);

/* Everything that was said, errors included, in order. The host sets struct_size to
 * sizeof(tessera_diagnostic); fields beyond it are not written. */
typedef enum tessera_severity {
  TESSERA_SEVERITY_ERROR = 0,
  TESSERA_SEVERITY_WARNING = 1,
  TESSERA_SEVERITY_REMARK = 2,
  TESSERA_SEVERITY_NOTE = 3
} tessera_severity;
typedef struct tessera_diagnostic {
  size_t struct_size;
  tessera_severity severity;
  const char *file; /* "": no place */
  unsigned line, column;
  const char *message;
  size_t note_count;
} tessera_diagnostic;
TESSERA_API size_t tessera_result_diagnostic_count(const tessera_result *result);
/* Return 0, or 1 if there is no such diagnostic or struct_size is too small for anything. */
TESSERA_API int tessera_result_diagnostic(const tessera_result *result, size_t index,
                                          tessera_diagnostic *diagnostic);
TESSERA_API int tessera_result_note(const tessera_result *result, size_t index, size_t note,
                                    tessera_diagnostic *diagnostic);

/* The phases and tools that ran, in order: name and wall-clock seconds. A name may come twice. */
TESSERA_API size_t tessera_result_timing_count(const tessera_result *result);
TESSERA_API const char *tessera_result_timing(const tessera_result *result, size_t index,
                                              double *seconds);

/* What was done with each load, store and product, as text and as JSON. */
TESSERA_API const char *tessera_result_report(const tessera_result *result);
TESSERA_API const char *tessera_result_report_json(const tessera_result *result);
/* The module on which a pass failed, for `tile-opt --run-reproducer`; "" if none did. */
TESSERA_API const char *tessera_result_reproducer(const tessera_result *result);

#ifdef __cplusplus
}
#endif

#endif
