// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_OPS
#define TESSERA_CTA_OPS

include "tessera/Dialect/Cta/IR/MemoryOps.td"
include "tessera/Dialect/Cta/IR/ComputeOps.td"
include "tessera/Dialect/Cta/IR/ShapeOps.td"
include "tessera/Dialect/Cta/IR/TakeOps.td"
include "tessera/Dialect/Cta/IR/ChannelOps.td"
include "tessera/Dialect/Cta/IR/OutputTileOps.td"
include "tessera/Dialect/Cta/IR/PartialOps.td"
include "tessera/Dialect/Cta/IR/AllocatedOps.td"

#endif
