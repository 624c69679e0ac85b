// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mlir-opt with the dialects and passes of Tessera, and a dialect whose op becomes one instruction.
#include "tessera/Conversion/CtaToNVVMInterface.h"
#include "tessera/InitAll.h"
#include "tessera/Pipelines.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "HostDialect.h.inc"
#define GET_OP_CLASSES
#include "HostOps.h.inc"

using namespace mlir;
using tessera::nvvm::LoweringContext;

#include "HostDialect.cpp.inc"
#define GET_OP_CLASSES
#include "HostOps.cpp.inc"

static LogicalResult lowerFastTanh(host::FastTanhOp op, LoweringContext &context) {
  SmallVector<Value> results;
  for (Value x : context.registers(op.getX()))
    results.push_back(context.inlinePtx(op.getLoc(), x.getType(), "tanh.approx.f32 $0, $1;", x));
  return context.setRegisters(op.getResult(), results);
}

namespace {
struct HostToNVVM : tessera::nvvm::ConvertCtaToNVVMInterface {
  using ConvertCtaToNVVMInterface::ConvertCtaToNVVMInterface;
  void populateLowerings(tessera::nvvm::LoweringSet &lowerings) const override {
    lowerings.add<host::FastTanhOp>(lowerFastTanh);
  }
};
} // namespace

void host::HostDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "HostOps.cpp.inc"
      >();
  addInterfaces<HostToNVVM>();
}

int main(int argc, char **argv) {
  DialectRegistry registry;
  tessera::registerTesseraDialects(registry);
  tessera::registerTesseraPasses();
  registry.insert<host::HostDialect>();
  PassPipelineRegistration<>(
      "host-raw-to-nvvm", "from kernels in phase raw to the code of one thread",
      [](OpPassManager &pm) {
        tessera::buildTilePipeline(pm, tessera::Phase::Raw, tessera::Phase::Nvvm);
      });
  return asMainReturnCode(MlirOptMain(argc, argv, "an opt of a host\n", registry));
}
