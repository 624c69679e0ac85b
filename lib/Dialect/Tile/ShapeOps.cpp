// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera::tile;

//===--- broadcast ---------------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  auto source = dyn_cast<RankedTensorType>(getSource().getType());
  Type element = source ? source.getElementType() : getSource().getType();
  int64_t rank = source ? source.getRank() : 0;
  if (static_cast<int64_t>(getDims().size()) != rank)
    return emitOpError("broadcast_c1: 'dims' needs one entry for each of the ")
           << rank << " source dimensions, got " << getDims().size();
  for (auto [i, d] : llvm::enumerate(getDims())) {
    if (d < 0 || d >= result.getRank() || (i && getDims()[i - 1] >= d))
      return emitOpError("broadcast_c1: 'dims' must ascend and be below the result's rank ")
             << result.getRank();
    int64_t extent = source.getDimSize(i);
    if (!extentsAgree(extent, result.getDimSize(d)) && extent != 1)
      return emitOpError("broadcast_c2: source dimension ")
             << i << " has extent " << extent << ", result dimension " << d << " has "
             << result.getDimSize(d);
  }
  if (element != result.getElementType())
    return emitOpError("broadcast_c3: the element types differ: ")
           << element << " and " << result.getElementType();
  return verifyExtents(*this, "broadcast_c4", result, getExtents());
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  auto type = cast<RankedTensorType>(getResult().getType());
  if (type.getEncoding() || !type.hasStaticShape())
    return {};
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource()))
    return DenseElementsAttr::get(type, splat.getSplatValue<Attribute>());
  if (isa_and_nonnull<IntegerAttr, FloatAttr>(adaptor.getSource()))
    return DenseElementsAttr::get(type, adaptor.getSource());
  return {};
}

//===--- iota --------------------------------------------------------------------------------===//

ParseResult IotaOp::parse(OpAsmParser &parser, OperationState &result) {
  int64_t dim;
  OpAsmParser::UnresolvedOperand from;
  Type type;
  if (parser.parseKeyword("dim") || parser.parseEqual() || parser.parseInteger(dim))
    return failure();
  bool hasFrom = succeeded(parser.parseOptionalKeyword("from"));
  if (hasFrom && parser.parseOperand(from))
    return failure();
  SmallVector<OpAsmParser::UnresolvedOperand> extents;
  if (succeeded(parser.parseOptionalKeyword("extents")) &&
      parser.parseOperandList(extents, OpAsmParser::Delimiter::Paren))
    return failure();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type))
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return parser.emitError(parser.getNameLoc()) << "expected a ranked tensor, got " << type;
  result.addAttribute("dim", parser.getBuilder().getI64IntegerAttr(dim));
  result.addTypes(tensor);
  result.addAttribute("operandSegmentSizes",
                      parser.getBuilder().getDenseI32ArrayAttr(
                          {hasFrom ? 1 : 0, static_cast<int32_t>(extents.size())}));
  if (hasFrom && parser.resolveOperand(from, tensor.getElementType(), result.operands))
    return failure();
  return parser.resolveOperands(extents, parser.getBuilder().getIndexType(), result.operands);
}

void IotaOp::print(OpAsmPrinter &p) {
  p << " dim = " << getDim();
  if (getFrom())
    p << " from " << getFrom();
  if (!getExtents().empty())
    p << " extents(" << getExtents() << ')';
  p.printOptionalAttrDict((*this)->getAttrs(), {"dim", "operandSegmentSizes"});
  p << " : " << getResult().getType();
}

LogicalResult IotaOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  if (!type.getElementType().isIntOrIndex())
    return emitOpError("iota_c1: the elements must be integers or index, got ")
           << type.getElementType();
  if (static_cast<int64_t>(getDim()) < 0 || static_cast<int64_t>(getDim()) >= type.getRank())
    return emitOpError("iota_c1: dim = ")
           << static_cast<int64_t>(getDim()) << " is not a dimension of " << type;
  if (getFrom() && getFrom().getType() != type.getElementType())
    return emitOpError("iota_c2: 'from' must have type ")
           << type.getElementType() << ", got " << getFrom().getType();
  return verifyExtents(*this, "iota_c3", type, getExtents());
}

//===--- transpose ---------------------------------------------------------------------------===//

LogicalResult TransposeOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType()),
       result = cast<RankedTensorType>(getResult().getType());
  if (static_cast<int64_t>(getDims().size()) != source.getRank() || !isPermutationVector(getDims()))
    return emitOpError("transpose_c1: 'dims' must be a permutation of the ")
           << source.getRank() << " dimensions";
  SmallVector<int64_t> shape;
  for (int64_t d : getDims())
    shape.push_back(source.getDimSize(d));
  if (result.getShape() != ArrayRef<int64_t>(shape) ||
      result.getElementType() != source.getElementType())
    return emitOpError("transpose_c2: the result must be ")
           << RankedTensorType::get(shape, source.getElementType()) << ", got " << result;
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getResult().getType() &&
      llvm::equal(getDims(), llvm::seq<int64_t>(0, getDims().size())))
    return getSource();
  auto type = cast<RankedTensorType>(getResult().getType());
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource());
      splat && !type.getEncoding() && type.hasStaticShape())
    return splat.resizeSplat(type);
  return {};
}

namespace {
/// transpose(transpose(x)) is one transpose.
struct ComposeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<TransposeOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> dims;
    for (int64_t d : op.getDims())
      dims.push_back(inner.getDims()[d]);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), inner.getSource(), dims);
    return success();
  }
};

/// transpose(load) is a load with other `dims`, so that no data moves in registers. The load has no
/// other user: its place, and so what it sees of memory, stays.
struct TransposeOfLoad : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto load = op.getSource().getDefiningOp<LoadOp>();
    if (!load || !load->hasOneUse() || cast<RankedTensorType>(op.getType()).getEncoding() ||
        !load.getExtents().empty() ||
        (load.getMask() && load.getMaskDims().size() != op.getDims().size() &&
         load.getMaskDims().size() > 1))
      return failure();
    unsigned rank = op.getDims().size();
    SmallVector<int64_t> dims, maskDims;
    SmallVector<bool> limited;
    SmallVector<Value> limits;
    for (int64_t d : op.getDims()) {
      dims.push_back(load.getDims()[d]);
      limited.push_back(load.getLimited()[d]);
      if (Value limit = load.getLimit(d))
        limits.push_back(limit);
    }
    rewriter.setInsertionPoint(load);
    Value mask = load.getMask();
    if (mask && load.getMaskDims().size() == rank) {
      maskDims.assign(load.getMaskDims().begin(), load.getMaskDims().end());
      SmallVector<int64_t> shape(cast<RankedTensorType>(op.getType()).getShape());
      mask = TransposeOp::create(rewriter, op.getLoc(),
                                 RankedTensorType::get(shape, rewriter.getI1Type()), mask,
                                 op.getDims());
    } else if (mask) {
      for (int64_t d : load.getMaskDims())
        maskDims.push_back(llvm::find(op.getDims(), d) - op.getDims().begin());
    }
    auto transposed = LoadOp::create(
        rewriter, load.getLoc(), op.getType(), load.getSource(), load.getCoords(), limits, mask,
        rewriter.getDenseI64ArrayAttr(dims), rewriter.getDenseBoolArrayAttr(limited),
        rewriter.getDenseI64ArrayAttr(maskDims), load.getPadAttr(), load.getRequireAttr(),
        load.getStagesAttr(), load.getCacheAttr());
    transposed->setDiscardableAttrs(llvm::to_vector(load->getDiscardableAttrs()));
    rewriter.replaceOp(op, transposed);
    rewriter.eraseOp(load);
    return success();
  }
};
} // namespace

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ComposeTransposes, TransposeOfLoad>(context);
}

//===--- zip, unzip --------------------------------------------------------------------------===//

/// The type of two interleaved tiles of a type.
static RankedTensorType zippedType(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  if (!ShapedType::isDynamic(shape.back()))
    shape.back() *= 2;
  return type.clone(shape);
}

LogicalResult ZipOp::verify() {
  auto type = cast<RankedTensorType>(getEven().getType());
  if (type.getRank() == 0)
    return emitOpError("zip_c1: the tiles must have a dimension along which to interleave them");
  if (getResult().getType() != zippedType(type))
    return emitOpError("zip_c2: the result must be ")
           << zippedType(type) << ", got " << getResult().getType();
  return success();
}

LogicalResult UnzipOp::verify() {
  auto type = cast<RankedTensorType>(getSource().getType()),
       half = cast<RankedTensorType>(getEven().getType());
  const bool isOpen = type.getRank() > 0 && ShapedType::isDynamic(type.getShape().back());
  if (type.getRank() == 0 || (!isOpen && type.getShape().back() % 2))
    return emitOpError("unzip_c1: the last extent must be even, got ") << type;
  if (half.getRank() == 0 || zippedType(half) != type) {
    SmallVector<int64_t> shape(type.getShape());
    if (!isOpen)
      shape.back() /= 2;
    return emitOpError("unzip_c2: each result must be ") << type.clone(shape) << ", got " << half;
  }
  return success();
}
