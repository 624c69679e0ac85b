// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Numbers that parameters give, and what the kernel assumes about them.
#ifndef TESSERA_LIB_DIALECT_TILE_PARAMS_PARAMEXPR_H
#define TESSERA_LIB_DIALECT_TILE_PARAMS_PARAMEXPR_H

#include "tessera/Dialect/Tile/Params/Params.h"

namespace tessera::tile {

/// Computes numbers from values of parameters, without touching the program.
class ParamEvaluator {
public:
  void set(ParamOp param, int64_t value);
  void unset(ParamOp param);
  /// The number, or null where it depends on something else, or on a parameter without a value.
  mlir::Attribute evaluate(mlir::Value value);

private:
  /// One step: the number, or what has to be known before in `missing`.
  mlir::Attribute compute(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &missing);
  /// Forgets what was computed from a parameter. A search changes the last one most often, and so
  /// most numbers stay known.
  void forget(ParamOp param);

  llvm::DenseMap<mlir::Operation *, int64_t> values;
  llvm::DenseMap<mlir::Value, mlir::Attribute> known;
};

/// Something that a kernel assumes about its parameters.
struct Assumption {
  AssumeOp op;
  /// The branches that it stands in, outermost first: it counts where all are taken.
  llvm::SmallVector<mlir::Region *> branches;
  /// The parameters on which it depends, with its branches.
  llvm::SmallPtrSet<mlir::Operation *, 4> params;
};

/// All that a kernel assumes about parameters alone.
llvm::SmallVector<Assumption> assumptionsOf(KernelOp kernel);

/// What is wrong with a number for an assumption; empty if nothing is.
std::string whyBroken(AssumeOp assume, mlir::Attribute value);

/// False if the values that are set break the assumption. Values that are not set yet break none.
bool mayHold(Assumption assumption, ParamEvaluator &evaluator);

/// The region of an op of control flow that a condition chooses: the branch of an `scf.if` or the
/// case of an `scf.index_switch`. Null if it has none for the condition.
mlir::Region *chosenRegion(mlir::Operation *op, mlir::Attribute condition);
/// The condition of such an op, or null for other ops.
mlir::Value conditionOf(mlir::Operation *op);

} // namespace tessera::tile

#endif
