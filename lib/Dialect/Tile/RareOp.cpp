// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace tessera::tile;

//===--- syntax ------------------------------------------------------------------------------===//

ParseResult RareOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand need;
  SmallVector<OpAsmParser::UnresolvedOperand> passed;
  if (parser.parseOperand(need) || parser.parseKeyword("passing") ||
      parser.parseOperandList(passed, OpAsmParser::Delimiter::Paren))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("superset")))
    result.addAttribute(getSupersetAttrName(result.name), parser.getBuilder().getUnitAttr());
  SmallVector<Type> types;
  SMLoc typeLoc;
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion()) || parser.getCurrentLocation(&typeLoc) ||
      parser.parseColonTypeList(types))
    return failure();
  if (types.size() != passed.size() + 1)
    return parser.emitError(typeLoc)
           << "expected the type of the need and the type of each value that is passed: "
           << passed.size() + 1 << ", got " << types.size();
  ArrayRef<Type> results = ArrayRef(types).drop_front();
  result.addTypes(results);
  return failure(parser.resolveOperand(need, types.front(), result.operands) ||
                 parser.resolveOperands(passed, results, typeLoc, result.operands));
}

void RareOp::print(OpAsmPrinter &p) {
  p << ' ' << getNeed() << " passing(" << getPassed() << ')';
  if (getSuperset())
    p << " superset";
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getSupersetAttrName()});
  p << ' ';
  p.printRegion(getBody());
  p << " : " << getNeed().getType() << ", " << getPassed().getTypes();
}

//===--- rules -------------------------------------------------------------------------------===//

/// Constraint 4. It comes before the ops of the region are verified, and before the interface for
/// control flow is, whose messages are about edges.
static LogicalResult verifyYield(RareOp op) {
  if (op.getBody().empty())
    return success(); // reported for the region
  Block &block = op.getBody().front();
  if (block.getNumArguments() != 0)
    return op.emitOpError("rare_c4: the region has no arguments; it uses the values from outside");
  const size_t count = op.getPassed().size();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op.emitOpError("rare_c4: the region must end in a tile.yield of ")
           << count << (count == 1 ? " value" : " values");
  if (yield.getValues().size() != count)
    return yield.emitOpError("rare_c4: must yield one value for each value passed: ")
           << count << ", got " << yield.getValues().size();
  // The yield itself is verified later, so a value may be null.
  for (auto [i, value, passed] : llvm::enumerate(yield.getValues(), op.getPassed()))
    if (value && value.getType() != passed.getType())
      return yield.emitOpError("rare_c4: value ")
             << i << " must have the type of the value passed, " << passed.getType() << ", not "
             << value.getType();
  return success();
}

LogicalResult RareOp::verify() {
  Type needType = getNeed().getType();
  auto rows = dyn_cast<RankedTensorType>(needType);
  if (!getElementTypeOrSelf(needType).isInteger(1) || (isa<ShapedType>(needType) && !rows))
    return emitOpError("rare_c1: the need is an i1, or a tile of i1 of rank 1 with an element for "
                       "each row, not ")
           << needType;
  if (rows && rows.getRank() != 1) {
    InFlightDiagnostic error =
        emitOpError("rare_c1: the need must have rank 1, one element for each row, not ")
        << needType;
    return error << (rows.getRank() == 0
                         ? "; tensor.extract makes a scalar of it, which is allowed"
                         : "; reduce the other dimensions, as in tile.reduce ori %need dims = [1]");
  }
  if (getPassed().empty())
    return emitOpError("rare_c2: passes no value; without one there is nothing that the region "
                       "could replace");
  for (auto [i, type] : llvm::enumerate(getPassed().getTypes())) {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile && !type.isIntOrIndexOrFloat())
      return emitOpError("rare_c2: value ") << i << " must be a tile or a scalar, not " << type;
    if (rows && !tile)
      return emitOpError("rare_c2: value ")
             << i << " is a scalar, which has no rows; with a need of rank 1 values are tiles of "
             << rows.getDimSize(0) << " rows";
    if (rows && tile.getRank() == 0)
      return emitOpError("rare_c2: value ")
             << i << " has rank 0, and no rows; with a need of rank 1 values are tiles of "
             << rows.getDimSize(0) << " rows";
    if (rows && !extentsAgree(tile.getDimSize(0), rows.getDimSize(0)))
      return emitOpError("rare_c2: value ")
             << i << " has " << tile.getDimSize(0) << " rows (" << tile << "), but the need is for "
             << rows.getDimSize(0)
             << "; rows are along dimension 0: transpose the value if they are along another one";
  }
  if (getResultTypes() != getPassed().getTypes())
    return emitOpError("rare_c3: the results must have the types of the values passed");
  return verifyYield(*this);
}

/// What of its own an op does to memory that a region which may be skipped must not do; empty if
/// nothing. What is in its regions counts there.
static StringRef writes(Operation *op) {
  // Whether a call writes is not known before it is inlined; tile-expand-ops looks into the callee.
  if (isa<CallOpInterface, AssumeOp>(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return "";
  if (isa<PrintOp>(op))
    return "prints";
  if (isa<AssertOp>(op) || op->getName().getStringRef() == "cf.assert")
    return "ends the program";
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return op->hasTrait<OpTrait::IsTerminator>() ? "" : "has effects that are not known";
  SmallVector<MemoryEffects::EffectInstance> list;
  effects.getEffects(list);
  for (const MemoryEffects::EffectInstance &effect : list)
    if (!isa<MemoryEffects::Read>(effect.getEffect()))
      return isa<MemoryEffects::Write>(effect.getEffect()) ? "writes memory" : "allocates memory";
  return "";
}

LogicalResult RareOp::verifyRegions() {
  WalkResult walk =
      getBody().walk([&](Operation *op) {
        StringRef what = writes(op);
        if (what.empty())
          return WalkResult::advance();
        op->emitOpError("rare_c5: ")
            << what << " in the region of a tile.rare, which may be skipped or run although no row "
            << "needs it; do that after it, or use scf.if with a condition of the whole block";
        return WalkResult::interrupt();
      });
  return failure(walk.wasInterrupted());
}

//===--- control flow ------------------------------------------------------------------------===//

OperandRange RareOp::getEntrySuccessorOperands(RegionSuccessor successor) {
  // The region has no arguments; the op passes its values on where it skips the region.
  return successor.isParent() ? getPassed() : OperandRange(operand_end(), operand_end());
}

void RareOp::getSuccessorRegions(RegionBranchPoint point,
                                 SmallVectorImpl<RegionSuccessor> &successors) {
  successors.emplace_back(getOperation(), getResults());
  if (point.isParent())
    successors.emplace_back(&getBody());
}

void RareOp::getRegionInvocationBounds(ArrayRef<Attribute>,
                                       SmallVectorImpl<InvocationBounds> &bounds) {
  bounds.emplace_back(0, 1);
}

//===--- canonical form ----------------------------------------------------------------------===//

namespace {
/// The number that all elements of the need are, if that is known.
std::optional<bool> knownNeed(RareOp op) {
  Attribute need;
  if (!matchPattern(op.getNeed(), m_Constant(&need)))
    return std::nullopt;
  if (auto tile = dyn_cast<DenseElementsAttr>(need))
    return tile.isSplat() ? std::optional<bool>(tile.getSplatValue<bool>()) : std::nullopt;
  if (auto scalar = dyn_cast<IntegerAttr>(need))
    return !scalar.getValue().isZero();
  return std::nullopt;
}

/// No row needs the region, or all do.
struct FoldKnownNeed : OpRewritePattern<RareOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RareOp op, PatternRewriter &rewriter) const override {
    std::optional<bool> need = knownNeed(op);
    if (!need)
      return failure();
    if (!*need) {
      rewriter.replaceOp(op, op.getPassed());
      return success();
    }
    Operation *yield = op.getBody().front().getTerminator();
    SmallVector<Value> yielded(yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&op.getBody().front(), op);
    rewriter.replaceOp(op, yielded);
    return success();
  }
};

/// Tiles that a scalar fills: the need is the same for all rows. (Values with rows may have any
/// shape then.)
struct NeedOfScalar : OpRewritePattern<RareOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RareOp op, PatternRewriter &rewriter) const override {
    Value scalar;
    if (auto splat = op.getNeed().getDefiningOp<tensor::SplatOp>())
      scalar = splat.getInput();
    else if (auto broadcast = op.getNeed().getDefiningOp<BroadcastOp>())
      scalar = broadcast.getSource();
    if (!scalar || !scalar.getType().isInteger(1))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getNeedMutable().assign(scalar); });
    return success();
  }
};

/// Results that nobody uses, that are what is passed anyway, or that are there twice.
struct DropResults : OpRewritePattern<RareOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RareOp op, PatternRewriter &rewriter) const override {
    const unsigned count = op.getNumResults();
    OperandRange passed = op.getPassed(), yielded = op.getYielded();
    SmallVector<unsigned> kept;
    SmallVector<Value> replacements(count);
    for (unsigned i = 0; i < count; ++i) {
      if (yielded[i] == passed[i]) {
        replacements[i] = passed[i];
        continue;
      }
      if (op.getResult(i).use_empty())
        continue;
      const unsigned *same = llvm::find_if(
          kept, [&](unsigned k) { return passed[k] == passed[i] && yielded[k] == yielded[i]; });
      if (same == kept.end())
        kept.push_back(i);
    }
    if (kept.size() == count)
      return failure();
    if (kept.empty()) {
      // Nobody uses the others. The op itself goes as dead code does.
      for (unsigned i = 0; i < count; ++i)
        if (!replacements[i])
          replacements[i] = passed[i];
      rewriter.replaceOp(op, replacements);
      return success();
    }
    SmallVector<Value> keptPassed, keptYielded;
    for (unsigned i : kept) {
      keptPassed.push_back(passed[i]);
      keptYielded.push_back(yielded[i]);
    }
    auto made = RareOp::create(rewriter, op.getLoc(), TypeRange(ValueRange(keptPassed)),
                               op.getNeed(), keptPassed, op.getSupersetAttr());
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    for (unsigned i = 0; i < count; ++i) {
      if (replacements[i])
        continue;
      const unsigned *same = llvm::find_if(
          kept, [&](unsigned k) { return passed[k] == passed[i] && yielded[k] == yielded[i]; });
      replacements[i] = same == kept.end() ? passed[i] : Value(made.getResult(same - kept.begin()));
    }
    Operation *yield = op.getBody().front().getTerminator();
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(yield);
      rewriter.replaceOpWithNewOp<YieldOp>(yield, keptYielded);
    }
    rewriter.inlineRegionBefore(op.getBody(), made.getBody(), made.getBody().end());
    rewriter.replaceOp(op, replacements);
    return success();
  }
};
} // namespace

void RareOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldKnownNeed, NeedOfScalar, DropResults>(context);
}
