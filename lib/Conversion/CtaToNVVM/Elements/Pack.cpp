// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta.pack and cta.unpack: the parts of an element are adjacent registers of the same thread.
#include "../Lowering.h"

#include "tessera/Dialect/Cta/IR/LayoutRules.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

/// The number of registers of the tile with more elements, if the layouts fit.
static FailureOr<int64_t> checkLayouts(Lowering &f, Operation *op) {
  auto [wide, narrow, factor] = cta::packing(op);
  const auto few = static_cast<int64_t>(f.registerTypes(wide.getType()).size()),
             many = static_cast<int64_t>(f.registerTypes(narrow.getType()).size());
  if (cta::layoutOf(narrow) != cta::unpackedLayout(cta::layoutOf(wide), factor) ||
      many != few * factor)
    return f.error(op, "the layouts do not keep the parts of an element together; cta-verify says "
                       "what they must be");
  return many;
}

static LogicalResult lowerUnpack(Lowering &f, cta::UnpackOp op) {
  if (failed(checkLayouts(f, op)))
    return failure();
  const int64_t factor = op.getFactor();
  Type element = cta::tensorOf(op.getResult()).getElementType();
  Values regs;
  for (Value whole : f.registers(op.getSource())) {
    if (!op.getBits()) {
      llvm::append_range(regs, f.unpack(f.pack({whole}), element, factor));
      continue;
    }
    const auto bits = static_cast<int64_t>(*op.getBits());
    Type word = f.b.getI32Type();
    Value wide = arith::ExtUIOp::create(f.b, f.loc, word, whole);
    for (int64_t part = 0; part < factor; ++part) {
      Value value;
      if (op.getIsSigned()) {
        value = arith::ShLIOp::create(f.b, f.loc, wide, f.i32(32 - bits * (part + 1)));
        value = arith::ShRSIOp::create(f.b, f.loc, value, f.i32(32 - bits));
      } else {
        value =
            part ? arith::ShRUIOp::create(f.b, f.loc, wide, f.i32(bits * part)).getResult() : wide;
        value = f.bitAnd(value, f.i32((1 << bits) - 1));
      }
      regs.push_back(arith::TruncIOp::create(f.b, f.loc, element, value));
    }
  }
  f.set(op.getResult(), std::move(regs));
  return success();
}

static LogicalResult lowerPack(Lowering &f, cta::PackOp op) {
  FailureOr<int64_t> many = checkLayouts(f, op);
  if (failed(many))
    return failure();
  const int64_t factor = op.getFactor();
  Type element = cta::tensorOf(op.getResult()).getElementType();
  const Values &parts = f.registers(op.getSource());
  Values regs;
  for (int64_t r = 0; r < *many; r += factor) {
    if (!op.getBits()) {
      Values words = f.pack(ValueRange(parts).slice(r, factor));
      regs.push_back(f.unpack(words, element, 1).front());
      continue;
    }
    const auto bits = static_cast<int64_t>(*op.getBits());
    Value byte;
    for (int64_t part = 0; part < factor; ++part) {
      Value value = arith::ExtUIOp::create(f.b, f.loc, f.b.getI32Type(), parts[r + part]);
      value = f.bitAnd(value, f.i32((1 << bits) - 1));
      if (part)
        value = arith::ShLIOp::create(f.b, f.loc, value, f.i32(bits * part));
      byte = byte ? arith::OrIOp::create(f.b, f.loc, byte, value).getResult() : value;
    }
    regs.push_back(arith::TruncIOp::create(f.b, f.loc, element, byte));
  }
  f.set(op.getResult(), std::move(regs));
  return success();
}

void tessera::nvvm::populatePackLowerings(LoweringSet &set) {
  addLowering(set, lowerUnpack);
  addLowering(set, lowerPack);
}
