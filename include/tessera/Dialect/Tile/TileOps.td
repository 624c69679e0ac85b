// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_TILE_OPS
#define TESSERA_TILE_OPS

include "tessera/Dialect/Tile/KernelOps.td"
include "tessera/Dialect/Tile/MemoryOps.td"
include "tessera/Dialect/Tile/ComputeOps.td"
include "tessera/Dialect/Tile/ShapeOps.td"
include "tessera/Dialect/Tile/TakeOps.td"
include "tessera/Dialect/Tile/Params/ParamOps.td"
include "tessera/Dialect/Tile/Rounding/RoundingOps.td"

#endif
