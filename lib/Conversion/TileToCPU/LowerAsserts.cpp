// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cpu-lower-asserts: a failed check writes one line and aborts. Upstream's lowering calls puts,
// whose buffer the abort loses where standard output is no terminal.
#include "tessera/Conversion/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace tessera {
#define GEN_PASS_DEF_CPULOWERASSERTS
#include "tessera/Conversion/Passes.h.inc"
} // namespace tessera

using namespace mlir;

/// "file:line:column: ", or nothing.
static std::string prefixOf(Location loc) {
  std::string text;
  loc->walk([&](Location at) {
    auto file = dyn_cast<FileLineColRange>(at);
    if (!file)
      return WalkResult::advance();
    text = (file.getFilename().getValue() + ":" + Twine(file.getStartLine()) + ":" +
            Twine(file.getStartColumn()) + ": ")
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

namespace {
struct CPULowerAsserts : tessera::impl::CPULowerAssertsBase<CPULowerAsserts> {
  void runOnOperation() override {
    SmallVector<cf::AssertOp> asserts;
    getOperation().walk([&](cf::AssertOp op) { asserts.push_back(op); });
    if (asserts.empty())
      return;
    MLIRContext *context = &getContext();
    auto pointer = LLVM::LLVMPointerType::get(context);
    auto i32 = IntegerType::get(context, 32), i64 = IntegerType::get(context, 64);
    OpBuilder b = OpBuilder::atBlockBegin(getOperation().getBody());
    auto declare = [&](StringRef name, LLVM::LLVMFunctionType type) {
      auto func = getOperation().lookupSymbol<LLVM::LLVMFuncOp>(name);
      return func ? func : LLVM::LLVMFuncOp::create(b, getOperation().getLoc(), name, type);
    };
    LLVM::LLVMFuncOp write =
        declare("write", LLVM::LLVMFunctionType::get(i64, {i32, pointer, i64}));
    LLVM::LLVMFuncOp abort =
        declare("abort", LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {}));
    for (auto [i, op] : llvm::enumerate(asserts)) {
      Location loc = op.getLoc();
      std::string text = prefixOf(loc) + "check failed: " + op.getMsg().str() + "\n";
      b.setInsertionPoint(write);
      auto type = LLVM::LLVMArrayType::get(IntegerType::get(context, 8), text.size());
      auto global =
          LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                 ("__tessera_check_" + Twine(i)).str(), b.getStringAttr(text));
      // The block ends before the check. A failure goes to a block of its own.
      Block *block = op->getBlock(), *rest = block->splitBlock(op->getIterator());
      Block *failed = b.createBlock(rest);
      Value fd = LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(2));
      Value size = LLVM::ConstantOp::create(b, loc, i64,
                                            b.getI64IntegerAttr(static_cast<int64_t>(text.size())));
      Value address = LLVM::AddressOfOp::create(b, loc, global);
      LLVM::CallOp::create(b, loc, write, ValueRange{fd, address, size});
      LLVM::CallOp::create(b, loc, abort, ValueRange{});
      LLVM::UnreachableOp::create(b, loc);
      b.setInsertionPointToEnd(block);
      cf::CondBranchOp::create(b, loc, op.getArg(), rest, failed);
      op.erase();
    }
  }
};
} // namespace
