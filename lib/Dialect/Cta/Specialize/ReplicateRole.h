// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ping-pong: replicas of the math role take the points of a persistent loop in turn.
#ifndef TESSERA_LIB_DIALECT_CTA_SPECIALIZE_REPLICATEROLE_H
#define TESSERA_LIB_DIALECT_CTA_SPECIALIZE_REPLICATEROLE_H

#include "RoleSlice.h"

namespace tessera::cta {

/// Deals out the persistent loop of `math` to so many replicas, which follow the channels by
/// `waits`: the slice of the launch that all its `cta.wait`s need. Fails with an error where the
/// role has no such loop.
mlir::LogicalResult replicateRole(RoleOp math, int64_t replicas, RoleSlice &waits);

} // namespace tessera::cta

#endif
