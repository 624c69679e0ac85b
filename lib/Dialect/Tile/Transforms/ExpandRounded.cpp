// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A part of tile-expand-ops: of tile.rounded, what is left are f32 and f64, and conversions to them
// from i32 and i64.
#include "ExpandTileOps.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
namespace tile = tessera::tile;

/// Integers of a width that instructions convert. None is rounded.
static Value widenInteger(ImplicitLocOpBuilder &b, Value x, bool isSigned) {
  Type element = getElementTypeOrSelf(x.getType());
  if (element.isIndex()) {
    Type type = tile::withElement(x.getType(), b.getI64Type());
    return isSigned ? arith::IndexCastOp::create(b, type, x).getResult()
                    : arith::IndexCastUIOp::create(b, type, x).getResult();
  }
  const unsigned width = element.getIntOrFloatBitWidth();
  if (width == 32 || width == 64)
    return x;
  Type type = tile::withElement(x.getType(), width < 32 ? b.getI32Type() : b.getI64Type());
  return isSigned ? arith::ExtSIOp::create(b, type, x).getResult()
                  : arith::ExtUIOp::create(b, type, x).getResult();
}

SmallVector<Value> tile::expandRoundedOp(ImplicitLocOpBuilder &b, RoundedOp op,
                                         function_ref<SmallVector<Value>(Value)> expandPlain) {
  Type from = getElementTypeOrSelf(op.getInputs().front().getType()),
       to = getElementTypeOrSelf(op.getType());
  const bool isNarrow = !to.isF32() && !to.isF64();
  if (!op.isConversion() && !isNarrow)
    return {};
  const bool isPlain = !op.isDirected() && !op.getFlushToZero();
  if (isPlain) {
    if (from.isIndex()) {
      auto &operand = op->getOpOperand(0);
      operand.set(widenInteger(b, operand.get(), op.getKind() == RoundedKind::SIToFP));
    }
    return expandPlain(op.createPlain(b, op.getInputs()));
  }
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(
        op.isConversion()
            ? widenInteger(b, input, op.getKind() == RoundedKind::SIToFP)
            : arith::ExtFOp::create(b, tile::withElement(input.getType(), b.getF32Type()), input));
  if (!isNarrow && inputs.front() == op.getInputs().front())
    return {};
  // Rounding to f32 and then to fewer digits in the same direction is rounding once.
  Type wide = tile::withElement(op.getType(), isNarrow ? b.getF32Type() : to);
  Value result = RoundedOp::create(b, wide, op.getKindAttr(), inputs, op.getRoundingmodeAttr());
  if (isNarrow)
    result = arith::TruncFOp::create(b, op.getType(), result, op.getRoundingmodeAttr(),
                                     /*fastmath=*/nullptr);
  return {result};
}
