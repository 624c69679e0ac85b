// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One loop becomes two: what cta-peel-masks and cta-cut-rest share.
#ifndef TESSERA_LIB_DIALECT_CTA_PIPELINE_CUTLOOP_H
#define TESSERA_LIB_DIALECT_CTA_PIPELINE_CUTLOOP_H

#include "tessera/Dialect/Cta/IR/CountedLoop.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace tessera::cta {

/// Puts a copy of the loop before it, which runs the iterations below `place`, and returns the
/// copy. The loop goes on with what the copy carries, from the first iteration that is not below.
/// The step is a positive constant. `place` is an index, neither below the lower bound nor so large
/// that rounding it up to an iteration wraps. `mapping` gets what became of the ops of the body.
CountedLoop cutLoop(mlir::IRRewriter &b, CountedLoop loop, mlir::Value place,
                    mlir::IRMapping &mapping);

} // namespace tessera::cta

#endif
