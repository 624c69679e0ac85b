// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile.rounded, and truncations with a rounding mode: instructions have the mode and `.ftz`.
#include "../Lowering.h"

#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Rounding/Rounding.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

using Mode = arith::RoundingMode;
using Kind = tile::RoundedKind;

static StringRef suffixOf(Mode mode) {
  switch (mode) {
  case Mode::downward:
    return "rm";
  case Mode::upward:
    return "rp";
  case Mode::toward_zero:
    return "rz";
  default:
    return "rn";
  }
}

static Value call(Lowering &f, Type type, const Twine &name, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(f.b, f.loc, type, f.b.getStringAttr("llvm.nvvm." + name),
                                       operands)
      .getResult(0);
}

/// The integer of 32 or 64 bits as f32 or f64.
static Value convert(Lowering &f, tile::RoundedOp op, Value x) {
  const bool isWide = x.getType().isInteger(64), isSigned = op.getKind() == Kind::SIToFP;
  Type type = op.getType();
  type = getElementTypeOrSelf(type);
  StringRef from = isWide ? (isSigned ? "ll" : "ull") : (isSigned ? "i" : "ui");
  return call(f, type, from + "2" + (type.isF64() ? "d." : "f.") + suffixOf(op.getMode()), x);
}

Value tessera::nvvm::lowerRounded(Lowering &f, tile::RoundedOp op, ValueRange operands) {
  Values x(operands);
  if (op.isConversion())
    return convert(f, op, x[0]);
  Type type = x[0].getType();
  const Kind kind = op.getKind();
  const bool flush = op.getFlushToZero();
  const std::string mode = suffixOf(op.getMode()).str(), ftz = flush ? ".ftz" : "",
                    letter = type.isF64() ? ".d" : ".f", rounded = "." + mode + ftz + letter;
  switch (kind) {
  case Kind::SubF:
    x[1] = arith::NegFOp::create(f.b, f.loc, x[1]);
    [[fallthrough]];
  case Kind::AddF:
    return call(f, type, "add" + rounded, x);
  case Kind::MulF:
    return call(f, type, "mul" + rounded, x);
  case Kind::DivF:
    if (op.getAfn())
      return call(f, type, "div.full.ftz", x);
    if (matchPattern(x[0], m_OneFloat()))
      return call(f, type, "rcp" + rounded, x[1]);
    return call(f, type, "div" + rounded, x);
  case Kind::Sqrt:
    return call(f, type, op.getAfn() ? "sqrt.approx.ftz.f" : "sqrt" + rounded, x);
  case Kind::Fma:
    return call(f, type, "fma" + rounded, x);
  case Kind::MaximumF:
  case Kind::MinimumF:
  case Kind::MaxNumF:
  case Kind::MinNumF: {
    if (!flush) {
      OpBuilder::InsertionGuard guard(f.b);
      return op.createPlain(f.b, x);
    }
    const bool isMax = kind == Kind::MaximumF || kind == Kind::MaxNumF,
               propagatesNan = kind == Kind::MaximumF || kind == Kind::MinimumF;
    return call(
        f, type,
        std::string(isMax ? "fmax" : "fmin") + ".ftz" + (propagatesNan ? ".nan" : "") + ".f", x);
  }
  case Kind::Exp2:
  case Kind::RSqrt: {
    if (flush && op.getAfn())
      return call(f, type, kind == Kind::Exp2 ? "ex2.approx.ftz.f32" : "rsqrt.approx.ftz.f", x);
    // A product with 1 is the number itself, or the zero that it becomes.
    auto flushed = [&](Value v) -> Value {
      return flush ? call(f, type, "mul.rn.ftz.f", {v, f.constant(f.b.getF32FloatAttr(1.0f))}) : v;
    };
    return flushed(op.createPlain(f.b, flushed(x[0])));
  }
  case Kind::SIToFP:
  case Kind::UIToFP:
    break;
  }
  llvm_unreachable("conversions have been lowered above");
}

Value tessera::nvvm::lowerTruncation(Lowering &f, arith::TruncFOp op, Value x) {
  const Mode mode = tile::modeOf(op);
  auto to = cast<FloatType>(getElementTypeOrSelf(op.getType()));
  ImplicitLocOpBuilder b(f.loc, f.b);
  const bool isDirection = mode != Mode::to_nearest_away;
  if (x.getType().isF64() && isDirection) {
    // Rounding twice in one direction is rounding once.
    x = call(f, f.b.getF32Type(), "d2f." + suffixOf(mode), x);
    if (to.isF32())
      return x;
  }
  if (to.isF16() && isDirection) {
    Value half = f.inlineAsm(("cvt." + suffixOf(mode) + ".f16.f32 $0, $1;").str(),
                             {{f.b.getI16Type(), "h"}}, {{x, "f"}}, /*sideEffects=*/false,
                             /*memoryClobber=*/false)
                     .front();
    return f.bitcast(half, to);
  }
  Value bits = tile::narrowRoundedBits(b, x, to, mode);
  return tile::isFloat8(to) ? bits : f.bitcast(bits, to);
}
