// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera::tile;

//===--- mma ---------------------------------------------------------------------------------===//

/// Parses `precision = tf32 lhs = unsigned rhs = unsigned accumulate_every = 128 require =
/// [wgmma]`.
static ParseResult parseMmaClauses(OpAsmParser &parser, NamedAttrList &attrs) {
  Builder &b = parser.getBuilder();
  auto parseClause = [&](StringRef word) -> ParseResult {
    if (word == "require")
      return parseHint(parser, word, attrs);
    Attribute value;
    if (parser.parseEqual())
      return failure();
    if (word == "precision") {
      FailureOr<Precision> precision = FieldParser<Precision>::parse(parser);
      if (failed(precision))
        return failure();
      value = PrecisionAttr::get(b.getContext(), *precision);
    } else if (word == "accumulate_every") {
      int64_t number;
      if (parser.parseInteger(number))
        return failure();
      value = b.getI64IntegerAttr(number);
    } else {
      if (parser.parseKeyword("unsigned"))
        return failure();
      value = b.getUnitAttr();
    }
    attrs.append(word == "lhs" || word == "rhs" ? word.str() + "_unsigned" : word.str(), value);
    return success();
  };
  return parseClauses(parser, {"precision", "lhs", "rhs", "accumulate_every", "require"},
                      parseClause, /*isLast=*/true);
}

ParseResult MmaOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  if (parser.parseOperandList(operands) || parseMmaClauses(parser, result.attributes) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  if (operands.size() < 2 || operands.size() > 3)
    return parser.emitError(parser.getNameLoc())
           << "expected two or three operands: a, b and optionally c";
  SMLoc loc = parser.getCurrentLocation();
  Type at, bt, dt;
  if (parser.parseColonType(at) || parser.parseComma() || parser.parseType(bt) ||
      parser.parseArrow() || parser.parseType(dt))
    return failure();
  if (!isa<RankedTensorType>(at) || !isa<RankedTensorType>(bt) || !isa<RankedTensorType>(dt))
    return parser.emitError(loc) << "expected ranked tensors";
  SmallVector<Type> types{at, bt};
  if (operands.size() == 3)
    types.push_back(dt);
  result.addTypes(dt);
  return parser.resolveOperands(operands, types, loc, result.operands);
}

void MmaOp::print(OpAsmPrinter &p) {
  p << ' ' << getOperands();
  if (getPrecision())
    p << " precision = " << stringifyPrecision(*getPrecision());
  if (getLhsUnsigned())
    p << " lhs = unsigned";
  if (getRhsUnsigned())
    p << " rhs = unsigned";
  if (getAccumulateEvery())
    p << " accumulate_every = " << static_cast<int64_t>(*getAccumulateEvery());
  printHints(p, *this);
  p.printOptionalAttrDict((*this)->getAttrs(), {"precision", "lhs_unsigned", "rhs_unsigned",
                                                "accumulate_every", "require"});
  p << " : " << getA().getType() << ", " << getB().getType() << " -> " << getResult().getType();
}

/// The row of the table in ComputeOps.td that allows these types, or a sentence saying what is
/// legal.
static std::optional<std::string> illegalMmaTypes(Type a, Type b, Type d) {
  if (isFloat8(a) && isFloat8(b))
    return d.isF32() || d.isF16() ? std::nullopt
                                  : std::optional<std::string>("f8 accumulates in f32 or f16");
  if (a != b)
    return std::string("both operands must have one element type");
  if (a.isF16())
    return d.isF32() || d.isF16() ? std::nullopt
                                  : std::optional<std::string>("f16 accumulates in f32 or f16");
  if (a.isBF16())
    return d.isF32() ? std::nullopt : std::optional<std::string>("bf16 accumulates in f32");
  if (a.isF32())
    return d.isF32() ? std::nullopt : std::optional<std::string>("f32 accumulates in f32");
  if (a.isF64())
    return d.isF64() ? std::nullopt : std::optional<std::string>("f64 accumulates in f64");
  if (a.isInteger(8) || a.isInteger(16) || a.isInteger(32))
    return d.isInteger(32) ? std::nullopt
                           : std::optional<std::string>("integers accumulate in i32");
  return std::string("the operands must be f16, bf16, f8E4M3FN, f8E5M2, f32, f64, i8, i16 or i32");
}

int64_t MmaOp::getTensorCoreStep() {
  return tensorCoreStep(getAType().getElementType(), getBType().getElementType(),
                        getResultType().getElementType(), getPrecision() == Precision::Tf32);
}

LogicalResult MmaOp::verify() {
  RankedTensorType a = getAType(), b = getBType(), d = getResultType();
  int64_t rank = a.getRank();
  if ((rank != 2 && rank != 3) || b.getRank() != rank || d.getRank() != rank)
    return emitOpError(
               "mma_c1: operands and result must all have rank 2, or all rank 3 (batched), got ")
           << a.getRank() << ", " << b.getRank() << " and " << d.getRank();
  if (rank == 3 && (!extentsAgree(a.getDimSize(0), b.getDimSize(0)) ||
                    !extentsAgree(a.getDimSize(0), d.getDimSize(0))))
    return emitOpError("mma_c1: the batch extents differ: ") << a << ", " << b << " and " << d;
  if (!extentsAgree(a.getDimSize(rank - 1), b.getDimSize(rank - 2)))
    return emitOpError("mma_c1: K differs: ")
           << a.getDimSize(rank - 1) << " columns of a, " << b.getDimSize(rank - 2) << " rows of b";
  if (!extentsAgree(a.getDimSize(rank - 2), d.getDimSize(rank - 2)) ||
      !extentsAgree(b.getDimSize(rank - 1), d.getDimSize(rank - 1)))
    return emitOpError("mma_c1: ") << a << " times " << b << " does not give " << d;
  if (auto why = illegalMmaTypes(a.getElementType(), b.getElementType(), d.getElementType()))
    return emitOpError("mma_c2: ") << *why << ", got " << a.getElementType() << ", "
                                   << b.getElementType() << " -> " << d.getElementType();
  if (getC() && getC().getType() != d)
    return emitOpError("mma_c3: c must have the type of the result, ")
           << d << ", got " << getC().getType();
  bool narrowInt = a.getElementType().isInteger(8) || a.getElementType().isInteger(16);
  if ((getLhsUnsigned() || getRhsUnsigned()) && !narrowInt)
    return emitOpError("mma_c4: lhs = unsigned and rhs = unsigned are for i8 and i16, got ")
           << a.getElementType();
  if (getPrecision() == Precision::Tf32 && !a.getElementType().isF32())
    return emitOpError("mma_c4: precision = tf32 is for f32, got ") << a.getElementType();
  if (getAccumulateEvery() && static_cast<int64_t>(*getAccumulateEvery()) < 1)
    return emitOpError("mma_c4: accumulate_every must be positive");
  return success();
}

namespace {
/// `c` that is constant zero is no `c`.
struct DropZeroAccumulator : OpRewritePattern<MmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MmaOp op, PatternRewriter &rewriter) const override {
    if (!op.getC() ||
        !(matchPattern(op.getC(), m_PosZeroFloat()) || matchPattern(op.getC(), m_Zero())))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getCMutable().clear(); });
    return success();
  }
};
} // namespace

void MmaOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropZeroAccumulator>(context);
}
