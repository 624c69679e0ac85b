// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta.for_output_tiles.
#include "tessera/Dialect/Cta/IR/Cta.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tessera::cta;

void ForOutputTilesOp::build(OpBuilder &b, OperationState &state, Value lower, Value upper,
                             Value step, ValueRange inits) {
  OpBuilder::InsertionGuard guard(b);
  state.addOperands({lower, upper, step});
  state.addOperands(inits);
  state.addTypes(inits.getTypes());
  Region *region = state.addRegion();
  Block *body = b.createBlock(region);
  body->addArgument(lower.getType(), state.location);
  for (Value init : inits)
    body->addArgument(init.getType(), init.getLoc());
}

YieldOp ForOutputTilesOp::getYield() { return cast<YieldOp>(getBody()->getTerminator()); }

//===--- text --------------------------------------------------------------------------------===//

ParseResult ForOutputTilesOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::Argument number;
  OpAsmParser::UnresolvedOperand lower, upper, step;
  if (parser.parseArgument(number) || parser.parseEqual() || parser.parseOperand(lower) ||
      parser.parseKeyword("to") || parser.parseOperand(upper) || parser.parseKeyword("step") ||
      parser.parseOperand(step))
    return failure();
  SmallVector<OpAsmParser::Argument> carried;
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("iter_args")))
    if (parser.parseAssignmentList(carried, inits) || parser.parseArrowTypeList(result.types))
      return failure();
  if (carried.size() != result.types.size())
    return parser.emitError(loc) << "carries " << carried.size() << " values, but "
                                 << result.types.size() << " types follow";
  number.type = parser.getBuilder().getIndexType();
  if (succeeded(parser.parseOptionalColon()) && parser.parseType(number.type))
    return failure();
  SmallVector<OpAsmParser::Argument> arguments{number};
  for (auto [argument, type] : llvm::zip_equal(carried, result.types)) {
    argument.type = type;
    arguments.push_back(argument);
  }
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  // After the region, whose names these operands do not see.
  return failure(parser.resolveOperand(lower, number.type, result.operands) ||
                 parser.resolveOperand(upper, number.type, result.operands) ||
                 parser.resolveOperand(step, number.type, result.operands) ||
                 parser.resolveOperands(inits, result.types, loc, result.operands));
}

void ForOutputTilesOp::print(OpAsmPrinter &p) {
  p << ' ' << getInductionVar() << " = " << getLowerBound() << " to " << getUpperBound() << " step "
    << getStep();
  if (!getInitArgs().empty()) {
    p << " iter_args(";
    llvm::interleaveComma(llvm::zip_equal(getRegionIterArgs(), getInitArgs()), p,
                          [&](auto pair) { p << std::get<0>(pair) << " = " << std::get<1>(pair); });
    p << ") -> (" << getResultTypes() << ')';
  }
  if (Type type = getInductionVar().getType(); !type.isIndex())
    p << " : " << type;
  p << ' ';
  p.printRegion(getRegion(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/!getInitArgs().empty());
  p.printOptionalAttrDict((*this)->getAttrs());
}

//===--- constraints -------------------------------------------------------------------------===//

LogicalResult ForOutputTilesOp::verify() {
  Operation *around = (*this)->getParentOp();
  while (around && !isa<LaunchOp, LoopLikeOpInterface>(around))
    around = around->getParentOp();
  if (!isa_and_nonnull<LaunchOp>(around))
    return emitOpError(
        "for_output_tiles_c1: stands in a cta.launch and in no other loop: an output "
        "tile has no output tiles");
  SmallVector<Type> expected{getLowerBound().getType()};
  llvm::append_range(expected, getInitArgs().getTypes());
  TypeRange arguments = getBody()->getArgumentTypes();
  if (arguments != TypeRange(expected))
    return emitOpError("for_output_tiles_c2: the body takes the number and the carried values (")
           << TypeRange(expected) << "), but its arguments are (" << arguments << ')';
  if (std::optional<int64_t> step = getConstantIntValue(getStep()); step && *step < 1)
    return emitOpError("for_output_tiles_c3: the step must be at least 1, got ") << *step;
  if (std::optional<uint64_t> drawn = getDrawn()) {
    if (*drawn >= getInitArgs().size() ||
        getInitArgs()[*drawn].getType() != getLowerBound().getType())
      return emitOpError("for_output_tiles_c4: 'drawn' names a carried value of type ")
             << getLowerBound().getType() << ", and " << *drawn << " is none";
    if (!getInductionVar().use_empty())
      return emitOpError("for_output_tiles_c4: the numbers of its output tiles are drawn, so the "
                         "body must use the carried value in place of the argument");
  }
  return success();
}

//===--- interfaces --------------------------------------------------------------------------===//

Speculation::Speculatability ForOutputTilesOp::getSpeculatability() {
  return getConstantIntValue(getStep()) ? Speculation::RecursivelySpeculatable
                                        : Speculation::NotSpeculatable;
}

SmallVector<Region *> ForOutputTilesOp::getLoopRegions() { return {&getRegion()}; }
std::optional<SmallVector<Value>> ForOutputTilesOp::getLoopInductionVars() {
  return SmallVector<Value>{getInductionVar()};
}
std::optional<SmallVector<OpFoldResult>> ForOutputTilesOp::getLoopLowerBounds() {
  return SmallVector<OpFoldResult>{getAsOpFoldResult(getLowerBound())};
}
std::optional<SmallVector<OpFoldResult>> ForOutputTilesOp::getLoopUpperBounds() {
  return SmallVector<OpFoldResult>{getAsOpFoldResult(getUpperBound())};
}
std::optional<SmallVector<OpFoldResult>> ForOutputTilesOp::getLoopSteps() {
  return SmallVector<OpFoldResult>{getAsOpFoldResult(getStep())};
}
Block::BlockArgListType ForOutputTilesOp::getRegionIterArgs() {
  return getBody()->getArguments().drop_front();
}
MutableArrayRef<OpOperand> ForOutputTilesOp::getInitsMutable() { return getInitArgsMutable(); }
std::optional<MutableArrayRef<OpOperand>> ForOutputTilesOp::getYieldedValuesMutable() {
  return getYield().getValuesMutable();
}
std::optional<ResultRange> ForOutputTilesOp::getLoopResults() { return getResults(); }

FailureOr<LoopLikeOpInterface>
ForOutputTilesOp::replaceWithAdditionalYields(RewriterBase &rewriter, ValueRange more,
                                              bool replaceInitOperandUsesInLoop,
                                              const NewYieldValuesFn &yieldsOf) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(*this);
  const unsigned old = getNumResults();
  SmallVector<Value> inits(getInitArgs());
  llvm::append_range(inits, more);
  auto grown = ForOutputTilesOp::create(rewriter, getLoc(), getLowerBound(), getUpperBound(),
                                        getStep(), inits);
  grown->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  rewriter.mergeBlocks(getBody(), grown.getBody(),
                       grown.getBody()->getArguments().take_front(1 + old));
  Block::BlockArgListType added = grown.getRegionIterArgs().drop_front(old);
  rewriter.setInsertionPoint(grown.getYield());
  SmallVector<Value> yields = yieldsOf(rewriter, getLoc(), added);
  rewriter.modifyOpInPlace(grown.getYield(),
                           [&] { grown.getYield().getValuesMutable().append(yields); });
  if (replaceInitOperandUsesInLoop)
    for (auto [init, argument] : llvm::zip_equal(more, added))
      rewriter.replaceUsesWithIf(
          init, argument, [&](OpOperand &use) { return grown->isProperAncestor(use.getOwner()); });
  rewriter.replaceOp(*this, grown.getResults().take_front(old));
  return cast<LoopLikeOpInterface>(grown.getOperation());
}

OperandRange ForOutputTilesOp::getEntrySuccessorOperands(RegionSuccessor) { return getInitArgs(); }

/// The body is entered, or left out if there are no output tiles; after it the same choice is made.
void ForOutputTilesOp::getSuccessorRegions(RegionBranchPoint,
                                           SmallVectorImpl<RegionSuccessor> &successors) {
  successors.emplace_back(&getRegion(), getRegionIterArgs());
  successors.emplace_back(getOperation(), getResults());
}

namespace {
/// A loop with constant bounds that runs once is its body, and one that never runs is nothing.
struct InlineSingleIteration : OpRewritePattern<ForOutputTilesOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ForOutputTilesOp loop, PatternRewriter &rewriter) const override {
    std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                           upper = getConstantIntValue(loop.getUpperBound()),
                           step = getConstantIntValue(loop.getStep());
    if (!lower || !upper || !step || *step < 1)
      return failure();
    if (*lower >= *upper) {
      rewriter.replaceOp(loop, loop.getInitArgs());
      return success();
    }
    int64_t distance;
    if (llvm::SubOverflow(*upper, *lower, distance) || *step < distance)
      return failure();
    SmallVector<Value> arguments{loop.getLowerBound()};
    llvm::append_range(arguments, loop.getInitArgs());
    YieldOp yield = loop.getYield();
    rewriter.inlineBlockBefore(loop.getBody(), loop, arguments);
    rewriter.replaceOp(loop, yield.getValues());
    rewriter.eraseOp(yield);
    return success();
  }
};
} // namespace

/// Carried values that do not change, or that nothing uses, are removed.
void ForOutputTilesOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                   MLIRContext *context) {
  populateRegionBranchOpInterfaceCanonicalizationPatterns(patterns, getOperationName());
  patterns.add<InlineSingleIteration>(context);
}
