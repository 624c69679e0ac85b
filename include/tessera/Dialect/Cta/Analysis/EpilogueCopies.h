// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which copies feed the epilogue of a block.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_EPILOGUECOPIES_H
#define TESSERA_DIALECT_CTA_ANALYSIS_EPILOGUECOPIES_H

#include "tessera/Dialect/Cta/IR/Cta.h"

namespace tessera::cta {

/// The first and last op of the copy's block in which its tile is read, views followed.
std::pair<mlir::Operation *, mlir::Operation *> readersOf(CopyOp copy);

/// Knows the copies whose tiles are read only behind the products of their block. It looks through
/// a block once: while it lives no op with products may come, go or move.
class EpilogueCopies {
public:
  bool contains(CopyOp copy);

private:
  llvm::DenseMap<mlir::Block *, mlir::Operation *> lastProducts; ///< null: the block has none
};

} // namespace tessera::cta

#endif
