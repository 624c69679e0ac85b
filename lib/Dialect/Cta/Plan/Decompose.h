// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-decompose as a function, for passes that decompose a copy of a kernel to see the result.
#ifndef TESSERA_LIB_DIALECT_CTA_PLAN_DECOMPOSE_H
#define TESSERA_LIB_DIALECT_CTA_PLAN_DECOMPOSE_H

#include "tessera/Dialect/Tile/Tile.h"

namespace tessera::cta {

mlir::LogicalResult decompose(tile::KernelOp kernel);

} // namespace tessera::cta

#endif
