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

/* "tessera 0.1.0 (LLVM 22.1.8)" */
TESSERA_API const char *tessera_version(void);

TESSERA_API tessera_options *tessera_options_create(void);
TESSERA_API void tessera_options_destroy(tessera_options *options);

/* clang-format off */
/* Sets an option; returns 0, or 1 if there is no such option or value. The names are those of tilec:
 *
 *   target        sm_90a (default), cpu
 *   emit          tile raw placed planned scheduled specialized allocated (or cta) nvvm llvm ptx sass cubin
 *                 so json; default cubin, or so for the CPU
 *   stop-after    tile raw placed planned scheduled specialized allocated nvvm llvm
 *   variants      auto any lines aligned cp_async repack
 *   plan          given, auto, or #cta.plan<...> for kernels without a plan
 *   fp-contract   on off
 *   require       one demand: tma wgmma pipelined peeled no_spills deterministic; may be repeated
 *   opt-level     0 to 3
 *   threads       for code generation and ptxas, at most 1024; 0 (default): as many as the machine runs
 *                 at once. ptxas notes the number in the cubin; the code does not depend on it
 *   lineinfo      on off
 *   check         on off
 *   dependent-launch   on (default) off: whether a kernel may begin before the one before it has ended
 *   save-temps    a directory
 *   temp-dir      a directory
 *   ptxas, nvdisasm, linker   programs or their directories
 *   tool-dir      a directory to look for programs in after PATH; may be repeated
 *   mcpu          for target cpu
 *   source-name   what diagnostics call the source
 */
/* clang-format on */
TESSERA_API int tessera_options_set(tessera_options *options, const char *name, const char *value);

/* Compiles MLIR text or bytecode. `options` may be NULL. Never returns NULL. */
TESSERA_API tessera_result *tessera_compile(const char *source, size_t size,
                                            const tessera_options *options);
TESSERA_API void tessera_result_destroy(tessera_result *result);

TESSERA_API int tessera_result_ok(const tessera_result *result);
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
/* What was done with each load, store and product, as text and as JSON. */
TESSERA_API const char *tessera_result_report(const tessera_result *result);
TESSERA_API const char *tessera_result_report_json(const tessera_result *result);
/* The module on which a pass failed, for `tile-opt --run-reproducer`; "" if none did. */
TESSERA_API const char *tessera_result_reproducer(const tessera_result *result);

#ifdef __cplusplus
}
#endif

#endif
