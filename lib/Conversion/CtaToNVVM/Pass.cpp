// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lowering.h"

#include "tessera/Conversion/CtaToNVVM.h"
#include "tessera/Conversion/Passes.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Transforms/Passes.h"

namespace tessera {
#define GEN_PASS_DEF_CONVERTCTATONVVM
#include "tessera/Conversion/Passes.h.inc"
} // namespace tessera

using namespace mlir;
using namespace tessera;

/// Ours, then those of other dialects, which may replace some of ours.
static nvvm::LoweringSet collectLowerings(MLIRContext *context) {
  nvvm::LoweringSet lowerings;
  nvvm::populateCtaToNVVMLowerings(lowerings);
  for (Dialect *dialect : context->getLoadedDialects())
    if (auto *interface = dialect->getRegisteredInterface<nvvm::ConvertCtaToNVVMInterface>())
      interface->populateLowerings(lowerings);
  return lowerings;
}

LogicalResult tessera::convertCtaToNVVM(ModuleOp module) {
  const nvvm::LoweringSet lowerings = collectLowerings(module.getContext());
  SmallVector<tile::KernelOp> kernels;
  for (auto kernel : module.getOps<tile::KernelOp>())
    kernels.push_back(kernel);
  for (tile::KernelOp kernel : kernels) {
    if (kernel.getPhase() != tile::Phase::Allocated)
      return kernel.emitOpError("convert-cta-to-nvvm needs phase allocated");
    for (auto launch : kernel.getBody().getOps<cta::LaunchOp>()) {
      nvvm::Lowering lowering(module, kernel, launch, lowerings);
      if (failed(lowering.run()) || failed(expandMathForNVVM(lowering.func, kernel.contractsFp())))
        return failure();
    }
  }
  for (tile::KernelOp kernel : kernels)
    kernel.erase();
  return success();
}

namespace {
struct ConvertCtaToNVVM : tessera::impl::ConvertCtaToNVVMBase<ConvertCtaToNVVM> {
  void runOnOperation() override {
    if (failed(convertCtaToNVVM(getOperation())))
      signalPassFailure();
  }
};
} // namespace

void tessera::buildNVVMPipeline(OpPassManager &pm) {
  pm.addPass(createConvertCtaToNVVM());
  pm.addNestedPass<LLVM::LLVMFuncOp>(createNVVMParkScalars());
  buildThreadCodePipeline(pm);
}

void tessera::buildThreadCodePipeline(OpPassManager &pm) {
  // No canonicalization here: LLVM does it faster.
  pm.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertThreadCodeToLLVM());
}

void tessera::registerNVVMPipeline() {
  PassPipelineRegistration<>("cta-to-llvm",
                             "Kernels in phase allocated to GPU functions in the LLVM dialect",
                             buildNVVMPipeline);
}
