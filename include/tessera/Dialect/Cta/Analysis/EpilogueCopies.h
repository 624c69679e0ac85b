// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which copies load tiles that only the epilogue of a block reads.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_EPILOGUECOPIES_H
#define TESSERA_DIALECT_CTA_ANALYSIS_EPILOGUECOPIES_H

#include "tessera/Dialect/Cta/IR/Cta.h"

namespace tessera::cta {

/// The first and last op of the copy's block that read its tile, directly or through views.
std::pair<mlir::Operation *, mlir::Operation *> readersOf(CopyOp copy);

/// Finds the copies whose tiles are read only after the matrix products of their block. It looks
/// through a block once: while an object of this class lives, no op with products may be added,
/// removed or moved.
class EpilogueCopies {
public:
  bool contains(CopyOp copy);

private:
  llvm::DenseMap<mlir::Block *, mlir::Operation *>
      lastProducts; ///< null: the block has no products
};

} // namespace tessera::cta

#endif
