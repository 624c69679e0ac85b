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

/// Replaces each tile.print by calls of printf, in the kernels before they are outlined.
void lowerPrints(mlir::ModuleOp module);

/// Rewrites one op as linalg, scf and memref ops on the same tensor types.
void lowerLoad(mlir::RewriterBase &rewriter, tile::LoadOp op);
void lowerDim(mlir::RewriterBase &rewriter, mlir::memref::DimOp op);
void lowerStore(mlir::RewriterBase &rewriter, tile::StoreOp op);
void lowerGather(mlir::RewriterBase &rewriter, tile::GatherOp op);
void lowerScatter(mlir::RewriterBase &rewriter, tile::ScatterOp op);
void lowerArray(mlir::RewriterBase &rewriter, tile::ArrayFromOp op);
void lowerAtomic(mlir::RewriterBase &rewriter, tile::AtomicOp op);
void lowerMma(mlir::RewriterBase &rewriter, tile::MmaOp op);
void lowerReduce(mlir::RewriterBase &rewriter, tile::ReduceOp op);
void lowerScan(mlir::RewriterBase &rewriter, tile::ScanOp op);
void lowerBroadcast(mlir::RewriterBase &rewriter, tile::BroadcastOp op);
void lowerIota(mlir::RewriterBase &rewriter, tile::IotaOp op);
void lowerTranspose(mlir::RewriterBase &rewriter, tile::TransposeOp op);
void lowerTake(mlir::RewriterBase &rewriter, tile::TakeOp op);
void lowerExtract(mlir::RewriterBase &rewriter, tile::ExtractOp op);
void lowerInsert(mlir::RewriterBase &rewriter, tile::InsertOp op);
void lowerUnpack(mlir::RewriterBase &rewriter, tile::UnpackOp op);
void lowerPack(mlir::RewriterBase &rewriter, tile::PackOp op);

/// What elements have that a load with `pad = any` does not access: NaN, or 0xA5 in every byte, so
/// that a program that uses them is seen.
mlir::TypedAttr poisonOf(mlir::Type element);

/// Functions by which the steps of atomics are written until cpu-lower-atomics: (address) -> the
/// element's bits, and (address, expected, wanted) -> what was there. The width in bits follows.
inline constexpr llvm::StringLiteral kPeekPrefix = "__tessera_peek_i";
inline constexpr llvm::StringLiteral kCasPrefix = "__tessera_cas_i";

/// All tile ops below `root`; an error at one that has no lowering.
mlir::LogicalResult lowerTileOps(mlir::Operation *root);

} // namespace tessera

#endif
