// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What passes of the dialect `tile` share, as functions.
#ifndef TESSERA_DIALECT_TILE_TRANSFORMS_H
#define TESSERA_DIALECT_TILE_TRANSFORMS_H

#include "tessera/Dialect/Tile/Tile.h"

#include "llvm/ADT/SetVector.h"

#include <optional>
#include <string>
#include <vector>

namespace tessera::tile {

class Facts;

/// Products of rank 3 with at most so many batches are split into products of rank 2: more side by
/// side cost registers and code.
constexpr int64_t kMaxSplitBatches = 4;

/// The variant in which what blocks share begins at lines of L2; the variant that stands behind it.
constexpr llvm::StringLiteral kLinesVariant = "lines", kAlignedVariant = "aligned";
/// The variant whose operands tile-repack-operands copies.
constexpr llvm::StringLiteral kRepackVariant = "repack";
/// The variant in which threads fetch such operands by cp.async, as long as that takes less time,
/// and what bases and rows are multiples of in it, bytes.
constexpr llvm::StringLiteral kCpAsyncVariant = "cp_async";
constexpr int64_t kCpAsyncBytes = 8;
/// On a variant that stands behind another one of its kernel (unit): it is there to be right. A
/// plan was made for those in front.
constexpr llvm::StringLiteral kFallback = "tile.fallback";
/// On workspace that holds a copy of an operand (a string): why it was copied.
constexpr llvm::StringLiteral kRepacked = "tile.repacked";
/// On a grid that fills such a workspace (unit).
constexpr llvm::StringLiteral kCopies = "tile.copies";
/// On a load that TMA could do if its operand could be copied (a string): why it cannot.
constexpr llvm::StringLiteral kNotRepacked = "tile.not_repacked";

/// On a product (a boolean): whether tile-transpose-products has to turn it; without it a rule
/// says.
constexpr llvm::StringLiteral kTransposed = "tile.transposed";
/// On a product that the pass has turned, or wanted to but could not (strings): why.
constexpr llvm::StringLiteral kTurned = "tile.turned", kNotTurned = "tile.not_turned";

/// A load worth a copy of its operand, which TMA cannot fetch from where it lies: it feeds only
/// products that the tensor cores may do, in a loop, and blocks of the grid share what it reads.
struct RepackCandidate {
  LoadOp load;
  GridOp grid;
  unsigned inner;  // the dimension that is contiguous in the copy
  std::string why; // TMA cannot fetch it
  /// Why no copy helps or none can be made, if so.
  std::optional<std::string> obstacle;
  /// The obstacle is that sizes may be 0 or large: other variants know more of them.
  bool onlySizes = false;
};

/// Of each loop of products the largest operands that blocks of the grid share.
std::vector<LoadOp> findWidestOperands(KernelOp kernel);

/// In the order of the text.
std::vector<RepackCandidate> findRepackCandidates(KernelOp kernel);

/// Those of them that nothing forbids to copy.
std::vector<RepackCandidate> findCopiedOperands(KernelOp kernel);

/// True if the facts say that the operand's tiles consist of pieces of kCpAsyncBytes.
bool isFetchedInPieces(Facts &facts, const RepackCandidate &candidate);

/// An i1 in front of the last grid that reads one of `findCopiedOperands`: fetching them by
/// cp.async takes no longer than copying them does, or they are too small to be copied; with
/// `copy`, that it takes longer. Null if that is not known before the launch, or not at all: of
/// loops that do not just sum up products.
mlir::Value makeFetchCondition(KernelOp kernel, bool copy);

/// Collects the ops inside the grid that make `value`, operands first; false if a coordinate or
/// memory decides.
bool collectMakers(mlir::Value value, GridOp grid, llvm::SetVector<mlir::Operation *> &makers);

/// What the launcher cannot compute of a value, and what it is, for a message.
struct LaunchObstacle {
  mlir::Value value;
  std::string what;
};

/// The launcher computes bounds of grids, sizes and conditions from the arguments: every op that
/// makes one must be one that it knows. Nothing if all are.
std::optional<LaunchObstacle> findLaunchObstacle(mlir::Value value);

/// True if two roots may overlap: if the kernel says so, or one is not known (null).
bool mayAlias(KernelOp kernel, mlir::Value a, mlir::Value b);

/// How large dimension `dim` of the operand has to be for its copy to pay, by how the load walks
/// it.
int64_t leastSizeToRepack(const RepackCandidate &candidate, unsigned dim);

/// Copies the operands of those candidates that nothing forbids to copy; says of the others why.
void repackOperands(KernelOp kernel);

} // namespace tessera::tile

#endif
