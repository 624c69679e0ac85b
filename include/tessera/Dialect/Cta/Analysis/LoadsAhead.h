// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a part of an epilogue loads by threads (a bias), loaded a part ahead; moving ops ahead.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_LOADSAHEAD_H
#define TESSERA_DIALECT_CTA_ANALYSIS_LOADSAHEAD_H

#include "mlir/IR/Operation.h"

namespace tessera::cta {

/// Moves the small loads of each part of an epilogue before the part in front, those of the first
/// before the loop with the products. `firsts` are the first ops of the parts, `last` is the op
/// behind which they end. Nothing moves if what is loaded does not fit beside `accumulators` into
/// the `registers` of a thread.
void loadAhead(llvm::ArrayRef<mlir::Operation *> firsts, mlir::Operation *last,
               int64_t accumulators, int64_t registers);

/// Moves an op before `place` in its block, with the scalar arithmetic it needs of the ops between.
/// False, and nothing moved, if it needs anything else of them.
bool moveAhead(mlir::Operation *op, mlir::Operation *place);

} // namespace tessera::cta

#endif
