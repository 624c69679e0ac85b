// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From tile kernels to functions that run one block on the host: the pieces of the pass
// `convert-tile-to-cpu`, for those who need them alone.
#ifndef TESSERA_CONVERSION_TILETOCPU_H
#define TESSERA_CONVERSION_TILETOCPU_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tessera/Contract/Contract.h"

namespace tessera {

/// Replaces each kernel of the module by one function per grid and adds it to `contract`.
/// The functions still hold tile ops. Other functions are erased: helpers are inlined before.
mlir::LogicalResult outlineGrids(mlir::ModuleOp module, contract::Contract &contract);

/// Rewrites one op as linalg, scf and memref ops on the same tensor types.
void lowerLoad(mlir::RewriterBase &rewriter, tile::LoadOp op);
void lowerStore(mlir::RewriterBase &rewriter, tile::StoreOp op);
void lowerMma(mlir::RewriterBase &rewriter, tile::MmaOp op);
void lowerReduce(mlir::RewriterBase &rewriter, tile::ReduceOp op);
void lowerBroadcast(mlir::RewriterBase &rewriter, tile::BroadcastOp op);
void lowerIota(mlir::RewriterBase &rewriter, tile::IotaOp op);
void lowerTranspose(mlir::RewriterBase &rewriter, tile::TransposeOp op);

/// All tile ops below `root`; an error at one that has no lowering.
mlir::LogicalResult lowerTileOps(mlir::Operation *root);

} // namespace tessera

#endif
