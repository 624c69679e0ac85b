// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether a slot may be held for one iteration more.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_HELDSLOTS_H
#define TESSERA_DIALECT_CTA_ANALYSIS_HELDSLOTS_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::cta {

/// The only release of a slot that the loop's body waits for, in the body and naming no products;
/// null if the slot cannot be held while the next one is waited for: the channel needs a depth of
/// 2, the loop no other slot of it, and no other slot may be held while the loop runs.
ReleaseOp releaseToDefer(WaitOp wait, mlir::scf::ForOp loop);

} // namespace tessera::cta

#endif
