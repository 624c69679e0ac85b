// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Syntax/ScanSyntax.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tessera::tile;

//===--- scan: syntax ------------------------------------------------------------------------===//

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseScan(parser, result, /*mayBeNamed=*/true);
}

void ScanOp::print(OpAsmPrinter &p) { printScan(p, *this, getKind()); }

void ScanOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  const unsigned n = getInputs().size();
  if (region.empty() || region.getNumArguments() != 2 * n)
    return;
  for (BlockArgument arg : region.getArguments())
    setName(arg, arg.getArgNumber() < n ? "before" : "next");
}

//===--- scan: rules -------------------------------------------------------------------------===//

/// Constraint 4, but for the combiner's ops.
static LogicalResult verifyCombiner(ScanOp op) {
  const unsigned n = op.getInputs().size();
  if (op.getInits().size() != n)
    return op.emitOpError("scan_c4: needs one identity for each of the ")
           << n << " inputs, got " << op.getInits().size();
  if (op.getCombiner().empty() || op.getCombiner().getNumArguments() != 2 * n)
    return op.emitOpError("scan_c4: the combiner must have ")
           << 2 * n << " arguments: the elements that come first, then the others";
  for (unsigned i = 0; i < n; ++i) {
    Type element = cast<RankedTensorType>(op.getInputs()[i].getType()).getElementType();
    if (op.getInits()[i].getType() != element ||
        op.getCombiner().getArgument(i).getType() != element ||
        op.getCombiner().getArgument(n + i).getType() != element)
      return op.emitOpError("scan_c4: identity and combiner arguments of input ")
             << i << " must have type " << element;
  }
  Block &body = op.getCombiner().front();
  auto yield = dyn_cast_or_null<YieldOp>(body.empty() ? nullptr : &body.back());
  if (!yield || yield.getValues().size() != n)
    return op.emitOpError("scan_c4: the combiner must end with a tile.yield of ") << n << " values";
  for (unsigned i = 0; i < n; ++i)
    if (Value value = yield.getValues()[i]; value && value.getType() != op.getInits()[i].getType())
      return yield.emitOpError("scan_c4: value ")
             << i << " must have type " << op.getInits()[i].getType();
  return success();
}

/// Constraint 4 for one op of the combiner.
static LogicalResult verifyCombinerOp(Operation &op) {
  const bool constant = matchPattern(&op, m_Constant());
  if (!isa<YieldOp>(op) && !constant &&
      (!isMemoryEffectFree(&op) || op.getNumRegions() ||
       !OpTrait::hasElementwiseMappableTraits(&op) ||
       llvm::any_of(op.getResultTypes(), [](Type t) { return !t.isIntOrIndexOrFloat(); })))
    return op.emitOpError("scan_c4: a combiner uses elementwise ops on scalars (arith, math) "
                          "without side effects only");
  // The op itself is verified later, so an operand may be null.
  for (Value operand : op.getOperands())
    if (operand && operand.getParentBlock() != op.getBlock() &&
        !matchPattern(operand, m_Constant()))
      return op.emitOpError("scan_c4: a combiner may use its arguments and constants only");
  return success();
}

LogicalResult ScanOp::verify() {
  if (getInputs().empty())
    return emitOpError("scan_c1: needs at least one input");
  RankedTensorType first = getInputType();
  for (Type type : getInputs().getTypes())
    if (cast<RankedTensorType>(type).getShape() != first.getShape())
      return emitOpError("scan_c1: all inputs must have one shape, got ")
             << first << " and " << type;
  const auto dim = static_cast<int64_t>(getDim());
  if (dim < 0 || dim >= first.getRank())
    return emitOpError("scan_c1: dim = ") << dim << " is not a dimension of " << first;
  if (getKind()) {
    if (getInputs().size() != 1 || !getInits().empty() || !getCombiner().empty())
      return emitOpError("scan_c2: the named form has one input, no identity and no combiner");
    if (!ReduceOp::combines(*getKind(), first.getElementType()) ||
        !first.getElementType().isIntOrIndexOrFloat())
      return emitOpError("scan_c2: ")
             << stringifyReduceKind(*getKind()) << " does not combine elements of type "
             << first.getElementType();
  }
  if (getScanned().size() != getInputs().size())
    return emitOpError("scan_c3: needs a scanned tile and a total for each of the ")
           << getInputs().size() << " inputs";
  if (!getCarries().empty() && getCarries().size() != getInputs().size())
    return emitOpError("scan_c3: needs a carry for each of the ")
           << getInputs().size() << " inputs, or none, got " << getCarries().size();
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    auto type = cast<RankedTensorType>(input.getType());
    if (getScanned()[i].getType() != type)
      return emitOpError("scan_c3: scanned tile ")
             << i << " must be " << type << ", got " << getScanned()[i].getType();
    RankedTensorType total = ReduceOp::reducedType(type, dim);
    if (getTotals()[i].getType() != total)
      return emitOpError("scan_c3: total ")
             << i << " must be " << total << ", got " << getTotals()[i].getType();
    if (!getCarries().empty() && getCarries()[i].getType() != total)
      return emitOpError("scan_c3: carry ")
             << i << " must be " << total << ", got " << getCarries()[i].getType();
  }
  if (getKind())
    return success();
  if (failed(verifyCombiner(*this)))
    return failure();
  for (Operation &op : getCombiner().front())
    if (failed(verifyCombinerOp(op)))
      return failure();
  return success();
}

//===--- scan: general form ------------------------------------------------------------------===//

ScanOp ScanOp::generalize(RewriterBase &rewriter, ScanOp op) {
  if (!op.getKind())
    return op;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  const ReduceKind kind = *op.getKind();
  Type element = op.getInputType().getElementType();
  const bool isSum = kind == ReduceKind::AddF || kind == ReduceKind::MulF;
  const bool widens = isFloat8(element) || (isSum && element.getIntOrFloatBitWidth() < 32);
  TypedAttr identity = ReduceOp::identityOf(kind, widens ? rewriter.getF32Type() : element);
  // An exclusive scan shows the identity. f8E4M3FN has no infinity; its extremes serve as well.
  const bool isExtreme = kind == ReduceKind::MaximumF || kind == ReduceKind::MinimumF;
  if (isExtreme && isa<Float8E4M3FNType>(element)) {
    const llvm::fltSemantics &f8 = cast<FloatType>(element).getFloatSemantics();
    const APFloat most = APFloat::getLargest(f8, /*Negative=*/kind == ReduceKind::MaximumF);
    identity = rewriter.getF32FloatAttr(static_cast<float>(most.convertToDouble()));
  }
  if (widens)
    element = rewriter.getF32Type();
  auto wide = [&](Type type) { return cast<RankedTensorType>(type).clone(element); };
  auto widen = [&](Value tile) {
    return widens ? Value(arith::ExtFOp::create(rewriter, loc, wide(tile.getType()), tile)) : tile;
  };
  Value init = arith::ConstantOp::create(rewriter, loc, identity);
  SmallVector<Value> carries = llvm::map_to_vector(op.getCarries(), widen);
  Type scanned = wide(op.getScanned().front().getType()),
       total = wide(op.getTotals().front().getType());
  auto general =
      ScanOp::create(rewriter, loc, TypeRange{scanned}, TypeRange{total},
                     ValueRange{widen(op.getInputs().front())}, ValueRange{init}, carries,
                     op.getDimAttr(), op.getExclusiveAttr(), op.getReverseAttr(), ReduceKindAttr{});
  Block *block =
      rewriter.createBlock(&general.getCombiner(), {}, TypeRange{element, element}, {loc, loc});
  Value combined =
      ReduceOp::combine(rewriter, loc, kind, block->getArgument(0), block->getArgument(1));
  YieldOp::create(rewriter, loc, combined);
  rewriter.setInsertionPointAfter(general);
  SmallVector<Value> results(general.getResults());
  if (widens)
    for (auto [value, type] : llvm::zip_equal(results, op.getResultTypes()))
      value = arith::TruncFOp::create(rewriter, loc, type, value);
  rewriter.replaceOp(op, results);
  return general;
}
