// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Index tiles of copies: what computes them, and the same in the layout of other threads.
//
// The threads that copy compute the indices for themselves. So the tile of indices is made of
// nothing that they do not have: loads, iotas, constants, broadcasts of scalars and elementwise
// arithmetic, all on tiles of rank 1. Such a chain of ops can stand anywhere where its scalars are
// known, in any layout: next to the math threads, in the pieces of a producing warpgroup, in one
// thread.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_INDEXTILES_H
#define TESSERA_DIALECT_CTA_ANALYSIS_INDEXTILES_H

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Tile/Facts.h"

#include <optional>
#include <string>

namespace tessera::cta {

/// Why the threads that copy cannot compute this tile of rank 1 for themselves, or nothing if they
/// can. The words complete "its index tile ...".
std::optional<std::string> whyNotComputedAgain(mlir::Value tile);

/// The ops on tiles that compute a tile for which `whyNotComputedAgain` says nothing.
llvm::SmallVector<mlir::Operation *> chainOf(mlir::Value tile);

/// True for an op on tiles whose results only say where copies fetch from.
bool onlyFeedsCopies(mlir::Operation *op);
/// All ops of `block` and of blocks within it for which that is true, in one walk.
llvm::DenseSet<mlir::Operation *> opsThatOnlyFeedCopies(mlir::Block &block);

/// True for an op whose tiles in registers are index tiles of copies: one of their chain, or a
/// copy.
bool isIndexWork(mlir::Operation *op);

/// The warpgroups for which tiles in registers have layouts where the op stands: the kernel's, or
/// one in a role of other warps than those. Such a role has index tiles only. A constant outside
/// roles counts as standing where it is used.
int64_t warpgroupsOfTilesAt(mlir::Operation *op, int64_t ofKernel);

/// Why a copy cannot run ahead of the other ops of `scope` because of its index tile, or nothing:
/// the tile cannot be computed again, or an op of `scope` may write what the chain reads. The words
/// are a sentence.
std::optional<std::string> whyIndexTileStays(mlir::Operation *scope, CopyOp copy);

/// Index tiles in other layouts.
class IndexTiles {
public:
  explicit IndexTiles(tile::Facts &facts) : facts(facts) {}
  /// The tile in this layout, computed without conversions of layouts: as it is, or again by clones
  /// that stand behind the ops that compute it now. The same value for the same layout.
  mlir::Value inLayout(mlir::Value tile, const layout::RegisterLayout &layout);

private:
  tile::Facts &facts;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> made;
};

/// Erases the ops of the chains of tiles, which have lost a use, that are of no use any more.
/// Returns where they were.
llvm::SmallVector<mlir::Operation *> eraseUnusedChains(llvm::ArrayRef<mlir::Value> tiles);

/// Gives the index tiles of all copies inside `scope` the layouts for `warpgroups` warpgroups, and
/// erases what is of no use any more. Returns how many 32-bit registers of a thread they take at
/// most at a time.
int64_t layOutIndexTiles(mlir::Operation *scope, tile::Facts &facts, int64_t warpgroups);

} // namespace tessera::cta

#endif
