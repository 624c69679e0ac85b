// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether a slot may be held for one more iteration.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_HELDSLOTS_H
#define TESSERA_DIALECT_CTA_ANALYSIS_HELDSLOTS_H

#include "tessera/Dialect/Cta/IR/CountedLoop.h"

namespace tessera::cta {

/// The only release of the slot for which `wait` waits in the loop's body; it is in the body and
/// names no products. Null if the slot cannot be held while the next one is awaited. Holding it
/// requires a channel with a depth of at least 2, no other slot of that channel in the loop, and no
/// other slot that is held while the loop runs.
ReleaseOp releaseToDefer(WaitOp wait, CountedLoop loop);

} // namespace tessera::cta

#endif
