// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Boxes of global memory: the root that an access touches, and when two boxes are disjoint.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_GLOBALBOX_H
#define TESSERA_DIALECT_CTA_ANALYSIS_GLOBALBOX_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include "llvm/ADT/SmallVector.h"

namespace tessera::cta {

/// How the iteration of a loop in which one access happened relates to the iteration of another
/// access.
enum class Iteration { Same, Earlier, Unknown };

/// The loops that contain two accesses in different iterations (never `Same`), innermost last. A
/// loop that does not contain both accesses has no entry.
using Iterations = llvm::SmallVector<std::pair<mlir::Operation *, Iteration>, 2>;

struct GlobalBox {
  mlir::Operation *op = nullptr;
  mlir::Value memref; ///< the operand of the op
  mlir::Value root;   ///< the argument or allocation behind it; null if unknown
  /// Without coordinates the box is the whole memref.
  mlir::ValueRange coords;
  /// In elements, one for each memref dimension.
  llvm::SmallVector<int64_t> extents;
  /// The register tile that is loaded or stored, and the memref dimensions of a tile.
  mlir::Type tile;
  llvm::SmallVector<int64_t> dims;
};

/// The box of an access to global memory.
GlobalBox boxOf(mlir::Operation *op, const MemoryAccess &access);

/// The one box of global memory that an op reads, writes, or both (MemoryAccess.h), or nothing if
/// it accesses none or several.
std::optional<GlobalBox> globalBoxOf(mlir::Operation *op);

/// False only if the roots of the two boxes do not overlap: different arguments that are not of one
/// alias group, or workspaces.
bool mayAlias(const GlobalBox &a, const GlobalBox &b);

/// True if the op, or one inside it, may write the box. An unknown box may be any memory.
bool mayOverwrite(mlir::Operation *op, const std::optional<GlobalBox> &box);

/// The op of `scope` (a grid, or a launch without roles) that keeps what `reader` reads from being
/// fetched ahead: it may write that memory; or it orders memory (`MemoryAccess::everywhere`), and
/// in the block of one output tile it may come before `reader`, or before an op that uses its
/// result. Null if there is none. What orders between output tiles of one block keeps nothing,
/// because they are blocks of the grid, which are ordered by nothing else.
mlir::Operation *whatKeepsInPlace(mlir::Operation *scope, mlir::Operation *reader);

/// What such an op does, as the reason of a verdict.
std::string whyItKeeps(mlir::Operation *keeper);

/// True if `a`, executed in an earlier iteration of `iterations`' loops, and `b` touch no common
/// element.
bool provenDisjoint(const GlobalBox &a, const GlobalBox &b, const Iterations &iterations);

/// True if each element that both touch is touched by one and the same thread: both are the same
/// box of the same memref in one layout, and no element is held by several threads.
bool sameThreads(const GlobalBox &a, const GlobalBox &b, const Iterations &iterations);

} // namespace tessera::cta

#endif
