// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta.print by CUDA's vprintf: one thread prints all lines.
#include "../SharedTile.h"

#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/TakeRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

static LLVM::LLVMFuncOp printFunction(Lowering &f) {
  constexpr StringLiteral kName = "vprintf";
  if (auto known = f.module.lookupSymbol<LLVM::LLVMFuncOp>(kName))
    return known;
  OpBuilder top = OpBuilder::atBlockBegin(f.module.getBody());
  auto pointer = LLVM::LLVMPointerType::get(f.context);
  return LLVM::LLVMFuncOp::create(
      top, f.loc, kName, LLVM::LLVMFunctionType::get(top.getI32Type(), {pointer, pointer}));
}

/// A number as the format takes it: i64 or f64.
static Value asArgument(Lowering &f, Value x) {
  Type type = x.getType();
  if (type.isF64())
    return x;
  if (isa<FloatType>(type)) {
    if (!type.isF32())
      x = arith::ExtFOp::create(f.b, f.loc, f.b.getF32Type(), x);
    return arith::ExtFOp::create(f.b, f.loc, f.b.getF64Type(), x);
  }
  if (type.isIndex() || type.isInteger(32))
    return f.toI64(x);
  if (type.isInteger(1))
    return arith::ExtUIOp::create(f.b, f.loc, f.b.getI64Type(), x);
  return type.isInteger(64) ? x
                            : arith::ExtSIOp::create(f.b, f.loc, f.b.getI64Type(), x).getResult();
}

namespace {
/// One line after the other: the arguments go to a buffer in the thread's own memory.
class Lines {
public:
  Lines(Lowering &f, cta::PrintOp op, unsigned rank, Type element) : f(f), element(element) {
    for (Value coord : op.getCoords())
      first.push_back(asArgument(f, f.scalar(coord)));
    text = textPointer(
        f, tile::printFormat(op.getMessage(), static_cast<unsigned>(first.size()), rank, element));
    const auto count = static_cast<int64_t>(first.size()) + rank + 1;
    Lowering::Preamble preamble(f);
    buffer = LLVM::AllocaOp::create(f.b, f.loc, LLVM::LLVMPointerType::get(f.context),
                                    f.b.getI64Type(), f.i64(count), /*alignment=*/8);
  }

  void print(ValueRange coords, Value value) {
    Values arguments(first);
    for (Value coord : coords)
      arguments.push_back(asArgument(f, coord));
    if (tile::isFloat8(element))
      value = f.extendFloat8(value, {}, element, f.b.getF32Type()).first;
    arguments.push_back(asArgument(f, value));
    for (auto [i, argument] : llvm::enumerate(arguments))
      LLVM::StoreOp::create(f.b, f.loc, argument, f.gep(buffer, static_cast<int64_t>(8 * i)), 8);
    LLVM::CallOp::create(f.b, f.loc, printFunction(f), ValueRange{text, buffer});
  }

private:
  Lowering &f;
  Type element;
  Values first;
  Value text, buffer;
};
} // namespace

static LogicalResult lowerPrint(Lowering &f, cta::PrintOp op) {
  auto smem = dyn_cast<cta::SmemType>(op.getValue().getType());
  if (isa<RankedTensorType>(op.getValue().getType()))
    return f.error(op, "prints a register tile: run cta-decompose before this pass");
  std::optional<SharedPlace> place;
  if (smem && !(place = f.placeOf(op.getValue())))
    return f.error(op, "the shared tile has no offset: run cta-allocate-shared before this pass");
  f.inFirstThread([&] {
    OpBuilder::InsertionGuard guard(f.b);
    if (op.getCondition()) {
      auto branch =
          scf::IfOp::create(f.b, f.loc, f.scalar(op.getCondition()), /*withElseRegion=*/false);
      f.b.setInsertionPointToStart(&branch.getThenRegion().front());
    }
    if (!smem) {
      Lines(f, op, 0, op.getValue().getType()).print({}, f.scalar(op.getValue()));
      return;
    }
    layout::SharedLayout shared = cta::sharedLayout(smem);
    Type element = smem.getElementType();
    Lines lines(f, op, static_cast<unsigned>(smem.getShape().size()), element);
    Values coords;
    for (int64_t extent : smem.getShape()) {
      auto loop = scf::ForOp::create(f.b, f.loc, f.i32(0), f.i32(extent), f.i32(1));
      f.b.setInsertionPointToStart(loop.getBody());
      coords.push_back(loop.getInductionVar());
    }
    Values at(coords);
    at.resize(shared.shape.size()); // of rank 0: one element
    Value pointer = f.gep(f.gep(place->base, elementOffset(f, shared, at)), place->offset);
    Values words = f.loadWords(pointer, 0, tile::elementBytes(element), /*invariant=*/false);
    Value stored = f.unpack(words, f.memoryType(element), 1).front();
    lines.print(coords, f.fromMemory(stored, element));
  });
  return success();
}

void tessera::nvvm::populatePrintLowerings(LoweringSet &set) { addLowering(set, lowerPrint); }
