// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions that passes of the dialect `tile` share.
#ifndef TESSERA_DIALECT_TILE_TRANSFORMS_H
#define TESSERA_DIALECT_TILE_TRANSFORMS_H

#include "tessera/Dialect/Tile/Tile.h"

#include "llvm/ADT/SetVector.h"

#include <optional>
#include <string>
#include <vector>

namespace tessera::tile {

class Facts;

/// The largest batch of a rank-3 product that is split into products of rank 2. More products would
/// be too much code.
constexpr int64_t kMaxSplitBatches = 32;
/// Accumulators that a thread may have for all products of a split batch.
constexpr int64_t kMaxSplitAccumulators = 192;
/// Up to this batch a product is split however many accumulators it has.
constexpr int64_t kFewSplitBatches = 4;
/// The accumulators of each thread if a product of rank 3 with results of these extents becomes
/// products of rank 2 for the tensor cores.
int64_t splitAccumulators(int64_t batches, int64_t rows, int64_t columns);
/// True if a product of rank 3 with results of these extents is split into products of rank 2.
bool splitsBatches(int64_t batches, int64_t rows, int64_t columns);

/// On a conversion to a narrower float or to an integer: what the type cannot hold becomes its
/// largest or smallest number, and NaN 0 if it has no NaN. It belongs to the language.
constexpr llvm::StringLiteral kSaturate = "tile.saturate";

/// The variant in which operands that blocks share begin at cache lines, and the variant that
/// follows it.
constexpr llvm::StringLiteral kLinesVariant = "lines", kAlignedVariant = "aligned";
/// The variant that assumes nothing but what the source IR says.
constexpr llvm::StringLiteral kAnyVariant = "any";
/// The variant in which only rows of what loops load begin at multiples of 16 bytes.
constexpr llvm::StringLiteral kOperandsVariant = "operands";
/// The variant whose operands tile-repack-operands copies.
constexpr llvm::StringLiteral kRepackVariant = "repack";
/// The variant in which threads fetch such operands by cp.async, if that takes less time, and the
/// bytes of which bases and rows are multiples in it.
constexpr llvm::StringLiteral kCpAsyncVariant = "cp_async";
constexpr int64_t kCpAsyncBytes = 4;
/// The variants in which blocks have private tables because they are small enough
/// (PrivateTables.h): with the facts of `aligned`, and without.
constexpr llvm::StringLiteral kTablesVariant = "tables", kTablesAnyVariant = "tables_any";
/// On a variant that is not the first one of its kernel (unit). It exists for correctness: a plan
/// is made for the variants before it.
constexpr llvm::StringLiteral kFallback = "tile.fallback";
/// On a kernel (a dictionary of dictionaries): attributes of single variants, by the names of the
/// variants, such as the plan of one. tile-specialize-facts gives them to the variants that it
/// makes.
constexpr llvm::StringLiteral kVariantAttributes = "tile.variant_attributes";
/// The entry of such a dictionary that is the variant's plan.
constexpr llvm::StringLiteral kVariantPlan = "plan";
/// Adds an attribute of the variant to those that the kernel has for it.
void setVariantAttribute(KernelOp kernel, llvm::StringRef variant, llvm::StringRef name,
                         mlir::Attribute value);
/// Whether tile-specialize-facts makes variants of this name, and all their names, for messages.
bool isVariantName(llvm::StringRef name);
std::string variantNames();
/// On workspace that holds a copy of an operand (a string): why it was copied.
constexpr llvm::StringLiteral kRepacked = "tile.repacked";
/// On a grid that fills such a workspace (unit).
constexpr llvm::StringLiteral kCopies = "tile.copies";
/// On a load that TMA could do if its operand were repacked (a string): why it cannot be.
constexpr llvm::StringLiteral kNotRepacked = "tile.not_repacked";

/// On a product (a boolean): whether tile-transpose-products must turn it. If it is absent the pass
/// decides.
constexpr llvm::StringLiteral kTransposed = "tile.transposed";
/// On a product that the pass has turned, or would have turned but could not (strings): the reason.
constexpr llvm::StringLiteral kTurned = "tile.turned", kNotTurned = "tile.not_turned";

/// On the reduction of the `need` of a tile.rare (unit): where a row of dimension 0 does not need
/// the branch that the result decides, that row may be left as the other branch makes it.
constexpr llvm::StringLiteral kRarely = "tile.rarely";

/// A load whose operand is worth repacking. TMA cannot fetch the operand where it is. The load
/// feeds only products that the tensor cores may compute, in a loop, and several blocks of the grid
/// share what it reads.
struct RepackCandidate {
  LoadOp load;
  GridOp grid;
  unsigned inner;  // the dimension that is contiguous in the copy
  std::string why; // why TMA cannot fetch it
  /// Why a copy does not help or cannot be made, if so.
  std::optional<std::string> obstacle;
  /// True if the obstacle is that sizes may be 0 or too large. In other variants more is known
  /// about them.
  bool onlySizes = false;
};

/// For each main loop, the largest operands that blocks of the grid share; without `withEnds` also
/// those of loops whose trip count differs from block to block.
std::vector<LoadOp> findWidestOperands(KernelOp kernel, bool withEnds);

/// All candidates of a kernel, in program order.
std::vector<RepackCandidate> findRepackCandidates(KernelOp kernel);

/// Those candidates that have no obstacle.
std::vector<RepackCandidate> findCopiedOperands(KernelOp kernel);

/// True if, by the facts, the operand's tiles consist of aligned pieces of kCpAsyncBytes.
bool isFetchedInPieces(Facts &facts, const RepackCandidate &candidate);

/// Makes an i1 before the last grid that reads one of `findCopiedOperands`. It is true if fetching
/// the operands by cp.async takes no longer than repacking them, or if they are too small to be
/// repacked. With `copy` it is the opposite. Null if the condition is not known before the launch,
/// or for loops that do more than accumulate products.
mlir::Value makeFetchCondition(KernelOp kernel, bool copy);

/// A condition that the launcher evaluates, an i1 before the grids, and what it means.
struct TableCondition {
  mlir::Value holds;
  std::string message;
};

/// Makes the conditions under which private tables of the kernel's blocks fit and pay. None if
/// there is none that needs one, or if the launcher could not evaluate them.
std::vector<TableCondition> makeTableConditions(KernelOp kernel);

/// Collects the ops inside the grid that compute `value`, operands first. Returns false if the
/// value depends on a coordinate or on memory.
bool collectMakers(mlir::Value value, GridOp grid, llvm::SetVector<mlir::Operation *> &makers);

/// A value that the launcher cannot compute, and what makes it, for a message.
struct LaunchObstacle {
  mlir::Value value;
  std::string what;
};

/// The launcher computes bounds of grids, sizes and conditions from the arguments, so it must know
/// every op that makes such a value. Returns the first op that it does not know, or nothing.
std::optional<LaunchObstacle> findLaunchObstacle(mlir::Value value);

/// The first number that a bound of the grid reads from memory, or null. The host does not know the
/// number of blocks of such a grid.
mlir::Operation *findBoundInMemory(GridOp grid);

/// The roots (`rootOf`) of the memrefs that the grid writes, as its ops say by their memory
/// effects; null stands for one that is not known.
llvm::SetVector<mlir::Value> writtenRoots(GridOp grid);

/// The least size of dimension `dim` of the operand, in elements, for which its copy pays. It
/// depends on how the load walks along that dimension.
int64_t leastSizeToRepack(const RepackCandidate &candidate, unsigned dim);

/// Copies the operands of all candidates without an obstacle. The other loads get the reason as an
/// attribute (kNotRepacked).
void repackOperands(KernelOp kernel);

} // namespace tessera::tile

#endif
