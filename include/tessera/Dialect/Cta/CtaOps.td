// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESSERA_CTA_OPS
#define TESSERA_CTA_OPS

include "tessera/Dialect/Cta/MemoryOps.td"
include "tessera/Dialect/Cta/ComputeOps.td"
include "tessera/Dialect/Cta/ShapeOps.td"
include "tessera/Dialect/Cta/ChannelOps.td"
include "tessera/Dialect/Cta/ReplicaOps.td"
include "tessera/Dialect/Cta/PartialOps.td"
include "tessera/Dialect/Cta/AllocatedOps.td"

#endif
