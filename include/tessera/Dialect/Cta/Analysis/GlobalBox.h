// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Boxes of global memory: which root an access touches, and when two boxes are disjoint.
#ifndef TESSERA_DIALECT_CTA_ANALYSIS_GLOBALBOX_H
#define TESSERA_DIALECT_CTA_ANALYSIS_GLOBALBOX_H

#include "tessera/Dialect/Cta/IR/Cta.h"

#include "llvm/ADT/SmallVector.h"

namespace tessera::cta {

/// How the iteration of a loop in which one access happened relates to that of another.
enum class Iteration { Same, Earlier, Unknown };

/// Loops whose iterations differ (never `Same`), innermost last; accesses outside a loop have no
/// entry for it.
using Iterations = llvm::SmallVector<std::pair<mlir::Operation *, Iteration>, 2>;

struct GlobalBox {
  mlir::Operation *op = nullptr;
  mlir::Value memref; ///< as the op names it
  mlir::Value root;   ///< the argument or allocation behind it; null if unknown
  mlir::ValueRange coords;
  /// One a memref dimension.
  llvm::SmallVector<int64_t> extents;
  /// The register tile of a cta.load or cta.store and its memref dimensions.
  mlir::Type tile;
  llvm::SmallVector<int64_t> dims;
};

/// The box that an op reads or writes (cta.load, store, copy, copy_out, memref.load, store), or
/// nothing.
std::optional<GlobalBox> globalBoxOf(mlir::Operation *op);

/// False only if the two lie in roots that do not overlap (different arguments not of one alias
/// group, workspaces).
bool mayAlias(const GlobalBox &a, const GlobalBox &b);

/// True if the op, or one inside it, may write what the box names; an unknown box may be anything.
bool mayOverwrite(mlir::Operation *op, const std::optional<GlobalBox> &box);

/// True if `a`, executed in an earlier iteration of `iterations`' loops, and `b` touch no common
/// element.
bool provenDisjoint(const GlobalBox &a, const GlobalBox &b, const Iterations &iterations);

/// True if every element that both touch is touched by the same one thread: the same box of the
/// same memref in one layout, and no replicas.
bool sameThreads(const GlobalBox &a, const GlobalBox &b, const Iterations &iterations);

} // namespace tessera::cta

#endif
