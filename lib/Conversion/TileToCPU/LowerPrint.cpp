// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile.print by printf, one call for each line, so that lines stay whole where blocks run in
// threads of their own.
#include "tessera/Conversion/TileToCPU.h"
#include "tessera/Dialect/Tile/TakeRules.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;

static Value formatText(ModuleOp module, OpBuilder &b, Location loc, const std::string &text,
                        unsigned number) {
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  std::string bytes = text + '\0';
  auto type = LLVM::LLVMArrayType::get(top.getI8Type(), bytes.size());
  auto global =
      LLVM::GlobalOp::create(top, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                             ("__tessera_print_" + Twine(number)).str(), top.getStringAttr(bytes));
  return LLVM::AddressOfOp::create(b, loc, global);
}

/// A number as printf takes it: i64 or f64.
static Value asArgument(OpBuilder &b, Location loc, Value x) {
  Type type = x.getType();
  if (type.isIndex())
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), x);
  if (type.isF64() || type.isInteger(64))
    return x;
  if (type.isInteger(1))
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), x);
  if (type.isInteger())
    return arith::ExtSIOp::create(b, loc, b.getI64Type(), x);
  if (!type.isF32())
    x = arith::ExtFOp::create(b, loc, b.getF32Type(), x);
  return arith::ExtFOp::create(b, loc, b.getF64Type(), x);
}

static void lowerPrint(ModuleOp module, tile::PrintOp op, LLVM::LLVMFuncOp printf,
                       unsigned number) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  if (op.getCondition()) {
    auto branch = scf::IfOp::create(b, loc, op.getCondition(), /*withElseRegion=*/false);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
  }
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  SmallVector<Value> arguments{Value()};
  if (auto grid = op->getParentOfType<tile::GridOp>())
    for (Value coord : grid.getBody().getArguments())
      arguments.push_back(asArgument(b, loc, coord));
  const unsigned coords = arguments.size() - 1;
  const unsigned rank = type ? static_cast<unsigned>(type.getRank()) : 0;
  Type element = type ? type.getElementType() : op.getValue().getType();
  arguments.front() =
      formatText(module, b, loc, tile::printFormat(op.getMessage(), coords, rank, element), number);
  SmallVector<Value> at;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0),
        one = arith::ConstantIndexOp::create(b, loc, 1);
  for (unsigned d = 0; d < rank; ++d) {
    Value extent = arith::ConstantIndexOp::create(b, loc, type.getDimSize(d));
    auto loop = scf::ForOp::create(b, loc, zero, extent, one);
    b.setInsertionPointToStart(loop.getBody());
    at.push_back(loop.getInductionVar());
    arguments.push_back(asArgument(b, loc, at.back()));
  }
  Value value = op.getValue();
  if (type)
    value = tensor::ExtractOp::create(b, loc, value, at);
  arguments.push_back(asArgument(b, loc, value));
  LLVM::CallOp::create(b, loc, printf, arguments);
  op.erase();
}

void tessera::lowerPrints(ModuleOp module) {
  SmallVector<tile::PrintOp> prints;
  module.walk([&](tile::PrintOp op) { prints.push_back(op); });
  if (prints.empty())
    return;
  MLIRContext *context = module.getContext();
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto printf = module.lookupSymbol<LLVM::LLVMFuncOp>("printf");
  if (!printf)
    printf = LLVM::LLVMFuncOp::create(
        b, module.getLoc(), "printf",
        LLVM::LLVMFunctionType::get(IntegerType::get(context, 32),
                                    {LLVM::LLVMPointerType::get(context)}, /*isVarArg=*/true));
  for (auto [number, op] : llvm::enumerate(prints))
    lowerPrint(module, op, printf, static_cast<unsigned>(number));
}
