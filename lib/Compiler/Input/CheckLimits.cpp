// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input/CheckLimits.h"

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Tile/Tile.h"
#include "tessera/Target/DiagnosedKernel.h"

using namespace mlir;
using namespace tessera;

/// Calls `check` for every tile in every kernel and function, until it fails.
static LogicalResult forEachTile(ModuleOp module, function_ref<LogicalResult(Value)> check) {
  auto checkAll = [&](ValueRange values) {
    return success(llvm::all_of(values, [&](Value value) {
      return !isa<RankedTensorType>(value.getType()) || succeeded(check(value));
    }));
  };
  WalkResult walked = module.walk([&](Operation *op) -> WalkResult {
    if (failed(checkAll(op->getResults())))
      return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(checkAll(block.getArguments())))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult tessera::checkTileBytes(ModuleOp module, const CompileLimits &limits) {
  if (!limits.tileBytes)
    return success();
  return forEachTile(module, [&](Value tile) -> LogicalResult {
    auto type = cast<RankedTensorType>(tile.getType());
    Type element = type.getElementType();
    // The verifier reports shapes that are not static and elements that are no numbers.
    if (!type.hasStaticShape() || !element.isIntOrIndexOrFloat())
      return success();
    const uint64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    llvm::APInt bytes(128, llvm::divideCeil(bits, 8));
    for (int64_t extent : type.getShape())
      bytes = bytes.umul_sat(llvm::APInt(128, extent));
    if (bytes.ule(limits.tileBytes))
      return success();
    return emitError(tile.getLoc())
           << "a tile of type " << type << " has " << llvm::toString(bytes, 10, /*Signed=*/false)
           << " bytes, and at most " << limits.tileBytes
           << " are compiled (the limit tile-bytes): a block works on small tiles; let the grid or "
              "a loop walk over the large array";
  });
}

LogicalResult tessera::checkThreadRegisters(ModuleOp module, const CompileLimits &limits) {
  if (!limits.threadRegisters)
    return success();
  return forEachTile(module, [&](Value tile) -> LogicalResult {
    const int64_t registers = cta::registersOf(tile);
    if (registers <= 0 || static_cast<uint64_t>(registers) <= limits.threadRegisters)
      return success();
    auto type = cast<RankedTensorType>(tile.getType());
    InFlightDiagnostic error = emitError(tile.getLoc());
    if (auto kernel = tile.getParentRegion()->getParentOfType<tile::KernelOp>())
      noteKernel(*error.getUnderlyingDiagnostic(), kernel.getSymNameAttr());
    return error
           << "a tile of " << type.getNumElements() << " elements of type " << type.getElementType()
           << " takes " << registers << " registers of each thread, and at most "
           << limits.threadRegisters
           << " are compiled (the limit thread-registers), because ptxas would take very long and "
              "spill nearly all: a thread has 255 registers; use a smaller tile, or more "
              "warpgroups";
  });
}
