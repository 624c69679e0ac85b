// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/* The dialects of Tessera for hosts of MLIR's C interface:
 *
 *   mlirDialectHandleInsertDialect(mlirGetDialectHandle__tile__(), registry);
 *
 * Link Tessera::CAPIDialects (component Cpp) and the same libMLIR.so as Tessera. libtessera.so has
 * these functions not: its MLIR is its own. */
#ifndef TESSERA_C_DIALECTS_H
#define TESSERA_C_DIALECTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Tile, tile);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Cta, cta);

#ifdef __cplusplus
}
#endif

#endif
