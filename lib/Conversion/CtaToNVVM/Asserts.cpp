// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cf.assert calls CUDA's own handler, which prints the message with file and line and ends the
// kernel.
#include "Lowering.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

Value tessera::nvvm::textPointer(Lowering &f, StringRef text) {
  std::string name;
  for (unsigned i = 0;; ++i) {
    name = ("__tessera_text_" + Twine(i)).str();
    auto known = f.module.lookupSymbol<LLVM::GlobalOp>(name);
    auto value = known ? dyn_cast_or_null<StringAttr>(known.getValueOrNull()) : StringAttr();
    if (!known || (value && value.getValue().drop_back() == text))
      break;
  }
  // In global memory, because the host reads it for the handler.
  constexpr unsigned kGlobal = 1;
  std::string bytes = text.str() + '\0';
  if (!f.module.lookupSymbol(name)) {
    OpBuilder top = OpBuilder::atBlockBegin(f.module.getBody());
    auto type = LLVM::LLVMArrayType::get(top.getI8Type(), bytes.size());
    LLVM::GlobalOp::create(top, f.loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                           top.getStringAttr(bytes), /*alignment=*/1, kGlobal);
  }
  Value address =
      LLVM::AddressOfOp::create(f.b, f.loc, LLVM::LLVMPointerType::get(f.context, kGlobal), name);
  return LLVM::AddrSpaceCastOp::create(f.b, f.loc, LLVM::LLVMPointerType::get(f.context), address);
}

static LogicalResult lowerAssert(Lowering &f, cf::AssertOp op) {
  constexpr StringLiteral kHandler = "__assertfail";
  auto pointer = LLVM::LLVMPointerType::get(f.context);
  auto handler = f.module.lookupSymbol<LLVM::LLVMFuncOp>(kHandler);
  if (!handler) {
    OpBuilder top = OpBuilder::atBlockBegin(f.module.getBody());
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(f.context),
        {pointer, pointer, top.getI32Type(), pointer, top.getI64Type()});
    handler = LLVM::LLVMFuncOp::create(top, f.loc, kHandler, type);
  }
  std::string file = "<unknown>";
  int64_t line = 0;
  op.getLoc()->walk([&](Location at) {
    auto range = dyn_cast<FileLineColRange>(at);
    if (!range)
      return WalkResult::advance();
    file = range.getFilename().str();
    line = range.getStartLine();
    return WalkResult::interrupt();
  });
  // Scalars are the same in all threads, so one thread of a warp reports.
  Value failed =
      arith::XOrIOp::create(f.b, f.loc, f.scalar(op.getArg()),
                            arith::ConstantOp::create(f.b, f.loc, f.b.getBoolAttr(true)));
  Value first = f.compare(arith::CmpIPredicate::eq, f.lane(), f.i32(0));
  auto branch = scf::IfOp::create(f.b, f.loc, arith::AndIOp::create(f.b, f.loc, failed, first),
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPointToStart(&branch.getThenRegion().front());
  Value charBytes = arith::ConstantOp::create(f.b, f.loc, f.b.getI64IntegerAttr(1));
  LLVM::CallOp::create(f.b, f.loc, handler,
                       ValueRange{textPointer(f, ("check failed: " + op.getMsg()).str()),
                                  textPointer(f, file), f.i32(line),
                                  textPointer(f, f.func.getSymName()), charBytes});
  return success();
}

void tessera::nvvm::populateAssertLowerings(LoweringSet &set) { addLowering(set, lowerAssert); }
