// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many blocks should share an SM where threads load from memory and no tensor core works.
//
// A block whose threads load tiles into registers, reduce them and store asks nothing of memory
// while it computes. So the blocks of an SM must together have enough loads under way
// (`Machine::loadBytesInFlight`). How many blocks that takes follows from the bytes that one block
// loads at once, and how many there can be from the registers that live across its loads and
// reductions. ptxas knows neither: left alone, it takes registers for what it could load earlier,
// and fewer blocks fit.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_BLOCKSFORMEMORY_H
#define TESSERA_DIALECT_CTA_ANALYSIS_BLOCKSFORMEMORY_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace tessera::cta {

/// The values in the body of a grid or a launch that another block of the grid may have otherwise:
/// what depends on a coordinate of the grid, on the number of a block or on what an atomic returns,
/// also by way of the control flow of a loop or a branch, but not by way of memory.
class ValuesOfBlocks {
public:
  explicit ValuesOfBlocks(mlir::Block &body);
  bool differ(mlir::Value value) const { return differing.contains(value); }
  bool operandsDiffer(mlir::Operation *op) const;

private:
  llvm::DenseSet<mlir::Value> differing;
};

/// The bytes that a block loads into registers at once; of the regions of a branch, in the one with
/// the most. Loads that are the same in all blocks do not count, since L2 has them. Nothing if
/// loads stand in loops: there ptxas fetches as far ahead as the registers of a thread allow, and
/// how far is not known. `body` is that of a grid or a launch.
std::optional<double> bytesLoadedAtOnce(mlir::Block &body);

/// The number of blocks of `threads` threads that should share an SM so that enough loads are under
/// way, as far as an SM has threads and registers for them, at least 1. It is 1 where that is not
/// known, or tensor cores work.
int64_t blocksForMemory(const Machine &machine, mlir::Block &body, int64_t threads);

} // namespace tessera::cta

#endif
