// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/* Compiles a module that is in memory, for hosts of MLIR's C interface.
 *
 * Link Tessera::CAPIModule (component Cpp) and the same libMLIR.so as Tessera. It has all functions
 * of tessera-c/Compiler.h, too, so link libtessera.so not beside it. */
#ifndef TESSERA_C_MODULE_H
#define TESSERA_C_MODULE_H

#include "mlir-c/IR.h"
#include "tessera-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Compiles a copy of the module; the module is not touched. The dialects that its context's
 * registry has are known to the compilation; the option cache-dir has an effect only with
 * cache-key, since the library does not know which dialects these are. `options` may be NULL. Never
 * returns NULL: a null module is an error of the result. */
TESSERA_API tessera_result *tessera_compile_module(MlirModule module,
                                                   const tessera_options *options);

#ifdef __cplusplus
}
#endif

#endif
