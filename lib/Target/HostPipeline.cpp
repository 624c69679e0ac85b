// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The passes from tile kernels to the LLVM dialect on the host, and what they need registered.
#include "tessera/Contract/Contract.h"
#include "tessera/Conversion/Passes.h"
#include "tessera/Dialect/Tile/Passes.h"
#include "tessera/Target/HostObject.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToFuncs/MathToFuncs.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/LLVMIR/Transforms/InlinerInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tessera;

void tessera::registerHostDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect, bufferization::BufferizationDialect,
                  cf::ControlFlowDialect, func::FuncDialect, linalg::LinalgDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  tensor::TensorDialect, tile::TileDialect>();
  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  arith::registerBufferViewFlowOpInterfaceExternalModels(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  memref::registerAllocationOpInterfaceExternalModels(registry);
  memref::registerBufferViewFlowOpInterfaceExternalModels(registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  func::registerInlinerExtension(registry);
  LLVM::registerInlinerInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

/// Tile kernels to functions over tiles, with the contract as an attribute of the module.
static void addFunctions(OpPassManager &pm, bool check) {
  pm.addPass(tile::createTilePrepareInlining());
  pm.addPass(tile::createTileExpandOps());
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  auto &kernels = pm.nest<tile::KernelOp>();
  kernels.addPass(tile::createTileFuseFma());
  // The same passes as for the GPU, so that both targets accept the same programs. What would make
  // LLVM fail is an error here.
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(tile::createTileVerify());
  // After the passes that would take the checks' own accesses for the program's, or make sizes of
  // workspace constant and forget how it is filled.
  if (check)
    kernels.addPass(tile::createTileInsertChecks());
  kernels.addPass(tile::createTileReadBounds());
  pm.addPass(createConvertTileToCPU());
}

/// Functions over tiles to functions over buffers.
static void addBufferization(OpPassManager &pm) {
  auto &func = pm.nest<func::FuncOp>();
  func.addPass(createCanonicalizerPass());
  func.addPass(createCSEPass());
  func.addPass(createCPUBranchSwitches());
  func.addPass(createCPUFuseElementwise());
  func.addPass(createCSEPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  // Tiles that loops carry cannot be bufferized without this.
  bufferize.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  bufferization::buildBufferDeallocationPipeline(pm);
}

/// Buffers to loops over scalars of types that the host has.
static void addScalars(OpPassManager &pm) {
  auto &func = pm.nest<func::FuncOp>();
  func.addPass(createCPULowerCopies());
  func.addPass(createConvertLinalgToLoopsPass());
  func.addPass(createCPUExpandRounding());
  func.addPass(createCPUExpandNarrowFloats());
  func.addPass(createCPUGuardDivisions());
}

static void addLLVM(OpPassManager &pm) {
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createCPUPreciseMath()); // before upstream makes loops of powers
  pm.addPass(createConvertMathToFuncs());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createCPULowerAsserts());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  // Before the constants are LLVM's: of a memref.dim whose index it does not know, the conversion
  // makes an alloca where the op stands, and one in a loop takes more of the stack each time.
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCPULowerAtomics());
  pm.addPass(createCPUNarrowFloatsAsBits());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

LogicalResult tessera::buildHostPipeline(OpPassManager &pm, const HostOptions &options) {
  addFunctions(pm, options.check);
  addBufferization(pm);
  addScalars(pm);
  addLLVM(pm);
  return success();
}

LogicalResult tessera::runHostPipeline(ModuleOp module, const HostOptions &options) {
  PassManager toScalars(module.getContext()), toLLVM(module.getContext());
  addFunctions(toScalars, options.check);
  addBufferization(toScalars);
  addScalars(toScalars);
  addLLVM(toLLVM);
  // These are twenty passes over code of single instructions. If the verifier ran after each, it
  // would take a third of the time of the whole lowering.
  toLLVM.enableVerifier(false);
  toScalars.enableVerifier(options.verifyEach);
  return failure(failed(toScalars.run(module)) || failed(toLLVM.run(module)) ||
                 failed(verify(module)));
}

FailureOr<std::string> tessera::describeHostContract(ModuleOp module, const HostOptions &options) {
  PassManager pm(module.getContext());
  addFunctions(pm, options.check);
  if (failed(pm.run(module)))
    return failure();
  return module->getAttrOfType<StringAttr>(contract::kModuleAttr).str();
}

void tessera::registerHostPipelines() {
  PassPipelineRegistration<>("tile-to-cpu",
                             "Lower tile kernels to the LLVM dialect for the host (the CPU target)",
                             [](OpPassManager &pm) { (void)buildHostPipeline(pm); });
}
