// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Conversion/TileToCPU.h"
#include "tessera/Conversion/Passes.h"
#include "tessera/Dialect/Tile/Params/Params.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tessera {
#define GEN_PASS_DEF_CONVERTTILETOCPU
#include "tessera/Conversion/Passes.h.inc"
} // namespace tessera

using namespace mlir;
using namespace tessera;

LogicalResult tessera::lowerTileOps(Operation *root) {
  IRRewriter rewriter(root->getContext());
  // An argreduce becomes a reduce, so the compound ops go first.
  root->walk([&](tile::ArgReduceOp op) { tile::ArgReduceOp::generalize(rewriter, op); });
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    // cpu-expand-rounding lowers tile.rounded, on scalars.
    if ((isa<tile::TileDialect>(op->getDialect()) && !isa<tile::YieldOp, tile::RoundedOp>(op)) ||
        isa<memref::DimOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    rewriter.setInsertionPoint(op);
    LogicalResult lowered =
        llvm::TypeSwitch<Operation *, LogicalResult>(op)
            .Case([&](tile::LoadOp op) { return lowerLoad(rewriter, op), success(); })
            .Case([&](tile::StoreOp op) { return lowerStore(rewriter, op), success(); })
            .Case([&](tile::GatherOp op) { return lowerGather(rewriter, op), success(); })
            .Case([&](tile::ScatterOp op) { return lowerScatter(rewriter, op), success(); })
            .Case([&](tile::AtomicOp op) { return lowerAtomic(rewriter, op), success(); })
            .Case([&](tile::ArrayFromOp op) { return lowerArray(rewriter, op), success(); })
            .Case([&](tile::MmaOp op) { return lowerMma(rewriter, op), success(); })
            .Case([&](tile::ReduceOp op) { return lowerReduce(rewriter, op), success(); })
            .Case([&](tile::ScanOp op) { return lowerScan(rewriter, op), success(); })
            .Case([&](tile::BroadcastOp op) { return lowerBroadcast(rewriter, op), success(); })
            .Case([&](tile::IotaOp op) { return lowerIota(rewriter, op), success(); })
            .Case([&](tile::TransposeOp op) { return lowerTranspose(rewriter, op), success(); })
            .Case([&](tile::TakeOp op) { return lowerTake(rewriter, op), success(); })
            .Case([&](tile::ExtractOp op) { return lowerExtract(rewriter, op), success(); })
            .Case([&](tile::InsertOp op) { return lowerInsert(rewriter, op), success(); })
            .Case([&](tile::UnpackOp op) { return lowerUnpack(rewriter, op), success(); })
            .Case([&](tile::PackOp op) { return lowerPack(rewriter, op), success(); })
            .Case([&](memref::DimOp op) { return lowerDim(rewriter, op), success(); })
            .Case([&](tile::AssumeOp op) { return rewriter.eraseOp(op), success(); })
            .Default(
                [](Operation *op) { return op->emitOpError("has no lowering to the CPU yet"); });
    if (failed(lowered))
      return failure();
  }
  return success();
}

namespace {
struct ConvertTileToCPU : tessera::impl::ConvertTileToCPUBase<ConvertTileToCPU> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    contract::Contract contract;
    contract.compiler = contract::compilerVersion();
    contract.target = "cpu";
    if (failed(tile::requireBound(module)))
      return signalPassFailure();
    lowerPrints(module);
    if (failed(outlineGrids(module, contract)) || failed(lowerTileOps(module)))
      return signalPassFailure();
    std::string json = contract::toJson(contract);
    if (failed(contract::checkLimits(json, module)))
      return signalPassFailure();
    module->setAttr(contract::kModuleAttr, StringAttr::get(&getContext(), json));
  }
};
} // namespace
