// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ping-pong: replicas of the math role compute the output tiles of a persistent loop in turn.
#ifndef TESSERA_LIB_DIALECT_CTA_SPECIALIZE_REPLICATEROLE_H
#define TESSERA_LIB_DIALECT_CTA_SPECIALIZE_REPLICATEROLE_H

#include "RoleSlice.h"

namespace tessera::cta {

/// Distributes the persistent loop of `math` over this many replicas. `waits` is the slice of the
/// launch that all `cta.wait`s of the role need; replicas use it to follow the positions of the
/// channels. Fails with an error if the role has no such loop.
mlir::LogicalResult replicateRole(RoleOp math, int64_t replicas, RoleSlice &waits);

} // namespace tessera::cta

#endif
