// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile.rounded: syntax, constraints, folding.
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tessera::tile;

using Mode = arith::RoundingMode;
using Kind = RoundedKind;

//===--- syntax ------------------------------------------------------------------------------===//

ParseResult RoundedOp::parse(OpAsmParser &parser, OperationState &result) {
  StringRef name, word;
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<Kind> kind = symbolizeRoundedKind(name);
  if (!kind)
    return parser.emitError(loc)
           << "expected what is computed (addf, subf, mulf, divf, sqrt, fma, sitofp, uitofp, "
              "maximumf, minimumf, maxnumf, minnumf, exp2 or rsqrt), got '"
           << name << "'";
  MLIRContext *context = parser.getContext();
  result.addAttribute(getKindAttrName(result.name), RoundedKindAttr::get(context, *kind));
  if (parser.parseOperandList(inputs))
    return failure();
  SMLoc clause = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalKeyword(&word))) {
    StringAttr attr;
    Attribute value = parser.getBuilder().getUnitAttr();
    if (std::optional<Mode> mode = arith::symbolizeRoundingMode(word)) {
      attr = getRoundingmodeAttrName(result.name);
      value = arith::RoundingModeAttr::get(context, *mode);
    } else if (word == "flush_to_zero") {
      attr = getFlushToZeroAttrName(result.name);
    } else if (word == "afn") {
      attr = getAfnAttrName(result.name);
    } else {
      return parser.emitError(clause)
             << "expected a rounding mode (to_nearest_even, downward, upward or toward_zero), "
                "'flush_to_zero' or 'afn', got '"
             << word << "'";
    }
    if (result.attributes.get(attr))
      return parser.emitError(clause) << "'" << attr.getValue() << "' is given twice";
    result.addAttribute(attr, value);
    clause = parser.getCurrentLocation();
  }
  Type type;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type))
    return failure();
  Type to = type;
  if (succeeded(parser.parseOptionalKeyword("to")) && parser.parseType(to))
    return failure();
  result.addTypes(to);
  SmallVector<Type> types(inputs.size(), type);
  return parser.resolveOperands(inputs, types, loc, result.operands);
}

void RoundedOp::print(OpAsmPrinter &p) {
  p << ' ' << stringifyRoundedKind(getKind()) << ' ' << getInputs();
  if (getRoundingmode())
    p << ' ' << arith::stringifyRoundingMode(*getRoundingmode());
  if (getFlushToZero())
    p << " flush_to_zero";
  if (getAfn())
    p << " afn";
  p.printOptionalAttrDict((*this)->getAttrs(), {getKindAttrName(), getRoundingmodeAttrName(),
                                                getFlushToZeroAttrName(), getAfnAttrName()});
  Type type = getInputs().empty() ? getType() : getInputs().front().getType();
  p << " : " << type;
  if (type != getType())
    p << " to " << getType();
}

//===--- constraints -------------------------------------------------------------------------===//

static unsigned inputsOf(Kind kind) {
  switch (kind) {
  case Kind::Fma:
    return 3;
  case Kind::Sqrt:
  case Kind::SIToFP:
  case Kind::UIToFP:
  case Kind::Exp2:
  case Kind::RSqrt:
    return 1;
  default:
    return 2;
  }
}

static bool takesMode(Kind kind) { return kind <= Kind::UIToFP; }

LogicalResult RoundedOp::verify() {
  const Kind kind = getKind();
  StringRef name = stringifyRoundedKind(kind);
  if (getInputs().size() != inputsOf(kind))
    return emitOpError("rounded_c1: ")
           << name << " has " << inputsOf(kind) << " operands, got " << getInputs().size();
  for (Value input : getInputs())
    if (input.getType() != getInputs().front().getType())
      return emitOpError("rounded_c1: the operands must have one type, got ")
             << getInputs().front().getType() << " and " << input.getType();
  Type type = getInputs().front().getType(), from = getElementTypeOrSelf(type),
       to = getElementTypeOrSelf(getType());
  if (isConversion()) {
    const bool isInteger =
        from.isIndex() || (from.isSignlessInteger() && from.getIntOrFloatBitWidth() >= 8 &&
                           from.getIntOrFloatBitWidth() <= 64);
    if (!isInteger || !isa<FloatType>(to))
      return emitOpError("rounded_c1: ") << name << " converts from integers of 8 to 64 bits or "
                                         << "index to floats, got " << type << " to " << getType();
  } else if (type != getType()) {
    return emitOpError("rounded_c1: the result has the type of the operands, ")
           << type << ", got " << getType() << "; arith.truncf has a rounding mode of its own";
  } else if (!isa<FloatType>(from)) {
    return emitOpError("rounded_c2: ") << name << " computes floats, got " << type;
  }
  if (getMode() == Mode::to_nearest_away)
    return emitOpError("rounded_c2: 'to_nearest_away' is no mode of this op; it has "
                       "to_nearest_even, downward, upward and toward_zero");
  if (isDirected() && !takesMode(kind))
    return emitOpError("rounded_c2: ")
           << name << " has no rounding mode; a direction is for addf, subf, mulf, divf, sqrt, "
           << "fma, sitofp and uitofp";
  if (getFlushToZero() && (isConversion() || !from.isF32()))
    return emitOpError("rounded_c3: 'flush_to_zero' is for operands of f32, got ")
           << type << "; other types keep their denormals";
  if (!getAfn())
    return success();
  if (kind != Kind::DivF && kind != Kind::Sqrt && kind != Kind::Exp2 && kind != Kind::RSqrt)
    return emitOpError("rounded_c4: 'afn' is for divf, sqrt, exp2 and rsqrt, got ") << name;
  if (isDirected() || !getFlushToZero())
    return emitOpError(
        "rounded_c4: 'afn' needs 'flush_to_zero' and no direction; without denormals "
        "and modes in play, say 'fastmath<afn>' on the op of arith or math");
  return success();
}

//===--- folding -----------------------------------------------------------------------------===//

Value RoundedOp::createPlain(OpBuilder &b, ValueRange x) {
  Location loc = getLoc();
  const auto flags = getAfn() ? arith::FastMathFlags::afn : arith::FastMathFlags::none;
  switch (getKind()) {
  case Kind::AddF:
    return arith::AddFOp::create(b, loc, x[0], x[1]);
  case Kind::SubF:
    return arith::SubFOp::create(b, loc, x[0], x[1]);
  case Kind::MulF:
    return arith::MulFOp::create(b, loc, x[0], x[1]);
  case Kind::DivF:
    return arith::DivFOp::create(b, loc, x[0], x[1], flags);
  case Kind::Sqrt:
    return math::SqrtOp::create(b, loc, x[0], flags);
  case Kind::Fma:
    return math::FmaOp::create(b, loc, x[0], x[1], x[2]);
  case Kind::SIToFP:
    return arith::SIToFPOp::create(b, loc, getType(), x[0]);
  case Kind::UIToFP:
    return arith::UIToFPOp::create(b, loc, getType(), x[0]);
  case Kind::MaximumF:
    return arith::MaximumFOp::create(b, loc, x[0], x[1]);
  case Kind::MinimumF:
    return arith::MinimumFOp::create(b, loc, x[0], x[1]);
  case Kind::MaxNumF:
    return arith::MaxNumFOp::create(b, loc, x[0], x[1]);
  case Kind::MinNumF:
    return arith::MinNumFOp::create(b, loc, x[0], x[1]);
  case Kind::Exp2:
    return math::Exp2Op::create(b, loc, x[0], flags);
  case Kind::RSqrt:
    return math::RsqrtOp::create(b, loc, x[0], flags);
  }
  llvm_unreachable("unknown kind");
}

static llvm::RoundingMode llvmModeOf(Mode mode) {
  switch (mode) {
  case Mode::downward:
    return llvm::RoundingMode::TowardNegative;
  case Mode::upward:
    return llvm::RoundingMode::TowardPositive;
  case Mode::toward_zero:
    return llvm::RoundingMode::TowardZero;
  default:
    return llvm::RoundingMode::NearestTiesToEven;
  }
}

/// Whether a result that has become the least normal number is below it with all its digits.
/// Products and what is added to them are exact in quadruple precision, if the sum is about that
/// number, or else far from a tie.
static bool isTiny(Kind kind, ArrayRef<APFloat> operands, llvm::RoundingMode mode) {
  bool isInexact;
  SmallVector<APFloat> x(operands);
  for (APFloat &value : x)
    value.convert(APFloat::IEEEquad(), mode, &isInexact);
  APFloat result = x[0];
  if (kind == Kind::MulF)
    result.multiply(x[1], mode);
  else if (kind == Kind::DivF)
    result.divide(x[1], mode);
  else if (kind == Kind::Fma)
    result.fusedMultiplyAdd(x[1], x[2], mode);
  else
    return false;
  constexpr int kShift = 64;
  result = scalbn(result, kShift, mode);
  result.convert(APFloat::IEEEsingle(), mode, &isInexact);
  return ilogb(result) < -126 + kShift;
}

/// What the op computes of numbers; nothing for functions.
static std::optional<APFloat> evaluate(RoundedOp op, SmallVector<APFloat> x) {
  const llvm::RoundingMode mode = llvmModeOf(op.getMode());
  auto flush = [&](APFloat value) {
    return op.getFlushToZero() && value.isDenormal()
               ? APFloat::getZero(value.getSemantics(), value.isNegative())
               : value;
  };
  for (APFloat &value : x)
    value = flush(value);
  APFloat result = x[0];
  switch (op.getKind()) {
  case Kind::AddF:
    result.add(x[1], mode);
    break;
  case Kind::SubF:
    result.subtract(x[1], mode);
    break;
  case Kind::MulF:
    result.multiply(x[1], mode);
    break;
  case Kind::DivF:
    result.divide(x[1], mode);
    break;
  case Kind::Fma:
    result.fusedMultiplyAdd(x[1], x[2], mode);
    break;
  case Kind::MaximumF:
    result = maximum(x[0], x[1]);
    break;
  case Kind::MinimumF:
    result = minimum(x[0], x[1]);
    break;
  default:
    return std::nullopt;
  }
  if (op.getFlushToZero() && result.isSmallestNormalized() && isTiny(op.getKind(), x, mode))
    return APFloat::getZero(result.getSemantics(), result.isNegative());
  return flush(result);
}

/// The same of attributes: scalars, or one element of each tile.
static TypedAttr evaluate(RoundedOp op, ArrayRef<Attribute> operands) {
  auto type = cast<FloatType>(getElementTypeOrSelf(op.getType()));
  if (op.isConversion()) {
    auto integer = dyn_cast<IntegerAttr>(operands[0]);
    if (!integer)
      return {};
    APFloat result(type.getFloatSemantics());
    result.convertFromAPInt(integer.getValue(), op.getKind() == Kind::SIToFP,
                            llvmModeOf(op.getMode()));
    return FloatAttr::get(type, result);
  }
  SmallVector<APFloat> numbers;
  for (Attribute operand : operands) {
    auto number = dyn_cast<FloatAttr>(operand);
    if (!number)
      return {};
    numbers.push_back(number.getValue());
  }
  std::optional<APFloat> result = evaluate(op, std::move(numbers));
  return result ? FloatAttr::get(type, *result) : TypedAttr();
}

OpFoldResult RoundedOp::fold(FoldAdaptor adaptor) {
  ArrayRef<Attribute> operands = adaptor.getInputs();
  if (llvm::any_of(operands, [](Attribute operand) { return !operand; }))
    return {};
  auto tile = dyn_cast<RankedTensorType>(getType());
  if (!tile)
    return evaluate(*this, operands);
  SmallVector<Attribute> elements;
  for (Attribute operand : operands) {
    auto splat = dyn_cast<SplatElementsAttr>(operand);
    if (!splat)
      return {};
    elements.push_back(splat.getSplatValue<Attribute>());
  }
  TypedAttr value = evaluate(*this, elements);
  return value ? OpFoldResult(DenseElementsAttr::get(tile, Attribute(value))) : OpFoldResult();
}

namespace {
/// To nearest even and with denormals it is the op of arith or math.
struct PlainRounded : OpRewritePattern<RoundedOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RoundedOp op, PatternRewriter &rewriter) const override {
    if (op.isDirected() || op.getFlushToZero())
      return failure();
    Value first = op.getInputs().front();
    SmallVector<Value> inputs(op.getInputs());
    // `arith` converts no index to floats.
    if (getElementTypeOrSelf(first.getType()).isIndex()) {
      Type type = rewriter.getI64Type();
      if (auto tile = dyn_cast<RankedTensorType>(first.getType()))
        type = tile.clone(type);
      inputs[0] =
          op.getKind() == Kind::SIToFP
              ? arith::IndexCastOp::create(rewriter, op.getLoc(), type, first).getResult()
              : arith::IndexCastUIOp::create(rewriter, op.getLoc(), type, first).getResult();
    }
    rewriter.replaceOp(op, op.createPlain(rewriter, inputs));
    return success();
  }
};
} // namespace

void RoundedOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<PlainRounded>(context);
}
