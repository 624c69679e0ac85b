// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera-c/Dialects.h"

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/CAPI/Registration.h"

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Tile, tile, tessera::tile::TileDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Cta, cta, tessera::cta::CtaDialect)
