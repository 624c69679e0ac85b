// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prefetching of small loads through registers (a bias) of an epilogue, one epilogue subtile ahead;
// moving ops to an earlier place.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_LOADSAHEAD_H
#define TESSERA_DIALECT_CTA_ANALYSIS_LOADSAHEAD_H

#include "mlir/IR/Operation.h"

namespace tessera::cta {

/// Moves the small loads of each epilogue subtile before the previous subtile, and those of the
/// first subtile before the main loop. `firsts` are the first ops of the subtiles; `last` is the op
/// after which they end. Nothing moves if the loaded values do not fit, together with
/// `accumulators` (32-bit registers), into the `registers` of a thread.
void loadAhead(llvm::ArrayRef<mlir::Operation *> firsts, mlir::Operation *last,
               int64_t accumulators, int64_t registers);

/// Moves an op before `place` in its block, with the scalar arithmetic between the two that it
/// needs. If it needs anything else of the ops between, nothing moves and the result is false.
bool moveAhead(mlir::Operation *op, mlir::Operation *place);

} // namespace tessera::cta

#endif
