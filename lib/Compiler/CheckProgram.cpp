// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckProgram.h"

#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tessera;

/// Refuses everything in a module with kernels that is no kernel and no function. It would be
/// compiled without being checked.
static LogicalResult checkNeighbours(ModuleOp module) {
  for (Operation &op : *module.getBody())
    if (!isa<tile::KernelOp, func::FuncOp>(op))
      return op.emitOpError("is not part of a tile program: next to kernels a module holds only "
                            "func.func that they call; pass data as arguments of the kernel");
  return success();
}

/// Refuses assembly at module level. It belongs to no function, so neither target can compile it.
static LogicalResult checkAttributes(ModuleOp module) {
  StringRef name = LLVM::LLVMDialect::getModuleLevelAsmAttrName();
  if (module->hasAttr(name))
    return module.emitError("'")
           << name << "' is not supported: leave it out; in hand-written code for the GPU "
           << "llvm.inline_asm takes PTX";
  return success();
}

LogicalResult tessera::checkProgram(ModuleOp module, StringRef sourceName) {
  const bool hasKernels = !module.getOps<tile::KernelOp>().empty();
  const bool hasCode = llvm::any_of(module.getOps<LLVM::LLVMFuncOp>(),
                                    [](LLVM::LLVMFuncOp func) { return !func.isExternal(); });
  if (!hasKernels && !hasCode)
    return emitError(FileLineColLoc::get(module.getContext(), sourceName, 1, 1),
                     "there is nothing to compile: a tile program holds at least one tile.kernel "
                     "at its top level; examples/vector-add.mlir is the smallest one");
  if (failed(checkAttributes(module)))
    return failure();
  return hasKernels ? checkNeighbours(module) : success();
}
