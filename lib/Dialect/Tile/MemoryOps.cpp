// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Dialect/Tile/Syntax/AccessSyntax.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tessera::tile;

//===--- load --------------------------------------------------------------------------------===//

void LoadOp::build(OpBuilder &b, OperationState &state, RankedTensorType type, Value source,
                   ValueRange coords) {
  unsigned rank = type.getRank();
  build(b, state, Type(type), source, coords, ValueRange{}, Value{},
        b.getDenseI64ArrayAttr(trailingDims(cast<MemRefType>(source.getType()).getRank(), rank)),
        b.getDenseBoolArrayAttr(SmallVector<bool>(rank, false)), b.getDenseI64ArrayAttr({}),
        Attribute{}, RequireAttr{}, IntegerAttr{}, CacheAttr{});
}

void LoadOp::build(OpBuilder &b, OperationState &state, Type type, Value source, ValueRange coords,
                   ValueRange limits, Value mask, DenseI64ArrayAttr dims,
                   DenseBoolArrayAttr limited, DenseI64ArrayAttr maskDims, Attribute pad,
                   RequireAttr require, IntegerAttr stages, CacheAttr cache) {
  build(b, state, type, source, coords, limits, mask, /*indices=*/ValueRange{}, /*padTile=*/Value{},
        /*extents=*/ValueRange{}, dims, limited, maskDims, b.getDenseI64ArrayAttr({}),
        /*strides=*/DenseI64ArrayAttr{}, pad, require, stages, cache);
}

ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseSource(parser, result,
                     {AccessKind::Load, /*indices=*/true, /*strides=*/true, /*padTile=*/true,
                      &result.attributes,
                      /*extents=*/true});
}

void LoadOp::print(OpAsmPrinter &p) { printSource(p, *this, nullptr, hintNames()); }

/// Constraint 10: TMA moves boxes, and fetches one for each element of an index tile.
template <typename Op>
static LogicalResult verifyDemands(Op op) {
  if (op.isBox() || !op.getRequire() || !op.getRequire()->contains(Requirement::Tma))
    return success();
  constexpr bool isLoad = std::is_same_v<Op, LoadOp>;
  if (isLoad && !op.getStrides() && op.getIndices().size() == 1 && !op.getDims().empty())
    return success();
  return op.emitOpError(isLoad ? "load_c10: " : "store_c10: ")
         << "demands TMA, which moves boxes, but has "
         << (op.getStrides()                  ? "element steps"
             : isLoad && op.getDims().empty() ? "an index for each element"
             : isLoad                         ? "several index tiles"
                                              : "index tiles");
}

LogicalResult LoadOp::verify() {
  RankedTensorType type = getTileType();
  if (failed(verifyAccess(*this, partsOf(*this, getSource()), type.getShape(),
                          type.getElementType())) ||
      failed(verifyDemands(*this)))
    return failure();
  if (getPadTile() && getPadTile().getType() != type)
    return emitOpError("load_c6: a tile of pads must be ")
           << type << ", got " << getPadTile().getType();
  if (getPadTile() && getPadAttr())
    return emitOpError("load_c6: 'pad' is a value or a tile, not both");
  if (failed(verifyLookahead(*this, getStages())) ||
      failed(verifyExtents(*this, "load_c12", type, getExtents())))
    return failure();
  return verifyPad(*this, getPadAttr(), type.getElementType());
}

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
}

Value LoadOp::getLimit(unsigned dim) { return limitOf(getLimits(), getLimited(), dim); }
TypedAttr LoadOp::getPadValue() {
  return padsAny() ? TypedAttr{} : padValue(getPadAttr(), getTileType().getElementType());
}
bool LoadOp::padsAny() { return padIsAny(getPadAttr()); }

//===--- store -------------------------------------------------------------------------------===//

void StoreOp::build(OpBuilder &b, OperationState &state, Value value, Value dest,
                    ValueRange coords) {
  unsigned rank = cast<RankedTensorType>(value.getType()).getRank();
  build(b, state, value, dest, coords, ValueRange{}, Value{},
        b.getDenseI64ArrayAttr(trailingDims(cast<MemRefType>(dest.getType()).getRank(), rank)),
        b.getDenseBoolArrayAttr(SmallVector<bool>(rank, false)), b.getDenseI64ArrayAttr({}),
        RequireAttr{}, CacheAttr{});
}

void StoreOp::build(OpBuilder &b, OperationState &state, Value value, Value dest, ValueRange coords,
                    ValueRange limits, Value mask, DenseI64ArrayAttr dims,
                    DenseBoolArrayAttr limited, DenseI64ArrayAttr maskDims, RequireAttr require,
                    CacheAttr cache) {
  build(b, state, value, dest, coords, limits, mask, /*indices=*/ValueRange{}, dims, limited,
        maskDims, b.getDenseI64ArrayAttr({}), /*strides=*/DenseI64ArrayAttr{}, require, cache);
}

ParseResult StoreOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseDestination(parser, result,
                          {AccessKind::Store, /*indices=*/true, /*strides=*/true,
                           /*padTile=*/false, &result.attributes});
}

void StoreOp::print(OpAsmPrinter &p) { printDestination(p, *this, nullptr, hintNames()); }

LogicalResult StoreOp::verify() {
  RankedTensorType type = getTileType();
  if (failed(
          verifyAccess(*this, partsOf(*this, getDest()), type.getShape(), type.getElementType())) ||
      failed(verifyDemands(*this)))
    return failure();
  return verifyStrideOfStores(*this, getMemRefType());
}

void StoreOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
}

Value StoreOp::getLimit(unsigned dim) { return limitOf(getLimits(), getLimited(), dim); }

//===--- canonicalisation: casts, constant masks, unit dims ----------------------------------===//

namespace {
/// Reads the size and layout through a cast that only forgets them.
template <typename Op>
struct FoldMemRefCast : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    OpOperand &memref = std::is_same_v<Op, LoadOp> ? op->getOpOperand(0) : op->getOpOperand(1);
    auto cast = memref.get().template getDefiningOp<memref::CastOp>();
    if (!cast || !isa<MemRefType>(cast.getSource().getType()) ||
        !memref::CastOp::canFoldIntoConsumerOp(cast))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { memref.set(cast.getSource()); });
    return success();
  }
};

/// A mask that is constant true says nothing.
template <typename Op>
struct DropTrueMask : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!op.getMask() || !matchPattern(op.getMask(), m_One()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.getMaskMutable().clear();
      op.setMaskDims({});
    });
    return success();
  }
};

/// Which dimensions of an accessed tile stay when a reshape drops unit dimensions: of each group
/// the one that is not 1, or the last. Nothing if it does more, or if the access says something
/// about one that goes.
template <typename Op>
std::optional<SmallVector<int64_t>> keptDims(Op access, ArrayRef<ReassociationIndices> groups) {
  ArrayRef<int64_t> shape = access.getTileType().getShape();
  SmallVector<int64_t> kept;
  if (groups.empty() || access.getMask() || !access.isBox() ||
      !access.getTileType().hasStaticShape())
    return std::nullopt;
  for (const ReassociationIndices &group : groups) {
    const auto *wide = llvm::find_if(group, [&](int64_t d) { return shape[d] != 1; });
    const int64_t keep = wide == group.end() ? group.back() : *wide;
    for (int64_t d : group)
      if (d != keep && (shape[d] != 1 || access.getLimited()[d]))
        return std::nullopt;
    kept.push_back(keep);
  }
  return kept;
}

/// Of the dimensions that stay: what `dims` and `limited` are.
template <typename Op>
std::pair<SmallVector<int64_t>, SmallVector<bool>> boxOf(Op access, ArrayRef<int64_t> kept) {
  SmallVector<int64_t> dims;
  SmallVector<bool> limited;
  for (int64_t d : kept) {
    dims.push_back(access.getDims()[d]);
    limited.push_back(access.getLimited()[d]);
  }
  return {dims, limited};
}

/// A load whose unit dimensions are dropped is one of a tile without them, which the tensor cores
/// take as it comes. The load has no other user: its place, and so what it sees of memory, stays.
struct CollapseOfLoad : OpRewritePattern<tensor::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op,
                                PatternRewriter &rewriter) const override {
    auto load = op.getSrc().getDefiningOp<LoadOp>();
    if (!load || !load->hasOneUse() || op.getResultType().getEncoding())
      return failure();
    auto kept = load.getPadTile() ? std::nullopt : keptDims(load, op.getReassociationIndices());
    if (!kept)
      return failure();
    auto [dims, limited] = boxOf(load, *kept);
    rewriter.setInsertionPoint(load);
    auto narrow = LoadOp::create(
        rewriter, load.getLoc(), op.getResultType(), load.getSource(), load.getCoords(),
        load.getLimits(), Value{}, rewriter.getDenseI64ArrayAttr(dims),
        rewriter.getDenseBoolArrayAttr(limited), load.getMaskDimsAttr(), load.getPadAttr(),
        load.getRequireAttr(), load.getStagesAttr(), load.getCacheAttr());
    narrow->setDiscardableAttrs(llvm::to_vector(load->getDiscardableAttrs()));
    rewriter.replaceOp(op, narrow);
    rewriter.eraseOp(load);
    return success();
  }
};

/// And a store of a tile that got unit dimensions is one of the tile that it was.
struct StoreOfExpand : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreOp op, PatternRewriter &rewriter) const override {
    auto expand = op.getValue().getDefiningOp<tensor::ExpandShapeOp>();
    if (!expand || expand.getSrcType().getEncoding())
      return failure();
    auto kept = keptDims(op, expand.getReassociationIndices());
    if (!kept)
      return failure();
    auto box = boxOf(op, *kept);
    rewriter.modifyOpInPlace(op, [&] {
      op.getValueMutable().assign(expand.getSrc());
      op.setDims(box.first);
      op.setLimited(box.second);
    });
    return success();
  }
};
} // namespace

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldMemRefCast<LoadOp>, DropTrueMask<LoadOp>, CollapseOfLoad>(context);
}
void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldMemRefCast<StoreOp>, DropTrueMask<StoreOp>, StoreOfExpand>(context);
}
