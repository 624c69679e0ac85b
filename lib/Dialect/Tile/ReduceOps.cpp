// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tessera::tile;

//===--- reduce: syntax ----------------------------------------------------------------------===//

RankedTensorType ReduceOp::reducedType(RankedTensorType input, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape;
  for (auto [d, extent] : llvm::enumerate(input.getShape()))
    if (!llvm::is_contained(dims, static_cast<int64_t>(d)))
      shape.push_back(extent);
  return RankedTensorType::get(shape, input.getElementType());
}

void ReduceOp::build(OpBuilder &b, OperationState &state, ReduceKind kind, Value input,
                     ArrayRef<int64_t> dims) {
  state.addOperands(input);
  state.addAttribute("operandSegmentSizes", b.getDenseI32ArrayAttr({1, 0}));
  state.addAttribute("dims", b.getDenseI64ArrayAttr(dims));
  state.addAttribute("kind", ReduceKindAttr::get(b.getContext(), kind));
  state.addRegion();
  state.addTypes(reducedType(cast<RankedTensorType>(input.getType()), dims));
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  SmallVector<int64_t> dims;
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  bool named = succeeded(parser.parseOptionalKeyword(&word));
  if (named) {
    std::optional<ReduceKind> kind = symbolizeReduceKind(word);
    if (!kind)
      return parser.emitError(loc)
             << "unknown reduction '" << word
             << "' (addf mulf maximumf minimumf maxnumf minnumf addi muli maxsi minsi maxui minui "
                "andi ori xori, or the general form with a combiner)";
    result.addAttribute("kind", ReduceKindAttr::get(b.getContext(), *kind));
    if (parser.parseOperand(inputs.emplace_back()))
      return failure();
  } else if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren)) {
    return failure();
  }
  if (parser.parseKeyword("dims") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     [&]() { return parser.parseInteger(dims.emplace_back()); }))
    return failure();
  if (!named && (parser.parseKeyword("init") ||
                 parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren)))
    return failure();
  // A combiner begins with a brace as a dictionary does: there the dictionary needs its keyword.
  if (named ? parser.parseOptionalAttrDict(result.attributes)
            : parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Region *combiner = result.addRegion();
  if (!named && parser.parseRegion(*combiner))
    return failure();
  SmallVector<Type> inputTypes, resultTypes;
  SMLoc typeLoc = parser.getCurrentLocation();
  if (parser.parseColonTypeList(inputTypes) || parser.parseArrow() ||
      parser.parseTypeList(resultTypes))
    return failure();
  SmallVector<Type> initTypes;
  for (Type type : inputTypes) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return parser.emitError(typeLoc) << "expected ranked tensors, got " << type;
    initTypes.push_back(tensor.getElementType());
  }
  if (named)
    initTypes.clear();
  result.addAttribute("dims", b.getDenseI64ArrayAttr(dims));
  result.addAttribute("operandSegmentSizes",
                      b.getDenseI32ArrayAttr({static_cast<int32_t>(inputs.size()),
                                              static_cast<int32_t>(inits.size())}));
  result.addTypes(resultTypes);
  return failure(parser.resolveOperands(inputs, inputTypes, typeLoc, result.operands) ||
                 parser.resolveOperands(inits, initTypes, typeLoc, result.operands));
}

void ReduceOp::print(OpAsmPrinter &p) {
  if (getKind())
    p << ' ' << stringifyReduceKind(*getKind()) << ' ' << getInputs();
  else
    p << " (" << getInputs() << ')';
  p << " dims = [";
  llvm::interleaveComma(getDims(), p);
  p << ']';
  if (!getKind())
    p << " init(" << getInits() << ')';
  SmallVector<StringRef> hidden{"dims", "kind", "operandSegmentSizes"};
  if (getKind()) {
    p.printOptionalAttrDict((*this)->getAttrs(), hidden);
  } else {
    p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), hidden);
    p << ' ';
    p.printRegion(getCombiner());
  }
  p << " : " << getInputs().getTypes();
  p << " -> ";
  llvm::interleaveComma(getResultTypes(), p);
}

void ReduceOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  unsigned n = getInputs().size();
  if (region.empty() || region.getNumArguments() != 2 * n)
    return;
  for (BlockArgument arg : region.getArguments())
    setName(arg, arg.getArgNumber() < n ? "lhs" : "rhs");
}

//===--- reduce: rules -----------------------------------------------------------------------===//

bool ReduceOp::combines(ReduceKind kind, Type element) {
  return (kind <= ReduceKind::MinNumF) == isa<FloatType>(element);
}

LogicalResult ReduceOp::verify() {
  if (getInputs().empty())
    return emitOpError("reduce_c1: needs at least one input");
  auto first = cast<RankedTensorType>(getInputs().front().getType());
  for (Type type : getInputs().getTypes())
    if (cast<RankedTensorType>(type).getShape() != first.getShape())
      return emitOpError("reduce_c1: all inputs must have one shape, got ")
             << first << " and " << type;
  if (getDims().empty())
    return emitOpError("reduce_c2: 'dims' is empty; name the dimensions to reduce");
  for (auto [i, d] : llvm::enumerate(getDims()))
    if (d < 0 || d >= first.getRank() || (i && getDims()[i - 1] >= d))
      return emitOpError("reduce_c2: 'dims' must ascend and be below the rank ") << first.getRank();
  if (getNumResults() != getInputs().size())
    return emitOpError("reduce_c3: needs one result for each of the ")
           << getInputs().size() << " inputs";
  for (auto [input, result] : llvm::zip(getInputs(), getResults())) {
    RankedTensorType expected = reducedType(cast<RankedTensorType>(input.getType()), getDims());
    auto actual = cast<RankedTensorType>(result.getType());
    if (actual.getShape() != expected.getShape() ||
        actual.getElementType() != expected.getElementType())
      return emitOpError("reduce_c3: the result must be ")
             << expected << ", got " << result.getType();
  }
  if (getKind()) {
    if (getInputs().size() != 1 || !getInits().empty() || !getCombiner().empty())
      return emitOpError("reduce_c4: the named form has one input, no identity and no combiner");
    Type element = first.getElementType();
    if (!combines(*getKind(), element))
      return emitOpError("reduce_c4: ")
             << stringifyReduceKind(*getKind()) << " does not combine elements of type " << element;
    return success();
  }
  unsigned n = getInputs().size();
  if (getInits().size() != n)
    return emitOpError("reduce_c5: needs one identity for each of the ")
           << n << " inputs, got " << getInits().size();
  if (getCombiner().empty() || getCombiner().getNumArguments() != 2 * n)
    return emitOpError("reduce_c5: the combiner must have ")
           << 2 * n << " arguments: the left elements, then the right ones";
  for (unsigned i = 0; i < n; ++i) {
    Type element = cast<RankedTensorType>(getInputs()[i].getType()).getElementType();
    if (getInits()[i].getType() != element || getCombiner().getArgument(i).getType() != element ||
        getCombiner().getArgument(n + i).getType() != element)
      return emitOpError("reduce_c5: identity and combiner arguments of input ")
             << i << " must have type " << element;
  }
  auto yield = dyn_cast_or_null<YieldOp>(
      getCombiner().front().empty() ? nullptr : &getCombiner().front().back());
  if (!yield || yield.getValues().size() != n)
    return emitOpError("reduce_c5: the combiner must end with a tile.yield of ") << n << " values";
  for (unsigned i = 0; i < n; ++i)
    if (Value value = yield.getValues()[i]; value && value.getType() != getInits()[i].getType())
      return yield.emitOpError("reduce_c5: value ")
             << i << " must have type " << getInits()[i].getType();
  for (Operation &op : getCombiner().front()) {
    if (!isMemoryEffectFree(&op) || op.getNumRegions() ||
        llvm::any_of(op.getResultTypes(), [](Type t) { return !t.isIntOrIndexOrFloat(); }))
      return op.emitOpError(
          "reduce_c5: a combiner uses scalar ops without side effects and without regions only");
    // The op itself is verified later, so an operand may be null.
    for (Value operand : op.getOperands())
      if (operand && operand.getParentBlock() != &getCombiner().front() &&
          !matchPattern(operand, m_Constant()))
        return op.emitOpError("reduce_c5: a combiner may use its arguments and constants only");
  }
  return success();
}

//===--- general forms -----------------------------------------------------------------------===//

TypedAttr ReduceOp::identityOf(ReduceKind kind, Type type) {
  Builder b(type.getContext());
  if (auto f = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &sem = f.getFloatSemantics();
    switch (kind) {
    case ReduceKind::MulF:
      return FloatAttr::get(f, APFloat::getOne(sem));
    // Of a type without infinities, these are its largest numbers.
    case ReduceKind::MaximumF:
    case ReduceKind::MinimumF: {
      const bool isMax = kind == ReduceKind::MaximumF;
      return FloatAttr::get(f, APFloat::semanticsHasInf(sem) ? APFloat::getInf(sem, isMax)
                                                             : APFloat::getLargest(sem, isMax));
    }
    // maxnum and minnum ignore NaN, so NaN is their identity: all-NaN rows stay NaN.
    case ReduceKind::MaxNumF:
    case ReduceKind::MinNumF:
      return FloatAttr::get(f, APFloat::getQNaN(sem));
    default:
      return FloatAttr::get(f,
                            APFloat::getZero(sem, /*Negative=*/true)); // addf: -0 + x = x for all x
    }
  }
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  APInt value(width, 0);
  switch (kind) {
  case ReduceKind::MulI:
    value = APInt(width, 1);
    break;
  case ReduceKind::MaxSI:
    value = APInt::getSignedMinValue(width);
    break;
  case ReduceKind::MinSI:
    value = APInt::getSignedMaxValue(width);
    break;
  case ReduceKind::MinUI:
  case ReduceKind::AndI:
    value = APInt::getAllOnes(width);
    break;
  default:
    break;
  }
  return IntegerAttr::get(type, value);
}

Value ReduceOp::combine(OpBuilder &b, Location loc, ReduceKind kind, Value x, Value y) {
  switch (kind) {
  case ReduceKind::AddF:
    return arith::AddFOp::create(b, loc, x, y);
  case ReduceKind::MulF:
    return arith::MulFOp::create(b, loc, x, y);
  case ReduceKind::MaximumF:
    return arith::MaximumFOp::create(b, loc, x, y);
  case ReduceKind::MinimumF:
    return arith::MinimumFOp::create(b, loc, x, y);
  case ReduceKind::MaxNumF:
    return arith::MaxNumFOp::create(b, loc, x, y);
  case ReduceKind::MinNumF:
    return arith::MinNumFOp::create(b, loc, x, y);
  case ReduceKind::AddI:
    return arith::AddIOp::create(b, loc, x, y);
  case ReduceKind::MulI:
    return arith::MulIOp::create(b, loc, x, y);
  case ReduceKind::MaxSI:
    return arith::MaxSIOp::create(b, loc, x, y);
  case ReduceKind::MinSI:
    return arith::MinSIOp::create(b, loc, x, y);
  case ReduceKind::MaxUI:
    return arith::MaxUIOp::create(b, loc, x, y);
  case ReduceKind::MinUI:
    return arith::MinUIOp::create(b, loc, x, y);
  case ReduceKind::AndI:
    return arith::AndIOp::create(b, loc, x, y);
  case ReduceKind::OrI:
    return arith::OrIOp::create(b, loc, x, y);
  case ReduceKind::XorI:
    return arith::XOrIOp::create(b, loc, x, y);
  }
  llvm_unreachable("all kinds are handled");
}

/// Creates a general reduce with the combiner that `body` builds from left and right elements.
static ReduceOp
createGeneral(RewriterBase &rewriter, Location loc, ValueRange inputs, ValueRange inits,
              ArrayRef<int64_t> dims,
              function_ref<SmallVector<Value>(OpBuilder &, ValueRange, ValueRange)> body) {
  SmallVector<Type> types;
  SmallVector<Type> elements;
  for (Value input : inputs) {
    types.push_back(ReduceOp::reducedType(cast<RankedTensorType>(input.getType()), dims));
    elements.push_back(cast<RankedTensorType>(input.getType()).getElementType());
  }
  auto op = ReduceOp::create(rewriter, loc, types, inputs, inits,
                             rewriter.getDenseI64ArrayAttr(dims), ReduceKindAttr{});
  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<Type> argTypes(elements);
  argTypes.append(elements);
  Block *block = rewriter.createBlock(&op.getCombiner(), {}, argTypes,
                                      SmallVector<Location>(argTypes.size(), loc));
  SmallVector<Value> args(block->args_begin(), block->args_end());
  unsigned n = inputs.size();
  SmallVector<Value> results =
      body(rewriter, ArrayRef<Value>(args).take_front(n), ArrayRef<Value>(args).drop_front(n));
  YieldOp::create(rewriter, loc, results);
  return op;
}

ReduceOp ReduceOp::generalize(RewriterBase &rewriter, ReduceOp op) {
  if (!op.getKind())
    return op;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  ReduceKind kind = *op.getKind();
  Value input = op.getInputs().front();
  auto type = cast<RankedTensorType>(input.getType());
  Type element = type.getElementType();
  const bool isSum = kind == ReduceKind::AddF || kind == ReduceKind::MulF;
  bool widen = isFloat8(element) || (isSum && element.getIntOrFloatBitWidth() == 16);
  if (widen) {
    element = rewriter.getF32Type();
    input = arith::ExtFOp::create(rewriter, loc, type.clone(element), input);
  }
  Value init = arith::ConstantOp::create(rewriter, loc, identityOf(kind, element));
  ReduceOp general =
      createGeneral(rewriter, loc, input, init, op.getDims(),
                    [&](OpBuilder &b, ValueRange x, ValueRange y) -> SmallVector<Value> {
                      return {combine(b, loc, kind, x[0], y[0])};
                    });
  Value result = general.getResults().front();
  if (widen)
    result = arith::TruncFOp::create(rewriter, loc, op.getResultTypes().front(), result);
  rewriter.replaceOp(op, result);
  return general;
}

//===--- argreduce ---------------------------------------------------------------------------===//

LogicalResult ArgReduceOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  int64_t dim = getDim();
  if (dim < 0 || dim >= input.getRank())
    return emitOpError("argreduce_c1: dim = ") << dim << " is not a dimension of " << input;
  RankedTensorType value = ReduceOp::reducedType(input, {dim});
  auto actual = cast<RankedTensorType>(getValue().getType());
  if (actual.getShape() != value.getShape() || actual.getElementType() != value.getElementType())
    return emitOpError("argreduce_c2: the first result must be ") << value << ", got " << actual;
  auto index = cast<RankedTensorType>(getIndex().getType());
  Type element = index.getElementType();
  if (index.getShape() != value.getShape() ||
      !(element.isInteger(32) || element.isInteger(64) || element.isIndex()))
    return emitOpError("argreduce_c2: the second result must be like ")
           << value << " with element type i32, i64 or index, got " << index;
  if (!input.getElementType().isIntOrIndexOrFloat())
    return emitOpError("argreduce_c3: the elements must be floats or integers, got ")
           << input.getElementType();
  if (getIsUnsigned() && !input.getElementType().isIntOrIndex())
    return emitOpError("argreduce_c3: 'unsigned' is for integers, got ") << input.getElementType();
  return success();
}

void ArgReduceOp::generalize(RewriterBase &rewriter, ArgReduceOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  auto input = cast<RankedTensorType>(op.getInput().getType());
  Type element = input.getElementType();
  Type index = cast<RankedTensorType>(op.getIndex().getType()).getElementType();
  bool max = op.getKind() == ArgReduceKind::Max;
  // The identity loses against everything: the worst value with an index beyond all others.
  ReduceKind kind = isa<FloatType>(element) ? (max ? ReduceKind::MaximumF : ReduceKind::MinimumF)
                    : op.getIsUnsigned()    ? (max ? ReduceKind::MaxUI : ReduceKind::MinUI)
                                            : (max ? ReduceKind::MaxSI : ReduceKind::MinSI);
  unsigned width = index.isIndex() ? 64 : index.getIntOrFloatBitWidth();
  Value worst = arith::ConstantOp::create(rewriter, loc, ReduceOp::identityOf(kind, element));
  Value last = arith::ConstantOp::create(rewriter, loc,
                                         IntegerAttr::get(index, APInt::getSignedMaxValue(width)));
  Value iota = IotaOp::create(rewriter, loc, input.clone(index),
                              rewriter.getI64IntegerAttr(op.getDim()), Value{});
  ReduceOp general = createGeneral(
      rewriter, loc, {op.getInput(), iota}, {worst, last}, {static_cast<int64_t>(op.getDim())},
      [&](OpBuilder &b, ValueRange x, ValueRange y) -> SmallVector<Value> {
        Value better, equal;
        if (isa<FloatType>(element)) {
          // NaN beats every number, so: x wins if it is NaN and y is not, or if it is ordered and
          // strictly better.
          Value xNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x[0], x[0]);
          Value yNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, y[0], y[0]);
          Value strictly = arith::CmpFOp::create(
              b, loc, max ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, x[0], y[0]);
          Value same = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x[0], y[0]);
          Value both = arith::AndIOp::create(b, loc, xNan, yNan);
          Value one = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
          Value yNumber = arith::XOrIOp::create(b, loc, yNan, one);
          Value onlyX = arith::AndIOp::create(b, loc, xNan, yNumber);
          better = arith::OrIOp::create(b, loc, strictly, onlyX);
          equal = arith::OrIOp::create(b, loc, same, both);
        } else {
          auto predicate = op.getIsUnsigned()
                               ? (max ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::ult)
                               : (max ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt);
          better = arith::CmpIOp::create(b, loc, predicate, x[0], y[0]);
          equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x[0], y[0]);
        }
        Value lower = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x[1], y[1]);
        Value tie = arith::AndIOp::create(b, loc, equal, lower);
        Value left = arith::OrIOp::create(b, loc, better, tie);
        return {arith::SelectOp::create(b, loc, left, x[0], y[0]),
                arith::SelectOp::create(b, loc, left, x[1], y[1])};
      });
  rewriter.replaceOp(op, general.getResults());
}
