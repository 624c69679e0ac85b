// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The facts that variants of a kernel assume about its arguments, each with its guard.
#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_VARIANTS_ASSUMPTION_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_VARIANTS_ASSUMPTION_H

#include "tessera/Dialect/Tile/Tile.h"

#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace tessera::tile {

/// The arguments that tiles are loaded from or stored to.
struct TileArguments {
  llvm::SmallVector<unsigned> indices; // ascending
  bool onlyRank1 = true;
};

/// Adds facts to a kernel, each with its guard, unless they are known already.
class Assumption {
public:
  explicit Assumption(KernelOp kernel) : kernel(kernel), b(kernel.getContext()) {}
  void assume(const TileArguments &arguments);
  /// The same, and in addition that rows of the operand from which a product fetches most bytes
  /// begin at cache lines of L2. False if the source IR says so already; nothing if there is no
  /// such operand.
  std::optional<bool> assumeLines(const TileArguments &arguments);
  /// Assumes what `assume` does only about arguments that main loops access, so that TMA fetches
  /// operands where the rows of results begin anywhere. False if there are no operands of products,
  /// or some that TMA cannot fetch.
  bool assumeOperands(const TileArguments &arguments);
  /// Assumes what makes copies of operands pay, and lets TMA fetch the copies. False if nothing is
  /// worth a copy, or if sizes in the source IR are too small.
  bool assumeRepacking(const TileArguments &arguments, bool alone);
  /// Assumes what lets threads fetch such operands by cp.async, in less time than copies take.
  /// False if nothing would be copied, or if the source IR says already what cp.async needs. A
  /// variant that is `alone` does not test which of the two takes less time.
  bool assumePieces(const TileArguments &arguments, bool alone);
  /// Assumes that private tables of the blocks fit and pay. False if nothing has to be assumed for
  /// that, or if they never do.
  bool assumeTables();

private:
  void assumeSizeMax(unsigned arg);
  void assumeMultiples(unsigned arg, int64_t bytes);
  bool assumeCondition(mlir::Value condition, llvm::StringRef message);
  bool assumeCopiesPay();
  bool assumeSizeMin(unsigned arg, unsigned dim, int64_t least);
  void assumeArgument(unsigned arg, bool rank1Sizes);
  llvm::SmallDenseSet<unsigned> argumentsThatGain(const TileArguments &arguments) const;
  void assumeNotEmpty(unsigned arg);
  bool emptinessKeepsTmaFromProducts();
  void guard(FactKind fact, unsigned arg, int64_t dim, int64_t value);
  void setListFact(unsigned arg, llvm::StringRef name, int64_t dim, int64_t value, int64_t unsaid);

  KernelOp kernel;
  mlir::Builder b;
  llvm::SmallVector<mlir::Attribute> guards;
  llvm::SmallDenseSet<unsigned> gain; ///< the arguments of which multiples are assumed
};

/// The arguments that tiles are loaded from or stored to; with `inLoops` only those that a loop in
/// a grid accesses.
TileArguments collectArguments(KernelOp kernel, bool inLoops = false);

} // namespace tessera::tile

#endif
