// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cpu-lower-atomics: calls that stand for the steps of atomics become instructions.
#include "tessera/Conversion/Passes.h"
#include "tessera/Conversion/TileToCPU.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tessera {
#define GEN_PASS_DEF_CPULOWERATOMICS
#include "tessera/Conversion/Passes.h.inc"
} // namespace tessera

using namespace mlir;

namespace {
struct CPULowerAtomics : tessera::impl::CPULowerAtomicsBase<CPULowerAtomics> {
  void runOnOperation() override {
    SmallVector<LLVM::CallOp> calls;
    getOperation().walk([&](LLVM::CallOp call) {
      if (StringRef name = call.getCallee().value_or(""); isCas(name) || isPeek(name))
        calls.push_back(call);
    });
    for (LLVM::CallOp call : calls)
      lower(call);
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<LLVM::LLVMFuncOp>()))
      if (isCas(function.getName()) || isPeek(function.getName()))
        function.erase();
  }

  static bool isCas(StringRef name) { return name.starts_with(tessera::kCasPrefix); }
  static bool isPeek(StringRef name) { return name.starts_with(tessera::kPeekPrefix); }

  static void lower(LLVM::CallOp call) {
    ImplicitLocOpBuilder b(call.getLoc(), call);
    ValueRange operands = call.getCalleeOperands();
    Value pointer =
        LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), operands[0]);
    Type type = call.getResult().getType();
    Value result;
    if (isCas(*call.getCallee()))
      result = LLVM::ExtractValueOp::create(
          b,
          LLVM::AtomicCmpXchgOp::create(b, pointer, operands[1], operands[2],
                                        LLVM::AtomicOrdering::acq_rel,
                                        LLVM::AtomicOrdering::acquire)
              .getResult(),
          0);
    else
      result = LLVM::LoadOp::create(
          b, type, pointer, /*alignment=*/type.getIntOrFloatBitWidth() / 8,
          /*isVolatile=*/false, /*isNonTemporal=*/false,
          /*isInvariant=*/false, /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic);
    call->replaceAllUsesWith(ValueRange(result));
    call.erase();
  }
};
} // namespace
