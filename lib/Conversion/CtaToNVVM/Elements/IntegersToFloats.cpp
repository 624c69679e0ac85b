// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The instructions that convert integers run at a quarter of the rate of arithmetic or less. But
// the integers from 0 on are the lowest bits of the floats from 128 (bf16) or 1024 (f16) on, whose
// neighbours are 1 apart. So two numbers become a pair of floats by logical operations on a word,
// and a subtraction, which is exact. 7 bits fit into a bf16, 10 into an f16.
#include "IntegersToFloats.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

/// The bits of the float from which on neighbours are 1 apart, twice in a word.
static int64_t codeOf(FloatType type) { return type.isBF16() ? 0x43004300 : 0x64006400; }
static double baseOf(FloatType type) { return type.isBF16() ? 128 : 1024; }

static Value pairOf(Lowering &f, FloatType type, double value) {
  auto pair = VectorType::get({2}, type);
  return arith::ConstantOp::create(f.b, f.loc,
                                   DenseElementsAttr::get(pair, FloatAttr::get(type, value)));
}

static std::pair<Value, Value> partsOf(Lowering &f, Value pair) {
  return std::make_pair<Value, Value>(LLVM::ExtractElementOp::create(f.b, f.loc, pair, f.i32(0)),
                                      LLVM::ExtractElementOp::create(f.b, f.loc, pair, f.i32(1)));
}

/// `(word & mask) <op> code` by one instruction; `table` is that of lop3 for it. ptxas makes two
/// of it if there are two constants, unless it is one here.
static Value combine(Lowering &f, Value word, int64_t mask, int64_t code, StringRef table) {
  return f
      .inlineAsm("lop3.b32 $0, $1, " + std::to_string(mask) + ", " + std::to_string(code) + ", " +
                     table.str() + ";",
                 {{f.b.getI32Type(), "r"}}, {{word, "r"}}, /*sideEffects=*/false,
                 /*memoryClobber=*/false)
      .front();
}
static constexpr llvm::StringLiteral kAndXor = "0x6a", kAndOr = "0xea";

/// Of numbers that were unpacked from an element: the two are neighbours there, and a
/// multiplication puts the second one 16 bits above the first.
static std::pair<Value, Value> convertUnpacked(Lowering &f, cta::UnpackOp unpack, FloatType type,
                                               size_t reg) {
  const auto bits = static_cast<int64_t>(*unpack.getBits());
  // A signed number plus this has no sign.
  const int64_t bias = unpack.getIsSigned() ? int64_t(1) << (bits - 1) : 0;
  const auto factor = static_cast<size_t>(unpack.getFactor());
  const auto shift = static_cast<int64_t>(reg % factor) * bits, mask = (int64_t(1) << bits) - 1;
  Value whole = arith::ExtUIOp::create(f.b, f.loc, f.b.getI32Type(),
                                       f.registers(unpack.getSource())[reg / factor]);
  if (shift)
    whole = arith::ShRUIOp::create(f.b, f.loc, whole, f.i32(shift));
  Value word = f.mul(whole, f.i32((int64_t(1) << (16 - bits)) + 1));
  word = combine(f, word, mask << 16 | mask, codeOf(type) | bias << 16 | bias, kAndXor);
  Value pair = f.bitcast(word, VectorType::get({2}, type));
  pair = arith::SubFOp::create(f.b, f.loc, pair,
                               pairOf(f, type, baseOf(type) + static_cast<double>(bias)));
  return partsOf(f, pair);
}

/// A word whose halves are the two bytes, without sign.
static Value spread(Lowering &f, Value low, Value high) {
  auto permute = [&](Value x, Value y, int64_t selector) {
    return NVVM::PermuteOp::create(f.b, f.loc, f.b.getI32Type(), x, y, f.i32(selector),
                                   NVVM::PermuteMode::DEFAULT);
  };
  // Most often both are bytes of a vector of four or two that was loaded.
  auto x = low.getDefiningOp<LLVM::ExtractElementOp>();
  auto y = high.getDefiningOp<LLVM::ExtractElementOp>();
  if (x && y && x.getVector() == y.getVector()) {
    const std::optional<int64_t> first = getConstantIntValue(x.getPosition());
    const std::optional<int64_t> second = getConstantIntValue(y.getPosition());
    const int64_t count = cast<VectorType>(x.getVector().getType()).getNumElements();
    if (first && second && (count == 4 || count == 2)) {
      Value word = f.bitcast(x.getVector(), f.b.getIntegerType(static_cast<unsigned>(8 * count)));
      if (count == 2)
        word = arith::ExtUIOp::create(f.b, f.loc, f.b.getI32Type(), word);
      return permute(word, f.i32(0), 0x4040 | *first | *second << 8);
    }
  }
  auto extended = [&](Value byte) {
    return arith::ExtUIOp::create(f.b, f.loc, f.b.getI32Type(), byte);
  };
  return permute(extended(low), extended(high), 0x5410);
}

static std::pair<Value, Value> convertBytes(Lowering &f, bool isSigned, FloatType type, Value low,
                                            Value high) {
  auto pairType = VectorType::get({2}, type);
  Value word = spread(f, low, high);
  if (type.isF16()) {
    const int64_t bias = isSigned ? 0x80 : 0;
    Value code = f.i32(codeOf(type) | bias << 16 | bias);
    Value pair = f.bitcast(arith::XOrIOp::create(f.b, f.loc, word, code), pairType);
    pair = arith::SubFOp::create(f.b, f.loc, pair,
                                 pairOf(f, type, baseOf(type) + static_cast<double>(bias)));
    return partsOf(f, pair);
  }
  // A bf16 holds 7 of the bits. The eighth becomes a number of its own: with the code of 128 it is
  // that of 256.
  Value rest = f.bitcast(combine(f, word, 0x007f007f, codeOf(type), kAndOr), pairType);
  Value top = f.bitcast(combine(f, word, 0x00800080, codeOf(type), kAndOr), pairType);
  if (isSigned) // 128 + rest - (128 or 256)
    return partsOf(f, arith::SubFOp::create(f.b, f.loc, rest, top));
  // 128 + rest + (-128 or 0): 128 + rest + (128 or 256) would not be exact.
  top = arith::SubFOp::create(f.b, f.loc, top, pairOf(f, type, 256));
  return partsOf(f, arith::AddFOp::create(f.b, f.loc, rest, top));
}

std::optional<std::pair<Value, Value>>
tessera::nvvm::convertIntegers(Lowering &f, Operation *op, size_t reg, Value low, Value high) {
  if (!isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return std::nullopt;
  auto type = cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  if (!type.isBF16() && !type.isF16())
    return std::nullopt;
  const bool isSigned = isa<arith::SIToFPOp>(op);
  auto unpack = op->getOperand(0).getDefiningOp<cta::UnpackOp>();
  if (unpack && unpack.getBits() && (isSigned || !unpack.getIsSigned()))
    return convertUnpacked(f, unpack, type, reg);
  if (!low.getType().isInteger(8))
    return std::nullopt;
  return convertBytes(f, isSigned, type, low, high);
}
